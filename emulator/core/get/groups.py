"""Groups and segments: a handle's place in them, and logical order and whole groups at the get.

A program that puts or gets in logical order goes through a group on one handle; the queue manager
keeps its place there, and sets it back when the unit of work is backed out. The put stands in
`core.put.groups`, how messages are cut into segments and put together in `mq.segments`.

Source: IBM MQ documentation, "Logical and physical ordering", "MQGMO - Options" (LOGICAL_ORDER,
ALL_MSGS_AVAILABLE, ALL_SEGMENTS_AVAILABLE, COMPLETE_MSG), "MatchOptions", reasons 2241, 2242, 2245,
2247, 2259.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from mqtriage.emulator.core.get.rows import Candidate, GetRequest, Row, descriptor, free, row_at
from mqtriage.emulator.core.group_positions import (
    GROUP_OPTIONS,
    IN_GROUP,
    GroupPosition,
    GroupPositions,
)
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, unpack
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.message import Message
from mqtriage.mq.segments import (
    SEGMENTED,
    Piece,
    SegmentCandidate,
    in_order,
    is_alike,
    joined,
    spanned,
)

if TYPE_CHECKING:
    from mqtriage.emulator.core.connections import Connection
    from mqtriage.emulator.core.handle import Handle

_ALL_SEGMENTS: Final = (
    cmqc.MQGMO_ALL_MSGS_AVAILABLE | cmqc.MQGMO_COMPLETE_MSG | cmqc.MQGMO_ALL_SEGMENTS_AVAILABLE
)
"""Each of these implies MQGMO_ALL_SEGMENTS_AVAILABLE."""


def candidate(
    handle: Handle, options: int, doing: str, *, browse: bool, in_unit: bool
) -> Candidate:
    """Which messages a get or browse with these options may return.

    In logical order that is the next of the handle's group; outside a group one that is in none,
    or the first of its group.

    Raises:
        MQIError: 2245 for a group begun under syncpoint and gone on with outside, or the reverse.
    """
    if not options & cmqc.MQGMO_LOGICAL_ORDER:
        return Candidate("", "", (), None)
    positions = handle.groups or GroupPositions()
    current = positions.browsed if browse else positions.got
    if current is None:
        first = f" AND (group_id IS NULL OR ({_AT}))"
        return Candidate("", first, _at(1, 0), None, logical=True)
    if not browse and current.in_unit is not in_unit:
        raise mqi_error(cmqc.MQRC_INCONSISTENT_UOW, doing, object_name=handle.name)
    following = (current.sequence + 1, 0)
    if current.in_message:
        following = (current.sequence, current.offset)
    return Candidate(
        "INDEXED BY message_group_id",
        f" AND group_id = ? AND {_AT}",
        (current.group_id, *_at(*following)),
        current,
        logical=True,
    )


_AT: Final = "substr(md, 349, 4) = ? AND substr(md, 353, 4) = ?"
"""MsgSeqNumber and Offset, as they stand in the packed descriptor."""


def _at(sequence: int, offset: int) -> tuple[bytes, bytes]:
    return sequence.to_bytes(4, "little"), offset.to_bytes(4, "little")


def may_return(request: GetRequest, row: Row, group: Candidate, now_us: int) -> bool:
    """Whether a message that was found may be returned: is its group, or are its segments, whole?

    A group that the handle is in already was whole when it was begun, and so was a message.
    """
    connection, handle, options = request.connection, request.handle, request.options
    if not options & _ALL_SEGMENTS:
        return True
    md = unpack(row.md)
    alive = _is_alive(connection, handle, now_us)
    current = group.current
    if md.msg_flags & SEGMENTED:
        if options & cmqc.MQGMO_COMPLETE_MSG and md.offset:
            return False
        is_begun = current is not None and current.in_message
        if not is_begun and not _segments_of(connection, handle, row.position, md, alive):
            return False
    if not options & cmqc.MQGMO_ALL_MSGS_AVAILABLE or current is not None:
        return True
    return not md.msg_flags & IN_GROUP or _is_whole(connection, handle, md, alive)


def _is_alive(connection: Connection, handle: Handle, now_us: int) -> str:
    """Which rows count when the parts of a group or message are looked for."""
    return f"{free(connection, handle)} AND (expires_us IS NULL OR expires_us > {now_us})"


def left_by_get(handle: Handle, options: int) -> int:
    """The warning of a get that is not in logical order in the middle of a group, or 0."""
    before = None if handle.groups is None else handle.groups.got
    return 0 if before is None or options & cmqc.MQGMO_LOGICAL_ORDER else before.incomplete


def left_by_close(handle: Handle) -> int:
    """The warning of MQCLOSE in the middle of a group or message put or got in logical order."""
    positions = handle.groups or GroupPositions()
    before = positions.put or positions.got
    return 0 if before is None else before.incomplete


def has_moved(
    connection: Connection, handle: Handle, md: MQMD, length: int, options: int, *, in_unit: bool
) -> None:
    """Keep the handle's place after a message was taken."""
    positions = handle.groups or GroupPositions()
    after = _after(md, length, in_unit=in_unit) if options & cmqc.MQGMO_LOGICAL_ORDER else None
    if after != positions.got:
        connection.unit.move(handle, positions._replace(got=after), in_unit=in_unit)


def _after(md: MQMD, length: int, *, in_unit: bool) -> GroupPosition | None:
    """Where a handle is after this message: None after the last of a group, or outside one."""
    flags = md.msg_flags
    in_message = bool(flags & cmqc.MQMF_SEGMENT) and not flags & cmqc.MQMF_LAST_SEGMENT
    in_group = bool(flags & IN_GROUP)
    if not in_message and (not in_group or flags & cmqc.MQMF_LAST_MSG_IN_GROUP):
        return None
    end = md.offset + spanned(md, length)
    return GroupPosition(md.group_id, md.msg_seq_number, in_unit, in_message, end, in_group)


def browse_start(
    handle: Handle, options: int, start: int, doing: str
) -> tuple[int, Candidate | None]:
    """From which position on a browse looks, and for what.

    In logical order the next of a group may stand anywhere, and after its last the browse goes on
    behind its first.

    Args:
        start: where a browse in physical order would begin.

    Raises:
        MQIError: 2259 for BROWSE_NEXT in another order than the browse before it.
    """
    positions = handle.groups or GroupPositions()
    logical = bool(options & cmqc.MQGMO_LOGICAL_ORDER)
    if options & cmqc.MQGMO_BROWSE_FIRST:
        positions = positions._replace(browsed=None, browse_from=None)
    elif handle.cursor >= 0 and logical is not positions.browses_logically:
        was = "logical" if positions.browses_logically else "physical"
        raise mqi_error(
            cmqc.MQRC_INCONSISTENT_BROWSE,
            doing,
            detail=f"the browse has been in {was} order so far",
            object_name=handle.name,
        )
    handle.groups = positions._replace(browses_logically=logical)
    if not options & GROUP_OPTIONS:
        return start, None
    group = candidate(handle, options, doing, browse=True, in_unit=False)
    if group.current is not None:
        return handle.queue.first, group
    if logical and positions.browse_from is not None:
        start = positions.browse_from + 1
    return start, group


def has_browsed(handle: Handle, md: MQMD, length: int, position: int, options: int) -> None:
    """Keep the handle's place after a message was browsed."""
    if options & cmqc.MQGMO_LOGICAL_ORDER:
        positions = handle.groups or GroupPositions()
        begins = positions.browsed is None
        handle.groups = positions._replace(
            browsed=_after(md, length, in_unit=False),
            browse_from=position if begins else positions.browse_from,
        )


# -- what belongs together ------------------------------------------------------------------------


def _segments_of(
    connection: Connection, handle: Handle, position: int, md: MQMD, alive: str
) -> list[SegmentCandidate]:
    """The segments of the logical message that one belongs to, in order; none unless all are there.

    Args:
        position: of that one; the message begins with it where it is a first segment.
    """
    tests = "group_id = ? AND substr(md, 349, 4) = ?"
    sequence, _ = _at(md.msg_seq_number, 0)
    parts = _parts(connection, handle, tests, (md.group_id, sequence), alive)
    alike = [part for part in parts if is_alike(md, part.md)]
    return in_order(sorted(alike, key=lambda part: part.position != position))


def _parts(
    connection: Connection, handle: Handle, tests: str, values: tuple[object, ...], alive: str
) -> list[SegmentCandidate]:
    rows = connection.manager.store.execute(
        "SELECT position, md, length FROM message INDEXED BY message_group_id"
        f" WHERE {tests} AND position >= ? AND position < ? AND {alive} ORDER BY position",
        (*values, handle.queue.first, handle.queue.last),
    )
    return [SegmentCandidate(position, unpack(packed), length) for position, packed, length in rows]


def _is_whole(connection: Connection, handle: Handle, md: MQMD, alive: str) -> bool:
    """Whether every message of the group from 1 to the last is there, each with its segments."""
    last = 0
    messages: dict[int, list[SegmentCandidate]] = defaultdict(list)
    for part in _parts(connection, handle, "group_id = ?", (md.group_id,), alive):
        messages[part.md.msg_seq_number].append(part)
        if part.md.msg_flags & cmqc.MQMF_LAST_MSG_IN_GROUP:
            last = part.md.msg_seq_number
    return last > 0 and all(_is_there(messages.get(n, [])) for n in range(1, last + 1))


def _is_there(parts: list[SegmentCandidate]) -> bool:
    return any(not part.md.msg_flags & SEGMENTED for part in parts) or bool(in_order(parts))


# -- MQGMO_COMPLETE_MSG ---------------------------------------------------------------------------


def rows_of_message(request: GetRequest, row: Row, now_us: int) -> list[Row]:
    """The row that was found; with MQGMO_COMPLETE_MSG those of all its segments, from the first.

    Returns:
        Nothing where not all of them are there (any more).

    Raises:
        MQIError: 2246 where a segment that is not the first is under the cursor.
    """
    if not request.options & cmqc.MQGMO_COMPLETE_MSG:
        return [row]
    connection, handle = request.connection, request.handle
    md = unpack(row.md)
    if not md.msg_flags & SEGMENTED:
        return [row]
    if md.offset:
        raise mqi_error(
            cmqc.MQRC_INVALID_MSG_UNDER_CURSOR,
            request.doing,
            detail=f"a segment of Offset {md.offset}",
            object_name=handle.name,
        )
    parts = _segments_of(
        connection, handle, row.position, md, _is_alive(connection, handle, now_us)
    )
    segments = [row_at(connection, handle, part.position) for part in parts]
    rows = [segment for segment in segments if segment is not None]
    return rows if len(rows) == len(segments) else []


def put_together(rows: list[Row], message: Message, now_us: int) -> tuple[Message, list[Row]]:
    """The message that the segments in *rows* make, and those of them that went into it.

    Args:
        message: the first of them, as it would be returned alone.
    """
    if not message.md.msg_flags & SEGMENTED:
        return message, rows
    parts = [
        Piece(descriptor(row.md, row.expires_us, row.backouts, now_us), row.body) for row in rows
    ]
    joint = joined([Piece(message.md, message.body), *parts[1:]])
    whole = message._replace(
        md=joint.md, body=joint.body, length_bytes=len(joint.body), warning=joint.warning
    )
    return whole, rows[: joint.parts]
