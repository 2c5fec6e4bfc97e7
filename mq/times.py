"""Points in time as MQ and RFC 3339 write them, from and to whole microseconds since 1970 UTC.

By arithmetic, without `datetime`, which costs a short command too much at start-up. These run once
per message, so what they make of a minute is cached.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

SECOND_US: Final = 1_000_000
MINUTE_US: Final = 60 * SECOND_US
DAY_US: Final = 1440 * MINUTE_US
LEAST_US: Final = -62_135_596_800 * SECOND_US
"""0001-01-01T00:00:00Z."""
GREATEST_US: Final = 253_402_300_799_999_999
"""9999-12-31T23:59:59.999999Z."""


def put_time_us(put_date: str, put_time: str) -> int | None:
    """MQMD.PutDate (``YYYYMMDD``) and PutTime (``HHMMSSTH``), both UTC, as microseconds.

    Returns:
        None when they are blank or no time. Seconds 60 and 61 are read: IBM documents that a
        queue manager kept in step with a time standard may give them.
    """
    hundredths = put_time[4:]
    if len(hundredths) != 4 or not (hundredths.isascii() and hundredths.isdigit()):
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


def rfc3339_or_none(time_us: int) -> str | None:
    """The same for a number that may be no time at all: None outside the years 1 to 9999."""
    return rfc3339(time_us) if LEAST_US <= time_us <= GREATEST_US else None


@lru_cache(maxsize=4096)
def put_rfc3339(put_date: str, put_time: str) -> str | None:
    """``2026-01-31T10:00:00.25Z`` from PutDate and PutTime; None when they are not digits.

    The digits are passed on unchecked: an impossible date is shown as it stands.
    """
    if len(put_date) == 8 == len(put_time) and put_date.isdigit() and put_time.isdigit():
        return (
            f"{put_date[:4]}-{put_date[4:6]}-{put_date[6:]}T"
            f"{put_time[:2]}:{put_time[2:4]}:{put_time[4:6]}.{put_time[6:]}Z"
        )
    return None


@lru_cache(maxsize=4096)
def _minute_us(put_date: str, clock: str) -> int | None:
    """The microsecond at which minute *clock* (``HHMM``) of *put_date* begins."""
    digits = put_date + clock
    if len(put_date) != 8 or not (digits.isascii() and digits.isdigit()):
        return None
    year, month, day = int(put_date[:4]), int(put_date[4:6]), int(put_date[6:])
    hour, minute = int(clock[:2]), int(clock[2:])
    if not (year and 1 <= month <= 12 and 1 <= day <= days_in_month(year, month)):
        return None
    if hour > 23 or minute > 59:
        return None
    return days_since_1970(year, month, day) * DAY_US + (hour * 60 + minute) * MINUTE_US


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


def days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def days_since_1970(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 in the Gregorian calendar; the year is counted from March."""
    if month <= 2:
        year -= 1
        month += 12
    leap_days = year // 4 - year // 100 + year // 400
    return 365 * year + leap_days + (153 * (month - 3) + 2) // 5 + day - 719_469


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a day since 1970-01-01: the reverse of `days_since_1970`."""
    era, of_era = divmod(days + 719_468, 146_097)
    years = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * years + years // 4 - years // 100)
    shifted = (5 * of_year + 2) // 153
    day = of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + years + (month <= 2), month, day
