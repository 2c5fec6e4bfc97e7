"""The machine's clock, and moments of the queue manager's as MQSC shows them.

Every due time, lifetime and put time of a queue manager goes by its one clock, which stands in its
file and is the same for all processes (`tables.state`).
"""

from __future__ import annotations

import time

from mqtriage.mq.times import put_date_and_time


def wall_us() -> int:
    """The machine's clock, microseconds since 1970 UTC."""
    return time.time_ns() // 1000


def date_and_time(now_us: int) -> tuple[str, str]:
    """A date (YYYY-MM-DD) and time (HH.MM.SS) as MQSC shows them, UTC."""
    date, time_ = put_date_and_time(now_us)
    return f"{date[:4]}-{date[4:6]}-{date[6:]}", f"{time_[:2]}.{time_[2:4]}.{time_[4:6]}"


def altered(now_us: int) -> dict[str, int | str]:
    """ALTDATE and ALTTIME of a definition that is written now."""
    date, time_ = date_and_time(now_us)
    return {"ALTDATE": date, "ALTTIME": time_}
