"""JSON as we write it: ASCII, compact, and nothing that JSON does not know."""

from __future__ import annotations

import json
from typing import Any

# ASCII only: a lone surrogate (a byte that was not text) is then "\udcff" in any code page, and
# cannot break the stream. It is also the faster of the two in CPython.
compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
indented = json.JSONEncoder(indent=2, ensure_ascii=True, allow_nan=False).encode


def encoded(value: Any, *, is_tty: bool) -> str:
    """One document: indented for a person who reads it on a terminal, one line for a script."""
    return indented(value) if is_tty else compact(value)
