"""Records of messages: descriptor, header chain and body, and the short cuts of listings."""

from __future__ import annotations

import json

import pytest

from mqtriage.messages.decoded import (
    body_text,
    chain_of,
    dead_letter_header,
    decoded,
    descriptor_record,
    target_and_due,
)
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.due_time import EMULATED, UNDOCUMENTED
from mqtriage.mq.headers import ddh, dlh, rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_rfc3339
from tests.support.timing import times_as_long

_MD = MQMD(
    format="MQSTR",
    encoding=546,
    ccsid=1208,
    msg_id=bytes(range(24)),
    persistence=1,
    put_date="20260131",
    put_time="10000025",
)
_NO_ID = "0" * 48


def _message(body: bytes, **fields: object) -> Message:
    return Message(_MD._replace(**fields), body, len(body))  # type: ignore[arg-type]


def test_a_descriptor_record_has_every_field_of_the_mqmd() -> None:
    record = descriptor_record(_MD)
    fields = {*MQMD._fields, "report_options"} - {"put_date"}  # part of put_time
    assert fields == {key for key in record if not key.endswith("_name") or key in fields}


def test_a_descriptor_record_shows_ids_as_hex_times_in_utc_and_names_for_numbers() -> None:
    md = _MD._replace(
        msg_type=4,
        feedback=2053,
        put_appl_type=28,
        accounting_token=b"\x16" * 32,
        report=0x08000800,
    )
    record = descriptor_record(md)
    assert record["msg_id"] == "000102030405060708090A0B0C0D0E0F1011121314151617"
    assert (record["correl_id"], record["group_id"]) == (_NO_ID, _NO_ID)
    assert record["accounting_token"] == "16" * 32
    assert record["report_options"] == ["COD", "DISCARD_MSG"]
    assert record["put_time"] == "2026-01-31T10:00:00.25Z"
    assert (record["msg_type_name"], record["persistence_name"]) == (
        "MQMT_REPORT",
        "MQPER_PERSISTENT",
    )
    assert (record["feedback_name"], record["put_appl_type_name"]) == ("MQRC_Q_FULL", "MQAT_JAVA")


def test_a_number_without_a_name_is_shown_alone() -> None:
    record = descriptor_record(_MD._replace(msg_type=70000, persistence=9, put_appl_type=99))
    assert (record["msg_type"], record["msg_type_name"]) == (70000, None)
    assert (record["persistence"], record["persistence_name"]) == (9, None)
    assert (record["put_appl_type"], record["put_appl_type_name"]) == (99, None)


def test_a_blank_put_time_is_null() -> None:
    assert descriptor_record(MQMD())["put_time"] is None


@pytest.mark.slow
def test_a_descriptor_record_is_made_in_less_time_than_it_is_written_as_json() -> None:
    """Three times what it took when it was written: a queue of 100,000 is read this way."""
    record = descriptor_record(_MD)

    def built() -> None:
        for _ in range(2000):
            descriptor_record(_MD)

    def written() -> None:
        for _ in range(2000):
            json.dumps(record)

    assert times_as_long(built, written, 1) < 1


@pytest.mark.parametrize("form", ["MQSTR", "XYZ", "MQHRF3"])
def test_nothing_is_decoded_when_the_format_is_no_header(form: str) -> None:
    body = dlh.encode(dlh.DLH()) + b"text"
    chain = chain_of(_message(body, format=form))
    assert (chain.headers, chain.body_offset) == ((), 0)


def test_a_delayed_message_is_recognised_under_any_format() -> None:
    body = ddh.encode_staged(1, None, "QM1", "Q", _MD, 0, 1) + b"text"
    assert [header.name for header in chain_of(_message(body)).headers] == ["DDH"]


@pytest.mark.parametrize(
    ("form", "ccsid", "body", "text"),
    [
        pytest.param("MQSTR", 1208, "žluť".encode(), "žluť", id="utf-8"),
        pytest.param("MQSTR", 37, "[A]".encode("cp037"), "[A]", id="ebcdic"),
        pytest.param("MQSTR", 0, b"ascii", "ascii", id="ccsid-of-the-queue-manager"),
        pytest.param("MQSTR", 1208, b"a\x00b", "a\x00b", id="a-string-format-is-text"),
        pytest.param("", 1208, b"a\tb\r\n", "a\tb\r\n", id="no-format-but-reads-as-text"),
        pytest.param("", 819, b"\x00\x01\x02", None, id="no-format-and-binary"),
        pytest.param("MQSTR", 1208, b"\xff\xfe", None, id="not-utf-8"),
        pytest.param("MQSTR", 9999, b"text", None, id="unknown-ccsid"),
        pytest.param("MQSTR", 1208, b"", "", id="empty"),
    ],
)
def test_a_body_is_text_or_hex(form: str, ccsid: int, body: bytes, text: str | None) -> None:
    record = decoded(_message(body, format=form, ccsid=ccsid))["body"]
    assert text == record["text"]
    assert record["hex"] == (body.hex().upper() if text is None else None)


@pytest.mark.parametrize(
    ("ccsid", "body", "is_told"),
    [
        pytest.param(500, '{"name": "Grün"}'.encode(), True, id="utf-8 marked ebcdic"),
        pytest.param(1047, b"12345\r\n", True, id="ascii marked ebcdic"),
        pytest.param(1200, b"12345", True, id="odd length marked utf-16"),
        pytest.param(500, '{"name": "Grün"}\n'.encode("cp500"), False, id="ebcdic"),
        pytest.param(1047, b"\xc8\x85\x93\x93\x96\x15", False, id="ebcdic with a new line"),
        pytest.param(500, b"    \x40\x4b\x5c", True, id="blanks of ascii"),
        pytest.param(500, b"\x40\x4b\x5c", False, id="readable in both"),
        pytest.param(500, b"\x00\x0012345", False, id="binary"),
        pytest.param(819, '{"name": "Grün"}'.encode(), False, id="latin 1"),
        pytest.param(1208, b'{"name": 1}', False, id="as marked"),
        pytest.param(500, b"", False, id="empty"),
    ],
)
@pytest.mark.parametrize("form", ["MQSTR", ""])
def test_data_in_utf_8_that_are_marked_otherwise_are_told(
    form: str, ccsid: int, body: bytes, is_told: bool
) -> None:
    notes = decoded(_message(body, format=form, ccsid=ccsid))["notes"]
    assert notes == [f"the data is valid UTF-8, but is marked CCSID {ccsid}"] * is_told


def test_an_unknown_ccsid_is_told() -> None:
    notes = decoded(_message(b"text", ccsid=9999))["notes"]
    assert notes == ["CCSID 9999 is not known here: the body is shown as bytes"]


@pytest.mark.parametrize(
    ("raw", "ccsid", "encoding", "text"),
    [
        (b"A\0", 1200, 546, "A"),
        (b"\0A", 1200, 273, "A"),
        (b"\xe9", 819, 0, "é"),
        (b"\xe9", 1208, 0, None),
        (b"\xe9", 0, 0, None),
        (b"A", 4711, 0, None),
        (b"A", -3, 0, "A"),
    ],
)
def test_body_text_is_none_rather_than_wrong(
    raw: bytes, ccsid: int, encoding: int, text: str | None
) -> None:
    assert text == body_text(raw, ccsid, encoding)


def test_a_record_shows_headers_properties_and_body() -> None:
    header = rfh2.build(
        [("usr", {"n": 7, "raw": b"\1", "x": float("inf")})], Following("MQSTR", 273, 1208)
    )
    dead = dlh.encode(dlh.DLH(2053, "A", "QM1", 273, 1208, "MQHRF2"))
    data = dead + rfh2.encode(header) + b"body"
    record = decoded(_message(data, format="MQDEAD"))
    json.dumps(record, allow_nan=False)
    first, second = record["chain"]
    assert (first["name"], first["offset"], first["length_bytes"]) == ("MQDLH", 0, 172)
    assert first["fields"]["reason_name"] == "MQRC_Q_FULL"
    (folder,) = second["fields"]["folders"]
    assert (folder["name"], folder["hex"]) == ("usr", None)
    assert folder["properties"] == [
        {"name": "n", "type": "i4", "value": 7},
        {"name": "raw", "type": "bin.hex", "value": "01"},
        {"name": "x", "type": "r8", "value": "inf"},
    ]
    body = record["body"]
    assert (body["format"], body["text"], body["offset"]) == ("MQSTR", "body", len(data) - 4)
    assert (record["damages"], record["notes"]) == ([], [])


def test_data_that_was_cut_by_the_get_is_told() -> None:
    record = decoded(Message(_MD, b"0123", 100))
    assert record["damages"] == ["message data: 4 of 100 bytes"]


def test_dead_letter_facts_name_the_reason_and_the_queue_it_should_have_reached() -> None:
    header = dlh.DLH(2085, "GONE", "QM2", 785, 500, "MQSTR", 30, "CSQXCHIN", "20260131",
                     "09133007", order=">", codec="cp500")  # fmt: skip
    facts = dead_letter_header(
        _message(dlh.encode(header), format="MQDEAD", encoding=785, ccsid=500)
    )
    assert facts is not None
    assert (facts.reason, facts.reason_name) == (2085, "MQRC_UNKNOWN_OBJECT_NAME")
    assert (
        facts.dest_q_name,
        facts.dest_q_mgr_name,
        facts.put_appl_name,
    ) == ("GONE", "QM2", "CSQXCHIN")
    assert put_rfc3339(facts.put_date, facts.put_time) == "2026-01-31T09:13:30.07Z"
    assert (facts.format, facts.encoding, facts.ccsid) == ("MQSTR", 785, 500)


@pytest.mark.parametrize(
    ("form", "body"),
    [
        ("MQSTR", dlh.encode(dlh.DLH())),
        ("MQDEAD", dlh.encode(dlh.DLH())[:171]),
        ("MQDEAD", b"nothing of the kind" * 20),
        ("MQDEAD", dlh.encode(dlh.DLH(version=3))),
        ("", b""),
    ],
)
def test_without_a_readable_mqdlh_there_are_no_facts(form: str, body: bytes) -> None:
    assert dead_letter_header(_message(body, format=form)) is None


def test_the_headers_of_a_message_are_decoded_once_by_filter_and_record() -> None:
    message = Message(MQMD(format="MQHRF2"), b"RFH ", 4)
    assert chain_of(message) is chain_of(message)
    assert chain_of(message._replace(body=b"RFH 2")) is not chain_of(message)


@pytest.mark.seed("DD-11")
def test_target_and_due_time_of_a_staged_message() -> None:
    data = ddh.encode_staged(1_769_853_605_000_000, None, "QM1", "ORDERS.IN", _MD, 0, 5000)
    facts = target_and_due(_message(data + b"body", format=ddh.DDH_FORMAT), EMULATED)
    assert facts is not None
    assert (
        facts.target,
        facts.target_queue_manager,
        facts.basis,
        facts.delay_ms,
    ) == ("ORDERS.IN", "QM1", "emulator", 5000)
    assert facts.due_time_us == facts.ddh_time_us == 1_769_853_605_000_000
    elsewhere = target_and_due(_message(data, format=ddh.DDH_FORMAT), UNDOCUMENTED)
    assert elsewhere is not None
    assert (elsewhere.basis, elsewhere.delay_ms) == ("assumed-due", None)


def test_a_staged_message_on_the_dead_letter_queue_is_found_behind_its_mqdlh() -> None:
    data = dlh.encode(dlh.DLH(2053)) + ddh.encode_staged(7, None, "QM1", "Q", _MD, 0, 1)
    facts = target_and_due(_message(data, format="MQDEAD"), EMULATED)
    assert facts is not None
    assert facts.due_time_us == 7


@pytest.mark.parametrize("body", [b"", b"DDH ", b"DDH \7\0\0\0" + bytes(16), b"text" * 100])
def test_without_a_readable_ddh_there_is_no_target(body: bytes) -> None:
    assert target_and_due(_message(body), EMULATED) is None
