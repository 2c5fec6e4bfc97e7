"""Distinguished names of certificates, and the patterns of SSLPEER and SSLCERTI that match them.

Source: IBM MQ documentation, "IBM MQ rules for SSLPEER values", "Distinguished Names".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

Name = tuple[tuple[str, str], ...]
"""Attribute types and values; of several of one type, OU and DC, the highest level first."""

_SAME: Final = {"USERID": "UID", "SP": "ST", "S": "ST", "E": "MAIL"}
TYPES: Final = frozenset((
    "SERIALNUMBER", "MAIL", "UID", "CN", "T", "OU", "DC", "O", "STREET", "L", "ST", "PC", "C",
    "UNSTRUCTUREDNAME", "UNSTRUCTUREDADDRESS", "DNQ",
))  # fmt: skip
_ITEM: Final = re.compile(r'\s*([A-Za-z]+)=(?:\s*"([^"]*)"\s*|([^,;"]*))(?:[,;]|$)')


def parsed(text: str) -> Name:
    """The attributes of a name or pattern such as ``CN="app*", OU=Test, O=IBM``."""
    items = []
    at = 0
    while at < len(text):
        item = _ITEM.match(text, at)
        kind = "" if item is None else _SAME.get(item[1].upper(), item[1].upper())
        if item is None or kind not in TYPES:
            raise ValueError(f"not a distinguished name at {text[at:].strip()!r}")
        items.append((kind, item[3].strip() if item[2] is None else item[2]))
        at = item.end()
    return tuple(items)


def wrong_type(text: str) -> str:
    """The first attribute type in a name or pattern that SSLPEER does not have; "" for none."""
    kinds = re.findall(r"(?:^|[,;])\s*([A-Za-z]\w*)\s*=", re.sub(r'"[^"]*"', "", text))
    return next((kind for kind in kinds if _SAME.get(kind.upper(), kind.upper()) not in TYPES), "")


def is_matched_by(name: Name, pattern: Name) -> bool:
    """Whether a certificate's name has every attribute of a pattern.

    Letters match irrespective of case; an asterisk at the start or end of a value stands for any
    characters. Several OU or DC match in their order; the name may have more of them.
    """
    return all(
        _matched_in_order(_values(name, kind), _values(pattern, kind))
        for kind in {kind for kind, _ in pattern}
    )


def _values(name: Name, kind: str) -> list[str]:
    return [value for other, value in name if other == kind]


def _matched_in_order(values: Iterable[str], patterns: Iterable[str]) -> bool:
    remaining = iter(values)
    return all(any(_is_like(value, pattern) for value in remaining) for pattern in patterns)


def _is_like(value: str, pattern: str) -> bool:
    value, pattern = value.casefold(), pattern.casefold()
    core = pattern[1:] if pattern.startswith("*") else pattern
    is_open_behind = core.endswith("*")
    core = core[:-1] if is_open_behind else core
    if pattern.startswith("*"):
        return core in value if is_open_behind else value.endswith(core)
    return value.startswith(core) if is_open_behind else value == core
