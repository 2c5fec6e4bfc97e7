"""What the last snapshot of a queue manager saw, so that the next can say what changed.

One file a queue manager, `FOLDER/.known/<queue manager>`: a line of JSON, then records of equal
length in ascending order of their key. Only a key of every so many is held in memory, the block of
records behind it is read for each look-up, and whether a record was met again is one bit: a million
messages take a quarter of a megabyte.
"""

from __future__ import annotations

import json
import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from struct import Struct
from typing import IO, Any, Final, NamedTuple
from zlib import crc32

from mqtriage.files.durable import replace_file
from mqtriage.files.external_sort import Sorter
from mqtriage.files.private import private_folder
from mqtriage.mq.constants import MQEI_UNLIMITED
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_time_us
from mqtriage.pipeline.snapshots.schema import VERSION, Seen, escaped

_FOLDER: Final = ".known"
_RECORD: Final = Struct(">16sIqqi24s24sq")
_KEY: Final = 16
_PREFIX: Final = 8
_BLOCK: Final = 64
"""Records that are read for one look-up."""
_NO_TIME: Final = -(2**63)
_LIFETIME_LEEWAY_US: Final = 2_000_000
"""Lifetimes are told in tenths of a second and counted down: so much they may seem to move."""


class Known(NamedTuple):
    """One message as the last snapshot saw it.

    Attributes:
        state: checksum of what can change of a message that stays, BackoutCount above all.
        expires_us: when its lifetime ends, None when unlimited.
        queue: number of the queue in `Memory.queues`.
    """

    key: bytes
    state: int
    expires_us: int | None
    first_seen_us: int
    queue: int
    msg_id: bytes
    correl_id: bytes
    put_us: int | None

    def packed(self) -> bytes:
        expires = _NO_TIME if self.expires_us is None else self.expires_us
        put = _NO_TIME if self.put_us is None else self.put_us
        return _RECORD.pack(
            self.key, self.state, expires, self.first_seen_us, self.queue, self.msg_id,
            self.correl_id, put,
        )  # fmt: skip


def _unpacked(data: bytes) -> Known:
    key, state, expires, first_seen, queue, msg_id, correl_id, put = _RECORD.unpack(data)
    return Known(
        key, state, None if expires == _NO_TIME else expires, first_seen, queue, msg_id, correl_id,
        None if put == _NO_TIME else put,
    )  # fmt: skip


def known_of(key: bytes, queue: int, message: Message, now_us: int, first_seen_us: int) -> Known:
    """What to remember of a message."""
    md = message.md
    tenths = md.expiry_tenths
    expires = None if tenths == MQEI_UNLIMITED else now_us + tenths * 100_000
    return Known(
        key, _state(md, message.length_bytes), expires, first_seen_us, queue, md.msg_id,
        md.correl_id, put_time_us(md.put_date, md.put_time),
    )  # fmt: skip


def _state(md: MQMD, length_bytes: int) -> int:
    """A checksum of the descriptor without the lifetime that is left."""
    text = (
        f"{md.backout_count},{length_bytes},{md.report},{md.msg_type},{md.feedback},{md.encoding},"
        f"{md.ccsid},{md.format},{md.priority},{md.persistence},{md.reply_to_q},"
        f"{md.reply_to_q_mgr},{md.user_identifier},{md.appl_identity_data},{md.put_appl_type},"
        f"{md.put_appl_name},{md.appl_origin_data},{md.msg_seq_number},{md.offset},{md.msg_flags},"
        f"{md.original_length}"
    )
    return crc32(md.group_id + md.accounting_token, crc32(text.encode()))


def difference(before: Known | None, now: Known) -> Seen:
    """NEW, CHANGED, or PRESENT where nothing but the lifetime that is left is different."""
    if before is None:
        return Seen.NEW
    if before.state != now.state:
        return Seen.CHANGED
    if before.expires_us is None or now.expires_us is None:
        return Seen.PRESENT if before.expires_us == now.expires_us else Seen.CHANGED
    moved = abs(before.expires_us - now.expires_us)
    return Seen.CHANGED if moved > _LIFETIME_LEEWAY_US else Seen.PRESENT


@dataclass(slots=True)
class Head:
    """The first line.

    Attributes:
        queues: names by their numbers.
        definitions: digest of each object, by ``KIND NAME``.
        kept: what was kept of message data, as one word.
    """

    snapshot_id: str
    queues: list[str] = field(default_factory=list)
    definitions: Mapping[str, str] = field(default_factory=dict)
    kept: str = ""


class Memory:
    """The records of the last snapshot, for look-ups; `nothing` where there was none.

    Args:
        read: bytes of the records, from a place on and so many.
        count: how many records there are.
    """

    def __init__(
        self, head: Head, read: Callable[[int, int], bytes], count: int, file: IO[bytes] | None
    ) -> None:
        self.head = head
        self._read = read
        self._count = count
        self._file = file
        self._met = bytearray(count // 8 + 1)
        size = _RECORD.size * _BLOCK
        blocks = range(-(-count // _BLOCK))
        self._fences = array("Q", (_prefix(read(block * size, _PREFIX)) for block in blocks))

    def _block(self, block: int) -> bytes:
        first = block * _BLOCK
        records = min(_BLOCK, self._count - first)
        return self._read(first * _RECORD.size, records * _RECORD.size)

    def meet(self, key: bytes) -> Known | None:
        """The record with that key, of several the first that was not met yet; now it is met."""
        prefix = _prefix(key[:_PREFIX])
        block = max(0, bisect_left(self._fences, prefix) - 1)
        while block < len(self._fences) and self._fences[block] <= prefix:
            data = self._block(block)
            keys = _Keys(data)
            place = bisect_left(keys, key)
            while place < len(keys):
                if keys[place] != key:
                    return None
                number = block * _BLOCK + place
                if not self._met[number >> 3] & 1 << (number & 7):
                    self._met[number >> 3] |= 1 << (number & 7)
                    return _unpacked(data[place * _RECORD.size : (place + 1) * _RECORD.size])
                place += 1
            block += 1
        return None

    def not_met(self) -> Iterator[Known]:
        """The records that no message had the key of."""
        for block in range(len(self._fences)):
            data = self._block(block)
            for place in range(len(data) // _RECORD.size):
                number = block * _BLOCK + place
                if not self._met[number >> 3] & 1 << (number & 7):
                    yield _unpacked(data[place * _RECORD.size : (place + 1) * _RECORD.size])

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()


class _Keys(Sequence[bytes]):
    """The keys of some records."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data) // _RECORD.size

    def __getitem__(self, place: Any) -> Any:
        start = place * _RECORD.size
        return self._data[start : start + _KEY]


def _prefix(data: bytes) -> int:
    return int.from_bytes(data, "big")


def nothing() -> Memory:
    """What there is before the first snapshot."""
    return Memory(Head(""), lambda start, length: b"", 0, None)


def recall(folder: Path, queue_manager: str) -> Memory | None:
    """What the last snapshot in *folder* saw; None where there was none, or it cannot be read."""
    try:
        file = open(_path(folder, queue_manager), "rb")  # noqa: SIM115  read as long as we live
    except OSError:
        return None
    try:
        header: Any = json.loads(file.readline())
        head = Head(header["snapshot_id"], header["queues"], header["definitions"], header["kept"])
        count, start = int(header["records"]), file.tell()
        remaining = os.fstat(file.fileno()).st_size - start
        sound = header["version"] == VERSION and count * _RECORD.size == remaining
    except (OSError, ValueError, TypeError, KeyError):
        sound = False
    if not sound:
        file.close()
        return None
    number = file.fileno()
    return Memory(head, lambda at, length: os.pread(number, length, start + at), count, file)


class Remembering:
    """Collects what a snapshot sees, for the next one."""

    def __init__(self) -> None:
        self._sorter = Sorter()
        self._count = 0

    def add(self, known: Known) -> None:
        """Remember a message that is there."""
        self._sorter.add(known.packed())
        self._count += 1

    def write(self, folder: Path, queue_manager: str, head: Head) -> None:
        """Put the file in place of the last one.

        Raises:
            OSError: It cannot be written.
        """
        path = _path(folder, queue_manager)
        private_folder(path.parent)
        first = {
            "version": VERSION,
            "snapshot_id": head.snapshot_id,
            "records": self._count,
            "queues": head.queues,
            "definitions": dict(head.definitions),
            "kept": head.kept,
        }
        replace_file(path, chain((json.dumps(first).encode("ascii") + b"\n",), self._sorter))

    def recalled(self, head: Head) -> Memory:
        """The same without a file."""
        data = b"".join(self._sorter)
        return Memory(head, lambda at, length: data[at : at + length], self._count, None)

    def close(self) -> None:
        """Let go of files."""
        self._sorter.close()


def _path(folder: Path, queue_manager: str) -> Path:
    return folder / _FOLDER / escaped(queue_manager)
