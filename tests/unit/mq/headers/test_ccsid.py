"""CCSIDs: which codec, which byte order, and the EBCDIC pages that Python does not have."""

from __future__ import annotations

import pytest

from mqtriage.mq import ccsid
from mqtriage.mq.ccsid import codec_of, decode_text, is_ebcdic

_EBCDIC = [37, 273, 277, 278, 280, 284, 285, 297, 500, 871, 1047, *range(1140, 1150)]


@pytest.mark.parametrize(
    ("number", "raw", "text"),
    [
        pytest.param(819, b"\xe9", "é", id="iso-8859-1"),
        pytest.param(850, b"\x82", "é", id="850"),
        pytest.param(437, b"\x9b", "¢", id="437"),
        pytest.param(1252, b"\x80", "€", id="1252"),
        pytest.param(5348, b"\x80", "€", id="1252-with-euro"),
        pytest.param(1208, "é€".encode(), "é€", id="utf-8"),
        pytest.param(37, b"\xba\xbb\x5b", "[]$", id="037"),
        pytest.param(500, b"\x4a\x5a\x4f", "[]!", id="500"),
        pytest.param(1047, b"\xad\xbd\x5f\xb0", "[]^¬", id="1047"),
        pytest.param(273, b"\x4a\xe0\x5a\xa1", "ÄÖÜß", id="273-german"),
        pytest.param(1141, b"\x4a\xe0\x5a\x9f", "ÄÖÜ€", id="1141-german-euro"),
        pytest.param(277, b"\x7b\x7c\x5b\x5a", "ÆØÅ¤", id="277-danish"),
        pytest.param(1142, b"\x5a", "€", id="1142-danish-euro"),
        pytest.param(285, b"\x5b\x4a", "£$", id="285-british"),
        pytest.param(297, b"\xc0\xd0", "éè", id="297-french"),
        pytest.param(1140, b"\x9f", "€", id="1140-euro"),
        pytest.param(932, b"\x93\xfa", "日", id="japanese"),
    ],
)
def test_bytes_read_as_their_code_page_says(number: int, raw: bytes, text: str) -> None:
    assert text == decode_text(raw, number)
    codec = codec_of(number)
    assert codec is not None
    assert raw == text.encode(codec)


@pytest.mark.parametrize("number", _EBCDIC)
def test_ebcdic_pages_hold_256_characters_and_queue_names(number: int) -> None:
    assert is_ebcdic(number)
    text = decode_text(bytes(range(256)), number)
    assert text is not None
    assert len(set(text)) == 256
    assert decode_text(bytes.fromhex("D6D9C4C5D9E24BC9D5F0F9"), number) == "ORDERS.IN09"


@pytest.mark.parametrize("euro", range(1141, 1150))
def test_a_euro_page_differs_from_the_old_one_in_the_euro_alone(euro: int) -> None:
    old = {1141: 273, 1148: 500}.get(euro) or next(
        number for number, twin in ccsid._WITHOUT_EURO.items() if twin == euro
    )
    new, before = (decode_text(bytes(range(256)), number) or "" for number in (euro, old))
    # Python's own cp273 has the overline where IBM's 1141 has the macron
    differ = {pair for pair in zip(new, before, strict=True) if pair[0] != pair[1]} - {("¯", "‾")}
    assert differ == {("€", "¤")}


@pytest.mark.parametrize(
    ("number", "encoding", "raw"),
    [
        (1200, 273, b"\0A"),
        (1200, 546, b"A\0"),
        (1200, 0, b"\0A"),
        (13488, 273, b"\0A"),
        (1202, 273, b"A\0"),
        (1200, 273, b"\xff\xfeA\0"),
        (1200, 546, b"\xfe\xff\0A"),
    ],
)
def test_utf_16_follows_the_encoding_and_a_byte_order_mark_wins(
    number: int, encoding: int, raw: bytes
) -> None:
    assert decode_text(raw, number, encoding) == "A"


@pytest.mark.parametrize(
    ("number", "raw"),
    [(9999, b"text"), (0, b"text"), (-2, b"text"), (1208, b"\xff"), (1200, b"A"), (367, b"\x80")],
)
def test_what_is_no_text_is_none(number: int, raw: bytes) -> None:
    assert decode_text(raw, number) is None


def test_every_codec_that_is_named_exists() -> None:
    for number in (*ccsid._CODECS, *_EBCDIC):
        codec = codec_of(number)
        assert codec is not None
        assert "A".encode(codec).decode(codec) == "A"


def test_an_unknown_page_of_ours_is_no_codec() -> None:
    with pytest.raises(LookupError):
        b"x".decode("mqtriage_ibm99")
