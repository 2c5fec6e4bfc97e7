"""Points in time: RFC 3339, ``now+5m`` and MQ's PutDate and PutTime, as whole microseconds.

A time is an int: microseconds since 1970-01-01 UTC, without leap seconds. `put_time_us` and
`rfc3339` run once a message, so they work with cached minutes and never build a datetime.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from mqtriage.model.units import duration_text, parse_duration_ms
from mqtriage.mq.errors import UsageError

MINUTE_US: Final = 60_000_000
DAY_US: Final = 1440 * MINUTE_US
GREATEST_US: Final = 253_402_300_799_999_999
"""9999-12-31T23:59:59.999999Z."""
TIME_HINT: Final = (
    "write RFC 3339 with Z or an offset, 2026-01-31T10:00:00Z, or a time from now: now+5m now-2h"
)
_RFC3339: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(Z|z|[+-][0-9]{2}:[0-9]{2})?\Z"
)
_NOW: Final = re.compile(r"now(?:([+-])(.+))?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True)
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

    No time zone is assumed: RFC 3339 needs ``Z`` or an offset. A leap second (:60) is the second
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
    parts = _RFC3339.match(text)
    if parts is None:
        raise UsageError(f"{what} {text[:40]!r}: not a time", hint=TIME_HINT)
    if parts[8] is None:
        raise UsageError(f"{what} {text[:40]!r}: no offset, no zone is assumed", hint=TIME_HINT)
    year, month, day, hour, minute, second = (int(parts[group]) for group in range(1, 7))
    offset = _offset_minutes(parts[8])
    in_range = (
        year >= 1 and 1 <= month <= 12 and 1 <= day <= _days_in(year, month)
        and hour <= 23 and minute <= 59 and second <= 60 and offset is not None
    )  # fmt: skip
    if not in_range or offset is None:
        raise UsageError(f"{what} {text[:40]!r}: no such day, hour or offset", hint=TIME_HINT)
    fraction_us = int((parts[7] or "").ljust(6, "0")[:6])
    minutes = _days_since_1970(year, month, day) * 1440 + hour * 60 + minute - offset
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


def put_time_us(put_date: str, put_time: str) -> int | None:
    """MQMD.PutDate (``YYYYMMDD``) and PutTime (``HHMMSSTH``), both UTC, as microseconds.

    Returns:
        None when they are blank or no time. Seconds 60 and 61 are read: IBM documents that a
        queue manager kept in step with a time standard may give them.
    """
    hundredths = put_time[4:]
    if len(hundredths) != 4 or not hundredths.isdecimal():
        return None
    minute_us = _minute_us(put_date, put_time[:4])
    value = int(hundredths)
    return None if minute_us is None or value > 6199 else minute_us + value * 10_000


def put_date_and_time(time_us: int) -> tuple[str, str]:
    """PutDate and PutTime of a time, cut to hundredths of a second."""
    minute, rest_us = divmod(time_us, MINUTE_US)
    date, clock = _minute_text(minute)
    return date, f"{clock}{rest_us // 10_000:04d}"


def rfc3339(time_us: int) -> str:
    """RFC 3339 text in UTC, exact: ``2026-01-31T10:00:00Z``, ``...:00.250Z``, ``...:00.250001Z``.

    The fraction has no digits, three, or six: as many as are needed.
    """
    minute, rest_us = divmod(time_us, MINUTE_US)
    second, fraction_us = divmod(rest_us, 1_000_000)
    prefix = _minute_prefix(minute)
    if not fraction_us:
        return f"{prefix}{second:02d}Z"
    milliseconds, below = divmod(fraction_us, 1_000)
    if not below:
        return f"{prefix}{second:02d}.{milliseconds:03d}Z"
    return f"{prefix}{second:02d}.{fraction_us:06d}Z"


@lru_cache(maxsize=4096)
def _minute_us(put_date: str, clock: str) -> int | None:
    """The microsecond at which minute *clock* (``HHMM``) of *put_date* begins."""
    if len(put_date) != 8 or not put_date.isdecimal() or not clock.isdecimal():
        return None
    year, month, day = int(put_date[:4]), int(put_date[4:6]), int(put_date[6:])
    hour, minute = int(clock[:2]), int(clock[2:])
    if not (year and 1 <= month <= 12 and 1 <= day <= _days_in(year, month)):
        return None
    if hour > 23 or minute > 59:
        return None
    return _days_since_1970(year, month, day) * DAY_US + (hour * 60 + minute) * MINUTE_US


@lru_cache(maxsize=4096)
def _minute_text(minute: int) -> tuple[str, str]:
    """``YYYYMMDD`` and ``HHMM`` of a minute since 1970."""
    days, of_day = divmod(minute, 1440)
    year, month, day = _civil(days)
    return f"{year:04d}{month:02d}{day:02d}", f"{of_day // 60:02d}{of_day % 60:02d}"


@lru_cache(maxsize=4096)
def _minute_prefix(minute: int) -> str:
    date, clock = _minute_text(minute)
    return f"{date[:4]}-{date[4:6]}-{date[6:]}T{clock[:2]}:{clock[2:]}:"


def _offset_minutes(offset: str) -> int | None:
    """Minutes east of UTC, or None when there is no such offset."""
    if offset in "Zz":
        return 0
    hours, minutes = int(offset[1:3]), int(offset[4:])
    if hours > 23 or minutes > 59:
        return None
    return (hours * 60 + minutes) * (-1 if offset[0] == "-" else 1)


def _days_in(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _days_since_1970(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 in the Gregorian calendar; the year is counted from March."""
    if month <= 2:
        year -= 1
        month += 12
    leap_days = year // 4 - year // 100 + year // 400
    return 365 * year + leap_days + (153 * (month - 3) + 2) // 5 + day - 719_469


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a day since 1970-01-01: the way back of `_days_since_1970`."""
    era, of_era = divmod(days + 719_468, 146_097)
    years = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * years + years // 4 - years // 100)
    shifted = (5 * of_year + 2) // 153
    day = of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + years + (month <= 2), month, day
