"""A finding, its severity, and the change of definitions that fixes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TypeAlias

from mqtriage.definitions.estate import Definition, Estate, Location
from mqtriage.definitions.near_names import near_name
from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.mq.attributes.system_objects import SUBTYPE
from mqtriage.mq.mqsc.format import alter_text, define_text
from mqtriage.records import NamedTuple, dataclass


class Severity(StrEnum):
    """How bad a finding is; `rank` orders them."""

    ERROR = "error"
    """Messages are lost, refused or loop indefinitely, a command is refused, or anybody gets in."""
    WARNING = "warning"
    """It may well go wrong, or does what its writer hardly meant."""
    INFO = "info"
    """Worth knowing."""

    @property
    def rank(self) -> int:
        """0 for error, the greatest number for info."""
        return list(Severity).index(self)


class Alter(NamedTuple):
    """Set attributes of an object that is there; the kind QMGR has no name."""

    kind: str
    name: str
    attributes: Mapping[str, AttributeValue]

    def mqsc(self) -> str:
        return alter_text(self.kind, self.name, self.attributes)


class Define(NamedTuple):
    """Define an object that is not there."""

    kind: str
    name: str
    attributes: Mapping[str, AttributeValue]
    like: str = ""

    def mqsc(self, *, replace: bool = False) -> str:
        like = self.like
        return define_text(self.kind, self.name, self.attributes, like=like, replace=replace)


class CommandFix(NamedTuple):
    """Any other command, as MQSC."""

    text: str

    def mqsc(self) -> str:
        return self.text


Change: TypeAlias = Alter | Define | CommandFix


class Respelling(NamedTuple):
    """A word of the script to write otherwise, for what MQSC itself cannot fix.

    Attributes:
        place: of the word.
        old, new: what stands there, and what should.
    """

    place: Location
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Violation:
    """What a rule says about one object.

    Attributes:
        fix: changes to make, in order; () where only people can choose.
        severity: where it differs from the rule's.
        respelling: fixes the script's text itself.
    """

    kind: str
    name: str
    place: Location
    message: str
    fix: tuple[Change, ...] = ()
    severity: Severity | None = None
    respelling: Respelling | None = None


Violations: TypeAlias = Iterator[Violation]


@dataclass(frozen=True, slots=True)
class Finding:
    """A `Violation` with the code of its rule."""

    code: str
    severity: Severity
    kind: str
    name: str
    place: Location
    message: str
    fix: tuple[Change, ...] = ()
    respelling: Respelling | None = None

    @property
    def fix_mqsc(self) -> str:
        """The fix as MQSC to paste, "" for none."""
        return "\n".join(change.mqsc() for change in self.fix)


def violation(
    thing: Definition,
    keyword: str,
    message: str,
    *fix: Change,
    severity: Severity | None = None,
) -> Violation:
    """A finding about an object, at the attribute where it is given."""
    return Violation(thing.kind, thing.name, thing.place(keyword), message, fix, severity)


def meant(estate: Estate, kind: str, name: str, by: str = "") -> str:
    """``; did you mean ORDERS.BO?`` where *name*, to which *by* refers, looks misspelt; else ""."""
    near = near_name(name, estate.objects(kind), by)
    return f"; did you mean {near}?" if near else ""


def dangling(
    estate: Estate,
    thing: Definition,
    keyword: str,
    kind: str,
    effect: str,
    *wrong: str,
    severity: Severity | None = None,
) -> Iterator[Violation]:
    """A finding where an attribute names no object of *kind*, or a queue of a *wrong* kind."""
    name = thing.text(keyword)
    if not name:
        return
    why = estate.absence(kind, name)
    hint = meant(estate, kind, name, thing.name) if why else ""
    why = why or wrong_kind(estate, name, *wrong)
    if why:
        message = f"{keyword}({name}) {why}: {effect}{hint}"
        yield violation(thing, keyword, message, severity=severity)


def wrong_kind(estate: Estate, name: str, *kinds: str) -> str:
    """What the queue of that name is, where it is of one of the kinds; "" else."""
    queue = estate.queues.get(name)
    return f"is a {queue.kind}" if queue is not None and queue.kind in kinds else ""


def setting(thing: Definition, **attributes: AttributeValue) -> Alter:
    """The change that sets attributes of *thing*; ALTER names CHLTYPE or AUTHTYPE first."""
    keyword = SUBTYPE.get(thing.kind, "")
    subtype = thing.text(keyword)
    first = {keyword: subtype} if subtype else {}
    return Alter(thing.kind, thing.name, {**first, **attributes})
