"""What the definitions alone do not say: the load, the delays, who reads which queue.

It comes from the configuration of `mqtriage lint`. A rule that needs a value which is not given
here finds nothing, rather than guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase

from mqtriage.mq.delay import HEADER_ALLOWANCE_BYTES
from mqtriage.mq.records import NamedTuple, dataclass


@dataclass(frozen=True, slots=True)
class QueueReader:
    """A user or group that reads queues.

    Attributes:
        entity: ``GROUP(orders)`` or ``PRINCIPAL(app1)``.
        queues: names or patterns with `*`.
    """

    entity: str
    queues: tuple[str, ...]


class Measured(NamedTuple):
    """What a queue manager's staging queue needs by its own history: `mqtriage analyze delay`.

    Attributes:
        maxdepth_sum, maxmsgl_sum: how the value was worked out.
    """

    maxdepth: int
    maxdepth_sum: str
    maxmsgl_bytes: int
    maxmsgl_sum: str


@dataclass(frozen=True, slots=True)
class LoadModel:
    """The expected load; None and () where nothing was said.

    Attributes:
        rate_per_s: delayed sends a second at peak, as text so that 0.1 stays 0.1.
        longest_delay_ms: longest delay that applications use.
        largest_message_bytes: largest message of any application, headers included.
        subscribers: copies that one send stages (DD-111).
        headroom_percent: added to the depth.
        header_allowance_bytes: room for the delay header; its length is not published.
        time_to_live_ms: shortest lifetime of a delayed message; 0 is unlimited.
        persistent: whether delayed messages are persistent.
        delayed_queues: names or patterns of queues that get delayed messages.
        delayed_topics: topic strings that get delayed publications.
        unread_queues: names or patterns of queues that no program reads.
        flows_without_transaction: queues read by message flows with Transaction mode No.
        readers: who reads which queue.
        staging_users: entities that may use the staging queue, such as ``GROUP(mqops)``.
        greatest_threshold: BOTHRESH above this is a finding.
        measured: by queue manager, what its staging queue was seen to need.
    """

    rate_per_s: str | None = None
    longest_delay_ms: int | None = None
    largest_message_bytes: int | None = None
    subscribers: int = 1
    headroom_percent: int = 50
    header_allowance_bytes: int = HEADER_ALLOWANCE_BYTES
    time_to_live_ms: int | None = None
    persistent: bool | None = None
    delayed_queues: tuple[str, ...] = ()
    delayed_topics: tuple[str, ...] = ()
    unread_queues: tuple[str, ...] = ()
    flows_without_transaction: tuple[str, ...] = ()
    readers: tuple[QueueReader, ...] = ()
    staging_users: tuple[str, ...] = ()
    greatest_threshold: int = 10
    measured: Mapping[str, Measured] = field(default_factory=dict)

    def measured_of(self, queue_manager: str) -> Measured | None:
        """What was measured there; where no name is known, the only one."""
        if not queue_manager and len(self.measured) == 1:
            return next(iter(self.measured.values()))
        return self.measured.get(queue_manager)


NO_LOAD = LoadModel()


def any_matches(patterns: Iterable[str], name: str) -> bool:
    """Whether *name* is one of *patterns*; `*` stands for any characters."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)
