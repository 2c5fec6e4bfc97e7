"""Client channel definition tables in JSON: each fault with its line, and a good one without."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mqtriage.definitions.ccdt import ccdt_mismatches, ccdt_problems, is_ccdt
from tests.unit.definitions.rules.asserting import estate_of

GOOD: dict[str, Any] = {
    "name": "PAY.APP",
    "type": "clientConnection",
    "clientConnection": {
        "connection": [{"host": "mq1.example", "port": 1414}],
        "queueManager": "*PAY",
    },
    "transmissionSecurity": {"cipherSpecification": "ANY_TLS12_OR_HIGHER"},
    "connectionManagement": {"clientWeight": 10, "affinity": "none"},
}
OTHER = {**GOOD, "name": "PAY.OTHER"}


def problems(*channels: Any) -> list[str]:
    text = json.dumps({"channel": channels}, indent=1)
    lines = text.split("\n")
    texts = []
    for problem in ccdt_problems(text, "ccdt.json"):
        assert 1 <= problem.line <= len(lines)
        texts.append(f"{problem.severity} {problem.message}")
    return texts


def test_a_good_table_has_no_problem() -> None:
    assert problems(GOOD, OTHER) == []


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"name": ""}, "error a channel has no name"),
        ({"name": "A" * 21}, "is not a valid channel name"),
        ({"name": "PAY APP"}, "error PAY APP is not a valid channel name"),
        ({"type": "sender"}, "error channel PAY.APP: type is 'sender'"),
        ({"clientConnection": {}}, "error channel PAY.APP has no connection"),
        ({"clientConnection": {"connection": [{"port": 1}]}}, "a connection has no host"),
        ({"clientConnection": {"connection": [{"host": "h", "port": 0}]}}, "port is 0"),
        ({"clientConnection": {"connection": ["h"]}}, "a connection has no host"),
        (
            {"transmissionSecurity": {"cipherSpecification": "ANY_TLS12_OR_HIGER"}},
            "error ANY_TLS12_OR_HIGER is not a CipherSpec",
        ),
        ({"transmissionSecurity": {"cipherSpecification": "RC4_MD5_US"}}, "note channel PAY.APP:"),
        ({"transmissionSecurity": {}}, "note channel PAY.APP has no cipherSpecification"),
        ({"connectionManagement": {"clientWeight": 100}}, "clientWeight is 100"),
        ({"connectionManagement": {"affinity": "sticky"}}, "affinity is 'sticky'"),
    ],
)
def test_a_fault_is_said_once_of_its_channel(keys: dict[str, Any], says: str) -> None:
    faults = problems(OTHER, {**GOOD, **keys})
    assert says in faults[0]
    assert len(faults) == 1 or "connection" in keys.get("clientConnection", {})


def test_a_fault_has_the_line_of_its_value() -> None:
    bad = {**GOOD, "transmissionSecurity": {"cipherSpecification": "NO_SUCH"}}
    text = json.dumps({"channel": [OTHER, bad]}, indent=1)
    (problem,) = ccdt_problems(text, "ccdt.json")
    assert '"NO_SUCH"' in text.split("\n")[problem.line - 1][problem.column - 1 :]


def test_a_channel_that_is_there_twice_is_an_error() -> None:
    assert "is already in the table" in problems(GOOD, GOOD)[0]
    group = {**GOOD, "clientConnection": {**GOOD["clientConnection"], "queueManager": "QM2"}}
    assert problems(GOOD, group) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"channel": []}', "[" * 100_000])
def test_what_is_no_table_is_one_error(text: str) -> None:
    assert [problem.severity for problem in ccdt_problems(text, "ccdt.json")] == ["error"]


def test_what_is_called_like_a_table_is_one() -> None:
    assert is_ccdt("a/prod-CCDT.json")
    assert not is_ccdt("package.json")


SERVER = """\
* Queue manager name: PAY1
DEFINE CHANNEL(PAY.APP) CHLTYPE(SVRCONN) SSLCIPH({})
DEFINE CHANNEL(PAY.OTHER) CHLTYPE({}) SSLCIPH(ANY)
DEFINE LISTENER(L) TRPTYPE(TCP) PORT({}) CONTROL(QMGR) IPADDR('{}')
"""


def mismatches(channel: dict[str, Any], *server: str, whole: bool = True) -> list[str]:
    values = dict(zip(range(4), ("ANY", "SVRCONN", "1414", ""), strict=True)) | dict(
        enumerate(server)
    )
    estate = estate_of(SERVER.format(*values.values()), whole=whole)
    text = json.dumps({"channel": [OTHER, channel]}, indent=1)
    listed = list(ccdt_mismatches(text, "ccdt.json", [estate]))
    line = text[: text.rindex('"name"')].count("\n") + 1
    own = [it.diagnostic for it in listed if channel["name"] in it.diagnostic.message]
    assert all(diagnostic.line >= line for diagnostic in own)
    return [f"{it.severity} {it.diagnostic.message}" for it in listed]


@pytest.mark.parametrize(
    "server",
    [
        (),
        ("ANY_TLS13",),
        ("ECDHE_RSA_AES_256_GCM_SHA384",),
        ("ANY_TLS12_OR_HIGHER", "SVRCONN", "1414", "10.0.0.1"),
    ],
)
def test_a_table_that_fits_its_queue_manager_has_no_mismatch(server: tuple[str, ...]) -> None:
    assert mismatches(GOOD, *server) == []


@pytest.mark.parametrize(
    ("server", "says"),
    [
        (("''",), "error channel PAY.APP: cipherSpecification ANY_TLS12_OR_HIGHER does not match"),
        (("RC4_MD5_US",), "error channel PAY.APP: cipherSpecification ANY_TLS12_OR_HIGHER"),
        (("ANY", "RCVR"), "error channel PAY.OTHER is of type RCVR on PAY1"),
        (
            ("ANY", "SVRCONN", "1415"),
            "warning channel PAY.APP: mq1.example(1414) is not a listener",
        ),
    ],
)
def test_what_a_queue_manager_has_otherwise_is_told(server: tuple[str, ...], says: str) -> None:
    assert any(text.startswith(says) for text in mismatches(GOOD, *server))
    assert mismatches(GOOD, *server, whole=False) == []


def test_a_channel_that_is_not_there_is_told_where_all_channels_are_known() -> None:
    unknown = {**GOOD, "name": "PAY.APPS"}
    expected = "error channel PAY.APPS is not defined on PAY1"
    assert mismatches(unknown) == [expected]
    assert mismatches(unknown, whole=False) == []


def test_an_address_that_no_listener_has_is_told_and_a_name_or_a_route_is_not() -> None:
    def at(host: str, port: int) -> list[str]:
        client = {**GOOD["clientConnection"], "connection": [{"host": host, "port": port}]}
        texts = mismatches({**GOOD, "clientConnection": client}, *SERVER_AT)
        return [text for text in texts if "PAY.APP:" in text]

    assert at("10.0.0.2", 1414) == [
        "warning channel PAY.APP: 10.0.0.2(1414) is not a listener of PAY1: 10.0.0.1(1414)"
    ]
    assert at("10.0.0.1", 1414) == at("mq1.example", 1414) == at("route.example", 443) == []


SERVER_AT = ("ANY", "SVRCONN", "1414", "10.0.0.1")
