"""MQGET: take a message, browse with a cursor, or walk a queue; what has expired is discarded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from mqtriage.emulator import groups, units
from mqtriage.emulator.connections import (
    INPUT,
    Connection,
    Handle,
    check_room_in_unit,
    reap,
    renew,
)
from mqtriage.emulator.groups import GROUP_OPTIONS, Candidate, free
from mqtriage.emulator.hold import HeldMessage, HeldQueue
from mqtriage.emulator.manager import Manager
from mqtriage.emulator.remote import TRANSMISSION_FORMAT, decremented
from mqtriage.mq import codes
from mqtriage.mq.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_MARK_BROWSE_HANDLE,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_UNLOCK,
    MQGMO_UNMARK_BROWSE_CO_OP,
    MQGMO_UNMARK_BROWSE_HANDLE,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_SAVE_ALL_CONTEXT,
    MQRO_COD,
)
from mqtriage.mq.descriptor import MQMD, unpack
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.expiry import remaining_tenths
from mqtriage.mq.message import Message

if TYPE_CHECKING:
    from mqtriage.model.message_selector import Selector

_BROWSE: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR
_MARKS: Final = (
    MQGMO_MARK_BROWSE_HANDLE
    | MQGMO_MARK_BROWSE_CO_OP
    | MQGMO_UNMARK_BROWSE_HANDLE
    | MQGMO_UNMARK_BROWSE_CO_OP
)
_PLACED: Final = MQGMO_MSG_UNDER_CURSOR | GROUP_OPTIONS
_PAGE_MESSAGES: Final = 200
_PAGE_BYTES: Final = 4 << 20
_NO_ID: Final = bytes(24)
_TOKEN_BYTES: Final = 16

_COLUMNS: Final = "position, md, expires_us, backouts, length, persistent, unit_act"
_WHOLE: Final = "data"


class Wanted(NamedTuple):
    """What a get or browse selects by; None matches any."""

    msg_id: bytes | None = None
    correl_id: bytes | None = None
    group_id: bytes | None = None
    token: bytes | None = None
    msg_seq_number: int | None = None
    offset: int | None = None


class NotAccepted(Exception):
    """What an MQGET found is not wanted as it is; it stays, and the cursor stays where it was."""

    def __init__(self, message: Message) -> None:
        super().__init__()
        self.message = message


Accept = Callable[[Message], bool]


class _Row(NamedTuple):
    position: int
    md: bytes
    expires_us: int | None
    backouts: int
    length: int
    persistent: int
    unit_act: str | None
    body: bytes


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
        MQIError: 2016, 2034, 2036, 2037, 2046, 2090, 2209, 2024, 2161; 2009 or, where it was
            waiting when the queue manager was stopped, 2203.
    """
    doing = f"{'browse' if options & _BROWSE else 'get from'} {handle.name}"
    _check_options(handle, options, wait_ms, doing)
    step = _browse_one if options & _BROWSE else _take
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


def _check_options(handle: Handle, options: int, wait_ms: int, doing: str) -> None:
    browse = options & _BROWSE
    reason = 0
    contradictory = (
        browse & (browse - 1)
        or (browse and options & (MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT))
        or (options & MQGMO_LOCK and not browse)
    )
    if contradictory:
        reason = codes.MQRC_OPTIONS_ERROR
    elif (browse or options & MQGMO_UNLOCK) and not handle.options & MQOO_BROWSE:
        reason = codes.MQRC_NOT_OPEN_FOR_BROWSE
    elif not browse and not options & MQGMO_UNLOCK and not handle.options & INPUT:
        reason = codes.MQRC_NOT_OPEN_FOR_INPUT
    elif options & MQGMO_MSG_UNDER_CURSOR and not handle.options & MQOO_BROWSE:
        reason = codes.MQRC_NOT_OPEN_FOR_BROWSE
    elif options & MQGMO_WAIT and wait_ms < -1:
        reason = codes.MQRC_WAIT_INTERVAL_ERROR
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


# -- taking ---------------------------------------------------------------------------------------


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
    if not (may_hold or manager.hold is None) and _is_simple(connection, handle, options, wanted):
        found = _take_held(connection, handle, options, wanted, doing, accept)
        if found is not _IN_FILE:
            return _cut(found, max_length)
    if may_hold:
        connection.id  # noqa: B018  entered before the transaction begins
    start = handle.queue.first
    if handle.selector is not None and not options & _PLACED:
        # looked for before the file is locked: a selector may have to read many messages
        now = connection.look(doing)
        connection.fail_if_quiescing(options, doing)
        _check_get_enabled(connection, handle, doing)
        first = _browse_from(connection, handle, wanted, start, now, options, None, doing, _WHOLE)
        if first is None:
            return None
        start = first.position
    while True:
        durable = handle.durable and not syncpoint
        now = connection.begin(doing, durable=durable)
        try:
            connection.fail_if_quiescing(options, doing)
            _check_get_enabled(connection, handle, doing)
            row, expired = _next_row(
                connection, handle, options, wanted, now, start=start, in_unit=may_hold, doing=doing
            )
            if expired:
                _discard(manager, expired, now)
            if row is None:
                manager.commit()
                if options & MQGMO_MSG_UNDER_CURSOR:
                    raise _nothing_under_cursor(handle, doing)
                return None
            in_unit = syncpoint or bool(options & MQGMO_SYNCPOINT_IF_PERSISTENT and row.persistent)
            if row.persistent and not in_unit and not durable:
                handle.durable = True  # begin again with a commit that waits for the disk
                manager.rollback()
                continue
            message = _message(manager, row, now)
            if accept is not None and not accept(message):
                raise NotAccepted(message)
            if in_unit:
                check_room_in_unit(connection, doing)
                _mark_got(connection, row)
            else:
                handle.durable = bool(row.persistent)
                manager.store.execute("DELETE FROM message WHERE position = ?", (row.position,))
                manager.store.remove_body(row.position, now)
            holder = None
            if message.md.report & MQRO_COD:
                from mqtriage.emulator.confirmations import confirm_delivery

                holder = connection.holder() if in_unit else None
                confirm_delivery(manager, message.md, message.body, now, holder, doing)
        except BaseException:
            manager.rollback()
            raise
        manager.commit()
        if in_unit:
            connection.unit.add(persistent=bool(row.persistent))
            connection.unit.count += holder.made if holder else 0
        if options & GROUP_OPTIONS:
            groups.has_moved(connection, handle, message.md, options, in_unit=may_hold)
        if handle.locked == row.position:
            handle.locked = None
        if handle.options & MQOO_SAVE_ALL_CONTEXT:
            handle.saved_context = message.md
        return _cut(message, max_length)


def _cut(message: Message | None, max_length: int | None) -> Message | None:
    if message is None or max_length is None or message.length_bytes <= max_length:
        return message
    return message._replace(body=message.body[:max_length])


def _is_simple(connection: Connection, handle: Handle, options: int, wanted: Wanted) -> bool:
    """Whether a get may be held back: it does nothing but take a message, by its ids at most."""
    return not (
        options & (GROUP_OPTIONS | MQGMO_MSG_UNDER_CURSOR)
        or connection.unit.count
        or handle.locked is not None
        or handle.selector is not None
        or wanted[2:].count(None) < len(wanted) - 2
    )


def _take_held(
    connection: Connection,
    handle: Handle,
    options: int,
    wanted: Wanted,
    doing: str,
    accept: Accept | None,
) -> Message | None:
    """Take one message while the server holds work back; `_IN_FILE` where that must not be."""
    manager = connection.manager
    now = connection.admit(doing)
    if now is None or manager.hold is None:
        return _IN_FILE
    connection.fail_if_quiescing(options, doing)
    _check_get_enabled(connection, handle, doing)
    queue = manager.hold.queue(handle.queue)
    held = _first_held(queue.messages, wanted)
    row = _first_in_file(connection, handle, queue, wanted) if queue.in_file else None
    if row is not None and (held is None or row.position < held.position):
        if row.persistent or (row.expires_us is not None and row.expires_us <= now):
            return _IN_FILE
        position, message = row.position, _message(manager, row, now)
    elif held is not None:
        position = held.position
        token = position.to_bytes(_TOKEN_BYTES, "big")
        message = Message(held.md, held.body, len(held.body), token)
    else:
        return None
    if message.md.report & MQRO_COD or message.md.format == TRANSMISSION_FORMAT:
        return _IN_FILE
    if accept is not None and not accept(message):
        raise NotAccepted(message)
    handle.durable = False
    queue.take(position, now)
    if handle.options & MQOO_SAVE_ALL_CONTEXT:
        handle.saved_context = message.md
    return message


_IN_FILE: Final = Message(MQMD(), b"", 0)
"""Stands for one that has to be taken from the file."""


def _first_held(messages: list[HeldMessage], wanted: Wanted) -> HeldMessage | None:
    msg_id = None if wanted.msg_id == _NO_ID else wanted.msg_id
    correl_id = None if wanted.correl_id == _NO_ID else wanted.correl_id
    for message in messages:
        if (msg_id is None or msg_id == message.md.msg_id) and (
            correl_id is None or correl_id == message.md.correl_id
        ):
            return message
    return None


def _first_in_file(
    connection: Connection, handle: Handle, queue: HeldQueue, wanted: Wanted
) -> _Row | None:
    """The first row that nobody has taken since the gate was shut."""
    is_any = wanted.msg_id in _ANY_ID and wanted.correl_id in _ANY_ID
    start = queue.starts.get(handle, handle.queue.first) if is_any else handle.queue.first
    while True:
        row = None
        if start < handle.queue.last:
            row = _row_from(connection, handle, wanted, start)
        if row is None or row.position not in queue.taken:
            break
        start = row.position + 1
    if is_any:  # what is not free for this handle stays so while work is held back
        queue.starts[handle] = handle.queue.last if row is None else row.position
    return row


_ANY_ID: Final = (None, _NO_ID)


def _check_get_enabled(connection: Connection, handle: Handle, doing: str) -> None:
    manager = connection.manager
    if handle.definitions != manager.state.definitions:
        renew(manager, handle, doing)
    for queue in handle.path:
        if not queue.get_enabled:
            raise mqi_error(
                codes.MQRC_GET_INHIBITED,
                doing,
                detail=f"{queue.name} has GET(DISABLED)",
                hint=f"mqtriage queue set {queue.name} GET=ENABLED",
                object_name=queue.name,
            )


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
) -> tuple[_Row | None, list[int]]:
    """The message to take, from *start* on, and the expired ones that were met before it."""
    if options & MQGMO_MSG_UNDER_CURSOR:
        row = _row_at(connection, handle, handle.cursor)
        if row is not None and row.expires_us is not None and row.expires_us <= now_us:
            return None, [row.position]
        return row, []
    expired: list[int] = []
    group = None
    if options & GROUP_OPTIONS:
        group = groups.candidate(handle, options, doing, browse=False, in_unit=in_unit)
    while True:
        row = _row_from(connection, handle, wanted, start, group)
        if row is None or row.expires_us is None or row.expires_us > now_us:
            if row is None or (group is None and handle.selector is None):
                return row, expired
            if _is_selected(handle, row, now_us) and (
                group is None
                or groups.may_return(connection, handle, row.md, options, group, now_us, doing)
            ):
                return row, expired
        else:
            expired.append(row.position)
        start = row.position + 1


def _row_at(
    connection: Connection, handle: Handle, position: int, piece: str = _WHOLE
) -> _Row | None:
    values = connection.manager.store.execute(
        f"SELECT {_COLUMNS}, {piece} FROM message JOIN body USING (position)"
        f" WHERE position = ? AND {free(connection, handle)}",
        (position,),
    ).fetchone()
    return None if values is None else _Row(*values)


def _row_from(
    connection: Connection,
    handle: Handle,
    wanted: Wanted,
    start: int,
    group: Candidate | None = None,
    piece: str = _WHOLE,
) -> _Row | None:
    """The first message at or after *start* that this handle may have and that matches.

    Body and descriptor come from one statement, so that nobody takes the one in between.
    """
    index, tests, values = _conditions(wanted)
    if group is not None:
        index, tests, values = group.lookup or index, tests + group.tests, values + group.values
    found = connection.manager.store.execute(
        f"SELECT {_COLUMNS}, {piece} FROM message {index} CROSS JOIN body USING (position)"
        " WHERE position >= ? AND position < ?"
        f" AND {free(connection, handle)}{tests} ORDER BY position LIMIT 1",
        (start, handle.queue.last, *values),
    ).fetchone()
    return None if found is None else _Row(*found)


def _is_selected(handle: Handle, row: _Row, now_us: int) -> bool:
    if handle.selector is None:
        return True
    md = descriptor(row.md, row.expires_us, row.backouts, now_us)
    return _selects(handle.selector, md, row.body)


def _is_marked(manager: Manager, handle: Handle, options: int, row: _Row, now_us: int) -> bool:
    if not options & MQGMO_UNMARKED_BROWSE_MSG or handle.marks is None:
        return False
    return handle.marks.is_marked(manager, row.position, now_us)


def _mark(manager: Manager, handle: Handle, options: int, position: int, now_us: int) -> None:
    from mqtriage.emulator.marks import Marks

    handle.marks = handle.marks or Marks()
    handle.marks.change(manager, options, position, now_us)


def _selects(selector: Selector, md: MQMD, body: bytes) -> bool:
    from mqtriage.emulator.selecting import selects

    return selects(selector, md, body)


def _conditions(wanted: Wanted) -> tuple[str, str, tuple[object, ...]]:
    """Index to use, further tests and their values; an id of zeros matches any."""
    index, tests = "NOT INDEXED", ""
    values: list[object] = []
    if wanted.group_id is not None and wanted.group_id != _NO_ID:
        index, tests = "INDEXED BY message_group_id", tests + " AND group_id = ?"
        values.append(wanted.group_id)
    if wanted.correl_id is not None and wanted.correl_id != _NO_ID:
        index, tests = "INDEXED BY message_correl_id", tests + " AND correl_id = ?"
        values.append(wanted.correl_id)
    if wanted.msg_id is not None and wanted.msg_id != _NO_ID:
        index, tests = "INDEXED BY message_msg_id", tests + " AND msg_id = ?"
        values.append(wanted.msg_id)
    for place, number in ((349, wanted.msg_seq_number), (353, wanted.offset)):
        if number is not None:  # of the packed descriptor, counted from 1
            tests += f" AND substr(md, {place}, 4) = ?"
            values.append(number.to_bytes(4, "little", signed=True))
    if wanted.token:
        index, tests = "NOT INDEXED", tests + " AND position = ?"
        values.append(int.from_bytes(wanted.token, "big"))
    return index, tests, tuple(values)


def _mark_got(connection: Connection, row: _Row) -> None:
    act = units.BOTH if row.unit_act == units.PUT else units.GET
    connection.manager.store.execute(
        "UPDATE message SET unit = ?, unit_act = ?, locked_by = NULL WHERE position = ?",
        (connection.id, act, row.position),
    )


def _piece(max_length: int | None) -> str:
    """The column of the body, cut; SQLite's substr of an empty blob is NULL."""
    return _WHOLE if max_length is None else f"coalesce(substr(data, 1, {max_length}), x'')"


def _message(manager: Manager, row: _Row, now_us: int) -> Message:
    body = row.body
    md = descriptor(row.md, row.expires_us, row.backouts, now_us)
    if md.format == TRANSMISSION_FORMAT:
        body = decremented(manager, row.position, md, body, now_us)
    return Message(md, body, row.length, row.position.to_bytes(_TOKEN_BYTES, "big"))


def descriptor(packed: bytes, expires_us: int | None, backouts: int, now_us: int) -> MQMD:
    """The descriptor as a get shows it: lifetime that is left, backouts so far."""
    md = unpack(packed)
    if expires_us is None and not backouts:
        return md
    return md._replace(expiry_tenths=remaining_tenths(expires_us, now_us), backout_count=backouts)


def _nothing_under_cursor(handle: Handle, doing: str) -> MQIError:
    return mqi_error(codes.MQRC_NO_MSG_UNDER_CURSOR, doing, object_name=handle.name)


# -- browsing -------------------------------------------------------------------------------------


def _browse_one(
    connection: Connection,
    handle: Handle,
    options: int,
    wanted: Wanted,
    max_length: int | None,
    doing: str,
    accept: Accept | None = None,
) -> Message | None:
    """Move the cursor to the next message that matches and show it; None when there is none."""
    manager = connection.manager
    now = connection.look(doing)
    connection.fail_if_quiescing(options, doing)
    _check_get_enabled(connection, handle, doing)
    piece = _piece(max_length) if handle.selector is None else _WHOLE
    if options & MQGMO_BROWSE_MSG_UNDER_CURSOR:
        row = _row_at(connection, handle, handle.cursor, piece)
        if row is None or (row.expires_us is not None and row.expires_us <= now):
            _discard_met(connection, [] if row is None else [row.position])
            raise _nothing_under_cursor(handle, doing)
    else:
        start = handle.queue.first if options & MQGMO_BROWSE_FIRST else handle.cursor + 1
        group = None
        if options & GROUP_OPTIONS or handle.groups is not None:
            start, group = groups.browse_start(handle, options, start, doing)
        start = max(start, handle.queue.first)
        row = _browse_from(connection, handle, wanted, start, now, options, group, doing, piece)
    if row is None:
        return None
    message = _message(manager, row, now)
    if max_length is not None and handle.selector is not None:
        message = message._replace(body=message.body[:max_length])
    if accept is not None and not accept(message):
        raise NotAccepted(message)
    if options & _MARKS:
        _mark(manager, handle, options, row.position, now)
    if not options & MQGMO_BROWSE_MSG_UNDER_CURSOR:
        _unlock(connection, handle)
        if options & GROUP_OPTIONS:
            groups.has_browsed(handle, unpack(row.md), row.position, options)
    handle.cursor = row.position
    if options & MQGMO_LOCK and not _lock(connection, handle, row.position, now):
        return _browse_one(
            connection, handle, options & ~MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT, wanted,
            max_length, doing, accept,
        )  # fmt: skip
    return message


def _browse_from(
    connection: Connection,
    handle: Handle,
    wanted: Wanted,
    start: int,
    now_us: int,
    options: int,
    group: Candidate | None,
    doing: str,
    piece: str,
) -> _Row | None:
    expired: list[int] = []
    while True:
        row = _row_from(connection, handle, wanted, start, group, piece)
        if row is None or row.expires_us is None or row.expires_us > now_us:
            if row is None or (
                _is_selected(handle, row, now_us)
                and not _is_marked(connection.manager, handle, options, row, now_us)
                and (
                    group is None
                    or groups.may_return(connection, handle, row.md, options, group, now_us, doing)
                )
            ):
                _discard_met(connection, expired)
                return row
        else:
            expired.append(row.position)
        start = row.position + 1


def _discard(manager: Manager, positions: list[int], now_us: int) -> None:
    from mqtriage.emulator.expiry import discard  # and with it all that reports need

    discard(manager, positions, now_us)


def _discard_met(connection: Connection, positions: list[int]) -> None:
    """Discard what a browse met; on a file that cannot be written it is only passed over."""
    manager = connection.manager
    if positions and manager.store.writable:
        with manager.writing(durable=True) as now:
            _discard(manager, positions, now)


def _lock(connection: Connection, handle: Handle, position: int, now_us: int) -> bool:
    """Lock a message for *handle*; False when it went or was locked in the meantime."""
    if handle.id == 0:
        handle.id = _register(connection, handle)
    with connection.manager.writing():
        row = connection.manager.store.execute(
            "UPDATE message SET locked_by = ? WHERE position = ? AND unit IS NULL"
            " AND (locked_by IS NULL OR locked_by = ?) RETURNING position",
            (handle.id, position, handle.id),
        ).fetchone()
    if row is None:
        return False
    handle.locked = position
    return True


def _register(connection: Connection, handle: Handle) -> int:
    me = connection.id
    with connection.manager.writing():
        row = connection.manager.store.execute(
            "INSERT INTO handle (connection, queue, options) VALUES (?, ?, ?) RETURNING id",
            (me, handle.queue.id, handle.options),
        ).fetchone()
    return int(row[0])


def _unlock(connection: Connection, handle: Handle) -> bool:
    if handle.locked is None:
        return False
    with connection.manager.writing():
        connection.manager.store.execute(
            "UPDATE message SET locked_by = NULL WHERE locked_by = ?", (handle.id,)
        )
    handle.locked = None
    return True


def unlock(connection: Connection, handle: Handle) -> None:
    """MQGMO_UNLOCK by itself.

    Raises:
        MQIError: 2209 when this handle has nothing locked.
    """
    if not _unlock(connection, handle):
        raise mqi_error(codes.MQRC_NO_MSG_LOCKED, f"unlock on {handle.name}")


def walk(
    connection: Connection,
    handle: Handle,
    wanted: Wanted = Wanted(),  # noqa: B008  an immutable record
    max_length: int | None = None,
) -> Iterator[Message]:
    """Yield each message from the front in short pages; no transaction is open at a yield.

    Expired messages that are met are discarded, as by any browse (EX-12).
    """
    doing = f"browse {handle.name}"
    if not handle.options & MQOO_BROWSE:
        raise mqi_error(codes.MQRC_NOT_OPEN_FOR_BROWSE, doing, object_name=handle.name)
    connection.look(doing)
    _check_get_enabled(connection, handle, doing)
    index, tests, values = _conditions(wanted)
    selector = handle.selector
    piece = _piece(max_length) if selector is None else _WHOLE
    query = (
        f"SELECT {', '.join('message.' + column for column in _WALK)}, {piece}"
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
                    if not _selects(selector, md, body):
                        continue
                    body = body[:max_length]
                if md.format == TRANSMISSION_FORMAT:
                    body = decremented(connection.manager, position, md, body, now)
                page.append(
                    Message(
                        md,
                        body,
                        length,
                        position.to_bytes(_TOKEN_BYTES, "big"),
                    )
                )
                bytes_read += len(body)
                if bytes_read > _PAGE_BYTES or read >= size:
                    break
        _discard_met(connection, expired)
        yield from page
        if not read:
            return
        size = _PAGE_MESSAGES


_WALK: Final = ("position", "md", "expires_us", "backouts", "length")
