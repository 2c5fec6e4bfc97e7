"""MQGMO_CONVERT of messages that are text, headers, and headers before text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.emulator.mqi.conversion.messages import convert, fitted
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, ByteOrder
from mqtriage.mq.headers import dlh, rfh2

LATIN = "".join(map(chr, (*range(32, 127), *range(161, 256))))
PAGES = [(819, 546), (37, 273), (500, 785), (1208, 546), (1200, 273), (1200, 546), (1140, 273)]


def dead_letter(text: bytes, ccsid: int, encoding: int) -> tuple[MQMD, bytes]:
    """Text behind an MQDLH in the same code page and encoding."""
    order: ByteOrder = "<" if encoding & 0xF == 2 else ">"
    codec = {819: "latin-1", 1208: "utf-8"}[ccsid]
    header = dlh.DLH(2053, "TARGET.Q", "QM2", encoding, ccsid, "MQSTR", order=order, codec=codec)
    return MQMD(format="MQDEAD", ccsid=ccsid, encoding=encoding), dlh.encode(header) + text


@given(text=st.text(LATIN, max_size=40), page=st.sampled_from(PAGES[:4]))
def test_a_header_and_the_text_behind_it_go_there_and_back(
    text: str, page: tuple[int, int]
) -> None:
    md, body = dead_letter(text.encode("utf-8"), 1208, 546)
    target = MQMD(ccsid=page[0], encoding=page[1])
    there = convert(md, body, target, 1208)
    assert there.reason == 0
    assert (there.md.ccsid, there.md.encoding) == page
    back = convert(there.md, there.body, md, 1208)
    assert (back.md, back.body, back.reason) == (md, body, 0)


def test_numbers_and_names_of_a_header_are_those_that_were_put() -> None:
    md, body = dead_letter(b"text", 819, 546)
    converted = convert(md, body, MQMD(ccsid=500, encoding=273), 1208)
    decoded = dlh.decode(converted.body, 0, ">", "cp500")
    assert isinstance(decoded, dlh.DLH)
    assert (decoded.reason, decoded.dest_q_name, decoded.format) == (2053, "TARGET.Q", "MQSTR")
    assert (decoded.ccsid, decoded.encoding) == (500, 273)
    assert converted.body[decoded.length :].decode("cp500") == "text"


def test_the_folders_of_an_mqrfh2_stay_in_their_own_code_page() -> None:
    raw = b"<usr><a>1</a></usr> "
    header = rfh2.RFH2(273, 1208, "MQSTR", folders=(rfh2.Folder("usr", raw, raw.decode(), ()),))
    md = MQMD(format="MQHRF2", ccsid=1208, encoding=273)
    converted = convert(md, rfh2.encode(header) + b"x", MQMD(ccsid=500, encoding=546), 1208)
    decoded = rfh2.decode(converted.body, 0, "<", "cp500")
    assert isinstance(decoded, rfh2.RFH2)
    assert (decoded.folders[0].raw, decoded.name_value_ccsid, decoded.ccsid) == (raw, 1208, 500)
    assert (converted.body[decoded.length :], converted.reason) == (b"\xa7", 0)


def test_what_cannot_be_converted_behind_a_header_stays_and_is_told_of() -> None:
    md, body = dead_letter(b"\x00\x01", 819, 546)
    own = body.replace(b"MQSTR   ", b"OWN     ")
    converted = convert(md, own, MQMD(ccsid=500, encoding=273), 1208)
    decoded = dlh.decode(converted.body, 0, ">", "cp500")
    assert isinstance(decoded, dlh.DLH)
    assert (converted.reason, converted.md.ccsid) == (cmqc.MQRC_FORMAT_ERROR, 500)
    assert (decoded.ccsid, decoded.encoding, converted.body[decoded.length :]) == (
        819,
        546,
        b"\x00\x01",
    )


@pytest.mark.parametrize(
    ("form", "body", "ccsid", "target_ccsid", "reason"),
    [
        pytest.param("", b"x", 819, 500, cmqc.MQRC_FORMAT_ERROR, id="no-format"),
        pytest.param("OWN", b"x", 819, 500, cmqc.MQRC_FORMAT_ERROR, id="own-format"),
        pytest.param("MQHEPCF", b"x", 819, 500, cmqc.MQRC_NOT_CONVERTED, id="built-in-format"),
        pytest.param("MQADMIN", b"x", 819, 500, cmqc.MQRC_FORMAT_ERROR, id="damaged-pcf"),
        pytest.param("MQIMSVS", b"\0\3", 819, 500, cmqc.MQRC_FORMAT_ERROR, id="damaged-segment"),
        pytest.param("MQDEAD", b"x", 819, 500, cmqc.MQRC_FORMAT_ERROR, id="damaged-header"),
        pytest.param("MQHRF2", b"RFH ", 819, 500, cmqc.MQRC_FORMAT_ERROR, id="header-cut-short"),
        pytest.param("MQSTR", b"x", 9, 500, cmqc.MQRC_SOURCE_CCSID_ERROR, id="unknown-source"),
        pytest.param("MQDEAD", b"x", 9, 500, cmqc.MQRC_SOURCE_CCSID_ERROR, id="header-source"),
        pytest.param("MQSTR", b"x", 819, 9, cmqc.MQRC_TARGET_CCSID_ERROR, id="unknown-target"),
        pytest.param("MQSTR", b"\xff", 1208, 819, cmqc.MQRC_NOT_CONVERTED, id="no-characters"),
        pytest.param("MQSTR", b"x", 1208, 862, cmqc.MQRC_NOT_CONVERTED, id="no-table"),
        pytest.param("", b"", 819, 500, 0, id="no-data"),
        pytest.param("OWN", b"x", 819, 819, 0, id="nothing-to-do"),
    ],
)
def test_what_is_not_converted_comes_as_it_is_with_its_reason(
    form: str, body: bytes, ccsid: int, target_ccsid: int, reason: int
) -> None:
    md = MQMD(format=form, ccsid=ccsid, encoding=546)
    assert convert(md, body, MQMD(ccsid=target_ccsid, encoding=546), 1208) == (md, body, reason)


@given(text=st.text(LATIN, max_size=20), room=st.integers(0, 40), fill=st.booleans())
def test_what_fits_is_whole_and_what_is_cut_ends_at_a_character(
    text: str, room: int, fill: bool
) -> None:
    data, cut = fitted(text, "utf-8", room, fill=fill)
    assert len(data) <= room
    assert cut is (len(text.rstrip(" ").encode() if fill else text.encode()) > room)
    assert text.startswith(data.decode("utf-8").rstrip(" ")) or fill
    if fill:
        assert len(data) == room
