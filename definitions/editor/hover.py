"""What is shown about a place in a script: the attribute there, and the pages of its findings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from mqtriage.definitions.editor.checked import CheckedFile
from mqtriage.definitions.editor.symbols import Occurrence, Place
from mqtriage.definitions.lint.pages import all_codes, page_of
from mqtriage.mq.attributes.attribute import MAX_LONG, Attribute, ValueKind
from mqtriage.mq.attributes.catalogue import attribute, attributes_of
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tree import Command, Parameter, Script
from mqtriage.mq.mqsc.verbs import only_platform

_MOST_DEFINITIONS: Final = 3
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_CODE: Final = re.compile(r"\b[A-Za-z]{3,4}[0-9]{3}\b")


class Hover(NamedTuple):
    """Markdown, and the span of the text that it is about."""

    text: str
    start: int
    end: int


def hover_at(
    checked: CheckedFile,
    offset: int,
    named: Occurrence | None = None,
    defined: Sequence[Place] = (),
) -> Hover | None:
    """What is known about an offset of the text; None for nothing.

    Args:
        named: the name at the offset, and *defined* where its object is.
    """
    script = checked.script
    command = _command_at(script, offset)
    if command is None:
        return _of_comment(checked, offset)
    parameter = next((p for p in command.parameters if p.start <= offset < p.end), None)
    parts = []
    if parameter is not None:
        entry = attribute(command.noun, parameter.keyword)
        if entry is not None:
            parts.append(attribute_text(entry, command.noun))
    if named is not None:
        parts += [_definition_text(place) for place in defined[:_MOST_DEFINITIONS]]
    parts += [
        page_of(code, checked.config.rules) for code in _codes_at(checked, command, parameter)
    ]
    word = _word_at(script, command, offset)
    if word is not None:
        return Hover("\n\n---\n\n".join([_command_text(command), *parts]), *word)
    if not parts:
        return None
    start, end = (
        (parameter.start, parameter.end)
        if parameter is not None
        else (command.start, command.start + len(script.raw(command).rstrip()))
    )
    return Hover("\n\n---\n\n".join(parts), start, end)


def _definition_text(place: Place) -> str:
    """The command that defines an object, and where it stands."""
    script = parse(place.text)
    line = place.text.count("\n", 0, place.at.start) + 1
    command = next((c for c in script.commands if c.start <= place.at.start < c.end), None)
    text = "" if command is None else script.masked(command).strip()
    return f"```mqsc\n{text}\n```\n\n{place.path.name}, line {line}"


def _word_at(script: Script, command: Command, offset: int) -> tuple[int, int] | None:
    """The span of the verb or the object type at an offset."""
    end = min(
        [command.end, *([command.name.start] if command.name else []),
         *(p.start for p in command.parameters[:1])]
    )  # fmt: skip
    for word in list(_WORD.finditer(script.text, command.start, end))[:2]:
        if word.start() <= offset < word.end():
            return word.span()
    return None


def _command_text(command: Command) -> str:
    """A verb and its object type: where the command exists, and what it takes."""
    lines = [f"**{command.verb} {command.noun}**".replace(" **", "**")]
    only = only_platform(command.verb, command.noun)
    if only:
        lines.append("z/OS only." if only == "zos" else "Not on z/OS.")
    entries = [e for e in attributes_of(command.noun) if not e.read_only] if command.noun else []
    if command.verb in ("DEFINE", "ALTER") and entries:
        lines.append(", ".join(f"`{entry.keyword}`" for entry in entries))
    return "\n\n".join(lines)


def _command_at(script: Script, offset: int) -> Command | None:
    for item in script.items:
        if item.start <= offset < item.end:
            if isinstance(item, Command) and not any(s <= offset < e for s, e in item.comments):
                return item
            return None
    return None


def _of_comment(checked: CheckedFile, offset: int) -> Hover | None:
    """The page of a rule whose code stands in a comment, such as one that ignores a finding."""
    script, own = checked.script, checked.config.rules
    codes = {*all_codes(), *(rule.code for rule in own)}
    start = script.text.rfind("\n", 0, offset) + 1
    end = script.text.find("\n", offset)
    for match in _CODE.finditer(script.text, start, len(script.text) if end < 0 else end):
        if match.start() <= offset < match.end() and match[0].upper() in codes:
            return Hover(page_of(match[0], own), *match.span())
    return None


def _codes_at(checked: CheckedFile, command: Command, parameter: Parameter | None) -> list[str]:
    """The rules that found something in the parameter; those of the command where none is there."""
    start = parameter if parameter is not None else command
    here = (start.line, start.column)
    return list(
        dict.fromkeys(f["code"] for f in checked.findings if (f["line"], f["column"]) == here)
    )


def attribute_text(entry: Attribute, kind: str) -> str:
    """An attribute in Markdown: what it takes, its default, where it exists, its other names."""
    title = f"**{entry.keyword}** of {kind}"
    if entry.kind is ValueKind.FLAG:
        title = f"**{entry.keyword}**, **NO{entry.keyword}** of {kind}"
    lines = [f"{title}: {_values(entry)}"]
    if entry.read_only:
        lines.append("Shown by DISPLAY, never set.")
    default = _default(entry)
    if default:
        lines.append(default)
    if entry.only:
        lines.append("z/OS only." if entry.only == "zos" else "Not on z/OS.")
    if entry.channel_types:
        lines.append(f"For {', '.join(entry.channel_types)}.")
    names = []
    if entry.selector_name:
        names.append(f"`{entry.selector_name}` ({entry.selector})")
    if entry.pcf:
        names.append(f"PCF `{entry.pcf}`")
    if names:
        lines.append(", ".join(names))
    return "\n\n".join(lines)


def _values(entry: Attribute) -> str:
    words = ", ".join(f"`{word}`" for word in entry.words)
    match entry.kind:
        case ValueKind.FLAG:
            return "a switch, without a value"
        case ValueKind.INTEGER:
            unit = f" {entry.unit}" if entry.unit else ""
            top = entry.maximum
            bounds = f"{entry.minimum} to {top}{unit}" if top != MAX_LONG or unit else "a number"
            return f"{bounds}, or {words}" if words else bounds
        case ValueKind.WORD:
            return words
        case ValueKind.WORDS:
            return f"one or more of {words}"
        case ValueKind.NAME:
            return f"a name of at most {entry.max_length} characters"
        case ValueKind.LIST:
            return f"a list, at most {entry.max_length} characters each"
        case ValueKind.STRING:
            return f"text of at most {entry.max_length} characters"


def _default(entry: Attribute) -> str:
    if entry.default is None:
        return ""
    text = _value(entry, entry.default)
    if entry.zos_default is not None and entry.zos_default != entry.default:
        return f"Default {text}, on z/OS {_value(entry, entry.zos_default)}."
    return f"Default {text}."


def _value(entry: Attribute, value: int | str) -> str:
    if entry.kind is ValueKind.FLAG:
        return f"`{'' if value == 'YES' else 'NO'}{entry.keyword}`"
    return f"`{value}`" if value != "" else "blank"
