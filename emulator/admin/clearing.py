"""CLEAR QLOCAL and MOVE QLOCAL: messages that go, or go over to another queue, all at once.

Sources: IBM MQ 9.4 "CLEAR QLOCAL" (refused while the queue is open by anybody or has uncommitted
messages), "MOVE QLOCAL" (z/OS; TYPE(MOVE) needs an empty target, TYPE(ADD) appends).
"""

from __future__ import annotations

from mqtriage.emulator.admin.definitions import refuse_if_held, refuse_if_open
from mqtriage.emulator.core import timetable
from mqtriage.emulator.core.connections import Connection, reap
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue, position_of
from mqtriage.emulator.core.tables import counters, messages
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import unpack
from mqtriage.mq.errors import UsageError, mqi_error


def clear(connection: Connection, name: str) -> int:
    """Remove every message of a local queue, expired ones too; returns how many.

    Raises:
        ObjectNotFound: 2085.
        MQIError: 2057 for another type; 2042 while it is open; 2055 while a unit of work holds
            messages of it.
    """
    doing = f"clear QLOCAL({name})"
    connection = connection.at(name)
    manager = connection.manager
    reap(manager)
    with connection.changing(doing):
        queue = manager.local(name, doing)
        refuse_if_open(manager, queue, doing)
        refuse_if_held(manager, queue, doing)
        count = messages.clear(manager.store, queue.span)
        counters.clear(manager.store, queue.id)
        timetable.refresh_next_event(manager)
    return count


def move(connection: Connection, name: str, to: str, *, add: bool) -> int:
    """Move every message to another local queue, keeping their order; returns how many.

    Args:
        add: TYPE(ADD): behind what the target holds; otherwise the target must be empty.

    Raises:
        ObjectNotFound: 2085 for either queue.
        MQIError: 2057, 2042, 2055 as for `clear`, for either queue; 2055 for a target that is not
            empty; 2053 and 2030 where the target has no room for all of them.
    """
    doing = f"move QLOCAL({name}) to {to}"
    connection = connection.at(name)
    if connection.at(to).manager is not connection.manager:
        raise UsageError(f"{doing}: between a shared queue and one that is not is not emulated")
    manager = connection.manager
    reap(manager)
    with connection.changing(doing) as now:
        source, target = manager.local(name, doing), manager.local(to, doing)
        for queue in (source, target):
            refuse_if_open(manager, queue, doing)
            refuse_if_held(manager, queue, doing)
        count = counters.depth(manager.store, source.id)
        if source.id != target.id:
            _refuse_if_no_room(manager, source, target, doing, add=add)
            _renumber(manager, source, target, now)
        timetable.refresh_next_event(manager)
    return count


def _renumber(manager: Manager, source: Queue, target: Queue, now_us: int) -> None:
    """Give each message the position that an arrival on the target gets."""
    store = manager.store
    rows = messages.in_order(store, source.span)
    arrivals = counters.count_arrivals(store, target.id, now_us, len(rows))
    for offset, (position, md) in enumerate(rows, 1):
        new = position_of(target, max(unpack(md).priority, 0), arrivals + offset)
        messages.renumber(store, position, new)
    counters.clear(store, source.id, now_us)


def _refuse_if_no_room(
    manager: Manager, source: Queue, target: Queue, doing: str, *, add: bool
) -> None:
    there = counters.depth(manager.store, target.id)
    longest = messages.longest(manager.store, source.span) or 0
    if there and not add:
        reason = cmqc.MQRC_Q_NOT_EMPTY
        detail = f"{target.name} holds {there} messages; TYPE(ADD) goes behind them"
    elif there + counters.depth(manager.store, source.id) > target.max_depth:
        reason, detail = cmqc.MQRC_Q_FULL, f"MAXDEPTH({target.max_depth}) of {target.name}"
    elif longest > target.max_length:
        reason = cmqc.MQRC_MSG_TOO_BIG_FOR_Q
        detail = f"a message of {longest} bytes, MAXMSGL({target.max_length}) of {target.name}"
    else:
        return
    raise mqi_error(reason, doing, detail=detail, object_name=target.name)
