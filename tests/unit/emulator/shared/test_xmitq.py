"""Messages of Format MQXMIT: direct puts, and the two lifetimes at retrieval."""

from __future__ import annotations

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError
from mqtriage.mq.headers import xqh
from tests.unit.emulator.conftest import Lab, message, nothing_on


def transmitted(inner: int, body: bytes = b"body") -> bytes:
    """A body as a program builds it that puts to a transmission queue itself."""
    return xqh.encode(xqh.XQH("TARGET", "QM2", MQMD(expiry_tenths=inner, version=1))) + body


def put(lab: Lab, name: str, outer: int, body: bytes) -> MQMD:
    return lab.mq.put1(name, message(format="MQXMIT", expiry_tenths=outer), body)


def check(lab: Lab, value: str) -> None:
    lifecycle.switch(lab.mq.manager, "xmitq_expiry_check", value)


def inner_of(body: bytes) -> int:
    return int.from_bytes(body[120:124], "little", signed=True)


def accepts(lab: Lab, outer: int, body: bytes) -> bool:
    try:
        put(lab, "QM2", outer, body)
    except MQIError as error:
        assert error.reason == cmqc.MQRC_EXPIRY_ERROR
        return False
    return True


@pytest.fixture(autouse=True)
def queues(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    lab.mq.define("QLOCAL", "Q1", {})


@pytest.mark.seed("EX-53")
def test_a_program_may_put_a_message_with_its_own_header(lab: Lab) -> None:
    assert accepts(lab, 600, transmitted(600))
    received = lab.get("QM2")
    assert (received.md.format, received.body) == ("MQXMIT", transmitted(600))


@pytest.mark.seed("EX-54")
@pytest.mark.parametrize("level", ["none", "valid", "consistent"])
def test_a_plain_message_on_a_transmission_queue_is_accepted(lab: Lab, level: str) -> None:
    check(lab, level)
    lab.put("QM2", b"plain", expiry_tenths=600)
    assert lab.get("QM2").md.format == "MQSTR"


@pytest.mark.seed("EX-55", "EX-56", "EX-57", "EX-59", "C-05")
@pytest.mark.parametrize(
    ("level", "outer", "inner", "accepted"),
    [
        pytest.param("none", 600, 100, True, id="none-differing"),
        pytest.param("none", 600, 0, True, id="none-zero"),
        pytest.param("valid", 600, 100, True, id="valid-differing"),
        pytest.param("valid", 600, 0, False, id="valid-zero"),
        pytest.param("valid", 600, -2, False, id="valid-negative"),
        pytest.param("consistent", 600, 100, False, id="consistent-differing"),
        pytest.param("consistent", 600, -1, False, id="consistent-inner-unlimited"),
        pytest.param("consistent", 600, 0, False, id="consistent-zero"),
        pytest.param("consistent", 600, 600, True, id="consistent-equal"),
        pytest.param("consistent", -1, -1, True, id="consistent-both-unlimited"),
    ],
)
def test_the_check_of_a_direct_put(
    lab: Lab, level: str, outer: int, inner: int, accepted: bool
) -> None:
    check(lab, level)
    assert accepts(lab, outer, transmitted(inner)) is accepted
    assert lab.depth("QM2") == accepted


@pytest.mark.seed("EX-57", "EX-59", "C-05")
def test_the_strictest_check_is_the_default(lab: Lab) -> None:
    assert not accepts(lab, 600, transmitted(100))
    assert not accepts(lab, 0, transmitted(0))


@pytest.mark.seed("EX-56", "EX-57", "GAP-11")
@pytest.mark.parametrize(
    ("level", "length", "accepted"),
    [("none", 20, True), ("valid", 123, False), ("consistent", 20, False), ("valid", 124, True)],
)
def test_the_data_has_to_reach_to_the_embedded_lifetime(
    lab: Lab, level: str, length: int, accepted: bool
) -> None:
    check(lab, level)
    assert accepts(lab, 600, transmitted(600)[:length]) is accepted


def test_the_check_reads_the_descriptors_byte_order(lab: Lab) -> None:
    body = bytearray(transmitted(600))
    body[120:124] = (600).to_bytes(4, "big")
    big = message(format="MQXMIT", expiry_tenths=600, encoding=273)
    lab.mq.put1("QM2", big, bytes(body))
    lab.advance(10)
    assert int.from_bytes(lab.get("QM2").body[120:124], "big") == 500


def test_an_ordinary_queue_is_not_checked(lab: Lab) -> None:
    put(lab, "Q1", 600, transmitted(0))
    assert lab.depth("Q1") == 1


@pytest.mark.seed("EX-60")
@pytest.mark.parametrize("queue", ["QM2", "Q1"])
@pytest.mark.parametrize("how", ["get", "browse", "walk"])
def test_both_lifetimes_are_decremented_at_retrieval(lab: Lab, queue: str, how: str) -> None:
    put(lab, queue, 600, transmitted(600))
    lab.advance(10)
    handle = lab.open(queue)
    if how == "walk":
        received = next(iter(handle.browse()))
    else:
        received = handle.get(0x20 if how == "browse" else 0)
    assert (received.md.expiry_tenths, inner_of(received.body)) == (500, 500)
    assert received.body[:120] + received.body[124:] == transmitted(0)[:120] + transmitted(0)[124:]


def test_an_unfinished_tenth_counts_alike_in_both(lab: Lab) -> None:
    put(lab, "Q1", 600, transmitted(600))
    lab.advance(0.05)
    received = lab.get("Q1")
    assert received.md.expiry_tenths == inner_of(received.body) == 600


@pytest.mark.seed("EX-61")
@pytest.mark.parametrize("length", [0, 50, 123])
def test_a_body_too_short_for_the_embedded_lifetime_is_no_error(lab: Lab, length: int) -> None:
    body = transmitted(600)[:length]
    put(lab, "Q1", 600, body)
    lab.advance(10)
    received = lab.get("Q1")
    assert (received.body, received.md.expiry_tenths) == (body, 500)


def test_a_body_without_a_header_is_left_alone(lab: Lab) -> None:
    put(lab, "Q1", 600, b"\x01" * 200)
    lab.advance(10)
    assert lab.get("Q1").body == b"\x01" * 200


@pytest.mark.seed("EX-62")
def test_only_the_outer_lifetime_decides(lab: Lab) -> None:
    check(lab, "none")
    put(lab, "QM2", 600, transmitted(50))
    lab.advance(10)
    assert lab.get("QM2").md.expiry_tenths == 500
    put(lab, "QM2", 50, transmitted(600))
    lab.advance(10)
    assert nothing_on(lab.open("QM2"))
    assert lab.depth("QM2") == 0


@pytest.mark.seed("EX-63")
def test_an_embedded_lifetime_stops_at_zero(lab: Lab) -> None:
    check(lab, "none")
    put(lab, "QM2", 600, transmitted(50))
    lab.advance(10)
    received = lab.get("QM2")
    assert (received.md.expiry_tenths, inner_of(received.body)) == (500, 0)


@pytest.mark.seed("EX-63")
def test_an_embedded_unlimited_lifetime_stays(lab: Lab) -> None:
    check(lab, "none")
    put(lab, "QM2", 600, transmitted(-1))
    lab.advance(10)
    assert inner_of(lab.get("QM2").body) == -1


def test_a_browse_that_wants_only_the_first_bytes_cuts_and_does_not_fail(lab: Lab) -> None:
    put(lab, "Q1", 600, transmitted(600))
    lab.advance(10)
    assert next(iter(lab.open("Q1").browse(max_length=8))).body == transmitted(600)[:8]
