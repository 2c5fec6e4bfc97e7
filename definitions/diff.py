"""What is to change on a queue manager, in order of need, and the MQSC that takes it back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from mqtriage.definitions.desired import (
    OTHER_KINDS,
    DesiredObject,
    Live,
    Values,
    default_object,
    place_text,
    settable,
)
from mqtriage.definitions.desired_records import RECORDS, filled, identity_of
from mqtriage.definitions.estate import Definition, Location
from mqtriage.model.plan import Refusal
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, Platform
from mqtriage.mq.attributes.catalogue import LASTING, AttributeValue
from mqtriage.mq.attributes.queue_usage import needs_force
from mqtriage.mq.attributes.system_objects import SUBTYPE, default_name, subtype_of
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.mqsc.format import alter_text, define_text, delete_text
from mqtriage.mq.mqsc.records import remove_record_text, set_record_text
from mqtriage.records import dataclass

_REFERENCES: Final = ("BOQNAME", "TARGET", "XMITQ", "STREAMQ", "INITQ")
"""Attributes of a queue that name another queue."""
_FIRST_OF_ALL: Final = ("MAXMSGL",)
NAMED: Final = {**SUBTYPE, "LISTENER": "TRPTYPE"}
"""What DEFINE and ALTER of an object have to name, whether it changes or not."""
_FIXED: Final[Mapping[str, tuple[str, ...]]] = {
    **LASTING,
    **{kind: (keyword,) for kind, keyword in NAMED.items()},
}
"""Attributes that ALTER cannot change."""
_BEFORE_QUEUES: Final = ("NAMELIST", "PROCESS", "STGCLASS", "CFSTRUCT")
_NOUNS: Final = {
    "TOPIC": "topic object", "SUB": "subscription", "AUTHINFO": "authentication information object"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DefinitionChange:
    """One command to run.

    Attributes:
        verb: "define", "alter" or "delete".
        name: "" for the queue manager.
        attributes: values that the command is to bring about, empty for a delete.
        identity: what it has to name besides: CHLTYPE of a channel, PROFILE of a record.
        before: for an alter the values now, for a delete all values of the object.
    """

    verb: str
    kind: str
    name: str
    attributes: Values
    before: Values
    place: Location = field(default_factory=Location)
    purge: bool = False
    identity: Values = field(default_factory=dict)

    @property
    def mqsc(self) -> str:
        return self._command(self.verb, self.before, self.attributes, purge=self.purge)

    @property
    def back(self) -> str:
        """The command that takes it back; messages that went with a queue do not come back."""
        opposite = {"define": "delete", "delete": "define"}.get(self.verb, "alter")
        return self._command(opposite, self.attributes, self.before)

    def _command(self, verb: str, was: Values, then: Values, *, purge: bool = False) -> str:
        if self.kind in RECORDS and verb == "delete":
            return remove_record_text(self.kind, self.identity, was)
        if self.kind in RECORDS:
            return set_record_text(self.kind, self.identity, was, then, adding=verb == "define")
        if verb == "delete":
            return delete_text(self.kind, self.name, purge=purge)
        write = define_text if verb == "define" else alter_text
        return write(self.kind, self.name, {**self.identity, **then})

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
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def refuse(self, item: DesiredObject, why: str, hint: str) -> None:
        """Note why an object cannot become as it is wanted, at the place that wants it."""
        place = place_text(item.place)
        self.refusals.append(Refusal(f"{place}: {why}" if place else why, hint))

    @property
    def forward(self) -> list[str]:
        """The commands, in the order to run them."""
        return [change.mqsc for change in self.changes]

    @property
    def back(self) -> list[str]:
        """The commands that take everything back, in the order to run them."""
        return [change.back for change in reversed(self.changes)]


def compare(desired: Iterable[DesiredObject], live: Live) -> Difference:
    """What has to change so that the queue manager is as wanted."""
    desired = list(desired)
    difference = Difference()
    fixed = _Defaults(live, {item.name for item in desired})
    setting: list[DefinitionChange] = []
    deleting: list[DefinitionChange] = []
    managing: list[DefinitionChange] = []
    for item in desired:
        if item.kind == "QMGR":
            managing += _manager_changes(item, live)
        elif item.absent:
            deleting += _deletion(item, live, difference, fixed)
        else:
            setting += _setting(item, live, difference, fixed)
    first = [change for change in managing if _raises(change)]
    last = [change for change in managing if not _raises(change)]
    difference.changes = [*first, *_ordered(setting), *last, *reversed(_ordered(deleting))]
    return difference


def _ordered(changes: Sequence[DefinitionChange]) -> list[DefinitionChange]:
    """Each kind after those that it names: namelists, queues, topics ... authority records."""
    queues = [change for change in changes if change.kind in QUEUE_KINDS]
    later = [kind for kind in OTHER_KINDS if kind not in _BEFORE_QUEUES]
    return [
        *(change for kind in _BEFORE_QUEUES for change in changes if change.kind == kind),
        *in_order_of_need(queues),
        *(change for kind in later for change in changes if change.kind == kind),
    ]


def _raises(change: DefinitionChange) -> bool:
    """Whether it must come before the queues: they may need the higher limit."""
    now, then = change.before.get("MAXMSGL"), change.attributes.get("MAXMSGL")
    return isinstance(now, int) and isinstance(then, int) and then > now


def _differing(item: DesiredObject, now: Values) -> dict[str, AttributeValue]:
    return {key: value for key, value in item.attributes.items() if now.get(key) != value}


def _manager_changes(item: DesiredObject, live: Live) -> Iterator[DefinitionChange]:
    """ALTER QMGR, in two where limits go first and names of queues last."""
    new = _differing(item, live.queue_manager)
    for keywords in (
        [key for key in new if key in _FIRST_OF_ALL],
        [key for key in new if key not in _FIRST_OF_ALL],
    ):
        if keywords:
            before = {key: live.queue_manager[key] for key in keywords if key in live.queue_manager}
            named = {key: new[key] for key in keywords}
            yield DefinitionChange("alter", "QMGR", "", named, before, item.place)


class _Defaults:
    """What a DEFINE need not say: it starts from the default object, unless that changes too."""

    def __init__(self, live: Live, changing: set[str]) -> None:
        self._live = live
        self._changing = changing
        self._values: dict[str, Values] = {}

    def without(self, kind: str, values: Values, keep: frozenset[str] = frozenset()) -> Values:
        """*values* without those that the default object of the kind has, *keep* apart."""
        subtype = subtype_of(kind, values)
        if kind in RECORDS or default_name(kind, subtype) in self._changing:
            return values
        key = f"{kind} {subtype}"
        if key not in self._values:
            self._values[key] = default_object(kind, self._live, subtype)
        held = self._values[key]
        return {k: v for k, v in values.items() if k in keep or k not in held or held[k] != v}


def _setting(
    item: DesiredObject, live: Live, difference: Difference, fixed: _Defaults
) -> Iterator[DefinitionChange]:
    there = live.objects(item.kind).get(item.name)
    if there is None:
        if item.defined:
            yield _new_definition(item, fixed)
            return
        why = f"ALTER {item.kind}({item.name}): there is no such {_noun(item)}"
        difference.refuse(item, why, "DEFINE it")
        return
    if there.kind != item.kind:
        why = f"{item.kind}({item.name}): a {there.kind} of that name is there"
        difference.refuse(item, why, f"DELETE {there.kind}({item.name}) first")
        return
    now = there.attributes
    if item.kind == "CHLAUTH":
        item, now = (
            item._replace(attributes=filled(item.attributes, now)),
            filled(now, item.attributes),
        )
    new = _differing(item, now)
    if not new:
        return
    for keyword in _FIXED.get(item.kind, ()):
        if keyword in new:
            why = f"{item.kind}({item.name}): {keyword}({now.get(keyword)}) cannot be altered"
            difference.refuse(item, why, f"DELETE {item.kind}({item.name}) first")
            return
    depth, room = live.depths.get(item.name, 0), new.get("MAXDEPTH")
    if isinstance(room, int) and depth > room:
        difference.notes.append(
            f"{item.name} contains {count_text(depth)}, above MAXDEPTH({room}): they stay, puts "
            f"fail"
        )
    if item.kind == "QLOCAL":
        inputs, outputs = live.handles.get(item.name, (0, 0))
        if item.name == STAGING_QUEUE:  # the delivery delay processor is not an application
            inputs = max(0, inputs - 1)
        why = needs_force(now, new, inputs=inputs, handles=inputs + outputs, depth=depth)
        if why:
            why = f"ALTER QLOCAL({item.name}): {why}"
            difference.refuse(item, why, f"mqtriage queue status {shell_word(item.name)} --handles")
            return
    before = {key: now[key] for key in new if key in now}
    identity = _identity(item.kind, there.attributes)
    if item.kind == "CHLAUTH":  # REPLACE takes away what it does not name
        identity |= {k: v for k, v in there.attributes.items() if k not in new}
    yield DefinitionChange(
        "alter", item.kind, item.name, new, before, item.place, identity=identity
    )


def _new_definition(item: DesiredObject, fixed: _Defaults) -> DefinitionChange:
    identity = _identity(item.kind, item.made_with)
    given = fixed.without(item.kind, item.made_with, item.named)
    given = {key: value for key, value in given.items() if key not in identity}
    return DefinitionChange(
        "define", item.kind, item.name, given, {}, item.place, identity=identity
    )


def _identity(kind: str, values: Values) -> dict[str, AttributeValue]:
    """What every command on the object has to name."""
    if kind in RECORDS:
        return identity_of(kind, values)
    keyword = NAMED.get(kind, "")
    return {keyword: values[keyword]} if keyword in values else {}


def _deletion(
    item: DesiredObject, live: Live, difference: Difference, fixed: _Defaults
) -> Iterator[DefinitionChange]:
    there = live.objects(item.kind).get(item.name)
    if there is None:
        return
    if there.kind != item.kind:
        why = f"DELETE {item.kind}({item.name}): it is a {there.kind}"
        difference.refuse(item, why, f"DELETE {there.kind}({item.name})")
        return
    depth = live.depths.get(item.name, 0)
    if depth and not item.purge:
        why = f"DELETE {item.kind}({item.name}): it contains {count_text(depth)}"
        difference.refuse(item, why, f"mqtriage msg purge {shell_word(item.name)}")
        return
    if depth:
        difference.notes.append(
            f"{item.name} contains {count_text(depth)}; the reverse script does not restore them"
        )
    if there.attributes.get("DESTCLAS") == "MANAGED":
        difference.notes.append(
            f"messages kept for {item.name} are deleted with it, and cannot be restored"
        )
    identity = _identity(there.kind, there.attributes)
    before = fixed.without(there.kind, settable(there.kind, there.attributes, live.platform))
    before = {key: value for key, value in before.items() if key not in identity}
    yield DefinitionChange(
        "delete", item.kind, item.name, {}, before, item.place, item.purge, identity
    )


def _noun(item: DesiredObject) -> str:
    return "queue" if item.kind in QUEUE_KINDS else _NOUNS.get(item.kind, item.kind.lower())


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


@dataclass(frozen=True, slots=True)
class Changed:
    """One object that is not as it was.

    Attributes:
        before, after: its attributes that can be set; None where it was not, or is not, there.
    """

    kind: str
    name: str
    before: Values | None
    after: Values | None
    after_kind: str

    @property
    def how(self) -> str:
        """What became of it: defined, altered or deleted."""
        if self.before is None:
            return "defined"
        return "deleted" if self.after is None else "altered"

    @property
    def keys(self) -> list[str]:
        """The attributes that differ; all of them where the object is new or gone."""
        before, after = self.before or {}, self.after or {}
        return [key for key in {**before, **after} if before.get(key) != after.get(key)]


def changed_objects(
    before: Mapping[str, Definition],
    after: Mapping[str, Definition],
    platform: Platform | None = None,
) -> Iterator[Changed]:
    """The objects that differ in what can be set, or in their kind."""
    for name in {**before, **after}:
        was, now = before.get(name), after.get(name)
        then = None if was is None else settable(was.kind, was.attributes, platform)
        values = None if now is None else settable(now.kind, now.attributes, platform)
        kind = (was or now or Definition("", "", {})).kind
        after_kind = now.kind if now else kind
        if then != values or kind != after_kind:
            yield Changed(kind, name, then, values, after_kind)


def changed_in_both(before: Live, after: Live) -> Iterator[Changed]:
    """The queues that differ by name, and the objects of the other kinds that both could read."""
    yield from sorted(changed_objects(before.queues, after.queues), key=lambda item: item.name)
    for kind, objects in before.others.items():
        if kind in after.others:
            changed = changed_objects(objects, after.others[kind])
            yield from sorted(changed, key=lambda item: item.name)
