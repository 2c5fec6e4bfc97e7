"""Subscriptions as they stand in the file: the record of each, and what else was said about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from mqtriage.emulator.core.clock import date_and_time
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import definitions, state
from mqtriage.emulator.core.tables import subscriptions as subscriptions_table
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.catalogue import defaults
from mqtriage.mq.attributes.system_objects import default_name, system_objects
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.expiry import TENTH_US

Kept = Mapping[str, int | str]

UNSEEN: Final = frozenset({"GROUPSUB"})
"""What is kept of a subscription and has no MQSC attribute."""


def remove(manager: Manager, subscription: Subscription) -> None:
    """Take one out with all that is kept of it; inside a transaction."""
    subscriptions_table.delete(manager.store, subscription.id)
    for kind in ("SUB", definitions.SUBSCRIPTION_END):
        definitions.delete(manager.store, kind, subscription.id.hex())
    manager.refresh()


def every(manager: Manager) -> list[Subscription]:
    """All of them, with the one that every queue manager comes with and nothing is published to."""
    there = subscriptions_table.every(manager.store)
    if any(one.name == default_name("SUB") for one in there):
        return there
    return [default(manager), *there]


def default(manager: Manager) -> Subscription:
    """SYSTEM.DEFAULT.SUB, in no table: it has no topic, and its SUBID is all zeros."""
    created_us = manager.identity.created_us
    name = default_name("SUB")
    return Subscription(cmqc.MQMI_NONE, name, "", "", False, True, None, "", "", created_us)


def needed(manager: Manager, name: str, doing: str) -> Subscription:
    """The subscription of that name."""
    subscription = subscriptions_table.named(manager.store, name)
    if subscription is None and name == default_name("SUB"):
        return default(manager)
    if subscription is None:
        raise mqi_error(cmqc.MQRC_NO_SUBSCRIPTION, doing, object_name=name)
    return subscription


# -- what else there is to one --------------------------------------------------------------------


def all_kept(manager: Manager) -> dict[str, dict[str, int | str]]:
    """What is kept of each besides the record, by its id in hexadecimal digits."""
    key = "subscription attributes"
    return manager.derived(key, lambda manager: definitions.values_of_kind(manager.store, "SUB"))


def kept(manager: Manager, subscription: Subscription) -> Kept:
    """What is kept of one: MQSC attributes by their keywords, and `UNSEEN`."""
    return all_kept(manager).get(subscription.id.hex(), {})


def keep(manager: Manager, subscription: Subscription, attributes: Kept) -> None:
    """Write down what is kept of one; inside a transaction."""
    definitions.write(manager.store, "SUB", subscription.id.hex(), json.dumps(dict(attributes)))
    state.definitions_changed(manager.store)


def shown_attributes(manager: Manager, subscription: Subscription) -> dict[str, int | str]:
    """What DISPLAY SUB shows, name and SUBID first."""
    date, time = date_and_time(subscription.created_us)
    shown = {key: value for key, value in kept(manager, subscription).items() if key not in UNSEEN}
    return {
        "SUBID": subscription.id.hex().upper(),
        "SUB": subscription.name,
        **defaults("SUB", manager.identity.platform),
        **system_objects("SUB").get(subscription.name, {}),
        "SUBUSER": subscription.user,
        **shown,
        "CRDATE": date,
        "CRTIME": time,
        "DEST": subscription.destination,
        "DESTCLAS": "MANAGED" if subscription.managed else "PROVIDED",
        "DURABLE": "YES" if subscription.durable else "NO",
        "TOPICSTR": subscription.topic,
    }


# -- the end of those that were made for a time (MQSD.SubExpiry, EXPIRY of DEFINE SUB) -------------
#
# The ends are timed events in the one ordered walk of `due.catch_up`, so that a delayed
# publication finds its subscriber there until then, and gone from that moment on.
#
# Choices where the documents are silent or differ:
# - The time counts from the call or command that states it: MQSUB, MQSO_ALTER, DEFINE or ALTER SUB.
#   The MQSC page counts it from the making of the subscription: no program could prolong one.
# - Publications that arrived are not affected (MQSD page). A managed queue on which nobody has a
#   handle goes at once, since no program could find it any more; else with the handle.
#
# Sources: IBM MQ documentation, "MQSD - SubExpiry" and "DEFINE SUB" (EXPIRY).


def end_after(manager: Manager, subscription: Subscription, expiry: int | str, now_us: int) -> None:
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
