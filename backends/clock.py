"""The queue manager's time, as far as it can be known from here.

No MQI call tells it. Every reply of the command server does, by its put time, and every answer of a
web server by its date; until there is one, this machine's clock is taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from mqtriage.mq.times import SECOND_US, put_time_us

_QUARTER_US: Final = 900 * SECOND_US
NOISE_US: Final = 2 * SECOND_US
"""Below this a difference is the network's, and the clocks are taken to agree."""

WORTH_TELLING_US: Final = 60 * SECOND_US


def here_us() -> int:
    """This machine's clock."""
    return time.time_ns() // 1000


class Clock:
    """Microseconds since 1970 UTC."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        self._notice = notice
        self._ahead_us = 0
        self._warned = False
        self._behind_utc_us: int | None = None

    def now_us(self) -> int:
        return here_us() + self._ahead_us

    def put_of_age_us(self, age_s: int, depth: int) -> int | None:
        """When the oldest of *depth* messages was put, from its age; -1 is not known."""
        if age_s < 0 or not depth:
            return None
        return (self.now_us() // SECOND_US - age_s) * SECOND_US

    def utc_us(self, local_us: int | None, ask_local_us: Callable[[], int | None]) -> int | None:
        """A time that the queue manager gives in its own time zone; None where that is not known.

        Args:
            ask_local_us: what its own clock was a moment ago; asked for until it is known.
        """
        if local_us is not None and self._behind_utc_us is None:
            its_us = ask_local_us()
            if its_us is not None:
                self._behind_utc_us = round((self.now_us() - its_us) / _QUARTER_US) * _QUARTER_US
        if local_us is None or self._behind_utc_us is None:
            return None
        return local_us + self._behind_utc_us

    def saw(self, put_date: str, put_time: str) -> None:
        """Learn from a message that was put a moment ago."""
        put_us = put_time_us(put_date, put_time)
        if put_us is not None:
            self.saw_us(put_us)

    def saw_us(self, there_us: int) -> None:
        """Learn from what the queue manager's clock was a moment ago."""
        ahead_us = there_us - here_us()
        self._ahead_us = ahead_us if abs(ahead_us) > NOISE_US else 0
        if abs(ahead_us) > WORTH_TELLING_US and not self._warned:
            self._warned = True
            way = "ahead of" if ahead_us > 0 else "behind"
            self._notice(
                f"the queue manager's clock is {abs(ahead_us) // SECOND_US} s {way} this machine's;"
                " times are those of the queue manager"
            )


def local_us(day: object, time_of_day: object) -> int | None:
    """``2026-01-31`` and ``10.00.00`` as if they were UTC; None where they are blank."""
    if not isinstance(day, str) or not isinstance(time_of_day, str):
        return None
    digits = time_of_day.strip().replace(".", "").replace(":", "")
    return put_time_us(day.strip().replace("-", ""), digits + "00")
