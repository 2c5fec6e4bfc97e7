"""The expirer: the task that goes through all queues and discards what has expired.

On distributed platforms it runs every five minutes of the queue manager's clock (`ExpiryInterval`
of qm.ini; here the switch `expirer_interval_s`), on z/OS every EXPRYINT seconds, at REFRESH QMGR
TYPE(EXPIRY) and when the queue manager starts. Its runs are timed events like the deliveries of
the delay processor, in the one ordered walk of `delay.catch_up`. They stand at fixed distances
from the making of the queue manager, and a run that finds nothing has no effect, so only those
that find something happen.

Sources: IBM MQ documentation, "Expired messages" (q097500_); the interval on distributed platforms
is not on a page that we know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.emulator.core.manager import Manager

SWITCH: Final = "expirer_interval_s"
DEFAULT_INTERVAL_S: Final = 300

_BATCH: Final = 1000
_ELIGIBLE: Final = "FROM message INDEXED BY message_expires WHERE expires_us IS NOT NULL"


def interval_us(manager: Manager) -> int | None:
    """How far the runs are apart, or None while there are none."""
    if manager.is_zos:
        seconds = manager.attributes.get("EXPRYINT", "OFF")
    else:
        seconds = manager.switches.get(SWITCH, DEFAULT_INTERVAL_S)
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


def scan(manager: Manager, now_us: int) -> int:
    """Discard up to a thousand messages that have expired by *now_us*; returns how many.

    Messages of an open unit of work stay (EX-25); locked ones go (EX-43). Inside a transaction.
    """
    from mqtriage.emulator.core.expiry import discard

    rows = manager.store.execute(
        f"SELECT position {_ELIGIBLE} AND expires_us <= ? AND unit IS NULL"
        f" ORDER BY expires_us, position LIMIT {_BATCH}",
        (now_us,),
    ).fetchall()
    return discard(manager, (position for (position,) in rows), now_us)


def scan_now(manager: Manager) -> int:
    """Discard all that has expired by now; returns how many. REFRESH QMGR TYPE(EXPIRY) is this.

    Raises:
        UsageError: Not on z/OS.
    """
    if not manager.is_zos:
        raise UsageError("REFRESH QMGR TYPE(EXPIRY): z/OS only")
    return scan_all(manager)


def scan_all(manager: Manager) -> int:
    """The same on any platform: what a start of the queue manager on z/OS does too."""
    total = 0
    while True:
        with manager.writing(durable=True) as now:
            count = scan(manager, now)
        total += count
        if count < _BATCH:
            return total
