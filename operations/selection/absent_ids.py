"""MsgIds that a selection asks for: those that no message has, and those that several have.

The first have left meanwhile, as it may be. Of the others one message may be meant, such as the
damaged original of a repaired message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

from mqtriage.messages.filters.expression import (
    Compare,
    Expression,
    In,
    Like,
    Or,
    leaves,
    top_level_parts,
)
from mqtriage.messages.filters.like import like_function
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.ids import format_id
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.units import first_of

_T = TypeVar("_T")
_NAMED: Final = 3


def noting_absent_ids(
    messages: Iterable[_T],
    selection: Selection,
    where: str,
    msg_id_of: Callable[[_T], bytes | None],
) -> Iterable[_T]:
    """All of *messages*; at their end, `selection.note` is told which MsgIds none of them has.

    Nothing is said of a single id: then no message is selected, which others say.

    Args:
        where: ``on QUEUE`` or ``in FILE``.
        msg_id_of: None for what is not a message.
    """
    asked = [test for part in top_level_parts(selection.tree) for test in _id_tests(part)]
    with_nul = {
        blanks: nul
        for leaf in leaves(selection.tree)
        if isinstance(leaf, In)
        for nul, blanks in leaf.paddings
    }
    if selection.note is None or len(asked) < 2:
        return messages

    def asked_for(message: _T) -> bytes | None:
        ident = msg_id_of(message)
        return None if ident is None else with_nul.get(ident, ident)

    return _noting(messages, asked, where, asked_for, selection.note)


def repeated_ids(messages: Iterable[PlannedMessage], selection: Selection) -> str:
    """Which MsgIds several of *messages* have, which were selected by MsgId; else "".

    A pattern in a condition gives no MsgId: it selects more of them than it has tests.
    """
    asked = sum(len(_id_tests(part)) for part in top_level_parts(selection.tree))
    counts: Counter[bytes] = Counter()
    for message in messages if asked else ():
        counts[message.msg_id] += 1
        if len(counts) > asked:  # it could be all of the queue
            return ""
    repeated = [ident for ident, count in counts.items() if count > 1]
    if not repeated:
        return ""
    if len(repeated) == 1:
        return f"{counts[repeated[0]]} messages have MsgId {format_id(repeated[0])}"
    named = ", ".join(first_of(list(map(format_id, repeated)), _NAMED))
    return f"{len(repeated)} MsgIds belong to more than one message each: {named}"


def _noting(
    messages: Iterable[_T],
    asked: list[bytes | Like],
    where: str,
    msg_id_of: Callable[[_T], bytes | None],
    note: Callable[[str], None],
) -> Iterator[_T]:
    ids = dict.fromkeys(test for test in asked if isinstance(test, bytes))
    patterns = {
        test: like_function(test.pattern, test.escape) for test in asked if isinstance(test, Like)
    }
    count = len(ids) + len(patterns)
    for message in messages:
        ident = msg_id_of(message)
        if ident is not None:
            ids.pop(ident, None)
            if patterns:
                digits = format_id(ident)
                for test in [one for one, fits in patterns.items() if fits(digits)]:
                    del patterns[test]
        yield message
    absent = [*map(format_id, ids), *(test.pattern.replace("%", "*") for test in patterns)]
    if absent:
        verb = "is" if len(absent) == 1 else "are"
        named = ", ".join(first_of(absent, _NAMED))
        note(f"{len(absent)} of {count} MsgIds {verb} not {where}: {named}")


def _id_tests(part: Expression) -> list[bytes | Like]:
    """The MsgIds of which a message must have one, or the patterns for them; else nothing."""
    tests: Any = part.parts if isinstance(part, Or) else (part,)
    ids_or_patterns: list[bytes | Like] = []
    for test in tests:
        if getattr(test, "field", "") != "msg_id":
            return []
        if isinstance(test, In):
            blanks = {form for _, form in test.paddings}
            ids_or_patterns += (v for v in test.values if isinstance(v, bytes) and v not in blanks)
        elif isinstance(test, Compare) and test.op == "=" and isinstance(test.value, bytes):
            ids_or_patterns.append(test.value)
        elif isinstance(test, Like):
            ids_or_patterns.append(test)
        else:
            return []
    return ids_or_patterns
