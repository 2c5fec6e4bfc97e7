"""Put back what an operation took: copies from where they are now, originals out of its archive."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mqtriage.messages.stored_messages import Numbered, read_line
from mqtriage.model.plan import PlannedMessage
from mqtriage.mq.errors import (
    StorageError,
)
from mqtriage.mq.message import Message
from mqtriage.operations.archive.files import lines_of
from mqtriage.operations.copies.copy import kept_expiry
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.plan_file import StoredPlan
from mqtriage.operations.ledger.rebuild import TAKEN
from mqtriage.operations.ledger.units import COMMITTED
from mqtriage.operations.selection.duplicates import duplicate_key, duplicate_keys

LIFETIME_OVER = (
    "its lifetime has ended; --expiry original restores the lifetime that it had when it was "
    "removed"
)


class Originals:
    """The messages that an operation took and that became final, by number in its plan.

    An archive is read from front to back, so ask in the order of the numbers.
    """

    def __init__(self, journal: Journal, op: str) -> None:
        self.op = op
        self.plan: StoredPlan = journal.plan(op)
        size = len(self.plan.messages) + 1
        self._archived = array("Q", bytes(8 * size))
        self._file = array("H", bytes(2 * size))
        self._at_us = array("q", bytes(8 * size))
        self._files: list[Path | None] = [None]
        self._streams: dict[int, Iterator[Numbered]] = {}
        self._last: dict[int, Numbered] = {}
        self._duplicates = duplicate_keys(self.plan.messages)
        for unit in journal.units(self.op):
            if unit.archive is not None and self._files[-1] != unit.archive:
                self._files.append(unit.archive)
            for taken in unit.messages:
                self._archived[taken.number] = taken.archived
                self._file[taken.number] = len(self._files) - 1 if taken.archived else 0
                self._at_us[taken.number] = unit.at_us if unit.ended in (COMMITTED, "") else 0

    def count_duplicate(self, planned: PlannedMessage, restored: Counter[bytes]) -> None:
        """Count a message that was put back, where another that is just like it may follow."""
        if (key := duplicate_key(planned)) in self._duplicates:
            restored[key] += 1

    def message(self, number: int, now_us: int, *, as_taken: bool) -> Message | str:
        """The message as it was, or why it cannot be given back.

        Args:
            as_taken: with the lifetime that it had then; else with what would be left of it now.
        """
        archived = self._archived[number]
        if not archived:
            return "it is not in an archive"
        try:
            numbered = self._find(self._file[number], archived)
        except (OSError, StorageError) as error:
            return f"its archive cannot be read: {error}"
        if numbered is None:
            return "its archive does not contain it, or is damaged there"
        md = numbered.entry.md
        elapsed_us = 0 if as_taken else max(0, now_us - self._at_us[number])
        tenths = kept_expiry(md.expiry_tenths, elapsed_us)
        if tenths == 0:
            return LIFETIME_OVER
        body = numbered.entry.body
        return Message(md._replace(expiry_tenths=tenths, backout_count=0), body, len(body))

    def _find(self, file: int, archived: int) -> Numbered | None:
        path = self._files[file]
        if path is None:
            return None
        last = self._last.get(file)
        if file not in self._streams or (last is not None and last.number > archived):
            self._streams[file] = _messages(path)
            last = None
        while last is None or last.number < archived:
            last = next(self._streams[file], None)
            if last is None:
                return None
            self._last[file] = last
        return last if last.number == archived else None


def _messages(path: Path) -> Iterator[Numbered]:
    for line in lines_of(path):
        stored = read_line(0, line.data)
        if isinstance(stored, Numbered):
            yield stored


def undone(journal: Journal, op: str) -> dict[str, bytearray]:
    """By id of an earlier undo of the operation: what it put back, a byte a message by number."""
    backs: dict[str, bytearray] = {}
    size = journal.row("SELECT messages FROM operation WHERE op = ?", op) or (0,)
    for undo in journal.undos(op):
        back = backs[undo] = bytearray(size[0] + 1)
        for (number,) in journal.rows(_PUT_BACK, undo, COMMITTED):
            back[number] = 1
    return backs


_PUT_BACK = f"SELECT origin FROM {TAKEN} WHERE op = ? AND unit.ended = ?"
