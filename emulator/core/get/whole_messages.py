"""MQGMO_COMPLETE_MSG: the rows of a logical message, and the one message that they make."""

from __future__ import annotations

from mqtriage.emulator.core.get.groups import is_alive, segments_of
from mqtriage.emulator.core.get.rows import GetRequest, Row, descriptor, row_at
from mqtriage.mq import codes
from mqtriage.mq.constants import MQGMO_COMPLETE_MSG
from mqtriage.mq.descriptor import unpack
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.message import Message
from mqtriage.mq.segments import SEGMENTED, Piece, joined


def rows_of_message(request: GetRequest, row: Row, now_us: int) -> list[Row]:
    """The row that was found; with MQGMO_COMPLETE_MSG those of all its segments, from the first.

    Returns:
        Nothing where not all of them are there (any more).

    Raises:
        MQIError: 2246 where a segment that is not the first is under the cursor.
    """
    if not request.options & MQGMO_COMPLETE_MSG:
        return [row]
    connection, handle = request.connection, request.handle
    md = unpack(row.md)
    if not md.msg_flags & SEGMENTED:
        return [row]
    if md.offset:
        raise mqi_error(
            codes.MQRC_INVALID_MSG_UNDER_CURSOR,
            request.doing,
            detail=f"a segment of Offset {md.offset}",
            object_name=handle.name,
        )
    parts = segments_of(connection, handle, row.position, md, is_alive(connection, handle, now_us))
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
