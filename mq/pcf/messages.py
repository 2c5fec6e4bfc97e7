"""PCF messages (commands, replies, events, statistics): read and written, in any byte order.

An MQCFH (36 bytes) and then parameter structures, each with its Type and StrucLength; an MQCFGR is
followed by the structures of its group. `recognise` reads what there is and says what is wrong;
`decode` takes only what is right; `encode` writes.
Source: IBM MQ documentation, "Structures for commands and responses".
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from struct import Struct, error
from typing import Final, TypeAlias

from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.ccsid import FALLBACK_ASCII, UTF_8, characters, codec_of
from mqtriage.mq.descriptor import ByteOrder, integer
from mqtriage.mq.errors import PCFError, UsageError
from mqtriage.mq.name_table import numbers
from mqtriage.records import NamedTuple

_SHORT: Final = 265
"""Characters; a structure with a longer text is not kept for the next time."""
DEEPEST: Final = 20
"""Groups inside one another; IBM's messages have one, or two."""

_MESSAGE_TYPES: Final = frozenset({1, 2, 7, 8, 10, 12, 16, 17, 18, 19, 21, 22, 26, 27})
_HEADER: Final[dict[ByteOrder, Struct]] = {"<": Struct("<9i"), ">": Struct(">9i")}
_NUMBERS: Final[dict[ByteOrder, Struct]] = {"<": Struct("<5i"), ">": Struct(">5i")}
_START: Final[dict[ByteOrder, Struct]] = {"<": Struct("<2i"), ">": Struct(">2i")}


class _Structure(NamedTuple):
    """One type of structure.

    Attributes:
        code: what its reasons begin with: MQRCCF_CFST_LENGTH_ERROR ...
        fixed_bytes: without what is of variable length.
        inside: the reason for a count or length inside that does not fit in StrucLength.
    """

    code: str
    fixed_bytes: int
    inside: str = ""


_STRUCTURES: Final = {
    cmqcfc.MQCFT_INTEGER: _Structure("CFIN", 16),
    cmqcfc.MQCFT_STRING: _Structure("CFST", 20, "STRING_LENGTH_ERR"),
    cmqcfc.MQCFT_INTEGER_LIST: _Structure("CFIL", 16, "COUNT_ERROR"),
    cmqcfc.MQCFT_STRING_LIST: _Structure("CFSL", 24, "TOTAL_LENGTH_ERROR"),
    cmqcfc.MQCFT_BYTE_STRING: _Structure("CFBS", 16, "STRING_LENGTH_ERR"),
    cmqcfc.MQCFT_INTEGER_FILTER: _Structure("CFIF", 20),
    cmqcfc.MQCFT_STRING_FILTER: _Structure("CFSF", 24, "FILTER_VAL_LEN_ERR"),
    cmqcfc.MQCFT_BYTE_STRING_FILTER: _Structure("CFBF", 20, "FILTER_VAL_LEN_ERR"),
    cmqcfc.MQCFT_GROUP: _Structure("CFGR", 16),
    cmqcfc.MQCFT_INTEGER64: _Structure("CFIN", 24),
    cmqcfc.MQCFT_INTEGER64_LIST: _Structure("CFIL", 16, "COUNT_ERROR"),
}

FILTERS: Final = (
    cmqcfc.MQCFT_INTEGER_FILTER,
    cmqcfc.MQCFT_STRING_FILTER,
    cmqcfc.MQCFT_BYTE_STRING_FILTER,
)
"""They have an operator before what else they have."""

Value: TypeAlias = (
    "int | str | bytes | tuple[int, ...] | tuple[str, ...] | tuple[PcfParameter, ...] | None"
)


class PcfParameter(NamedTuple):
    """One parameter structure; `integer_of`, `string`, `group` and their kin make them.

    Attributes:
        type: MQCFT_*.
        parameter: the selector, MQIA_*, MQCA_*, MQIACF_* ...
        value: number, text without trailing blanks, bytes or a tuple of them; of a group its
            structures; None when the type is not known or its lengths do not fit.
        ccsid: of the characters; 0 is that of the message (MQCCSI_DEFAULT).
        operator: MQCFOP_* of a filter, else 0.
        width: bytes that each string takes, blanks at its end included; 0 for as many as it needs.
        offset, length: of the structure in the data it was read from, in bytes.
    """

    type: int
    parameter: int
    value: Value = None
    ccsid: int = 0
    operator: int = 0
    width: int = 0
    offset: int = 0
    length: int = 0


def reason_for(kind: int, wrong: str, otherwise: int = cmqcfc.MQRCCF_STRUCTURE_TYPE_ERROR) -> int:
    """What the command server answers to a structure of that type.

    Args:
        kind: MQCFT_*.
        wrong: how the name of the reason goes on behind MQRCCF_CFST: "LENGTH_ERROR".
        otherwise: the reason for a type that has no such one.
    """
    code = _STRUCTURES[kind].code if kind in _STRUCTURES else ""
    return numbers().get(f"MQRCCF_{code}_{wrong}", otherwise)


class Wrong(NamedTuple):
    """What is wrong with a message: where, what, and what the command server says to it."""

    reason: int
    offset: int
    text: str


class PCF(NamedTuple):
    """An MQCFH and what follows it.

    Attributes:
        type: MQCFT_*: 1 command, 2 response, 7 event, 21 statistics ...
        parameters: the top-level structures, in order; those of a group are its value.
        order: byte order of the integers.
        length: bytes of the message data it was read from.
        wrong: the first thing that is wrong, None for a message that is right to its end.
    """

    type: int
    command: int
    parameters: tuple[PcfParameter, ...] = ()
    version: int = 3
    msg_seq_number: int = 1
    control: int = cmqcfc.MQCFC_LAST
    comp_code: int = 0
    reason: int = 0
    parameter_count: int = 0
    order: ByteOrder = "<"
    length: int = 0
    wrong: Wrong | None = None

    def describe(self) -> str:
        """``PCF, type 7, 284 bytes``."""
        return f"PCF, type {self.type}, {self.length} bytes"

    def first(self, parameter: int) -> Value:
        """The value of the first top-level structure of that selector, None where there is none."""
        return next(
            (structure.value for structure in self.parameters if structure.parameter == parameter),
            None,
        )


def members(group: PcfParameter) -> tuple[PcfParameter, ...]:
    """The structures of a group; of any other structure, and of a damaged group, none."""
    if group.type != cmqcfc.MQCFT_GROUP or not isinstance(group.value, tuple):
        return ()
    return tuple(member for member in group.value if isinstance(member, PcfParameter))


# -- making structures ----------------------------------------------------------------------------


def integer_of(parameter: int, value: int) -> PcfParameter:
    """MQCFIN."""
    return PcfParameter(cmqcfc.MQCFT_INTEGER, parameter, value)


def integers(parameter: int, values: Iterable[int]) -> PcfParameter:
    """MQCFIL."""
    return PcfParameter(cmqcfc.MQCFT_INTEGER_LIST, parameter, tuple(values))


def string(parameter: int, value: str, *, width: int = 0, ccsid: int = 0) -> PcfParameter:
    """MQCFST, padded with blanks to *width* bytes."""
    return PcfParameter(cmqcfc.MQCFT_STRING, parameter, value, ccsid, 0, width)


def strings(parameter: int, values: Iterable[str], *, width: int = 0) -> PcfParameter:
    """MQCFSL, each string padded with blanks to *width* bytes."""
    return PcfParameter(cmqcfc.MQCFT_STRING_LIST, parameter, tuple(values), width=width)


def byte_string(parameter: int, value: bytes) -> PcfParameter:
    """MQCFBS."""
    return PcfParameter(cmqcfc.MQCFT_BYTE_STRING, parameter, value)


def group(parameter: int, parameters: Iterable[PcfParameter]) -> PcfParameter:
    """MQCFGR with the structures of the group."""
    return PcfParameter(cmqcfc.MQCFT_GROUP, parameter, tuple(parameters))


# -- writing --------------------------------------------------------------------------------------


def encode(message: PCF, order: ByteOrder = "<", ccsid: int = UTF_8) -> bytes:
    """The bytes of a message; ParameterCount and every length are counted anew.

    Args:
        message: what to write; its own `order` is the one it was read in, and plays no part.
        order: byte order of the integers; MQMD.Encoding must say the same.
        ccsid: of the strings that name none; MQMD.CodedCharSetId must be it.

    Raises:
        UsageError: A number that does not fit, text that the code page does not have, a value
            of the wrong kind for its structure.
    """
    head = (
        message.type, cmqcfc.MQCFH_STRUC_LENGTH, message.version, message.command,
        message.msg_seq_number, message.control, message.comp_code, message.reason,
        len(message.parameters),
    )  # fmt: skip
    pieces = [_HEADER[order].pack(*head)]
    for parameter in message.parameters:
        _write(parameter, order, ccsid, pieces)
    return b"".join(pieces)


def replaced(message: PCF, codec: str) -> PCF:
    """The message with a ``?`` for each character that the code page does not have."""

    def text(value: Value) -> Value:
        if isinstance(value, str):
            return value.encode(codec, "replace").decode(codec)
        if isinstance(value, tuple) and value and isinstance(value[0], str):
            return tuple(str(item).encode(codec, "replace").decode(codec) for item in value)
        return value

    parameters = (item._replace(value=text(item.value)) for item in message.parameters)
    return message._replace(parameters=tuple(parameters))


def _write(parameter: PcfParameter, order: ByteOrder, ccsid: int, pieces: list[bytes]) -> None:
    value = parameter.value
    is_short = type(value) is int or (type(value) is str and len(value) < _SHORT)
    structure = _short_structure if is_short else _structure
    try:
        pieces.append(structure(parameter, order, parameter.ccsid or ccsid))
    except (error, AttributeError, TypeError, UnicodeEncodeError) as wrong:
        what = f"PCF parameter {parameter.parameter}: {parameter.value!r:.60} cannot be written"
        raise UsageError(f"{what} as a structure of type {parameter.type}") from wrong
    if parameter.type == cmqcfc.MQCFT_GROUP:
        for member in members(parameter):
            _write(member, order, ccsid, pieces)


def _structure(parameter: PcfParameter, order: ByteOrder, ccsid: int) -> bytes:
    """One structure, without the members of a group.

    struct checks the numbers; `_write` says which parameter it was that did not fit.
    """
    value, kind = parameter.value, parameter.type
    before = (parameter.operator,) if kind in FILTERS else ()
    if kind == cmqcfc.MQCFT_GROUP:
        return _packed(order, parameter, (len(members(parameter)),))
    if kind in (cmqcfc.MQCFT_INTEGER, cmqcfc.MQCFT_INTEGER_FILTER):
        return _packed(order, parameter, (*before, value))
    if kind == cmqcfc.MQCFT_INTEGER64:
        return _packed(order, parameter, (0,), Struct(f"{order}q").pack(value))
    if kind in (cmqcfc.MQCFT_INTEGER_LIST, cmqcfc.MQCFT_INTEGER64_LIST) and isinstance(
        value, tuple
    ):
        letter = "i" if kind == cmqcfc.MQCFT_INTEGER_LIST else "q"
        body = Struct(f"{order}{len(value)}{letter}").pack(*value)
        return _packed(order, parameter, (len(value),), body)
    codec = _codec(ccsid, order)
    if kind in (cmqcfc.MQCFT_STRING, cmqcfc.MQCFT_STRING_FILTER) and isinstance(value, str):
        raw = _padded(value.encode(codec), parameter.width, codec)
        return _packed(order, parameter, (*before, parameter.ccsid, len(raw)), raw)
    if kind == cmqcfc.MQCFT_STRING_LIST and isinstance(value, tuple):
        raws = [str(text).encode(codec) for text in value]
        wide = max([parameter.width, *(len(raw) for raw in raws)])
        blank = len(" ".encode(codec))
        # an empty string still takes a character, and one of UTF-16 two bytes
        wide = max(wide - wide % blank, blank) if raws else 0
        body = b"".join(_padded(raw, wide, codec) for raw in raws)
        return _packed(order, parameter, (parameter.ccsid, len(raws), wide), body)
    if kind in (cmqcfc.MQCFT_BYTE_STRING, cmqcfc.MQCFT_BYTE_STRING_FILTER) and isinstance(
        value, bytes
    ):
        return _packed(order, parameter, (*before, len(value)), value)
    raise TypeError(f"type {kind}")


@lru_cache(maxsize=8192)  # ten thousand replies have much the same structures
def _short_structure(parameter: PcfParameter, order: ByteOrder, ccsid: int) -> bytes:
    return _structure(parameter, order, ccsid)


def _packed(
    order: ByteOrder, parameter: PcfParameter, numbers: tuple[object, ...], data: bytes = b""
) -> bytes:
    body = Struct(f"{order}{len(numbers) + 1}i").pack(parameter.parameter, *numbers) + data
    body += b"\0" * (-len(body) % 4)
    return _START[order].pack(parameter.type, 8 + len(body)) + body


def _codec(ccsid: int, order: ByteOrder) -> str:
    encoding = cmqc.MQENC_INTEGER_REVERSED if order == "<" else cmqc.MQENC_INTEGER_NORMAL
    return codec_of(ccsid, encoding) or FALLBACK_ASCII


def _padded(raw: bytes, width: int, codec: str) -> bytes:
    blank = " ".encode(codec)
    return raw + blank * ((width - len(raw)) // len(blank))


# -- reading --------------------------------------------------------------------------------------


def recognise(data: bytes, start: int = 0, ccsid: int = 0) -> PCF | None:
    """Read the PCF message at *start*, in either byte order; None when its shape is not PCF.

    Args:
        ccsid: of the message, for strings that name none.
    """
    if len(data) - start < cmqcfc.MQCFH_STRUC_LENGTH:
        return None
    for order in _HEADER:
        head = _HEADER[order].unpack_from(data, start)
        if _wrong_head(head, start) is None:
            return _read(data, start, order, ccsid, head)
    return None


def decode(data: bytes, order: ByteOrder | None = None, ccsid: int = 0) -> PCF:
    """Read a message that must be right to its end.

    Args:
        order: what MQMD.Encoding says; None for whichever fits.
        ccsid: MQMD.CodedCharSetId, for strings that name none.

    Raises:
        PCFError: With the reason that the command server gives, and where it is wrong.
    """
    if len(data) < cmqcfc.MQCFH_STRUC_LENGTH:
        reason = cmqcfc.MQRCCF_MSG_LENGTH_ERROR
        raise PCFError(
            reason, 0, f"{len(data)} bytes are not an MQCFH, which has {cmqcfc.MQCFH_STRUC_LENGTH}"
        )
    if order is None:
        first = _HEADER["<"].unpack_from(data)
        order = "<" if _wrong_head(first, 0) is None else ">"
    head = _HEADER[order].unpack_from(data)
    message = _read(data, 0, order, ccsid, head)
    wrong = _wrong_head(head, 0) or message.wrong
    if wrong is not None:
        raise PCFError(*wrong)
    return message


def _wrong_head(head: tuple[int, ...], start: int) -> Wrong | None:
    kind, length, version = head[:3]
    if kind not in _MESSAGE_TYPES:
        reason, text = cmqcfc.MQRCCF_CFH_TYPE_ERROR, f"Type {kind} is not a PCF message"
    elif length != cmqcfc.MQCFH_STRUC_LENGTH:
        reason, text = cmqcfc.MQRCCF_CFH_LENGTH_ERROR, f"StrucLength {length}"
    elif not 1 <= version <= 3:
        reason, text = cmqcfc.MQRCCF_CFH_VERSION_ERROR, f"Version {version} is not known"
    else:
        return None
    return Wrong(reason, start, f"MQCFH at offset {start}: {text}")


class _Reader:
    """Walks the structures of one message; keeps the first thing that is wrong."""

    def __init__(self, data: bytes, at: int, order: ByteOrder, ccsid: int) -> None:
        self.data = data
        self.at = at
        self.order: ByteOrder = order
        self.ccsid = ccsid
        self.wrong: Wrong | None = None

    def say(self, reason: int, text: str) -> None:
        if self.wrong is None:
            self.wrong = Wrong(reason, self.at, text)

    def structures(self, count: int | None, depth: int) -> tuple[PcfParameter, ...]:
        """The next *count* structures; None for all there are."""
        parameters: list[PcfParameter] = []
        while self.at < len(self.data) and (count is None or len(parameters) < count):
            parameter = self._next(depth)
            if parameter is None:
                break
            parameters.append(parameter)
        return tuple(parameters)

    def _next(self, depth: int) -> PcfParameter | None:
        remaining = len(self.data) - self.at
        if remaining < 12:
            text = f"{remaining} bytes at offset {self.at} are not a PCF structure"
            self.say(cmqcfc.MQRCCF_MSG_LENGTH_ERROR, text)
            self.at = len(self.data)
            return None
        kind = integer(self.data[self.at : self.at + 4], self.order)
        length = integer(self.data[self.at + 4 : self.at + 8], self.order)
        if not 12 <= length <= remaining:
            text = (
                f"PCF structure at offset {self.at}: StrucLength {length}, {remaining} bytes left"
            )
            self.say(reason_for(kind, "LENGTH_ERROR", cmqcfc.MQRCCF_MSG_LENGTH_ERROR), text)
            self.at = len(self.data)
            return None
        raw = bytes(self.data[self.at : self.at + length])
        parameter = _parameter(kind, self.at, raw, self.order, self.ccsid)
        if parameter.value is None:
            self._say_why(kind, length)
        if kind == cmqcfc.MQCFT_GROUP and isinstance(parameter.value, int):
            return self._group(parameter, parameter.value, depth)
        self.at += length
        return parameter

    def _say_why(self, kind: int, length: int) -> None:
        place = f"PCF structure at offset {self.at}"
        described = _STRUCTURES.get(kind)
        if described is None:
            self.say(cmqcfc.MQRCCF_STRUCTURE_TYPE_ERROR, f"{place}: type {kind} is not known")
        elif length < described.fixed_bytes:
            text = f"{place}: StrucLength {length}, type {kind} needs {described.fixed_bytes}"
            self.say(reason_for(kind, "LENGTH_ERROR"), text)
        else:
            text = f"{place}: its lengths do not fit in StrucLength {length}"
            self.say(reason_for(kind, described.inside), text)

    def _group(self, parameter: PcfParameter, count: int, depth: int) -> PcfParameter:
        place = f"PCF group at offset {self.at}"
        if count < 0 or depth >= DEEPEST:
            why = f"ParameterCount {count}" if count < 0 else f"deeper than {DEEPEST}"
            self.say(cmqcfc.MQRCCF_CFGR_PARM_COUNT_ERROR, f"{place}: {why}")
            self.at += parameter.length
            return parameter._replace(value=None)
        start = self.at
        self.at += parameter.length
        inside = self.structures(count, depth + 1)
        if len(inside) < count:
            text = f"{place}: ParameterCount {count}, {len(inside)} structures follow"
            self.wrong = self.wrong or Wrong(cmqcfc.MQRCCF_CFGR_PARM_COUNT_ERROR, start, text)
        return parameter._replace(value=inside)


def _read(data: bytes, start: int, order: ByteOrder, ccsid: int, head: tuple[int, ...]) -> PCF:
    kind, _, version, command, number, control, comp_code, reason, count = head
    reader = _Reader(data, start + cmqcfc.MQCFH_STRUC_LENGTH, order, ccsid)
    parameters = reader.structures(None, 0)
    if count != len(parameters):
        why = (
            cmqcfc.MQRCCF_CFH_PARM_COUNT_ERROR if count < 0
            else cmqcfc.MQRCCF_MSG_LENGTH_ERROR
        )  # fmt: skip
        reader.at = start
        text = f"MQCFH at offset {start}: ParameterCount {count}, {len(parameters)} structures"
        reader.say(why, f"{text} follow")
    return PCF(
        kind, command, parameters, version, number, control, comp_code, reason, count, order,
        len(data) - start, reader.wrong,
    )  # fmt: skip


def _parameter(kind: int, offset: int, raw: bytes, order: ByteOrder, ccsid: int) -> PcfParameter:
    """One structure; its value is None where its own lengths do not fit in it."""
    # past the end of a short structure every number reads as 0: the value is then checked to fit
    selector, *numbers = _NUMBERS[order].unpack(raw[8:28].ljust(20, b"\0"))
    start, operator = (16, numbers.pop(0)) if kind in FILTERS else (12, 0)
    first, second, third = numbers[:3]
    rest = len(raw) - start - 4
    parameter = PcfParameter(kind, selector, offset=offset, length=len(raw))
    if (
        kind in (cmqcfc.MQCFT_INTEGER, cmqcfc.MQCFT_GROUP, cmqcfc.MQCFT_INTEGER_FILTER)
        and rest >= 0
    ):
        return parameter._replace(value=first, operator=operator)
    if kind == cmqcfc.MQCFT_INTEGER64 and rest >= 8:
        return parameter._replace(value=integer(raw[16:24], order))
    if kind in (cmqcfc.MQCFT_STRING, cmqcfc.MQCFT_STRING_FILTER):
        text = _string(raw, start + 8, second, _codec(first or ccsid, order))
        return parameter._replace(value=text, ccsid=first, operator=operator, width=second)
    if kind in (cmqcfc.MQCFT_BYTE_STRING, cmqcfc.MQCFT_BYTE_STRING_FILTER) and 0 <= first <= rest:
        data = raw[start + 4 : start + 4 + first]
        return parameter._replace(value=data, operator=operator)
    if kind in (cmqcfc.MQCFT_INTEGER_LIST, cmqcfc.MQCFT_INTEGER64_LIST):
        width = 4 if kind == cmqcfc.MQCFT_INTEGER_LIST else 8
        return parameter._replace(value=_integers(raw, first, width, order))
    if kind == cmqcfc.MQCFT_STRING_LIST and rest >= 8:
        texts = _strings(raw, second, third, _codec(first or ccsid, order))
        return parameter._replace(value=texts, ccsid=first, width=third)
    return parameter


def _string(raw: bytes, start: int, length: int, codec: str) -> str | None:
    if not 0 <= length <= len(raw) - start:
        return None
    return characters(raw[start : start + length], codec)


def _strings(raw: bytes, count: int, width: int, codec: str) -> tuple[str, ...] | None:
    if count == 0:
        return ()
    if count < 0 or width <= 0 or count * width > len(raw) - 24:
        return None
    places = range(24, 24 + count * width, width)
    return tuple(characters(raw[at : at + width], codec) for at in places)


def _integers(raw: bytes, count: int, width: int, order: ByteOrder) -> tuple[int, ...] | None:
    if not 0 <= count * width <= len(raw) - 16:
        return None
    places = range(16, 16 + count * width, width)
    return tuple(integer(raw[at : at + width], order) for at in places)
