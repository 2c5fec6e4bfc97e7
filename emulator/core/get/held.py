"""A get while the server holds work back: from what is held, or from the file without a write."""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core.connections import Connection, check_get_enabled
from mqtriage.emulator.core.get.rows import (
    ANY_ID,
    TOKEN_BYTES,
    MatchOptions,
    NotAccepted,
    Request,
    Row,
    message_of,
    row_from,
)
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.held_queue import HeldMessage, HeldQueue
from mqtriage.emulator.core.places import GROUP_OPTIONS
from mqtriage.emulator.core.remote import TRANSMISSION_FORMAT
from mqtriage.mq.constants import MQGMO_MSG_UNDER_CURSOR, MQOO_SAVE_ALL_CONTEXT, MQRO_COD
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.message import Message


def is_simple(request: Request) -> bool:
    """Whether a get may be held back: it does nothing but take a message, by its ids at most."""
    handle, match = request.handle, request.match
    return not (
        request.options & (GROUP_OPTIONS | MQGMO_MSG_UNDER_CURSOR)
        or request.connection.unit.count
        or handle.locked is not None
        or (handle.groups is not None and handle.groups.got is not None)
        or handle.selector is not None
        or match[2:].count(None) < len(match) - 2
    )


def take_held(request: Request) -> Message | None:
    """Take one message while the server holds work back; `IN_FILE` where that must not be."""
    connection, handle, match = request.connection, request.handle, request.match
    manager = connection.manager
    now = connection.admit(request.doing)
    if now is None or manager.write_behind is None:
        return IN_FILE
    connection.fail_if_quiescing(request.options, request.doing)
    check_get_enabled(connection, handle, request.doing)
    queue = manager.write_behind.queue(handle.queue)
    held = _first_held(queue.messages, match)
    row = _first_in_file(connection, handle, queue, match) if queue.in_file else None
    if row is not None and (held is None or row.position < held.position):
        if row.persistent or row.has_expired(now):
            return IN_FILE
        position, message = row.position, message_of(manager, row, now)
    elif held is not None:
        position = held.position
        token = position.to_bytes(TOKEN_BYTES, "big")
        message = Message(held.md, held.body, len(held.body), token)
    else:
        return None
    if message.md.report & MQRO_COD or message.md.format == TRANSMISSION_FORMAT:
        return IN_FILE
    if request.accept is not None and not request.accept(message):
        raise NotAccepted(message)
    handle.durable = False
    queue.take(position, now)
    if handle.options & MQOO_SAVE_ALL_CONTEXT:
        handle.saved_context = message.md
    return message


IN_FILE: Final = Message(MQMD(), b"", 0)
"""Stands for one that has to be taken from the file."""


def _first_held(messages: list[HeldMessage], match: MatchOptions) -> HeldMessage | None:
    msg_id = None if match.msg_id == NO_ID else match.msg_id
    correl_id = None if match.correl_id == NO_ID else match.correl_id
    for message in messages:
        if (msg_id is None or msg_id == message.md.msg_id) and (
            correl_id is None or correl_id == message.md.correl_id
        ):
            return message
    return None


def _first_in_file(
    connection: Connection, handle: Handle, queue: HeldQueue, match: MatchOptions
) -> Row | None:
    """The first row that nobody has taken since the gate was shut."""
    is_any = match.msg_id in ANY_ID and match.correl_id in ANY_ID
    start = max(queue.start, handle.queue.first)
    while True:
        row = None
        if start < handle.queue.last:
            row = row_from(connection, handle, match, start)
        if row is None or row.position not in queue.taken:
            break
        start = row.position + 1
    if is_any:  # what is not free for this handle is for none that may get here (`is_simple`)
        queue.start = handle.queue.last if row is None else row.position
    return row
