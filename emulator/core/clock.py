"""The clock of an emulated queue manager: running with an offset, or frozen; forward only.

Every due time, lifetime and put time of a queue manager goes by this one clock, which stands in its
file and is the same for all processes.
"""

from __future__ import annotations

import time

from mqtriage.mq.times import put_date_and_time


def wall_us() -> int:
    """The machine's clock, microseconds since 1970 UTC."""
    return time.time_ns() // 1000


def now_us(frozen_us: int | None, offset_us: int, reached_us: int) -> int:
    """The queue manager's time.

    Args:
        frozen_us: where a frozen clock stands, or None for a running one.
        offset_us: how far a running clock is ahead of the machine's.
        reached_us: a moment that has already been: time never goes back before it, also when
            the machine's clock is set back.
    """
    if frozen_us is not None:
        return frozen_us
    now = time.time_ns() // 1000 + offset_us
    return now if now > reached_us else reached_us


def date_and_time(now_us: int) -> tuple[str, str]:
    """A date (YYYY-MM-DD) and time (HH.MM.SS) as MQSC shows them, UTC."""
    date, time_ = put_date_and_time(now_us)
    return f"{date[:4]}-{date[4:6]}-{date[6:]}", f"{time_[:2]}.{time_[2:4]}.{time_[4:6]}"


def altered(now_us: int) -> dict[str, int | str]:
    """ALTDATE and ALTTIME of a definition that is written now."""
    date, time_ = date_and_time(now_us)
    return {"ALTDATE": date, "ALTTIME": time_}
