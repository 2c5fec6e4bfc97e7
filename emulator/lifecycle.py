"""Start, stop, the clock's moves, and taking a queue manager away."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from mqtriage.emulator import clock, home, units
from mqtriage.emulator.connections import Connection, reap
from mqtriage.emulator.manager import Manager
from mqtriage.mq.errors import Refused, StorageError, UsageError

_GREATEST_US = 253_402_300_799_000_000  # 9999-12-31T23:59:59Z


def stop(manager: Manager) -> int:
    """End the queue manager: units of work are backed out, non-persistent messages are dropped.

    Queues with NPMCLASS(HIGH) keep theirs over this controlled end. Returns how many messages
    were dropped; connections that are still there get 2009 at their next call.
    """
    if not manager.refresh().running:
        raise UsageError(f"{manager.identity.name} is not running")
    with manager.writing(durable=True) as now:
        execute = manager.store.execute
        for (connection,) in execute("SELECT id FROM connection").fetchall():
            units.finish(manager, connection, committed=False, now_us=now)
        dropped = _drop_non_persistent(manager)
        execute("DELETE FROM handle")
        execute("DELETE FROM connection")
        execute("UPDATE message SET locked_by = NULL WHERE locked_by IS NOT NULL")
        execute(
            "UPDATE state SET running = 0, run = run + 1, reached_us = ?, next_event_us = NULL",
            (now,),
        )
    manager.refresh()
    return dropped


def _drop_non_persistent(manager: Manager) -> int:
    execute = manager.store.execute
    dropped = 0
    for queue in manager.queues.values():
        if not queue.is_local or queue.attributes.get("NPMCLASS", "NORMAL") == "HIGH":
            continue
        which = "position >= ? AND position < ? AND persistent = 0"
        span = (queue.first, queue.last)
        execute(
            f"DELETE FROM body WHERE position IN (SELECT position FROM message WHERE {which})", span
        )
        count = execute(f"DELETE FROM message WHERE {which}", span).rowcount
        execute("UPDATE counter SET depth = depth - ? WHERE queue = ?", (count, queue.id))
        dropped += count
    return dropped


def start(manager: Manager) -> None:
    """Start a stopped queue manager; what fell due meanwhile is delivered at the next touch."""
    if manager.refresh().running:
        raise UsageError(f"{manager.identity.name} is running already")
    with manager.writing(durable=True) as now:
        manager.store.execute(
            "UPDATE state SET running = 1, run = run + 1, processor = 'running', reached_us = ?",
            (now,),
        )
        units.refresh_next_event(manager)
    manager.refresh()


def advance(manager: Manager, span_us: int) -> int:
    """Move the clock forward and let happen what happens on the way; returns the new time.

    Raises:
        UsageError: If it would go back, or beyond the year 9999.
    """
    now = manager.look()
    if span_us < 0:
        raise UsageError("the clock only goes forward")
    if now + span_us > _GREATEST_US:
        raise UsageError("the clock cannot go beyond the year 9999")
    with manager.writing(durable=True) as now:
        manager.store.execute(
            "UPDATE state SET frozen_us = frozen_us + ?, offset_us = offset_us + ?, reached_us = ?",
            (span_us, 0 if manager.state.frozen_us is not None else span_us, now),
        )
    manager.look()
    return now + span_us


def set_clock(manager: Manager, *, frozen: bool) -> None:
    """Stop the clock where it stands, or let it run on from there."""
    with manager.writing(durable=True) as now:
        if frozen:
            manager.store.execute("UPDATE state SET frozen_us = ?, reached_us = ?", (now, now))
        else:
            manager.store.execute(
                "UPDATE state SET frozen_us = NULL, offset_us = ?, reached_us = ?",
                (now - clock.wall_us(), now),
            )
    manager.refresh()


def switch(manager: Manager, name: str, value: str) -> None:
    """Set one of the emulator's switches."""
    with manager.writing(durable=True):
        manager.store.execute(
            "UPDATE state SET switches = ?, definitions = definitions + 1",
            (json.dumps(manager.switches | {name: value}),),
        )
    manager.refresh()


def remove(folder: Path, name: str) -> None:
    """Delete the file of a queue manager, with its messages.

    Raises:
        NotFound: There is none of that name.
        Refused: A program is connected to it.
        StorageError: The file cannot be removed.
    """
    path = home.existing_path(folder, name)
    try:
        manager = Manager(path)
    except StorageError:
        pass  # damaged or of another make: removing is what is left to do
    else:
        try:
            reap(manager)
            if manager.store.execute("SELECT 1 FROM connection LIMIT 1").fetchone():
                raise Refused(
                    f"{name}: a program is connected to it",
                    hint=f"end that program, or: mqtriage emulator stop {name}",
                )
        finally:
            manager.close()
    try:
        for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            file.unlink(missing_ok=True)
        shutil.rmtree(home.lock_folder(path), ignore_errors=True)
    except OSError as error:
        raise StorageError(f"{path}: cannot be removed: {error.strerror}") from error


def roll_back(connection: Connection, name: str, times: int, msg_id: bytes | None = None) -> bytes:
    """Get a message under syncpoint and back it out, *times* times: this makes a poison message.

    Returns:
        MsgId of the message: the first of the queue, or the one named.

    Raises:
        NoMessageAvailable: 2033.
    """
    from mqtriage.emulator import get
    from mqtriage.mq.constants import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED

    handle = connection.open(name, MQOO_INPUT_SHARED)
    wanted = get.Wanted(msg_id)
    for _ in range(times):
        message = get.get(connection, handle, MQGMO_SYNCPOINT, wanted)
        wanted = get.Wanted(message.md.msg_id, token=message.token)
        connection.back_out()
    connection.close(handle)
    return message.md.msg_id
