"""What a web server, or who sits between, may do: nothing is sent twice, sent on or believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mqtriage.backends.rest.backend import RestBackend
from mqtriage.model.rest_settings import RestSettings, rest_settings
from mqtriage.mq.errors import (
    ConnectionFailed,
    NotAuthorized,
    Unreachable,
    UsageError,
)
from tests.rest.conftest import Asked, Says, Scripted, in_json, is_qmgr

DONE = in_json(
    {
        "commandResponse": [{"completionCode": 0, "reasonCode": 0, "text": ["AMQ8006I: Created."]}],
        "overallCompletionCode": 0,
        "overallReasonCode": 0,
    }
)
NO_TOKEN = in_json({"error": [{"msgId": "MQWB0112E", "message": "MQWB0112E: no"}]}, 401)


def commands(scripted: Scripted) -> list[Asked]:
    return [asked for asked in scripted.asked if "/mqsc" in asked.path and not is_qmgr(asked)]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(
            Says(200, b"<html>Welcome</html>", (("Content-Type", "text/html"),)), id="html"
        ),
        pytest.param(Says(200, b""), id="nothing"),
        pytest.param(Says(200, b"[" * 100_000), id="deep"),
        pytest.param(in_json([]), id="list"),
        pytest.param(in_json({"commandResponse": {}}), id="no-list"),
        pytest.param(in_json({"commandResponse": [1]}), id="numbers"),
        pytest.param(Says(200, b"\xff\xfe\x00"), id="bytes"),
        pytest.param(Says(502, b"Bad Gateway"), id="gateway"),
        pytest.param(Says(204), id="no-content"),
    ],
)
@pytest.mark.slow
def test_what_is_no_answer_of_mqweb_is_said_to_be_none(scripted: Scripted, answer: Says) -> None:
    backend = scripted.backend()
    scripted.say(answer, answer)
    with pytest.raises(Unreachable, match="not a response from IBM MQ's REST API"):
        backend.queue("A")
    with pytest.raises(Unreachable, match="not a response from IBM MQ's REST API"):
        backend.define("QLOCAL", "A", {})


@pytest.mark.parametrize("to", ["https://evil.example/ibmmq/rest/v3/login", "/elsewhere"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(scripted: Scripted, to: str, status: int) -> None:
    scripted.answers = lambda _: Says(status, headers=(("Location", to),))
    with pytest.raises(Unreachable, match=r"redirects to (https://evil\.example|another path)"):
        scripted.backend()
    assert [asked.path for asked in scripted.asked] == ["/ibmmq/rest/v3/login"]


def test_half_an_answer_to_a_question_is_asked_again(scripted: Scripted) -> None:
    backend = scripted.backend()
    shown = {"queue": "A", "type": "QLOCAL", "maxdepth": 5}
    document = {"commandResponse": [{"completionCode": 0, "reasonCode": 0, "parameters": shown}]}
    scripted.say(Says(200, b'{"commandResp', cut=50), Says(None), in_json(document))
    assert backend.queue("A").attributes == {"MAXDEPTH": 5}
    assert len(commands(scripted)) == 3


@pytest.mark.parametrize("answer", [Says(200, b'{"commandResp', cut=50), Says(None)])
def test_half_an_answer_to_a_change_is_not_sent_again(scripted: Scripted, answer: Says) -> None:
    backend = scripted.backend()
    scripted.say(answer, DONE)
    with pytest.raises(ConnectionFailed, match=r"define QLOCAL\(A\).*the outcome is unknown"):
        backend.define("QLOCAL", "A", {})
    assert len(commands(scripted)) == 1


def test_a_token_that_ran_out_is_renewed_and_the_command_sent_once_more(scripted: Scripted) -> None:
    backend = scripted.backend()
    scripted.say(NO_TOKEN, DONE)
    backend.define("QLOCAL", "A", {})
    logins = [asked for asked in scripted.asked if asked.path.endswith("/login")]
    assert len(logins) == 2
    first, second = commands(scripted)
    assert first.body == second.body


def test_a_token_that_never_counts_ends_with_2035(scripted: Scripted) -> None:
    backend = scripted.backend()
    scripted.say(*[NO_TOKEN] * 9)
    with pytest.raises(NotAuthorized, match="MQWB0112E"):
        backend.define("QLOCAL", "A", {})
    assert len(commands(scripted)) == 2


def test_the_password_goes_with_the_login_alone(scripted: Scripted) -> None:
    backend = scripted.backend()
    scripted.say(DONE)
    backend.define("QLOCAL", "A", {})
    login, *others = scripted.asked
    assert json.loads(login.body) == {"username": "ops", "password": "geheim-17"}
    for asked in others:
        assert "authorization" not in asked.headers
        assert asked.headers["cookie"] == "LtpaToken2_1648=abc="
        assert asked.headers["ibm-mq-rest-csrf-token"]
        assert b"geheim-17" not in asked.body
    assert "geheim-17" not in repr(scripted.settings())


def test_a_server_without_tokens_is_sent_the_password(scripted: Scripted) -> None:
    scripted.answers = lambda asked: Says(204) if asked.path.endswith("/login") else None
    scripted.backend()
    assert scripted.asked[-1].headers["authorization"].startswith("Basic ")


def test_older_versions_are_asked_where_the_newest_is_not_there(scripted: Scripted) -> None:
    unknown = in_json({"error": [{"msgId": "MQWB0116E", "message": "MQWB0116E: no"}]}, 404)
    scripted.answers = lambda asked: unknown if "/v3/" in asked.path else None
    assert scripted.backend().session.version == 2


def test_a_certificate_that_nobody_signed_names_the_option(scripted: Scripted) -> None:
    with pytest.raises(ConnectionFailed, match="2393") as caught:
        scripted.backend(ca="")
    assert "--set tls.cafile=FILE" in (caught.value.hint or "")
    assert scripted.asked == []
    scripted.backend(ca="", is_unchecked=True)


def test_only_this_machine_need_not_be_checked() -> None:
    for url in ("https://mq1:9443", "https://10.0.0.1", "https://127.0.0.1.evil.example"):
        with pytest.raises(UsageError, match=r"tls\.unchecked"):
            rest_settings({"url": url}.get, unchecked=True)
    assert rest_settings({"url": "https://127.0.0.1:9443"}.get, unchecked=True).is_unchecked


@pytest.mark.parametrize(
    "url",
    [
        "mq1:9443", "ftp://mq1", "https://", "https://u:geheim@mq1", "https://mq1/?a=b", "https://mq1#x",
        "http://mq1:9080", "https://mq1:99999", "https://mq 1", "https://mq1\r\nX: y", "https://mq1/a/../b",
        "https://mq1:0",
    ],
)  # fmt: skip
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        rest_settings({"url": url}.get)
    assert "geheim" not in caught.value.text


@pytest.mark.parametrize("end", ["", "/", "/ibmmq/rest/v2", "/ibmmq/console", "/ibmmq/rest/v3/"])
def test_what_people_copy_with_the_address(end: str) -> None:
    assert rest_settings({"url": f"https://mq1:9443{end}"}.get).url == "https://mq1:9443"


def test_a_queue_name_is_no_part_of_a_path(scripted: Scripted) -> None:
    RestBackend(scripted.settings(), "../../x%2F..", print)
    assert scripted.asked[-1].path == (
        "/ibmmq/rest/v3/admin/action/qmgr/%2E%2E%2F%2E%2E%2Fx%252F%2E%2E/mqsc"
    )


def test_nobody_listens(tmp_path: Path) -> None:
    with pytest.raises(ConnectionFailed, match="2538"):
        RestBackend(RestSettings("https://127.0.0.1:9", user="a", password="b"), "QM1", print)


def test_a_gateway_is_asked_for(scripted: Scripted) -> None:
    scripted.backend(gateway="GW1")
    assert scripted.asked[-1].headers["ibm-mq-rest-gateway-qmgr"] == "GW1"
    assert "ibm-mq-rest-gateway-qmgr" not in scripted.asked[0].headers
