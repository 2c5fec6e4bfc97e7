"""PCF messages (commands, replies, events, statistics): recognised, named, walked to the end.

An MQCFH (36 bytes) and then parameter structures, each with its Type and StrucLength.
Source: IBM MQ documentation, "Structures for commands and responses".
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple, TypeAlias

from mqtriage.mq.ccsid import FALLBACK_ASCII, codec_of
from mqtriage.mq.descriptor import ByteOrder
from mqtriage.mq.headers.layout import characters, integer

MQCFH_LENGTH: Final = 36
_TYPES: Final = frozenset({1, 2, 7, 8, 10, 12, 16, 17, 18, 19, 21, 22, 26, 27})
_HEADER: Final[dict[ByteOrder, Struct]] = {"<": Struct("<9i"), ">": Struct(">9i")}


Value: TypeAlias = int | str | bytes | tuple[int, ...] | tuple[str, ...] | None

MQCFT_INTEGER: Final = 3
MQCFT_STRING: Final = 4
MQCFT_INTEGER_LIST: Final = 5
MQCFT_STRING_LIST: Final = 6
MQCFT_BYTE_STRING: Final = 9
MQCFT_INTEGER_FILTER: Final = 13
MQCFT_STRING_FILTER: Final = 14
MQCFT_BYTE_STRING_FILTER: Final = 15
MQCFT_GROUP: Final = 20
MQCFT_INTEGER64: Final = 23
MQCFT_INTEGER64_LIST: Final = 25


class Parameter(NamedTuple):
    """One parameter structure.

    Attributes:
        type: MQCFT_*.
        parameter: the selector, MQIA_*, MQCA_* ...
        offset, length: in bytes.
        value: number, text, bytes or a tuple of them; of a group the number of structures in it;
            None when the type is not known or its lengths do not fit.
        ccsid: of a string as it stands; 0 is the queue manager's.
        operator: MQCFOP_* of a filter, else 0.
    """

    type: int
    parameter: int
    offset: int
    length: int
    value: Value = None
    ccsid: int = 0
    operator: int = 0


class PCF(NamedTuple):
    """An MQCFH and what follows it.

    Attributes:
        type: MQCFT_*: 1 command, 2 response, 7 event, 21 statistics ...
        parameter_count: top-level structures, as the header says.
        parameters: every structure, those inside groups (MQCFGR) among them, in order.
        length: bytes of the message data.
        wrong: why the parameters could not be walked to the end, else ``""``.
    """

    type: int
    version: int
    command: int
    msg_seq_number: int
    control: int
    comp_code: int
    reason: int
    parameter_count: int
    parameters: tuple[Parameter, ...]
    order: ByteOrder
    length: int
    wrong: str

    def describe(self) -> str:
        """``PCF, type 7, 284 bytes``."""
        return f"PCF, type {self.type}, {self.length} bytes"


def recognise(data: bytes, start: int = 0) -> PCF | None:
    """Read the PCF message at *start*, in either byte order; None when its shape is not PCF."""
    if len(data) - start < MQCFH_LENGTH:
        return None
    for order in _HEADER:
        kind, length, version, *rest = _HEADER[order].unpack_from(data, start)
        if kind in _TYPES and length == MQCFH_LENGTH and 1 <= version <= 3:
            parameters, wrong = _parameters(data, start + MQCFH_LENGTH, order)
            total = len(data) - start
            return PCF(*[kind, version, *rest, parameters, order, total, wrong])
    return None


def _parameters(data: bytes, start: int, order: ByteOrder) -> tuple[tuple[Parameter, ...], str]:
    found: list[Parameter] = []
    at, end = start, len(data)
    while at < end:
        if end - at < 12:
            return tuple(found), f"{end - at} bytes at offset {at} are no PCF structure"
        kind = integer(data[at : at + 4], order)
        length = integer(data[at + 4 : at + 8], order)
        if not 12 <= length <= end - at:
            said = f"PCF structure at offset {at}: StrucLength {length}, {end - at} bytes left"
            return tuple(found), said
        found.append(_parameter(kind, at, bytes(data[at : at + length]), order))
        at += length
    return tuple(found), ""


def _parameter(kind: int, offset: int, raw: bytes, order: ByteOrder) -> Parameter:
    """One structure; its value is None where its own lengths do not fit in it."""
    # past the end of a short structure every number reads as 0: the value is then checked to fit
    number = [integer(raw[at : at + 4], order) for at in range(8, 24, 4)]
    found = Parameter(kind, number[0], offset, len(raw))
    first, second, third = number[1:]
    if kind in (MQCFT_INTEGER, MQCFT_GROUP) and len(raw) >= 16:
        return found._replace(value=first)
    if kind == MQCFT_INTEGER_FILTER and len(raw) >= 20:
        return found._replace(value=second, operator=first)
    if kind == MQCFT_INTEGER64 and len(raw) >= 24:
        return found._replace(value=integer(raw[16:24], order))
    if kind == MQCFT_STRING:
        return found._replace(value=_string(raw, 20, second, first), ccsid=first)
    if kind == MQCFT_STRING_FILTER:
        return found._replace(value=_string(raw, 24, third, second), ccsid=second, operator=first)
    if kind == MQCFT_BYTE_STRING and 0 <= first <= len(raw) - 16:
        return found._replace(value=raw[16 : 16 + first])
    if kind == MQCFT_BYTE_STRING_FILTER and 0 <= second <= len(raw) - 20:
        return found._replace(value=raw[20 : 20 + second], operator=first)
    if kind == MQCFT_INTEGER_LIST:
        return found._replace(value=_integers(raw, first, 4, order))
    if kind == MQCFT_INTEGER64_LIST:
        return found._replace(value=_integers(raw, first, 8, order))
    if kind == MQCFT_STRING_LIST and second >= 0 < third and second * third <= len(raw) - 24:
        places = range(24, 24 + second * third, third)
        texts = tuple(_string(raw, at, third, first) or "" for at in places)
        return found._replace(value=texts, ccsid=first)
    return found


def _string(raw: bytes, start: int, length: int, ccsid: int) -> str | None:
    if not 0 <= length <= len(raw) - start:
        return None
    return characters(raw[start : start + length], codec_of(ccsid) or FALLBACK_ASCII)


def _integers(raw: bytes, count: int, width: int, order: ByteOrder) -> tuple[int, ...] | None:
    if not 0 <= count * width <= len(raw) - 16:
        return None
    places = range(16, 16 + count * width, width)
    return tuple(integer(raw[at : at + width], order) for at in places)
