"""How often each message was requeued: the loop guard of `--max-requeues`.

A message that is requeued and fails again comes back with the same MsgId and the same data, so it
is known by both. Where the copy differs (a new MsgId, a header taken off) the count goes on with
the copy, and both stand for the message from then on.

The counts are an index of the journal, made again from its operations where the file is missing
or after a prune. It is a table of fixed slots in a mapped file: a look-up reads one page, and its
size does not depend on how many operations there were but on how many messages they moved.
"""

from __future__ import annotations

import fcntl
import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from struct import Struct
from typing import Final, TypeAlias

from mqtriage.commands import journal as journals
from mqtriage.commands.plan_file import read_plan
from mqtriage.emulator.home import private_folder
from mqtriage.model.plan import Plan, PlannedMessage
from mqtriage.mq.errors import MQTriageError, StorageError

DEFAULT_MOST: Final = 3
"""Requeues after which a message is left, where `--max-requeues` does not say."""

TABLE: Final = "requeues.table"
LOCK: Final = "requeues.lock"
_MAGIC: Final = b"MQTRQC01"
_HEAD: Final = Struct("<8sQ")
_SLOT: Final = Struct("<QI")
_FIRST_SLOTS: Final = 4096

Key: TypeAlias = tuple[bytes, bytes]
"""MsgId, and SHA-256 of the data."""


class RequeueCounts:
    """The counts of one journal.

    Raises:
        StorageError: By all its methods: the file cannot be read or written.
    """

    def __init__(self, journal: journals.Journal) -> None:
        self.journal = journal
        self.path = journal.folder / TABLE
        self._map: mmap.mmap | None = None
        self._inode = 0

    def of(self, key: Key) -> int:
        """How often the message was requeued."""
        if self._map is None:
            if not self.path.exists() and not self.journal.ops():
                return 0
            with self._telling(), self._locked():
                self._attach()
        return self._count_at(self._slot(_number(key)))

    def add(self, moves: Iterable[Sequence[Key]]) -> None:
        """Count one requeue of each message: its own key, and that of its copy."""
        with self._telling(), self._locked():
            self._attach()
            self._add(moves)

    def rebuild(self) -> None:
        """Count anew what the operations of the journal say."""
        with self._telling(), self._locked():
            self._make()

    def close(self) -> None:
        if self._map is not None:
            self._map.close()
            self._map = None

    # the table ------------------------------------------------------------------------------

    def _add(self, moves: Iterable[Sequence[Key]]) -> None:
        for keys in moves:
            numbers = {_number(key) for key in keys}
            count = 1 + max(self._count_at(self._slot(number)) for number in numbers)
            for number in numbers:
                self._put(number, count)

    def _attach(self) -> None:
        """Map the file as it is now; another process may have made a larger one."""
        try:
            inode = os.stat(self.path).st_ino
        except FileNotFoundError:
            self._make()
            return
        if self._map is None or inode != self._inode:
            self._load()

    def _make(self) -> None:
        private_folder(self.journal.folder)
        self._replace(_FIRST_SLOTS)
        for op in self.journal.ops():
            with suppress(MQTriageError):  # a damaged one counts for nothing
                self._add(requeued(self.journal, op))

    def _load(self) -> None:
        self.close()
        descriptor = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        try:
            self._inode = os.fstat(descriptor).st_ino
            self._map = mmap.mmap(descriptor, 0)
        finally:
            os.close(descriptor)
        if self._map[:8] != _MAGIC:
            raise StorageError(
                f"{self.path}: no table of requeues, or damaged",
                hint="remove the file: it is made again from the journal",
            )

    def _replace(self, slots: int) -> None:
        """Put a new, empty table of so many slots in the place of the old one."""
        fresh = self.path.with_name(f"{TABLE}.{os.getpid()}")
        descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(descriptor, _HEAD.size + slots * _SLOT.size)
            os.pwrite(descriptor, _HEAD.pack(_MAGIC, 0), 0)
        finally:
            os.close(descriptor)
        os.replace(fresh, self.path)
        self._load()

    def _grow(self) -> None:
        """Move to a table twice as large; the old one is read from its map meanwhile."""
        old, self._map = self._mapped(), None
        self._replace(2 * ((len(old) - _HEAD.size) // _SLOT.size))
        for offset in range(_HEAD.size, len(old), _SLOT.size):
            number, count = _SLOT.unpack_from(old, offset)
            if number:
                self._put(number, count)
        old.close()

    def _mapped(self) -> mmap.mmap:
        if self._map is None:
            raise AssertionError("_attach() maps the file")
        return self._map

    def _slots(self) -> int:
        return (len(self._mapped()) - _HEAD.size) // _SLOT.size

    def _slot(self, number: int) -> int:
        """Where the number stands, or the free slot where it would."""
        table, slots = self._mapped(), self._slots()
        at = number % slots
        while True:
            offset = _HEAD.size + at * _SLOT.size
            there, _ = _SLOT.unpack_from(table, offset)
            if there in (0, number):
                return offset
            at = (at + 1) % slots

    def _count_at(self, offset: int) -> int:
        return int(_SLOT.unpack_from(self._mapped(), offset)[1])

    def _put(self, number: int, count: int) -> None:
        table = self._mapped()
        offset = self._slot(number)
        fresh = _SLOT.unpack_from(table, offset)[0] == 0
        _SLOT.pack_into(table, offset, number, count)
        if fresh:
            used = _HEAD.unpack_from(table)[1] + 1
            _HEAD.pack_into(table, 0, _MAGIC, used)
            if used * 3 > self._slots() * 2:
                self._grow()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        private_folder(self.journal.folder)
        lock = os.open(self.journal.folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(
                f"{self.path}: {error.strerror}", hint="make room, or set MQTRIAGE_HOME"
            ) from error


def _number(key: Key) -> int:
    """64 bits for a message, never 0."""
    return int.from_bytes(sha256(key[0] + key[1]).digest()[:8], "big") or 1


def requeued(journal: journals.Journal, op: str) -> Iterator[list[Key]]:
    """The messages that an operation requeued, each with the key of its copy."""
    plan = read_plan(journal.folder / op / journals.PLAN)
    if plan.request.max_requeues is None:
        return
    for unit in journals.committed_units(journal, op):
        for taken in unit.messages:
            if taken.put is not None and not taken.parked:
                marks = plan.messages[taken.number - 1]
                yield [(marks.msg_id, marks.digest), (taken.put.msg_id, taken.put.digest)]


def note_loops(plan: Plan, counts: RequeueCounts, most: int, park: str | None) -> None:
    """Say in *plan* which messages have been requeued too often to go once more."""
    over = sum(over_limit(message, counts, most) for message in plan.messages)
    if not over:
        return
    often = f"requeued {most} times already (--max-requeues {most})"
    if park:
        plan.notes.append(f"{over} will be parked on {park}: {often}")
        return
    plan.notes.append(f"{over} will be left: {often}")
    if over == len(plan.messages):
        plan.refusals.append(
            (
                f"{plan.count} of {plan.count} were {often}",
                "find out why they come back: backout causes; --park QUEUE sets them aside",
            )
        )


def over_limit(message: PlannedMessage, counts: RequeueCounts, most: int) -> bool:
    """Whether the message was requeued as often as it may be."""
    return counts.of((message.msg_id, message.digest)) >= most
