"""The end of subscriptions that were made for a time (MQSD.SubExpiry, EXPIRY of DEFINE SUB).

The ends are timed events in the one ordered walk of `delay.catch_up`, so that a delayed
publication finds its subscriber there until then, and gone from that moment on.

Choices where the documents are silent or differ:
- The time counts from the call or command that states it: MQSUB, MQSO_ALTER, DEFINE or ALTER SUB.
  The MQSC page counts it from the making of the subscription, by which a program could not prolong
  one.
- Publications that arrived are not affected (MQSD page). A managed queue on which nobody has a
  handle goes at once, since no program could find it any more; else with the handle.

Sources: IBM MQ documentation, "MQSD - SubExpiry" and "DEFINE SUB" (EXPIRY).
"""

from __future__ import annotations

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.timetable import SUBSCRIPTION_END
from mqtriage.emulator.pubsub.subscription_rows import Subscription
from mqtriage.mq.expiry import TENTH_US


def begin(manager: Manager, found: Subscription, expiry: int | str, now_us: int) -> None:
    """Let a subscription end *expiry* tenths of a second from now; inside a transaction.

    Args:
        expiry: EXPIRY as it is kept: UNLIMITED for never.
    """
    execute = manager.store.execute
    if not isinstance(expiry, int) or expiry < 0:
        execute(
            "DELETE FROM definition WHERE kind = ? AND name = ?", (SUBSCRIPTION_END, found.id.hex())
        )
        return
    ends_us = now_us + expiry * TENTH_US
    execute(
        "INSERT OR REPLACE INTO definition VALUES (?, ?, ?)",
        (SUBSCRIPTION_END, found.id.hex(), str(ends_us)),
    )
    manager.wake(ends_us)


def ends(manager: Manager) -> dict[bytes, int]:
    """When each of those ends that do, microseconds of the queue manager's clock."""
    rows = manager.store.execute(
        "SELECT name, attributes FROM definition WHERE kind = ?", (SUBSCRIPTION_END,)
    )
    return {bytes.fromhex(name): int(text) for name, text in rows}
