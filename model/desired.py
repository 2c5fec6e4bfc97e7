"""What MQSC files ask of a queue manager: which objects, with which attributes, and which not.

An attribute that the files do not name is left as it is, as ALTER does; with *exact* it goes to
what the default object has, as DEFINE REPLACE does. What LIKE names is followed as far as the files
say something of it; what the queue manager has of it counts when the new queue is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from mqtriage.model.estate import Definition, Estate, Place
from mqtriage.mq.attribute_type import QUEUE_KINDS, Platform
from mqtriage.mq.attributes import AttributeValue, attribute, attributes_of, defaults
from mqtriage.mq.errors import UsageError

Values = Mapping[str, AttributeValue]

DEFAULT_OBJECTS: Final[Mapping[str, str]] = {
    "QLOCAL": "SYSTEM.DEFAULT.LOCAL.QUEUE",
    "QMODEL": "SYSTEM.DEFAULT.MODEL.QUEUE",
    "QALIAS": "SYSTEM.DEFAULT.ALIAS.QUEUE",
    "QREMOTE": "SYSTEM.DEFAULT.REMOTE.QUEUE",
    "TOPIC": "SYSTEM.DEFAULT.TOPIC",
}
COMPARED: Final = (*QUEUE_KINDS, "TOPIC", "QMGR")
"""Kinds of object that can be read from a live queue manager."""


class LiveObject(NamedTuple):
    """One queue or topic object as it is."""

    kind: str
    name: str
    attributes: Values


class Live(NamedTuple):
    """What there is.

    Attributes:
        queues: by name.
        queue_manager: attributes of the queue manager.
        depths: CURDEPTH of the local queues that were looked at.
        topics: topic objects by name, None where they were not asked for.
    """

    name: str
    platform: Platform
    queues: Mapping[str, LiveObject]
    queue_manager: Values
    depths: Mapping[str, int]
    topics: Mapping[str, LiveObject] | None = None

    def objects(self, kind: str) -> Mapping[str, LiveObject]:
        """What shares its names with objects of *kind*: queues of every type, or topics."""
        return self.queues if kind != "TOPIC" else self.topics or {}


class Wanted(NamedTuple):
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
    place: Place
    defined: bool = True
    absent: bool = False
    purge: bool = False
    named: frozenset[str] = frozenset()
    made_with: Values = MappingProxyType({})


def wanted_of(estate: Estate, live: Live, *, exact: bool = False) -> list[Wanted]:
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
            hint="REPLACE says that the later definition counts",
        )
    asked = [*estate.queues.values(), *(estate.topics.values() if live.topics is not None else ())]
    found = [_object(estate, live, each, exact=exact) for each in asked]
    found += list(_deleted(estate))
    if live.topics is not None:
        found += list(_deleted_topics(estate))
    if estate.queue_manager_attributes is not None:
        manager = estate.queue_manager_attributes
        named = {keyword: manager.attributes[keyword] for keyword in _named(manager)}
        found.append(Wanted("QMGR", "", named, manager.place()))
    return sorted(found, key=lambda w: (w.place.file, w.place.line, w.place.column))


def place_text(place: Place) -> str:
    """``qm1.mqsc:3``, "" for what stands in no file."""
    return f"{place.file}:{place.line}" if place.line else ""


def settable(
    kind: str, attributes: Values, platform: Platform | None = None
) -> dict[str, AttributeValue]:
    """Those attributes that DEFINE takes, in the order of DISPLAY."""
    return {
        entry.keyword: attributes[entry.keyword]
        for entry in attributes_of(kind, platform)
        if not entry.read_only and entry.keyword in attributes
    }


def _object(estate: Estate, live: Live, queue: Definition, *, exact: bool) -> Wanted:
    defined = any(source.command.verb == "DEFINE" for source in queue.sources)
    named = {keyword: queue.attributes[keyword] for keyword in _named(queue)}
    made: dict[str, AttributeValue] = {}
    inherited: dict[str, AttributeValue] = {}
    like = _like_of(queue)
    if like:
        made, inherited = _made_like(estate, live, queue, like), _inherited(estate, queue, set())
    if exact and defined:
        inherited = default_object(queue.kind, live) | _default_asked(estate, queue) | made
    return Wanted(
        queue.kind,
        queue.name,
        inherited | named,
        queue.sources[0].place,
        defined,
        named=frozenset(named),
        made_with=made | inherited | named,
    )


def _asked(estate: Estate, kind: str) -> Mapping[str, Definition]:
    return estate.topics if kind == "TOPIC" else estate.queues


def _like_of(queue: Definition) -> str:
    """The queue that LIKE names, "" for none."""
    found = (source.command.value("LIKE") for source in queue.sources)
    return next((name.strip(" ") for name in found if name), "")


def _inherited(estate: Estate, queue: Definition, seen: set[str]) -> dict[str, AttributeValue]:
    """What the files name of the queue that LIKE names, and so on."""
    seen.add(queue.name)
    model = _asked(estate, queue.kind).get(_like_of(queue))
    if model is None or model.kind != queue.kind or model.name in seen:
        return {}
    named = {keyword: model.attributes[keyword] for keyword in _named(model)}
    return _inherited(estate, model, seen) | named


def default_object(kind: str, live: Live) -> dict[str, AttributeValue]:
    """What a DEFINE of that kind starts from on this queue manager."""
    model = live.objects(kind).get(DEFAULT_OBJECTS[kind])
    values = defaults(kind, live.platform)
    if model is not None:
        values |= settable(kind, model.attributes, live.platform)
    return values


def _default_asked(estate: Estate, queue: Definition) -> dict[str, AttributeValue]:
    """What the files name of the default object that *queue* is compared with.

    It counts wherever it stands in the files: else the state would never settle.
    """
    model = _asked(estate, queue.kind).get(DEFAULT_OBJECTS[queue.kind])
    if model is None or model.name == queue.name:
        return {}
    return {keyword: model.attributes[keyword] for keyword in _named(model)}


def _made_like(
    estate: Estate, live: Live, queue: Definition, like: str
) -> dict[str, AttributeValue]:
    """What a DEFINE copies from the live queue that LIKE names.

    Raises:
        UsageError: Neither the files nor the queue manager have it.
    """
    model = live.objects(queue.kind).get(like)
    if model is None and like not in _asked(estate, queue.kind):
        place = place_text(queue.place())
        raise UsageError(f"{place}: LIKE({like}): neither the files nor the queue manager have it")
    if model is None or model.kind != queue.kind:
        return {}
    return settable(queue.kind, model.attributes, live.platform)


def _named(definition: Definition) -> list[str]:
    """Keywords that the object's commands name; those before a REPLACE are gone with it.

    Raises:
        UsageError: One whose value is a placeholder.
    """
    found: dict[str, None] = {}
    for source in definition.sources:
        for parameter in source.command.parameters:
            entry = attribute(definition.kind, parameter.keyword)
            if entry is None or entry.read_only:
                continue
            if entry.keyword not in definition.attributes:
                place = place_text(source.place)
                raise UsageError(
                    f"{place}: {definition.kind}({definition.name}): {entry.keyword}"
                    f"({parameter.text[:40]}) is a placeholder",
                    hint="fill it in first: a plan needs values",
                )
            found[entry.keyword] = None
    return list(found)


def _deleted(estate: Estate) -> Iterator[Wanted]:
    for name, place in estate.deleted.items():
        if name in estate.queues:
            continue
        for source in estate.commands:
            command = source.command
            if command.verb == "DELETE" and source.place == place:
                purge = command.has("PURGE")
                yield Wanted(command.noun, name, {}, place, False, True, purge)


def _deleted_topics(estate: Estate) -> Iterator[Wanted]:
    """Topics that the files delete and do not define again."""
    gone: dict[str, Place] = {}
    for source in estate.commands:
        command = source.command
        if (command.verb, command.noun) == ("DELETE", "TOPIC") and command.name is not None:
            gone[command.name.text.strip(" ")] = source.place
    for name, place in gone.items():
        if name not in estate.topics:
            yield Wanted("TOPIC", name, {}, place, False, True)


def not_compared(estate: Estate, *, topics: bool = True) -> dict[str, int]:
    """Kinds of command that change what a plan does not look at, with their number."""
    found: dict[str, int] = {}
    for source in estate.commands:
        command = source.command
        looked_at = command.noun in COMPARED and (topics or command.noun != "TOPIC")
        compared = looked_at and command.verb in ("DEFINE", "ALTER", "DELETE")
        if compared or command.verb in ("DISPLAY", "PING"):
            continue
        what = f"{command.verb} {command.noun}".strip()
        found[what] = found.get(what, 0) + 1
    return found
