"""PCF messages (commands, replies, events) in another code page and encoding.

Strings without a CCSID of their own are in that of the message; those that have one get the one
that is asked for. Strings that grow make their structures longer.
Sources: IBM MQ documentation, "Processing conventions" (data conversion: strings of an MQCFSL are
padded to the longest), "Structures for commands and responses".
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct, error
from typing import Final

from mqtriage.emulator.mqi.conversion.structures import (
    NotThisStructure,
    Recoding,
    Representation,
    recoding_between,
)
from mqtriage.mq import cmqcfc
from mqtriage.mq.descriptor import integer

_STRUCTURES: Final = {
    cmqcfc.MQCFT_INTEGER: "i",
    cmqcfc.MQCFT_INTEGER64: "iq",
    cmqcfc.MQCFT_INTEGER_FILTER: "ii",
    cmqcfc.MQCFT_GROUP: "i",
}
"""Types that are numbers alone: those behind Type, StrucLength and Parameter."""
_BYTES: Final = {cmqcfc.MQCFT_BYTE_STRING: 1, cmqcfc.MQCFT_BYTE_STRING_FILTER: 2}
"""Those with bytes at their end: how many numbers are in front, the last one their length."""
_LISTS: Final = {cmqcfc.MQCFT_INTEGER_LIST: "i", cmqcfc.MQCFT_INTEGER64_LIST: "q"}
_TEXTS: Final = {cmqcfc.MQCFT_STRING: 0, cmqcfc.MQCFT_STRING_FILTER: 1}
"""Those of one string: how many numbers are in front of its CodedCharSetId and length."""


def converted(data: bytes, now: Representation, target: Representation) -> bytes:
    """The message.

    Raises:
        NotConverted: A code page or encoding is not known.
        NotThisStructure: It is not a PCF message.
        UnicodeDecodeError: A string is none in its code page.
    """
    recoding = recoding_between(now, target)
    if (
        len(data) < cmqcfc.MQCFH_STRUC_LENGTH
        or integer(data[4:8], recoding.order) != cmqcfc.MQCFH_STRUC_LENGTH
    ):
        raise NotThisStructure
    pieces = [recoding.number(data[at : at + 4]) for at in range(0, cmqcfc.MQCFH_STRUC_LENGTH, 4)]
    pieces += [_structure(piece, recoding, now, target) for piece in _structures(data, recoding)]
    return b"".join(pieces)


def _structures(data: bytes, recoding: Recoding) -> Iterator[bytes]:
    """The structures; those of a group follow its MQCFGR, and are like any other."""
    at = cmqcfc.MQCFH_STRUC_LENGTH
    while at < len(data):
        length = integer(data[at + 4 : at + 8], recoding.order) if len(data) - at >= 12 else 0
        if not 12 <= length <= len(data) - at:
            raise NotThisStructure
        yield data[at : at + length]
        at += length


def _structure(
    raw: bytes, recoding: Recoding, now: Representation, target: Representation
) -> bytes:
    kind, _, parameter = Struct(f"{recoding.order}3i").unpack_from(raw)
    try:
        body = _body(kind, raw, recoding, now, target)
    except error:
        raise NotThisStructure from None
    body += b"\0" * (-len(body) % 4)
    return Struct(f"{recoding.target_order}3i").pack(kind, 12 + len(body), parameter) + body


def _body(
    kind: int, raw: bytes, recoding: Recoding, now: Representation, target: Representation
) -> bytes:
    """What follows Parameter, without the padding at the end."""
    if kind in _STRUCTURES:
        return _numbers(raw, _STRUCTURES[kind], recoding)
    if kind in _LISTS:
        (count,) = _read(raw, "i", recoding)
        if not 0 <= count <= len(raw):
            raise NotThisStructure
        return _numbers(raw, f"i{count}{_LISTS[kind]}", recoding)
    if kind in _BYTES:
        *_, length = _read(raw, f"{_BYTES[kind]}i", recoding)
        at = 12 + 4 * _BYTES[kind]
        return _numbers(raw, f"{_BYTES[kind]}i", recoding) + _piece(raw, at, length)
    if kind in _TEXTS:
        *before, ccsid, length = _read(raw, f"{_TEXTS[kind] + 2}i", recoding)
        text = _string(_piece(raw, 12 + 4 * (len(before) + 2), length), ccsid, now, target)
        own = target.ccsid if ccsid > 0 else ccsid
        return _written(recoding, *before, own, len(text)) + text
    if kind == cmqcfc.MQCFT_STRING_LIST:
        return _string_list(raw, recoding, now, target)
    raise NotThisStructure


def _string_list(
    raw: bytes, recoding: Recoding, now: Representation, target: Representation
) -> bytes:
    ccsid, count, width = _read(raw, "3i", recoding)
    if not 0 <= count * width <= len(raw) - 24 or count < 0:
        raise NotThisStructure
    texts = [
        _string(raw[at : at + width], ccsid, now, target)
        for at in range(24, 24 + count * width, width or 1)
    ]
    widest = max(map(len, texts), default=0)
    blank = " ".encode(recoding.target_codec)
    texts = [text + blank * ((widest - len(text)) // len(blank)) for text in texts]
    own = target.ccsid if ccsid > 0 else ccsid
    return _written(recoding, own, count, widest) + b"".join(texts)


def _string(raw: bytes, ccsid: int, now: Representation, target: Representation) -> bytes:
    """One string, which may have a code page of its own."""
    own = Representation(ccsid if ccsid > 0 else now.ccsid, now.encoding)
    return recoding_between(own, target).text(raw)


def _read(raw: bytes, letters: str, recoding: Recoding) -> tuple[int, ...]:
    return Struct(recoding.order + letters).unpack_from(raw, 12)


def _written(recoding: Recoding, *numbers: int) -> bytes:
    return Struct(f"{recoding.target_order}{len(numbers)}i").pack(*numbers)


def _numbers(raw: bytes, letters: str, recoding: Recoding) -> bytes:
    return Struct(recoding.target_order + letters).pack(*_read(raw, letters, recoding))


def _piece(raw: bytes, at: int, length: int) -> bytes:
    if not 0 <= length <= len(raw) - at:
        raise NotThisStructure
    return raw[at : at + length]
