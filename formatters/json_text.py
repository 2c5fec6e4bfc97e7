"""JSON as we write it: ASCII, compact, and nothing that JSON does not know."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mqtriage.model.result import Record, Rows

# ASCII only: a lone surrogate (a byte that was not text) is then "\udcff" in any code page, and
# cannot break the stream. It is also the faster of the two in CPython.
compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
indented = json.JSONEncoder(indent=2, ensure_ascii=True, allow_nan=False).encode


def line(record: Record) -> str:
    """The compact text of a record of a long listing.

    The encoder looks at each character twice. In a listing of bodies in hex most of them are
    digits, where it has nothing to escape: they are put in afterwards.
    """
    digits = record.get("body_hex")
    if not digits:
        return compact(record)
    # the last match is the key: quotes inside a text behind it are escaped
    head, _, tail = compact({**record, "body_hex": 0}).rpartition('"body_hex":0')
    return f'{head}"body_hex":"{digits}"{tail}'


def pieces(data: Mapping[str, Any]) -> Iterator[str]:
    """The compact text of an object, in pieces: its `Rows` are not made all at once."""
    lead = "{"
    for key, value in data.items():
        yield f"{lead}{compact(key)}:"
        if isinstance(value, Rows):
            comma = "["
            for row in value:
                yield comma + compact(row)
                comma = ","
            yield "[]" if comma == "[" else "]"
        else:
            yield compact(value)
        lead = ","
    yield "{}" if lead == "{" else "}"
