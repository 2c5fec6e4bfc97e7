"""Browsing: the cursor of a handle, what it locks and marks, and the walk along a whole queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqtriage.emulator.core import browse_marks
from mqtriage.emulator.core.connections import Connection, check_get_enabled
from mqtriage.emulator.core.get import groups
from mqtriage.emulator.core.get.buffered import IN_FILE, lock_buffered, unlock_buffered
from mqtriage.emulator.core.get.rows import (
    TOKEN_BYTES,
    WHOLE,
    Candidate,
    GetRequest,
    MatchOptions,
    NotAccepted,
    Row,
    conditions,
    descriptor,
    discard_met,
    free,
    is_selected,
    message_of,
    nothing_under_cursor,
    piece_of,
    row_at,
    row_from,
    selects,
)
from mqtriage.emulator.core.group_positions import GROUP_OPTIONS
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.remote import TRANSMISSION_FORMAT, decremented
from mqtriage.emulator.core.tables import handles, messages, tallies
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import unpack
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.message import Message

BROWSE: Final = (
    cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR
)
_MARKS: Final = browse_marks.OPTIONS & ~cmqc.MQGMO_UNMARKED_BROWSE_MSG
_PAGE_MESSAGES: Final = 200
_PAGE_BYTES: Final = 4 << 20


def browse_one(request: GetRequest) -> Message | None:
    """Move the cursor to the next message that matches and show it; None when there is none."""
    connection, handle, options, _, max_length, doing, accept = request
    manager = connection.manager
    if options & cmqc.MQGMO_LOCK:
        locked = lock_buffered(request)
        if locked is not IN_FILE:
            return locked and locked._replace(body=locked.body[:max_length])
    now = connection.look(doing)
    connection.fail_if_quiescing(options, doing)
    check_get_enabled(connection, handle, doing)
    cuts_later = handle.selector is not None or options & cmqc.MQGMO_COMPLETE_MSG
    row = _browsed_row(request, now, WHOLE if cuts_later else piece_of(max_length))
    if row is None:
        return None
    rows = groups.rows_of_message(request, row, now)
    if not rows and options & cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        raise nothing_under_cursor(handle, doing)
    if not rows:  # a segment was taken in the meantime
        return browse_one(request)
    message = message_of(manager, row, now)
    if options & cmqc.MQGMO_COMPLETE_MSG:
        message, rows = groups.put_together(rows, message, now)
    if max_length is not None and cuts_later:
        message = message._replace(body=message.body[:max_length])
    if accept is not None and not accept(message):
        raise NotAccepted(message)
    if options & _MARKS:
        handle.marks = handle.marks or browse_marks.BrowseMarks()
        handle.marks.change(manager.attributes, options, row.position, now)
    if not options & cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        _unlock(connection, handle)
        if options & GROUP_OPTIONS:
            groups.has_browsed(handle, message.md, message.length_bytes, row.position, options)
    handle.cursor = row.position
    if options & cmqc.MQGMO_LOCK and not _lock(connection, handle, [row.position for row in rows]):
        onward = options & ~cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_BROWSE_NEXT
        return browse_one(request._replace(options=onward))
    return message


def _browsed_row(request: GetRequest, now_us: int, piece: str) -> Row | None:
    """The message under the cursor, or the next one that matches."""
    connection, handle, options = request.connection, request.handle, request.options
    if options & cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        row = row_at(connection, handle, handle.cursor, piece)
        if row is None or row.has_expired(now_us):
            discard_met(connection, [] if row is None else [row.position])
            raise nothing_under_cursor(handle, request.doing)
        return row
    start = handle.queue.first if options & cmqc.MQGMO_BROWSE_FIRST else handle.cursor + 1
    group = None
    if options & GROUP_OPTIONS or handle.groups is not None:
        start, group = groups.browse_start(handle, options, start, request.doing)
    return browse_from(request, max(start, handle.queue.first), now_us, group, piece)


def browse_from(
    request: GetRequest, start: int, now_us: int, group: Candidate | None, piece: str
) -> Row | None:
    """The first message from *start* on that matches; expired ones on the way are discarded."""
    connection, handle = request.connection, request.handle
    expired: list[int] = []
    marks = handle.marks if request.options & cmqc.MQGMO_UNMARKED_BROWSE_MSG else None
    attributes = connection.manager.attributes
    sought = request.match if group is None else group.looked_for(request.match)
    while True:
        row = row_from(connection, handle, sought, start, group, piece)
        if row is None:
            break
        if row.has_expired(now_us):
            expired.append(row.position)
        elif (
            is_selected(handle, row, now_us)
            and not (marks and marks.is_marked(attributes, row.position, now_us))
            and (group is None or groups.may_return(request, row, group, now_us))
        ):
            if group is not None:
                group.refuse_mismatch(request.match, unpack(row.md), request.doing)
            break
        start = row.position + 1
    discard_met(connection, expired)
    return row


def _lock(connection: Connection, handle: Handle, positions: list[int]) -> bool:
    """Lock a message, or all its segments, for *handle*; False when one went in the meantime."""
    store = connection.manager.store
    if handle.id == 0:
        me = connection.id
        with connection.manager.writing():
            handle.id = handles.insert(store, me, handle.queue.id, handle.options)
    with connection.manager.writing():
        for position in positions:
            if not messages.lock(store, position, handle.id):
                handles.unlock(store, handle.id)
                return False
    handle.locked = positions[0]
    return True


def _unlock(connection: Connection, handle: Handle) -> bool:
    if handle.locked is None:
        return False
    if unlock_buffered(connection, handle):
        return True
    with connection.manager.writing():
        handles.unlock(connection.manager.store, handle.id)
    handle.locked = None
    return True


def unlock(connection: Connection, handle: Handle) -> None:
    """MQGMO_UNLOCK by itself."""
    if not _unlock(connection, handle):
        doing = f"unlock on {handle.name}"
        raise mqi_error(cmqc.MQRC_NO_MSG_LOCKED, doing, comp_code=cmqc.MQCC_WARNING)


def walk(
    connection: Connection,
    handle: Handle,
    match: MatchOptions = MatchOptions(),  # noqa: B008  an immutable record
    max_length: int | None = None,
) -> Iterator[Message]:
    """Yield each message from the front in short pages; no transaction is open at a yield.

    Expired messages that are met are discarded, as by any browse (EX-12).
    """
    doing = f"browse {handle.name}"
    if not handle.options & cmqc.MQOO_BROWSE:
        raise mqi_error(cmqc.MQRC_NOT_OPEN_FOR_BROWSE, doing, object_name=handle.name)
    connection.look(doing)
    check_get_enabled(connection, handle, doing)
    index, tests, values = conditions(match)
    selector = handle.selector
    piece = piece_of(max_length) if selector is None else WHOLE
    query = (
        "SELECT message.position, message.md, message.expires_us, message.backouts,"
        f" message.length, {piece}"
        f" FROM message {index} CROSS JOIN body ON body.position = message.position"
        f" WHERE message.position >= ? AND message.position < ?"
        f" AND {free(connection, handle)}{tests.replace('position', 'message.position')}"
        f" ORDER BY message.position LIMIT {_PAGE_MESSAGES}"
    )
    start, last = handle.queue.first, handle.queue.last
    store = connection.manager.store
    size = 20  # the first page is small, so that the first line appears at once
    while True:
        now = connection.look(doing)
        page: list[Message] = []
        expired: list[int] = []
        read = bytes_read = 0
        with store.read():
            for row in store.execute(query, (start, last, *values)):
                position, packed, expires_us, backouts, length, body = row
                read += 1
                start = position + 1
                if expires_us is not None and expires_us <= now:
                    expired.append(position)
                    continue
                md = descriptor(packed, expires_us, backouts, now)
                if selector is not None:
                    if not selects(selector, md, body):
                        continue
                    body = body[:max_length]
                if md.format == TRANSMISSION_FORMAT:
                    body = decremented(connection.manager, position, md, body, now)
                token = position.to_bytes(TOKEN_BYTES, "big")
                page.append(Message(md, body, length, token))
                bytes_read += len(body)
                if bytes_read > _PAGE_BYTES or read >= size:
                    break
        discard_met(connection, expired)
        for message in page:
            if (tally := connection.manager.tally) is not None:
                of = connection.account
                tallies.note_message(tally, of, handle.queue.name, "browse", message)
            yield message
        if not read:
            return
        size = _PAGE_MESSAGES
