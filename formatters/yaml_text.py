"""YAML 1.2 as we write it: block style, ASCII, and whatever YAML 1.1 would misread in quotes.

Written here and not by a library: the records are those of JSON, start-up stays what it is, and a
listing is written record by record. Any parser reads back what `-o json` says, but for a byte that
was not text (a lone surrogate in JSON): YAML knows none, so it is written out as ``\\udcff``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from mqtriage.formatters.json_text import compact
from mqtriage.model.result import Rows

_WORD: Final = r"[A-Za-z0-9_./()*%+@=,;<>-]*"
_PLAIN: Final = re.compile(rf"[A-Za-z_/]{_WORD}(?: [A-Za-z0-9_/(]{_WORD})*")
_NOT_TEXT: Final = frozenset(
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf")
)
"""Words that a parser of YAML 1.1 or 1.2 takes for something else, in any case of letters."""
_BLOCK: Final = re.compile(r"[!-~](?:[\t -~]*[!-~])?(?:\n+[\t -~]*[!-~])*\n?")
"""Text that can stand as it is, line by line: ASCII, no blank at the end of a line."""
_BEYOND_ASCII: Final = re.compile(r"[^ -~]|[\"\\]")
_LONGEST_KEY: Final = 1000
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def mapping(data: Mapping[str, Any], indent: int = 0) -> Iterator[str]:
    """The lines of an object, in pieces: its `Rows` are not made all at once."""
    pad = " " * indent
    for name, value in data.items():
        key = scalar(name if isinstance(name, str) else compact(name))
        lead = f"{pad}{key}:" if len(key) <= _LONGEST_KEY else f"{pad}? {key}\n{pad}:"
        if isinstance(value, Rows):
            yield lead
            yield from sequence(value, indent, empty=" []\n", first="\n")
        else:
            yield lead + _value(value, indent)


def sequence(
    items: Iterable[Any], indent: int = 0, *, empty: str = "", first: str = ""
) -> Iterator[str]:
    """The lines of a list, an item at a time; *empty* for none, *first* before the first."""
    lead = first
    for item in items:
        yield lead + " " * indent + "-" + _item(item, indent)
        lead, empty = "", ""
    yield empty


def _value(value: Any, indent: int) -> str:
    """What stands behind ``key:``, with the line's end."""
    if isinstance(value, Mapping) and value:
        return "\n" + "".join(mapping(value, indent + 2))
    if isinstance(value, list | tuple) and value:
        return "\n" + "".join(sequence(value, indent))
    return f" {_leaf(value, indent + 2)}\n"


def _item(value: Any, indent: int) -> str:
    """What stands behind the ``-`` of an item, with the line's end."""
    inner = indent + 2
    if isinstance(value, Mapping) and value:
        return " " + "".join(mapping(value, inner))[inner:]
    if isinstance(value, list | tuple) and value:
        return " " + "".join(sequence(value, inner))[inner:]
    return f" {_leaf(value, inner)}\n"


def _leaf(value: Any, indent: int) -> str:
    if isinstance(value, str):
        if "\n" in value and _BLOCK.fullmatch(value):
            mark = "|" if value.endswith("\n") else "|-"
            lines = value.removesuffix("\n").split("\n")
            return mark + "".join(f"\n{' ' * indent if line else ''}{line}" for line in lines)
        return scalar(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    text = compact(value)
    if isinstance(value, float) and "e" in text and "." not in text:
        return text.replace("e", ".0e")  # YAML 1.1 takes 1e+16 for text
    return text


def scalar(text: str) -> str:
    """A text on one line, in quotes where it needs them."""
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    return '"' + _BEYOND_ASCII.sub(_escaped, text) + '"'


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return f"\\\\u{code:04x}"
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\U{code:08x}"
        if code > 0xFFFF
        else f"\\u{code:04x}"
    )
