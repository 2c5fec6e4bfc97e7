"""JSON as we write it: ASCII, compact, and nothing that JSON does not know."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mqtriage.model.result import Rows

# ASCII only: a lone surrogate (a byte that was not text) is then "\udcff" in any code page, and
# cannot break the stream. It is also the faster of the two in CPython.
compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
indented = json.JSONEncoder(indent=2, ensure_ascii=True, allow_nan=False).encode


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
