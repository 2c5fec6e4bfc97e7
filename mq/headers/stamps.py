"""PutDate and PutTime as microseconds and as RFC 3339 text, by arithmetic alone.

`datetime` is not used: its import costs more than a short command may, and 100,000 descriptors are
written a second.
"""

from __future__ import annotations

from typing import Final

HUNDREDTH_US: Final = 10_000
SECOND_US: Final = 1_000_000
DAY_US: Final = 86_400 * SECOND_US
_DAYS_BEFORE_1970: Final = 719_468
"""From 0000-03-01, where the day count begins, to 1970-01-01."""
_ERA_DAYS: Final = 146_097


def put_time_us(put_date: str, put_time: str) -> int | None:
    """Microseconds since 1970 UTC of ``YYYYMMDD`` and ``HHMMSSTH``; None when they are no time."""
    digits = put_date + put_time
    if len(put_date) != 8 or len(put_time) != 8 or not (digits.isascii() and digits.isdigit()):
        return None
    year, month, day = int(put_date[:4]), int(put_date[4:6]), int(put_date[6:])
    hour, minute, second = int(put_time[:2]), int(put_time[2:4]), int(put_time[4:6])
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 61):
        return None
    days = _days(year, month, day)
    if _date(days) != (year, month, day):
        return None  # 30 February and its like
    seconds = hour * 3600 + minute * 60 + second
    return days * DAY_US + seconds * SECOND_US + int(put_time[6:]) * HUNDREDTH_US


def put_stamp(time_us: int) -> tuple[str, str]:
    """PutDate and PutTime of a time, as a queue manager writes them: cut to hundredths."""
    days, rest = divmod(time_us, DAY_US)
    year, month, day = _date(days)
    hundredths = rest // HUNDREDTH_US
    seconds, hundredth = divmod(hundredths, 100)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return (
        f"{year:04d}{month:02d}{day:02d}",
        f"{hour:02d}{minute:02d}{second:02d}{hundredth:02d}",
    )


def rfc3339(put_date: str, put_time: str) -> str | None:
    """``2026-01-31T10:00:00.25Z`` from PutDate and PutTime; None when they are not digits.

    The digits are passed on unchecked: an impossible date is shown as it stands.
    """
    if len(put_date) == 8 == len(put_time) and put_date.isdigit() and put_time.isdigit():
        return (
            f"{put_date[:4]}-{put_date[4:6]}-{put_date[6:]}T"
            f"{put_time[:2]}:{put_time[2:4]}:{put_time[4:6]}.{put_time[6:]}Z"
        )
    return None


def rfc3339_of_us(time_us: int) -> str | None:
    """``2021-10-01T12:43:21.054652Z``; None outside the years 1 to 9999."""
    days, rest = divmod(time_us, DAY_US)
    year, month, day = _date(days)
    if not 1 <= year <= 9999:
        return None
    seconds, micros = divmod(rest, SECOND_US)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{micros:06d}Z"


def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01; the year is counted from March, so that the leap day is its last."""
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * _ERA_DAYS + day_of_era - _DAYS_BEFORE_1970


def _date(days: int) -> tuple[int, int, int]:
    """Year, month and day of a day counted from 1970-01-01."""
    era, day_of_era = divmod(days + _DAYS_BEFORE_1970, _ERA_DAYS)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + year_of_era + (month <= 2), month, day
