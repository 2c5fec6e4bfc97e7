"""MQGMO_CONVERT of IBM MQ's own formats: headers of every kind, and PCF."""

from __future__ import annotations

from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.emulator.mqi.conversion.messages import convert
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import dlh, mde, rfh2, tm
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.structures import structure
from tests.support.pcf_structures import all_parameters, filter_of, integer64, integers64

ASCII, EBCDIC = MQMD(ccsid=819, encoding=546), MQMD(ccsid=500, encoding=273)
PAGES = [(819, 546), (37, 273), (500, 785), (1208, 546), (1140, 273), (850, 273)]


def header(name: str, form: str = "MQSTR", tail: bytes = b"", **values: int | str | bytes) -> bytes:
    """A header as a program on Linux writes it, for text in 819."""
    layout = structure(name)
    data = layout.initial(layout.first_version)
    known = {field.name for field in layout.fields}
    follows: dict[str, int | str | bytes] = {
        "Encoding": 546,
        "CodedCharSetId": 819,
        "Format": form,
    }
    values = {key: value for key, value in follows.items() if key in known} | values
    if tail:
        values["StrucLength"] = len(data) + len(tail)
    return layout.patched(data, **values) + tail


def transmission(form: str) -> bytes:
    descriptor = structure("MQMD").patched(
        structure("MQMD").initial(1), Encoding=546, CodedCharSetId=819, Format=form
    )
    return b"XQH " + pack("<i48s48s", 1, b"THERE".ljust(48), b"QM2".ljust(48)) + descriptor


OBJECTS = b"".join(name.ljust(48) for name in (b"A.QUEUE", b"QM1", b"B.QUEUE", b"QM2"))
RECORDS = (b"M" * 24 + pack("<i", 7)) * 2
MESSAGES = {
    "MQDEAD": header("MQDLH", DestQName="TARGET"),
    "MQHMDE": header("MQMDE", GroupId=b"g" * 24, MsgSeqNumber=3),
    "MQHWIH": header("MQWIH", ServiceName="SVC", MsgToken=b"\x01\x02" * 8),
    "MQHRF": header("MQRFH", tail=b"KEY value "),
    "MQHREF": header("MQRMH", tail=b"FILE.NAME", ObjectType="FLATFILE"),
    "MQHDIST": header(
        "MQDH", tail=OBJECTS + RECORDS, PutMsgRecFields=9, RecsPresent=2, ObjectRecOffset=48,
        PutMsgRecOffset=48 + len(OBJECTS),
    ),
    "MQXMIT": transmission("MQSTR"),
    "MQCICS": header("MQCIH", TransactionId="TRN1"),
    "MQIMS": header("MQIIH", LTermOverride="TERM"),
}  # fmt: skip
"""Format to a header that says that text follows."""


@given(
    form=st.sampled_from(sorted(MESSAGES)),
    page=st.sampled_from(PAGES),
    text=st.text("AZaz09 .-", max_size=20),
)
def test_every_header_and_its_text_go_there_and_back(
    form: str, page: tuple[int, int], text: str
) -> None:
    md = MQMD(format=form, ccsid=819, encoding=546)
    body = MESSAGES[form] + text.encode()
    there = convert(md, body, MQMD(ccsid=page[0], encoding=page[1]), 1208)
    assert (there.reason, there.md.ccsid, there.md.encoding) == (0, *page)
    back = convert(there.md, there.body, md, 1208)
    assert (back.md, back.reason) == (md, 0)
    assert back.body == body


@pytest.mark.parametrize("form", sorted(MESSAGES))
def test_the_text_behind_a_header_is_converted_with_it(form: str) -> None:
    converted = convert(MQMD(format=form, ccsid=819), MESSAGES[form] + b"text", EBCDIC, 1208)
    assert (converted.reason, converted.body[-4:]) == (0, "text".encode("cp500"))
    assert converted.body[:4] == MESSAGES[form][:4].decode().encode("cp500")
    assert converted.body[4:8] == MESSAGES[form][4:8][::-1]


def test_a_header_tells_how_the_data_behind_it_is_written_now() -> None:
    converted = convert(MQMD(format="MQHMDE", ccsid=819), MESSAGES["MQHMDE"] + b"x", EBCDIC, 1208)
    decoded = mde.decode(converted.body, 0, ">", "cp500")
    assert isinstance(decoded, mde.MDE)
    assert (decoded.ccsid, decoded.encoding, decoded.format) == (500, 273, "MQSTR")
    assert (decoded.group_id, decoded.msg_seq_number) == (b"g" * 24, 3)


def test_the_records_of_a_distribution_header_are_converted() -> None:
    body = convert(MQMD(format="MQHDIST", ccsid=819), MESSAGES["MQHDIST"], EBCDIC, 1208).body
    assert body[48 : 48 + len(OBJECTS)] == OBJECTS.decode().encode("cp500")
    assert body[-len(RECORDS) :] == (b"M" * 24 + pack(">i", 7)) * 2


def test_a_trigger_message_is_converted() -> None:
    body = tm.encode(tm.TM(q_name="Q", appl_type=6, appl_id="/bin/run"))
    converted = convert(MQMD(format="MQTRIG", ccsid=819), body, EBCDIC, 1208)
    decoded = tm.decode(converted.body, 0, ">", "cp500")
    assert isinstance(decoded, tm.TM)
    assert (decoded.q_name, decoded.appl_type, decoded.appl_id) == ("Q", 6, "/bin/run")
    assert (converted.reason, converted.md.ccsid) == (0, 500)


def test_a_header_in_a_header_in_a_header_is_converted() -> None:
    inner = header("MQRFH", "MQSTR", b"NAME x ")
    body = header("MQDLH", "MQHMDE") + header("MQMDE", "MQHRF") + inner + b"end"
    converted = convert(MQMD(format="MQDEAD", ccsid=819), body, EBCDIC, 1208)
    assert converted.reason == 0
    assert converted.body[-3:] == "end".encode("cp500")
    assert convert(converted.md, converted.body, ASCII, 1208).body == body


def test_data_of_no_format_behind_a_header_is_left_alone_without_a_warning() -> None:
    body = header("MQDLH", "") + b"\x00\x01binary"
    converted = convert(MQMD(format="MQDEAD", ccsid=819), body, EBCDIC, 1208)
    decoded = dlh.decode(converted.body, 0, ">", "cp500")
    assert isinstance(decoded, dlh.DLH)
    assert (converted.reason, converted.body[decoded.length :]) == (0, b"\x00\x01binary")
    assert (decoded.ccsid, decoded.encoding) == (819, 546)


def test_names_that_do_not_fit_are_converted_to_the_queue_managers_code_page() -> None:
    target = MQMD(ccsid=1200, encoding=273)
    converted = convert(
        MQMD(format="MQDEAD", ccsid=500, encoding=273), _ebcdic_letter(), target, 819
    )
    assert (converted.reason, converted.md.ccsid) == (cmqc.MQRC_PARTIALLY_CONVERTED, 819)
    decoded = dlh.decode(converted.body, 0, "<", "latin-1")
    assert isinstance(decoded, dlh.DLH)
    assert (decoded.dest_q_name, decoded.ccsid, decoded.encoding) == ("TARGET", 1200, 273)
    assert converted.body[decoded.length :] == "text".encode("utf-16-be")


def _ebcdic_letter() -> bytes:
    body = MESSAGES["MQDEAD"] + b"text"
    return convert(MQMD(format="MQDEAD", ccsid=819), body, EBCDIC, 819).body


def test_what_an_mqcih_cannot_tell_of_leaves_the_whole_message_as_it_is() -> None:
    body = header("MQCIH", "OWN") + b"x"
    converted = convert(MQMD(format="MQCICS", ccsid=819), body, EBCDIC, 1208)
    assert (converted.body, converted.md.ccsid, converted.reason) == (
        body,
        819,
        cmqc.MQRC_FORMAT_ERROR,
    )


def test_folders_in_utf_16_take_the_byte_order_that_is_asked_for() -> None:
    text = "<usr><a>é</a></usr>"
    raw = text.encode("utf-16-le")
    folder = rfh2.Folder("usr", raw, text, ())
    body = rfh2.encode(rfh2.RFH2(546, 819, "", 0, 1200, (folder,), order="<", codec="latin-1"))
    converted = convert(MQMD(format="MQHRF2", ccsid=819), body, EBCDIC, 1208)
    decoded = rfh2.decode(converted.body, 0, ">", "cp500")
    assert isinstance(decoded, rfh2.RFH2)
    assert decoded.folders[0].properties[0].value == "é"


def test_segments_for_ims_keep_their_lengths_and_flags() -> None:
    body = pack("<HH4s", 8, 0x0102, b"TRAN") + pack("<HH2s", 6, 0, b"ab")
    converted = convert(MQMD(format="MQIMSVS", ccsid=819), body, EBCDIC, 1208)
    first, second = "TRAN".encode("cp500"), "ab".encode("cp500")
    assert converted.body == pack(">H", 8) + b"\x02\x01" + first + pack(">HH", 6, 0) + second


# -- PCF ------------------------------------------------------------------------------------------

COMMAND = pcf.PCF(
    1,
    13,
    (
        pcf.integer_of(20, 1),
        integer64(21, 2**40),
        pcf.integers(1229, (1009, -2)),
        integers64(30, (2**40, -1)),
        pcf.string(2016, "Ä.QUEUE", width=48),
        pcf.strings(3012, ("A", "BBB", "Ö"), width=4),
        pcf.byte_string(7001, b"\x01\x02\x03"),
        filter_of(15, 4, 7),
        filter_of(2016, 18, "*"),
        filter_of(7001, 2, b"\xff"),
        pcf.group(8001, (pcf.string(2016, "IN"), pcf.group(8002, (pcf.integer_of(3, 3),)))),
    ),
)


def meaning(data: bytes, md: MQMD) -> list[tuple[int, int, object, int]]:
    """What a PCF message says, whatever the widths of its strings."""
    decoded = pcf.decode(data, "<" if md.encoding == 546 else ">", md.ccsid)
    return [
        (p.type, p.parameter, None if p.type == 20 else p.value, p.operator)
        for p in all_parameters(decoded.parameters)
    ]


@pytest.mark.parametrize("form", ["MQADMIN", "MQPCF", "MQEVENT"])
@pytest.mark.parametrize("page", [*PAGES, (1200, 273), (1200, 546)])
def test_a_pcf_message_says_the_same_in_every_code_page(form: str, page: tuple[int, int]) -> None:
    md, target = MQMD(format=form, ccsid=819), MQMD(ccsid=page[0], encoding=page[1])
    body = pcf.encode(COMMAND, "<", 819)
    converted = convert(md, body, target, 1208)
    assert (converted.reason, converted.md.ccsid, converted.md.encoding) == (0, *page)
    assert meaning(converted.body, target) == meaning(body, ASCII)


def test_a_pcf_string_with_a_code_page_of_its_own_gets_the_one_asked_for() -> None:
    parameter = pcf.string(2016, "É", ccsid=500)
    body = pcf.encode(pcf.PCF(1, 13, (parameter,)), "<", 819)
    converted = convert(
        MQMD(format="MQADMIN", ccsid=819), body, MQMD(ccsid=1208, encoding=546), 1208
    )
    (decoded,) = pcf.decode(converted.body, "<", 1208).parameters
    assert (decoded.value, decoded.ccsid) == ("É", 1208)


@given(body=st.binary(max_size=120), form=st.sampled_from(["MQADMIN", *MESSAGES, "MQTRIG"]))
def test_what_is_damaged_comes_as_it_is_with_a_warning(body: bytes, form: str) -> None:
    converted = convert(MQMD(format=form, ccsid=819), body, EBCDIC, 1208)
    assert converted.body == body
    assert bool(converted.reason) is bool(body)


@given(cut=st.integers(0, 400), at=st.integers(0, 400), value=st.integers(0, 255))
def test_a_damaged_pcf_message_is_never_an_error_of_ours(cut: int, at: int, value: int) -> None:
    body = bytearray(pcf.encode(COMMAND, "<", 819))
    if at < len(body):
        body[at] = value
    damaged = bytes(body[: len(body) - cut])
    converted = convert(MQMD(format="MQADMIN", ccsid=819), damaged, EBCDIC, 1208)
    reasons = {cmqc.MQRC_FORMAT_ERROR, cmqc.MQRC_SOURCE_CCSID_ERROR, cmqc.MQRC_NOT_CONVERTED}
    assert converted.reason in {0, *reasons}
    assert converted.reason == 0 or converted.body == damaged
