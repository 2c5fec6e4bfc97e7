"""Commands with placeholders of a template, or variables of a shell, where values are."""

from __future__ import annotations

import re
from itertools import chain
from typing import Final

from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tokens import MARKERS, marker_in
from mqtriage.mq.mqsc.tree import Command, Script, Value, shifted

_MASK: Final = "\ue000"
"""Stands for each character of a placeholder: of private use, so that no script has it."""
_PARTS: Final = re.compile(rf"'[^'\n]*'|\"[^\"\n]*\"|(?P<placeholder>{MARKERS})")
_MASKED: Final = re.compile(f"{_MASK}+")


def read_around(script: Script, command: Command) -> Command | None:
    """A command that placeholders alone make wrong, with them as values as if they were in quotes.

    None for any other: also where a placeholder is no value, and may become any attributes.
    """
    raw = script.raw(command)
    if command.error is None or not marker_in(raw) or _MASK in raw:
        return None
    items = parse(_PARTS.sub(_masked, raw)).commands
    if len(items) != 1 or items[0].error is not None:
        return None
    (item,) = items
    name = item.name and _unmasked(item.name, raw)
    parameters = tuple(
        p._replace(values=p.values and tuple(_unmasked(value, raw) for value in p.values))
        for p in item.parameters
    )
    further = tuple(_unmasked(value, raw) for value in item.further_names)
    item = item._replace(name=name, parameters=parameters, further_names=further)
    moved = shifted(item, command.start, command.line - item.line)
    assert isinstance(moved, Command)
    return moved


def _masked(part: re.Match[str]) -> str:
    return _MASK * len(part[0]) if part["placeholder"] else part[0]


def _unmasked(value: Value, raw: str) -> Value:
    if _MASK not in value.text:
        return value
    parts = chain.from_iterable(
        part[0] for part in _PARTS.finditer(raw, value.start, value.end) if part["placeholder"]
    )
    text = _MASKED.sub(lambda run: "".join(next(parts, "") for _ in run[0]), value.text)
    return value._replace(text=text, quoted=True)
