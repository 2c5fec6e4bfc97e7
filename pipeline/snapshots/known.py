"""What the last snapshot of a queue manager saw, so that the next can say what changed.

One file a queue manager, `FOLDER/.known/<queue manager>`: its records by their key
(`files.scratch.KeptRows`). Whether a record was met again is one bit: a million messages take an
eighth of a megabyte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from mqtriage.files.scratch import KeptRows, ScratchRows
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.expiry import expires_at_us
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_time_us
from mqtriage.pipeline.snapshots.schema import VERSION, Seen, escaped, unescaped

_FOLDER: Final = ".known"
_LIFETIME_LEEWAY_US: Final = 2_000_000
"""Lifetimes are told in tenths of a second and counted down: so much they may seem to move."""


class KnownMessage(NamedTuple):
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


def known_of(
    key: bytes, queue: int, message: Message, now_us: int, first_seen_us: int
) -> KnownMessage:
    """What to remember of a message."""
    md = message.md
    expires = expires_at_us(now_us, md.expiry_tenths)
    return KnownMessage(
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


def difference(before: KnownMessage | None, now: KnownMessage) -> Seen:
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
    """What else is to be known of the last snapshot.

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
    """The records of the last snapshot, for look-ups."""

    def __init__(self, head: Head, records: KeptRows | None = None) -> None:
        self.head = head
        self._records = records
        self._met = bytearray(records.count // 8 + 1 if records is not None else 1)

    def meet(self, key: bytes) -> KnownMessage | None:
        """The record with that key, of several the first that was not met yet; now it is met."""
        for number, *known in self._records.at(key) if self._records is not None else ():
            if not self._met[number >> 3] & 1 << (number & 7):
                self._met[number >> 3] |= 1 << (number & 7)
                return KnownMessage(*known)
        return None

    def not_met(self) -> Iterator[KnownMessage]:
        """The records that no message had the key of."""
        for number, *known in self._records if self._records is not None else ():
            if not self._met[number >> 3] & 1 << (number & 7):
                yield KnownMessage(*known)

    def close(self) -> None:
        """Let go of the file."""
        if self._records is not None:
            self._records.close()


def nothing() -> Memory:
    """What there is before the first snapshot."""
    return Memory(Head(""))


def recall(folder: Path, queue_manager: str) -> Memory | None:
    """What the last snapshot in *folder* saw; None where there was none, or it cannot be read."""
    try:
        records = KeptRows.open(_path(folder, queue_manager))
    except OSError:
        return None
    try:
        head = json.loads(records.head)
        if head.pop("version") == VERSION:
            return Memory(Head(**head), records)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    records.close()
    return None


class Remembering:
    """Collects what a snapshot sees, for the next one."""

    def __init__(self) -> None:
        self._rows = ScratchRows(KnownMessage._fields[1:])

    def add(self, known: KnownMessage) -> None:
        """Remember a message that is there."""
        self._rows.add(known)

    def write(self, folder: Path, queue_manager: str, head: Head) -> None:
        """Put the file in place of the last one.

        Raises:
            OSError, StorageError: It cannot be written.
        """
        self._kept(head, _path(folder, queue_manager)).close()

    def recalled(self, head: Head) -> Memory:
        """The same without a file."""
        return Memory(head, self._kept(head, None))

    def _kept(self, head: Head, path: Path | None) -> KeptRows:
        return self._rows.kept(json.dumps({"version": VERSION, **asdict(head)}), path)

    def close(self) -> None:
        """Let go of files."""
        self._rows.close()


def remains_in(folder: Path) -> list[tuple[Path, str]]:
    """Files that were being written and never got their name, each with its queue manager."""
    there = sorted((folder / _FOLDER).glob(".*"))
    return [(path, unescaped(path.name[1:].rpartition(".")[0])) for path in there]


def _path(folder: Path, queue_manager: str) -> Path:
    return folder / _FOLDER / escaped(queue_manager)
