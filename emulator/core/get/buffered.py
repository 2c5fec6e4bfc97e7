"""A get or a lock while work is held back: from the buffer, or from the file without a write.

It stands here and not in `write_behind`, which `Manager` imports: a get needs its connection.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from mqtriage.emulator.core.connections import (
    Connection,
    check_get_enabled,
    check_room_in_unit,
)
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.get.rows import (
    ANY_ID,
    TOKEN_BYTES,
    GetRequest,
    MatchOptions,
    NotAccepted,
    Row,
    message_of,
    row_at,
    row_from,
    rows_in_order,
)
from mqtriage.emulator.core.group_positions import GROUP_OPTIONS
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.queues import TEMPORARY
from mqtriage.emulator.core.remote import TRANSMISSION_FORMAT
from mqtriage.emulator.core.write_behind.buffer import CallBuffer
from mqtriage.emulator.core.write_behind.queue import BufferedMessage, BufferedQueue
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.message import Message


def is_simple(request: GetRequest) -> bool:
    """Whether a get may be held back: it does nothing but take a message, by its ids at most."""
    handle, match = request.handle, request.match
    return not (
        request.options & (GROUP_OPTIONS | cmqc.MQGMO_MSG_UNDER_CURSOR)
        or request.connection.unit.count
        or handle.locked is not None
        or (handle.groups is not None and handle.groups.got is not None)
        or handle.selector is not None
        or match[2:].count(None) < len(match) - 2
    )


def take_buffered(request: GetRequest) -> Message | None:
    """Take one message outside units of work; `IN_FILE` where that must not be held back."""
    connection, handle, match = request.connection, request.handle, request.match
    manager = connection.manager
    now = connection.admit(request.doing)
    if now is None or manager.write_behind is None:
        return IN_FILE
    connection.fail_if_quiescing(request.options, request.doing)
    check_get_enabled(connection, handle, request.doing)
    queue = manager.write_behind.queue(handle.queue)
    buffered = _first_buffered(queue.messages, match)
    row = _first_in_file(connection, handle, queue, match) if queue.in_file else None
    if row is not None and (buffered is None or row.position < buffered.position):
        if row.persistent or row.has_expired(now):
            return IN_FILE
        position, message = row.position, message_of(manager, row, now)
    elif buffered is not None:
        position = buffered.position
        token = position.to_bytes(TOKEN_BYTES, "big")
        message = Message(buffered.md, buffered.body, len(buffered.body), token)
    else:
        return None
    if message.md.report & cmqc.MQRO_COD or message.md.format == TRANSMISSION_FORMAT:
        return IN_FILE
    if request.accept is not None and not request.accept(message):
        raise NotAccepted(message)
    handle.durable = False
    queue.take(position, now)
    if handle.options & cmqc.MQOO_SAVE_ALL_CONTEXT:
        handle.saved_context = message.md
    return message


def take_buffered_in_unit(request: GetRequest) -> Message | None:
    """Take one message into the unit of work; `IN_FILE` where that must not be held back."""
    connection, handle = request.connection, request.handle
    buffer = connection.manager.write_behind
    if buffer is None or not _is_plain(request) or handle.queue.id in connection.unit.put_to:
        return IN_FILE
    with buffer.lock:
        queue, now = _admitted(request, buffer)
        if queue is None:
            return IN_FILE
        if request.options & cmqc.MQGMO_MSG_UNDER_CURSOR:
            taken = _under_cursor(connection, handle, queue, now)
        else:
            row = _first_in_file(connection, handle, queue, request.match)
            if row is None:
                buffer.end()  # who waits for a message keeps nobody out
                return None
            taken = _taken(connection, row, now)
        if taken is None:
            return IN_FILE
        position, durable, message = taken
        if request.accept is not None and not request.accept(message):
            raise NotAccepted(message)
        check_room_in_unit(connection, request.doing)
        buffer.take_in_unit(handle.queue, position, message.md.msg_id, connection.unit_number)
    handle.durable = durable
    connection.unit.add(persistent=durable)
    if handle.locked == position:
        handle.locked = None
    if handle.options & cmqc.MQOO_SAVE_ALL_CONTEXT:
        handle.saved_context = message.md
    return message


def lock_buffered(request: GetRequest) -> Message | None:
    """Browse one message and lock it; `IN_FILE` where that must not be held back."""
    connection, handle, options = request.connection, request.handle, request.options
    buffer = connection.manager.write_behind
    if (
        buffer is None
        or not handle.id
        or options & ~_MAY_LOCK
        or not _is_plain(request)
        or handle.queue.id in connection.unit.put_to
    ):
        return IN_FILE
    with buffer.lock:
        queue, now = _admitted(request, buffer)
        if queue is None or handle.locked not in (None, *queue.locks):
            return IN_FILE
        start = handle.queue.first if options & cmqc.MQGMO_BROWSE_FIRST else handle.cursor + 1
        row = _first_in_file(connection, handle, queue, request.match, start)
        if row is None:
            buffer.end()
            return None
        browsed = _taken(connection, row, now)
        if browsed is None:
            return IN_FILE
        position, _, message = browsed
        if request.accept is not None and not request.accept(message):
            raise NotAccepted(message)
        if handle.locked is not None:
            del queue.locks[handle.locked]
        queue.locks[position] = handle.id
        queue.browsed = browsed
    handle.cursor = handle.locked = position
    return message


def unlock_buffered(connection: Connection, handle: Handle) -> bool:
    """Let go of the message that a handle has locked; False where the file knows of the lock."""
    buffer = connection.manager.write_behind
    if buffer is None or handle.locked is None:
        return False
    with buffer.lock:
        if not buffer.is_open or buffer.queue(handle.queue).locks.pop(handle.locked, None) is None:
            return False
    handle.locked = None
    return True


def _is_plain(request: GetRequest) -> bool:
    """Whether a get or browse is of one message by itself, by its ids or its place."""
    handle, queue = request.handle, request.handle.queue
    return not (
        request.options & GROUP_OPTIONS
        or handle.groups is not None
        or handle.selector is not None
        or handle.marks is not None
        or queue.special & ~TEMPORARY
        or queue.name == STAGING_QUEUE
    )


def _admitted(request: GetRequest, buffer: CallBuffer) -> tuple[BufferedQueue | None, int]:
    """The queue as it stands and the time, for a call that may be held back."""
    connection, handle = request.connection, request.handle
    now = connection.admit(request.doing)
    if now is None:
        return None, 0
    connection.fail_if_quiescing(request.options, request.doing)
    check_get_enabled(connection, handle, request.doing)
    queue = buffer.queue(handle.queue)
    return (None if queue.messages else queue), now


def _under_cursor(
    connection: Connection, handle: Handle, queue: BufferedQueue, now_us: int
) -> tuple[int, bool, Message] | None:
    """What `_taken` gives, of the row under the cursor; None where the file has to say."""
    if not queue.is_free(handle.cursor, handle.id):
        return None
    if queue.browsed is not None and queue.browsed[0] == handle.cursor:
        return queue.browsed
    row = row_at(connection, handle, handle.cursor)
    return None if row is None else _taken(connection, row, now_us)


def _taken(connection: Connection, row: Row, now_us: int) -> tuple[int, bool, Message] | None:
    """Position of a row, whether it is persistent, its message; None where taking it brings
    something about."""
    if row.expires_us is not None:
        return None
    message = message_of(connection.manager, row, now_us)
    if message.md.report & cmqc.MQRO_COD or message.md.format == TRANSMISSION_FORMAT:
        return None
    return row.position, bool(row.persistent), message


_MAY_LOCK: Final = (
    cmqc.MQGMO_LOCK
    | cmqc.MQGMO_BROWSE_FIRST
    | cmqc.MQGMO_BROWSE_NEXT
    | cmqc.MQGMO_WAIT
    | cmqc.MQGMO_FAIL_IF_QUIESCING
    | cmqc.MQGMO_CONVERT
    | cmqc.MQGMO_ACCEPT_TRUNCATED_MSG
    | cmqc.MQGMO_NO_SYNCPOINT
)

IN_FILE: Final = Message(MQMD(), b"", 0)
"""Stands for one that has to be taken from the file."""


def _first_buffered(messages: list[BufferedMessage], match: MatchOptions) -> BufferedMessage | None:
    msg_id = None if match.msg_id == NO_ID else match.msg_id
    correl_id = None if match.correl_id == NO_ID else match.correl_id
    for message in messages:
        if (msg_id is None or msg_id == message.md.msg_id) and (
            correl_id is None or correl_id == message.md.correl_id
        ):
            return message
    return None


def _first_in_file(
    connection: Connection,
    handle: Handle,
    queue: BufferedQueue,
    match: MatchOptions,
    start: int = 0,
) -> Row | None:
    """The first row from *start* on that nobody has taken or locked since the gate was shut."""
    if handle.locked is None and not queue.locks and match[2:].count(None) == len(match) - 2:
        row = _front(connection, handle, queue)
        if row is None or (row.position >= start and _has_ids(row, match)):
            return row
    start = max(start, handle.queue.first)
    while True:
        row = None
        if start < handle.queue.last:
            row = row_from(connection, handle, match, start)
        if row is None or queue.is_free(row.position, handle.id):
            break
        start = row.position + 1
    return row


def _has_ids(row: Row, match: MatchOptions) -> bool:
    return (match.msg_id in ANY_ID or row.md[48:72] == match.msg_id) and (
        match.correl_id in ANY_ID or row.md[72:96] == match.correl_id
    )


def _front(connection: Connection, handle: Handle, queue: BufferedQueue) -> Row | None:
    """The same of all rows, each of which is read once."""
    store = connection.manager.store
    if queue.front is None:
        cursor = rows_in_order(connection, handle.queue, handle.queue.first)
        queue.front = cursor, _next_row(store, cursor)
    cursor, row = queue.front
    while row is not None and not queue.is_free(row.position, handle.id):
        row = _next_row(store, cursor)
        queue.front = cursor, row
    return row


def _next_row(store: Store, cursor: sqlite3.Cursor) -> Row | None:
    columns = store.next_row(cursor)
    return None if columns is None else Row(*columns)
