"""The whole ids behind what was given: the end of one, or the id that a sender knows.

Tables show the end of an id. A message that waits for its time has another MsgId than its sender
got, which is its CorrelId, and the CorrelId that its sender gave it is inside it (DD-51, DD-52).
An id that is text is padded with NUL by some programs and with blanks by others.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import field, replace
from itertools import chain
from typing import Final, TypeAlias

from mqtriage.backends.port import Backend, Match, QueueHandle
from mqtriage.messages.decoded import sender_correl_id, target_and_due
from mqtriage.messages.filters.expression import (
    Compare,
    Expression,
    IdTest,
    In,
    Like,
    Value,
    all_of,
    any_of,
    leaves,
    replaced,
)
from mqtriage.messages.filters.selection import ExactIds, Selection, build_selection
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.ids import format_id
from mqtriage.model.units import agreeing, count_text, first_of
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.due_time import UNDOCUMENTED
from mqtriage.mq.errors import NotFound, Refused, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.names import check_queue_name
from mqtriage.operations.selection.due_reading import ENOUGH_BYTES
from mqtriage.records import dataclass

_LISTED: Final = 8
_NAMED: Final = 3
_OPTIONS: Final = {"msg_id": "--msgid", "correl_id": "--correlid"}
_SENDER: Final = "sender_correl_id"
_STAGED: Final = {"msg_id": ("msg_id", "correl_id"), "correl_id": ("correl_id", _SENDER)}
"""Where the id of an option is looked for on the staging queue: the first place that has it."""
_MEANING: Final = {
    "correl_id": "the MsgId that the sender got, which is the CorrelId of the staged message",
    _SENDER: "the CorrelId that the sender gave",
}
_MEANINGS: Final = {
    "correl_id": "MsgIds that senders got, which are the CorrelIds of staged messages",
    _SENDER: "CorrelIds that senders gave",
}
_ABSENT: Final = {
    "msg_id": "not a MsgId of a staged message, nor one that a sender got",
    "correl_id": "not a CorrelId, nor one that a sender gave",
    "": "not a CorrelId of a staged message; those that senders gave are not available",
}


_GIVE_MORE: Final = "give more of its digits, or all 48"
_GIVE_HEX: Final = "give all 48 digits of the one that is meant"

_Pair: TypeAlias = tuple[bytes, bytes]
"""MsgId and CorrelId of a message."""


@dataclass(slots=True)
class _Lookup:
    """A test of an id.

    Attributes:
        places: where it is looked for.
        takes_several: what is given may be of several ids, all of which are meant.
        ids: by place those that it fits, each with MsgId and CorrelId of the messages that have it.
        is_untold: whether a message was there whose body, with what its sender gave, is not told.
    """

    test: IdTest
    places: tuple[str, ...]
    takes_several: bool = False
    ids: dict[str, dict[bytes, list[_Pair]]] = field(default_factory=dict)
    is_untold: bool = False
    values: frozenset[Value] = field(init=False)

    def __post_init__(self) -> None:
        self.values = frozenset(self.test.values if isinstance(self.test, In) else ())

    def look(self, message: Message) -> None:
        self.is_untold = self.is_untold or "body" in message.untold
        for place in self.places:
            ident = _of_sender(message) if place == _SENDER else getattr(message.md, place)
            if ident is None or not self._fits(ident):
                continue
            ids = self.ids.setdefault(place, {})
            if ident in ids or len(ids) <= _LISTED or self.takes_several or self.values:
                ids.setdefault(ident, []).append((message.md.msg_id, message.md.correl_id))

    def _fits(self, ident: bytes) -> bool:
        if isinstance(self.test, Compare):
            return ident == self.test.value
        if isinstance(self.test, In):
            return ident in self.values
        start, _, end = self.test.pattern.partition("%")
        digits = format_id(ident)
        return digits.startswith(start) and digits.endswith(end)

    @property
    def absence(self) -> str:
        """What an id is that no message has."""
        is_half = self.is_untold and _SENDER in self.places
        return _ABSENT["" if is_half else self.test.field]

    @property
    def paddings(self) -> tuple[tuple[bytes, bytes], ...]:
        """Of ids that are text, both forms."""
        return self.test.paddings if isinstance(self.test, In) else ()

    @property
    def is_of_one(self) -> bool:
        """Whether one id is given, whole or in part."""
        return not isinstance(self.test, In) or self.test.paddings == (self.test.values,)

    @property
    def asked(self) -> str:
        """The option with its value."""
        if self.paddings and self.is_of_one:
            shown = _as_text(self.paddings[0])
        elif isinstance(self.test, Compare):
            value = self.test.value
            shown = format_id(value) if isinstance(value, bytes) else str(value)
        elif isinstance(self.test, In):
            shown = ", ".join(format_id(one) for one in self.test.values if isinstance(one, bytes))
        else:
            shown = self.test.pattern
            shown = f"…{shown[1:]}" if shown.startswith("%") else f"{shown[:-1]}*"
        return f"{_OPTIONS[self.test.field]} {shown}"


def with_whole_ids(
    backend: Backend, queue: str, selection: Selection
) -> tuple[Selection, list[str]]:
    """Look for the ids on the queue where that is needed: it is browsed once for it.

    Returns:
        The selection by whole ids, and what ids are that were given in part or a sender knows.

    Raises:
        Refused: What was given is the end or the start of several ids; the text lists them.
    """
    staged = queue == STAGING_QUEUE
    if not staged:
        selection = _without_starts(selection)
    if not any(staged or _is_looked_up(test) for test in selection.id_tests):
        return selection, []
    name, options = check_queue_name(queue), cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING
    with closing(backend.open(name, options)) as handle:
        lookups = [
            _Lookup(
                test,
                _STAGED.get(test.field, (test.field,)) if staged else (test.field,),
                _takes_several(selection, test),
            )
            for test in selection.id_tests
            if _is_looked_up(test)
            or (staged and isinstance(test, In))
            or (staged and isinstance(test, Compare) and not _is_there(handle, test))
        ]
        browsed = [one for one in lookups if not _is_matched(handle, one, staged=staged)]
        reads_data = any(_SENDER in lookup.places for lookup in browsed)
        if browsed:
            _look(handle.browse(max_length=ENOUGH_BYTES if reads_data else 0), browsed)
    return _with(selection, lookups, queue)


def whole_ids_of(messages: Iterable[Message], selection: Selection, where: str) -> Selection:
    """The same for the messages of a file.

    Args:
        where: the file, for the error.

    Raises:
        Refused: What was given is the end or the start of several ids.
    """
    selection = _without_starts(selection)
    lookups = [
        _Lookup(test, (test.field,), _takes_several(selection, test))
        for test in selection.id_tests
        if _is_looked_up(test)
    ]
    if lookups:
        _look(messages, lookups)
    return _with(selection, lookups, where)[0]


def with_parts_of_one_id(selection: Selection) -> Selection:
    """The selection of a verb on one message: what begins an id is of one id, as its end is.

    Args:
        selection: of nothing but an id, or of nothing.
    """
    tests = tuple(leaf for leaf in leaves(selection.tree) if isinstance(leaf, Compare | Like | In))
    return replace(selection, id_tests=tests, starts_of_several=False)


def _without_starts(selection: Selection) -> Selection:
    """The selection without tests that need not be looked up: starts of ids that may be several."""
    if not selection.starts_of_several:
        return selection
    tests = tuple(t for t in selection.id_tests if not (isinstance(t, Like) and _is_start(t)))
    return replace(selection, id_tests=tests)


def _takes_several(selection: Selection, test: IdTest) -> bool:
    """Whether what is given may be of several ids: a start, or a text; never in a change."""
    is_one = isinstance(test, Compare) or (isinstance(test, Like) and not _is_start(test))
    return selection.starts_of_several and not is_one


def _is_looked_up(test: IdTest) -> bool:
    """Whether what is given does not say the whole id: a part, or text without its padding."""
    return isinstance(test, Like) or (isinstance(test, In) and bool(test.paddings))


def _is_start(test: Like) -> bool:
    return not test.pattern.startswith("%")


def whole_msg_id(backend: Backend, queue: str, text: str) -> bytes:
    """The MsgId that is meant by the text of an option `--msgid` that takes one.

    Raises:
        UsageError: Not an id.
        NotFound: No message has such a one.
        Refused: What was given fits several ids.
    """
    selection = with_parts_of_one_id(build_selection(SelectionOptions(msg_id=(text,))))
    if any(test == Compare("msg_id", "=", NO_ID) for test in selection.id_tests):
        raise UsageError(
            f"--msgid {text}: all bytes are zero, which a queue manager treats as any message"
        )
    ident = with_whole_ids(backend, queue, selection)[0].queue_manager_part.msg_id
    if ident is None:
        raise NotFound(f"no message {text} on {queue}", object_name=queue)
    return ident


def _of_sender(message: Message) -> bytes | None:
    facts = target_and_due(message, UNDOCUMENTED)
    return None if facts is None else sender_correl_id(message.body, facts.header)


def _is_there(handle: QueueHandle, test: Compare) -> bool:
    ids = ExactIds(**{test.field: test.value if isinstance(test.value, bytes) else None})
    return any(True for _ in handle.browse(Match(*ids), max_length=0))


def _is_matched(handle: QueueHandle, lookup: _Lookup, *, staged: bool) -> bool:
    """Whether the queue manager can tell which padding of one text is there: nothing is browsed."""
    if not (lookup.paddings and lookup.is_of_one):
        return False
    for value in lookup.paddings[0]:
        ids = ExactIds(**{lookup.test.field: value})
        if (message := next(iter(handle.browse(Match(*ids), max_length=0)), None)) is not None:
            lookup.look(message)
    return bool(lookup.ids) or not staged


def _look(messages: Iterable[Message], lookups: list[_Lookup]) -> None:
    for message in messages:
        for lookup in lookups:
            lookup.look(message)


def _with(selection: Selection, lookups: list[_Lookup], where: str) -> tuple[Selection, list[str]]:
    tree, notes = selection.tree, []
    for lookup in lookups:
        whole, more_notes = (
            _of_several(lookup, where)
            if not lookup.is_of_one or (lookup.takes_several and not lookup.paddings)
            else _of_one(lookup, where)
        )
        tree = None if tree is None else replaced(tree, lookup.test, whole)
        notes += more_notes
    return replace(selection, tree=tree, id_tests=()), notes


def _of_one(lookup: _Lookup, where: str) -> tuple[Expression, list[str]]:
    """The test by the whole id, and what that is.

    Raises:
        Refused: It is one of several.
    """
    test, pair = lookup.test, next(iter(lookup.paddings), None)
    place = next((place for place in lookup.places if place in lookup.ids), "")
    if not place:
        absent = [f"{lookup.asked} is {lookup.absence}"] if len(lookup.places) > 1 else []
        return test if pair is None else Compare(test.field, "=", pair[0]), absent
    ids = lookup.ids[place]
    if len(ids) > 1 and not (pair and lookup.takes_several):
        hint = _GIVE_MORE if pair is None else _GIVE_HEX
        raise _several(lookup.asked, list(ids), where, hint)
    facts = [format_id(next(iter(ids)))] if isinstance(test, Like) else []
    facts += [_MEANING[place]] if place != test.field else []
    facts += _paddings(pair, ids) if pair is not None else []
    return _at(lookup, place, ids), [f"{lookup.asked} is {', '.join(facts)}"]


def _paddings(pair: tuple[bytes, bytes], ids: Iterable[bytes]) -> list[str]:
    """Which forms of a text are there."""
    there = [name for name, form in zip(("NUL", "blanks"), pair, strict=True) if form in ids]
    if len(there) > 1:
        return ["on messages padded with NUL and on others padded with blanks"]
    return [f"{format_id(pair[there[0] == 'blanks'])}, padded with {there[0]}"]


def _of_several(lookup: _Lookup, where: str) -> tuple[Expression, list[str]]:
    """The test of all messages that have one of the ids, and whose ids these are.

    An id that is given whole is looked for at its places in turn, the start of ids at all of them.
    """
    test, by_place = lookup.test, dict[str, list[bytes]]()
    padded_notes: list[str] = []
    if isinstance(test, In):
        test, padded_notes = _without_absent_paddings(lookup, test, where)
        for ident in test.values:
            place = next((p for p in lookup.places if ident in lookup.ids.get(p, ())), "")
            by_place.setdefault(place, []).append(ident if isinstance(ident, bytes) else b"")
    else:
        by_place = {place: [*ids] for place, ids in lookup.ids.items()}
    elsewhere = [place for place in lookup.places if place != test.field and place in by_place]
    absent = by_place.get("", [])
    count = sum(map(len, by_place.values()))
    notes = padded_notes + [
        f"{len(by_place[place])} of {count_text(count, 'id')}"
        f" {agreeing(len(by_place[place]), 'are')}"
        f" {(_MEANING if len(by_place[place]) == 1 else _MEANINGS)[place]}"
        for place in (elsewhere if isinstance(test, In) else ())
    ]
    if absent and (elsewhere or test.field != "msg_id"):  # else who reads the queue says so
        named = ", ".join(first_of(list(map(format_id, absent)), _NAMED))
        notes.append(f"{len(absent)} of {count_text(count, 'id')}: {lookup.absence}: {named}")
    if not elsewhere:
        return test, notes
    own = [_at(lookup, test.field, by_place[test.field])] if test.field in by_place else []
    return any_of([*own, *(_at(lookup, p, by_place[p]) for p in elsewhere)]) or test, notes


def _without_absent_paddings(lookup: _Lookup, test: In, where: str) -> tuple[In, list[str]]:
    """The ids, each text in the form that is there, and in which one that is.

    Raises:
        Refused: A text is there in both, and one id is meant.
    """
    there = frozenset(chain.from_iterable(lookup.ids.values()))
    dropped: set[bytes] = set()
    blanks = both = 0
    for pair in test.paddings:
        has_nul, has_blanks = (form in there for form in pair)
        if has_nul and has_blanks:
            if not lookup.takes_several:
                asked = f"{_OPTIONS[test.field]} {_as_text(pair)}"
                raise _several(asked, list(pair), where, _GIVE_HEX)
            both += 1
        elif has_blanks:
            blanks += 1
            dropped.add(pair[0])
        else:
            dropped.add(pair[1])
    count = count_text(len(test.paddings), "text")
    notes = [f"{blanks} of {count} {agreeing(blanks, 'are')} padded with blanks"] if blanks else []
    if both:
        notes.append(
            f"{both} of {count} {agreeing(both, 'are')} on messages padded with NUL and on others"
            " padded with blanks"
        )
    values = tuple(value for value in test.values if value not in dropped)
    return test._replace(values=values, paddings=()), notes


def _as_text(pair: tuple[bytes, bytes]) -> str:
    """What was given of a text, as it is written."""
    given = bytes(nul for nul, blanks in zip(*pair, strict=True) if nul == blanks)
    if given.isascii() and (text := given.decode("ascii")).isprintable():
        return f"text:{text}"
    return f"ID:{given.hex().upper()}"


def _at(lookup: _Lookup, place: str, ids: Iterable[bytes]) -> Expression:
    """The test of the messages that have one of the ids at a place."""
    if place == _SENDER:
        pairs = chain.from_iterable(lookup.ids[place][ident] for ident in ids)
        both = (
            all_of([Compare("msg_id", "=", msg_id), Compare("correl_id", "=", correl_id)])
            for msg_id, correl_id in pairs
        )
        return any_of(test for test in both if test is not None) or In("msg_id", ())
    whole = tuple(ids)
    return Compare(place, "=", whole[0]) if len(whole) == 1 else In(place, whole)


def _several(asked: str, ids: list[bytes], where: str, hint: str) -> Refused:
    shown = ", ".join(map(format_id, ids[:_LISTED]))
    more = len(ids) > _LISTED
    count = f"more than {_LISTED}" if more else len(ids)
    return Refused(
        f"{asked} fits {count} ids on {where}: {shown}{' ...' if more else ''}",
        hint=hint,
        object_name=where,
    )
