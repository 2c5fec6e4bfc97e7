"""Start, stop, the clock's moves, and taking a queue manager away."""

from __future__ import annotations

import os
import time

from mqtriage.emulator.core import clock, dynamic, timetable, units
from mqtriage.emulator.core.connections import Connection, reap
from mqtriage.emulator.core.create import command_level
from mqtriage.emulator.core.get import get
from mqtriage.emulator.core.get.rows import MatchOptions
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.switches import CLIENTS_RECONNECT, check_switch, from_environment
from mqtriage.emulator.core.tables import handles, messages, state
from mqtriage.emulator.core.tables import subscriptions as subscription_table
from mqtriage.emulator.due import expirer
from mqtriage.mq import cmqc
from mqtriage.mq.errors import UsageError

_LOOK_S = 0.02
_GREATEST_US = 253_402_300_799_000_000  # 9999-12-31T23:59:59Z


def quiesce(manager: Manager, wait_s: float) -> int:
    """Give programs time to end: new ones get 2161, and calls with FAIL_IF_QUIESCING too.

    Returns:
        How many connections are left when *wait_s* is over; 0 as soon as none is.
    """
    if not manager.refresh().running:
        raise UsageError(f"{manager.identity.name} is not running")
    with manager.writing(durable=True):
        state.update(manager.store, running=state.QUIESCING)
    until = time.monotonic() + wait_s
    while True:
        reap(manager)
        count = handles.count_connections(manager.store)
        if not count or time.monotonic() >= until:
            return count
        time.sleep(_LOOK_S)


def would_drop(manager: Manager) -> dict[str, int]:
    """How many nonpersistent messages of which queues a stop would drop."""
    store, queues = manager.store, _forgetful(manager)
    counts = {queue.name: messages.count_non_persistent(store, queue.span) for queue in queues}
    return {name: count for name, count in counts.items() if count}


def _forgetful(manager: Manager) -> list[Queue]:
    """The queues that lose their nonpersistent messages in a controlled end."""
    return [
        queue
        for queue in manager.queues.values()
        if queue.is_local and queue.attributes.get("NPMCLASS", "NORMAL") != "HIGH"
    ]


def stop(manager: Manager, *, clients_reconnect: bool = False) -> int:
    """End the queue manager: units of work are backed out, nonpersistent messages are dropped.

    Queues with NPMCLASS(HIGH) keep theirs over this controlled end. Returns how many messages
    were dropped; connections that are still there get 2009 at their next call.

    Args:
        clients_reconnect: as endmqm -r has it: reconnectable clients connect again once it is
            started; calls of others are 2203. Without it all see the same end (IBM MQ
            documentation, "endmqm").
    """
    if not manager.refresh().running:
        raise UsageError(f"{manager.identity.name} is not running")
    with manager.changing() as now:
        store = manager.store
        for connection, _ in handles.connections(store):
            units.finish(manager, connection, committed=False, now_us=now)
            units.back_out_branches(manager, connection, now)
        dynamic.remove_temporary(manager)
        manager.refresh()
        dropped = sum(
            messages.drop_non_persistent(store, queue.span) for queue in _forgetful(manager)
        )
        if subscription_table.is_any_of(store, None):
            from mqtriage.emulator.pubsub import subscriptions

            subscriptions.end_non_durable(manager)
        handles.delete_all(store)
        if clients_reconnect:
            ended = manager.switches | {CLIENTS_RECONNECT: str(manager.state.run)}
            state.update(store, switches=ended)
        state.stop(store, now)
    return dropped


def start(manager: Manager) -> None:
    """Start a stopped queue manager; what fell due meanwhile is delivered at the next touch.

    It takes AMQ_ENFORCE_MAX_EXPIRY_ERROR from the environment anew (EX-31). On z/OS what has
    expired is discarded.
    """
    if manager.refresh().running:
        raise UsageError(f"{manager.identity.name} is already running")
    with manager.changing() as now:
        state.start(manager.store, now, from_environment(manager.switches, os.environ))
        manager.refresh()
        timetable.refresh_next_event(manager)
    if manager.is_zos:
        expirer.scan_all(manager)


def migrate(manager: Manager, version: str) -> None:
    """Bring a stopped queue manager to another version, forward or back.

    Below 8.0 there is no delay processor: what is staged stays there, and is delivered once the
    queue manager is back at 8.0 (DD-62).
    """
    level = command_level(version)
    if manager.refresh().running:
        raise UsageError(f"{manager.identity.name} is running: stop it before it is migrated")
    with manager.writing(durable=True):
        attributes = manager.attributes | {"CMDLEVEL": level}
        state.update(manager.store, version=version, attributes=attributes)
    manager.identity = manager.identity._replace(version=version)
    manager.refresh()


def advance(manager: Manager, span_us: int) -> int:
    """Move the clock forward and let happen what happens on the way; returns the new time."""
    now = manager.look()
    if span_us < 0:
        raise UsageError("the clock can only go forward")
    if now + span_us > _GREATEST_US:
        raise UsageError("the clock cannot go beyond the year 9999")
    with manager.writing(durable=True) as now:
        is_frozen = manager.state.frozen_us is not None
        state.advance(manager.store, span_us, 0 if is_frozen else span_us, now)
    manager.look()
    return now + span_us


def set_clock(manager: Manager, *, frozen: bool) -> None:
    """Stop the clock where it stands, or let it run on from there."""
    with manager.changing() as now:
        if frozen:
            state.update(manager.store, frozen_us=now, reached_us=now)
        else:
            ahead_us = now - clock.wall_us()
            state.update(manager.store, frozen_us=None, offset_us=ahead_us, reached_us=now)


def switch(manager: Manager, name: str, value: str) -> None:
    """Set one of the emulator's switches."""
    check_switch(name, value)
    with manager.changing():
        state.update(manager.store, switches=manager.switches | {name: value})
        manager.refresh()
        timetable.refresh_next_event(manager)


def roll_back(connection: Connection, name: str, times: int, msg_id: bytes | None = None) -> bytes:
    """Get a message under syncpoint and back it out, *times* times: this makes a poison message.

    Returns:
        MsgId of the message: the first of the queue, or the one named.
    """
    handle = connection.open(name, cmqc.MQOO_INPUT_SHARED)
    match = MatchOptions(msg_id)
    for _ in range(times):
        message = get.get(connection, handle, cmqc.MQGMO_SYNCPOINT, match)
        match = MatchOptions(message.md.msg_id, token=message.token)
        connection.back_out()
    connection.close(handle)
    return message.md.msg_id
