"""The end of subscriptions that were made for a time (MQSD.SubExpiry, EXPIRY of DEFINE SUB).

The ends are timed events in the one ordered walk of `due.catch_up`, so that a delayed
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
from mqtriage.emulator.core.tables import definitions
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.mq.expiry import TENTH_US


def begin(manager: Manager, subscription: Subscription, expiry: int | str, now_us: int) -> None:
    """Let a subscription end *expiry* tenths of a second from now; inside a transaction.

    Args:
        expiry: EXPIRY as it is kept: UNLIMITED for never.
    """
    store, kind, name = manager.store, definitions.SUBSCRIPTION_END, subscription.id.hex()
    if not isinstance(expiry, int) or expiry < 0:
        definitions.delete(store, kind, name)
        return
    ends_us = now_us + expiry * TENTH_US
    definitions.write(store, kind, name, str(ends_us))
    manager.wake(ends_us)


def ends(manager: Manager) -> dict[bytes, int]:
    """When each of those ends that do, microseconds of the queue manager's clock."""
    rows = definitions.of_kind(manager.store, definitions.SUBSCRIPTION_END)
    return {bytes.fromhex(name): int(text) for name, text in rows}
