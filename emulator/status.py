"""Numbers about a queue that are there without browsing it."""

from __future__ import annotations

from typing import NamedTuple

from mqtriage.emulator.connections import INPUT
from mqtriage.emulator.manager import Manager
from mqtriage.emulator.queues import Queue
from mqtriage.mq.constants import MQOO_OUTPUT


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
        depth,
        uncommitted,
        sum(1 for (options,) in handles if options & INPUT),
        sum(1 for (options,) in handles if options & MQOO_OUTPUT),
        _oldest(manager, queue),
        put_us,
        get_us,
    )


def _oldest(manager: Manager, queue: Queue) -> int | None:
    """Put time of the oldest message: the first of each priority is the oldest of that priority."""
    from mqtriage.emulator.store import PRIORITY_SHIFT

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
        " AND position >= :first AND position < :last",
        {
            "now": now_us,
            "hour": now_us + 3_600_000_000,
            "first": queue.first,
            "last": queue.last,
        },
    ).fetchone()
    return Lifetimes(*row)
