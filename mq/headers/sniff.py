"""Recognise what message data begins with by looking at it, for a Format that does not say.

What is found this way is always said to be so; a Format that names a header is never overruled.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq.ccsid import FALLBACK_EBCDIC
from mqtriage.mq.descriptor import integer
from mqtriage.mq.headers import ddh, dlh, iih, mde, rfh2, tm, xqh
from mqtriage.mq.pcf import messages as pcf
from mqtriage.records import NamedTuple

# StrucId, Format that stands for it, versions
_HEADERS: Final[tuple[tuple[str, str, range], ...]] = (
    ("RFH ", "MQHRF2", rfh2.LAYOUT.versions),
    ("DLH ", "MQDEAD", dlh.LAYOUT.versions),
    ("XQH ", "MQXMIT", xqh.LAYOUT.versions),
    ("DDH ", ddh.DDH_FORMAT, ddh.VERSIONS),
    ("TM  ", "MQTRIG", tm.LAYOUT.versions),
    ("MDE ", "MQHMDE", mde.LAYOUT.versions),
    ("IIH ", "MQIMS", iih.LAYOUT.versions),
)
_BY_STRUC_ID: Final[dict[bytes, tuple[str, str, range, int]]] = {
    **{name.encode(): (name, form, versions, 0) for name, form, versions in _HEADERS},
    **{
        name.encode(FALLBACK_EBCDIC): (name, form, versions, 37)
        for name, form, versions in _HEADERS
    },
}
_SEGMENTS: Final = (b"TSH ", b"TSHC", b"TSHM")


class Sniffed(NamedTuple):
    """What data begins with, found by looking.

    Attributes:
        format: the Format that stands for it, ``MQHRF2``; `ddh.DDH_FORMAT` for a DDH; ``MQPCF``.
        encoding: 273 or 546, by the byte order of its integers.
        ccsid: 0 for ASCII characters, 37 for EBCDIC.
        text: a sentence: what was found, where, and that it was found by looking.
    """

    format: str
    encoding: int
    ccsid: int
    text: str


def sniff(data: bytes, start: int = 0) -> Sniffed | None:
    """Recognise RFH2, DLH, XQH, TM, DDH, MDE, IIH by StrucId and Version, and PCF by its shape.

    Returns None when *data* begins with none of them.
    """
    raw = bytes(data[start : start + 8])
    known = _BY_STRUC_ID.get(raw[:4])
    if known is not None:
        name, form, versions, ccsid = known
        for order, encoding in ((">", 273), ("<", 546)):
            if len(raw) < 8 or integer(raw[4:], order) in versions:  # type: ignore[arg-type]
                text = f"{name.strip()} structure at offset {start}, found by looking"
                return Sniffed(form, encoding, ccsid, text)
        return None
    message = pcf.recognise(data, start)
    if message is None:
        return None
    text = f"{message.describe()} at offset {start}, found by looking"
    return Sniffed("MQPCF", 273 if message.order == ">" else 546, 0, text)


def find_header(data: bytes, start: int) -> int | None:
    """The offset of the first MQRFH2, MQDLH, MQXQH or MQTM at or after *start*, by looking."""
    best: int | None = None
    for struc_id in (b"RFH ", b"DLH ", b"XQH ", b"TM  "):
        at = data.find(struc_id, start, best)
        while at >= 0 and sniff(data, at) is None:
            at = data.find(struc_id, at + 1, best)
        if at >= 0:
            best = at
    return best


class FirstRFH2(NamedTuple):
    """An MQRFH2 found by looking.

    Attributes:
        encoding: 273 or 546, by its byte order.
    """

    at: int
    encoding: int
    header: rfh2.RFH2


def first_rfh2(data: bytes, start: int) -> FirstRFH2 | None:
    """The first whole and undamaged MQRFH2 in ASCII at or after *start*, by looking."""
    at = data.find(b"RFH ", start)
    while at >= 0:
        guess = sniff(data, at)
        if guess is not None:
            header = rfh2.decode(data, at, "<" if guess.encoding == 546 else ">")
            if isinstance(header, rfh2.RFH2) and not header.damages:
                return FirstRFH2(at, guess.encoding, header)
        at = data.find(b"RFH ", at + 1)
    return None


def protocol_segment(data: bytes) -> str:
    """Name a channel protocol segment, which is no message; ``""`` for anything else."""
    struc_id = bytes(data[:4])
    if struc_id not in _SEGMENTS or len(data) < 28:
        return ""
    text = integer(data[4:8], ">")
    cut = "" if text == len(data) else f" (its length field says {text})"
    name = struc_id.decode().strip()
    return f"channel protocol segment {name}, {len(data)} bytes{cut}: not a message"
