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
from mqtriage.emulator.core.get.buffered import (
    IN_FILE,
    is_simple,
    take_buffered,
    take_buffered_in_unit,
)
from mqtriage.emulator.core.get.rows import (
    WHOLE,
    Accept,
    GetRequest,
    MatchOptions,
    NotAccepted,
    Row,
    discard,
    is_selected,
    message_of,
    nothing_under_cursor,
    row_at,
    row_from,
)
from mqtriage.emulator.core.group_positions import GROUP_OPTIONS
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.holder import BOTH, GET, PUT
from mqtriage.emulator.core.tables import messages, tallies
from mqtriage.emulator.core.write_behind.unit_buffer import buffer_units
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import unpack
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.message import Message
from mqtriage.records import NamedTuple

_PLACED: Final = cmqc.MQGMO_MSG_UNDER_CURSOR | GROUP_OPTIONS


def get(
    connection: Connection,
    handle: Handle,
    options: int,
    match: MatchOptions = MatchOptions(),  # noqa: B008  an immutable record
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
    if options & cmqc.MQGMO_COMPLETE_MSG and match.offset is not None:
        raise mqi_error(cmqc.MQRC_MATCH_OPTIONS_ERROR, doing, detail="Offset of a whole message")
    request = GetRequest(connection, handle, options, match, max_length, doing, accept)
    step = browse_one if options & BROWSE else _take
    deadline = None if wait_ms < 0 else time.monotonic() + wait_ms / 1000
    pause = 0.0005
    waited = False
    while True:
        try:
            message = step(request)
        except MQIError as error:
            raise wait_ended(error, doing) if waited else error from None
        if message is not None:
            if (tally := connection.manager.tally) is not None:
                verb = "browse" if options & BROWSE else "get"
                tallies.note_message(tally, connection.account, handle.queue.name, verb, message)
            return message
        waited = True
        if reap(connection.manager):
            continue
        remaining_s = None if deadline is None else deadline - time.monotonic()
        if not options & cmqc.MQGMO_WAIT or (remaining_s is not None and remaining_s <= 0):
            raise mqi_error(cmqc.MQRC_NO_MSG_AVAILABLE, doing, object_name=handle.name)
        pause = _sleep_until_something(connection, pause, remaining_s)


def wait_ended(error: MQIError, doing: str) -> MQIError:
    """What a call that was waiting when the queue manager was stopped ends with."""
    if error.reason != cmqc.MQRC_CONNECTION_BROKEN:
        return error
    return mqi_error(cmqc.MQRC_CONNECTION_STOPPING, doing, detail="the wait was cancelled")


def check_options(options: int, wait_ms: int, doing: str) -> None:
    """Refuse MQGMO_* that there are not, or that exclude each other, and a wait below -1.

    Source: IBM MQ documentation, "MQGMO - Options", each option's "not valid with".
    """
    browse = options & BROWSE
    contradictory = (
        options & ~_KNOWN
        or options & _OF_ZOS
        or browse & (browse - 1)
        or (options & _UNITS).bit_count() > 1
        or (browse and options & (cmqc.MQGMO_MSG_UNDER_CURSOR | cmqc.MQGMO_UNLOCK | _HELD))
        or (options & cmqc.MQGMO_LOCK and not browse)
        or (options & cmqc.MQGMO_UNLOCK and options & ~_WITH_UNLOCK)
        or (options & cmqc.MQGMO_COMPLETE_MSG and options & cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT)
    )
    if contradictory:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing, detail=f"MQGMO options 0x{options:X}")
    if options & cmqc.MQGMO_WAIT and wait_ms < -1:
        raise mqi_error(cmqc.MQRC_WAIT_INTERVAL_ERROR, doing, detail=f"{wait_ms} ms")


_HELD: Final = cmqc.MQGMO_SYNCPOINT | cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT
_UNITS: Final = _HELD | cmqc.MQGMO_NO_SYNCPOINT
_OF_ZOS: Final = cmqc.MQGMO_SET_SIGNAL | cmqc.MQGMO_MARK_SKIP_BACKOUT
"""Options of z/OS alone; a queue manager that plays one does not have them either."""
_WITH_UNLOCK: Final = cmqc.MQGMO_UNLOCK | cmqc.MQGMO_NO_SYNCPOINT | cmqc.MQGMO_FAIL_IF_QUIESCING
_KNOWN: Final = 0x1FF7FFFF


def _check_opened(handle: Handle, options: int, doing: str) -> None:
    """Refuse a call that the queue was not opened for."""
    reason = 0
    browse = options & BROWSE
    if (browse or options & cmqc.MQGMO_UNLOCK) and not handle.options & cmqc.MQOO_BROWSE:
        reason = cmqc.MQRC_NOT_OPEN_FOR_BROWSE
    elif not browse and not options & cmqc.MQGMO_UNLOCK and not handle.options & INPUT:
        reason = cmqc.MQRC_NOT_OPEN_FOR_INPUT
    elif options & cmqc.MQGMO_MSG_UNDER_CURSOR and not handle.options & cmqc.MQOO_BROWSE:
        reason = cmqc.MQRC_NOT_OPEN_FOR_BROWSE
    if reason:
        raise mqi_error(reason, doing, object_name=handle.name)


def _sleep_until_something(
    connection: Connection, pause: float, remaining_s: float | None
) -> float:
    """Sleep until the file changed, something falls due or the wait is over; the next pause."""
    manager = connection.manager
    seen = manager.store.data_version()
    end = None if remaining_s is None else time.monotonic() + remaining_s
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


class _Taken(NamedTuple):
    """What one get took, before its transaction is committed.

    Attributes:
        leaves_group: the get is not in logical order, in the middle of a group.
        reports: how many messages were made along with it in the unit of work.
    """

    message: Message
    rows: list[Row]
    in_unit: bool
    leaves_group: bool
    reports: int


class _NotDurable(Exception):
    """A persistent message is there, and the transaction would not wait for the disk."""


def _take(request: GetRequest) -> Message | None:
    """Take one message; None when nothing matches now."""
    connection, handle, options = request.connection, request.handle, request.options
    manager = connection.manager
    syncpoint = bool(options & cmqc.MQGMO_SYNCPOINT) or (
        manager.is_zos
        and not options & (cmqc.MQGMO_NO_SYNCPOINT | cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT)
    )
    may_hold = syncpoint or bool(options & cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT)
    # what is held back is not persistent, and a persistent one in front of it is in the file
    buffer = manager.write_behind
    may_be_buffered = not (syncpoint or handle.durable or buffer is None or buffer.only_units)
    if may_be_buffered and is_simple(request):
        message = take_buffered(request)
        if message is not IN_FILE:
            return None if message is None else _cut(message, request.max_length)
    if may_hold:
        connection.enter()
    if syncpoint and (buffer or buffer_units(manager)) is not None:
        message = take_buffered_in_unit(request)
        if message is not IN_FILE:
            return None if message is None else _cut(message, request.max_length)
    start = _start(request)
    if start is None:
        return None
    while True:
        durable = handle.durable and not may_hold
        now = connection.begin(request.doing, durable=durable)
        try:
            taken = _take_now(request, start, now, syncpoint, may_hold, durable)
        except _NotDurable:
            manager.rollback()
            handle.durable = True  # begin again with a commit that waits for the disk
            continue
        except BaseException:
            manager.rollback()
            raise
        manager.commit()
        if taken is not None:
            _note(request, taken, may_hold=may_hold)
            return _cut(taken.message, request.max_length)
        if options & cmqc.MQGMO_MSG_UNDER_CURSOR:
            raise nothing_under_cursor(handle, request.doing)
        return None


def _start(request: GetRequest) -> int | None:
    """From which position on messages are looked at; None where a selector selects none.

    A selector may have to read many messages: it looks before the file is locked.
    """
    connection, handle, doing = request.connection, request.handle, request.doing
    start = handle.queue.first
    if handle.selector is None or request.options & _PLACED:
        return start
    now = connection.look(doing)
    connection.fail_if_quiescing(request.options, doing)
    check_get_enabled(connection, handle, doing)
    row = browse_from(request, start, now, None, WHOLE)
    return None if row is None else row.position


def _take_now(
    request: GetRequest, start: int, now_us: int, syncpoint: bool, may_hold: bool, durable: bool
) -> _Taken | None:
    """Take the next message, inside a transaction; None when nothing matches.

    Args:
        syncpoint: the unit of work holds what is taken.
        may_hold: it does, if the message is persistent.
        durable: the commit waits for the disk.

    Raises:
        _NotDurable: It has to.
    """
    connection, handle, doing = request.connection, request.handle, request.doing
    manager = connection.manager
    connection.fail_if_quiescing(request.options, doing)
    check_get_enabled(connection, handle, doing)
    row, expired = _next_row(request, start, now_us, in_unit=may_hold)
    rows = [] if row is None else groups.rows_of_message(request, row, now_us)
    if expired:
        discard(manager, expired, now_us)
    if row is None or not rows:
        return None
    persistent = any(part.persistent for part in rows)
    in_unit = syncpoint or (may_hold and persistent)
    if len(rows) > 1 and persistent and not in_unit and connection.unit.count:
        raise mqi_error(cmqc.MQRC_UOW_NOT_AVAILABLE, doing, object_name=handle.name)
    if persistent and not in_unit and not durable:
        raise _NotDurable
    message = message_of(manager, row, now_us)
    if request.options & cmqc.MQGMO_COMPLETE_MSG:
        message, rows = groups.put_together(rows, message, now_us)
    leaves = groups.left_by_get(handle, request.options)
    if leaves and not message.warning:
        message = message._replace(warning=leaves)
    if request.accept is not None and not request.accept(message):
        raise NotAccepted(message)
    handle.durable = persistent
    if in_unit:
        check_room_in_unit(connection, doing, len(rows))
        for part in rows:
            act = BOTH if part.unit_act == PUT else GET
            messages.give_to_unit(manager.store, part.position, connection.unit_number, act)
    else:
        for part in rows:
            messages.remove(manager.store, part.position, now_us)
    reports = 0
    if message.md.report & cmqc.MQRO_COD:
        reports = _confirm(request, message, now_us, len(rows) if in_unit else 0)
    return _Taken(message, rows, in_unit, bool(leaves), reports)


def _confirm(request: GetRequest, message: Message, now_us: int, acts: int) -> int:
    """Tell the sender that its message was taken; how many reports the unit of work holds.

    Args:
        acts: how many rows the unit of work took; 0 outside one.
    """
    from mqtriage.emulator.core.put.arrival import confirm  # few messages ask for it

    connection = request.connection
    holder = connection.holder(acts) if acts else None
    md, body = message.md, message.body
    confirm(connection.manager, md, body, now_us, holder, request.doing)
    return holder.count if holder else 0


def _note(request: GetRequest, taken: _Taken, *, may_hold: bool) -> None:
    """Keep what connection and handle have to remember of a get that was committed."""
    connection, handle, message = request.connection, request.handle, taken.message
    if taken.in_unit:
        for row in taken.rows:
            connection.unit.add(persistent=bool(row.persistent))
        connection.unit.count += taken.reports
    if taken.leaves_group or request.options & GROUP_OPTIONS:
        groups.has_moved(
            connection, handle, message.md, message.length_bytes, request.options, in_unit=may_hold
        )
    if handle.locked == taken.rows[0].position:
        handle.locked = None
    if handle.options & cmqc.MQOO_SAVE_ALL_CONTEXT:
        handle.saved_context = message.md


def _cut(message: Message, max_length: int | None) -> Message:
    if max_length is None or message.length_bytes <= max_length:
        return message
    return message._replace(body=message.body[:max_length])


def _next_row(
    request: GetRequest, start: int, now_us: int, *, in_unit: bool
) -> tuple[Row | None, list[int]]:
    """The message to take, from *start* on, and the expired ones that were met before it."""
    handle = request.handle
    if request.options & cmqc.MQGMO_MSG_UNDER_CURSOR:
        row = row_at(request.connection, handle, handle.cursor)
        if row is not None and row.has_expired(now_us):
            return None, [row.position]
        return row, []
    expired: list[int] = []
    group = None
    if request.options & GROUP_OPTIONS:
        group = groups.candidate(
            handle, request.options, request.doing, browse=False, in_unit=in_unit
        )
    sought = request.match if group is None else group.looked_for(request.match)
    while True:
        row = row_from(request.connection, handle, sought, start, group)
        if row is None:
            return None, expired
        if row.has_expired(now_us):
            expired.append(row.position)
        elif group is None and handle.selector is None:
            return row, expired
        elif is_selected(handle, row, now_us) and (
            group is None or groups.may_return(request, row, group, now_us)
        ):
            if group is not None:
                group.refuse_mismatch(request.match, unpack(row.md), request.doing)
            return row, expired
        start = row.position + 1
