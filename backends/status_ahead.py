"""Statuses of queues that were listed, asked for many at a time instead of one by one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final, Generic, TypeVar

from mqtriage.mq.errors import MQIError

AHEAD_S: Final = 2.0
"""How old a status may be that came together with those of other queues."""

_T = TypeVar("_T")


class StatusAhead(Generic[_T]):
    """What one end read ahead; each status serves once, for two seconds.

    Args:
        ask: the statuses of the local queues of a generic name, by queue.
    """

    def __init__(self, ask: Callable[[str], Mapping[str, _T]]) -> None:
        self._ask = ask
        self._listed: dict[str, str] = {}
        self._ahead: dict[str, dict[str, _T]] = {}
        self._read_s: dict[str, float] = {}
        self._is_first = True

    def listed(self, names: Mapping[str, str]) -> None:
        """Queues that were listed just now, each with the generic name to ask for its status."""
        self.forget()
        self._listed = dict(names)

    def take(self, name: str) -> _T | None:
        """The status of a listed queue; None where it has to be asked for by itself.

        The first that is asked for is: who wants the status of one queue does not ask for all.
        """
        pattern = self._listed.pop(name, None)
        if pattern is None:
            return None
        is_first, self._is_first = self._is_first, False
        if is_first:
            return None
        if time.monotonic() - self._read_s.get(pattern, -AHEAD_S) > AHEAD_S:
            try:
                self._ahead[pattern] = dict(self._ask(pattern))
            except MQIError:  # asked for by itself it is said
                self._ahead[pattern] = {}
            self._read_s[pattern] = time.monotonic()  # however long the answer took
        return self._ahead[pattern].pop(name, None)

    def forget(self) -> None:
        """Something was changed or is going to be: what was read ahead does not count."""
        self._listed, self._ahead, self._read_s = {}, {}, {}
        self._is_first = True
