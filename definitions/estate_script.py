"""From MQSC to an estate: DEFINE, ALTER, DELETE and SET AUTHREC, in order, as MQ obeys them.

A value that cannot be read (a template marker, a wrong word) is not known rather than wrong: the
parser's own diagnostics tell of it. A queue that is only altered is known in what is altered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Final

from mqtriage.definitions.estate import (
    DEFINED_ALREADY,
    DEFINED_LATER,
    DefiningCommand,
    Definition,
    Estate,
    Location,
    RefusedCommand,
    texts_of,
)
from mqtriage.definitions.load_model import NO_LOAD, LoadModel
from mqtriage.definitions.script_platform import script_platform
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import (
    INSERT,
    AttributeValue,
    Platform,
    ValueKind,
    attribute,
    defaults,
    parse_value,
    platform_of,
)
from mqtriage.mq.attributes.system_objects import SUBTYPE, default_name, subtype_of, system_objects
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.dump_head import dump_head
from mqtriage.mq.mqsc.inserts import is_unknown
from mqtriage.mq.mqsc.placeholders import read_around
from mqtriage.mq.mqsc.tokens import marker_in
from mqtriage.mq.mqsc.tree import Command, Comment, Script
from mqtriage.mq.mqsc.verbs import LEAVING, NOUN_BY_WORD
from mqtriage.mq.security.authority_records import (
    AuthorityRecord,
    authority_words,
    in_steps,
    may_have,
)

_WITH_DEFAULTS: Final = (*QUEUE_KINDS, "TOPIC", "CHANNEL", "AUTHINFO")
_OTHERS: Final = (
    "SUB",
    "LISTENER",
    "NAMELIST",
    "PROCESS",
    "SERVICE",
    "AUTHINFO",
    "STGCLASS",
    "CFSTRUCT",
    "COMMINFO",
)
_KEPT: Final = (*QUEUE_KINDS, "TOPIC", "CHANNEL", *_OTHERS)
_CLIENTS: Final = "CLNTCONN"
_NAMED: Final = re.compile(
    r"\s*\w+\s+(?:NO)?(?:REPLACE\s+)?(\w+)\s*\(\s*((?:\{\{.*?\}\}|\$\(.*?\)|[^()])*)\)",
    re.IGNORECASE,
)
_PLACEHOLDER: Final = re.compile(r"\{\{.*?\}\}|\$\{.*?\}|\$\(.*?\)|\$\w+|<[^>]*>|\+\w+\+")


class EstateBuilder:
    """Runs scripts one after the other; `estate` gives what they amount to.

    Attributes:
        platform: None until something tells it: the caller, a dump's header, an attribute or a
            command that one platform alone has.
        command_level: None until the caller or a dump's header tells it.
    """

    def __init__(self, platform: Platform | None = None, command_level: int | None = None) -> None:
        self.platform = platform
        self.command_level = command_level
        self.queue_manager = ""
        self.whole = False
        self._objects: dict[tuple[str, str], Definition] = {}
        self._qmgr: Definition | None = None
        self._records: dict[tuple[str, str, str], tuple[set[str], Location]] = {}
        self._records_seen = False
        self._deleted: dict[str, Location] = {}
        self._refused: list[RefusedCommand] = []
        self._commands: list[DefiningCommand] = []
        self._waiting: dict[tuple[str, str], tuple[str, str]] = {}
        """Objects whose LIKE names one that was not defined by then, and which."""

    def run(self, script: Script) -> None:
        """Obey the good commands of *script*, up to its END."""
        self._read_header(script)
        if self.platform is None:
            self.platform = script_platform(script)
        for item in script.items:
            if not isinstance(item, Command):
                continue
            if item.error is not None:
                item = read_around(script, item) or item
            if item.error is not None:
                # a wrong DEFINE is about to be fixed: its object is there, nothing known of it
                kind, name = item.noun, _name(item)
                if item.verb == "DEFINE" and not name:
                    kind, name = _unread_object(script.raw(item))
                if item.verb == "DEFINE" and name and kind in _KEPT:
                    key = command_key(item) if item.name else key_of(kind, name)
                    self._objects.setdefault(key, Definition(kind, name, {}))
                    if kind in QUEUE_KINDS:
                        self._deleted.pop(name, None)
                continue
            if item.verb in LEAVING:
                break
            source = DefiningCommand(script.file, item)
            self._commands.append(source)
            self._obey(source)

    def estate(self, name: str = "", load: LoadModel = NO_LOAD, *, whole: bool = False) -> Estate:
        """What all scripts so far amount to."""
        self._copy_from_later()
        groups = ("queue", "TOPIC", "CHANNEL", _CLIENTS, *_OTHERS)
        by_class: dict[str, dict[str, Definition]] = {group: {} for group in groups}
        for (group, object_name), definition in self._objects.items():
            by_class[group][object_name] = definition
        dump = self.whole and default_name("QLOCAL") in by_class["queue"]
        return Estate(
            queue_manager=name or self.queue_manager,
            platform=self.platform,
            stated_level=self.command_level,
            whole=whole or dump,
            queues=by_class["queue"],
            topics=by_class["TOPIC"],
            channels=by_class["CHANNEL"],
            others={kind: by_class[kind] for kind in (*_OTHERS, _CLIENTS)},
            queue_manager_attributes=self._qmgr,
            authorities=self._authorities(),
            deleted=self._deleted,
            refused=tuple(self._refused),
            commands=tuple(self._commands),
            load=load,
            filled_in=self._filled_in(),
        )

    def _filled_in(self) -> dict[str, list[re.Pattern[str]]]:
        """What the names with a placeholder in them may become."""
        patterns: dict[str, list[re.Pattern[str]]] = {}
        for group, name in self._objects:
            if marker_in(name) or INSERT.search(name):
                parts = map(re.escape, _PLACEHOLDER.split(name))
                patterns.setdefault(group, []).append(re.compile(".*".join(parts)))
        return patterns

    def _read_header(self, script: Script) -> None:
        """Take name, platform and level from the comments that dmpmqcfg starts with."""
        first = script.items[0] if script.items else None
        if not isinstance(first, Comment):
            return
        head = dump_head(script.text)
        self.whole = self.whole or head.is_issued
        self.queue_manager = self.queue_manager or head.queue_manager
        if self.command_level is None:
            self.command_level = head.command_level
        if head.platform and self.platform is None:
            self.platform = platform_of(head.platform)

    def _obey(self, source: DefiningCommand) -> None:
        command = source.command
        verb, noun = command.verb, command.noun
        if noun == "QMGR":
            if verb == "ALTER":
                manager = self._qmgr or Definition("QMGR", self.queue_manager, {})
                self._qmgr = _altered(manager, source)
        elif noun == "AUTHREC":
            self._authority(source)
        elif command.name is None or noun not in _KEPT:
            return
        elif verb == "DEFINE":
            self._define(source)
        elif verb == "ALTER":
            self._alter(source)
        elif verb == "DELETE":
            self._delete(source)

    def _define(self, source: DefiningCommand) -> None:
        command = source.command
        kind, name = command.noun, _name(command)
        key = command_key(command)
        there = self._objects.get(key)
        if there is not None and not there.sources:
            there = None
        if there is not None and not command.has("REPLACE"):
            if there.is_defined:
                self._refuse(source, DEFINED_ALREADY, there.sources[0].place)
                return
        elif there is not None and there.kind != kind:
            why = f"a {there.kind} of that name is there"
            self._refuse(source, why, there.sources[0].place)
            return
        attributes = self._base(command)
        _apply(command, attributes)
        if there is not None and there.kind == kind and not command.has("REPLACE"):
            for early in there.sources:
                self._refuse(early, DEFINED_LATER, source.place)
        self._objects[key] = Definition(kind, name, attributes, (source,))
        if kind in QUEUE_KINDS:
            self._deleted.pop(name, None)

    def _base(self, command: Command) -> dict[str, AttributeValue]:
        """What a DEFINE does not name: the object of LIKE, else the default object.

        What the scripts say of that object goes before what a queue manager supplies it with. An
        object of LIKE that only a later command defines is waited for: the scripts may run in
        another order, or again.
        """
        kind = command.noun
        subtype = (command.value(SUBTYPE.get(kind, "")) or "").upper()
        like = (command.value("LIKE") or "").strip(" ")
        name = like or default_name(kind, subtype)
        own_key = command_key(command)
        key = (own_key[0], name)
        model = self._objects.get(key)
        base = dict(self._supplied(kind, name)) if kind in _WITH_DEFAULTS else {}
        self._waiting.pop(own_key, None)
        if like and not base and (model is None or key in self._waiting or not model.is_defined):
            self._waiting[own_key] = key
        return {**base, **model.attributes} if model and model.kind == kind else base

    def _copy_from_later(self) -> None:
        """Give objects what LIKE copies from those that were defined after them."""
        waiting = dict(self._waiting)
        for key in self._waiting:
            chain = []
            while key in waiting:
                chain.append((key, waiting[key]))
                key = waiting.pop(key)
            for own_key, model_key in reversed(chain):
                thing, model = self._objects[own_key], self._objects.get(model_key)
                if model is None or model.kind != thing.kind:
                    continue
                attributes = dict(model.attributes)
                for source in thing.sources:
                    _apply(source.command, attributes)
                self._objects[own_key] = replace(thing, attributes=attributes)

    def _supplied(self, kind: str, name: str) -> Mapping[str, AttributeValue]:
        """What an object that comes with a queue manager has; nothing for any other name."""
        platform = self.platform or "dist"
        values = system_objects(kind, platform).get(name)
        if values is None:
            return {}
        return {**defaults(kind, platform, subtype_of(kind, values)), **values}

    def _alter(self, source: DefiningCommand) -> None:
        command = source.command
        kind, name = command.noun, _name(command)
        key = command_key(command)
        there = self._objects.get(key)
        if there is None and kind in QUEUE_KINDS and name in self._deleted:
            self._refuse(source, "it was deleted", self._deleted[name])
        elif there is not None and there.kind != kind and there.sources:
            self._refuse(source, f"it is a {there.kind}", there.sources[0].place)
        elif there is not None and (why := _other_subtype(there, command)):
            self._refuse(source, why, there.sources[0].place)
        else:
            self._objects[key] = _altered(there or Definition(kind, name, {}), source)

    def _delete(self, source: DefiningCommand) -> None:
        kind, name = source.command.noun, _name(source.command)
        if kind in QUEUE_KINDS and name in self._deleted:
            self._refuse(source, "it was deleted", self._deleted[name])
            return
        self._objects.pop(command_key(source.command), None)
        self._waiting.pop(command_key(source.command), None)
        if kind in QUEUE_KINDS:
            self._deleted[name] = source.place

    def _refuse(self, source: DefiningCommand, why: str, first: Location) -> None:
        command = source.command
        if marker_in(_name(command)):
            return  # it may become another name each time
        refused = RefusedCommand(command.noun, _name(command), source.place, why, first)
        self._refused.append(refused)

    # authority ------------------------------------------------------------------------------------

    def _authority(self, source: DefiningCommand) -> None:
        command = source.command
        if command.verb not in ("SET", "DELETE"):
            return
        self._records_seen = True
        kind = (command.value("OBJTYPE") or "").upper()
        profile = command.value("PROFILE") or ""
        for keyword in ("GROUP", "PRINCIPAL"):
            for value in texts_of(command, keyword):
                key = (profile, kind, f"{keyword}({value})")
                if command.verb == "DELETE":
                    self._records.pop(key, None)
                    continue
                words, _ = self._records.setdefault(key, (set(), source.place))
                _grant(words, kind, _words(command, "AUTHADD"), _words(command, "AUTHRMV"))
                self._records[key] = (words, source.place)

    def _authorities(self) -> Mapping[AuthorityRecord, Location] | None:
        if not self._records_seen:
            return None
        return {
            AuthorityRecord(profile, kind, entity, frozenset(words)): place
            for (profile, kind, entity), (words, place) in self._records.items()
        }


def _grant(words: set[str], kind: str, add: Iterable[str], remove: Iterable[str]) -> None:
    """AUTHADD and AUTHRMV; a word that is no authority, of a template, is not known."""
    for adds, texts in in_steps(add, remove):
        known = {word for word in map(str.upper, texts) if may_have(kind, word)}
        if not adds:
            words -= authority_words(known, kind)
            continue
        if "NONE" in known:
            words.clear()
        words |= authority_words(known, kind)


def _words(command: Command, keyword: str) -> list[str]:
    return [word for text in texts_of(command, keyword) for word in text.split()]


def _unread_object(raw: str) -> tuple[str, str]:
    """Type and name, with a placeholder in it, of a DEFINE that could not be read; "" for none."""
    named = _NAMED.match(raw)
    name = named[2].strip(" '") if named else ""
    kind = NOUN_BY_WORD.get(named[1].upper(), "") if named else ""
    return (kind, name) if marker_in(name) else ("", "")


def _name(command: Command) -> str:
    return command.name.text.strip(" ") if command.name else ""


def key_of(kind: str, name: str) -> tuple[str, str]:
    return ("queue" if kind in QUEUE_KINDS else kind, name)


def command_key(command: Command) -> tuple[str, str]:
    """The key of a command's object; a client-connection channel shares no name with others."""
    if command.noun == "CHANNEL" and (command.value("CHLTYPE") or "").upper() == "CLNTCONN":
        return (_CLIENTS, _name(command))
    return key_of(command.noun, _name(command))


def _other_subtype(there: Definition, command: Command) -> str:
    """That ALTER names another CHLTYPE or AUTHTYPE than the object has; "" where it does not."""
    keyword = SUBTYPE.get(there.kind, "")
    own, given = subtype_of(there.kind, there.attributes), (command.value(keyword) or "").upper()
    if not own or not given or own == given or marker_in(given):
        return ""
    # two of a file that only alters may be of different queue managers
    return f"its {keyword} is {own}, not {given}" if there.is_defined else ""


def _altered(definition: Definition, source: DefiningCommand) -> Definition:
    attributes = dict(definition.attributes)
    _apply(source.command, attributes)
    sources = (*definition.sources, source)
    return replace(definition, attributes=attributes, sources=sources)


def _apply(command: Command, attributes: dict[str, AttributeValue]) -> None:
    """Put what a DEFINE or ALTER names into *attributes*; what cannot be read is taken out."""
    for parameter in command.parameters:
        texts = None if parameter.values is None else tuple([v.text for v in parameter.values])
        keyword, value = _attribute_given(command.noun, parameter.keyword, texts)
        if keyword:
            attributes.pop(keyword, None)
        if value is not None:
            attributes[keyword] = value


@lru_cache(maxsize=4096)  # a dump says the same of each of its queues
def _attribute_given(
    noun: str, keyword: str, texts: tuple[str, ...] | None
) -> tuple[str, AttributeValue | None]:
    """The attribute that a parameter names, "" for none, and its value, None if it is not known."""
    entry = attribute(noun, keyword)
    if entry is None or entry.read_only:
        return "", None
    if entry.kind is ValueKind.FLAG:
        return entry.keyword, "YES" if keyword == entry.keyword else "NO"
    if texts and not any(marker_in(text) or is_unknown(noun, text) for text in texts):
        with suppress(UsageError):
            return entry.keyword, parse_value(entry, ",".join(texts))
    return entry.keyword, None
