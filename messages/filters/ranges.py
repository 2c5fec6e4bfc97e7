"""Conditions that select nothing, or everything, because the field never holds such a value.

A name of 41 characters is never in PutApplName, which holds 28: without a word it would select
nothing, and with <> everything.
"""

from __future__ import annotations

from typing import Final

from mqtriage.messages.filters.expression import (
    Between,
    Compare,
    Contains,
    In,
    Leaf,
    Like,
    Operator,
    Value,
)
from mqtriage.messages.filters.fields import FieldSpec, Kind, spec_of
from mqtriage.messages.filters.like import like_function, shortest
from mqtriage.model.units import first_of

_EXPIRED: Final = (
    "expired messages cannot be browsed: mqtriage expiry sweep QUEUE discards them; "
    "expiry = unlimited selects those that never expire"
)
_NAMED: Final = 8
CUT: Final = "a longer value is truncated when it is put: browse a message and use the value shown"


def refusal_of(leaf: Leaf) -> tuple[str, str | None] | None:
    """Why a condition cannot tell messages apart, with a hint; None if it can."""
    spec = spec_of(leaf.field)
    if isinstance(leaf, Between) and _is_backwards(leaf.low, leaf.high):
        return f"{leaf.field} BETWEEN needs the smaller value first", None
    if spec.values:
        return _never(leaf, spec)
    if spec.range is None:
        return None
    if spec.kind is Kind.TEXT:
        most = spec.range[1]
        longest = max(map(_characters, _texts(leaf)), default=0)
        if most is None or longest <= most:
            return None
        return f"{leaf.field} holds at most {most} characters, not {longest}", CUT
    low, high = spec.range
    if all(_is_in_range(op, value, low, high) for op, value in _numbers(leaf)):
        return None
    ends = f"{low} or more" if high is None else f"{low} to {high}"
    hint = _EXPIRED if spec.kind is Kind.EXPIRY else None
    return f"{leaf.field} is always {ends}", hint


def _never(leaf: Leaf, spec: FieldSpec) -> tuple[str, str] | None:
    """The first text that a field never holds, or the pattern that none of its texts fits."""
    if isinstance(leaf, Like):
        fits = like_function(leaf.pattern, leaf.escape)
        if any(map(fits, spec.values)):
            return None
        return f"no value of {spec.name} is LIKE {leaf.pattern!r}", _meant(leaf.pattern, spec)
    for text in map(str, _texts(leaf)):
        if isinstance(leaf, Contains) and not any(text in value for value in spec.values):
            return f"no value of {spec.name} contains {text!r}", _meant(text, spec)
        if not isinstance(leaf, Contains) and text not in spec.values:
            return f"{spec.name} is never {text!r}", _meant(text, spec)
    return None


def _meant(text: str, spec: FieldSpec) -> str:
    """The values that look like *text*, in any case; else the first ones of all."""
    from difflib import get_close_matches

    by_lower = {value.lower(): value for value in spec.values}
    near = get_close_matches(text.lower()[:40], by_lower, 3, 0.5)
    if near:
        return f"did you mean {' or '.join(repr(by_lower[one]) for one in near)}?"
    missing = f", or {spec.name} IS NULL" if spec.nullable else ""
    return f"one of {', '.join(first_of(spec.values, _NAMED))}{missing}"


def _is_backwards(low: Value, high: Value) -> bool:
    if isinstance(low, str) and isinstance(high, str):
        return low > high
    return isinstance(low, int | float) and isinstance(high, int | float) and low > high


def _texts(leaf: Leaf) -> list[str | bytes]:
    if isinstance(leaf, Compare):
        return [leaf.value] if leaf.op in ("=", "<>") and isinstance(leaf.value, str) else []
    if isinstance(leaf, In):
        return [value for value in leaf.values if isinstance(value, str)]
    if isinstance(leaf, Like):
        return ["?" * shortest(leaf.pattern, leaf.escape)]
    return [leaf.value] if isinstance(leaf, Contains) else []


def _characters(text: str | bytes) -> int:
    return len(text.rstrip(" ") if isinstance(text, str) else text)


def _numbers(leaf: Leaf) -> list[tuple[Operator, int | float]]:
    if isinstance(leaf, Compare):
        pairs: list[tuple[Operator, Value]] = [(leaf.op, leaf.value)]
    elif isinstance(leaf, In):
        pairs = [("=", value) for value in leaf.values]
    elif isinstance(leaf, Between):
        pairs = [(">=", leaf.low), ("<=", leaf.high)]
    else:
        pairs = []
    return [(op, value) for op, value in pairs if isinstance(value, int | float)]


def _is_in_range(op: Operator, value: int | float, low: int, high: int | None) -> bool:
    """Whether the field can be on the side of *value* that *op* asks for; for = and <>, be it."""
    top = float("inf") if high is None else high
    match op:
        case "<":
            return low < value
        case "<=":
            return low <= value
        case ">":
            return value < top
        case ">=":
            return value <= top
        case _:
            return low <= value <= top
