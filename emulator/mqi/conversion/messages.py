"""MQGMO_CONVERT and MQXCNVC: data in the code page and encoding that a program asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from mqtriage.emulator.mqi.conversion import pcf as pcf_conversion
from mqtriage.emulator.mqi.conversion.structures import (
    HEADERS,
    Convert,
    DoesNotFit,
    NotConverted,
    NotThisStructure,
    Representation,
    codecs,
    recoding_between,
    with_following,
)
from mqtriage.emulator.mqi.session import CallReply, Session
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import IN_EITHER_ORDER, codec_of
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING, ByteOrder
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers.formats import HEADER_FORMATS, PCF_FORMATS

_TEXTS: Final = frozenset({"MQSTR", "MQCMD1", "MQCMD2"})
"""Messages of characters alone; those of the command server on z/OS are, too."""
_SEGMENTS_OF_IMS: Final = "MQIMSVS"
_LONGEST_SEGMENT: Final = 32767
_ORDERS: Final[Mapping[ByteOrder, Literal["little", "big"]]] = {"<": "little", ">": "big"}
_FILL_TARGET_BUFFER: Final = 2
_KNOWN_OPTIONS: Final = 0xFF7
_ENCODINGS: Final = (0, 1, 2)


class Converted(NamedTuple):
    """Descriptor and data; *reason* is a warning, or 0."""

    md: MQMD
    body: bytes
    reason: int


class _Target(NamedTuple):
    """How data is to be written; headers that cannot be, in the queue manager's own way."""

    coding: Representation
    own: Representation


class _Part(NamedTuple):
    """Data, how it is written now, and why it could not all be converted (0: it was)."""

    data: bytes
    coding: Representation
    reason: int


def convert(md: MQMD, body: bytes, requested: MQMD, queue_manager_ccsid: int) -> Converted:
    """Convert text and what IBM MQ itself defines: its headers with what follows them, and PCF.

    What cannot be converted is handed over as it is with the reason why. Of a message of several
    parts some may be converted and others not; each header tells how what follows it is written. A
    header whose names do not fit into their fields in the code page that is asked for is converted
    to the queue manager's, with MQRC_PARTIALLY_CONVERTED (2272).

    Args:
        requested: the descriptor that MQGET was given: its CodedCharSetId and Encoding.

    Sources: IBM MQ documentation, "MQGMO - Options" (MQGMO_CONVERT), "Data conversion", "MQMD -
    Format" for the formats.
    """
    ccsid = queue_manager_ccsid if requested.ccsid == cmqc.MQCCSI_Q_MGR else requested.ccsid
    if ccsid < 0:
        ccsid = queue_manager_ccsid
    target = _Target(
        Representation(ccsid, requested.encoding),
        Representation(queue_manager_ccsid, NATIVE_ENCODING),
    )
    part = _converted(md.format, body, Representation(md.ccsid, md.encoding), target)
    return Converted(
        md._replace(ccsid=part.coding.ccsid, encoding=part.coding.encoding),
        part.data,
        part.reason,
    )


def _converted(form: str, data: bytes, now: Representation, target: _Target) -> _Part:
    """What of a message is announced by a Format, in another code page and encoding."""
    if now == target.coding or not data:
        return _Part(data, now, 0)
    try:
        if form in _TEXTS:
            return _text(data, now, target.coding)
        if form == _SEGMENTS_OF_IMS:
            return _segments(data, now, target.coding)
        if form in PCF_FORMATS:
            return _Part(pcf_conversion.converted(data, now, target.coding), target.coding, 0)
        if form in HEADERS:
            return _header(HEADERS[form], data, now, target)
    except NotConverted as refusal:
        return _Part(data, now, refusal.reason)
    except NotThisStructure:
        return _Part(data, now, cmqc.MQRC_FORMAT_ERROR)
    except (DoesNotFit, UnicodeDecodeError):
        return _Part(data, now, cmqc.MQRC_NOT_CONVERTED)
    known = form in HEADER_FORMATS
    return _Part(data, now, cmqc.MQRC_NOT_CONVERTED if known else cmqc.MQRC_FORMAT_ERROR)


def _text(data: bytes, now: Representation, target: Representation) -> _Part:
    source, codec = codecs(now, target)
    if source != codec:
        data = data.decode(source).encode(codec, "replace")
    return _Part(data, target, 0)


def _segments(data: bytes, now: Representation, target: Representation) -> _Part:
    """Segments for IMS: two bytes of length, all four in front with it, two of flags, characters.

    Raises:
        NotConverted, NotThisStructure, UnicodeDecodeError.
    """
    recoding = recoding_between(now, target)
    pieces: list[bytes] = []
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 2], _ORDERS[recoding.order])
        if not 4 <= length <= len(data) - at:
            raise NotThisStructure
        text = recoding.text(data[at + 4 : at + length])
        if len(text) > _LONGEST_SEGMENT - 4:
            raise DoesNotFit
        new_length = (len(text) + 4).to_bytes(2, _ORDERS[recoding.target_order])
        pieces += (new_length, data[at + 2 : at + 4], text)
        at += length
    return _Part(b"".join(pieces), target, 0)


def _header(change: Convert, data: bytes, now: Representation, target: _Target) -> _Part:
    """A header with what follows it.

    Raises:
        NotConverted, NotThisStructure, DoesNotFit, UnicodeDecodeError: of the header itself.
    """
    coding, reason = target.coding, 0
    recoding = recoding_between(now, coding)
    try:
        header = change(data, recoding)
    except DoesNotFit:
        coding, reason = target.own, cmqc.MQRC_PARTIALLY_CONVERTED
        recoding = recoding_between(now, coding)
        header = change(data, recoding)
    behind = data[header.length :]
    described = header.described or now
    if described.ccsid in (cmqc.MQCCSI_INHERIT, cmqc.MQCCSI_Q_MGR):
        described = described._replace(ccsid=now.ccsid)
    # data of no format is what the program makes of it: no conversion, and no warning
    rest = _Part(behind, described, 0)
    if header.format:
        rest = _converted(header.format, behind, described, target)
    if header.described is None and header.format and rest.coding != coding and behind:
        return _Part(data, now, rest.reason or cmqc.MQRC_NOT_CONVERTED)  # it cannot say so
    converted_header = with_following(header, rest.coding, recoding.target_order)
    return _Part(converted_header + rest.data, coding, rest.reason or reason)


# -- MQXCNVC --------------------------------------------------------------------------------------


def convert_characters(
    session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]
) -> CallReply:
    """MQXCNVC.

    Raises:
        MQIError: 2046, 2112, 2116 (byte order of UTF-16), 2111, 2115 (code page), 2143, 2144
            (length), 2150 (no characters of that code page).

    Source: IBM MQ documentation, "MQXCNVC - Convert characters".
    """
    doing = "convert characters"
    options, source_ccsid, target_ccsid, room = numbers
    if options & ~_KNOWN_OPTIONS:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing)
    default = session.shared.manager().ccsid
    source = _codec(source_ccsid or default, options >> 4 & 0xF, _OF_SOURCE, doing)
    target = _codec(target_ccsid or default, options >> 8 & 0xF, _OF_TARGET, doing)
    if source.startswith("utf-16") and len(blobs[0]) % 2:
        raise mqi_error(cmqc.MQRC_SOURCE_LENGTH_ERROR, doing, detail=f"{len(blobs[0])} bytes")
    fill = bool(options & _FILL_TARGET_BUFFER)
    if fill and target.startswith("utf-16") and room % 2:
        raise mqi_error(cmqc.MQRC_TARGET_LENGTH_ERROR, doing, detail=f"{room} bytes")
    try:
        text = blobs[0].decode(source)
    except UnicodeDecodeError as error:
        raise mqi_error(cmqc.MQRC_DBCS_ERROR, doing, detail=str(error)) from error
    data, cut = fitted(text, target, room, fill=fill)
    if cut:
        return CallReply((), (data,), cmqc.MQRC_CONVERTED_MSG_TOO_BIG, cmqc.MQCC_WARNING)
    return CallReply((), (data,))


_OF_SOURCE: Final = cmqc.MQRC_SOURCE_INTEGER_ENC_ERROR, cmqc.MQRC_SOURCE_CCSID_ERROR
_OF_TARGET: Final = cmqc.MQRC_TARGET_INTEGER_ENC_ERROR, cmqc.MQRC_TARGET_CCSID_ERROR
"""What is wrong with the encoding, and with the code page, of each side."""


def _codec(ccsid: int, encoding: int, reasons: tuple[int, int], doing: str) -> str:
    is_wrong = encoding not in _ENCODINGS or (ccsid in IN_EITHER_ORDER and not encoding)
    codec = None if is_wrong else codec_of(ccsid, encoding)
    if codec is None:
        text = f"CCSID {ccsid}, encoding {encoding}"
        raise mqi_error(reasons[0 if is_wrong else 1], doing, detail=text)
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
