"""Messages as the file holds them: find the row that a get or browse wants, and read it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.group_positions import GroupPosition
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.remote import TRANSMISSION_FORMAT, decremented
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NO_ID, unpack
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.expiry import remaining_tenths
from mqtriage.mq.message import Message
from mqtriage.records import NamedTuple

if TYPE_CHECKING:
    from mqtriage.messages.filters.selector import Selector

ANY_ID: Final = (None, NO_ID)
TOKEN_BYTES: Final = 16
_COLUMNS: Final = "position, md, expires_us, backouts, length, persistent, unit_act"
WHOLE: Final = "data"
"""The column of the body, uncut."""


class MatchOptions(NamedTuple):
    """What a get or browse selects by; None matches any."""

    msg_id: bytes | None = None
    correl_id: bytes | None = None
    group_id: bytes | None = None
    token: bytes | None = None
    msg_seq_number: int | None = None
    offset: int | None = None


_ANY: Final = MatchOptions()


class NotAccepted(Exception):
    """What an MQGET found is not wanted as it is; it stays, and the cursor stays where it was."""

    def __init__(self, message: Message) -> None:
        super().__init__()
        self.message = message


Accept = Callable[[Message], bool]


class Row(NamedTuple):
    """A message as the file holds it."""

    position: int
    md: bytes
    expires_us: int | None
    backouts: int
    length: int
    persistent: int
    unit_act: str | None
    body: bytes

    def has_expired(self, now_us: int) -> bool:
        """Whether its lifetime is over."""
        return self.expires_us is not None and self.expires_us <= now_us


class GetRequest(NamedTuple):
    """One MQGET.

    Attributes:
        max_length: how many bytes of the body are wanted; None for all.
        accept: looks at the message before it is taken or the cursor moves to it.
    """

    connection: Connection
    handle: Handle
    options: int
    match: MatchOptions
    max_length: int | None
    doing: str
    accept: Accept | None = None


class Candidate(NamedTuple):
    """What may be retrieved next.

    Attributes:
        lookup: the index to look in, "" for the order of delivery.
        tests: further SQL conditions on `message`.
        current: the group or message in segments that the handle is in, or None.
        logical: in logical order: what does not fit the match options is told, not passed over.
    """

    lookup: str
    tests: str
    values: tuple[object, ...]
    current: GroupPosition | None
    logical: bool = False

    def looked_for(self, match: MatchOptions) -> MatchOptions:
        """By which match options a message is looked for.

        In logical order there is no choice inside a group; outside, MsgSeqNumber and Offset are
        no criteria: a message or group is begun at its beginning.
        """
        if not self.logical:
            return match
        if self.current is not None:
            return type(match)()
        return match._replace(msg_seq_number=None, offset=None)

    def refuse_mismatch(self, match: MatchOptions, md: MQMD, doing: str) -> None:
        """In logical order, refuse match options that the message to be returned does not meet."""
        if not self.logical:
            return
        pairs = (
            (match.msg_id, md.msg_id),
            (match.correl_id, md.correl_id),
            (match.group_id, md.group_id),
            (match.msg_seq_number, md.msg_seq_number),
            (match.offset, md.offset),
        )
        if any(asked not in (None, NO_ID, actual) for asked, actual in pairs):
            detail = f"MsgSeqNumber {md.msg_seq_number}, Offset {md.offset} would be next"
            raise mqi_error(cmqc.MQRC_MATCH_OPTIONS_ERROR, doing, detail=detail)


def free(connection: Connection, handle: Handle) -> str:
    """Which rows a handle may have: committed or put by its own unit, locked by nobody else."""
    unit = "unit IS NULL"
    if handle.queue.id in connection.unit.put_to:
        unit = f"(unit IS NULL OR (unit = {connection.unit_number} AND unit_act = 'put'))"
    if handle.locked is None:
        return f"{unit} AND locked_by IS NULL"
    return f"{unit} AND (locked_by IS NULL OR locked_by = {handle.id})"


def row_at(connection: Connection, handle: Handle, position: int, piece: str = WHOLE) -> Row | None:
    values = connection.manager.store.execute(
        f"SELECT {_COLUMNS}, {piece} FROM message JOIN body USING (position)"
        f" WHERE position = ? AND {free(connection, handle)}",
        (position,),
    ).fetchone()
    return None if values is None else Row(*values)


def row_from(
    connection: Connection,
    handle: Handle,
    match: MatchOptions,
    start: int,
    group: Candidate | None = None,
    piece: str = WHOLE,
) -> Row | None:
    """The first message at or after *start* that this handle may have and that matches.

    Body and descriptor come from one statement, so that nobody takes the one in between.
    """
    index, tests, values = conditions(match)
    if group is not None:
        index, tests, values = group.lookup or index, tests + group.tests, values + group.values
    columns = connection.manager.store.execute(
        f"SELECT {_COLUMNS}, {piece} FROM message {index} CROSS JOIN body USING (position)"
        " WHERE position >= ? AND position < ?"
        f" AND {free(connection, handle)}{tests} ORDER BY position LIMIT 1",
        (start, handle.queue.last, *values),
    ).fetchone()
    return None if columns is None else Row(*columns)


def rows_in_order(connection: Connection, queue: Queue, start: int) -> sqlite3.Cursor:
    """The columns of `Row` of all that is free for anybody, in the order of delivery from *start*.

    For whoever knows that nothing of it changes before the last one is read.
    """
    return connection.manager.store.execute(
        f"SELECT {_COLUMNS}, {WHOLE} FROM message NOT INDEXED CROSS JOIN body USING (position)"
        " WHERE position >= ? AND position < ? AND unit IS NULL AND locked_by IS NULL"
        " ORDER BY position",
        (start, queue.last),
    )


def is_selected(handle: Handle, row: Row, now_us: int) -> bool:
    if handle.selector is None:
        return True
    md = descriptor(row.md, row.expires_us, row.backouts, now_us)
    return selects(handle.selector, md, row.body)


def selects(selector: Selector, md: MQMD, body: bytes) -> bool:
    from mqtriage.emulator.core.selecting import selects

    return selects(selector, md, body)


def conditions(match: MatchOptions) -> tuple[str, str, tuple[object, ...]]:
    """Index to use, further tests and their values; an id of zeros matches any."""
    if match == _ANY:
        return "NOT INDEXED", "", ()
    index, tests = "NOT INDEXED", ""
    values: list[object] = []
    if match.group_id is not None and match.group_id != NO_ID:
        index, tests = "INDEXED BY message_group_id", tests + " AND group_id = ?"
        values.append(match.group_id)
    if match.correl_id is not None and match.correl_id != NO_ID:
        index, tests = "INDEXED BY message_correl_id", tests + " AND correl_id = ?"
        values.append(match.correl_id)
    if match.msg_id is not None and match.msg_id != NO_ID:
        index, tests = "INDEXED BY message_msg_id", tests + " AND msg_id = ?"
        values.append(match.msg_id)
    for place, number in ((349, match.msg_seq_number), (353, match.offset)):
        if number is not None:  # of the packed descriptor, counted from 1
            tests += f" AND substr(md, {place}, 4) = ?"
            values.append(number.to_bytes(4, "little", signed=True))
    if match.token:
        index, tests = "NOT INDEXED", tests + " AND position = ?"
        values.append(int.from_bytes(match.token, "big"))
    return index, tests, tuple(values)


def piece_of(max_length: int | None) -> str:
    """The column of the body, cut; SQLite's substr of an empty blob is NULL."""
    return WHOLE if max_length is None else f"coalesce(substr(data, 1, {max_length}), x'')"


def message_of(manager: Manager, row: Row, now_us: int) -> Message:
    body = row.body
    md = descriptor(row.md, row.expires_us, row.backouts, now_us)
    if md.format == TRANSMISSION_FORMAT:
        body = decremented(manager, row.position, md, body, now_us)
    return Message(md, body, row.length, row.position.to_bytes(TOKEN_BYTES, "big"))


def descriptor(packed: bytes, expires_us: int | None, backouts: int, now_us: int) -> MQMD:
    """The descriptor as a get shows it: lifetime that is left, backouts so far."""
    md = unpack(packed)
    if expires_us is None and not backouts:
        return md
    return md._replace(expiry_tenths=remaining_tenths(expires_us, now_us), backout_count=backouts)


def nothing_under_cursor(handle: Handle, doing: str) -> MQIError:
    return mqi_error(cmqc.MQRC_NO_MSG_UNDER_CURSOR, doing, object_name=handle.name)


def discard(manager: Manager, positions: list[int], now_us: int) -> None:
    from mqtriage.emulator.core.get.discard import discard  # and with it all that reports need

    discard(manager, positions, now_us)


def discard_met(connection: Connection, positions: list[int]) -> None:
    """Discard what a browse met; on a file that cannot be written it is only passed over."""
    manager = connection.manager
    if positions and manager.store.writable:
        with manager.writing(durable=True) as now:
            discard(manager, positions, now)
