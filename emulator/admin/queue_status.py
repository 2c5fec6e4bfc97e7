"""Numbers about a queue that are there without browsing it."""

from __future__ import annotations

from typing import NamedTuple

from mqtriage.emulator.core.connections import INPUT
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import AUTHORITY_QUEUE, Queue
from mqtriage.emulator.due import processor
from mqtriage.mq.constants import MQOO_OUTPUT
from mqtriage.mq.delay import OVERDUE_AFTER_US, STAGING_QUEUE


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
    execute = manager.store.execute
    span = (queue.first, queue.last)
    depth, put_us, get_us = execute(
        "SELECT depth, put_us, get_us FROM counter WHERE queue = ?", (queue.id,)
    ).fetchone()
    (uncommitted,) = execute(
        "SELECT count(*) FROM message INDEXED BY message_unit WHERE unit IS NOT NULL"
        " AND position >= ? AND position < ? AND unit_act <> 'stage'",
        span,
    ).fetchone()
    handles = execute("SELECT options FROM handle WHERE queue = ?", (queue.id,)).fetchall()
    return Numbers(
        depth + _authority_records(manager, queue),
        uncommitted,
        sum(1 for (options,) in handles if options & INPUT) + _processor_reads(manager, queue),
        sum(1 for (options,) in handles if options & MQOO_OUTPUT),
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
    (count,) = manager.store.execute("SELECT count(*) FROM authority").fetchone()
    return int(count) + 1


def _processor_reads(manager: Manager, queue: Queue) -> bool:
    """The delay processor has the staging queue open for input while it runs (DD-83, DD-91)."""
    return queue.name == STAGING_QUEUE and not processor.problem(manager)


def _oldest(manager: Manager, queue: Queue) -> int | None:
    """Put time of the oldest message: the first of each priority is the oldest of that priority."""
    from mqtriage.emulator.core.file.store import PRIORITY_SHIFT

    oldest = None
    for rank in range(10):
        start = queue.first | rank << PRIORITY_SHIFT
        row = manager.store.execute(
            "SELECT put_us FROM message WHERE position >= ? AND position < ? LIMIT 1",
            (start, start + (1 << PRIORITY_SHIFT)),
        ).fetchone()
        if row is not None and (oldest is None or row[0] < oldest):
            oldest = row[0]
    return oldest


def lifetimes(manager: Manager, queue: Queue, now_us: int) -> Lifetimes:
    """How many lifetimes are over, how many run, and when the next one ends."""
    row = manager.store.execute(
        "SELECT coalesce(sum(expires_us <= :now), 0), coalesce(sum(expires_us > :now), 0),"
        " min(CASE WHEN expires_us > :now THEN expires_us END),"
        " coalesce(sum(expires_us > :now AND expires_us <= :hour), 0)"
        " FROM message INDEXED BY message_expires WHERE expires_us IS NOT NULL"
        " AND unit IS NULL AND position >= :first AND position < :last",
        {
            "now": now_us,
            "hour": now_us + 3_600_000_000,
            "first": queue.first,
            "last": queue.last,
        },
    ).fetchone()
    return Lifetimes(*row)


def staging_load(manager: Manager, queue: Queue, now_us: int) -> StagingLoad:
    """Walk the staging queue once and count by due time."""
    row = manager.store.execute(
        "SELECT max(length), min(CASE WHEN due_us > :now THEN due_us END),"
        " coalesce(sum(due_us <= :overdue), 0),"
        " coalesce(sum(due_us > :now AND due_us <= :minute), 0),"
        " coalesce(sum(due_us > :now AND due_us <= :hour), 0),"
        " min(CASE WHEN due_us <= :now THEN due_us END)"
        " FROM message WHERE unit IS NULL AND position >= :first AND position < :last",
        {
            "now": now_us,
            "overdue": now_us - OVERDUE_AFTER_US,
            "minute": now_us + 60_000_000,
            "hour": now_us + 3_600_000_000,
            "first": queue.first,
            "last": queue.last,
        },
    ).fetchone()
    return StagingLoad(*row)


def arrivals(manager: Manager, queue: Queue) -> int:
    """Messages that have ever been put on the queue, committed or not."""
    row = manager.store.execute(
        "SELECT arrivals FROM counter WHERE queue = ?", (queue.id,)
    ).fetchone()
    return int(row[0]) if row is not None else 0


def poison_count(manager: Manager, queue: Queue, threshold: int, now_us: int) -> int:
    """Messages that a get would return and whose BackoutCount has reached *threshold*."""
    (count,) = manager.store.execute(
        "SELECT count(*) FROM message WHERE unit IS NULL AND backouts >= ?"
        " AND position >= ? AND position < ? AND (expires_us IS NULL OR expires_us > ?)",
        (threshold, queue.first, queue.last, now_us),
    ).fetchone()
    return int(count)
