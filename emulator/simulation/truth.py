"""What really happened on a simulated queue manager, counted by the one who made it happen."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from mqtriage.mq.times import rfc3339


@dataclass(slots=True)
class Staged:
    """The staging queue, from the sends that were taken and their due times.

    Attributes:
        bytes_now: with the delay headers.
    """

    count_now: int = 0
    bytes_now: int = 0
    peak_count: int = 0
    peak_count_us: int = 0
    peak_bytes: int = 0
    peak_bytes_us: int = 0
    arrivals: int = 0
    released: int = 0
    refused: int = 0
    first_refused_us: int | None = None
    _due: list[tuple[int, int]] = field(default_factory=list)

    def release_until(self, now_us: int) -> int:
        """Let go what is due by *now_us*; how many that were."""
        before = self.released
        while self._due and self._due[0][0] <= now_us:
            _, length = heapq.heappop(self._due)
            self.count_now -= 1
            self.bytes_now -= length
            self.released += 1
        return self.released - before

    def add(self, now_us: int, due_us: int, length: int) -> None:
        """Count one that was staged at *now_us*; what is due by then must have been released."""
        heapq.heappush(self._due, (due_us, length))
        self.arrivals += 1
        self.count_now += 1
        self.bytes_now += length
        if self.count_now > self.peak_count:
            self.peak_count, self.peak_count_us = self.count_now, now_us
        if self.bytes_now > self.peak_bytes:
            self.peak_bytes, self.peak_bytes_us = self.bytes_now, now_us

    def refuse(self, now_us: int) -> None:
        """Count a send that found the staging queue full."""
        self.refused += 1
        if self.first_refused_us is None:
            self.first_refused_us = now_us


@dataclass(slots=True)
class Expiring:
    """Messages with a lifetime on one queue.

    Attributes:
        longest_wait_ms: of those that were consumed, from put to get: what would have sufficed.
    """

    put: int = 0
    consumed: int = 0
    expired: int = 0
    expired_bytes: int = 0
    longest_wait_ms: int = 0
    shortest_lifetime_ms: int = 0
    longest_lifetime_ms: int = 0
    running: list[tuple[int, int]] = field(default_factory=list)

    def expire_until(self, now_us: int) -> None:
        """Count the lifetimes of unread messages that are over by *now_us*."""
        while self.running and self.running[0][0] <= now_us:
            _, length = heapq.heappop(self.running)
            self.expired += 1
            self.expired_bytes += length


@dataclass(slots=True)
class DepthEvents:
    """The depth events of one queue, from what was put, got and refused.

    Each turns on those that may follow it and itself off; Full alone is on at first, and High where
    the queue is defined so.
    """

    maxdepth: int
    high_percent: int = 80
    low_percent: int = 20
    on: set[str] = field(default_factory=lambda: {"full"})
    counts: Counter[str] = field(default_factory=Counter)

    def put(self, depth: int) -> None:
        """A put that made the queue so deep."""
        if depth * 100 >= self.maxdepth * self.high_percent:
            self._happen("high", {"low", "full"})

    def got(self, depth: int) -> None:
        """Gets that left the queue so deep."""
        if depth * 100 <= self.maxdepth * self.low_percent:
            self._happen("low", {"high", "full"})

    def refused(self) -> None:
        """A put that found it full."""
        self._happen("full", {"low"})

    def _happen(self, event: str, following: set[str]) -> None:
        if event in self.on:
            self.counts[event] += 1
            self.on = (self.on | following) - {event}


@dataclass(slots=True)
class Truth:
    """One queue manager.

    Attributes:
        puts, refused: messages by queue; those refused were not put (2053).
        gets: calls that took a message, by queue, those that were rolled back among them.
        backouts: units of work that a program rolled back, by program.
        discarded: messages that expired and were found so, by queue.
        processed_after, backed_out_after: how many messages ended so, by rollbacks before that.
    """

    queue_manager: str
    puts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    gets: Counter[str] = field(default_factory=Counter)
    backouts: Counter[str] = field(default_factory=Counter)
    discarded: Counter[str] = field(default_factory=Counter)
    staged: Staged = field(default_factory=Staged)
    expiring: Expiring = field(default_factory=Expiring)
    processed_after: Counter[int] = field(default_factory=Counter)
    backed_out_after: Counter[int] = field(default_factory=Counter)
    poison: dict[str, Any] | None = None
    stuck: dict[str, Any] | None = None
    small_staging: dict[str, Any] | None = None
    wrong_delay: dict[str, Any] | None = None
    changes: list[dict[str, Any]] = field(default_factory=list)
    events: dict[str, DepthEvents] = field(default_factory=dict)
    snapshots: int = 0

    @property
    def messages(self) -> int:
        """Messages that were put."""
        return sum(self.puts.values())

    def record(self) -> dict[str, Any]:
        """JSON content."""
        staged, expiring = asdict(self.staged), asdict(self.expiring)
        del staged["_due"], expiring["running"]
        for name in ("peak_count", "peak_bytes", "first_refused"):
            time_us = staged.pop(f"{name}_us")
            staged[f"{name}_time"] = rfc3339(time_us) if time_us is not None else None
        for name in ("count", "bytes"):
            staged[f"{name}_at_end"] = staged.pop(f"{name}_now")
        return {
            "queue_manager": self.queue_manager,
            "messages": self.messages,
            "snapshots": self.snapshots,
            "puts": dict(sorted(self.puts.items())),
            "refused": dict(sorted(self.refused.items())),
            "gets": dict(sorted(self.gets.items())),
            "backouts": dict(sorted(self.backouts.items())),
            "discarded": dict(sorted(self.discarded.items())),
            "staged": staged,
            "expiring": expiring,
            "processed_after_rollbacks": dict(sorted(self.processed_after.items())),
            "backed_out_after_rollbacks": dict(sorted(self.backed_out_after.items())),
            "poison": self.poison,
            "stuck_consumer": self.stuck,
            "small_staging": self.small_staging,
            "wrong_delay": self.wrong_delay,
            "definition_changes": self.changes,
            "depth_events": {
                queue: dict(sorted(events.counts.items())) for queue, events in self.events.items()
            },
        }
