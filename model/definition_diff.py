"""What is to change on a queue manager, in order of need, and the MQSC that takes it back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mqtriage.model.desired import (
    DEFAULT_OBJECTS,
    Live,
    LiveObject,
    Values,
    Wanted,
    default_object,
    place_text,
    settable,
)
from mqtriage.model.estate import Place
from mqtriage.mq.attributes import AttributeValue
from mqtriage.mq.mqsc_format import alter_text, define_text, delete_text

_REFERENCES: Final = ("BOQNAME", "TARGET", "XMITQ", "STREAMQ", "INITQ")
"""Attributes of a queue that name another queue."""
_FIRST_OF_ALL: Final = ("MAXMSGL",)


@dataclass(frozen=True, slots=True)
class DefinitionChange:
    """One command to run.

    Attributes:
        verb: "define", "alter" or "delete".
        name: "" for the queue manager.
        attributes: values that the command names, empty for a delete.
        before: for an alter the values now, for a delete all values of the object.
    """

    verb: str
    kind: str
    name: str
    attributes: Values
    before: Values
    place: Place = field(default_factory=Place)
    purge: bool = False

    @property
    def mqsc(self) -> str:
        """The command."""
        if self.verb == "define":
            return define_text(self.kind, self.name, self.attributes)
        if self.verb == "alter":
            return alter_text(self.kind, self.name, self.attributes)
        return delete_text(self.kind, self.name, purge=self.purge)

    @property
    def back(self) -> str:
        """The command that takes it back; messages that went with a queue do not come back."""
        if self.verb == "define":
            return delete_text(self.kind, self.name)
        if self.verb == "alter":
            return alter_text(self.kind, self.name, self.before)
        return define_text(self.kind, self.name, self.before)

    @property
    def title(self) -> str:
        """``alter QLOCAL(ORDERS.IN)``."""
        return f"{self.verb} {object_text(self.kind, self.name)}"

    def record(self) -> dict[str, object]:
        """JSON content."""
        return {
            "action": self.verb,
            "object_type": self.kind,
            "object": self.name or None,
            "file": self.place.file or None,
            "line": self.place.line or None,
            "attributes": [
                {"attribute": key, "from": self.before.get(key), "to": value}
                for key, value in self.attributes.items()
            ],
            "mqsc": self.mqsc,
            "back": self.back,
        }


def object_text(kind: str, name: str) -> str:
    """``QLOCAL(ORDERS.IN)``, ``QMGR``."""
    return f"{kind}({name})" if name else kind


@dataclass(slots=True)
class Difference:
    """All changes in order, and what stands against them.

    Attributes:
        refusals: why it cannot be done, each with a hint.
        notes: what to know before.
    """

    changes: list[DefinitionChange] = field(default_factory=list)
    refusals: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def forward(self) -> list[str]:
        """The commands, in the order to run them."""
        return [change.mqsc for change in self.changes]

    @property
    def back(self) -> list[str]:
        """The commands that take everything back, in the order to run them."""
        return [change.back for change in reversed(self.changes)]


def compare(wanted: Iterable[Wanted], live: Live) -> Difference:
    """What has to change so that the queue manager is as wanted."""
    wanted = list(wanted)
    found = Difference()
    fixed = _Defaults(live, {each.name for each in wanted})
    setting: list[DefinitionChange] = []
    deleting: list[DefinitionChange] = []
    managing: list[DefinitionChange] = []
    for each in wanted:
        if each.kind == "QMGR":
            managing += _manager_changes(each, live)
        elif each.absent:
            deleting += _deletion(each, live, found, fixed)
        else:
            setting += _setting(each, live, found, fixed)
    topics = [change for change in setting if change.kind == "TOPIC"]
    gone = [change for change in deleting if change.kind == "TOPIC"]
    setting = [change for change in setting if change.kind != "TOPIC"]
    deleting = [change for change in deleting if change.kind != "TOPIC"]
    first = [change for change in managing if _raises(change)]
    last = [change for change in managing if not _raises(change)]
    ordered = in_order_of_need(setting)
    leaving = list(reversed(in_order_of_need(deleting)))
    # topics name model queues, so they come after the queues and go before them
    found.changes = [*first, *ordered, *topics, *last, *gone, *leaving]
    return found


def _raises(change: DefinitionChange) -> bool:
    """Whether it must come before the queues: they may need the higher limit."""
    now, then = change.before.get("MAXMSGL"), change.attributes.get("MAXMSGL")
    return isinstance(now, int) and isinstance(then, int) and then > now


def _differing(each: Wanted, now: Values) -> dict[str, AttributeValue]:
    return {key: value for key, value in each.attributes.items() if now.get(key) != value}


def _manager_changes(each: Wanted, live: Live) -> Iterator[DefinitionChange]:
    """ALTER QMGR, in two where limits go first and names of queues last."""
    new = _differing(each, live.queue_manager)
    for keywords in (
        [key for key in new if key in _FIRST_OF_ALL],
        [key for key in new if key not in _FIRST_OF_ALL],
    ):
        if keywords:
            before = {key: live.queue_manager[key] for key in keywords if key in live.queue_manager}
            named = {key: new[key] for key in keywords}
            yield DefinitionChange("alter", "QMGR", "", named, before, each.place)


class _Defaults:
    """What a DEFINE need not say: it starts from the default object, unless that changes too."""

    def __init__(self, live: Live, changing: set[str]) -> None:
        self._live = live
        self._changing = changing
        self._values: dict[str, Values] = {}

    def without(self, kind: str, values: Values, keep: frozenset[str] = frozenset()) -> Values:
        """*values* without those that the default object of the kind has, *keep* apart."""
        if DEFAULT_OBJECTS[kind] in self._changing:
            return values
        if kind not in self._values:
            self._values[kind] = default_object(kind, self._live)
        held = self._values[kind]
        return {k: v for k, v in values.items() if k in keep or k not in held or held[k] != v}


def _setting(
    each: Wanted, live: Live, found: Difference, fixed: _Defaults
) -> Iterator[DefinitionChange]:
    there = live.objects(each.kind).get(each.name)
    if there is None:
        if each.defined:
            given = fixed.without(each.kind, each.made_with, each.named)
            yield DefinitionChange("define", each.kind, each.name, given, {}, each.place)
            return
        found.refusals.append(
            (
                f"{_at(each)}ALTER {each.kind}({each.name}): there is no such {_noun(each)}",
                "DEFINE it",
            )
        )
        return
    if there.kind != each.kind:
        text = f"{_at(each)}{each.kind}({each.name}): a {there.kind} of that name is there"
        found.refusals.append((text, f"DELETE {there.kind}({each.name}) first"))
        return
    new = _differing(each, there.attributes)
    if not new:
        return
    if "TOPICSTR" in new:
        text = f"{_at(each)}TOPIC({each.name}): TOPICSTR({there.attributes.get('TOPICSTR')}) cannot"
        found.refusals.append((f"{text} be altered", f"DELETE TOPIC({each.name}) first"))
        return
    depth, room = live.depths.get(each.name, 0), new.get("MAXDEPTH")
    if isinstance(room, int) and depth > room:
        found.notes.append(
            f"{each.name} holds {depth} messages, more than MAXDEPTH({room}): they stay, puts fail"
        )
    before = {key: there.attributes[key] for key in new if key in there.attributes}
    yield DefinitionChange("alter", each.kind, each.name, new, before, each.place)


def _deletion(
    each: Wanted, live: Live, found: Difference, fixed: _Defaults
) -> Iterator[DefinitionChange]:
    there = live.objects(each.kind).get(each.name)
    if there is None:
        return
    if there.kind != each.kind:
        text = f"{_at(each)}DELETE {each.kind}({each.name}): it is a {there.kind}"
        found.refusals.append((text, f"DELETE {there.kind}({each.name})"))
        return
    depth = live.depths.get(each.name, 0)
    if depth and not each.purge:
        text = f"{_at(each)}DELETE {each.kind}({each.name}): it holds {depth} messages"
        found.refusals.append((text, f"mqtriage msg purge {each.name}"))
        return
    if depth:
        found.notes.append(f"{each.name} holds {depth} messages; the way back does not bring them")
    before = fixed.without(there.kind, settable(there.kind, there.attributes))
    yield DefinitionChange("delete", each.kind, each.name, {}, before, each.place, each.purge)


def _noun(each: Wanted) -> str:
    return "topic object" if each.kind == "TOPIC" else "queue"


def _at(each: Wanted) -> str:
    place = place_text(each.place)
    return f"{place}: " if place else ""


def in_order_of_need(changes: Sequence[DefinitionChange]) -> list[DefinitionChange]:
    """A queue that another one names comes before it; else the order stays.

    Names may go round in a circle: then one of them goes first.
    """
    by_name: Mapping[str, DefinitionChange] = {change.name: change for change in changes}
    done: dict[str, None] = {}
    for change in changes:
        waiting = [change.name]
        on_the_way: set[str] = set()
        while waiting:
            name = waiting[-1]
            needs = [
                other
                for other in _names(by_name[name])
                if other in by_name and other not in done and other not in on_the_way
            ]
            on_the_way.add(name)
            if needs and name not in done:
                waiting.append(needs[0])
                continue
            waiting.pop()
            done[name] = None
    return [by_name[name] for name in done]


def _names(change: DefinitionChange) -> Iterator[str]:
    values = change.attributes if change.verb != "delete" else change.before
    for keyword in _REFERENCES:
        value = values.get(keyword)
        if isinstance(value, str) and value and value != change.name:
            yield value


def live_differences(
    left: Live, right: Live, *, ignore: Sequence[str] = ()
) -> Iterator[tuple[LiveObject, LiveObject | None, str]]:
    """Queues that differ between two queue managers: the one, the other, the attribute.

    A queue that only one of them has is yielded once, with None and "".
    """
    for name in sorted({*left.queues, *right.queues}):
        one, other = left.queues.get(name), right.queues.get(name)
        if one is None or other is None:
            found = one or other
            assert found is not None
            yield found, None, ""
        elif one.kind != other.kind:
            yield one, other, "TYPE"
        else:
            mine, theirs = (
                settable(one.kind, one.attributes),
                settable(other.kind, other.attributes),
            )
            for keyword in dict.fromkeys((*mine, *theirs)):
                if keyword not in ignore and mine.get(keyword) != theirs.get(keyword):
                    yield one, other, keyword
