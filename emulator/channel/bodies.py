"""What stands in each kind of segment, field by field, read and written by one description.

A description is a text of fields, ``name:kind`` each. Kinds:

    y h i u     1, 2 and 4 bytes, in the segment's byte order; u without a sign
    L           4 bytes, big-endian always
    bN          N bytes
    E           eye-catcher, version and length of a structure: a tuple
    MQxx        a structure of the MQI, in memory as the C interface has it
    =FIELD      so many bytes as the field says
    *FIELD      so many numbers of 4 bytes; *5FIELD five times as many
    texts:FIELD the texts of a structure's MQCHARV fields, each padded to 4 bytes
    rest        whatever follows

``kind@FIELD>=N`` is there from version N on of the structure whose head, or version, is that field.
Fields may be missing at the end: a level of the protocol that is older has fewer.

Source: the recorded exchanges; structures of the MQI come from mq/structures.txt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from operator import itemgetter
from struct import Struct
from typing import Any, Final, NamedTuple

from mqtriage.emulator.channel.segments import REPLY, BadSegment, SegmentType
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.structures import ByteOrder, Repacking, repacking, structure

Body = dict[str, Any]
"""Values of a body by name."""

_TOKEN_LEVEL: Final = 16
"""Level of the protocol from which on a log-in has room for a token; 15 has none, 17 has it."""
_LATER: Final = 0x100
"""Added to a segment's type: its form since `_TOKEN_LEVEL`."""

_CALL: Final = "length:L comp_code:i reason:i handle:i"
_SPI: Final = "verb:i version:i longest:i"
_LSD: Final = "lsd_head:b8 lsd_flags:i lsd:b184"
_OBJECT: Final = "od:MQOD od_texts:texts:od"
_DEFAULTS: Final = "persistence:i put_response:i read_ahead:i property_control:i"


def _policy(version: str, *, is_reply: bool) -> str:
    """Where messages go that a protection policy refuses, and the policy itself in a reply.

    A call says by its length how much room there is for one.
    """
    words = "refused_queue:b48 policy_offset:i policy_length:i"
    words += " policy:=policy_length" if is_reply else ""
    return " ".join(f"{word}@{version}" for word in words.split())


_OPEN: Final = f"{_OBJECT} options:i fopa:E {_DEFAULTS}"
_LPOO: Final = f"lpoo:b4 lpoo_version:i options:i spi_options:i {_DEFAULTS}"
_MESSAGE: Final = "md:MQMD pmo:MQPMO data_length:i"
_CONNECT: Final = (
    f"{_CALL} queue_manager:b48 application:b28 application_type:i accounting_token:b32 option:i"
    " cno_options:i fcno:b4 fcno_version:i fcno_flags:i"
)
_RETURNED: Final = "returned_tag:b128@fcno_version>=3 tail:rest"
_CAUT: Final = "ident:b4 type:i user_max:i password_max:i user_length:i password_length:i"
_COUNTS: Final = "selector_count:i integer_count:i character_length:i selectors:*selector_count"
_NAMED: Final = "xid_length:L return_value:i flags:i resource_manager:i"
_XID: Final = f"{_NAMED} format_id:i global_length:y branch_length:y xid:rest"

_SEGMENTS: Final[Mapping[int, str]] = {
    SegmentType.INITIAL_DATA: (
        "ident:b4 fap:y capability_1:y refused_1:y errors_1:y reserved_1:h batch:h"
        " max_transmission:i max_message:i wrap:i channel:b20 capability_2:y refused_2:y ccsid:h"
        " queue_manager:b48 heartbeat_s:i following:h errors_2:y reserved_2:y"
        " header_compression:b2 message_compression:b16 reserved_3:h ssl_reset:i conversations:i"
        " capability_3:y refused_3:y reserved_4:h process:i thread:i trace:i product:b12 qmid:b48"
        " algorithm_1:h algorithm_2:h algorithms:b16 random:b12"
    ),
    SegmentType.STATUS: "length:i code:i",
    SegmentType.USERID: "ident:b4 user:b12 password:b12 long_user:b64 sid:b40",
    SegmentType.HEARTBEAT: "",
    SegmentType.CONAUTH_INFO: f"{_CAUT} user:=user_length password:=password_length",
    SegmentType.CONAUTH_INFO + _LATER: (
        f"{_CAUT} token_max:i token_length:i"
        " user:=user_length password:=password_length token:=token_length"
    ),
    SegmentType.SOCKET_ACTION: "conversation:u request:u action:i parameter_1:i parameter_2:i",
    SegmentType.REQUEST_MSGS: (
        "version:i handle:i received:i window:i max_length:i options:i wait_ms:i status:i flags:i"
        " global_index:i selection_index:h md_version:h ccsid:i encoding:i msg_seq_number:i"
        " offset:i match_options:i ids:rest"
    ),
    SegmentType.ASYNC_MESSAGE: (
        "version:i handle:i index:i global_index:i segment_bytes:i segment_index:h"
        " selection_index:h content:rest"
    ),
    SegmentType.NOTIFICATION: "version:i handle:i code:i value:i",
    SegmentType.MQCONN: f"{_CONNECT} connection_tag:b128 {_RETURNED}",
    SegmentType.MQCONN + REPLY: f"{_CONNECT} connection_id:b24 reserved:b104 {_RETURNED}",
    SegmentType.MQOPEN: f"{_CALL} {_OPEN} {_policy('fopa>=2', is_reply=False)}",
    SegmentType.MQOPEN + REPLY: f"{_CALL} {_OPEN} {_policy('fopa>=2', is_reply=True)}",
    SegmentType.MQCLOSE: f"{_CALL} options:i",
    SegmentType.MQINQ: f"{_CALL} {_COUNTS}",
    SegmentType.MQINQ
    + REPLY: f"{_CALL} {_COUNTS} integers:*integer_count characters:=character_length",
    SegmentType.MQSET: f"{_CALL} {_COUNTS} integers:*integer_count characters:=character_length",
    SegmentType.MQGET: f"{_CALL} md:MQMD gmo:MQGMO data_length:i",
    SegmentType.MQGET + REPLY: f"{_CALL} md:MQMD gmo:MQGMO data_length:i data:rest",
    SegmentType.MQPUT: f"{_CALL} {_MESSAGE} data:=data_length",
    SegmentType.MQPUT + REPLY: f"{_CALL} {_MESSAGE}",
    SegmentType.MQPUT1: f"{_CALL} {_OBJECT} {_MESSAGE} data:=data_length",
    SegmentType.MQPUT1 + REPLY: f"{_CALL} {_OBJECT} {_MESSAGE}",
    SegmentType.MQSTAT: f"{_CALL} type:i sts:MQSTS",
    SegmentType.MQSUB: f"{_CALL} subscription:i unknown:i sd:MQSD sd_texts:texts:sd",
    SegmentType.XA_START: _XID,
    SegmentType.XA_END: _XID,
    SegmentType.XA_PREPARE: _XID,
    SegmentType.XA_COMMIT: _XID,
    SegmentType.XA_ROLLBACK: _XID,
    SegmentType.XA_FORGET: _XID,
    SegmentType.XA_OPEN: f"{_NAMED} name_length:y name:rest",
    SegmentType.XA_CLOSE: f"{_NAMED} name_length:y name:rest",
    SegmentType.XA_RECOVER: f"{_NAMED} count:i",
    SegmentType.XA_RECOVER + REPLY: f"{_NAMED} count:i xids:rest",
}
"""What is in a segment; a reply that is not told apart is as its call."""

QUERY: Final = 1
PUT: Final = 2
RESERVE: Final = 6
SUBSCRIBE: Final = 7
NOTIFY: Final = 11
OPEN: Final = 12

_OF_SPI: Final[Mapping[int, str]] = {
    QUERY: "inout:E in:E",
    QUERY + 0x100: "inout:E out:E count:i verbs:*5count",
    PUT: (
        "inout:E md:MQMD pmo:MQPMO in:E options:i data_length:i reserved:i@in>=2"
        " delay_high:u@in>=3 delay_low:u@in>=3 data:=data_length"
    ),
    PUT + 0x100: "inout:E md:MQMD pmo:MQPMO out:E",
    RESERVE: "inout:E in:E tag_bytes:i count:i",
    RESERVE + 0x100: "inout:E out:E count:i position:i tag:b24",
    SUBSCRIBE: f"inout:E in:E subscription:i {_LSD} sd:MQSD sd_texts:texts:sd",
    SUBSCRIBE + 0x100: f"inout:E out:E subscription:i {_LSD} sd:MQSD sd_texts:texts:sd",
    NOTIFY: "inout:E in:E action:i ended_reason:i connection_id:b24",
    NOTIFY + 0x100: "inout:E out:E",
    # a client of 9.0.4 has a version 1 of this structure with the same room for a policy
    OPEN: f"inout:E in:E {_LPOO} {_policy('in>=2', is_reply=False)} {_OBJECT}",
    # the policy stands behind the object
    OPEN + 0x100: (
        f"inout:E out:E {_LPOO} {_policy('out>=2', is_reply=False)} {_OBJECT}"
        " policy:=policy_length@out>=2"
    ),
}
"""What follows verb, version and length of an SPI call, by verb; of its reply by that and 0x100."""

_LETTERS: Final = {"y": "B", "h": "H", "i": "i", "u": "I"}
_LONGS: Final = {"<": Struct("<i"), ">": Struct(">i")}
_HEADS: Final = {"<": Struct("<4sii"), ">": Struct(">4sii")}
_MOST_SELECTORS: Final = 2048


class _Run(NamedTuple):
    """Fields of fixed length that stand side by side.

    Attributes:
        struct, structs: of all of them together, and of one after the other.
        values: takes theirs out of a body, in their order.
    """

    names: tuple[str, ...]
    struct: Struct
    structs: tuple[Struct, ...]
    values: Callable[[Mapping[str, Any]], tuple[Any, ...]]


class _Step(NamedTuple):
    """One field of its own.

    Attributes:
        since: the head and version from which on it is there.
        length_of: the field that says how long it is, as bytes; "" for none.
        read: its value and where it ends, of the data, where it begins, and the body so far.
    """

    name: str
    since: tuple[str, int] | None
    length_of: str
    is_rest: bool
    read: Callable[[bytes, int, Body], tuple[Any, int]]
    write: Callable[[Any], bytes]


@cache
def _steps(text: str, order: ByteOrder) -> tuple[_Run | _Step, ...]:
    """The description with what is of fixed length, and in one byte order, put together."""
    steps: list[_Run | _Step] = []
    names: list[str] = []
    letters: list[str] = []

    def end_run() -> None:
        if names:
            first, *others = names
            values = itemgetter(*names) if others else lambda body: (body[first],)
            structs = tuple(Struct(order + letter) for letter in letters)
            steps.append(_Run(tuple(names), Struct(order + "".join(letters)), structs, values))
            names.clear()
            letters.clear()

    for word in text.split():
        name, _, kind = word.partition(":")
        kind, _, condition = kind.partition("@")
        letter = "i" if kind == "L" and order == ">" else _LETTERS.get(kind)
        if letter is None and re.fullmatch(r"b\d+", kind):
            letter = f"{kind[1:]}s"
        if letter is None or condition:
            end_run()
            head, _, version = condition.partition(">=")
            since = (head, int(version)) if condition else None
            length_of = kind[1:] if kind.startswith("=") else ""
            read, write = _reader(kind, order), _writer(kind, order)
            steps.append(_Step(name, since, length_of, kind == "rest", read, write))
        else:
            names.append(name)
            letters.append(letter)
    end_run()
    return tuple(steps)


def description(kind: int, level: int = 0) -> str:
    """What stands in a segment of that type, at a level of the protocol."""
    later = (kind + _LATER,) if level >= _TOKEN_LEVEL else ()
    for described in (*later, kind, kind - REPLY):
        if described in _SEGMENTS:
            return _SEGMENTS[described]
    if SegmentType.MQCONN <= kind < SegmentType.XA_START:
        return _CALL
    raise BadSegment(f"a segment of type {kind:02X}")


class _Decoded(Body):
    """A body as it came: it may have ended before the field that is asked for."""

    def __missing__(self, name: str) -> Any:
        raise BadSegment(f"ends before {name}")


def changed(body: Body, **values: Any) -> Body:
    """A body with other values; it goes on to say what it ended before."""
    return type(body)(body, **values)


def decode(kind: int, data: bytes, order: ByteOrder, level: int = 0) -> tuple[Body, int]:
    """The values in the body of a segment, and how many bytes they took.

    Args:
        level: of the protocol, as agreed (FAP); what differs by it does not say so itself.
    """
    if kind in (SegmentType.SPI, SegmentType.SPI + REPLY):
        body, at = _decoded(f"{_CALL} {_SPI}", data, 0, order, _Decoded())
        verb = body.get("verb", 0) + (0x100 if kind == SegmentType.SPI + REPLY else 0)
        if verb not in _OF_SPI:
            raise BadSegment(f"SPI verb {body.get('verb')}")
        return _decoded(_OF_SPI[verb], data, at, order, body)
    return _decoded(description(kind, level), data, 0, order, _Decoded())


def _decoded(text: str, data: bytes, at: int, order: ByteOrder, body: Body) -> tuple[Body, int]:
    length = len(data)
    for step in _steps(text, order):
        if isinstance(step, _Run):
            end = at + step.struct.size
            if end > length:
                return _cut(step, data, at, body)
            body.update(zip(step.names, step.struct.unpack_from(data, at), strict=True))
            at = end
        elif step.since is None or _is_there(step.since, body):
            if at >= length and not (step.is_rest or (step.length_of and not body[step.length_of])):
                return body, at
            body[step.name], at = step.read(data, at, body)
    return body, at


def _is_there(since: tuple[str, int], body: Mapping[str, Any]) -> bool:
    head, version = since
    field = body[head]
    return bool((field[1] if isinstance(field, tuple) else field) >= version)


def _cut(run: _Run, data: bytes, at: int, body: Body) -> tuple[Body, int]:
    """A body that ends within fields of fixed length: between two of them, an older form."""
    for name, one in zip(run.names, run.structs, strict=True):
        if at + one.size > len(data):
            if len(data) - at >= 4:  # fewer are padding
                raise BadSegment(f"ends within {name}")
            return body, at
        (body[name],) = one.unpack_from(data, at)
        at += one.size
    return body, at


def _reader(kind: str, order: ByteOrder) -> Callable[[bytes, int, Body], tuple[Any, int]]:
    """What reads a field of that kind: its value and where it ends."""
    if kind == "rest":
        return lambda data, at, body: (data[at:], len(data))
    if kind == "L":
        return lambda data, at, body: (int.from_bytes(_taken(data, at, 4), signed=True), at + 4)
    if kind in _LETTERS:
        number = Struct(order + _LETTERS[kind])
        return lambda data, at, body: (number.unpack(_taken(data, at, 4))[0], at + 4)
    if kind == "E":
        return lambda data, at, body: (_HEADS[order].unpack(_taken(data, at, 12)), at + 12)
    if kind.startswith("b"):
        return lambda data, at, body: _bytes(data, at, int(kind[1:]))
    if kind.startswith("MQ"):
        return lambda data, at, body: _structure(kind, data, at, order)
    if kind.startswith("texts"):
        head = kind[6:]
        name = f"MQ{head.upper()}"
        return lambda data, at, body: _bytes(data, at, _texts_length(name, body[head]))
    if kind.startswith("="):
        length_of = kind[1:]
        return lambda data, at, body: _bytes(data, at, body[length_of])
    times, count_of = (5, kind[2:]) if kind.startswith("*5") else (1, kind[1:])
    return lambda data, at, body: _numbers(data, at, times, count_of, order, body)


def _bytes(data: bytes, at: int, length: int) -> tuple[bytes, int]:
    return _taken(data, at, length), at + length


def _numbers(
    data: bytes, at: int, times: int, count_of: str, order: ByteOrder, body: Body
) -> tuple[tuple[int, ...], int]:
    count = body[count_of]
    if not 0 <= count <= _MOST_SELECTORS:
        raise BadSegment(f"{count_of} is {count}")
    piece = _taken(data, at, 4 * times * count)
    return Struct(f"{order}{times * count}i").unpack(piece), at + len(piece)


def _taken(data: bytes, at: int, length: int) -> bytes:
    piece = data[at : at + length]
    if at < 0 or length < 0 or len(piece) < length:
        raise BadSegment(f"{length} bytes at {at} of {len(data)}")
    return piece


def _structure(name: str, data: bytes, at: int, order: ByteOrder) -> tuple[bytes, int]:
    """A structure as the C interface has it: of its own version, in the machine's byte order."""
    head = data[at : at + 8]
    packing = _repackings(name, order, order).get(head)
    if packing is None:
        raise BadSegment(f"no {name}: {head!r}")
    wire = packing.wire
    return _in_memory(name, order, _taken(data, at, wire.size)), at + wire.size


@lru_cache(maxsize=256)  # most programs send the same ones again and again
def _in_memory(name: str, order: ByteOrder, raw: bytes) -> bytes:
    packing = _repackings(name, order, order)[raw[:8]]
    return packing.memory.pack(*packing.wire.unpack(raw))


@cache
def _repackings(name: str, order: ByteOrder, head_order: ByteOrder) -> Mapping[bytes, Repacking]:
    """Both layouts of each version of a structure, by StrucId and Version in *head_order*."""
    described = structure(name)
    ident = described.ident.ljust(4).encode()
    return {
        ident + _LONGS[head_order].pack(version): repacking(name, version, order)
        for version in described.ends
    }


class Text(NamedTuple):
    """Where a variable-length text of a structure stands: from the structure's start on the wire.

    Attributes:
        offset, length: in bytes.
    """

    field: str
    offset: int
    length: int


@lru_cache(maxsize=256)
def texts(name: str, raw: bytes) -> tuple[Text, ...]:
    """The MQCHARV fields of a structure in memory, in order."""
    described = structure(name)
    version = int.from_bytes(raw[4:8], "little")
    charvs = []
    for field in described.fields:
        if field.kind == "V" and field.version <= version:
            _, offset, _, length, _ = _CHARV.unpack_from(raw, field.offset)
            charvs.append(Text(field.name, offset, length))
    return tuple(charvs)


_CHARV: Final = repacking("MQCHARV", 1, "<").memory
"""Pointer, offset, size of the buffer, length and CCSID."""


@lru_cache(maxsize=256)
def _texts_length(name: str, raw: bytes) -> int:
    """How many bytes of texts follow a structure on the wire."""
    fixed = structure(name, is_on_wire=True).ends[int.from_bytes(raw[4:8], "little")]
    ends = [text.offset + text.length for text in texts(name, raw) if text.length >= 0]
    return max([fixed, *(end + -end % 4 for end in ends)]) - fixed


def text_of(name: str, raw: bytes, block: bytes, field: str) -> bytes:
    """One text of a structure."""
    fixed = structure(name, is_on_wire=True).ends[int.from_bytes(raw[4:8], "little")]
    for text in texts(name, raw):
        if text.field == field and text.length > 0:
            return _taken(block, text.offset - fixed, text.length)
    return b""


def with_texts(name: str, raw: bytes, values: Mapping[str, bytes]) -> tuple[bytes, bytes]:
    """A structure in memory whose MQCHARV fields say where the texts stand, and those texts."""
    described = structure(name)
    version = int.from_bytes(raw[4:8], "little")
    at = structure(name, is_on_wire=True).ends[version]
    patched, block = bytearray(raw), b""
    for field in described.fields:
        if field.kind == "V" and field.version <= version:
            text = values.get(field.name, b"")
            _, _, room, _, _ = _CHARV.unpack_from(raw, field.offset)
            _CHARV.pack_into(patched, field.offset, 0, at, room, len(text), UTF_8)
            block += text + bytes(-len(text) % 4)
            at += len(text) + -len(text) % 4
    return bytes(patched), block


# -- writing --------------------------------------------------------------------------------------


def encode(kind: int, body: Mapping[str, Any], order: ByteOrder, level: int = 0) -> bytes:
    """The bytes of a body; fields at its end that are missing are left out."""
    if kind in (SegmentType.SPI, SegmentType.SPI + REPLY):
        verb = body["verb"] + (0x100 if kind == SegmentType.SPI + REPLY else 0)
        return _encoded(f"{_CALL} {_SPI} {_OF_SPI[verb]}", body, order)
    return _encoded(description(kind, level), body, order)


def _encoded(text: str, body: Mapping[str, Any], order: ByteOrder) -> bytes:
    written = []
    for step in _steps(text, order):
        if isinstance(step, _Run):
            if step.names[-1] in body:
                written.append(step.struct.pack(*step.values(body)))
                continue
            pairs = zip(step.names, step.structs, strict=True)
            written += [one.pack(body[name]) for name, one in pairs if name in body]
            break
        if step.since is None or _is_there(step.since, body):
            if step.name not in body:
                break
            written.append(step.write(body[step.name]))
    return b"".join(written)


def _writer(kind: str, order: ByteOrder) -> Callable[[Any], bytes]:
    """What writes a field of that kind."""
    if kind == "L":
        return lambda value: value.to_bytes(4, "big", signed=True)
    if kind in _LETTERS:
        return Struct(order + _LETTERS[kind]).pack
    if kind == "E":
        return lambda value: _HEADS[order].pack(*value)
    if kind.startswith("MQ"):
        return lambda value: _on_wire(kind, order, value)
    if kind.startswith("*"):
        return lambda value: Struct(f"{order}{len(value)}i").pack(*value)
    return bytes


def _on_wire(name: str, order: ByteOrder, raw: bytes) -> bytes:
    packing = _repackings(name, order, "<")[raw[:8]]
    return packing.wire.pack(*packing.memory.unpack(raw))
