"""Points in time as people write them, ``18:00``, RFC 3339, ``now+5m``, as whole microseconds.

A time is an int: microseconds since 1970-01-01 UTC, without leap seconds. How MQ writes times is in
`mqtriage.mq.times`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from mqtriage.model.units import duration_text, is_duration, parse_duration_ms
from mqtriage.mq.errors import UsageError
from mqtriage.mq.times import GREATEST_US, MINUTE_US, days_in_month, days_since_1970, rfc3339
from mqtriage.records import dataclass

TIME_HINT: Final = (
    "write a local time, 18:00, '2026-01-31 18:00', today or yesterday; a time with Z or an offset,"
    " 2026-01-31T10:00:00Z; a day, 2026-01-31, which is 00:00 UTC; or now+5m, now-2h"
)
_SINCE_HINT: Final = f"write how long ago, 2h, 7d or 2w; or {TIME_HINT.removeprefix('write ')}"
_CLOCK: Final = r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?"
_DATE: Final = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
_RFC3339: Final = re.compile(rf"{_DATE}[Tt ]{_CLOCK}(Z|z|[+-][0-9]{{2}}:[0-9]{{2}})\Z")
_LOCAL: Final = re.compile(rf"(?:(?:{_DATE}|(today|yesterday|tomorrow))[Tt ])?{_CLOCK}\Z", re.I)
_DAYS: Final = {"yesterday": -1, "today": 0, "tomorrow": 1}
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


@dataclass(frozen=True, slots=True)
class LocalTime:
    """A time by the clock of this computer: *clock* on *date*, or on a day counted from today.

    Attributes:
        text: as it was written.
        clock: hour, minute, second and microsecond.
        date: year, month and day; None where *days* counts.
        days: from today: -1 is yesterday.
    """

    text: str
    clock: tuple[int, int, int, int] = (0, 0, 0, 0)
    date: tuple[int, int, int] | None = None
    days: int = 0

    def __str__(self) -> str:
        """The text that `parse_time` reads back."""
        return self.text

    def at(self, now_us: int) -> int:
        """The microsecond meant when it is *now_us*."""
        from datetime import datetime, timedelta

        today = datetime.fromtimestamp(now_us // 1_000_000)
        day = datetime(*(self.date or (today.year, today.month, today.day))) + timedelta(self.days)
        hour, minute, second, fraction_us = self.clock
        # a leap second is the second after it
        moment = day.replace(hour=hour, minute=minute) + timedelta(seconds=second)
        return int(moment.timestamp()) * 1_000_000 + fraction_us

    def note(self, now_us: int, what: str) -> str:
        """A sentence for people: the zone, and which time that is in UTC."""
        from datetime import datetime

        time_us = self.at(now_us)
        local = datetime.fromtimestamp(time_us // 1_000_000).astimezone()
        offset = local.isoformat()[19:] if local.utcoffset() else ""
        return f"{what} {self.text} is local time (UTC{offset}): {rfc3339(time_us)}"


RelativeTime: TypeAlias = Now | LocalTime
"""A time that is known only when it is known what time it is."""


def parse_time(text: str, *, what: str = "time") -> int | RelativeTime:
    """Read a time; one that is relative to now stays so.

    A date without a time means 00:00 UTC, as times are shown; a time of day without ``Z`` or an
    offset is local. A leap second (:60) is the second after it; digits below a microsecond are
    dropped.
    """
    relative = _NOW.match(text)
    if relative is not None:
        if relative[1] is None:
            return Now()
        span_ms = parse_duration_ms(relative[2], what=f"{what} {text[:40]!r}: the part after now")
        return Now(span_ms if relative[1] == "+" else -span_ms)
    if text.lower() in _DAYS:
        return LocalTime(text, days=_DAYS[text.lower()])
    local = _LOCAL.match(text)
    if local is not None:
        return _local_time(local, what)
    alone = _PERIOD.match(text)
    parts = _RFC3339.match(f"{text}T00:00:00Z" if alone and alone[3] else text)
    if parts is None:
        raise UsageError(f"{what} {text[:40]!r}: not a time", hint=TIME_HINT)
    year, month, day, hour, minute, second = (int(parts[group] or 0) for group in range(1, 7))
    offset = _offset_minutes(parts[8])
    is_day = year >= 1 and 1 <= month <= 12 and 1 <= day <= days_in_month(year, month)
    if not (is_day and _is_clock(hour, minute, second)) or offset is None:
        raise UsageError(f"{what} {text[:40]!r}: no such day, hour or offset", hint=TIME_HINT)
    fraction_us = _fraction_us(parts[7])
    minutes = days_since_1970(year, month, day) * 1440 + hour * 60 + minute - offset
    time_us = minutes * MINUTE_US + second * 1_000_000 + fraction_us
    if not 0 <= time_us <= GREATEST_US:
        raise UsageError(f"{what} {text[:40]!r}: out of range, allowed is 1970 to 9999")
    return time_us


def parse_time_us(
    text: str, now_us: int, *, what: str = "time", say: Callable[[str], None] | None = None
) -> int:
    """Read a time as microseconds since 1970, counting ``now`` as *now_us*.

    Args:
        say: told which time a local one is.
    """
    moment = parse_time(text, what=what)
    if isinstance(moment, int):
        return moment
    time_us = moment.at(now_us)
    if not 0 <= time_us <= GREATEST_US:
        raise UsageError(f"{what} {text[:40]!r}: out of range, allowed is 1970 to 9999")
    if say is not None and isinstance(moment, LocalTime):
        say(moment.note(now_us, what))
    return time_us


def parse_since_us(
    text: str, now_us: int, *, what: str = "--since", say: Callable[[str], None] | None = None
) -> int:
    """Read where a period begins or ends: a time, or how long ago it was (``2h``)."""
    if is_duration(text):
        return now_us - parse_duration_ms(text, what=what) * 1_000
    try:
        return parse_time_us(text, now_us, what=what, say=say)
    except UsageError as error:
        if error.hint == TIME_HINT:
            error.hint = _SINCE_HINT
        raise


def parse_period_us(text: str, *, what: str = "period") -> tuple[int, int]:
    """Read a UTC day or month, 2026-01-31 or 2026-01: its begin, and that of the next one."""
    parts = _PERIOD.match(text)
    year, month, day = (int(parts[group] or 1) for group in (1, 2, 3)) if parts else (0, 0, 0)
    if not (1970 <= year <= 9998 and 1 <= month <= 12 and 1 <= day <= days_in_month(year, month)):
        raise UsageError(
            f"{what} {text[:40]!r}: no day or month", hint="write 2026-01-31 or 2026-01, in UTC"
        )
    first = days_since_1970(year, month, day)
    days = 1 if parts and parts[3] else days_in_month(year, month)
    return first * 1440 * MINUTE_US, (first + days) * 1440 * MINUTE_US


def _local_time(parts: re.Match[str], what: str) -> LocalTime:
    """The parts of `_LOCAL`."""
    year, month, day = (int(parts[group] or 0) for group in (1, 2, 3))
    hour, minute, second = (int(parts[group] or 0) for group in (5, 6, 7))
    dated = parts[1] is not None
    is_day = not dated or (1 <= month <= 12 and 1 <= day <= days_in_month(year, month))
    if not (is_day and _is_clock(hour, minute, second)):
        raise UsageError(f"{what} {parts[0][:40]!r}: no such day or hour", hint=TIME_HINT)
    if dated and not 1970 <= year <= 9998:
        raise UsageError(f"{what} {parts[0][:40]!r}: out of range, allowed is 1970 to 9998")
    return LocalTime(
        parts[0],
        (hour, minute, second, _fraction_us(parts[8])),
        (year, month, day) if dated else None,
        _DAYS[(parts[4] or "today").lower()],
    )


def _is_clock(hour: int, minute: int, second: int) -> bool:
    return hour <= 23 and minute <= 59 and second <= 60


def _fraction_us(digits: str | None) -> int:
    return int((digits or "").ljust(6, "0")[:6])


def _offset_minutes(offset: str) -> int | None:
    """Minutes east of UTC, or None when there is no such offset."""
    if offset in "Zz":
        return 0
    hours, minutes = int(offset[1:3]), int(offset[4:])
    if hours > 23 or minutes > 59:
        return None
    return (hours * 60 + minutes) * (-1 if offset[0] == "-" else 1)
