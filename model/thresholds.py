"""Marks of monitor checks: ``70%``, ``1000``, ``10m``, and the ranges of monitoring plugins.

A plain number, percentage or duration is reached from itself on: ``--crit 1`` alerts at 1. With a
colon or an @ it is a range as plugins have it, which says what is all right: ``10:`` alerts below
10, ``5:20`` outside of 5 to 20, ``~:20`` above 20, ``@5:20`` inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from mqtriage.model.units import parse_duration_ms, parse_percent
from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple

_NUMBER: Final = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,3})?\Z")
HINT: Final = "70% or 1000 or 10m, one per unit: 100,10m; or a range: 10: 5:20 ~:20 @5:20"


class MeasureUnit(StrEnum):
    """What a mark is about."""

    COUNT = "count"
    PERCENT = "percent"
    DURATION = "duration"
    """In milliseconds."""


class Threshold(NamedTuple):
    """When to alert.

    Attributes:
        text: as it was written.
        low, high: None is open on that side.
        inside: alert from low to high, both included, else outside of them.
        reached: a plain value: alert from *low* on.
    """

    text: str
    unit: MeasureUnit
    low: float | None
    high: float | None
    inside: bool = False
    reached: bool = False

    def alerts(self, value: float) -> bool:
        """Whether *value*, in this mark's unit, is beyond the mark."""
        if self.reached:
            return self.low is not None and value >= self.low
        below = self.low is not None and value < self.low
        above = self.high is not None and value > self.high
        return (below or above) is not self.inside


def parse_threshold(text: str, *, what: str = "mark") -> Threshold:
    """Read a mark."""
    inside = text.startswith("@")
    body = text.removeprefix("@")
    first, colon, second = body.partition(":")
    if not colon and not inside:
        unit, value = _value(body, text, what)
        return Threshold(text, unit, value, None, reached=True)
    low_text, high_text = (first, second) if colon else ("0", first)
    ends = [_value(t, text, what) for t in (low_text, high_text) if t not in ("", "~")]
    units = {unit for unit, value in ends if value}
    if not ends or len(units) > 1 or body == "":
        raise _wrong(text, what)
    low = None if low_text == "~" else 0.0 if low_text == "" else ends[0][1]
    high = None if high_text == "" else ends[-1][1]
    if low is not None and high is not None and low > high:
        raise UsageError(f"{what} {text[:40]!r}: {low_text} is above {high_text}", hint=HINT)
    return Threshold(text, next(iter(units), ends[-1][0]), low, high, inside)


def _value(part: str, text: str, what: str) -> tuple[MeasureUnit, float]:
    if _NUMBER.match(part):
        return MeasureUnit.COUNT, float(part)
    if part.endswith("%"):
        return MeasureUnit.PERCENT, parse_percent(part, what=what)
    if part[:1].isdigit() and part[-1:] in ("s", "m", "h", "d"):
        return MeasureUnit.DURATION, float(parse_duration_ms(part, what=what))
    raise _wrong(text, what)


def _wrong(text: str, what: str) -> UsageError:
    return UsageError(f"{what} {text[:40]!r}: not a threshold", hint=HINT)


class Thresholds(NamedTuple):
    """What to warn at and what is critical, by unit."""

    warn: tuple[Threshold, ...] = ()
    crit: tuple[Threshold, ...] = ()

    def of(self, unit: MeasureUnit) -> tuple[Threshold | None, Threshold | None]:
        """Warning and critical mark of one unit."""
        return _of(self.warn, unit), _of(self.crit, unit)


def _of(thresholds: tuple[Threshold, ...], unit: MeasureUnit) -> Threshold | None:
    return next((threshold for threshold in thresholds if threshold.unit is unit), None)


def read_thresholds(
    warn: Iterable[str],
    crit: Iterable[str],
    *,
    units: Iterable[MeasureUnit],
    default: Thresholds,
    of: str = "--",
) -> Thresholds:
    """Read `--warn` and `--crit`, each with one mark a unit, in one list or in several.

    Args:
        of: what the names of the two options begin with.
        units: what this check can compare with.
        default: what holds where neither option is given at all.
    """
    allowed = tuple(units)
    thresholds = Thresholds(_read(warn, f"{of}warn", allowed), _read(crit, f"{of}crit", allowed))
    for unit in allowed:
        first, second = thresholds.of(unit)
        if first and second and _is_later(first, second):
            raise UsageError(
                f"{of}warn {first.text} is above {of}crit {second.text}: it would never warn",
                hint=f"{of}warn {second.text} {of}crit {first.text}",
            )
    return thresholds if thresholds.warn or thresholds.crit else default


def _is_later(first: Threshold, second: Threshold) -> bool:
    """Whether a value that rises reaches *second* before *first*."""
    if not (first.reached and second.reached):
        return False
    return (first.low or 0) > (second.low or 0)


def _read(
    texts: Iterable[str], option: str, allowed: tuple[MeasureUnit, ...]
) -> tuple[Threshold, ...]:
    thresholds: dict[MeasureUnit, Threshold] = {}
    for text in (part.strip() for given in texts for part in given.split(",")):
        threshold = parse_threshold(text, what=option)
        if threshold.unit not in allowed:
            words = ", ".join(unit.value for unit in allowed)
            raise UsageError(f"{option} {text}: this check has no {threshold.unit}; it has {words}")
        if threshold.unit in thresholds:
            raise UsageError(f"{option}: two thresholds for the {threshold.unit}: give one")
        thresholds[threshold.unit] = threshold
    return tuple(thresholds.values())
