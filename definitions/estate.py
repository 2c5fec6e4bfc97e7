"""An estate: the definitions of one queue manager as data, each with the place it comes from.

It is made from MQSC (`definitions/estate_script.py`), or from a live queue manager
(`definitions/estates.py`). What is not known is left out: an attribute that a template fills in,
the
rest of a queue that a script only alters, everything else of a queue manager when there is only a
script of its own objects (`whole` is false).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from mqtriage.definitions.load_model import NO_LOAD, LoadModel
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, AttributeValue, Platform
from mqtriage.mq.attributes.system_objects import (
    SUBTYPE,
    comes_with,
    default_name,
    default_objects,
    subtype_of,
)
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.mqsc.tree import Command, Parameter
from mqtriage.mq.names import is_system
from mqtriage.mq.security.authority_records import AuthorityRecord
from mqtriage.records import NamedTuple, dataclass

DEFAULT_MAXMSGL: Final = 4_194_304
DEFINED_ALREADY: Final = "it is defined already"
"""Why a second DEFINE is refused (`RefusedCommand.why`)."""
DEFINED_LATER: Final = "its DEFINE comes later"
"""Why an ALTER is refused where its object is new."""


class Location(NamedTuple):
    """Where something stands; line and column count from 1, 0 means not in a file."""

    file: str = ""
    line: int = 0
    column: int = 0


class DefiningCommand(NamedTuple):
    """A command that made or changed an object."""

    file: str
    command: Command

    @property
    def place(self) -> Location:
        return Location(self.file, self.command.line, self.command.column)

    def place_of(self, parameter: Parameter) -> Location:
        return Location(self.file, parameter.line, parameter.column)

    def parameter(self, keyword: str) -> Parameter | None:
        """What gives the attribute, by whichever of its words."""
        words = (keyword, f"NO{keyword}", "TARGQ" if keyword == "TARGET" else keyword)
        return next(filter(None, map(self.command.parameter, words)), None)


def texts_of(command: Command, keyword: str) -> list[str]:
    """The values of a parameter; none where the command has no such."""
    parameter = command.parameter(keyword)
    return [value.text.strip(" ") for value in (parameter.values or ())] if parameter else []


@dataclass(frozen=True, slots=True)
class Definition:
    """One object.

    Attributes:
        kind: QLOCAL, QALIAS, QREMOTE, QMODEL, TOPIC, CHANNEL, QMGR ...
        attributes: MQSC keyword to value, those that are known.
        sources: commands that made it what it is, oldest first; none for a live object.
    """

    kind: str
    name: str
    attributes: Mapping[str, AttributeValue]
    sources: Sequence[DefiningCommand] = ()

    def text(self, keyword: str) -> str | None:
        """A name, word or switch; "" is blank, None is not known."""
        value = self.attributes.get(keyword)
        return None if value is None else str(value)

    def number(self, keyword: str) -> int | None:
        """A number; None is not known, or a word such as NOLIMIT."""
        value = self.attributes.get(keyword)
        return value if isinstance(value, int) else None

    def source_of(self, keyword: str) -> DefiningCommand | None:
        """The last command that names the attribute."""
        return next((s for s in reversed(self.sources) if s.parameter(keyword)), None)

    def gives(self, keyword: str) -> bool:
        """Whether a command names the attribute; a live object has no commands."""
        return self.source_of(keyword) is not None

    def place(self, keyword: str = "") -> Location:
        """Where the attribute was last given, else where the object was last defined."""
        source = self.source_of(keyword) if keyword else None
        parameter = source.parameter(keyword) if source is not None else None
        if source is not None and parameter is not None:
            return source.place_of(parameter)
        return self.sources[-1].place if self.sources else Location()

    @property
    def is_defined(self) -> bool:
        """Whether a DEFINE makes it; a command may also only alter it."""
        return bool(self.sources) and self.sources[0].command.verb == "DEFINE"

    @property
    def type(self) -> str:
        """QLOCAL, or of a channel or authentication information its kind with the type."""
        subtype = subtype_of(self.kind, self.attributes)
        return f"{self.kind} of {SUBTYPE[self.kind]}({subtype})" if subtype else self.kind

    def may_be_like(self, model: Definition) -> bool:
        """Whether DEFINE takes *model* for LIKE: it is of the same type, as far as is known."""
        own, its = (subtype_of(one.kind, one.attributes) for one in (self, model))
        return self.kind == model.kind and (own == its or not own or not its)


class _Differing(Mapping[str, AttributeValue]):
    """Attributes as their difference from those of another object."""

    __slots__ = ("_own", "_usual")

    def __init__(
        self, usual: Mapping[str, AttributeValue], attributes: Mapping[str, AttributeValue]
    ) -> None:
        self._usual = usual
        changed = {k: v for k, v in attributes.items() if k not in usual or usual[k] != v}
        self._own: dict[str, AttributeValue | None] = {
            **changed,
            **{keyword: None for keyword in usual if keyword not in attributes},
        }

    def __getitem__(self, keyword: str) -> AttributeValue:
        value = self._own[keyword] if keyword in self._own else self._usual[keyword]
        if value is None:
            raise KeyError(keyword)
        return value

    def __iter__(self) -> Iterator[str]:
        every = dict.fromkeys((*self._usual, *self._own))
        return (keyword for keyword in every if self._own.get(keyword, "") is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _outline(thing: Definition, usual: dict[str, Mapping[str, AttributeValue]]) -> Definition:
    first = usual.setdefault(thing.type, thing.attributes)
    return Definition(thing.kind, thing.name, _Differing(first, thing.attributes))


class LiveStatus(NamedTuple):
    """A local queue at the moment it was looked at; None where it cannot be told."""

    curdepth: int
    ipprocs: int
    expired: int | None = None


class RefusedCommand(NamedTuple):
    """A command that the queue manager will refuse, given the commands before it."""

    kind: str
    name: str
    place: Location
    why: str
    first: Location


@dataclass(frozen=True, slots=True)
class Estate:
    """The definitions of one queue manager.

    Attributes:
        platform: None when nothing tells it; the rules of z/OS then say nothing.
        stated_level: CMDLEVEL by the configuration or a dump's header, None for neither.
        whole: every object is here, so that one which is not here does not exist.
        queues: by name; local, alias, remote and model queues share one set of names.
        topics, channels: by name; client-connection channels are left out.
        others: subscriptions, listeners, namelists and so on: kind, then name.
        queue_manager_attributes: None when the script does not touch the queue manager.
        authorities: None when they are not known, with the place of each record otherwise.
        deleted: names of queues that a script deletes, with the place.
        commands: every good command of the scripts, in order.
        status: by name of local queue; empty for scripts.
        unread: kinds of objects that were not asked for, so that nothing is known of them.
        network: what is linted together, by name of queue manager, this one among them.
        filled_in: names that a shell or a template fills in, by kind; queues are "queue".
        also: names that other scripts define, by kind, which may be of this queue manager.
    """

    queue_manager: str = ""
    platform: Platform | None = None
    stated_level: int | None = None
    whole: bool = False
    queues: Mapping[str, Definition] = field(default_factory=dict)
    topics: Mapping[str, Definition] = field(default_factory=dict)
    channels: Mapping[str, Definition] = field(default_factory=dict)
    others: Mapping[str, Mapping[str, Definition]] = field(default_factory=dict)
    queue_manager_attributes: Definition | None = None
    authorities: Mapping[AuthorityRecord, Location] | None = None
    deleted: Mapping[str, Location] = field(default_factory=dict)
    refused: Sequence[RefusedCommand] = ()
    commands: Sequence[DefiningCommand] = ()
    status: Mapping[str, LiveStatus] = field(default_factory=dict)
    load: LoadModel = NO_LOAD
    unread: frozenset[str] = frozenset()
    network: Mapping[str, Estate] = field(default_factory=dict, repr=False, compare=False)
    filled_in: Mapping[str, Sequence[re.Pattern[str]]] = field(default_factory=dict)
    also: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def in_outline(self) -> Estate:
        """What other queue managers need of it: the objects, without their commands."""
        usual: dict[str, Mapping[str, AttributeValue]] = {}

        def outlined(things: Mapping[str, Definition]) -> dict[str, Definition]:
            return {name: _outline(thing, usual) for name, thing in things.items()}

        default = default_name("QLOCAL")
        queues = outlined(self.queues)
        if default in queues:  # says whether all that comes with a queue manager is here
            queues[default] = self.queues[default]
        return replace(
            self,
            queues=queues,
            topics=outlined(self.topics),
            channels=outlined(self.channels),
            others={kind: outlined(things) for kind, things in self.others.items()},
            authorities=None if self.authorities is None else {},
            refused=(),
            commands=(),
        )

    def of_kind(self, *kinds: str) -> Iterator[Definition]:
        """Queues of these kinds, in the order they were defined."""
        return (queue for queue in self.queues.values() if queue.kind in kinds)

    def objects(self, kind: str) -> Mapping[str, Definition]:
        """What shares its names with objects of *kind*: queues of every type, or that kind."""
        if kind in QUEUE_KINDS:
            return self.queues
        named = {"TOPIC": self.topics, "CHANNEL": self.channels}
        return named[kind] if kind in named else self.others.get(kind, {})

    def lists(self, kind: str) -> bool:
        """Whether every object of *kind* is here; a dump may be of one kind alone."""
        if not self.whole or kind in self.unread:
            return False
        usual = next(iter(default_objects(kind).values()), "")
        return not self.lists_system_objects or not usual or usual in self.objects(kind)

    def absence(self, kind: str, name: str) -> str:
        """Why *name* is no object of *kind*; "" where it is one, or may be one."""
        if not name or name in self.objects(kind):
            return ""
        if kind in QUEUE_KINDS and name in self.deleted:
            return f"is deleted in {self.spot(self.deleted[name])}"
        if not self.lists_system_objects and self._may_be_its_own(kind, name):
            return ""
        if self.may_have(kind, name):
            return ""
        return "is not defined" if self.lists(kind) else ""

    def spot(self, place: Location) -> str:
        """How a message names a place: by its line, with the file if commands are in several."""
        if any(command.file != place.file for command in self.commands):
            return f"{place.file}:{place.line}"
        return f"line {place.line}"

    def may_have(self, kind: str, name: str) -> bool:
        """Whether what is filled in, or another script, may define *name*."""
        group = "queue" if kind in QUEUE_KINDS else kind
        patterns = self.filled_in.get(group, ())
        return name in self.also.get(group, ()) or any(p.fullmatch(name) for p in patterns)

    def names(self) -> dict[str, frozenset[str]]:
        """The names of all objects, by kind; queues are "queue"."""
        kinds = {
            "queue": self.queues,
            "TOPIC": self.topics,
            "CHANNEL": self.channels,
            **self.others,
        }
        return {kind: frozenset(things) for kind, things in kinds.items()}

    def _may_be_its_own(self, kind: str, name: str) -> bool:
        """Whether the queue manager comes with an object, or makes it as a dynamic queue."""
        is_dynamic = is_system(name) and not name.startswith("SYSTEM.")
        return is_dynamic or comes_with(kind, name, self.platform)

    def local(self, name: str) -> Definition | None:
        """The local queue of that name, through an alias; None when it leads elsewhere."""
        queue = self.queues.get(name)
        if queue is not None and queue.kind == "QALIAS":
            if queue.text("TARGTYPE") == "TOPIC":
                return None
            queue = self.queues.get(queue.text("TARGET") or "")  # no alias may name an alias
        return queue if queue is not None and queue.kind == "QLOCAL" else None

    def setting(self, keyword: str) -> AttributeValue | None:
        """An attribute of the queue manager, None when not known."""
        if self.queue_manager_attributes is None:
            return None
        return self.queue_manager_attributes.attributes.get(keyword)

    @property
    def command_level(self) -> int | None:
        """CMDLEVEL: 940 for 9.4; None when not known."""
        value = self.setting("CMDLEVEL") if self.stated_level is None else self.stated_level
        return value if isinstance(value, int) else None

    @property
    def lists_system_objects(self) -> bool:
        """Whether what the queue manager brings along is here too, as in a dump."""
        default = self.queues.get(default_name("QLOCAL")) if self.whole else None
        if default is None:
            return False
        return not default.sources or default.sources[0].command.verb == "DEFINE"

    @property
    def greatest_length(self) -> int:
        """MAXMSGL of the queue manager, the default one when it is not known."""
        value = self.setting("MAXMSGL")
        return value if isinstance(value, int) else DEFAULT_MAXMSGL

    @property
    def dead_letter_queue(self) -> Definition | None:
        """The local queue that DEADQ names, when both are known."""
        return self.local(str(self.setting("DEADQ") or ""))

    @property
    def staging_queue(self) -> Definition | None:
        """SYSTEM.DDELAY.LOCAL.QUEUE, whatever kind of queue it is."""
        return self.queues.get(STAGING_QUEUE)
