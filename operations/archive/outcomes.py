"""What became of the messages in an archive: which left their queue, and which are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from mqtriage.messages.stored_messages import (
    COPY,
    ArchiveEnd,
    Begun,
    Numbered,
    Settled,
    Stored,
    read_line,
)
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.errors import StorageError
from mqtriage.operations.archive.files import lines_of, verify_hint
from mqtriage.records import NamedTuple, dataclass

UNSETTLED: Final = 0
COMMITTED: Final = 1
BACKED_OUT: Final = 2


class Outcomes(NamedTuple):
    """Those of one archive.

    Attributes:
        by_number: of each message, the first at 1; None in a copy, which has no outcomes.
        is_whole: whether the last line is there.
    """

    by_number: bytearray | None
    is_whole: bool = True


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

    def sentences(self) -> list[str]:
        """What to warn of."""
        sentences = []
        if self.stayed:
            sentences.append(f"{self.stayed} skipped: the operation did not remove them")
        if self.unsettled:
            sentences.append(f"{self.unsettled} skipped: their outcome is not recorded")
        if self.damaged:
            sentences.append(f"{self.damaged} skipped: damaged; {self.first_damage}")
        return [*sentences, *self.not_whole]


def outcomes_of(path: Path) -> list[Outcomes]:
    """The outcomes of the archive *path*, alone in a list."""
    return outcomes_in(str(path), (line.data for line in lines_of(path)))


def outcomes_if_whole(path: Path) -> list[Outcomes]:
    """The same; none of an archive that lacks lines, all of whose messages are to be seen."""
    try:
        return outcomes_of(path)
    except StorageError:
        return []


def outcomes_in(name: str, lines: Iterable[bytes]) -> list[Outcomes]:
    """The outcomes of each archive in the file *name*; none where it is no archive.

    Raises:
        StorageError: A line names a message that is not there.
    """
    archives: list[Outcomes] = []
    for number, line in enumerate(lines, start=1):
        is_message = line.startswith(b'{"kind":"Message"')
        stored = None if is_message and archives else read_line(number, line)
        if isinstance(stored, Begun):
            is_copy = stored.action == COPY
            archives.append(Outcomes(None) if is_copy else Outcomes(bytearray(1), is_whole=False))
        elif not archives and line.strip():
            break
        elif isinstance(stored, ArchiveEnd):
            archives[-1] = archives[-1]._replace(is_whole=True)
        elif archives and (outcomes := archives[-1].by_number) is not None:
            if is_message or isinstance(stored, Numbered):
                outcomes.append(UNSETTLED)
            elif isinstance(stored, Settled):
                if not all(0 < settled < len(outcomes) for settled in stored.numbers):
                    raise StorageError(
                        f"{name}: line {number} names a message that is not there",
                        hint=verify_hint(name),
                    )
                for settled in stored.numbers:
                    outcomes[settled] = COMMITTED if stored.committed else BACKED_OUT
    return archives


def that_left(
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
    here = Outcomes(None)
    for one in stored:
        if isinstance(one, Begun):
            here = next(remaining, Outcomes(None))
        if not isinstance(one, Numbered) or here.by_number is None:
            yield one
            continue
        is_known = 0 < one.number < len(here.by_number)
        if not is_known and here.is_whole and not keep_unsettled:
            yield Damaged(one.entry.line, f"message {one.number}, which is not there")
            continue
        outcome = here.by_number[one.number] if is_known else UNSETTLED
        if outcome == COMMITTED or (outcome == UNSETTLED and keep_unsettled):
            yield one
        elif outcome == UNSETTLED and not here.is_whole:
            left_out.unsettled += 1
        else:
            left_out.stayed += 1
