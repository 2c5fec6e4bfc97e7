"""The objects that come with a queue manager, read from system_objects.tsv when first needed.

A heading names an object type and the platforms whose queue managers have the objects below it:
``[QLOCAL dist]``. A row is the name and what the object has that the defaults of its type
(`catalogue.defaults`) have not. ``default`` marks the object that DEFINE starts from: its values
are the defaults of its type, beside those of the attribute tables.

Source: IBM MQ documentation, "System and default objects".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pkgutil import get_data
from typing import Final

from mqtriage.mq.attributes.attribute import QUEUE_KINDS, AttributeValue, Platform, ValueKind
from mqtriage.mq.attributes.tables import table
from mqtriage.records import NamedTuple

Values = dict[str, AttributeValue]

SUBTYPE: Final[Mapping[str, str]] = {"CHANNEL": "CHLTYPE", "AUTHINFO": "AUTHTYPE"}
"""The attribute that says what else an object of that kind has; it cannot be altered."""


class _Row(NamedTuple):
    kind: str
    platforms: tuple[str, ...]
    name: str
    is_default: bool
    values: Values


@cache
def system_objects(kind: str, platform: Platform = "dist") -> Mapping[str, Values]:
    """The objects of *kind* that come with a queue manager: name to values, in order of name.

    Returns:
        What each has beside `catalogue.defaults` of its kind, platform and CHLTYPE or AUTHTYPE,
        which is among the values.
    """
    known = {entry.keyword for entry in table(kind) if entry.exists_on(platform)}
    return {
        row.name: {key: value for key, value in row.values.items() if key in known}
        for row in sorted(_rows(), key=lambda row: row.name)
        if row.kind == kind and platform in row.platforms
    }


def comes_with(kind: str, name: str, platform: Platform | None = None) -> bool:
    """Whether an object of that kind and name comes with a queue manager.

    Args:
        kind: any kind of queue is every kind of queue: they share their names.
        platform: None is either.
    """
    kinds = QUEUE_KINDS if kind in QUEUE_KINDS else (kind,)
    platforms: tuple[Platform, ...] = ("dist", "zos") if platform is None else (platform,)
    return any(name in system_objects(own, where) for own in kinds for where in platforms)


@cache
def default_objects(kind: str) -> Mapping[str, str]:
    """CHLTYPE or AUTHTYPE, "" for a kind without, to the name of the default object."""
    rows = (row for row in _rows() if row.kind == kind and row.is_default)
    return {subtype_of(kind, row.values): row.name for row in rows}


def default_name(kind: str, subtype: str = "") -> str:
    """The name of the default object, "" where IBM supplies none."""
    return default_objects(kind).get(subtype, "")


def subtype_of(kind: str, values: Mapping[str, AttributeValue]) -> str:
    """The CHLTYPE or AUTHTYPE among *values*, "" where there is none."""
    return str(values.get(SUBTYPE.get(kind, ""), ""))


def default_values(kind: str, platform: Platform, subtype: str) -> dict[str, AttributeValue]:
    """What the default object has beside the defaults of the attribute table.

    None for SUB: the ids that SYSTEM.DEFAULT.SUB shows are those of no other subscription.
    """
    if kind == "SUB":
        return {}
    values = dict(system_objects(kind, platform).get(default_name(kind, subtype), {}))
    values.pop(SUBTYPE.get(kind, ""), None)
    return values


@cache
def _rows() -> tuple[_Row, ...]:
    data = get_data(__package__, "system_objects.tsv") or b""
    kind, numbers = "", frozenset[str]()
    platforms: tuple[str, ...] = ()
    rows = []
    for line in data.decode().splitlines():
        if line[:1] == "[":
            kind, *words = line[1:-1].split()
            platforms = tuple(words)
            numbers = frozenset(e.keyword for e in table(kind) if e.kind is ValueKind.INTEGER)
        elif line and line[0] != "#":
            name, *cells = line.split("\t")
            pairs = [cell.split("=", 1) for cell in cells if cell != "default"]
            values = {
                key: int(text) if key in numbers and text.isdecimal() else text
                for key, text in pairs
            }
            rows.append(_Row(kind, platforms, name, "default" in cells, values))
    return tuple(rows)
