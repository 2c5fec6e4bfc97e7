"""DEFINE SUB and ALTER SUB: subscriptions that an administrator makes and changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.emulator.core.attributes import checked_attributes
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import subscriptions
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.emulator.pubsub import subscription_rows, topics
from mqtriage.emulator.pubsub.subscription_rows import needed, shown_attributes
from mqtriage.emulator.pubsub.subscriptions import check_selector, subscribe, unsubscribe
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.catalogue import LASTING
from mqtriage.mq.attributes.system_objects import default_name
from mqtriage.mq.attributes.topic_strings import joined
from mqtriage.mq.errors import UsageError, mqi_error

_OWN: Final = frozenset(
    {"TOPICSTR", "TOPICOBJ", "DEST", "DESTCLAS", "SUBID", "SUB", "CRDATE", "CRTIME", "DURABLE"}
)  # fmt: skip
"""Attributes that follow from the subscription itself and are not kept beside it."""


def define(
    connection: Connection,
    _: str,
    name: str,
    attributes: Mapping[str, int | str],
    *,
    like: str = "",
    replace: bool = False,
) -> bool:
    """DEFINE SUB: a durable subscription made by an administrator; whether one was replaced.

    Args:
        like: a subscription that has what is not named.
        replace: one of that name gets another destination; its topic cannot be changed.

    Raises:
        UsageError: No topic; DESTCLAS(PROVIDED), which is the default, without DEST; a value.
        ObjectNotFound: 2085: TOPICOBJ or DEST.
        MQIError: 2432; 2510 where another topic is given for one that is replaced; 2428 for *like*.
    """
    manager = connection.manager
    doing = f"define SUB({name})"
    if replace and name == default_name("SUB"):  # it has neither topic nor destination
        alter(connection, "SUB", name, attributes)
        return True
    given: dict[str, int | str] = {}
    if like:
        connection.look(doing)
        given = dict(shown_attributes(manager, needed(manager, like, doing)))
    given |= _checked(manager, attributes, altering=False)
    topic = str(given.get("TOPICSTR", ""))
    if parent := str(given.get("TOPICOBJ", "")):
        values = topics.named(manager, parent, doing)
        topic = joined(str(values.get("TOPICSTR", "")), topic)
    managed = given.get("DESTCLAS", "PROVIDED") == "MANAGED"
    if not topic or (not managed and not given.get("DEST")):
        raise UsageError(f"{doing}: TOPICSTR or TOPICOBJ, and DEST, are needed")
    destination = "" if managed else str(given["DEST"])
    connection.look(doing)
    there = subscriptions.named(manager.store, name)
    if there is not None and not replace:
        raise mqi_error(cmqc.MQRC_SUB_ALREADY_EXISTS, doing, object_name=name)
    kept = {key: value for key, value in given.items() if key not in _OWN}
    if there is None:
        subscribe(connection, topic, name=name, durable=True, destination=destination, kept=kept)
        return False
    subscription = _replaced(connection, there, topic, destination)
    _keep(connection, subscription, kept, expiring="EXPIRY" in given)
    return True


def delete(connection: Connection, _: str, name: str) -> None:
    """DELETE SUB."""
    unsubscribe(connection, name)


def alter(connection: Connection, _: str, name: str, attributes: Mapping[str, int | str]) -> None:
    """ALTER SUB: another destination, and what is kept of its attributes.

    EXPIRY counts from now, where it is named.

    Raises:
        UsageError: An attribute or value that is wrong, or one that cannot be altered.
        ObjectNotFound: 2085: DEST.
        MQIError: 2428; 2510 for a destination where it is managed.
    """
    doing = f"alter SUB({name})"
    manager = connection.manager
    connection.look(doing)
    there = needed(manager, name, doing)
    given = _checked(manager, attributes, altering=True)
    shown = shown_attributes(manager, there)
    for keyword in LASTING["SUB"]:
        if keyword in given and given[keyword] != shown.get(keyword):
            raise UsageError(f"{doing}: {keyword} of a subscription cannot be altered")
    if given.get("DEST"):
        there = _replaced(connection, there, there.topic, str(given["DEST"]))
    changed = {key: value for key, value in given.items() if key not in _OWN}
    kept = {**subscription_rows.kept(manager, there), **changed}
    _keep(connection, there, kept, expiring="EXPIRY" in given)


def _checked(
    manager: Manager, attributes: Mapping[str, int | str], *, altering: bool
) -> dict[str, int | str]:
    given = checked_attributes(manager, "SUB", attributes, altering=altering)
    doing = "alter SUB" if altering else "define SUB"
    check_selector(given, doing, cmqc.MQRC_SELECTOR_SYNTAX_ERROR)
    return given


def _keep(
    connection: Connection,
    subscription: Subscription,
    kept: Mapping[str, int | str],
    *,
    expiring: bool,
) -> None:
    """Write down what is kept of one, and when it ends, where that is stated anew."""
    manager = connection.manager
    if not kept and not subscription_rows.kept(manager, subscription):
        return
    with manager.changing() as now:
        subscription_rows.keep(manager, subscription, kept)
        if expiring:
            subscription_rows.end_after(manager, subscription, kept["EXPIRY"], now)


def _replaced(
    connection: Connection, there: Subscription, topic: str, destination: str
) -> Subscription:
    """A subscription that is there already, with the destination that DEFINE REPLACE gives it."""
    doing = f"define SUB({there.name})"
    manager = connection.manager
    if there.topic != topic or there.managed is bool(destination) or not there.durable:
        reason = cmqc.MQRC_TOPIC_NOT_ALTERABLE
        detail = f"it is one to {there.topic}, of another kind or by another topic string"
        raise mqi_error(reason, doing, detail=detail, object_name=there.name)
    if there.managed or there.destination == destination:
        return there
    if destination not in manager.queues:
        raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=destination)
    moved = there._replace(destination=destination)
    with manager.changing():
        subscriptions.write(manager.store, moved)
    return moved
