"""Triggering: a trigger message on the initiation queue when an application queue needs serving.

When it fires, with TRIGMPRI as the lowest priority that counts:

    FIRST   the first message that counts arrives, or one after TRIGINT milliseconds without a
            trigger; nobody has the queue open for input
    EVERY   each message that counts arrives
    DEPTH   TRIGDPTH messages that count are there, expired ones too (EX-36); nobody has the queue
            open for input. Then NOTRIGGER is set.

All need an initiation queue that a program has open for input and, but for a transmission queue,
a process definition. FIRST and DEPTH also fire for what is already there when the last program
closes the queue, when a monitor opens the initiation queue, and when ALTER makes it possible.

A trigger message caused in a unit of work is seen when the unit ends, also when it is backed out.
Source: IBM MQ documentation, "Conditions for a trigger event", "Trigger messages and units of
work", "MQTM - Trigger message" (MQMD of a trigger message).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mqtriage.emulator.core.connections import INPUT
from mqtriage.emulator.core.holder import TRIGGER, Holder
from mqtriage.emulator.core.put.arrival import dead_letter
from mqtriage.emulator.core.put.descriptor import own
from mqtriage.emulator.core.put.insert import store
from mqtriage.emulator.core.queues import TRANSMISSION, TRIGGERED, Queue
from mqtriage.emulator.core.tables import counters, definitions, handles, messages, queues
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.catalogue import AttributeValue, attribute, to_number
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.headers import tm

if TYPE_CHECKING:
    from mqtriage.emulator.core.manager import Manager


def after_put(
    manager: Manager,
    queue: Queue,
    priority: int,
    now_us: int,
    holder: Holder | None,
    doing: str,
) -> None:
    """Fire if the message that was just stored is what the queue waits for; in a transaction.

    Raises:
        MQIError: 2024 when the trigger message no longer fits the unit of work.
    """
    least = int(queue.attributes.get("TRIGMPRI", 0))
    kind = queue.attributes.get("TRIGTYPE", "FIRST")
    if priority < least or kind == "NONE":
        return
    if kind == "FIRST":
        due = _waiting(manager, queue, least, 2) == 1 or _interval_over(manager, queue, now_us)
    else:
        due = kind == "EVERY" or _is_deep(manager, queue, least)
    if due and (kind == "EVERY" or not handles.is_open(manager.store, queue.id, INPUT)):
        _fire(manager, queue, now_us, holder, doing)


def consider(manager: Manager, queue: Queue, now_us: int) -> None:
    """Fire for what is on the queue already; EVERY waits for the next message."""
    kind = queue.attributes.get("TRIGTYPE", "FIRST")
    if not queue.special & TRIGGERED or kind not in ("FIRST", "DEPTH"):
        return
    least = int(queue.attributes.get("TRIGMPRI", 0))
    due = (
        _waiting(manager, queue, least, 1) > 0
        if kind == "FIRST"
        else _is_deep(manager, queue, least)
    )
    if due and not handles.is_open(manager.store, queue.id, INPUT):
        _fire(manager, queue, now_us, None, f"trigger {queue.name}")


def _is_deep(manager: Manager, queue: Queue, least: int) -> bool:
    depth = int(queue.attributes.get("TRIGDPTH", 1))
    return _waiting(manager, queue, least, depth) >= depth


def _waiting(manager: Manager, queue: Queue, least: int, most: int) -> int:
    """How many messages count, committed or not, expired or not; no further than *most*."""
    if least == 0:
        return min(counters.depth(manager.store, queue.id), most)
    return messages.count_of_priority(manager.store, queue.span, least, most)


def _interval_over(manager: Manager, queue: Queue, now_us: int) -> bool:
    last = counters.last_trigger_us(manager.store, queue.id)
    interval_us = int(manager.attributes.get("TRIGINT", 999_999_999)) * 1000
    return last is not None and now_us - last >= interval_us


def _fire(manager: Manager, queue: Queue, now_us: int, holder: Holder | None, doing: str) -> None:
    """Put the trigger message, if a monitor is there and what it needs is defined."""
    target = manager.queues.get(str(queue.attributes.get("INITQ", "")))
    process = _process(manager, queue)
    if (
        target is None
        or not target.is_local
        or process is None
        or not queue.get_enabled
        or not target.get_enabled
        or not handles.is_open(manager.store, target.id, INPUT)
    ):
        return
    if holder is not None:
        holder.add(doing)
    counters.has_triggered(manager.store, queue.id, now_us)
    md = own(
        manager,
        now_us,
        format="MQTRIG",
        priority=target.default_priority,
        persistence=target.default_persistence,
    )  # always with unlimited Expiry (EX-49)
    _put(manager, target, md, tm.encode(process), now_us, holder)
    if queue.attributes.get("TRIGTYPE") == "DEPTH":
        queues.write(manager.store, queue.id, {**queue.attributes, "TRIGGER": "NO"})


def _process(manager: Manager, queue: Queue) -> tm.TM | None:
    """What the trigger message says; None where the process definition is missing."""
    name = str(queue.attributes.get("PROCESS", ""))
    text = definitions.read(manager.store, "PROCESS", name)
    if text is None or text == "null":
        if not queue.special & TRANSMISSION:
            return None
        return tm.TM(q_name=queue.name, trigger_data=str(queue.attributes.get("TRIGDATA", "")))
    fields = json.loads(text)
    return tm.TM(
        q_name=queue.name,
        process_name=name,
        trigger_data=str(queue.attributes.get("TRIGDATA", "")),
        appl_type=_number("APPLTYPE", fields.get("APPLTYPE", cmqc.MQAT_UNIX)),
        appl_id=fields.get("APPLICID", ""),
        env_data=fields.get("ENVRDATA", ""),
        user_data=fields.get("USERDATA", ""),
    )


def _number(keyword: str, value: AttributeValue) -> int:
    entry = attribute("PROCESS", keyword)
    assert entry is not None
    return to_number(entry, value)


def _put(
    manager: Manager,
    target: Queue,
    md: MQMD,
    body: bytes,
    now_us: int,
    holder: Holder | None,
) -> None:
    """Store it without CAPEXPRY; one that does not fit goes to the dead-letter queue."""
    execute = manager.store.execute
    doing = f"trigger message to {target.name}"
    unit = holder.id if holder else None
    execute("SAVEPOINT trigger_put")
    try:
        if not target.put_enabled:
            raise mqi_error(cmqc.MQRC_PUT_INHIBITED, doing, object_name=target.name)
        store(manager, target, md, body, now_us, doing, unit=unit, act=TRIGGER)
    except MQIError as error:
        execute("ROLLBACK TO trigger_put")
        dead_letter(manager, md, body, error.reason, target.name, now_us, None)
    execute("RELEASE trigger_put")
