"""When something happens next by itself: deliveries, runs of the expirer, ends, commands.

What is due happens at the next touch (`manager`); the next moment is one value of the file, worked
out here from what stands in its tables.
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import COMMAND_QUEUE

EXPIRER_INTERVAL: Final = "expirer_interval_s"


DEFAULT_INTERVAL_S: Final = 300


SUBSCRIPTION_END: Final = "SUBEXPIRY"
"""Rows of the table of definitions: name is the subscription's id in hexadecimal digits, then when
it ends."""
_ELIGIBLE: Final = "FROM message INDEXED BY message_expires WHERE expires_us IS NOT NULL"


def interval_us(manager: Manager) -> int | None:
    """How far the runs of the expirer are apart, or None while there are none."""
    if manager.is_zos:
        seconds = manager.attributes.get("EXPRYINT", "OFF")
    else:
        seconds = manager.switches.get(EXPIRER_INTERVAL, DEFAULT_INTERVAL_S)
    return None if seconds == "OFF" or seconds == "off" else int(seconds) * 1_000_000


def scan_at_or_after(manager: Manager, moment_us: int) -> int | None:
    """The first run that is not before *moment_us*."""
    interval = interval_us(manager)
    if interval is None:
        return None
    created = manager.identity.created_us
    return created + -((created - moment_us) // interval) * interval


def next_scan_us(manager: Manager, reached_us: int) -> int | None:
    """The next run that will find something, or None; inside a transaction.

    Args:
        reached_us: runs before it are over.
    """
    if interval_us(manager) is None:
        return None
    row = manager.store.execute(
        f"SELECT expires_us {_ELIGIBLE} AND unit IS NULL ORDER BY expires_us LIMIT 1"
    ).fetchone()
    return None if row is None else scan_at_or_after(manager, max(row[0], reached_us))


def next_end_us(manager: Manager) -> int | None:
    """When the next subscription ends that was made for a time."""
    (found,) = manager.store.execute(
        "SELECT min(CAST(attributes AS INTEGER)) FROM definition WHERE kind = ?",
        (SUBSCRIPTION_END,),
    ).fetchone()
    return None if found is None else int(found)


def command_waits(manager: Manager) -> bool:
    """Whether a command is there for the command server, which stops while it may not get."""
    queue = manager.queues.get(COMMAND_QUEUE)
    if queue is None or not queue.is_local or not queue.get_enabled:
        return False
    row = manager.store.execute(
        "SELECT 1 FROM message WHERE position >= ? AND position < ? AND unit IS NULL"
        " AND locked_by IS NULL LIMIT 1",
        (queue.first, queue.last),
    ).fetchone()
    return row is not None


def is_timed_event_due(manager: Manager, now_us: int) -> bool:
    """Whether it is more than a command that waits.

    A delivery, a publication, a run of the expirer, or the end of a subscription.
    """
    others = (
        next_scan_us(manager, manager.state.reached_us),
        next_end_us(manager),
    )
    if any(each is not None and each <= now_us for each in others):
        return True
    (found,) = manager.store.execute(
        "SELECT EXISTS (SELECT 1 FROM message WHERE event_us IS NOT NULL AND event_us <= :now"
        " AND unit IS NULL) OR EXISTS (SELECT 1 FROM outgoing WHERE event_us <= :now)",
        {"now": now_us},
    ).fetchone()
    return bool(found)


def refresh_next_event(
    manager: Manager, now_us: int | None = None, *, delivering: bool = True
) -> None:
    """Work out anew when something happens next; inside a transaction of *manager*.

    Args:
        now_us: the moment that has been reached: what could have happened before happens now.
        delivering: whether the delay processor delivers.
    """
    now = manager.now_us() if now_us is None else now_us
    due = "SELECT min(event_us) AS at FROM message WHERE event_us IS NOT NULL AND unit IS NULL"
    manager.store.execute(
        "UPDATE state SET reached_us = max(reached_us, :now),"
        f" next_event_us = (SELECT min(at) FROM (SELECT :scan AS at UNION ALL {due} AND :deliver"
        " UNION ALL SELECT min(event_us) FROM outgoing UNION ALL SELECT :command"
        " UNION ALL SELECT :ends))",
        {
            "now": now,
            "scan": next_scan_us(manager, now),
            "deliver": delivering,
            "command": now if command_waits(manager) else None,
            "ends": next_end_us(manager),
        },
    )
