"""DEFINE, ALTER and DELETE of objects and ALTER of the queue manager, as MQSC does them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from types import ModuleType
from typing import Concatenate, ParamSpec, TypeVar

from mqtriage.emulator.admin import admin_events
from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.admin.inert_definitions import home_of
from mqtriage.emulator.core import timetable
from mqtriage.emulator.core.attributes import checked_attributes
from mqtriage.emulator.core.clock import altered
from mqtriage.emulator.core.connections import INPUT, Connection, reap
from mqtriage.emulator.core.create import insert_queues
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.tables import counters, handles, messages, queues, state
from mqtriage.emulator.due import processor
from mqtriage.model.shell_words import shell_word
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import defaults
from mqtriage.mq.attributes.queue_usage import needs_force, usage_conflict
from mqtriage.mq.attributes.system_objects import default_name
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import MQIError, UsageError, mqi_error
from mqtriage.mq.names import check_queue_name

Value = int | str
P = ParamSpec("P")
T = TypeVar("T")

KEPT = (
    "CHANNEL", "LISTENER", "NAMELIST", "PROCESS", "AUTHINFO", "SERVICE", "COMMINFO", "STGCLASS",
    "CFSTRUCT",
)  # fmt: skip
"""Types of objects whose definitions are kept and bring nothing about: `inert_definitions`."""


_MADE = ("CRDATE", "CRTIME")


def _reported(
    change: Callable[Concatenate[Connection, str, str, P], T],
) -> Callable[Concatenate[Connection, str, str, P], T]:
    """Have a change written down as a configuration event where CONFIGEV says so."""

    @wraps(change)
    def run(connection: Connection, kind: str, name: str, /, *args: P.args, **rest: P.kwargs) -> T:
        if connection.manager.attributes.get("CONFIGEV") != "ENABLED":
            return change(connection, kind, name, *args, **rest)
        with admin_events.changing(connection, kept.noun_of(kind), name):
            return change(connection, kind, name, *args, **rest)

    return run


@_reported
def define(
    connection: Connection,
    kind: str,
    name: str,
    attributes: Mapping[str, Value],
    *,
    like: str = "",
    replace: bool = False,
) -> bool:
    """DEFINE: what is not named comes from *like*, else from the default object of the type.

    Args:
        replace: REPLACE: a queue that exists gets every attribute anew and keeps its messages, as
            by an ALTER without FORCE (IBM MQ documentation, "DEFINE queues").

    Returns:
        Whether a queue was replaced.

    Raises:
        UsageError: A bad name, attribute or value, or a type not emulated.
        ObjectNotFound: 2085 for *like*.
        MQIError: 2100 where a queue of that name exists, 2057 where it is of another type, 3210
            where it is in use and the change needs FORCE, 3090 or 3363 where USAGE excludes an
            attribute.
    """
    if (others := _of_others(kind)) is not None:
        connection = home_of(connection, kind)
        return bool(others.define(connection, kind, name, attributes, like=like, replace=replace))
    if str(attributes.get("QSGDISP", "")).upper() == "SHARED":
        connection = connection.to_group()
    doing = f"define {kind}({name})"
    check_queue_name(name)
    manager = connection.manager
    if kind not in QUEUE_KINDS:
        raise UsageError(f"{doing}: {kind} is not emulated yet")
    if replace:
        reap(manager)
    with connection.changing(doing) as now:
        there = manager.queues.get(name)
        if there is not None and not replace:
            raise mqi_error(
                cmqc.MQRC_OBJECT_ALREADY_EXISTS,
                doing,
                hint=f"mqtriage queue show {shell_word(name)}",
                object_name=name,
            )
        full = _base(manager, kind, like, doing)
        full |= checked_attributes(manager, kind, attributes, altering=False)
        _refuse_conflict(full, name, doing)
        if there is None:
            insert_queues(manager.store, [(kind, name, full)], now)
            processor.start_again(manager, name)
        else:
            there = _of_kind(manager, kind, name, doing)
            if kind == "QLOCAL":
                _refuse_without_force(manager, there, full, doing)
            kept = {key: there.attributes[key] for key in _MADE if key in there.attributes}
            queues.write(manager.store, there.id, full | kept | altered(now))
        timetable.refresh_next_event(manager)
    return there is not None


def _base(manager: Manager, kind: str, like: str, doing: str) -> dict[str, Value]:
    """What the attributes are that the command does not name."""
    if like:
        return dict(_of_kind(manager, kind, like, f"{doing} LIKE({like})").attributes)
    model = manager.queues.get(default_name(kind))
    return dict(model.attributes) if model else defaults(kind, manager.identity.platform)


@_reported
def alter(
    connection: Connection,
    kind: str,
    name: str,
    attributes: Mapping[str, Value],
    *,
    force: bool = False,
) -> None:
    """ALTER: change the named attributes and leave the others and the messages alone.

    Args:
        force: FORCE: whoever has the queue open meets 2041 where the change is not for open queues.

    Raises:
        UsageError: A bad attribute or value.
        ObjectNotFound: 2085.
        MQIError: 2057 where the queue is of another type; 3210 where it is in use and the change
            needs FORCE; 3090 or 3363 where USAGE excludes an attribute.
    """
    if (others := _of_others(kind)) is not None:
        connection = home_of(connection, kind)
        others.alter(connection, kind, name, attributes)
        return
    connection = connection.at(name)
    doing = f"alter {kind}({name})" if name else f"alter {kind}"
    manager = connection.manager
    asks_force = kind == "QLOCAL" and not {"SHARE", "USAGE"}.isdisjoint(attributes)
    if asks_force:
        reap(manager)
    with connection.changing(doing) as now:
        given = checked_attributes(manager, kind, attributes, altering=True)
        given |= altered(now)
        if kind == "QMGR":
            state.update(manager.store, attributes=manager.attributes | given)
        else:
            queue = _of_kind(manager, kind, name, doing)
            _refuse_conflict({**queue.attributes, **given}, name, doing)
            if asks_force and not force:
                _refuse_without_force(manager, queue, given, doing)
            if given.get("PUT") == "ENABLED" and not queue.put_enabled:
                processor.start_again(manager, name)
            queues.write(manager.store, queue.id, {**queue.attributes, **given})
        if name == STAGING_QUEUE:  # what was kept waiting happens now, not when it was due
            state.update(manager.store, reached_us=now)
            timetable.refresh_next_event(manager)
        _take_effect(manager, kind, name, given, now)


def _refuse_conflict(attributes: Mapping[str, Value], name: str, doing: str) -> None:
    conflict = usage_conflict(attributes)
    if conflict is not None:
        raise mqi_error(conflict.reason, doing, detail=conflict.text, object_name=name)


def _refuse_without_force(
    manager: Manager, queue: Queue, given: Mapping[str, Value], doing: str
) -> None:
    opened = handles.options_of(manager.store, queue.id)
    why = needs_force(
        queue.attributes,
        given,
        inputs=sum(1 for options in opened if options & INPUT),
        handles=len(opened),
        depth=counters.read(manager.store, queue.id)[0],
    )
    if why:
        hint = (
            f"mqtriage queue status {shell_word(queue.name)} --handles; or ALTER with FORCE, which"
            " they meet as 2041"
        )
        raise mqi_error(
            cmqcfc.MQRCCF_OBJECT_OPEN_FORCE, doing, detail=why, hint=hint, object_name=queue.name
        )


def _take_effect(
    manager: Manager, kind: str, name: str, given: Mapping[str, Value], now_us: int
) -> None:
    """Let happen what an ALTER brings about at once: a trigger, another rhythm of the expirer, a
    command server that may get again."""
    if kind == "QMGR" and "PERFMEV" in given:
        manager.refresh()
    if (kind == "QMGR" and "EXPRYINT" in given) or name == manager.command_queue:
        manager.refresh()
        timetable.refresh_next_event(manager)
    elif kind == "QLOCAL" and given.get("TRIGGER") == "YES":
        from mqtriage.emulator.due import triggers

        manager.refresh()
        triggers.consider(manager, manager.queues[name], now_us)


@_reported
def delete(connection: Connection, kind: str, name: str, *, purge: bool = False) -> None:
    """DELETE, with its messages where *purge* is given.

    Raises:
        ObjectNotFound: 2085.
        MQIError: 2055 while there are messages, or uncommitted ones; 2042 while it is open.
    """
    if (others := _of_others(kind)) is not None:
        connection = home_of(connection, kind)
        others.delete(connection, kind, name)
        return
    connection = connection.at(name)
    doing = f"delete {kind}({name})"
    manager = connection.manager
    reap(manager)
    with connection.changing(doing):
        queue = _of_kind(manager, kind, name, doing)
        refuse_if_held(manager, queue, doing)
        if not purge and messages.is_any(manager.store, queue.span):
            raise _not_empty(queue, doing, "it contains messages")
        refuse_if_open(manager, queue, doing)
        messages.clear(manager.store, queue.span)
        queues.delete(manager.store, queue.id)
        timetable.refresh_next_event(manager)


def _of_others(kind: str) -> ModuleType | None:
    """What defines, alters and deletes objects that are no queues; None for queues."""
    if kind == "TOPIC":
        from mqtriage.emulator.pubsub import topics

        return topics
    if kind == "SUB":
        from mqtriage.emulator.pubsub import subscription_commands

        return subscription_commands
    return kept if kept.noun_of(kind) in KEPT else None


def _of_kind(manager: Manager, kind: str, name: str, doing: str) -> Queue:
    queue = manager.queues.get(name)
    if queue is None:
        raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=name)
    if queue.kind != kind:
        raise mqi_error(
            cmqc.MQRC_Q_TYPE_ERROR, doing, detail=f"{name} is a {queue.kind}", object_name=name
        )
    return queue


def refuse_if_held(manager: Manager, queue: Queue, doing: str) -> None:
    """Refuse with 2055 what cannot be done while a unit of work holds messages of a queue."""
    if messages.is_any(manager.store, queue.span, in_unit=True):
        raise _not_empty(queue, doing, "messages are held in a unit of work")


def _not_empty(queue: Queue, doing: str, detail: str) -> MQIError:
    hint, reason = f"mqtriage queue status {shell_word(queue.name)}", cmqc.MQRC_Q_NOT_EMPTY
    return mqi_error(reason, doing, detail=detail, hint=hint, object_name=queue.name)


def refuse_if_open(manager: Manager, queue: Queue, doing: str) -> None:
    """Refuse with 2042 what cannot be done while anybody has a queue open."""
    if handles.is_open(manager.store, queue.id):
        detail = f"{queue.name} is open"
        raise mqi_error(cmqc.MQRC_OBJECT_IN_USE, doing, detail=detail, object_name=queue.name)
