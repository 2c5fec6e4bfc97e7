"""What the file of a queue manager tells without a browse, and no MQI call can.

A real queue manager cannot tell these numbers.
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import counters, messages
from mqtriage.emulator.core.tables.messages import Lifetimes, StagingLoad
from mqtriage.emulator.due import processor
from mqtriage.mq.delay import OVERDUE_AFTER_US, STAGING_QUEUE
from mqtriage.records import dataclass

_MINUTE_US: Final = 60_000_000
_HOUR_US: Final = 60 * _MINUTE_US


@dataclass(frozen=True, slots=True)
class Insight:
    """The numbers of one queue manager, each as of now."""

    _manager: Manager

    def lifetimes(self, queue: str) -> Lifetimes:
        """How many lifetimes on a local queue are over, how many run, and when the next one ends.

        Raises:
            ObjectNotFound, MQIError: 2085, 2057; so do the others.
        """
        now = self._manager.look()
        span = self._manager.local(queue, f"lifetimes on {queue}").span
        return messages.count_lifetimes(self._manager.store, span, now, now + _HOUR_US)

    def any_expired(self) -> bool:
        """Whether there is a message, on any queue, that a browse would discard."""
        return messages.any_expired(self._manager.store, self._manager.look())

    def staging_load(self) -> StagingLoad:
        """Walk the staging queue once and count by due time."""
        now = self._manager.look()
        span = self._manager.local(STAGING_QUEUE, "look at the staging queue").span
        ends = now - OVERDUE_AFTER_US, now + _MINUTE_US, now + _HOUR_US
        return messages.count_due(self._manager.store, span, now, *ends)

    def poison_count(self, queue: str, threshold: int) -> int:
        """Messages that a get would return and whose BackoutCount has reached *threshold*."""
        now = self._manager.look()
        span = self._manager.local(queue, f"count poison messages on {queue}").span
        return messages.count_backed_out(self._manager.store, span, threshold, now)

    def arrivals(self, queue: str) -> int:
        """Messages that have ever been put on *queue*, committed or not."""
        self._manager.look()
        local = self._manager.local(queue, f"count puts on {queue}")
        return counters.read(self._manager.store, local.id).arrivals

    def processor_problem(self) -> str:
        """Why the delivery delay processor does not deliver, or "" while it does."""
        self._manager.look()
        return processor.problem(self._manager)
