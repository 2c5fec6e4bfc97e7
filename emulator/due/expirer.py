"""The expirer: the task that goes through all queues and discards what has expired.

On distributed platforms it runs every five minutes of the queue manager's clock (`ExpiryInterval`
of qm.ini; here the switch `expirer_interval_s`), on z/OS every EXPRYINT seconds, at REFRESH QMGR
TYPE(EXPIRY) and when the queue manager starts. Its runs are timed events like the deliveries of
the delay processor, in the one ordered walk of `due.catch_up`. They stand at fixed distances
from the making of the queue manager, and a run that finds nothing has no effect, so only those
that find something happen.

Sources: IBM MQ documentation, "Expired messages" (q097500_); the interval on distributed platforms
is not on a page that we know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqtriage.emulator.core.get.discard import discard
from mqtriage.emulator.core.tables import messages
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.emulator.core.manager import Manager


_BATCH: Final = 1000


def scan(manager: Manager, now_us: int) -> int:
    """Discard up to a thousand messages that have expired by *now_us*; returns how many.

    Messages of an open unit of work stay (EX-25); locked ones go (EX-43). Inside a transaction.
    """
    return discard(manager, messages.expired(manager.store, now_us, _BATCH), now_us)


def scan_now(manager: Manager) -> int:
    """Discard all that has expired by now; returns how many. REFRESH QMGR TYPE(EXPIRY) is this."""
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
