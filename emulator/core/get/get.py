"""MQGET: take a message, or wait for one; what has expired is discarded on the way."""

from __future__ import annotations

import time
from typing import Final

from mqtriage.emulator.core.connections import (
    INPUT,
    Connection,
    check_get_enabled,
    check_room_in_unit,
    reap,
)
from mqtriage.emulator.core.get import groups
from mqtriage.emulator.core.get.browse import BROWSE, browse_from, browse_one
from mqtriage.emulator.core.get.held import IN_FILE, is_simple, take_held
from mqtriage.emulator.core.get.rows import (
    WHOLE,
    Accept,
    NotAccepted,
    Row,
    Wanted,
    discard,
    is_selected,
    message_of,
    nothing_under_cursor,
    row_at,
    row_from,
)
from mqtriage.emulator.core.get.whole_messages import put_together, rows_of_message
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.holder import BOTH, GET, PUT
from mqtriage.emulator.core.places import GROUP_OPTIONS
from mqtriage.emulator.core.tables import messages
from mqtriage.mq import codes
from mqtriage.mq.constants import (
    MQGMO_COMPLETE_MSG,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOCK,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SET_SIGNAL,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_UNLOCK,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_SAVE_ALL_CONTEXT,
    MQRO_COD,
)
from mqtriage.mq.descriptor import unpack
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.message import Message

_PLACED: Final = MQGMO_MSG_UNDER_CURSOR | GROUP_OPTIONS


def get(
    connection: Connection,
    handle: Handle,
    options: int,
    wanted: Wanted = Wanted(),  # noqa: B008  an immutable record
    *,
    wait_ms: int = 0,
    max_length: int | None = None,
    accept: Accept | None = None,
) -> Message:
    """MQGET with MQGMO_* *options*; see `backends.port.QueueHandle.get`.

    Args:
        accept: looks at the message before it is taken or the cursor moves to it.

    Raises:
        NotAccepted: *accept* says no.
        NoMessageAvailable: 2033.
        MQIError: 2016, 2034, 2036, 2037, 2046, 2090, 2209, 2024, 2161; 2245, 2246, 2247, 2255, 2259
            (groups and segments); 2009 or, where it was waiting when the queue manager was stopped,
            2203.
    """
    doing = f"{'browse' if options & BROWSE else 'get from'} {handle.name}"
    check_options(options, wait_ms, doing)
    _check_opened(handle, options, doing)
    if options & MQGMO_COMPLETE_MSG and wanted.offset is not None:
        raise mqi_error(codes.MQRC_MATCH_OPTIONS_ERROR, doing, detail="Offset of a whole message")
    step = browse_one if options & BROWSE else _take
    deadline = None if wait_ms < 0 else time.monotonic() + wait_ms / 1000
    pause = 0.0005
    waited = False
    while True:
        try:
            message = step(connection, handle, options, wanted, max_length, doing, accept)
        except MQIError as error:
            raise wait_ended(error, doing) if waited else error from None
        if message is not None:
            return message
        waited = True
        if reap(connection.manager):
            continue
        left = 0.0 if deadline is None else deadline - time.monotonic()
        if not options & MQGMO_WAIT or (deadline is not None and left <= 0):
            raise mqi_error(codes.MQRC_NO_MSG_AVAILABLE, doing, object_name=handle.name)
        pause = _sleep_until_something(connection, pause, None if deadline is None else left)


def wait_ended(error: MQIError, doing: str) -> MQIError:
    """What a call that was waiting when the queue manager was stopped ends with."""
    if error.reason != codes.MQRC_CONNECTION_BROKEN:
        return error
    return mqi_error(codes.MQRC_CONNECTION_STOPPING, doing, detail="the wait was cancelled")


def check_options(options: int, wait_ms: int, doing: str) -> None:
    """Refuse MQGMO_* that there are not, or that exclude each other, and a wait below -1.

    Raises:
        MQIError: 2046, 2090.

    Source: IBM MQ documentation, "MQGMO - Options", each option's "not valid with".
    """
    browse = options & BROWSE
    contradictory = (
        options & ~_KNOWN
        or options & _OF_ZOS
        or browse & (browse - 1)
        or (options & _UNITS).bit_count() > 1
        or (browse and options & (MQGMO_MSG_UNDER_CURSOR | MQGMO_UNLOCK | _HELD))
        or (options & MQGMO_LOCK and not browse)
        or (options & MQGMO_UNLOCK and options & ~_WITH_UNLOCK)
        or (options & MQGMO_COMPLETE_MSG and options & MQGMO_SYNCPOINT_IF_PERSISTENT)
    )
    if contradictory:
        raise mqi_error(codes.MQRC_OPTIONS_ERROR, doing, detail=f"MQGMO options 0x{options:X}")
    if options & MQGMO_WAIT and wait_ms < -1:
        raise mqi_error(codes.MQRC_WAIT_INTERVAL_ERROR, doing, detail=f"{wait_ms} ms")


_HELD: Final = MQGMO_SYNCPOINT | MQGMO_SYNCPOINT_IF_PERSISTENT
_UNITS: Final = _HELD | MQGMO_NO_SYNCPOINT
_OF_ZOS: Final = MQGMO_SET_SIGNAL | MQGMO_MARK_SKIP_BACKOUT
"""Options of z/OS alone; a queue manager that plays one does not have them either."""
_WITH_UNLOCK: Final = MQGMO_UNLOCK | MQGMO_NO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING
_KNOWN: Final = 0x1FF7FFFF


def _check_opened(handle: Handle, options: int, doing: str) -> None:
    """Refuse a call that the queue was not opened for.

    Raises:
        MQIError: 2036, 2037.
    """
    reason = 0
    browse = options & BROWSE
    if (browse or options & MQGMO_UNLOCK) and not handle.options & MQOO_BROWSE:
        reason = codes.MQRC_NOT_OPEN_FOR_BROWSE
    elif not browse and not options & MQGMO_UNLOCK and not handle.options & INPUT:
        reason = codes.MQRC_NOT_OPEN_FOR_INPUT
    elif options & MQGMO_MSG_UNDER_CURSOR and not handle.options & MQOO_BROWSE:
        reason = codes.MQRC_NOT_OPEN_FOR_BROWSE
    if reason:
        raise mqi_error(reason, doing, object_name=handle.name)


def _sleep_until_something(connection: Connection, pause: float, left: float | None) -> float:
    """Sleep until the file changed, something falls due or the wait is over; the next pause."""
    manager = connection.manager
    seen = manager.store.data_version()
    end = None if left is None else time.monotonic() + left
    while True:
        nap = pause
        if end is not None:
            nap = min(nap, max(0.0, end - time.monotonic()))
        state = manager.state
        if state.next_event_us is not None and state.frozen_us is None:
            nap = min(nap, max(0.0, (state.next_event_us - manager.look()) / 1_000_000))
        time.sleep(nap)
        pause = min(pause * 2, 0.02)
        if manager.store.data_version() != seen:
            return 0.0005
        ended = end is not None and time.monotonic() >= end
        if ended or (state.next_event_us is not None and manager.look() >= state.next_event_us):
            return pause


def _take(
    connection: Connection,
    handle: Handle,
    options: int,
    wanted: Wanted,
    max_length: int | None,
    doing: str,
    accept: Accept | None = None,
) -> Message | None:
    """Take one message; None when nothing matches now."""
    manager = connection.manager
    syncpoint = bool(options & MQGMO_SYNCPOINT) or (
        manager.is_zos and not options & (MQGMO_NO_SYNCPOINT | MQGMO_SYNCPOINT_IF_PERSISTENT)
    )
    may_hold = syncpoint or bool(options & MQGMO_SYNCPOINT_IF_PERSISTENT)
    if not (may_hold or manager.hold is None) and is_simple(connection, handle, options, wanted):
        found = take_held(connection, handle, options, wanted, doing, accept)
        if found is not IN_FILE:
            return _cut(found, max_length)
    if may_hold:
        connection.id  # noqa: B018  entered before the transaction begins
    start = handle.queue.first
    if handle.selector is not None and not options & _PLACED:
        # looked for before the file is locked: a selector may have to read many messages
        now = connection.look(doing)
        connection.fail_if_quiescing(options, doing)
        check_get_enabled(connection, handle, doing)
        first = browse_from(connection, handle, wanted, start, now, options, None, doing, WHOLE)
        if first is None:
            return None
        start = first.position
    while True:
        durable = handle.durable and not syncpoint
        now = connection.begin(doing, durable=durable)
        try:
            connection.fail_if_quiescing(options, doing)
            check_get_enabled(connection, handle, doing)
            row, expired = _next_row(
                connection, handle, options, wanted, now, start=start, in_unit=may_hold, doing=doing
            )
            rows: list[Row] = []
            if row is not None:
                rows = rows_of_message(connection, handle, row, options, now, doing)
            if expired:
                discard(manager, expired, now)
            if row is None or not rows:
                manager.commit()
                if options & MQGMO_MSG_UNDER_CURSOR:
                    raise nothing_under_cursor(handle, doing)
                return None
            persistent = any(each.persistent for each in rows)
            in_unit = syncpoint or bool(options & MQGMO_SYNCPOINT_IF_PERSISTENT and persistent)
            if len(rows) > 1 and persistent and not in_unit and connection.unit.count:
                raise mqi_error(codes.MQRC_UOW_NOT_AVAILABLE, doing, object_name=handle.name)
            if persistent and not in_unit and not durable:
                handle.durable = True  # begin again with a commit that waits for the disk
                manager.rollback()
                continue
            message = message_of(manager, row, now)
            if options & MQGMO_COMPLETE_MSG:
                message, rows = put_together(rows, message, now)
            left = groups.left_by_get(handle, options)
            message = message._replace(warning=message.warning or left) if left else message
            if accept is not None and not accept(message):
                raise NotAccepted(message)
            if in_unit:
                check_room_in_unit(connection, doing, len(rows))
                for each in rows:
                    _mark_got(connection, each)
            else:
                handle.durable = persistent
                for each in rows:
                    messages.remove(manager.store, each.position, now)
            holder = None
            if message.md.report & MQRO_COD:
                from mqtriage.emulator.core.put.arrival import confirm_delivery

                holder = connection.holder(len(rows)) if in_unit else None
                confirm_delivery(manager, message.md, message.body, now, holder, doing)
        except BaseException:
            manager.rollback()
            raise
        manager.commit()
        if in_unit:
            for each in rows:
                connection.unit.add(persistent=bool(each.persistent))
            connection.unit.count += holder.made if holder else 0
        if left or options & GROUP_OPTIONS:
            groups.has_moved(
                connection, handle, message.md, message.length_bytes, options, in_unit=may_hold
            )
        if handle.locked == row.position:
            handle.locked = None
        if handle.options & MQOO_SAVE_ALL_CONTEXT:
            handle.saved_context = message.md
        return _cut(message, max_length)


def _cut(message: Message | None, max_length: int | None) -> Message | None:
    if message is None or max_length is None or message.length_bytes <= max_length:
        return message
    return message._replace(body=message.body[:max_length])


def _next_row(
    connection: Connection,
    handle: Handle,
    options: int,
    wanted: Wanted,
    now_us: int,
    *,
    start: int,
    in_unit: bool,
    doing: str,
) -> tuple[Row | None, list[int]]:
    """The message to take, from *start* on, and the expired ones that were met before it."""
    if options & MQGMO_MSG_UNDER_CURSOR:
        row = row_at(connection, handle, handle.cursor)
        if row is not None and row.expires_us is not None and row.expires_us <= now_us:
            return None, [row.position]
        return row, []
    expired: list[int] = []
    group = None
    if options & GROUP_OPTIONS:
        group = groups.candidate(handle, options, doing, browse=False, in_unit=in_unit)
    sought = wanted if group is None else group.looked_for(wanted)
    while True:
        row = row_from(connection, handle, sought, start, group)
        if row is None or row.expires_us is None or row.expires_us > now_us:
            if row is None or (group is None and handle.selector is None):
                return row, expired
            if is_selected(handle, row, now_us) and (
                group is None or groups.may_return(connection, handle, row, options, group, now_us)
            ):
                if group is not None:
                    group.refuse_mismatch(wanted, unpack(row.md), doing)
                return row, expired
        else:
            expired.append(row.position)
        start = row.position + 1


def _mark_got(connection: Connection, row: Row) -> None:
    act = BOTH if row.unit_act == PUT else GET
    messages.give_to_unit(connection.manager.store, row.position, connection.id, act)
