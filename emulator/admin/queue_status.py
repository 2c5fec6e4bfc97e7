"""Numbers about a queue that are there without browsing it."""

from __future__ import annotations

from typing import Final, NamedTuple

from mqtriage.emulator.core.connections import INPUT
from mqtriage.emulator.core.file.store import PRIORITY_SHIFT
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import AUTHORITY_QUEUE, Queue
from mqtriage.emulator.core.tables import authority, counters, handles, messages
from mqtriage.emulator.due import processor
from mqtriage.mq.constants import MQOO_OUTPUT
from mqtriage.mq.delay import OVERDUE_AFTER_US, STAGING_QUEUE

_MINUTE_US: Final = 60_000_000
_HOUR_US: Final = 60 * _MINUTE_US


class Numbers(NamedTuple):
    """What DISPLAY QSTATUS tells; see `backends.port.QueueStatus`."""

    curdepth: int
    uncommitted: int
    ipprocs: int
    opprocs: int
    oldest_put_time_us: int | None
    last_put_time_us: int | None
    last_get_time_us: int | None


class Lifetimes(NamedTuple):
    """The emulator's own view of lifetimes on a queue; a real queue manager cannot tell it.

    What a unit of work holds is not among these numbers.

    Attributes:
        expired: over, and still counted.
        with_expiry: not over yet.
        next_expiry_us: the nearest end of a lifetime to come.
        within_hour: of `with_expiry`, those that end within an hour.
    """

    expired: int
    with_expiry: int
    next_expiry_us: int | None
    within_hour: int


class StagingLoad(NamedTuple):
    """What waits on the staging queue, by due time.

    Attributes:
        largest_bytes: longest message with its delay header; None when there is none.
        next_due_us: the nearest due time to come.
        overdue: due for longer than `mq.delay.OVERDUE_AFTER_US`.
        due_minute, due_hour: those that come due within a minute, within an hour from now.
        oldest_due_us: the due time passed longest ago; None when none has passed.
    """

    largest_bytes: int | None
    next_due_us: int | None
    overdue: int
    due_minute: int
    due_hour: int
    oldest_due_us: int | None


def queue_status(manager: Manager, queue: Queue) -> Numbers:
    """Depth, uncommitted, handles and times of a local queue."""
    store = manager.store
    depth, _, put_us, get_us, _ = counters.read(store, queue.id)
    opened = handles.options_of(store, queue.id)
    return Numbers(
        depth + _authority_records(manager, queue),
        messages.count_uncommitted(store, queue.span),
        sum(1 for options in opened if options & INPUT) + _processor_reads(manager, queue),
        sum(1 for options in opened if options & MQOO_OUTPUT),
        _oldest(manager, queue) if depth else None,
        put_us,
        get_us,
    )


def _authority_records(manager: Manager, queue: Queue) -> int:
    """Messages that the authority service keeps on its queue: one a record, one of group mqm.

    They are in no program's reach: on a real queue manager the service has the queue open
    exclusively.
    """
    if queue.name != AUTHORITY_QUEUE:
        return 0
    return authority.count(manager.store) + 1


def _processor_reads(manager: Manager, queue: Queue) -> bool:
    """The delay processor has the staging queue open for input while it runs (DD-83, DD-91)."""
    return queue.name == STAGING_QUEUE and not processor.problem(manager)


def _oldest(manager: Manager, queue: Queue) -> int | None:
    """Put time of the oldest message: the first of each priority is the oldest of that priority."""
    starts = [queue.first | rank << PRIORITY_SHIFT for rank in range(10)]
    spans = [(start, start + (1 << PRIORITY_SHIFT)) for start in starts]
    times = [messages.first_put_us(manager.store, span) for span in spans]
    return min((time for time in times if time is not None), default=None)


def lifetimes(manager: Manager, queue: Queue, now_us: int) -> Lifetimes:
    """How many lifetimes are over, how many run, and when the next one ends."""
    row = messages.count_lifetimes(manager.store, queue.span, now_us, now_us + _HOUR_US)
    return Lifetimes(*row)


def staging_load(manager: Manager, queue: Queue, now_us: int) -> StagingLoad:
    """Walk the staging queue once and count by due time."""
    row = messages.count_due(
        manager.store,
        queue.span,
        now_us,
        now_us - OVERDUE_AFTER_US,
        now_us + _MINUTE_US,
        now_us + _HOUR_US,
    )
    return StagingLoad(*row)


def arrivals(manager: Manager, queue: Queue) -> int:
    """Messages that have ever been put on the queue, committed or not."""
    return counters.read(manager.store, queue.id).arrivals


def poison_count(manager: Manager, queue: Queue, threshold: int, now_us: int) -> int:
    """Messages that a get would return and whose BackoutCount has reached *threshold*."""
    return messages.count_backed_out(manager.store, queue.span, threshold, now_us)
