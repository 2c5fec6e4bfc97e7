"""What MQSC files ask of a queue manager: which objects, with which attributes, and which not.

An attribute that the files do not name is left as it is, as ALTER does; with *exact* it goes to
what the default object has, as DEFINE REPLACE does. What LIKE names is followed as far as the files
say something of it; what the queue manager has of it counts when the new queue is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from mqtriage.definitions.desired_records import RECORDS, desired_records, record_name
from mqtriage.definitions.estate import DefiningCommand, Definition, Estate, Location
from mqtriage.definitions.estate_script import command_key
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, SECRETS, Platform
from mqtriage.mq.attributes.catalogue import AttributeValue, attribute, defaults, values_to_set
from mqtriage.mq.attributes.levels import are_known
from mqtriage.mq.attributes.system_objects import comes_with, default_name, subtype_of
from mqtriage.mq.attributes.topic_strings import joined
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.tokens import marker_in
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.mqsc.verbs import only_platform
from mqtriage.records import NamedTuple

Values = Mapping[str, AttributeValue]

OTHER_KINDS: Final = (
    "NAMELIST", "PROCESS", "STGCLASS", "CFSTRUCT", "COMMINFO", "TOPIC", "AUTHINFO", "CHANNEL",
    "LISTENER", "SERVICE", "SUB", *RECORDS,
)  # fmt: skip
"""Kinds that the command server is asked about, in the order of need: channels before records."""
COMPARED: Final = (*QUEUE_KINDS, "QMGR", *OTHER_KINDS)
"""Kinds of object that can be read from a live queue manager."""
MANAGED: Final = ("DEST", "DESTQMGR", "DESTCORL")
"""What the queue manager chooses for a managed subscription."""
CHOSEN: Final = ("DESTCORL", "PUBACCT")
"""Attributes of a subscription that each queue manager chooses itself."""
CLIENT_CHANNELS: Final = "CLNTCONN"
"""Client-connection channels: they share no names with other channels, and a plan leaves them."""


def kinds_on(platform: Platform) -> tuple[str, ...]:
    """The other kinds that queue managers of a platform have."""
    return tuple(k for k in OTHER_KINDS if only_platform("DISPLAY", k) in ("", platform))


class Live(NamedTuple):
    """What there is: queues, objects and records, whose name is `record_name`.

    Attributes:
        queues: by name.
        queue_manager: attributes of the queue manager.
        depths: CURDEPTH of the local queues that were looked at.
        handles: of those the handles that are open for input, and for output.
        others: kind, then name; a kind that was not asked for or cannot be read is not there.
    """

    name: str
    platform: Platform
    queues: Mapping[str, Definition]
    queue_manager: Values
    depths: Mapping[str, int]
    others: Mapping[str, Mapping[str, Definition]] = MappingProxyType({})
    handles: Mapping[str, tuple[int, int]] = MappingProxyType({})

    def objects(self, kind: str) -> Mapping[str, Definition]:
        """What shares its names with objects of *kind*: queues of every type, or that kind.

        The queue manager is an object without a name.
        """
        if kind == "QMGR":
            return {"": Definition("QMGR", "", self.queue_manager)}
        return self.queues if kind in QUEUE_KINDS else self.others.get(kind, {})

    @property
    def kinds_read(self) -> list[str]:
        """The other kinds that could be read."""
        return [kind for kind in OTHER_KINDS if kind in self.others]


class DesiredObject(NamedTuple):
    """What the files ask of one object.

    Attributes:
        attributes: those that are to have these values, whether the queue is there or not.
        made_with: values that a DEFINE has, where the queue is missing; LIKE adds to them what
            the queue manager has and the files do not say.
        named: those of *attributes* that the object's own commands name.
        defined: a DEFINE makes it where it is missing; ALTER alone does not.
        absent: it is not to be there; *purge* with its messages.
    """

    kind: str
    name: str
    attributes: Values
    place: Location
    defined: bool = True
    absent: bool = False
    purge: bool = False
    named: frozenset[str] = frozenset()
    made_with: Values = MappingProxyType({})


def desired_objects(estate: Estate, live: Live, *, exact: bool = False) -> list[DesiredObject]:
    """What the estate of some files asks for, in the order of the files.

    Args:
        live: gives what LIKE and *exact* take from objects that no file has.

    Raises:
        UsageError: A command that contradicts one before it, a placeholder, or LIKE of nothing.
    """
    for refused in estate.refused:
        place, first = refused.place, refused.first
        raise UsageError(
            f"{place_text(place)}: {refused.kind}({refused.name}): {refused.why}"
            f" at {place_text(first)}",
            hint="use REPLACE if the later definition should apply",
        )
    for source in estate.commands:
        _check_filled_in(source)
    kinds = [kind for kind in OTHER_KINDS if kind in live.others and kind not in RECORDS]
    asked = [*estate.queues.values()]
    asked += [item for kind in kinds for item in estate.objects(kind).values()]
    objects = [_object(estate, live, item, exact=exact) for item in asked]
    objects += list(_deleted(estate, (*QUEUE_KINDS, *kinds)))
    for kind in RECORDS:
        if kind in live.others:
            there = (item.attributes for item in live.others[kind].values())
            for source, values, stays in desired_records(kind, estate.commands, there, exact=exact):
                name = record_name(kind, values)
                objects.append(
                    DesiredObject(
                        kind, name, values, source.place, absent=not stays, made_with=values
                    )
                )
    if estate.queue_manager_attributes is not None:
        manager = estate.queue_manager_attributes
        objects.append(DesiredObject("QMGR", "", _named(manager, live), manager.place()))
    return sorted(objects, key=lambda w: (w.place.file, w.place.line, w.place.column))


def _check_filled_in(source: DefiningCommand) -> None:
    """Refuse a placeholder for a name, or in a record, which is what its values say."""
    command = source.command
    if command.verb not in (*_DEFINING, "SET"):
        return
    name = command.named()
    values = (p.text for p in command.parameters) if command.verb == "SET" else ()
    marker = next(filter(None, map(marker_in, (name, *values))), "")
    if marker:
        place = place_text(source.place)
        raise UsageError(
            f"{place}: {marker} of {command.verb} {command.noun} is a placeholder",
            hint="fill it in first: a plan needs values",
        )


def place_text(place: Location) -> str:
    """``qm1.mqsc:3``, "" for what stands in no file."""
    return f"{place.file}:{place.line}" if place.line else ""


def settable(
    kind: str, attributes: Values, platform: Platform | None = None
) -> dict[str, AttributeValue]:
    """Those attributes that DEFINE takes, in the order of DISPLAY."""
    return dict(attributes) if kind in RECORDS else values_to_set(kind, attributes, platform)


def _object(estate: Estate, live: Live, queue: Definition, *, exact: bool) -> DesiredObject:
    defined = any(source.command.verb == "DEFINE" for source in queue.sources)
    named = _named(queue, live)
    given: dict[str, AttributeValue] = {}
    inherited: dict[str, AttributeValue] = {}
    like = _like_of(queue)
    if like:
        given, inherited = _made_like(estate, live, queue, like), _inherited(estate, queue, set())
    if exact and defined:
        subtype = subtype_of(queue.kind, queue.attributes)
        default = default_object(queue.kind, live, subtype) | _default_asked(estate, queue)
        known = _as_known(default, queue, estate.command_level, live)
        inherited = known | given | inherited
    state = inherited | named
    if queue.kind == "SUB":
        state = _subscription(state, estate, live)
    return DesiredObject(
        queue.kind,
        queue.name,
        state,
        queue.sources[0].place,
        defined,
        named=frozenset(named),
        made_with=given | inherited | named,
    )


def _subscription(
    values: Mapping[str, AttributeValue], estate: Estate, live: Live
) -> dict[str, AttributeValue]:
    """As DISPLAY shows it: with the whole topic string, and without what a managed one is given."""
    attributes = dict(values)
    topic = attributes.pop("TOPICOBJ", "")
    if topic:
        asked, there = estate.topics.get(str(topic)), live.objects("TOPIC").get(str(topic))
        known = [other.attributes["TOPICSTR"] for other in (asked, there)
                 if other is not None and "TOPICSTR" in other.attributes]  # fmt: skip
        rest = str(attributes.pop("TOPICSTR", ""))
        if known:
            attributes["TOPICSTR"] = joined(str(known[0]), rest)
    if not attributes.get("SUBUSER"):  # blank is whoever defines it
        attributes.pop("SUBUSER", None)
    if attributes.get("DESTCLAS") == "MANAGED":
        attributes = {key: value for key, value in attributes.items() if key not in MANAGED}
    return attributes


def _like_of(queue: Definition) -> str:
    """The queue that LIKE names, "" for none."""
    names = (source.command.value("LIKE") for source in queue.sources)
    return next((name.strip(" ") for name in names if name), "")


def _inherited(estate: Estate, queue: Definition, seen: set[str]) -> dict[str, AttributeValue]:
    """What the files name of the queue that LIKE names, and so on."""
    seen.add(queue.name)
    model = estate.objects(queue.kind).get(_like_of(queue))
    if model is None or model.kind != queue.kind or model.name in seen:
        return {}
    return _inherited(estate, model, seen) | _named(model)


def default_object(kind: str, live: Live, subtype: str = "") -> dict[str, AttributeValue]:
    """What a DEFINE of that kind and CHLTYPE or AUTHTYPE starts from on this queue manager."""
    model = live.objects(kind).get(default_name(kind, subtype))
    values = defaults(kind, live.platform, subtype)
    if model is not None:
        values |= settable(kind, model.attributes, live.platform)
    if kind == "SUB":
        for keyword in CHOSEN:  # those of the default object are those of no other
            values.pop(keyword, None)
    return values


def _as_known(
    default: Mapping[str, AttributeValue], queue: Definition, level: int | None, live: Live
) -> dict[str, AttributeValue]:
    """The default values, of those attributes that the queue manager knows.

    Of an object of IBM's, also the queue manager that the files are a dump of: what came later is
    as IBM ships it, or as the default object has it.
    """
    there = live.queue_manager.get("CMDLEVEL")
    levels = [there if isinstance(there, int) else None]
    if comes_with(queue.kind, queue.name, live.platform):
        levels.append(level)
    return {k: v for k, v in default.items() if all(are_known((k,), one) for one in levels)}


def _default_asked(estate: Estate, queue: Definition) -> dict[str, AttributeValue]:
    """What the files name of the default object that *queue* is compared with.

    It counts wherever it stands in the files: else the state would never settle.
    """
    name = default_name(queue.kind, subtype_of(queue.kind, queue.attributes))
    model = estate.objects(queue.kind).get(name)
    if model is None or model.name == queue.name:
        return {}
    return _named(model)


def _made_like(
    estate: Estate, live: Live, queue: Definition, like: str
) -> dict[str, AttributeValue]:
    """What a DEFINE copies from the live queue that LIKE names."""
    model = live.objects(queue.kind).get(like)
    asked = None if like == queue.name else estate.objects(queue.kind).get(like)
    there = model or asked
    what = "neither the files nor the queue manager have it"
    if there is not None:
        what = "" if queue.may_be_like(there) else f"it is a {there.type}"
    if what:
        raise UsageError(f"{place_text(queue.place())}: LIKE({like}): {what}")
    if model is None:
        return {}
    return settable(queue.kind, model.attributes, live.platform)


def _named(definition: Definition, live: Live | None = None) -> dict[str, AttributeValue]:
    """Attributes that the object's commands name; those before a REPLACE are gone with it.

    What looks like a placeholder and is the value of the *live* object is none.

    Raises:
        UsageError: One whose value is a placeholder.
    """
    named: dict[str, AttributeValue] = {}
    name = "" if definition.kind == "QMGR" else definition.name
    there = live.objects(definition.kind).get(name) if live else None
    for source in definition.sources:
        for parameter in source.command.parameters:
            entry = attribute(definition.kind, parameter.keyword)
            if entry is None or entry.read_only or entry.keyword in SECRETS:
                continue
            if entry.keyword not in definition.attributes:
                if there and there.attributes.get(entry.keyword) == parameter.text:
                    named[entry.keyword] = parameter.text
                    continue
                place = place_text(source.place)
                raise UsageError(
                    f"{place}: {definition.kind}({definition.name}): {entry.keyword}"
                    f"({parameter.text[:40]}) is a placeholder",
                    hint="fill it in first: a plan needs values",
                )
            named[entry.keyword] = definition.attributes[entry.keyword]
    return named


def _deleted(estate: Estate, kinds: Collection[str]) -> Iterator[DesiredObject]:
    """Objects of these kinds that the files delete and do not define again."""
    gone: dict[tuple[str, str], DefiningCommand] = {}
    for source in estate.commands:
        command = source.command
        if command.verb == "DELETE" and command.noun in kinds and not of_clients(command):
            gone[command_key(command)] = source
    for (_, name), source in gone.items():
        kind, purge = source.command.noun, source.command.has("PURGE")
        if name and name not in estate.objects(kind):
            yield DesiredObject(kind, name, {}, source.place, False, True, purge)


def of_clients(command: Command) -> bool:
    """Whether it is about a client-connection channel."""
    words = (command.value("CHLTYPE") or "", command.value("CHLTABLE") or "")
    return any(word.upper() in (CLIENT_CHANNELS, "CLNTTAB") for word in words)


def not_compared(estate: Estate, kinds: Collection[str] = OTHER_KINDS) -> dict[str, int]:
    """What of the commands a plan does not look at, with their number."""
    counts: dict[str, int] = {}
    for source in estate.commands:
        command = source.command
        if command.verb in ("DISPLAY", "PING"):
            continue
        noun = command.noun
        left_out = [f"{p.keyword} of {noun}" for p in command.parameters if p.keyword in SECRETS]
        if not is_compared(command, kinds):
            clients = f" CHLTYPE({CLIENT_CHANNELS})" if of_clients(command) else ""
            left_out = [f"{command.verb} {noun}{clients}".strip()]
        for what in left_out:
            counts[what] = counts.get(what, 0) + 1
    return counts


def is_compared(command: Command, kinds: Collection[str] = OTHER_KINDS) -> bool:
    """Whether a plan looks at what a command says."""
    noun = command.noun
    verbs = {"CHLAUTH": ("SET",), "AUTHREC": ("SET", "DELETE")}.get(noun, _DEFINING)
    known = noun in (*QUEUE_KINDS, "QMGR", *kinds)
    return known and command.verb in verbs and not of_clients(command)


_DEFINING: Final = ("DEFINE", "ALTER", "DELETE")
