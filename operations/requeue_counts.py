"""How often each message was requeued: the loop guard of `--max-requeues`.

A message that is requeued and fails again comes back with the same MsgId and the same data, so it
is known by both. Where the copy differs (a new MsgId, a header taken off) the count goes on with
the copy, and both stand for the message from then on.

The counts are an index of the journal, made again from its operations where the file is missing
or after a prune. It is a table of fixed slots in a file (`slot_table`): a look-up reads one place,
and its size does not depend on how many operations there were but on how many messages they moved.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Final, TypeAlias

from mqtriage.emulator.core.home import private_folder
from mqtriage.model.plan import Plan, PlannedMessage
from mqtriage.mq.errors import MQTriageError, StorageError
from mqtriage.operations import journal as journals
from mqtriage.operations.plan_file import StoredPlan, read_head, read_plan
from mqtriage.operations.slot_table import SlotTable

DEFAULT_MOST: Final = 3
"""Requeues after which a message is left, where `--max-requeues` does not say."""

TABLE: Final = "requeues.table"
LOCK: Final = "requeues.lock"
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
        self._table: SlotTable | None = None
        self._none_yet = False

    def of(self, key: Key) -> int:
        """How often the message was requeued."""
        if self._table is None and not self._find_table():
            return 0
        try:
            return self._opened.count(_number(key))
        except OSError as error:
            raise self._told(error) from error

    def _find_table(self) -> bool:
        """Open the table; False where nothing was ever requeued.

        Nor is it looked for again: it does not come between two messages of one plan.
        """
        if self._none_yet:
            return False
        with self._telling():
            self._none_yet = not (self.path.exists() or self.journal.ops())
            if not self._none_yet:
                with self._locked():
                    self._attach()
        return not self._none_yet

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
        if self._table is not None:
            self._table.close()
            self._table = None

    # the table ------------------------------------------------------------------------------

    @property
    def _opened(self) -> SlotTable:
        if self._table is None:
            raise AssertionError("_attach() opens the table")
        return self._table

    def _add(self, moves: Iterable[Sequence[Key]]) -> None:
        for keys in moves:
            numbers = {_number(key) for key in set(keys)}
            count = 1 + max(map(self._opened.count, numbers))
            for number in numbers:
                self._opened.put(number, count)
            if self._opened.is_crowded:
                self._grow()

    def _attach(self) -> None:
        """Open the file as it is now; another process may have made a larger one."""
        try:
            inode = os.stat(self.path).st_ino
        except FileNotFoundError:
            self._make()
            return
        if self._table is not None and inode == self._table.inode:
            self._table.refresh()
            return
        self.close()
        self._table = SlotTable.open(self.path)

    def _make(self) -> None:
        private_folder(self.journal.folder)
        self._replace([], _FIRST_SLOTS)
        for op in self.journal.ops():
            with suppress(MQTriageError):  # a damaged one counts for nothing
                self._add(requeued(self.journal, op))

    def _grow(self) -> None:
        """Move to a table four times as large."""
        self._replace(self._opened.pairs(), 4 * self._opened.slots)

    def _replace(self, pairs: Iterable[tuple[int, int]], slots: int) -> None:
        """Put a new table with these counts in the place of the old one."""
        path = self.path.with_name(f"{TABLE}.{os.getpid()}")
        fresh = SlotTable.create(path, slots)
        try:
            for number, count in pairs:
                fresh.put(number, count)
            os.replace(path, self.path)
        except BaseException:
            fresh.close()
            path.unlink(missing_ok=True)
            raise
        self.close()
        self._table = fresh

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
            raise self._told(error) from error

    def _told(self, error: OSError) -> StorageError:
        return StorageError(
            f"{self.path}: {error.strerror}", hint="make room, or set MQTRIAGE_HOME"
        )


def _number(key: Key) -> int:
    """64 bits for a message, never 0."""
    return int.from_bytes(sha256(key[0] + key[1]).digest()[:8], "big") or 1


def requeued(journal: journals.Journal, op: str) -> Iterator[list[Key]]:
    """The messages that an operation requeued, each with the key of its copy."""
    path = journal.folder / op / journals.PLAN
    try:
        if read_head(path).request.max_requeues is None:
            return
    except OSError as error:
        raise StorageError(f"plan {path}: {error.strerror}") from error
    plan: StoredPlan | None = None
    for unit in journals.committed_units(journal, op):
        plan = plan or read_plan(path)  # an operation that just began has none, and may be large
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
