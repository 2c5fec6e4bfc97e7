"""The local times of error logs before 9.1, as the line Time(...) that later releases write.

A block of theirs begins with date and time as the locale of the queue manager has them. Whether the
day or the month comes first is told by the one that is above twelve, by AM and PM, with which the
month does, or by the other times of the file; else the month does, as in the C locale.
Source: IBM MQ documentation, "Error log directories"; error logs of MQ 7.5 and 8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from typing import Final

_HEAD: Final = re.compile(
    rb"(\d{1,4})([-/.])(\d{1,2})[-/.](\d{1,4})\.? +(\d{1,2})[:.](\d\d)[:.](\d\d)(?: ?([AP])M)?"
    rb" +- +Process\("
)
_TIME: Final = re.compile(rb"\s+Time\(")
_MESSAGE: Final = re.compile(rb"AMQ\d{4,5}[A-Z]?:")


def lacks_times(beginning: bytes) -> bool:
    """Whether a block of an error log has only a local time; the last one may be cut."""
    is_open = False
    for line in beginning.split(b"\n"):
        if _HEAD.match(line):
            is_open = True
        elif _TIME.match(line):
            is_open = False
        elif is_open and _MESSAGE.match(line):
            return True
    return False


def is_day_first(lines: Iterable[bytes]) -> bool:
    """Whether the heads of a file have the day before the month."""
    for line in lines:
        head = _HEAD.match(line)
        if head is not None and len(head[1]) < 4 and not head[8]:
            if int(head[1]) > 12:
                return True
            if int(head[3]) > 12:
                return False
            if head[2] == b".":  # no locale writes month.day.year
                return True
    return False


def with_times(lines: Iterable[bytes], zone: tzinfo, *, day_first: bool) -> Iterator[bytes]:
    """The lines with Time(...) before each message whose block has none."""
    moment: datetime | None = None
    for line in lines:
        head = _HEAD.match(line)
        if head is not None:
            moment = _moment(head, zone, day_first=day_first)
        elif _TIME.match(line):
            moment = None
        elif moment is not None and _MESSAGE.match(line):
            stamp = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            yield f"                    Time({stamp})".encode()
            moment = None
        yield line


def _moment(head: re.Match[bytes], zone: tzinfo, *, day_first: bool) -> datetime | None:
    first, second, third, hour = (int(head[part]) for part in (1, 3, 4, 5))
    if len(head[1]) == 4:
        year, month, day = first, second, third
    else:
        if head[8] or second > 12 or first > 12:  # whoever wrote the rest of the file
            day_first = first > 12
        day, month = (first, second) if day_first else (second, first)
        year = third if third > 99 else 2000 + third
    if head[8]:
        hour = hour % 12 + 12 * (head[8] == b"P")
    try:
        return datetime(year, month, day, hour, int(head[6]), int(head[7]), tzinfo=zone)
    except ValueError:
        return None
