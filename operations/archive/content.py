"""The messages of archives that matter: those that left their queue, and that a selection chooses.

In an archive that is a copy those are all messages. In that of an act they are the ones that a
Commit line names: the others stayed on their queue, or nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from mqtriage.messages.archive_outcomes import (
    BACKED_OUT,
    COMMITTED,
    UNSETTLED,
    LeftOut,
    without_left_out,
)
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.selector import SelectorError, parse_selector
from mqtriage.messages.filters.subject import DecodedHeaders, Subject
from mqtriage.messages.stored_messages import Numbered, Seal, Stored
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.message import Message
from mqtriage.operations.archive.files import begun_of
from mqtriage.operations.archive.outcomes import outcomes_of, readable_outcomes
from mqtriage.operations.archive.reading import Watch, message_of, stored_in
from mqtriage.operations.selection.absent_ids import noting_absent_ids
from mqtriage.operations.selection.regex_limit import regex_budget
from mqtriage.operations.selection.selected import FieldCheck

if TYPE_CHECKING:
    from mqtriage.messages.filters.subject import Subject

S = TypeVar("S", bound=Stored)
Choice: TypeAlias = Callable[[Numbered], bool]


def content(
    archives: Iterable[Path], selection: Selection, now_us: int, left_out: LeftOut
) -> Iterator[Numbered]:
    """The messages that left their queue and that *selection* chooses, in order.

    Args:
        now_us: what ages are counted to.

    Raises:
        Refused: The selection asks for the due time, which an archive cannot tell.
    """
    paths = list(archives)
    where = paths[0].name if len(paths) == 1 else f"{len(paths)} archives"
    tested = FieldCheck(selection, now_us)
    test = _of_numbered(message_test(selection, now_us, tested))
    stored = (message for path in paths for message in _committed_messages(path, left_out))
    messages = watched(stored, tested, where)
    return selection.window(messages if test is None else filter(test, messages))


def chosen_in(name: str, selection: Selection, now_us: int) -> tuple[Choice | None, Watch]:
    """What chooses messages of the file *name* (None: each is meant), and sees all that it holds.

    Raises:
        Refused: The selection asks for the due time, which an archive cannot tell.
    """
    tested = FieldCheck(selection, now_us)
    test = _of_numbered(message_test(selection, now_us, tested))
    return test, partial(watched, tested=tested, name=name)


def watched(stored: Iterable[S], tested: FieldCheck, name: str) -> Iterator[S]:
    """All that the file *name* holds; at its end, the selection is told what no message has.

    Raises:
        Refused: A message has nearly a field of the selection.
    """
    yield from noting_absent_ids(stored, tested.selection, f"in {name}", _msg_id)
    tested.tell(name)


def _msg_id(stored: Stored) -> bytes | None:
    """The MsgId of a message in a file; None for any other line."""
    return stored.entry.md.msg_id if isinstance(stored, Numbered) else None


def _of_numbered(test: Callable[[Message], bool] | None) -> Choice | None:
    return None if test is None else lambda numbered: test(message_of(numbered))


def message_test(
    selection: Selection, now_us: int, tested: FieldCheck | None = None
) -> Callable[[Message], bool] | None:
    """Whether a message in hand is chosen; None where each is.

    Args:
        tested: gets every message that is tested.
    """
    if selection.uses_due_time:
        raise Refused("a file does not say when a staged message was due: select by put time")
    predicate = selection.predicate(now_us, regex_budget())
    tests = [test for test in (predicate, _selector_test(selection)) if test]
    if not tests:
        return None

    def test(message: Message) -> bool:
        subject = Subject(message, DecodedHeaders)
        chosen = all(passes(subject) for passes in tests)
        if tested is not None:
            tested.add(subject, chosen=chosen)
        return chosen

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
    seal = Seal()
    begun_of(path)  # refuses what is not an archive
    for stored in without_left_out(stored_in(path, seal), readable_outcomes(path), left_out):
        if isinstance(stored, Damaged):
            left_out.damaged += 1
            left_out.first_damage = left_out.first_damage or f"line {stored.line}: {stored.text}"
        elif isinstance(stored, Numbered):
            yield stored
    left_out.not_whole += seal.warnings(path.name)
    left_out.is_partial = left_out.is_partial or seal.is_damaged or left_out.damaged > 0


def outcome_of(path: Path) -> tuple[int | None, int | None, int | None]:
    """How many messages left their queue, were backed out, or have no recorded outcome.

    None for a copy, which does not remove messages from a queue.
    """
    begun_of(path)
    outcomes = outcomes_of(path)[0].by_number
    if outcomes is None:
        return None, None, None
    settled = outcomes.count(COMMITTED), outcomes.count(BACKED_OUT)
    return *settled, outcomes.count(UNSETTLED) - 1
