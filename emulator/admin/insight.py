"""What the file of a queue manager tells without a browse, and no MQI call can."""

from __future__ import annotations

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import counters, messages
from mqtriage.emulator.due import processor
from mqtriage.mq.delay import OVERDUE_AFTER_US, STAGING_QUEUE, StagingLoad
from mqtriage.mq.expiry import Lifetimes
from mqtriage.mq.times import MINUTE_US
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True)
class FileInsight:
    """The numbers of one queue manager: `Insight` of the port."""

    _manager: Manager

    def lifetimes(self, queue: str) -> Lifetimes:
        now = self._manager.look()
        span = self._manager.local(queue, f"lifetimes on {queue}").span
        return messages.count_lifetimes(self._manager.store, span, now, now + 60 * MINUTE_US)

    def any_expired(self) -> bool:
        return messages.any_expired(self._manager.store, self._manager.look())

    def expired_counts(self) -> dict[str, int]:
        counts = messages.count_expired(self._manager.store, self._manager.look())
        return {self._manager.by_id[queue].name: count for queue, count in counts.items()}

    def staging_load(self) -> StagingLoad:
        now = self._manager.look()
        span = self._manager.local(STAGING_QUEUE, "look at the staging queue").span
        ends = now - OVERDUE_AFTER_US, now + MINUTE_US, now + 60 * MINUTE_US
        return messages.count_due(self._manager.store, span, now, *ends)

    def poison_count(self, queue: str, threshold: int) -> int:
        now = self._manager.look()
        span = self._manager.local(queue, f"count poison messages on {queue}").span
        return messages.count_backed_out(self._manager.store, span, threshold, now)

    def arrivals(self, queue: str) -> int:
        self._manager.look()
        local = self._manager.local(queue, f"count puts on {queue}")
        return counters.read(self._manager.store, local.id).arrivals

    def processor_problem(self) -> str:
        self._manager.look()
        return processor.problem(self._manager)
