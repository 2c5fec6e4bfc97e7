"""Whether records made from a file hold values of the types that their fields are declared with."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

_LONGEST: Final = 1 << 63
"""What SQLite keeps of a whole number."""


@cache
def hints_of(record: Hashable) -> dict[str, Any]:
    """The type of each field."""
    return get_type_hints(record)


def check_types(records: Iterable[Any]) -> None:
    """Raise where a field of one of the records, or of a record in it, has not its type."""
    for record in records:
        for name, hint in hints_of(type(record)).items():  # type: ignore[arg-type]
            if not _fits(getattr(record, name), hint):
                raise TypeError(name)


def _fits(value: object, hint: Any) -> bool:
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Literal:
        return isinstance(value, str) and value in parts
    if kind in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if kind is tuple:
        if not isinstance(value, tuple):
            return False
        among = parts[:1] * len(value) if parts[1:] == (...,) else parts
        return len(value) == len(among) and all(map(_fits, value, among))
    if kind is frozenset:
        return isinstance(value, frozenset) and all(_fits(item, parts[0]) for item in value)
    if kind in (Mapping, dict):
        return isinstance(value, Mapping) and all(
            _fits(key, parts[0]) and _fits(item, parts[1]) for key, item in value.items()
        )
    if kind is not None:
        return isinstance(value, kind)
    if is_dataclass(hint) or hasattr(hint, "_fields"):
        if not isinstance(value, hint):
            return False
        check_types([value])
        return True
    return _is_plain(value, hint)


def _is_plain(value: object, kind: type) -> bool:
    """Whether it is a value of that type itself: true is not a number here."""
    if isinstance(value, str):
        return kind is str and not any("\ud800" <= character <= "\udfff" for character in value)
    if type(value) is int:
        return kind in (int, float) and -_LONGEST <= value < _LONGEST
    return type(value) is kind or (not isinstance(value, bool) and isinstance(value, kind))
