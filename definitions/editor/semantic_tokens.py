"""What each word of a script is, for the colours of an editor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from mqtriage.mq.attributes.catalogue import ValueKind, attribute
from mqtriage.mq.mqsc.tree import Command, Comment, Parameter, Script

TOKEN_TYPES: Final = (
    "keyword", "class", "variable", "property", "enumMember", "number", "string", "comment"
)  # fmt: skip
"""Verb, object type, name, attribute, word, number, text, comment."""
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_NAMES: Final = (ValueKind.NAME, ValueKind.LIST)


class SemanticToken(NamedTuple):
    """A word; *type* is its place in `TOKEN_TYPES`."""

    start: int
    end: int
    type: int


def tokens_of(script: Script) -> Iterator[SemanticToken]:
    """The words of a script in the order of its text, none of them in another."""
    for item in script.items:
        if isinstance(item, Comment):
            raw = script.raw(item)
            start = item.start + len(raw) - len(raw.lstrip())
            yield SemanticToken(start, item.start + len(raw.rstrip()), TOKEN_TYPES.index("comment"))
        elif isinstance(item, Command):
            yield from sorted({*_of_command(script, item)})


def _of_command(script: Script, command: Command) -> Iterator[SemanticToken]:
    for start, end in command.comments:
        shown = script.text[start:end].rstrip()
        yield SemanticToken(start, start + len(shown), TOKEN_TYPES.index("comment"))
    before = [command.end, *(p.start for p in command.parameters[:1])]
    before += [command.name.start] if command.name else []
    head = _WORD.finditer(script.text, command.start, min(before))
    for type_, word in zip(("keyword", "class"), head, strict=False):
        yield SemanticToken(*word.span(), TOKEN_TYPES.index(type_))
    for name in (command.name, *command.further_names):
        if name is not None and name.start < name.end:
            yield SemanticToken(name.start, name.end, TOKEN_TYPES.index("variable"))
    for parameter in command.parameters:
        yield from _of_parameter(script, command, parameter)


def _of_parameter(
    script: Script, command: Command, parameter: Parameter
) -> Iterator[SemanticToken]:
    keyword = _WORD.match(script.text, parameter.start, parameter.end)
    if keyword is not None:
        yield SemanticToken(*keyword.span(), TOKEN_TYPES.index("property"))
    entry = attribute(command.noun, parameter.keyword)
    for value in parameter.values or ():
        if value.start >= value.end:
            continue
        if entry is not None and entry.kind in _NAMES:
            type_ = "variable"
        elif value.text.lstrip("-").isdecimal():
            type_ = "number"
        else:
            type_ = "string" if value.quoted else "enumMember"
        yield SemanticToken(value.start, value.end, TOKEN_TYPES.index(type_))
