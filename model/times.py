"""Points in time as people write them, RFC 3339 and ``now+5m``, as whole microseconds.

A time is an int: microseconds since 1970-01-01 UTC, without leap seconds. How MQ writes times is in
`mqtriage.mq.times`.
"""

from __future__ import annotations

import re
from typing import Final

from mqtriage.model.units import duration_text, parse_duration_ms
from mqtriage.mq.errors import UsageError
from mqtriage.mq.times import GREATEST_US, MINUTE_US, days_in_month, days_since_1970
from mqtriage.records import dataclass

TIME_HINT: Final = (
    "write RFC 3339 with Z or an offset, 2026-01-31T10:00:00Z; a day, 2026-01-31, which is 00:00"
    " UTC; or a time relative to now: now+5m now-2h"
)
_RFC3339: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(Z|z|[+-][0-9]{2}:[0-9]{2})?\Z"
)
_PERIOD: Final = re.compile(r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2}))?\Z")
_NOW: Final = re.compile(r"now(?:([+-])(.+))?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Now:
    """A time that moves with the clock: now plus *offset_ms*."""

    offset_ms: int = 0

    def __str__(self) -> str:
        """The text that `parse_time` reads back: ``now-5m``."""
        if self.offset_ms == 0:
            return "now"
        sign = "+" if self.offset_ms > 0 else ""
        return f"now{sign}{duration_text(self.offset_ms)}"

    def at(self, now_us: int) -> int:
        """The microsecond meant when it is *now_us*."""
        return now_us + self.offset_ms * 1_000


def parse_time(text: str, *, what: str = "time") -> int | Now:
    """Read a time; one that is relative to now stays so.

    A date without a time means 00:00 UTC, as times are shown. Otherwise no time zone is assumed:
    RFC 3339 needs ``Z`` or an offset. A leap second (:60) is the second
    after it; digits below a microsecond are dropped.

    Raises:
        UsageError: Not a time, no such day or hour, no offset, or before 1970.
    """
    relative = _NOW.match(text)
    if relative is not None:
        if relative[1] is None:
            return Now()
        span_ms = parse_duration_ms(relative[2], what=f"{what} {text[:40]!r}: the part after now")
        return Now(span_ms if relative[1] == "+" else -span_ms)
    alone = _PERIOD.match(text)
    parts = _RFC3339.match(f"{text}T00:00:00Z" if alone and alone[3] else text)
    if parts is None:
        raise UsageError(f"{what} {text[:40]!r}: not a time", hint=TIME_HINT)
    if parts[8] is None:
        raise UsageError(
            f"{what} {text[:40]!r}: no offset is given, and no time zone is assumed", hint=TIME_HINT
        )
    year, month, day, hour, minute, second = (int(parts[group]) for group in range(1, 7))
    offset = _offset_minutes(parts[8])
    in_range = (
        year >= 1 and 1 <= month <= 12 and 1 <= day <= days_in_month(year, month)
        and hour <= 23 and minute <= 59 and second <= 60 and offset is not None
    )  # fmt: skip
    if not in_range or offset is None:
        raise UsageError(f"{what} {text[:40]!r}: no such day, hour or offset", hint=TIME_HINT)
    fraction_us = int((parts[7] or "").ljust(6, "0")[:6])
    minutes = days_since_1970(year, month, day) * 1440 + hour * 60 + minute - offset
    time_us = minutes * MINUTE_US + second * 1_000_000 + fraction_us
    if not 0 <= time_us <= GREATEST_US:
        raise UsageError(f"{what} {text[:40]!r}: out of range, allowed is 1970 to 9999")
    return time_us


def parse_time_us(text: str, now_us: int, *, what: str = "time") -> int:
    """Read a time as microseconds since 1970, counting ``now`` as *now_us*.

    Raises:
        UsageError: As `parse_time`; also when now plus the duration leaves the years 1970 to 9999.
    """
    time = parse_time(text, what=what)
    if isinstance(time, int):
        return time
    time_us = time.at(now_us)
    if not 0 <= time_us <= GREATEST_US:
        raise UsageError(f"{what} {text[:40]!r}: out of range, allowed is 1970 to 9999")
    return time_us


def parse_period_us(text: str, *, what: str = "period") -> tuple[int, int]:
    """Read a UTC day or month, 2026-01-31 or 2026-01: where it begins and where the next one does.

    Raises:
        UsageError: Neither, no such day or month, or not in the years 1970 to 9998.
    """
    parts = _PERIOD.match(text)
    year, month, day = (int(parts[group] or 1) for group in (1, 2, 3)) if parts else (0, 0, 0)
    if not (1970 <= year <= 9998 and 1 <= month <= 12 and 1 <= day <= days_in_month(year, month)):
        raise UsageError(
            f"{what} {text[:40]!r}: no day or month", hint="write 2026-01-31 or 2026-01, in UTC"
        )
    first = days_since_1970(year, month, day)
    days = 1 if parts and parts[3] else days_in_month(year, month)
    return first * 1440 * MINUTE_US, (first + days) * 1440 * MINUTE_US


def _offset_minutes(offset: str) -> int | None:
    """Minutes east of UTC, or None when there is no such offset."""
    if offset in "Zz":
        return 0
    hours, minutes = int(offset[1:3]), int(offset[4:])
    if hours > 23 or minutes > 59:
        return None
    return (hours * 60 + minutes) * (-1 if offset[0] == "-" else 1)
