"""The walk from header to header, and what is said where bytes and descriptor disagree."""

from __future__ import annotations

import struct

import pytest

from mqtriage.mq import name_table
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import chain, dlh, iih, mde, rfh2, sniff, tm, xqh
from mqtriage.mq.headers.formats import DDH_FORMAT, HEADER_FORMATS
from mqtriage.mq.headers.layout import Following

_DLH = dlh.encode(dlh.DLH(2053, "A", "QM1", 546, 819, "MQSTR"))


def _names(decoded: chain.Chain) -> list[tuple[str, int]]:
    return [(header.name, header.offset) for header in decoded.headers]


def test_a_plain_message_has_no_headers_and_all_of_it_is_body() -> None:
    decoded = chain.decode("MQSTR   ", 546, 1208, b"text")
    assert chain.Chain((), 0, "MQSTR", 546, 1208) == decoded


def test_headers_of_five_kinds_in_a_row_are_walked() -> None:
    ims = iih.encode(iih.IIH(format="MQSTR", order=">", codec="cp500"))
    folder = rfh2.encode(rfh2.build([("usr", {"a": 1})], Following("MQIMS", 785, 500)))
    extension = mde.encode(mde.MDE(273, 1208, "MQHRF2"))
    inner = MQMD(format="MQHMDE", encoding=546, ccsid=819, version=1)
    transmission = xqh.encode(xqh.XQH("Q", "QM2", inner, order=">", codec="cp037"))
    dead = dlh.encode(dlh.DLH(2085, "Q", "QM", 785, 37, "MQXMIT"))
    data = dead + transmission + extension + folder + ims + "BODY".encode("cp500")
    decoded = chain.decode("MQDEAD", 546, 437, data)
    expected = [("MQDLH", 0), ("MQXQH", 172), ("MQMDE", 600), ("MQRFH2", 672)]
    assert [*expected, ("MQIIH", 672 + len(folder))] == _names(decoded)
    assert (decoded.damages, decoded.notes) == ((), ())
    # the MQIIH has no Encoding and CCSID of its own: those it stands in go on
    assert (decoded.format, decoded.encoding, decoded.ccsid) == ("MQSTR", 785, 500)
    assert "BODY".encode("cp500") == decoded.body(data)


@pytest.mark.parametrize(
    ("ccsid", "note"),
    [
        (1208, "MQDLH at offset 0: CCSID 1208 in front of it, but its characters are EBCDIC"),
        (9999, "CCSID 9999 is not known here; its characters are read as EBCDIC"),
        (0, ""),
        (1047, ""),
    ],
)
def test_ebcdic_headers_are_read_whatever_the_descriptor_says(ccsid: int, note: str) -> None:
    data = dlh.encode(dlh.DLH(2053, "PAY.IN", order=">", format="MQSTR", codec="cp037"))
    decoded = chain.decode("MQDEAD", 785, ccsid, data)
    assert decoded.headers[0].fields["dest_q_name"] == "PAY.IN"
    assert note in "".join(decoded.notes)
    assert bool(note) == bool(decoded.notes)


@pytest.mark.parametrize("ccsid", [37, 1200])
def test_ascii_headers_are_read_whatever_the_descriptor_says(ccsid: int) -> None:
    decoded = chain.decode("MQDEAD", 546, ccsid, _DLH)
    assert decoded.headers[0].fields["dest_q_name"] == "A"
    assert decoded.notes == (
        f"MQDLH at offset 0: CCSID {ccsid} in front of it, but its characters are ASCII",
    )


@pytest.mark.parametrize(("encoding", "noted"), [(546, False), (273, True), (0, True)])
def test_the_byte_order_is_taken_from_the_version_where_the_encoding_is_wrong(
    encoding: int, noted: bool
) -> None:
    decoded = chain.decode("MQDEAD", encoding, 819, _DLH)
    assert decoded.headers[0].fields["reason"] == 2053
    assert noted == ("but its integers are little-endian" in "".join(decoded.notes))


def test_a_header_that_is_not_there_is_a_damage_and_all_bytes_are_body() -> None:
    decoded = chain.decode("MQDEAD", 546, 819, b"no header")
    damage_text = "MQDLH at offset 0: StrucId is b'no h', Format MQDEAD announces 'DLH '"
    assert ([damage_text], b"no header") == (
        [damage.text for damage in decoded.damages],
        decoded.body(b"no header"),
    )


def test_an_unknown_version_is_shown_and_the_walk_ends() -> None:
    data = _DLH[:4] + struct.pack("<i", 7) + _DLH[8:] + b"rest"
    decoded = chain.decode("MQDEAD", 546, 819, data)
    assert [damage.text for damage in decoded.damages] == [
        "MQDLH at offset 0: Version 7 is not known"
    ]
    assert (decoded.headers[0].fields["version"], decoded.headers[0].fields["reason"]) == (7, 2053)
    assert data == decoded.body(data)


def test_the_second_header_of_two_may_be_the_damaged_one() -> None:
    dead = dlh.encode(dlh.DLH(265, "I", "QM1", 546, 819, "MQTRIG"))
    data = dead + tm.encode(tm.TM("FIRED.Q", "PROC"))[:110]
    decoded = chain.decode("MQDEAD", 546, 819, data)
    assert _names(decoded) == [("MQDLH", 0), ("MQTM", 172)]
    assert (decoded.headers[1].fields) == {
        "version": 1,
        "q_name": "FIRED.Q",
        "process_name": "PROC",
        "trigger_data": "",
    }
    assert (decoded.body_offset, decoded.format) == (172, "MQTRIG")


def test_a_broken_folder_is_a_damage_of_the_chain_and_the_body_is_found() -> None:
    data = b"RFH " + struct.pack(">iiii8sii", 2, 45, 273, 819, b"MQSTR   ", 0, 1208)
    data += b"\0\0\0\5<usr>body"
    decoded = chain.decode("MQHRF2", 273, 819, data)
    assert [damage.text for damage in decoded.damages] == [
        "MQRFH2 folder at offset 36: not well-formed XML: no element found at byte 5"
    ]
    assert (decoded.format, decoded.body(data)) == ("MQSTR", b"body")


def test_headers_with_no_length_do_not_hold_the_walk() -> None:
    empty = b"RFH " + struct.pack(">iiii8sii", 2, 36, 273, 1208, b"MQHRF2  ", 0, 1208)
    decoded = chain.decode("MQHRF2", 273, 1208, empty * 3000)
    assert len(decoded.headers) == 3000
    assert decoded.damages[0].text == "MQRFH2 at offset 108000: 36 bytes needed, 0 left"
    none = b"RFH " + struct.pack(">iiii8sii", 2, 0, 273, 1208, b"MQHRF2  ", 0, 1208)
    assert len(chain.decode("MQHRF2", 273, 1208, none * 3).headers) == 1


@pytest.mark.parametrize(
    ("form", "struc_id", "name"),
    [
        ("MQHRF", b"RFH ", "MQRFH"),
        ("MQCICS", b"CIH ", "MQCIH"),
        ("MQHDIST", b"DH  ", "MQDH"),
        ("MQHEPCF", b"EPH ", "MQEPH"),
        ("MQHREF", b"RMH ", "MQRMH"),
        ("MQHWIH", b"WIH ", "MQWIH"),
    ],
)
def test_headers_that_are_not_taken_apart_are_stepped_over(
    form: str, struc_id: bytes, name: str
) -> None:
    data = struc_id + struct.pack("<iiii8si", 1, 40, 0, 0, b"MQSTR   ", 5) + b"12345678" + b"body"
    decoded = chain.decode(form, 546, 850, data)
    assert [(name, 0)] == _names(decoded)
    assert decoded.headers[0].fields["rest"] == b"12345678"
    assert (
        decoded.format,
        decoded.encoding,
        decoded.ccsid,
        decoded.body(data),
    ) == ("MQSTR", 546, 850, b"body")
    cut = chain.decode(form, 546, 850, data[:39])
    assert [f"{name} at offset 0: StrucLength 40 exceeds the 39 bytes left"] == [
        damage.text for damage in cut.damages
    ]


def test_every_header_format_has_a_decoder_and_no_other_has() -> None:
    """A decoder reports that its structure is not there; a Format without one says nothing."""
    values = name_table.values().items()
    for form in {str(value).strip() for name, value in values if name.startswith("MQFMT_")}:
        damaged = bool(chain.decode(form, 546, 819, b"plain text").damages)
        assert damaged == (form in HEADER_FORMATS), form
    assert chain.decode(DDH_FORMAT, 546, 819, b"plain text").damages


def test_a_format_that_is_not_known_is_kept_as_it_is() -> None:
    assert chain.decode("XYZ     ", 546, 819, b"RFH \0\0\0\2").format == "XYZ"


def test_a_blank_format_is_looked_behind_and_that_is_said() -> None:
    decoded = chain.decode("", 273, 819, _DLH + b"x")
    assert decoded.headers[0].found_by_looking
    assert "DLH structure at offset 0, found by looking" in decoded.notes
    assert (decoded.format, decoded.body(_DLH + b"x")) == ("MQSTR", b"x")


def test_a_text_format_is_not_looked_behind() -> None:
    assert chain.decode("MQSTR", 546, 819, _DLH).headers == ()


@pytest.mark.parametrize("codec", ["ascii", "cp500"])
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"RFH \0\0\0\2", ("MQHRF2", 273)),
        (b"DLH \1\0\0\0", ("MQDEAD", 546)),
        (b"XQH \0\0\0\1", ("MQXMIT", 273)),
        (b"TM  \1\0\0\0", ("MQTRIG", 546)),
        (b"DDH \1\0\0\0", ("MQHDDH", 546)),
        (b"MDE \0\0\0\2", ("MQHMDE", 273)),
        (b"IIH \0\0\0\1", ("MQIMS", 273)),
    ],
)
def test_a_structure_is_recognised_by_id_and_version(
    data: bytes, expected: tuple[str, int], codec: str
) -> None:
    sniffed = sniff.sniff(data[:4].decode().encode(codec) + data[4:])
    assert sniffed is not None
    assert (*expected, 0 if codec == "ascii" else 37) == (
        sniffed.format,
        sniffed.encoding,
        sniffed.ccsid,
    )


@pytest.mark.parametrize("data", [b"", b"RFH ISBN 5", b"DLH \0\0\0\2", b"TM  text", b"hello"])
def test_text_that_only_begins_like_a_structure_is_not_one(data: bytes) -> None:
    assert sniff.sniff(data) is None


def _pcf(order: str, *parameters: bytes) -> bytes:
    head = struct.pack(order + "9i", 1, 36, 3, 13, 1, 1, 0, 0, len(parameters))
    return head + b"".join(parameters)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("form", ["MQADMIN", "MQEVENT", "MQPCF", ""])
def test_pcf_is_named_and_stays_bytes(form: str, order: str) -> None:
    data = _pcf(order, struct.pack(order + "4i", 3, 16, 20, 1))
    decoded = chain.decode(form, 546, 0, data)
    assert ("PCF, type 1, 52 bytes", data) == (decoded.body_name, decoded.body(data))
    assert bool(form) != ("PCF, type 1, 52 bytes at offset 0, found by looking" in decoded.notes)


@pytest.mark.parametrize(
    ("data", "damage_text"),
    [
        (b"no pcf", "Format MQADMIN, but no MQCFH at offset 0"),
        (
            _pcf("<", struct.pack("<4i", 3, 0, 20, 1)),
            "PCF structure at offset 36: StrucLength 0, 16 bytes left",
        ),
        (_pcf("<", b"12345"), "5 bytes at offset 36 are not a PCF structure"),
    ],
)
def test_broken_pcf_is_a_damage(data: bytes, damage_text: str) -> None:
    assert [damage_text] == [
        damage.text for damage in chain.decode("MQADMIN", 546, 0, data).damages
    ]


def test_a_protocol_segment_is_refused_by_name_only_when_nothing_announces_it() -> None:
    data = b"TSH " + (40).to_bytes(4, "big") + bytes(20)
    name = "channel protocol segment TSH, 28 bytes (its length field says 40): not a message"
    assert name == chain.decode("", 546, 0, data).body_name
    assert chain.decode("MQSTR", 546, 0, data).body_name == ""
