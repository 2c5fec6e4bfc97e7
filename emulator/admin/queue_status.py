"""Numbers about a queue that are there without browsing it."""

from __future__ import annotations

from mqtriage.emulator.core.connections import INPUT
from mqtriage.emulator.core.file.store import PRIORITY_SHIFT
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import AUTHORITY_QUEUE, Queue
from mqtriage.emulator.core.tables import authority, counters, handles, messages
from mqtriage.emulator.due import processor
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.records import NamedTuple


class Numbers(NamedTuple):
    """What DISPLAY QSTATUS tells; see `backends.port.QueueStatus`."""

    curdepth: int
    uncommitted: int
    ipprocs: int
    opprocs: int
    oldest_put_time_us: int | None
    last_put_time_us: int | None
    last_get_time_us: int | None


def queue_status(manager: Manager, queue: Queue) -> Numbers:
    """Depth, uncommitted, handles and times of a local queue."""
    store = manager.store
    depth, _, put_us, get_us, _ = counters.read(store, queue.id)
    return Numbers(
        depth + _authority_records(manager, queue),
        messages.count_uncommitted(store, queue.span),
        *_opened(manager, queue),
        _oldest(manager, queue) if depth else None,
        put_us,
        get_us,
    )


def counts(manager: Manager, queue: Queue) -> dict[str, int]:
    """What DISPLAY QLOCAL and MQINQ tell of the numbers."""
    depth, *_ = counters.read(manager.store, queue.id)
    inputs, outputs = _opened(manager, queue)
    return {
        "CURDEPTH": depth + _authority_records(manager, queue),
        "IPPROCS": inputs,
        "OPPROCS": outputs,
    }


def _opened(manager: Manager, queue: Queue) -> tuple[int, int]:
    """Handles for input and for output."""
    opened = handles.options_of(manager.store, queue.id)
    return (
        sum(1 for options in opened if options & INPUT) + processor_reads(manager, queue),
        sum(1 for options in opened if options & cmqc.MQOO_OUTPUT),
    )


def _authority_records(manager: Manager, queue: Queue) -> int:
    """Messages that the authority service keeps on its queue: one a record, one of group mqm.

    They are in no program's reach: on a real queue manager the service has the queue open
    exclusively.
    """
    if queue.name != AUTHORITY_QUEUE:
        return 0
    return authority.count(manager.store) + 1


def processor_reads(manager: Manager, queue: Queue) -> bool:
    """The delay processor has the staging queue open for input while it runs (DD-83, DD-91)."""
    return queue.name == STAGING_QUEUE and not processor.problem(manager)


def _oldest(manager: Manager, queue: Queue) -> int | None:
    """Put time of the oldest message: the first of each priority is the oldest of that priority."""
    starts = [queue.first | rank << PRIORITY_SHIFT for rank in range(10)]
    spans = [(start, start + (1 << PRIORITY_SHIFT)) for start in starts]
    times = [messages.first_put_us(manager.store, span) for span in spans]
    return min((time for time in times if time is not None), default=None)
