"""The names in scripts: where each object is defined, and where it is named.

What a command or an attribute names comes from IBM's pages of DEFINE, SET CHLAUTH and SET AUTHREC.
Scripts of one folder are one queue manager; what is in several folders is never mixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from mqtriage.definitions.embedded.file_kinds import holds_mqsc
from mqtriage.definitions.estates import read_file
from mqtriage.definitions.script_files import scripts_in
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import attribute
from mqtriage.mq.errors import MQTriageError, UsageError
from mqtriage.mq.mqsc.tree import Command, Script, Value
from mqtriage.mq.names import check_name, is_like, is_system

QUEUES: Final = "queue"
CLIENTS: Final = "CLNTCONN"
_OF_STATUS: Final[Mapping[str, str]] = {
    "QUEUE": QUEUES, "QSTATUS": QUEUES, "CHSTATUS": "CHANNEL", "CHLAUTH": "CHANNEL",
    "SVSTATUS": "SERVICE", "LSSTATUS": "LISTENER", "SBSTATUS": "SUB", "CFSTATUS": "CFSTRUCT",
}  # fmt: skip
"""What the name of these commands is one of; every other noun is its own group."""
_NAMED_BY: Final[Mapping[str, str]] = {
    "TARGET": QUEUES, "BOQNAME": QUEUES, "XMITQ": QUEUES, "STREAMQ": QUEUES, "INITQ": QUEUES,
    "DEADQ": QUEUES, "DEFXMITQ": QUEUES, "DEST": QUEUES, "MDURMDL": QUEUES, "MNDURMDL": QUEUES,
    "NAMES": QUEUES, "PROCESS": "PROCESS", "CLUSNL": "NAMELIST", "REPOSNL": "NAMELIST",
    "SSLCRLNL": "NAMELIST", "CONNAUTH": "AUTHINFO", "TOPICOBJ": "TOPIC", "STGCLASS": "STGCLASS",
    "CFSTRUCT": "CFSTRUCT", "COMMINFO": "COMMINFO",
}  # fmt: skip
"""Attribute to the group of objects that its value names."""
_ELSEWHERE: Final[Mapping[str, str]] = {"DEST": "DESTQMGR"}
"""Attributes whose name is of another queue manager where this one is given."""
_PROFILES: Final[Mapping[str, str]] = {
    "QUEUE": QUEUES, "CHANNEL": "CHANNEL", "CLNTCONN": CLIENTS, "TOPIC": "TOPIC",
    "PROCESS": "PROCESS", "NAMELIST": "NAMELIST", "LISTENER": "LISTENER", "SERVICE": "SERVICE",
    "AUTHINFO": "AUTHINFO", "COMMINFO": "COMMINFO",
}  # fmt: skip
"""OBJTYPE to the group of objects that PROFILE names."""
_LENGTHS: Final[Mapping[str, int]] = {"CHANNEL": 20, CLIENTS: 20, "STGCLASS": 8, "CFSTRUCT": 12}


class Occurrence(NamedTuple):
    """A name where it stands.

    Attributes:
        group: objects that share their names: "queue", "CHANNEL", "CLNTCONN", "TOPIC" ...
        start, end: span in the script's text, with the quotes.
        defines: it is the name of a DEFINE.
        generic: it names all objects that begin so, or that fit a profile.
    """

    group: str
    name: str
    start: int
    end: int
    quoted: bool
    defines: bool = False
    generic: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A name in a file."""

    path: Path
    text: str
    at: Occurrence


def occurrences(script: Script) -> Iterator[Occurrence]:
    """Every name of an object in a script, in the order of the text."""
    for command in script.commands:
        if command.noun:
            yield from _of_command(command)


def _of_command(command: Command) -> Iterator[Occurrence]:
    group = _group(command)
    if command.name is not None and command.noun not in ("QMGR", "AUTHREC", "POLICY"):
        defines = command.verb == "DEFINE"
        for value in (command.name, *command.further_names):
            yield from _occurrence(group, value, defines=defines)
    for parameter in command.parameters:
        if not parameter.values:
            continue
        target = _target_group(command, parameter.keyword)
        if target:
            for value in parameter.values:
                yield from _occurrence(target, value)


def _occurrence(group: str, value: Value, *, defines: bool = False) -> Iterator[Occurrence]:
    name = value.text.strip(" ")
    if name:
        generic = "*" in name or "?" in name
        yield Occurrence(group, name, value.start, value.end, value.quoted, defines, generic)


def _group(command: Command) -> str:
    noun = command.noun
    if noun in QUEUE_KINDS:
        return QUEUES
    if noun == "CHANNEL" and (command.value("CHLTYPE") or "").upper() == CLIENTS:
        return CLIENTS
    return _OF_STATUS.get(noun, noun)


def _target_group(command: Command, keyword: str) -> str:
    """What the values of a parameter name; "" for no object of this queue manager."""
    if command.verb == "DISPLAY":
        return ""
    if keyword == "LIKE":
        return _group(command)
    if keyword == "PROFILE":
        return _PROFILES.get((command.value("OBJTYPE") or "").upper(), "")
    entry = attribute(command.noun, keyword)
    if entry is None or command.value(_ELSEWHERE.get(entry.keyword, "")):
        return ""
    if entry.keyword == "TARGET" and (command.value("TARGTYPE") or "").upper() == "TOPIC":
        return "TOPIC"
    if entry.keyword == "NAMES":
        type_ = (command.value("NLTYPE") or "QUEUE").upper()
        return {"Q": QUEUES, "QUEUE": QUEUES, "NONE": QUEUES, "AUTHINFO": "AUTHINFO"}.get(type_, "")
    if entry.keyword == command.noun:  # CHLAUTH(...) and the like are names, and no attributes
        return ""
    return _NAMED_BY.get(entry.keyword, "")


def name_at(script: Script, offset: int) -> Occurrence | None:
    """The name at an offset of the text, its end included; None for no name."""
    return next((one for one in occurrences(script) if one.start <= offset <= one.end), None)


class Workspace:
    """The scripts beside a document, those that are open as the editor has them."""

    def __init__(self, path: Path, opened: Mapping[Path, Script]) -> None:
        self._path = path
        self._opened = opened

    def scripts(self) -> Iterator[tuple[Path, Script]]:
        """The document and the scripts of its folder."""
        yield self._path, self._opened[self._path]
        if holds_mqsc(self._path.name):
            return  # a file of another kind is a queue manager by itself
        try:
            beside = scripts_in(self._path.parent)
        except MQTriageError:
            return  # the document is nowhere yet
        for path in beside:
            if path == self._path:
                continue
            if path in self._opened:
                yield path, self._opened[path]
                continue
            try:
                yield path, read_file(str(path)).script
            except MQTriageError:
                continue  # it cannot be read, or is gone

    def places(self, sought_name: Occurrence, *, exact: bool = False) -> list[Place]:
        """Where the object is named; of generic names those that it fits, but for *exact*."""
        return [
            Place(path, script.text, one)
            for path, script in self.scripts()
            for one in occurrences(script)
            if one.group == sought_name.group and _fits(one, sought_name, exact=exact)
        ]

    def definitions(self, sought_name: Occurrence) -> list[Place]:
        """Where the object is defined; of a generic name every object that it names."""
        return [place for place in self.places(sought_name) if place.at.defines]


def _fits(one: Occurrence, sought_name: Occurrence, *, exact: bool) -> bool:
    if one.name == sought_name.name:
        return True
    if exact:
        return False
    if one.generic:
        return _is_like(one.name, sought_name.name)
    return sought_name.generic and _is_like(sought_name.name, one.name)


def _is_like(pattern: str, name: str) -> bool:
    """Whether a generic name or a profile (``ORDERS.**``) is about a name."""
    if pattern.count("*") == 1 and pattern.endswith("*") and "?" not in pattern:
        return is_like(pattern, name)
    return name.startswith(pattern[: min(pattern.find(c) % (len(pattern) + 1) for c in "*?")])


def new_text(place: Place, name: str) -> str:
    """What takes the place of a name when its object is called otherwise."""
    return f"'{name}'" if place.at.quoted or name != name.upper() else name


def check_new_name(sought_name: Occurrence, name: str, others: Iterable[Place]) -> None:
    """Refuse a name that the object cannot have: no name, too long, taken, or the system's."""
    if sought_name.generic:
        raise UsageError(f"{sought_name.name} names several objects")
    if is_system(sought_name.name):
        raise UsageError(f"{sought_name.name} is an object of the queue manager's own")
    check_name("object", _LENGTHS.get(sought_name.group, 48), name)
    if any(place.at.defines for place in others):
        raise UsageError(f"{name} is defined already")
