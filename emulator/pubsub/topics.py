"""TOPIC objects and the tree: where a topic string gets an attribute from (DD-116, DD-118).

A topic string is a node of the tree, its parts divided by `/`; the root is the empty string, which
SYSTEM.BASE.TOPIC stands for. An attribute that is ASPARENT, or a blank model queue name, is looked
for at the next object up.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from mqtriage.emulator.core.attributes import checked_attributes
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.system_topics import BASE, DEFAULT, insert_topic
from mqtriage.emulator.core.tables import definitions, state
from mqtriage.emulator.core.tables.definitions import values_of_kind
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.system_objects import system_objects
from mqtriage.mq.attributes.topic_strings import nodes
from mqtriage.mq.delay import topic_delivery
from mqtriage.mq.errors import UsageError, mqi_error
from mqtriage.mq.expiry import cap_of
from mqtriage.mq.names import SYSTEM_TOPIC, check_queue_name
from mqtriage.mq.transmission import alias_problem

Attributes = Mapping[str, int | str]


def all_topics(manager: Manager) -> dict[str, dict[str, int | str]]:
    """Every topic object: name to attributes."""
    return manager.derived("topics", lambda manager: values_of_kind(manager.store, "TOPIC"))


# -- defining -------------------------------------------------------------------------------------


def define(
    connection: Connection,
    _: str,
    name: str,
    attributes: Attributes,
    *,
    like: str = "",
    replace: bool = False,
) -> bool:
    """DEFINE TOPIC; whether one was replaced.

    Raises:
        UsageError: A bad name or attribute, no TOPICSTR, or one that another object has.
        MQIError: 2100 where it exists; 2085 for *like*.
    """
    doing = f"define TOPIC({name})"
    check_queue_name(name)
    manager = connection.manager
    with connection.changing(doing) as now:
        there = all_topics(manager).get(name)
        if there is not None and not replace:
            raise mqi_error(cmqc.MQRC_OBJECT_ALREADY_EXISTS, doing, object_name=name)
        full = dict(named(manager, like or DEFAULT, doing))
        full.pop("TOPICSTR", None)
        if there is not None:  # REPLACE keeps the node: the topic string cannot be changed
            full["TOPICSTR"] = there.get("TOPICSTR", "")
        full |= checked_attributes(manager, "TOPIC", attributes, altering=False)
        _check_topic_string(manager, name, str(full.get("TOPICSTR", "")), doing)
        insert_topic(manager.store, name, full, now)
    return there is not None


@cache
def _of_no_node() -> frozenset[str]:
    """Topics whose TOPICSTR is empty: the root, and those that a queue manager keeps for itself."""
    return frozenset(
        name for name, own in system_objects("TOPIC").items() if not own.get("TOPICSTR")
    )


def _check_topic_string(manager: Manager, name: str, topic: str, doing: str) -> None:
    if not topic and name in _of_no_node():
        return
    if not topic:
        raise UsageError(f"{doing}: TOPICSTR is needed")
    for other, values in all_topics(manager).items():
        if other != name and values.get("TOPICSTR") == topic:
            raise UsageError(f"{doing}: TOPICSTR('{topic}') belongs to topic {other}")


def alter(connection: Connection, _: str, name: str, attributes: Attributes) -> None:
    """ALTER TOPIC.

    Raises:
        UsageError: A bad attribute, or TOPICSTR, which cannot be altered.
        ObjectNotFound: 2085.
    """
    doing = f"alter TOPIC({name})"
    manager = connection.manager
    if "TOPICSTR" in {keyword.upper() for keyword in attributes}:
        raise UsageError(f"{doing}: TOPICSTR cannot be altered")
    with connection.changing(doing) as now:
        given = checked_attributes(manager, "TOPIC", attributes, altering=True)
        insert_topic(manager.store, name, dict(named(manager, name, doing)) | given, now)


def delete(connection: Connection, _: str, name: str) -> None:
    """DELETE TOPIC; subscriptions to its topic string stay.

    Raises:
        UsageError: It is SYSTEM.BASE.TOPIC.
        ObjectNotFound: 2085.
    """
    doing = f"delete TOPIC({name})"
    if name == BASE:
        raise UsageError(f"{doing}: the root of the topic tree cannot be deleted")
    manager = connection.manager
    with connection.changing(doing):
        named(manager, name, doing)
        definitions.delete(manager.store, "TOPIC", name)
        state.definitions_changed(manager.store)


def named(manager: Manager, name: str, doing: str) -> Attributes:
    """The attributes of a topic object."""
    topic = all_topics(manager).get(name)
    if topic is None:
        raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=name)
    return topic


# -- the tree -------------------------------------------------------------------------------------


def behind_alias(manager: Manager, name: str) -> str | None:
    """The topic object that an alias queue with TARGTYPE(TOPIC) names."""
    queue = manager.queues.get(name)
    if queue is None or queue.kind != "QALIAS" or queue.attributes.get("TARGTYPE") != "TOPIC":
        return None
    return str(queue.attributes.get("TARGET", ""))


def refuse_shut_alias(manager: Manager, name: str, doing: str) -> None:
    """Refuse a put where an alias of a topic has PUT(DISABLED)."""
    queue = manager.queues.get(name)
    if queue is not None and not queue.put_enabled:
        detail = f"{name} has PUT(DISABLED)"
        raise mqi_error(cmqc.MQRC_PUT_INHIBITED, doing, detail=detail, object_name=name)


def string_behind_alias(manager: Manager, name: str, doing: str) -> str | None:
    """The topic string of that object.

    Raises:
        ObjectNotFound: 2082: there is no such topic object (IBM MQ documentation, "Unknown Alias
            Base Queue": not recognized as a queue or topic name).
    """
    topic = behind_alias(manager, name)
    if topic is None:
        return None
    values = all_topics(manager).get(topic)
    if values is None:
        raise alias_problem(name, topic, "").error(doing)
    return str(values.get("TOPICSTR", ""))


def objects_above(manager: Manager, topic: str) -> list[str]:
    """Names of the topic objects from the topic's own node up to the root, or up to $SYS/MQ.

    What is above SYSTEM.ADMIN.TOPIC says nothing about its branch (IBM MQ documentation, "System
    topics for monitoring and activity trace").
    """
    by_string = {
        str(values.get("TOPICSTR", "")): name
        for name, values in all_topics(manager).items()
        if name == BASE or values.get("TOPICSTR")
    }
    names = [by_string[node] for node in nodes(topic) if node in by_string]
    if SYSTEM_TOPIC in by_string and _is_administrative(topic):
        return names[: names.index(by_string[SYSTEM_TOPIC]) + 1]
    return names


def _is_administrative(topic: str) -> bool:
    return f"{topic}/".startswith(f"{SYSTEM_TOPIC}/")


def refuse_publishing(topic: str, doing: str) -> None:
    """Leave topics of the queue manager's own to it."""
    if _is_administrative(topic):
        raise mqi_error(cmqc.MQRC_ADMIN_TOPIC_STRING_ERROR, doing, object_name=topic)


def blocked(manager: Manager, topic: str) -> list[str]:
    """Topic strings from the root to the topic's own whose objects have WILDCARD(BLOCK)."""
    blocking = manager.derived("blocking topics", _load_blocking)
    return [node for node in nodes(topic) if node in blocking] if blocking else []


def _load_blocking(manager: Manager) -> frozenset[str]:
    blocking = (topic for topic in all_topics(manager).values() if topic.get("WILDCARD") == "BLOCK")
    return frozenset(str(topic.get("TOPICSTR", "")) for topic in blocking) - {""}


def resolved(manager: Manager, topic: str, keyword: str) -> int | str:
    """An attribute of a topic string: the first up the tree that is not ASPARENT, nor blank."""
    topics = all_topics(manager)
    for name in objects_above(manager, topic):
        value = topics[name].get(keyword, "ASPARENT")
        if value not in ("ASPARENT", ""):
            return value
    return system_objects("TOPIC")[BASE].get(keyword, "")


def cap_tenths(manager: Manager, topic: str) -> int:
    """The greatest lifetime of publications to a topic string, in tenths; -1 for no limit.

    The first object up the tree that sets a cap, by CAPEXPRY or in CUSTOM, or CAPEXPRY(NOLIMIT).
    Sources: IBM MQ documentation, "Enforcing lower expiration times" (q097495_): CUSTOM of a topic
    caps too. That it holds below the topic, as CAPEXPRY does, is a choice of ours.
    """
    topics = all_topics(manager)
    for name in objects_above(manager, topic):
        cap = cap_of(topics[name])
        if cap is not None:
            return cap
        if topics[name].get("CAPEXPRY", "ASPARENT") != "ASPARENT":
            return -1
    return -1


def delivery(manager: Manager, topic: str, *, persistent: bool) -> str:
    """PMSGDLV of a persistent, NPMSGDLV of a nonpersistent publication: ALL, ALLDUR, ALLAVAIL."""
    topics = all_topics(manager)
    keyword = "PMSGDLV" if persistent else "NPMSGDLV"
    values = (str(topics[name].get(keyword, "ASPARENT")) for name in objects_above(manager, topic))
    return topic_delivery(values, persistent=persistent)
