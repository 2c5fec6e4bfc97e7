"""MQGMO_CONVERT and MQXCNVC: data in the code page and encoding that a program asks for."""

from __future__ import annotations

from typing import Final, NamedTuple

from mqtriage.emulator.mqi.session import Reply, Session
from mqtriage.mq import codes
from mqtriage.mq.ccsid import codec_of
from mqtriage.mq.constants import MQCC_OK, MQCC_WARNING, MQCCSI_Q_MGR
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import mqi_error

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


def convert(md: MQMD, body: bytes, wanted: MQMD, queue_manager_ccsid: int) -> Converted:
    """Convert what is text; other formats are handed over as they are with the reason why.

    Args:
        wanted: the descriptor that MQGET was given: its CodedCharSetId and Encoding.
    """
    ccsid = queue_manager_ccsid if wanted.ccsid == MQCCSI_Q_MGR else wanted.ccsid
    if ccsid < 0:
        ccsid = queue_manager_ccsid
    if (md.ccsid, md.encoding) == (ccsid, wanted.encoding):
        return Converted(md, body, 0)
    if md.format != _TEXT:
        reason = codes.MQRC_FORMAT_ERROR if not md.format else codes.MQRC_NOT_CONVERTED
        return Converted(md, body, 0 if not body else reason)
    source, target = codec_of(md.ccsid, md.encoding), codec_of(ccsid, wanted.encoding)
    if source is None:
        return Converted(md, body, codes.MQRC_SOURCE_CCSID_ERROR)
    if target is None:
        return Converted(md, body, codes.MQRC_TARGET_CCSID_ERROR)
    if source != target:
        try:
            body = body.decode(source).encode(target, "replace")
        except UnicodeDecodeError:
            return Converted(md, body, codes.MQRC_NOT_CONVERTED)
    return Converted(md._replace(ccsid=ccsid, encoding=wanted.encoding), body, 0)


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
