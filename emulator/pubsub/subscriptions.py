"""Making subscriptions and ending them.

A durable subscription stays until it is ended; another one goes with its connection. A managed
queue goes with its subscription: it is a permanent dynamic queue, so that it takes persistent
messages (a choice of ours where the documents are silent).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from mqtriage.emulator.core import authority, dynamic, remote
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.descriptor import new_id
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.selecting import selector_of
from mqtriage.emulator.core.tables import subscriptions as subscription_table
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.emulator.pubsub import resource_usage, subscription_rows, topics
from mqtriage.emulator.pubsub.subscription_rows import needed
from mqtriage.mq import cmqc
from mqtriage.mq.errors import UsageError, mqi_error

MANAGED_DURABLE: Final = "SYSTEM.MANAGED.DURABLE.*"
MANAGED_NON_DURABLE: Final = "SYSTEM.MANAGED.NDURABLE.*"
INTER_QMGR: Final = "SYSTEM.INTER.QMGR.PUBS"
"""Where a publication for a proxy subscription is addressed to on the other queue manager."""


# -- subscribing ----------------------------------------------------------------------------------


def subscribe(
    connection: Connection,
    topic: str,
    *,
    name: str = "",
    durable: bool = False,
    destination: str = "",
    proxy: str = "",
    kept: Mapping[str, int | str] | None = None,
    alternate_user: str | None = None,
    only_new: bool = False,
) -> Subscription:
    """MQSUB: make a subscription, or resume the durable one of that name.

    Args:
        topic: topic string, wildcards of the topic scheme allowed.
        destination: queue of the subscriber's own; blank has one made from the model queue that
            the topic names (MDURMDL, MNDURMDL).
        proxy: queue manager that a proxy subscription stands for; it is durable.
        kept: what else there is to it, as DISPLAY SUB shows it: SELECTOR, DESTCORL (48 hex digits;
            CorrelId of what is delivered), WSCHEMA (CHAR: * and ? are the wildcards), USERDATA,
            EXPIRY (from now) and so on. One that is resumed keeps its own.
        only_new: no retained publications now (MQSO_NEW_PUBLICATIONS_ONLY).
        alternate_user: AlternateUserId, whose authority counts and whose it is; None for the
            program's own.

    Raises:
        UsageError: A durable one without a name.
        NotAuthorized: 2035: SUB on the topic, PUT on *destination*.
        MQIError: 2425, 2432 (exists otherwise), 2436 (DURSUB), 2503 (SUB), 2085; 2551 for a
            selector that cannot be read, 2459 where that is on one resumed, 2504, 2519.
    """
    doing = f"subscribe to {topic}"
    manager = connection.manager
    kept = kept or {}
    if not topic:
        raise mqi_error(cmqc.MQRC_TOPIC_STRING_ERROR, doing, detail="no topic string")
    if durable and not name:
        raise UsageError(f"{doing}: a durable subscription needs a name")
    connection.look(doing)
    _check_subscriber(connection, topic, destination, doing, alternate_user)
    owner = None if durable or proxy else connection.id  # which may take a transaction of its own
    with connection.changing(doing) as now:
        there = subscription_table.named(manager.store, name) if name else None
        if there is not None:
            _check_resumed(there, topic, destination, doing, durable=durable)
            check_selector(kept, doing, cmqc.MQRC_SELECTOR_SYNTAX_ERROR)
            return there
        _check_topic_allows(manager, topic, doing, durable=durable)
        check_selector(kept, doing, cmqc.MQRC_SELECTION_NOT_AVAILABLE)
        number, managed = new_id(manager), not destination and not proxy
        if managed:
            destination = _managed_queue(manager, topic, now, doing, durable=durable).name
        elif destination:
            remote.path_to(manager, destination, doing)
        subscription = Subscription(
            number,
            name or number.hex().upper(),
            topic,
            destination or INTER_QMGR,
            managed,
            durable or bool(proxy),
            owner,
            proxy,
            alternate_user or connection.user,
            now,
        )
        subscription_table.insert(manager.store, subscription)
        if kept:
            subscription_rows.keep(manager, subscription, kept)
            subscription_rows.end_after(manager, subscription, kept.get("EXPIRY", "UNLIMITED"), now)
            manager.refresh()
        if not (proxy or only_new or kept.get("REQONLY") == "YES"):
            resource_usage.deliver_retained(manager, subscription, now, doing)
        resource_usage.begin(manager, subscription, now)
    return subscription


def _managed_queue(
    manager: Manager, topic: str, now_us: int, doing: str, *, durable: bool
) -> Queue:
    """The queue of a managed subscription, from the model queue that the topic tree names."""
    name = str(topics.resolved(manager, topic, "MDURMDL" if durable else "MNDURMDL"))
    model = manager.queues.get(name)
    if model is None or model.kind != "QMODEL":
        raise mqi_error(
            cmqc.MQRC_UNKNOWN_OBJECT_NAME,
            doing,
            detail=f"model queue {name} of the topic does not exist",
            object_name=name,
        )
    pattern = MANAGED_DURABLE if durable else MANAGED_NON_DURABLE
    return dynamic.create(manager, model, pattern, now_us, doing)


def _check_subscriber(
    connection: Connection,
    topic: str,
    destination: str,
    doing: str,
    alternate_user: str | None,
    needed: str = "SUB",
) -> None:
    if not connection.checked and not connection.manager.switches:
        return
    above = topics.objects_above(connection.manager, topic)
    authority.check_topic(connection, above, topic, needed, doing, alternate_user)
    if destination:
        authority.require(connection, "QUEUE", destination, ("PUT",), doing, alternate_user)


def check_selector(kept: Mapping[str, int | str], doing: str, wrong: int) -> None:
    if kept.get("SELECTOR"):
        selector_of(str(kept["SELECTOR"]), doing, wrong)


def _check_topic_allows(manager: Manager, topic: str, doing: str, *, durable: bool) -> None:
    if topics.resolved(manager, topic, "SUB") == "DISABLED":
        raise mqi_error(cmqc.MQRC_SUB_INHIBITED, doing, detail=f"topic {topic} has SUB(DISABLED)")
    if durable and topics.resolved(manager, topic, "DURSUB") == "NO":
        raise mqi_error(
            cmqc.MQRC_DURABILITY_NOT_ALLOWED, doing, detail=f"topic {topic} has DURSUB(NO)"
        )


def _check_resumed(
    there: Subscription, topic: str, destination: str, doing: str, *, durable: bool
) -> None:
    same_queue = there.managed if not destination else there.destination == destination
    if there.topic == topic and there.durable == durable and durable and same_queue:
        return
    raise mqi_error(
        cmqc.MQRC_SUB_ALREADY_EXISTS,
        doing,
        detail=f"subscription {there.name} is to {there.topic}, on {there.destination}",
        object_name=there.name,
    )


def resume(
    connection: Connection,
    there: Subscription,
    *,
    destination: str = "",
    kept: Mapping[str, int | str] | None = None,
    alternate_user: str | None = None,
) -> Subscription:
    """MQSUB of one that exists, with MQSO_RESUME or MQSO_ALTER.

    Whoever resumes one with VARUSER(ANY) becomes its user.

    Args:
        destination: another queue of the subscriber's own; blank leaves it.
        kept: what it is to have from now on, all of it; None leaves that too. EXPIRY counts from
            now.

    Raises:
        NotAuthorized: 2035: RESUME on the topic, or SUB to alter it, PUT on *destination*.
        MQIError: 2434: it has VARUSER(FIXED) and is another user's.
    """
    doing = f"resume {there.name}"
    manager = connection.manager
    asked = "RESUME" if kept is None else "SUB"
    _check_subscriber(connection, there.topic, destination, doing, alternate_user, asked)
    user = alternate_user or connection.user
    held = subscription_rows.shown_attributes(manager, there)
    if held["VARUSER"] == "FIXED" and held["SUBUSER"] != user:
        detail = f"it is {held['SUBUSER']}'s, and VARUSER(FIXED)"
        reason = cmqc.MQRC_IDENTITY_MISMATCH
        raise mqi_error(reason, doing, detail=detail, object_name=there.name)
    if kept is None and not destination and held["SUBUSER"] == user:
        return there
    resumed = there._replace(destination=destination or there.destination, user=user)
    attributes = dict(subscription_rows.kept(manager, there) if kept is None else kept)
    attributes.pop("SUBUSER", None)
    with manager.changing() as now:
        subscription_table.write(manager.store, resumed)
        subscription_rows.keep(manager, resumed, attributes)
        if kept is not None:
            subscription_rows.end_after(manager, resumed, kept.get("EXPIRY", "UNLIMITED"), now)
    return resumed


def unsubscribe(connection: Connection, name: str) -> None:
    """End a subscription, with its managed queue and what is on it."""
    doing = f"unsubscribe {name}"
    manager = connection.manager
    with connection.changing(doing):
        _end(manager, (needed(manager, name, doing),))


def end(connection: Connection, number: bytes) -> None:
    """End the subscription of that id, unless it has ended: by its expiry, or by a command."""
    manager = connection.manager
    connection.look("unsubscribe")
    if subscription_table.by_id(manager.store, number) is None:
        return
    with manager.changing():
        subscription = subscription_table.by_id(manager.store, number)
        _end(manager, (subscription,) if subscription else ())


def hand_over(connection: Connection, number: bytes) -> None:
    """Let a non-durable subscription end with this connection: who it ended with leaves it."""
    owner, manager = connection.id, connection.manager
    with manager.writing(durable=True):
        subscription_table.give(manager.store, number, owner)


def end_expired(manager: Manager, now_us: int) -> int:
    """End those whose time is over; how many; inside a transaction.

    A managed queue stays for the program that has it open, with what has arrived.
    """
    over = [number for number, ends_us in subscription_rows.ends(manager).items()
            if ends_us <= now_us]  # fmt: skip
    for number in over:
        subscription = subscription_table.by_id(manager.store, number)
        if subscription is None:
            continue
        subscription_rows.remove(manager, subscription)
        queue = manager.queues.get(subscription.destination)
        if subscription.managed and queue is not None:
            dynamic.leave_to_handle(manager, queue, now_us)
    return len(over)


def end_non_durable(manager: Manager, connection_id: int | None = None) -> None:
    """End what does not outlive its connection, or any of them; inside a transaction (DD-103)."""
    every = subscription_table.every(manager.store)
    going = [one for one in every if one.connection is not None]
    _end(manager, [one for one in going if connection_id in (None, one.connection)])


def _end(manager: Manager, ended: Iterable[Subscription]) -> None:
    for subscription in ended:
        subscription_rows.remove(manager, subscription)
        queue = manager.queues.get(subscription.destination)
        if subscription.managed and queue is not None:
            dynamic.remove(manager, queue)
