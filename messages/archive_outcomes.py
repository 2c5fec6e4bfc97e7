"""What became of the messages in an archive: which left their queue, and which are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import Final

from mqtriage.messages.stored_messages import (
    COPY,
    ArchiveEnd,
    Begun,
    Numbered,
    Settled,
    Stored,
)
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.records import dataclass

UNSETTLED: Final = 0
COMMITTED: Final = 1
BACKED_OUT: Final = 2


@dataclass(slots=True)
class Outcomes:
    """Those of one archive.

    Attributes:
        by_number: of each message, the first at 1; None in a copy, which has no outcomes.
        is_whole: whether the last line is there.
    """

    by_number: bytearray | None = None
    is_whole: bool = True

    def see(self, stored: Stored) -> None:
        """Take the next line of the archive.

        Raises:
            ValueError: It names a message that is not there.
        """
        if isinstance(stored, ArchiveEnd):
            self.is_whole = True
        elif isinstance(stored, Numbered):
            self.add_message()
        elif isinstance(stored, Settled) and self.by_number is not None:
            if not all(0 < number < len(self.by_number) for number in stored.numbers):
                raise ValueError("names a message that is not there")
            for number in stored.numbers:
                self.by_number[number] = COMMITTED if stored.committed else BACKED_OUT

    def add_message(self) -> None:
        """Take the next message, also one that cannot be read: it has its number."""
        if self.by_number is not None:
            self.by_number.append(UNSETTLED)

    def is_known(self, number: int) -> bool:
        """Whether the archive has a message of this number."""
        return self.by_number is None or 0 < number < len(self.by_number)

    def is_left_out(self, number: int, left_out: LeftOut, *, keep_unsettled: bool = False) -> bool:
        """Whether a message is not known to have left its queue; then *left_out* counts it."""
        if self.by_number is None:
            return False
        outcome = self.by_number[number] if self.is_known(number) else UNSETTLED
        if outcome == COMMITTED or (outcome == UNSETTLED and keep_unsettled):
            return False
        if outcome == UNSETTLED and not self.is_whole:
            left_out.unsettled += 1
        else:
            left_out.stayed += 1
        return True


def begun_outcomes(begun: Begun) -> Outcomes:
    """The outcomes of an archive of which only the first line was read."""
    is_copy = begun.action == COPY
    return Outcomes() if is_copy else Outcomes(bytearray(1), is_whole=False)


@dataclass(slots=True)
class LeftOut:
    """What of the archives is not handed over, counted while they are read.

    Attributes:
        stayed: backed out, or never taken: they were still on their queue.
        unsettled: no line says whether they were taken, and the archive has no last line.
        damaged: lines that cannot be read; *first_damage* tells of the first.
        not_whole: what to say of archives that were changed, or have no last line.
        is_partial: messages cannot be read, or are missing.
    """

    stayed: int = 0
    unsettled: int = 0
    damaged: int = 0
    first_damage: str = ""
    not_whole: list[str] = field(default_factory=list)
    is_partial: bool = False

    def sentences(self, operation: str = "the operation") -> list[str]:
        """What to warn of."""
        sentences = []
        if self.stayed:
            sentences.append(f"{self.stayed} skipped: {operation} did not remove them")
        if self.unsettled:
            sentences.append(f"{self.unsettled} skipped: their outcome is not recorded")
        if self.damaged:
            sentences.append(f"{self.damaged} skipped: damaged; {self.first_damage}")
        return [*sentences, *self.not_whole]


def without_left_out(
    stored: Iterable[Stored],
    outcomes: Sequence[Outcomes],
    left_out: LeftOut,
    *,
    keep_unsettled: bool = False,
) -> Iterator[Stored]:
    """All lines, but only those messages that left their queue; the others are counted.

    Args:
        keep_unsettled: leave out only what was backed out. The other messages may have left it,
            even in a whole archive: the line that says so may be damaged.
    """
    remaining = iter(outcomes)
    here = Outcomes()
    for one in stored:
        if isinstance(one, Begun):
            here = next(remaining, Outcomes())
        if not isinstance(one, Numbered):
            yield one
        elif not here.is_known(one.number) and here.is_whole and not keep_unsettled:
            yield Damaged(one.entry.line, f"message {one.number}, which is not there")
        elif not here.is_left_out(one.number, left_out, keep_unsettled=keep_unsettled):
            yield one
