"""The messages of archives that matter: those that left their queue, and that a selection chooses.

In an archive that is a copy those are all messages. In that of an act they are the ones that a
Commit line names: the others stayed on their queue, or nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.selector import SelectorError, parse_selector
from mqtriage.messages.filters.subject import DecodedHeaders, Subject
from mqtriage.messages.stored_messages import COPY, Numbered, Seal, Settled, read_line
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.errors import Refused, StorageError, UsageError
from mqtriage.mq.message import Message
from mqtriage.operations.archive.files import begun_of, lines_of, verify_hint
from mqtriage.operations.archive.reading import message_of, stored_in
from mqtriage.operations.selection.absent_ids import noting_absent_ids, stored_msg_id
from mqtriage.operations.selection.regex_limit import regex_budget
from mqtriage.records import dataclass

if TYPE_CHECKING:
    from mqtriage.messages.filters.subject import Subject

_UNSETTLED: Final = 0
_COMMITTED: Final = 1
_BACKED_OUT: Final = 2


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


def content(
    archives: Iterable[Path], selection: Selection, now_us: int, left_out: LeftOut
) -> Iterator[Numbered]:
    """The messages that left their queue and that *selection* chooses, in order.

    Args:
        now_us: what ages are counted to.

    Raises:
        Refused: The selection asks for the due time, which an archive cannot tell.
    """
    test = test_of(selection, now_us)
    paths = list(archives)
    where = paths[0].name if len(paths) == 1 else f"{len(paths)} archives"
    stored = (message for path in paths for message in _committed_messages(path, left_out))
    messages = noting_absent_ids(stored, selection, f"in {where}", stored_msg_id)
    return selection.window(messages if test is None else filter(test, messages))


def test_of(selection: Selection, now_us: int) -> Callable[[Numbered], bool] | None:
    """Whether a message of an archive is chosen; None where every one is.

    Raises:
        Refused: The selection asks for the due time, which an archive cannot tell.
    """
    test = message_test(selection, now_us)
    return None if test is None else lambda numbered: test(message_of(numbered))


def message_test(selection: Selection, now_us: int) -> Callable[[Message], bool] | None:
    """The same for a message in hand."""
    if selection.uses_due_time:
        raise Refused("a file does not say when a staged message was due: select by put time")
    predicate = selection.predicate(now_us, regex_budget())
    tests = [test for test in (predicate, _selector_test(selection)) if test]
    if not tests:
        return None

    def test(message: Message) -> bool:
        subject = Subject(message, DecodedHeaders)
        return all(passes(subject) for passes in tests)

    return test


def _selector_test(selection: Selection) -> Callable[[Subject], bool] | None:
    """The selection string, which no queue manager reads here."""
    if selection.selector is None:
        return None
    try:
        return parse_selector(selection.selector).selects
    except SelectorError as error:
        raise UsageError(f"--selector, {error}") from error


def _committed_messages(path: Path, left_out: LeftOut) -> Iterator[Numbered]:
    fates, whole = _fates(path)
    seal = Seal()
    for stored in stored_in(path, seal):
        if isinstance(stored, Numbered) and fates and not 0 < stored.number < len(fates):
            stored = Damaged(stored.entry.line, f"message {stored.number}, which is not there")
        if isinstance(stored, Damaged):
            left_out.damaged += 1
            left_out.first_damage = left_out.first_damage or f"line {stored.line}: {stored.text}"
        elif isinstance(stored, Numbered):
            fate = _COMMITTED if fates is None else fates[stored.number]
            if fate == _COMMITTED:
                yield stored
            elif fate == _BACKED_OUT or whole:
                left_out.stayed += 1
            else:
                left_out.unsettled += 1
    left_out.not_whole += seal.warnings(path.name)
    left_out.is_partial = left_out.is_partial or seal.is_damaged or left_out.damaged > 0


def outcome_of(path: Path) -> tuple[int | None, int | None, int | None]:
    """How many messages left their queue, were backed out, or have no recorded outcome.

    None for a copy, which does not remove messages from a queue.
    """
    fates, _ = _fates(path)
    if fates is None:
        return None, None, None
    return fates.count(_COMMITTED), fates.count(_BACKED_OUT), fates.count(_UNSETTLED) - 1


def _fates(path: Path) -> tuple[bytearray | None, bool]:
    """What became of each message by its number (None in a copy), and whether the end is there."""
    if begun_of(path).action == COPY:
        return None, True
    fates = bytearray(1)
    ended = False
    for number, line in enumerate(lines_of(path), start=1):
        if line.data.startswith(b'{"kind":"Message"'):
            fates.append(_UNSETTLED)
            continue
        stored = read_line(number, line.data)
        if isinstance(stored, Settled):
            for settled in stored.numbers:
                if not 0 < settled < len(fates):
                    raise StorageError(
                        f"{path}: line {number} names a message that is not there",
                        hint=verify_hint(path),
                    )
                fates[settled] = _COMMITTED if stored.committed else _BACKED_OUT
        ended = line.data.startswith(b'{"kind":"End"')
    return fates, ended
