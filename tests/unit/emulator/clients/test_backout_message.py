"""What a message looks like on the backout queue: one MQRFH2, a chain that leads to its body."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.clients import poison_move
from mqtriage.emulator.clients.jms import Acknowledge
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.open import open_manager
from mqtriage.messages.decoded import chain_of
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from tests.unit.emulator.clients.conftest import ClientLab

TEXT: dict[str, Any] = {"ccsid": 819, "encoding": 546}


def jms_message() -> tuple[bytes, dict[str, Any]]:
    """Body and descriptor fields of a message that a JMS program put."""
    header = rfh2.build_jms(
        "jms_text", "queue:///Q1", Following("MQSTR", 546, 1208), put_time_ms=1, user={"k": "v"}
    )
    return rfh2.encode(header) + b"hello", {"format": "MQHRF2", "encoding": 273, "ccsid": 1208}


def moved(lab: ClientLab, body: bytes = b"hello", **fields: object) -> tuple[MQMD, Message]:
    """The descriptor as it was put, and the message on the backout queue."""
    md = lab.poison("Q1", 3, body, **fields)
    assert lab.consumer(lab.session(Acknowledge.AUTO)).receive_no_wait() is None
    (message,) = lab.there("BOQ")
    return md, message


def header_of(message: Message) -> rfh2.RFH2:
    header = rfh2.decode(message.body)
    assert isinstance(header, rfh2.RFH2)
    assert header.damages == ()
    return header


@pytest.mark.seed("PM-56", "PM-63", "PM-65", "PM-67")
def test_a_message_without_rfh2_gets_one(lab: ClientLab) -> None:
    _, message = moved(lab, **TEXT)
    assert (message.md.format, message.md.encoding) == ("MQHRF2", 273)
    header = header_of(message)
    assert header.order == ">"
    assert header.format == "MQSTR"
    assert message.body[: header.length].count(b"RFH ") == 1
    assert message.body[header.length :] == b"hello"


@pytest.mark.seed("PM-62", "BO-33")
@pytest.mark.parametrize(("persistence", "delivery_mode"), [(0, "1"), (1, "2")])
def test_the_folder_that_is_added_has_the_delivery_mode_of_the_message(
    lab: ClientLab, persistence: int, delivery_mode: str
) -> None:
    _, message = moved(lab, **TEXT, persistence=persistence)
    assert str(rfh2.properties([header_of(message)])["jms.Dlv"]) == delivery_mode


@pytest.mark.seed("PM-56", "PM-60")
def test_a_message_that_has_one_gets_no_second_and_keeps_format_ccsid_and_encoding(
    lab: ClientLab,
) -> None:
    body, fields = jms_message()
    _, message = moved(lab, body, **(fields | {"ccsid": 1200}))
    assert message.body == body
    assert (message.md.format, message.md.ccsid, message.md.encoding) == ("MQHRF2", 1200, 273)


def test_one_behind_another_header_counts_as_well(lab: ClientLab) -> None:
    from mqtriage.mq.headers import dlh

    body, _ = jms_message()
    head = dlh.encode(dlh.DLH(reason=2053, encoding=273, ccsid=1208, format="MQHRF2"))
    _, message = moved(lab, head + body, format="MQDEAD", ccsid=819, encoding=546)
    assert message.md.format == "MQDEAD"
    assert message.body == head + body


def test_bytes_that_only_look_like_a_header_do_not_count(lab: ClientLab) -> None:
    body, _ = jms_message()
    _, message = moved(lab, body, format="", ccsid=1208, encoding=273)
    assert message.md.format == "MQHRF2"
    assert header_of(message).format == ""
    assert message.body[header_of(message).length :] == body


@pytest.mark.seed("PM-64", "PM-66")
@pytest.mark.parametrize("ccsid", [819, 37])
def test_ccsid_becomes_1208_and_the_old_one_stands_in_the_header(
    lab: ClientLab, ccsid: int
) -> None:
    _, message = moved(lab, ccsid=ccsid, encoding=785)
    assert message.md.ccsid == 1208
    assert (header_of(message).ccsid, header_of(message).encoding) == (ccsid, 785)


@pytest.mark.seed("PM-58", "PM-61")
@pytest.mark.parametrize("has_header", [True, False])
def test_backout_count_is_0_on_the_backout_queue(lab: ClientLab, has_header: bool) -> None:
    body, fields = jms_message() if has_header else (b"hello", {})
    _, message = moved(lab, body, **fields)
    assert message.md.backout_count == 0


@pytest.mark.seed("PM-57", "GAP-09")
@pytest.mark.parametrize("has_header", [True, False])
def test_every_other_field_of_the_descriptor_stays(lab: ClientLab, has_header: bool) -> None:
    body, fields = jms_message() if has_header else (b"hello", dict(TEXT))
    md, message = moved(
        lab,
        body,
        **fields,
        msg_id=b"M" * 24,
        correl_id=b"C" * 24,
        priority=7,
        persistence=0,
        report=cmqc.MQRO_COD,
        reply_to_q="REPLY",
        reply_to_q_mgr="QM9",
        feedback=300,
    )
    rewritten: dict[str, Any] = {"format": "MQHRF2", "ccsid": 1208, "encoding": 273}
    assert message.md == md._replace(**rewritten)
    assert (message.md.user_identifier, message.md.put_appl_name) == ("tester", "lab")
    assert message.md.put_time == md.put_time


@pytest.mark.seed("PM-59", "PM-62", "TRAP-13")
@pytest.mark.parametrize("has_header", [True, False])
@pytest.mark.parametrize(("expiry", "expected"), [(600, 500), (-1, -1)])
def test_expiry_is_what_was_left_when_the_message_was_received(
    lab: ClientLab,
    monkeypatch: pytest.MonkeyPatch,
    has_header: bool,
    expiry: int,
    expected: int,
) -> None:
    """600 tenths, got after 10 s, moved 5 s later: put with 500, not with 450."""
    put = poison_move.put_in_unit

    def put_five_seconds_later(*args: Any) -> Any:
        other = open_manager(lab.path)
        lifecycle.advance(other, 5_000_000)
        other.close()
        return put(*args)

    monkeypatch.setattr(poison_move, "put_in_unit", put_five_seconds_later)
    body, fields = jms_message() if has_header else (b"hello", {})
    md = lab.poison("Q1", 3, body, **fields, expiry_tenths=expiry)
    lab.advance(10)
    before = lab.mq.now_us()
    assert lab.consumer(lab.session(Acknowledge.AUTO)).receive_no_wait() is None
    assert lab.mq.now_us() - before == 5_000_000
    (message,) = lab.there("BOQ")
    assert (message.md.msg_id, message.md.expiry_tenths) == (md.msg_id, expected)
    lab.advance(2)
    (later,) = lab.there("BOQ")
    assert later.md.expiry_tenths == (expected - 20 if expected > 0 else -1)


@pytest.mark.seed("PM-59", "TRAP-13", "GAP-08")
@pytest.mark.parametrize("queue", ["BOQ", "DLQ"])
def test_the_folder_that_is_added_names_the_moment_at_which_the_lifetime_ends(
    lab: ClientLab, queue: str
) -> None:
    """In milliseconds, the same one wherever the message is moved to."""
    if queue == "DLQ":
        lab.shut("BOQ")
    end_us = lab.mq.now_us() + 60_000_000
    lab.poison("Q1", 3, expiry_tenths=600)
    lab.advance(10)
    lab.consumer(lab.session(Acknowledge.AUTO)).receive_no_wait()
    (message,) = lab.there(queue)
    (header,) = [one.record for one in chain_of(message).headers if one.name == "MQRFH2"]
    assert isinstance(header, rfh2.RFH2)
    assert rfh2.properties([header])["jms.Exp"] == str(end_us // 1000)


def test_the_dead_letter_copy_keeps_what_is_left_of_the_lifetime(lab: ClientLab) -> None:
    lab.alter("Q1", BOQNAME="")
    lab.poison("Q1", 3, expiry_tenths=600)
    lab.advance(10)
    lab.consumer(lab.session(Acknowledge.AUTO)).receive_no_wait()
    (dead,) = lab.there("DLQ")
    assert dead.md.expiry_tenths == 500


@pytest.mark.seed("PM-68")
@pytest.mark.parametrize("format", ["MQSTR", "", "MQIMS   ".strip(), "MYFORMAT"])
def test_walking_the_chain_leads_to_the_original_body(lab: ClientLab, format: str) -> None:
    original = b"\x00\x01 any bytes \xff" * 20
    _, message = moved(lab, original, format=format, **TEXT)
    chain = chain_of(message)
    header = header_of(message)
    assert chain.headers[0].name == "MQRFH2"
    assert message.body[header.length :] == original
    assert (header.format, header.ccsid, header.encoding) == (format, 819, 546)
    if format != "MQIMS":
        assert (chain.body(message.body), chain.format) == (original, format)


@pytest.mark.seed("BO-40", "GAP-13")
@pytest.mark.parametrize("format", ["MQSTR", "MQHRF2"])
def test_a_protected_body_is_copied_byte_for_byte(lab: ClientLab, format: str) -> None:
    protected = b"PDMQ" + bytes(range(256)) * 4
    _, message = moved(lab, protected, format=format)
    assert message.body.endswith(protected)
    assert message.body == protected or header_of(message).length + len(protected) == len(
        message.body
    )


def test_the_dead_letter_header_names_the_program(lab: ClientLab) -> None:
    from mqtriage.mq import cmqc
    from mqtriage.mq.headers import dlh

    lab.alter("Q1", BOQNAME="")
    lab.poison("Q1", 3)
    connection: Connection = lab.connection()
    lab.consumer(lab.session(Acknowledge.AUTO, connection=connection)).receive_no_wait()
    (dead,) = lab.there("DLQ")
    header = dlh.decode(dead.body, order=">")
    assert isinstance(header, dlh.DLH)
    name = "MQ JMS ConnectionConsumer"  # of whatever consumer: so do IBM's classes
    assert (header.put_appl_type, header.put_appl_name) == (cmqc.MQAT_JAVA, name)
    assert (header.dest_q_mgr_name, header.put_date) == ("QM1", dead.md.put_date)
