"""Which messages a verb is about: the selection options, made into one filter.

Options are joined with AND, the same option given twice with OR; `--where` joins as one more
option. The filter is parsed once, into the tree of `expression`, and used three
ways: ids that the queue manager can match by itself, a predicate over the messages it returns,
and, in `pipeline/`, Spark columns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from itertools import filterfalse, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mqtriage.messages.filters.expression import (
    Compare,
    Contains,
    Expression,
    IdTest,
    In,
    Like,
    Matches,
    all_of,
    leaves,
    renamed,
    to_text,
    top_level_parts,
)
from mqtriage.messages.filters.fields import Need, spec_of
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.messages.filters.subject import Subject
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.records import NamedTuple, dataclass

if TYPE_CHECKING:
    from mqtriage.messages.body_regex import RegexBudget
    from mqtriage.mq.due_time import DueReading

_T = TypeVar("_T")
SHORT_TEXT_BYTES: Final = 8
_SHOWN: Final = 300


class ExactIds(NamedTuple):
    """Ids for the match options of MQGET; None matches any."""

    msg_id: bytes | None = None
    correl_id: bytes | None = None
    group_id: bytes | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter that is ready to use.

    Attributes:
        tree: None selects every message.
        skip, limit: applied to the messages that the rest selects.
        id_notes: sentences for stderr: which bytes each id was read as.
        id_tests: what is left to be looked up of the ids that were given, each a leaf of the tree
            (`operations.selection.whole_ids`).
        starts_of_several: what is given of an id's start may be that of several, as in a command
            that only reads; its end is of one.
        due_reading: how due times are read where it selects by them; None before that is known
            (`operations.selection.due_reading`).
        passed_over: of messages that the rest selects, those that limit does not count.
        note: told how many messages are not selected because a field is NULL, and which MsgIds no
            message has.
        warn: told when no message read has a field that it needs.
        lenient: another queue, or a message that is still to come, may have what is missing: warn
            also where the field looks misspelt, and say nothing of a MsgId.
    """

    tree: Expression | None = None
    selector: str | None = None
    skip: int = 0
    limit: int | None = None
    id_notes: tuple[str, ...] = field(default=(), compare=False)
    id_tests: tuple[IdTest, ...] = field(default=(), compare=False)
    starts_of_several: bool = field(default=False, compare=False)
    due_reading: DueReading | None = field(default=None, compare=False)
    passed_over: Callable[[Any], bool] | None = field(default=None, compare=False)
    warn: Callable[[str], None] | None = field(default=None, compare=False)
    lenient: bool = field(default=False, compare=False)
    note: Callable[[str], None] | None = field(default=None, compare=False)

    def predicate(
        self, now_us: int, budget: RegexBudget | None = None
    ) -> Callable[[Subject], bool] | None:
        """The test of one message, with now at *now_us*; None when every message is selected.

        Skip, limit and selector are not part of it.

        Args:
            budget: what the regular expressions of all messages may spend together.
        """
        if self.tree is None:
            return None
        from mqtriage.messages.filters.predicate import compile_tree

        return compile_tree(self.tree, now_us, budget)

    @property
    def is_condition(self) -> bool:
        """Whether the tree alone selects the messages: no selection string, skip or limit does."""
        return not self.selector and not self.skip and self.limit is None

    def window(self, chosen: Iterable[_T]) -> Iterator[_T]:
        """Those of *chosen* that skip and limit leave; reading stops at the limit."""
        # islice takes no greater number, and no queue holds as many
        rest = islice(chosen, min(self.skip, sys.maxsize), None) if self.skip else iter(chosen)
        if self.passed_over is not None:
            rest = filterfalse(self.passed_over, rest)
        return rest if self.limit is None else islice(rest, min(self.limit, sys.maxsize))

    @property
    def queue_manager_part(self) -> ExactIds:
        """What MQGET can match by itself: one exact id of a kind that every message must have."""
        exact: dict[str, set[bytes]] = {}
        for part in top_level_parts(self.tree):
            if (
                isinstance(part, Compare)
                and part.field in ExactIds._fields
                and part.op == "="
                and isinstance(part.value, bytes)
                and part.value != NO_ID  # the queue manager would take it as any
            ):
                exact.setdefault(part.field, set()).add(part.value)
        return ExactIds(**{name: ids.pop() for name, ids in exact.items() if len(ids) == 1})

    @property
    def fields_used(self) -> frozenset[str]:
        """Fields that the filter asks for, as the tree spells them."""
        return frozenset(leaf.field for leaf in leaves(self.tree))

    @property
    def needs(self) -> frozenset[str]:
        """What must be worked out for the filter: of ``headers``, ``body`` and ``due``.

        With ``body`` the whole message must be browsed; ``body`` and ``due`` include ``headers``.
        """
        needs = {spec_of(name).need for name in self.fields_used} - {Need.MQMD}
        return frozenset(str(need) for need in (needs | {Need.HEADERS} if needs else needs))

    @property
    def uses_due_time(self) -> bool:
        """Whether the due time of staged messages decides; guarded on a real queue manager."""
        return any(spec_of(name).need is Need.DUE for name in self.fields_used)

    def explain(self) -> list[str]:
        """Lines for `--explain-select`: what the queue manager does, and what we do."""
        exact = self.queue_manager_part
        pairs = [(name, ident) for name, ident in exact._asdict().items() if ident is not None]
        lines = [f"queue manager: {name} = {ident.hex().upper()}" for name, ident in pairs]
        texts = [
            part
            for part in top_level_parts(self.tree)
            if isinstance(part, In) and part.paddings == (part.values,)
        ]
        lines += [f"queue manager: {to_text(part)}, whichever is there" for part in texts]
        if self.selector is not None:
            lines.append(f"queue manager: selection string {self.selector}")
        if not lines:
            lines.append("queue manager: returns every message")
        ours = [
            part
            for part in top_level_parts(self.tree)
            if part not in texts
            and not (isinstance(part, Compare) and (part.field, part.value) in pairs)
        ]
        lines += [f"mqtriage: {_short(part)}" for part in ours]
        if self.skip:
            lines.append(f"mqtriage: leaves out the first {self.skip} selected")
        if self.limit is not None:
            lines.append(f"mqtriage: stops after {self.limit} selected")
        return lines


def build_selection(
    options: SelectionOptions,
    ids_lines: Iterable[str] | None = None,
    *,
    for_write: bool = False,
    for_purge: bool = False,
    yes_short_text: bool = False,
    names: Mapping[str, str] = MappingProxyType({}),
) -> Selection:
    """Make the filter from the options.

    Args:
        ids_lines: the lines of the files of `--ids-from`, None where it was not given.
        for_write: the verb changes something: all-zero ids are refused, and what begins or ends an
            id is of one id alone.
        for_purge: the verb deletes: short body texts are refused too. Implies *for_write*.
        names: what a field that is asked for is where the verb shows another one by its name.

    Raises:
        Refused: A body text shorter than 8 bytes, for a purge.
    """
    from mqtriage.messages.filters.conditions import conditions

    asked = conditions(
        options, ids_lines, for_write=for_write or for_purge, dead_letters=bool(names)
    )
    tree = all_of(renamed(part, names) for part in asked.parts)
    if for_purge and not yes_short_text:
        refuse_short_text(tree)
    skip, limit = _window(options)
    return Selection(
        tree,
        _one_of(options.selector),
        skip,
        limit,
        tuple(asked.id_notes),
        tuple(asked.id_tests),
        starts_of_several=not (for_write or for_purge),
    )


def _one_of(selectors: tuple[str, ...]) -> str | None:
    """One selection string for all; an empty one, which is every message, is refused."""
    if not all(text.strip() for text in selectors):
        raise UsageError("--selector: the selection string is empty")
    if len(selectors) < 2:
        return selectors[0] if selectors else None
    return " OR ".join(f"({text})" for text in selectors)


def refuse_short_text(tree: Expression | None) -> None:
    """Refuse a body text shorter than 8 bytes: it is in messages nobody meant."""
    for leaf in leaves(tree):
        if leaf.field != "body" or not isinstance(leaf, Contains | Like | Matches):
            continue
        value = leaf.value if isinstance(leaf, Contains) else leaf.pattern
        if isinstance(leaf, Like):
            value = max(leaf.pattern.replace("_", "%").split("%"), key=len)
        length = len(value if isinstance(value, bytes) else value.encode("utf-8", "replace"))
        if length < SHORT_TEXT_BYTES:
            msg = f"{to_text(leaf)}: {length} bytes select by chance; a purge needs at least 8"
            raise Refused(msg, hint="give a longer text")


def _window(options: SelectionOptions) -> tuple[int, int | None]:
    """How many selected messages are left out first, and how many are taken then."""
    if options.skip < 0:
        raise UsageError(f"--skip {options.skip}: 0 or more is expected")
    if options.limit is not None and options.limit < 1:
        raise UsageError(f"--limit {options.limit}: 1 or more is expected")
    return options.skip, options.limit


def _short(part: Expression) -> str:
    if isinstance(part, In) and len(part.values) > 5:
        return f"{part.field} is one of {len(part.values)}"
    text = to_text(part)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + " ..."
