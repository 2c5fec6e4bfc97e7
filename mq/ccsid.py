"""Coded character set identifiers (CCSIDs) as Python codecs, with the EBCDIC pages Python lacks.

Python knows code pages 037, 273, 424, 500, 875, 1026 and 1140. The other Latin-1 EBCDIC pages hold
the same characters in other places; `_PAGES` says in which, next to 037. The tables were
compared with glibc's iconv (871 and 285 follow IBM's own tables where glibc differs).
"""

from __future__ import annotations

import codecs
from functools import cache
from typing import TYPE_CHECKING, Final

from mqtriage.mq import cmqc

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

UTF_8: Final = 1208
FALLBACK_ASCII: Final = "latin-1"
FALLBACK_EBCDIC: Final = "cp037"

_OWN_NUMBERS: Final = (
    37, 273, 424, 437, 500, 720, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865,
    866, 869, 874, 875, 932, 949, 950, 1026, 1140, *range(1250, 1259),
)  # fmt: skip
"""Code pages that Python knows by their number."""
_ISO_8859: Final = {
    813: 7, 912: 2, 913: 3, 914: 4, 915: 5, 916: 8, 919: 10, 920: 9, 921: 13, 923: 15, 1089: 6,
}  # fmt: skip
"""The part of ISO 8859 that a code page is."""
_CODECS: Final[dict[int, str]] = {
    **{page: f"cp{page:03d}" for page in _OWN_NUMBERS},
    **{page + 4096: f"cp{page}" for page in range(1250, 1259)},  # the same pages with the euro
    **{page: f"iso8859-{part}" for page, part in _ISO_8859.items()},
    **dict.fromkeys((954, 5050, 33722), "euc_jp"),
    **dict.fromkeys((1392, 5488), "gb18030"),
    **dict.fromkeys((UTF_8, 1209), "utf-8"),
    367: "ascii",
    819: "latin-1",
    878: "koi8-r",
    943: "cp932",
    970: "euc_kr",
    1168: "koi8-u",
    1363: "cp949",
    1370: "cp950",
    1381: "gb2312",
    1386: "gbk",
}

IN_EITHER_ORDER: Final = frozenset({1200, 13488, 17584})
"""UTF-16 whose byte order Encoding says."""
_UTF_16: Final = IN_EITHER_ORDER | {1202}
_MARK: Final = "\ufeff"

_PAGES: Final[dict[int, tuple[str, str]]] = {
    1141: ("434A4F595A5F636A7C9FA1B0B5BABBC0CCD0DCE0ECFC", "{Ä!~Ü^[ö§€ß¢@¬|ä¦ü}Ö\\]"),
    1142: ("474A4F5A5B5F676A707B7C809C9E9FA1B0BABBC0D0DC", "}#!€Å^$ø¦ÆØ@{[]ü¢¬|æå~"),
    1143: (
        "43474A4F515A5B5F63676A71797B7C9FA1B0B5BABBC0CCD0DCE0EC",
        "{}§!`€Å^#$ö\\éÄÖ]ü¢[¬|ä¦å~É@",
    ),
    1144: (
        "44484A4F5154585A5F6A797B7C909FA1B0B1B5BABBC0CDD0DDE0",
        "{\\°!]}~é^òù£§[€ì¢#@¬|à¦è`ç",
    ),
    1145: ("494A5A696A7B9FA1B0BABBBD", "¦[]#ñÑ€¨¢^!~"),
    1146: ("4A5B9FA1B0B1BABC", "$£€¯¢[^~"),
    1147: (
        "44484A4F51545A5F6A797B7C909FA0A1B0B1B5BABBBDC0D0DDE0",
        "@\\°!{}§^ùµ£à[€`¨¢#]¬|~éè¦ç",
    ),
    1148: ("4A4F5A5F9FB0BABB", "[!]^€¢¬|"),
    1149: ("4A4F5A5F797C8C8E9C9E9FA1ACAEB0BABBBEC0CCD0E0EC", "Þ!ÆÖðÐ`{}]€ö@[¢¬|\\þ~æ´^"),
    1047: ("5FADB0BABBBD", "^[¬Ý¨]"),
}
_WITHOUT_EURO: Final[dict[int, int]] = {
    277: 1142,
    278: 1143,
    280: 1144,
    284: 1145,
    285: 1146,
    297: 1147,
    871: 1149,
}
_OWN_PREFIX: Final = "mqtriage_ibm"
_EBCDIC: Final = frozenset({37, 273, 424, 500, 875, 1026, 1140, *_PAGES, *_WITHOUT_EURO})


def is_ebcdic(ccsid: int) -> bool:
    """Whether *ccsid* is one of the EBCDIC code pages known here."""
    return ccsid in _EBCDIC


def codec_of(ccsid: int, encoding: int = 0) -> str | None:
    """The Python codec of *ccsid*, or None when the code page is not known here.

    Args:
        ccsid: coded character set identifier; 0 and the negative special values have no codec.
        encoding: MQENC_* of the data: says the byte order of UTF-16 (1200); big-endian unless its
            integer part is reversed. 13488 and 17584 follow it too; 1202 is always little-endian.
    """
    if ccsid in _UTF_16:
        little = ccsid == 1202 or encoding & cmqc.MQENC_INTEGER_MASK == cmqc.MQENC_INTEGER_REVERSED
        return "utf-16-le" if little else "utf-16-be"
    known = _CODECS.get(ccsid)
    if known is None and ccsid in _EBCDIC:
        return f"{_OWN_PREFIX}{ccsid}"
    return known


def decode_text(data: bytes, ccsid: int, encoding: int = 0) -> str | None:
    """The text of *data*, or None when the CCSID is not known or the bytes are not text in it.

    A byte order mark in front of UTF-16 wins over *encoding* and is left out of the text.
    """
    codec = codec_of(ccsid, encoding)
    if codec is None:
        return None
    if ccsid in _UTF_16 and data[:2] in (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE):
        codec = "utf-16"
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def is_mismarked(data: bytes, ccsid: int, encoding: int = 0) -> bool:
    """Whether *data* is readable in UTF-8, and not in *ccsid*, which is EBCDIC or UTF-16.

    EBCDIC has a character for nearly every byte, so text in ASCII or UTF-8 does decode; but its
    blanks, digits and quotation marks become control characters.
    """
    if ccsid not in _UTF_16 and not is_ebcdic(ccsid):
        return False
    text = decode_text(data, UTF_8)
    if not text or _has_controls(text):
        return False
    marked = decode_text(data, ccsid, encoding)
    return marked is None or _has_controls(marked)


def looks_like_utf8(data: bytes, ccsid: int) -> bool:
    """Whether *data* is UTF-8 beyond ASCII, and *ccsid* has one byte for each character."""
    text = decode_text(data, ccsid)
    one_byte_each = text is not None and len(text) == len(data)
    return one_byte_each and not data.isascii() and decode_text(data, UTF_8) is not None


def _has_controls(text: str) -> bool:
    """Whether there are control characters but tabs and line ends, EBCDIC's among them."""
    import re  # read only when such data is shown

    return re.search("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]", text) is not None


def with_mark(text: str, data: bytes, ccsid: int, encoding: int = 0) -> str | None:
    """What `decode_text` made of *data*, with a byte order mark that was left out in front.

    So it encodes to the same bytes again; None where the mark is that of the other byte order.
    """
    if ccsid not in _UTF_16 or data[:2] not in (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE):
        return text
    codec = codec_of(ccsid, encoding)
    is_same = codec is not None and _MARK.encode(codec) == data[:2]
    return _MARK + text if is_same else None


def characters(raw: bytes, codec: str) -> str:
    """A character field: what stands before the first NUL, without trailing blanks.

    Bytes that are no characters in *codec* are shown as ``\\xNN``.
    """
    text = raw.decode(codec, "backslashreplace")
    return text.partition("\0")[0].rstrip(" ")


@cache
def _page(ccsid: int) -> str:
    """256 characters, byte 00 to FF, of an EBCDIC page that Python does not have."""
    characters = list(bytes(range(256)).decode("cp037"))
    with_euro = _WITHOUT_EURO.get(ccsid, ccsid)
    places, values = _PAGES[with_euro]
    for place, value in zip(bytes.fromhex(places), values, strict=True):
        characters[place] = value
    page = "".join(characters)
    return page if with_euro == ccsid else page.replace("€", "¤")


def _find_codec(name: str) -> codecs.CodecInfo | None:
    if not name.startswith(_OWN_PREFIX):
        return None
    number = name.removeprefix(_OWN_PREFIX)
    if not number.isdecimal() or int(number) not in _EBCDIC:
        return None
    page = _page(int(number))
    back = codecs.charmap_build(page)

    def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
        return codecs.charmap_encode(text, errors, back)

    def decode(data: ReadableBuffer, errors: str = "strict") -> tuple[str, int]:
        return codecs.charmap_decode(data, errors, page)

    return codecs.CodecInfo(name=name, encode=encode, decode=decode)


codecs.register(_find_codec)
