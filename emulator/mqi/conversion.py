"""MQGMO_CONVERT and MQXCNVC: data in the code page and encoding that a program asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from mqtriage.emulator.mqi.session import Reply, Session
from mqtriage.mq import codes
from mqtriage.mq.ccsid import codec_of
from mqtriage.mq.constants import MQCC_OK, MQCC_WARNING, MQCCSI_INHERIT, MQCCSI_Q_MGR
from mqtriage.mq.descriptor import MQMD, ByteOrder
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers import dlh, rfh2
from mqtriage.mq.headers.dlh import DLH
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.headers.layout import Damage, byte_order
from mqtriage.mq.headers.rfh2 import RFH2

_TEXT: Final = "MQSTR"
_FILL_TARGET_BUFFER: Final = 2
_KNOWN_OPTIONS: Final = 0xFF7
_ENCODINGS: Final = (0, 1, 2)
_IN_EITHER_ORDER: Final = frozenset({1200, 13488, 17584})


class Converted(NamedTuple):
    """Descriptor and data; *reason* is a warning, or 0."""

    md: MQMD
    body: bytes
    reason: int


class _Shape(NamedTuple):
    """How data is written."""

    ccsid: int
    encoding: int


class _Part(NamedTuple):
    """Data, how it is written now, and why it could not all be converted (0: it was)."""

    data: bytes
    shape: _Shape
    reason: int


def convert(md: MQMD, body: bytes, wanted: MQMD, queue_manager_ccsid: int) -> Converted:
    """Convert text, and the headers MQDLH and MQRFH2 with what follows them.

    What cannot be converted is handed over as it is with the reason why. Of a message of several
    parts some may be converted and others not; each header tells how what follows it is written.

    Args:
        wanted: the descriptor that MQGET was given: its CodedCharSetId and Encoding.

    Source: IBM MQ documentation, "MQGMO - Options" (MQGMO_CONVERT), "Data conversion".
    """
    ccsid = queue_manager_ccsid if wanted.ccsid == MQCCSI_Q_MGR else wanted.ccsid
    if ccsid < 0:
        ccsid = queue_manager_ccsid
    part = _converted(
        md.format, body, _Shape(md.ccsid, md.encoding), _Shape(ccsid, wanted.encoding)
    )
    return Converted(
        md._replace(ccsid=part.shape.ccsid, encoding=part.shape.encoding), part.data, part.reason
    )


def _converted(form: str, data: bytes, now: _Shape, target: _Shape) -> _Part:
    """What of a message is announced by a Format, in another code page and encoding."""
    if now == target or not data:
        return _Part(data, now, 0)
    if form == _TEXT:
        return _text(data, now, target)
    if form in _HEADERS:
        return _header(form, data, now, target)
    known = form in HEADER_FORMATS
    return _Part(data, now, codes.MQRC_NOT_CONVERTED if known else codes.MQRC_FORMAT_ERROR)


def _codecs(now: _Shape, target: _Shape) -> tuple[str, str, int]:
    """Codecs of both sides, and the reason where there is none."""
    source, wanted = codec_of(now.ccsid, now.encoding), codec_of(target.ccsid, target.encoding)
    if source is None:
        return "", "", codes.MQRC_SOURCE_CCSID_ERROR
    if wanted is None:
        return "", "", codes.MQRC_TARGET_CCSID_ERROR
    return source, wanted, 0


def _text(data: bytes, now: _Shape, target: _Shape) -> _Part:
    source, wanted, reason = _codecs(now, target)
    if reason:
        return _Part(data, now, reason)
    if source != wanted:
        try:
            data = data.decode(source).encode(wanted, "replace")
        except UnicodeDecodeError:
            return _Part(data, now, codes.MQRC_NOT_CONVERTED)
    return _Part(data, target, 0)


def _header(form: str, data: bytes, now: _Shape, target: _Shape) -> _Part:
    """A header with what follows it."""
    source, wanted, reason = _codecs(now, target)
    order, wanted_order = byte_order(now.encoding), byte_order(target.encoding)
    if order is None or wanted_order is None:
        wrong = order is None
        reason = (
            codes.MQRC_SOURCE_INTEGER_ENC_ERROR if wrong else codes.MQRC_TARGET_INTEGER_ENC_ERROR
        )
    if reason or order is None or wanted_order is None:
        return _Part(data, now, reason)
    kind = _HEADERS[form]
    found = kind.decode(data, 0, order, source)
    if isinstance(found, Damage):
        return _Part(data, now, codes.MQRC_FORMAT_ERROR)
    ccsid = now.ccsid if found.ccsid in (MQCCSI_INHERIT, MQCCSI_Q_MGR) else found.ccsid
    rest = _converted(found.format, data[found.length :], _Shape(ccsid, found.encoding), target)
    made = replace(
        found,
        order=wanted_order,
        codec=wanted,
        ccsid=rest.shape.ccsid,
        encoding=rest.shape.encoding,
        original=b"",
    )
    try:
        return _Part(kind.encode(made) + rest.data, target, rest.reason)
    except UnicodeEncodeError:
        return _Part(data, now, codes.MQRC_NOT_CONVERTED)


class _Kind(NamedTuple):
    """How the header of one Format is read and written."""

    decode: Callable[[bytes, int, ByteOrder, str], DLH | RFH2 | Damage]
    encode: Callable[[Any], bytes]


_HEADERS: Final = {
    "MQDEAD": _Kind(dlh.decode, dlh.encode),
    "MQHRF2": _Kind(rfh2.decode, rfh2.encode),
}


# -- MQXCNVC --------------------------------------------------------------------------------------


def convert_characters(
    session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]
) -> Reply:
    """MQXCNVC.

    Raises:
        MQIError: 2046, 2112, 2116 (byte order of UTF-16), 2111, 2115 (code page), 2143, 2144
            (length), 2150 (no characters of that code page).

    Source: IBM MQ documentation, "MQXCNVC - Convert characters".
    """
    doing = "convert characters"
    options, source_ccsid, target_ccsid, room = numbers
    if options & ~_KNOWN_OPTIONS:
        raise mqi_error(codes.MQRC_OPTIONS_ERROR, doing)
    manager = session.shared.manager()
    default = int(manager.attributes.get("CCSID", 1208))
    source = _codec(source_ccsid or default, options >> 4 & 0xF, _OF_SOURCE, doing)
    target = _codec(target_ccsid or default, options >> 8 & 0xF, _OF_TARGET, doing)
    if source.startswith("utf-16") and len(blobs[0]) % 2:
        raise mqi_error(codes.MQRC_SOURCE_LENGTH_ERROR, doing, detail=f"{len(blobs[0])} bytes")
    fill = bool(options & _FILL_TARGET_BUFFER)
    if fill and target.startswith("utf-16") and room % 2:
        raise mqi_error(codes.MQRC_TARGET_LENGTH_ERROR, doing, detail=f"{room} bytes")
    try:
        text = blobs[0].decode(source)
    except UnicodeDecodeError as error:
        raise mqi_error(codes.MQRC_DBCS_ERROR, doing, detail=str(error)) from error
    data, cut = fitted(text, target, room, fill=fill)
    if cut:
        return Reply((), (data,), codes.MQRC_CONVERTED_MSG_TOO_BIG, MQCC_WARNING)
    return Reply((), (data,), comp_code=MQCC_OK)


class _Reasons(NamedTuple):
    """The reasons of one side."""

    encoding: int
    ccsid: int


_OF_SOURCE: Final = _Reasons(codes.MQRC_SOURCE_INTEGER_ENC_ERROR, codes.MQRC_SOURCE_CCSID_ERROR)
_OF_TARGET: Final = _Reasons(codes.MQRC_TARGET_INTEGER_ENC_ERROR, codes.MQRC_TARGET_CCSID_ERROR)


def _codec(ccsid: int, encoding: int, reasons: _Reasons, doing: str) -> str:
    said = f"CCSID {ccsid}, encoding {encoding}"
    if encoding not in _ENCODINGS or (ccsid in _IN_EITHER_ORDER and not encoding):
        raise mqi_error(reasons.encoding, doing, detail=said)
    codec = codec_of(ccsid, encoding)
    if codec is None:
        raise mqi_error(reasons.ccsid, doing, detail=said)
    return codec


def fitted(text: str, codec: str, room: int, *, fill: bool) -> tuple[bytes, bool]:
    """*text* in at most *room* bytes, with *fill* in just so many; whether it had to be cut.

    To fill, blanks are added, or what is of no meaning is left out: trailing blanks and what
    follows the first NUL.
    """
    data = text.encode(codec, "replace")
    if fill and len(data) > room:
        before, nul, _ = text.partition("\0")
        text = before + nul if nul else text.rstrip(" ")
        data = text.encode(codec, "replace")
    cut = len(data) > room
    if cut:
        data = data[:room].decode(codec, "ignore").encode(codec)
    if fill:
        blank = " ".encode(codec)
        data += blank * ((room - len(data)) // len(blank))
    return data, cut
