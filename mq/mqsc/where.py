"""WHERE(keyword operator value) of DISPLAY: read once, then asked of each object.

Source: IBM MQ 9.4 "Building command scripts", "Filter by" of DISPLAY QUEUE and DISPLAY QSTATUS:
operators LT GT EQ NE LE GE; LK and NL with a trailing-asterisk pattern; CT, EX, CTG and EXG for
attributes that are lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqtriage.mq.attributes.catalogue import (
    Attribute,
    AttributeValue,
    ValueKind,
    attribute,
    parse_value,
)
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.tree import Parameter
from mqtriage.mq.names import is_like
from mqtriage.records import NamedTuple

_ORDER: Final[dict[str, Callable[[int], bool]]] = {
    "LT": lambda sign: sign < 0,
    "GT": lambda sign: sign > 0,
    "EQ": lambda sign: sign == 0,
    "NE": lambda sign: sign != 0,
    "LE": lambda sign: sign <= 0,
    "GE": lambda sign: sign >= 0,
}
_LIKE: Final = ("LK", "NL")
_LISTS: Final = ("CT", "EX", "CTG", "EXG")
OPERATORS: Final = (*_ORDER, *_LIKE, *_LISTS)


class Filter(NamedTuple):
    """One filter.

    Attributes:
        value: as written, quotes taken off.
    """

    keyword: str
    operator: str
    value: str

    def keeps(self, kind: str, held: AttributeValue | None) -> bool:
        """Whether an object whose attribute is *held* is displayed; one without it never is.

        Args:
            kind: "QLOCAL" ...: numbers are compared as numbers, words by their MQI number.
        """
        if held is None:
            return False
        if self.operator in _LIKE:
            return is_like(self.value, str(held)) is (self.operator == "LK")
        if self.operator in _LISTS:
            return self._list_keeps(str(held))
        return _ORDER[self.operator](_compared(kind, self.keyword, held, self.value))

    def _list_keeps(self, held: str) -> bool:
        members = [part for part in held.split(",") if part]
        generic = self.operator.endswith("G")
        contains = any(is_like(self.value, m) if generic else self.value == m for m in members)
        return contains is self.operator.startswith("CT")


def _compared(kind: str, keyword: str, held: AttributeValue, expected: str) -> int:
    """-1, 0 or 1 as *held* is below, at or above *expected*."""
    actual, right = _number(kind, keyword, held), _number(kind, keyword, expected)
    if actual is not None and right is not None:
        return (actual > right) - (actual < right)
    one, other = str(held), expected.rstrip(" ")
    return (one > other) - (one < other)


def _number(kind: str, keyword: str, value: AttributeValue) -> int | None:
    if isinstance(value, int):
        return value
    entry = attribute(kind, keyword)
    if entry is not None and value.upper() in entry.words:
        return entry.words[value.upper()]
    digits = value.strip().removeprefix("-")
    return int(value) if digits.isascii() and digits.isdecimal() and len(digits) < 20 else None


def read_where(parameter: Parameter, kinds: tuple[str, ...]) -> Filter:
    """Read the parameter WHERE.

    Args:
        kinds: object types that are displayed; a value that none of them takes is wrong.

    Raises:
        UsageError: Not three parts, or what `filter_of` refuses.
    """
    values = parameter.values or ()
    if len(values) != 3:
        raise UsageError("WHERE takes three parts", hint="WHERE(CURDEPTH GT 0)")
    return filter_of(values[0].text.upper(), values[1].text.upper(), values[2].text, kinds)


def filter_of(keyword: str, operator: str, value: str, kinds: tuple[str, ...]) -> Filter:
    """Check the three parts of a filter, of which the first two are in upper case.

    Args:
        kinds: object types that are displayed; a value that none of them takes is wrong.

    Raises:
        UsageError: No such operator, an attribute or value that does not exist.
    """
    if operator not in OPERATORS:
        raise UsageError(f"WHERE: {operator[:20]} is not an operator", hint=", ".join(OPERATORS))
    entries = [entry for kind in kinds if (entry := attribute(kind, keyword)) is not None]
    if not entries and keyword not in ("QUEUE", "TYPE", "TOPIC"):
        raise UsageError(f"WHERE: {keyword[:40]} is not an attribute of what is displayed")
    if entries and operator in _ORDER and entries[0].kind in (ValueKind.WORD, ValueKind.INTEGER):
        if entries[0].kind is ValueKind.WORD and operator not in ("EQ", "NE"):
            raise UsageError(f"WHERE: {keyword} is a word; use EQ or NE")
        _check_number(entries, value)
    if value.endswith("*") and operator in ("EQ", "NE"):
        raise UsageError("WHERE: a generic value goes with LK or NL")
    return Filter(keyword, operator, value)


def _check_number(entries: list[Attribute], value: str) -> None:
    """A number or word that at least one of the types takes; a number may be out of range."""
    if value.strip().removeprefix("-").isdecimal():
        return
    problems: list[UsageError] = []
    for entry in entries:
        try:
            parse_value(entry, value)
            return
        except UsageError as error:
            problems.append(error)
    raise problems[0]
