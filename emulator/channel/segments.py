"""Segments: what travels over a client channel, each behind a header of transmission.

A header is `TSH ` or `TSHC` of 28 bytes, or `TSHM` of 36 with the conversation that the segment
belongs to. What is longer than the agreed transmission size goes out in several: the first has
`FIRST` set, the last `LAST`, and those of other conversations may come in between.

Source: the recorded exchanges of IBM's clients for Java with a queue manager's stand-in.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple

from mqtriage.mq.structures import ByteOrder

PLAIN: Final = b"TSH "
CONTROL: Final = b"TSHC"
MULTIPLEXED: Final = b"TSHM"
_FORMS: Final = frozenset((PLAIN, CONTROL, MULTIPLEXED))
PLAIN_LENGTH: Final = 28
MULTIPLEXED_LENGTH: Final = 36
MOST_BYTES: Final = 0x10000
"""The longest segment: no client offers to send more than 32,766 bytes in one."""
MOST_MESSAGE_BYTES: Final = 0x6500000
"""The longest call: 100 MB of message data and its structures."""
MOST_TOGETHER_BYTES: Final = 1 << 28
"""Of the calls of all sockets that are not done: two of the longest fit in."""

ANSWER_DUE: Final = 0x01
ERROR: Final = 0x02
CLOSING: Final = 0x08
FIRST: Final = 0x10
LAST: Final = 0x20
ACCEPTED: Final = 0x40
WHOLE: Final = FIRST | LAST
LITTLE_ENDIAN: Final = 2
OWN_ORDER: Final[ByteOrder] = "<"
"""Of the first answer, which the client then speaks: that of a queue manager on Linux x86-64."""

_START: Final = Struct(">4sI")
_MULTIPLEX: Final = Struct(">II")
_REST: Final[dict[ByteOrder, Struct]] = {"<": Struct("<BBBB8sIHH"), ">": Struct(">BBBB8sIHH")}
_ENCODINGS: Final = {">": 273, "<": 546}
_CCSID: Final = 819


class SegmentType(IntEnum):
    """Segment types; the reply to a call has the call's type and `REPLY`."""

    INITIAL_DATA = 0x01
    STATUS = 0x05
    USERID = 0x08
    HEARTBEAT = 0x09
    CONAUTH_INFO = 0x0A
    SOCKET_ACTION = 0x0C
    ASYNC_MESSAGE = 0x0D
    REQUEST_MSGS = 0x0E
    NOTIFICATION = 0x0F
    MQCONN = 0x81
    MQDISC = 0x82
    MQOPEN = 0x83
    MQCLOSE = 0x84
    MQGET = 0x85
    MQPUT = 0x86
    MQPUT1 = 0x87
    MQSET = 0x88
    MQINQ = 0x89
    MQCMIT = 0x8A
    MQBACK = 0x8B
    SPI = 0x8C
    MQSTAT = 0x8D
    MQSUB = 0x8E
    MQSUBRQ = 0x8F
    XA_START = 0xA1
    XA_END = 0xA2
    XA_OPEN = 0xA3
    XA_CLOSE = 0xA4
    XA_PREPARE = 0xA5
    XA_COMMIT = 0xA6
    XA_ROLLBACK = 0xA7
    XA_FORGET = 0xA8
    XA_RECOVER = 0xA9


REPLY: Final = 0x10


class BadSegment(Exception):
    """What came is no segment, or none that may come here; its socket is closed."""


class Segment(NamedTuple):
    """One segment, or several that were put together.

    Attributes:
        type: `SegmentType`, or that with `REPLY`.
        body: what follows the header; of a `TSHM` segment with the bytes that pad it to 4.
        conversation, request: of a `TSHM` segment, else 0.
        form: eye-catcher of the header.
        order: of its numbers, but for those that are big-endian always.
    """

    type: int
    body: bytes
    conversation: int = 0
    request: int = 0
    flags: int = WHOLE
    form: bytes = MULTIPLEXED
    order: ByteOrder = ">"
    flags_2: int = 0
    unit: bytes = bytes(8)
    encoding: int = _ENCODINGS[">"]
    ccsid: int = _CCSID
    reserved: int = 0

    @property
    def answer_type(self) -> int:
        """The type of the reply to a call."""
        return self.type + REPLY if self.type & 0x80 else self.type

    def answer(self, body: bytes, flags: int = WHOLE) -> Segment:
        """The reply to a call: of its type, conversation, request, form, byte order and encoding.

        The encoding of the header is the client's, as a real queue manager's replies have it;
        what says the byte order is the byte for it.
        """
        kind = self.answer_type
        return Segment(
            kind, body, self.conversation, self.request, flags, self.form, self.order,
            encoding=self.encoding,
        )  # fmt: skip

    def own(self, body: bytes, flags: int = 0) -> Segment:
        """What the server says of its own accord there: with the encoding of the byte order."""
        return self.answer(body, flags)._replace(encoding=_ENCODINGS[self.order])


def encoded(segment: Segment) -> bytes:
    """The bytes of one segment.

    A `TSHM` segment is padded to a multiple of 4: the clients read structures aligned to the start
    of what they have read, so that one of odd length would shift what follows it. Others are not:
    the clients take their length as it is.
    """
    body, multiplexed = segment.body, b""
    if segment.form == MULTIPLEXED:
        body += bytes(-len(body) % 4)
        multiplexed = _MULTIPLEX.pack(segment.conversation, segment.request)
    start = _START.pack(segment.form, PLAIN_LENGTH + len(multiplexed) + len(body))
    rest = _REST[segment.order].pack(
        LITTLE_ENDIAN if segment.order == "<" else 1,
        segment.type,
        segment.flags,
        segment.flags_2,
        segment.unit,
        segment.encoding,
        segment.ccsid,
        segment.reserved,
    )
    return start + multiplexed + rest + body


def pieces(segment: Segment, most_bytes: int) -> Iterator[Segment]:
    """The segments that one goes out in, each of at most *most_bytes* with its header."""
    head = MULTIPLEXED_LENGTH if segment.form == MULTIPLEXED else PLAIN_LENGTH
    room = (most_bytes - head) & ~3
    body = segment.body
    if len(body) <= room:
        yield segment
        return
    others = segment.flags & ~WHOLE
    for at in range(0, len(body), room):
        flags = others | (FIRST if at == 0 else 0) | (LAST if at + room >= len(body) else 0)
        yield segment._replace(body=body[at : at + room], flags=flags)


def decoded(data: bytes) -> Segment:
    """The segment in *data*, which is exactly as long as its header says.

    Raises:
        BadSegment: No header, or one that contradicts itself.
    """
    form = data[:4]
    if form == MULTIPLEXED:
        if len(data) < MULTIPLEXED_LENGTH:
            raise BadSegment(f"{len(data)} bytes with a TSHM header")
        conversation, request = _MULTIPLEX.unpack_from(data, 8)
        at = _START.size + _MULTIPLEX.size
    else:
        conversation, request, at = 0, 0, _START.size
    order: ByteOrder = "<" if data[at] == LITTLE_ENDIAN else ">"
    rest = _REST[order]
    _, kind, flags, flags_2, unit, encoding, ccsid, reserved = rest.unpack_from(data, at)
    body = data[at + rest.size :]
    return Segment(
        kind, body, conversation, request, flags, form, order, flags_2, unit, encoding, ccsid,
        reserved,
    )  # fmt: skip


class Inflow:
    """Cuts what comes on a socket into segments.

    No more is kept than has come, and of one segment no more than the longest has, whatever a
    length field claims.
    """

    def __init__(self) -> None:
        self._data = b""
        self._at = 0

    def feed(self, piece: bytes) -> None:
        """Take in what was read."""
        self._data = self._data[self._at :] + piece
        self._at = 0

    def next(self) -> Segment | None:
        """The next segment; None until it has come whole."""
        data, at = self._data, self._at
        if len(data) - at < _START.size:
            return None
        form, length = _START.unpack_from(data, at)
        if form not in _FORMS:
            raise BadSegment(f"begins with {data[at : at + _START.size]!r}")
        if not PLAIN_LENGTH <= length <= MOST_BYTES:
            raise BadSegment(f"a segment of {length} bytes")
        if len(data) - at < length:
            return None
        self._at = at + length
        return decoded(data[at : self._at])

    def end(self) -> None:
        """See that the end did not come in the middle of a segment."""
        rest = self._data[self._at :]
        if rest and (len(rest) < _START.size or rest[:4] not in _FORMS):
            raise BadSegment(f"begins with {rest[: _START.size]!r}")
        if rest:
            missing = int.from_bytes(rest[4:8]) - len(rest)
            raise BadSegment(f"{missing} bytes are missing")


class Budget:
    """Bytes of calls that all sockets together may hold, whole or not, until they are done.

    Attributes:
        lock: held while what is left is changed.
    """

    def __init__(self, most_bytes: int = MOST_TOGETHER_BYTES) -> None:
        self.lock = threading.Lock()
        self.most_bytes = self.left_bytes = most_bytes


class Assembly:
    """Puts the segments of each conversation of a socket together that belong to one call.

    Attributes:
        most_bytes: of all calls of the socket that are not done.
    """

    def __init__(self, budget: Budget | None = None, most_bytes: int = MOST_MESSAGE_BYTES) -> None:
        self.most_bytes = most_bytes
        self._budget = budget or Budget()
        self._begun: dict[int, tuple[Segment, bytearray]] = {}
        self._bytes = 0

    def whole(self, segment: Segment) -> Segment | None:
        """The call that *segment* completes, to be given to `done`; None while more is to come.

        Raises:
            BadSegment: A continuation of nothing, or of something else; or too much in all.
        """
        if segment.type < SegmentType.MQCONN:
            return segment  # those tell themselves what belongs together
        begun = self._begun.get(segment.conversation)
        if begun is None:
            if not segment.flags & FIRST:
                raise BadSegment("goes on with what was not begun")
        elif segment.flags & FIRST or segment.type != begun[0].type:
            raise BadSegment("begins before the last call is whole")
        self._take(len(segment.body))
        if begun is None:
            if segment.flags & LAST:
                return segment
            # one block that grows goes back to the system when it is freed; many small ones do not
            begun = self._begun[segment.conversation] = segment, bytearray()
        first, body = begun
        body += segment.body
        if not segment.flags & LAST:
            return None
        del self._begun[segment.conversation]
        return first._replace(body=bytes(body), flags=first.flags | LAST)

    def _take(self, count: int) -> None:
        with self._budget.lock:
            if self._bytes + count > self.most_bytes:
                raise BadSegment(f"more than {self.most_bytes} bytes of calls not done")
            if count > self._budget.left_bytes:
                raise BadSegment(
                    f"more than {self._budget.most_bytes} bytes of all clients' calls together"
                )
            self._change(count)

    def _change(self, count: int) -> None:
        self._bytes += count
        self._budget.left_bytes -= count

    def done(self, call: Segment) -> None:
        """Give back what a call took; from any thread."""
        if call.type >= SegmentType.MQCONN:
            with self._budget.lock:
                self._change(-min(len(call.body), self._bytes))

    def close(self) -> None:
        """Give back all, for a socket that ends."""
        self._begun.clear()
        with self._budget.lock:
            self._change(-self._bytes)
