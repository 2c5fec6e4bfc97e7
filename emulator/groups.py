"""Groups and segments: MsgFlags at the put, logical order and whole groups at the get.

A program that puts or gets in logical order goes through a group on one handle; the queue manager
keeps its place there, and sets it back when the unit of work is backed out. Segments that a
program makes itself are kept as they are; a logical message is not put together from them, and a
get that asks for that fails with 2298 when it meets one.

Source: IBM MQ documentation, "Logical and physical ordering", "MQGMO - Options" and "MQPMO -
Options" (LOGICAL_ORDER), "GroupId", reasons 2241, 2242, 2245, 2249 to 2253.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from mqtriage.mq import codes
from mqtriage.mq.constants import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_REJECT_UNSUP_MASK,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQOL_UNDEFINED,
    MQPMO_LOGICAL_ORDER,
    MQPMO_SYNCPOINT,
)
from mqtriage.mq.descriptor import MQMD, unpack
from mqtriage.mq.errors import mqi_error

if TYPE_CHECKING:
    from mqtriage.emulator.connections import Connection, Handle
    from mqtriage.emulator.manager import Manager

GROUP_OPTIONS: Final = (
    MQGMO_LOGICAL_ORDER
    | MQGMO_ALL_MSGS_AVAILABLE
    | MQGMO_COMPLETE_MSG
    | MQGMO_ALL_SEGMENTS_AVAILABLE
)

_NO_ID: Final = bytes(24)
_IN_GROUP: Final = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
_SEGMENTED: Final = MQMF_SEGMENT | MQMF_LAST_SEGMENT
_KNOWN: Final = _IN_GROUP | _SEGMENTED | MQMF_SEGMENTATION_ALLOWED
_GREATEST: Final = 999_999_999


class Place(NamedTuple):
    """How far a handle is in a group: the message that was last put, taken or browsed.

    Attributes:
        in_unit: whether under syncpoint; a group is all in units of work or all outside (2245).
        in_message: whether segments of that message are still to come.
        offset: where the next of them begins.
        in_group: a message of a group, not one alone that comes in segments.
    """

    group_id: bytes
    sequence: int
    in_unit: bool
    in_message: bool = False
    offset: int = 0
    in_group: bool = True


class Places(NamedTuple):
    """A handle's places, each None outside a group.

    Attributes:
        browse_from: the position behind which a browse in logical order goes on after the group.
    """

    put: Place | None = None
    got: Place | None = None
    browsed: Place | None = None
    browse_from: int | None = None


def group_status(md: MQMD) -> str:
    """MQGMO.GroupStatus of a message: " ", "G", or "L" for the last of its group."""
    if md.msg_flags & MQMF_LAST_MSG_IN_GROUP:
        return "L"
    return "G" if md.msg_flags & MQMF_MSG_IN_GROUP else " "


def segment_status(md: MQMD) -> str:
    """MQGMO.SegmentStatus: " ", "S", or "L" for the last segment."""
    if md.msg_flags & MQMF_LAST_SEGMENT:
        return "L"
    return "S" if md.msg_flags & MQMF_SEGMENT else " "


def segmentation(md: MQMD) -> str:
    """MQGMO.Segmentation: "A" where the message may be segmented."""
    return "A" if md.msg_flags & MQMF_SEGMENTATION_ALLOWED else " "


# -- putting --------------------------------------------------------------------------------------


def put_in_group(
    connection: Connection,
    handle: Handle,
    md: MQMD,
    options: int,
    length: int,
    doing: str,
    put: Callable[[MQMD], MQMD],
) -> MQMD:
    """Put a message with MsgFlags, or in logical order, and keep the handle's place.

    Args:
        length: of the data, in bytes.
        put: stores the message whose group fields are final.

    Raises:
        MQIError: 2249 to 2253 (bad flags or fields), 2241, 2242 (group or message left
            incomplete), 2245.
    """
    manager = connection.manager
    places = handle.groups or Places()
    if not options & MQPMO_LOGICAL_ORDER:
        return put(_checked(manager, md, length, doing))
    flags = _with_implied(md.msg_flags)
    in_unit = bool(options & MQPMO_SYNCPOINT)
    before = places.put
    if before is not None and (reason := _left(before, flags, in_unit=in_unit)):
        raise mqi_error(reason, doing, object_name=handle.name)
    if before is None:
        # The queue manager says which group it is; what the program gave counts for nothing.
        many = flags & (_IN_GROUP | _SEGMENTED)
        group_id, sequence, offset = (_new_group(manager) if many else _NO_ID), 1, 0
    elif before.in_message:
        group_id, sequence, offset = before.group_id, before.sequence, before.offset
    else:
        group_id, sequence, offset = before.group_id, before.sequence + 1, 0
    placed = md._replace(group_id=group_id, msg_seq_number=sequence, offset=offset, msg_flags=flags)
    stored = put(_checked(manager, placed, length, doing))
    in_message = bool(flags & MQMF_SEGMENT) and not flags & MQMF_LAST_SEGMENT
    in_group = bool(flags & _IN_GROUP)
    goes_on = in_message or (in_group and not flags & MQMF_LAST_MSG_IN_GROUP)
    after = Place(group_id, sequence, in_unit, in_message, offset + length, in_group)
    places = places._replace(put=after if goes_on else None)
    _move(connection, handle, places, in_unit=in_unit)
    return stored


def _left(before: Place, flags: int, *, in_unit: bool) -> int:
    """Why what was begun in logical order does not go on with a message of these flags, or 0."""
    if before.in_message and not flags & MQMF_SEGMENT:
        return codes.MQRC_INCOMPLETE_MSG
    if before.in_group and not flags & _IN_GROUP:
        return codes.MQRC_INCOMPLETE_GROUP
    return 0 if before.in_unit is in_unit else codes.MQRC_INCONSISTENT_UOW


def left_incomplete(handle: Handle) -> int:
    """The warning of MQCLOSE where a group or message put in logical order has no end, or 0."""
    before = None if handle.groups is None else handle.groups.put
    if before is None:
        return 0
    return codes.MQRC_INCOMPLETE_MSG if before.in_message else codes.MQRC_INCOMPLETE_GROUP


def put1_in_group(manager: Manager, md: MQMD, options: int, length: int, doing: str) -> MQMD:
    """The message as MQPUT1 puts it; there is no handle to keep a place in logical order.

    Raises:
        MQIError: 2249 to 2253; 2046 with MQPMO_LOGICAL_ORDER.
    """
    if options & MQPMO_LOGICAL_ORDER:
        raise mqi_error(codes.MQRC_OPTIONS_ERROR, doing, detail="MQPMO_LOGICAL_ORDER on MQPUT1")
    return _checked(manager, md, length, doing)


def _checked(manager: Manager, md: MQMD, length: int, doing: str) -> MQMD:
    """Refuse group fields that do not fit each other, and give a group without id one."""
    flags = _with_implied(md.msg_flags)
    reason = 0
    if flags & MQMF_REJECT_UNSUP_MASK & ~_KNOWN:
        reason, detail = codes.MQRC_MSG_FLAGS_ERROR, f"MsgFlags is 0x{md.msg_flags:X}"
    elif not 1 <= md.msg_seq_number <= _GREATEST:
        reason, detail = codes.MQRC_MSG_SEQ_NUMBER_ERROR, f"MsgSeqNumber is {md.msg_seq_number}"
    elif flags & _SEGMENTED and manager.is_zos:
        reason, detail = codes.MQRC_SEGMENTS_NOT_SUPPORTED, "a segment, on z/OS"
    elif not 0 <= md.offset <= _GREATEST or (md.offset and not flags & _SEGMENTED):
        reason, detail = codes.MQRC_OFFSET_ERROR, f"Offset is {md.offset}"
    elif md.original_length < MQOL_UNDEFINED:
        reason, detail = codes.MQRC_ORIGINAL_LENGTH_ERROR, f"OriginalLength {md.original_length}"
    elif flags & MQMF_SEGMENT and not flags & MQMF_LAST_SEGMENT and not length:
        reason, detail = codes.MQRC_SEGMENT_LENGTH_ZERO, "a segment that is not the last"
    if reason:
        raise mqi_error(reason, doing, detail=detail)
    group_id = md.group_id
    if flags & (_IN_GROUP | _SEGMENTED) and group_id == _NO_ID:
        group_id = _new_group(manager)
    return md._replace(msg_flags=flags, group_id=group_id)


def _with_implied(flags: int) -> int:
    """MQMF_LAST_MSG_IN_GROUP implies MQMF_MSG_IN_GROUP, MQMF_LAST_SEGMENT implies MQMF_SEGMENT."""
    if flags & MQMF_LAST_MSG_IN_GROUP:
        flags |= MQMF_MSG_IN_GROUP
    if flags & MQMF_LAST_SEGMENT:
        flags |= MQMF_SEGMENT
    return flags


def _new_group(manager: Manager) -> bytes:
    with manager.writing():
        from mqtriage.emulator.put import new_id

        return new_id(manager)


def _move(connection: Connection, handle: Handle, places: Places, *, in_unit: bool) -> None:
    """Set the handle's place, and remember the old one for a backout."""
    if in_unit:
        unit = connection.unit
        if unit.before is None:
            unit.before = {}
        unit.before.setdefault(handle, handle.groups)
    handle.groups = places


# -- getting --------------------------------------------------------------------------------------


class Candidate(NamedTuple):
    """What may be retrieved next.

    Attributes:
        lookup: the index to look in, "" for the order of delivery.
        tests: further SQL conditions on `message`.
        values: their values.
        current: the group that the handle is in, or None.
    """

    lookup: str
    tests: str
    values: tuple[object, ...]
    current: Place | None


def free(connection: Connection, handle: Handle) -> str:
    """Which rows a handle may have: committed or put by its own unit, locked by nobody else."""
    unit = "unit IS NULL"
    if handle.queue.id in connection.unit.put_to:
        unit = f"(unit IS NULL OR (unit = {connection.id} AND unit_act = 'put'))"
    if handle.locked is None:
        return f"{unit} AND locked_by IS NULL"
    return f"{unit} AND (locked_by IS NULL OR locked_by = {handle.id})"


def candidate(
    handle: Handle, options: int, doing: str, *, browse: bool, in_unit: bool
) -> Candidate:
    """Which messages a get or browse with these options may return.

    In logical order that is the next of the handle's group; outside a group one that is in none,
    or the first of its group.

    Raises:
        MQIError: 2245 for a group begun under syncpoint and gone on with outside, or the reverse.
    """
    if not options & MQGMO_LOGICAL_ORDER:
        return Candidate("", "", (), None)
    places = handle.groups or Places()
    current = places.browsed if browse else places.got
    if current is None:
        first = _sequence_bytes(1)
        return Candidate("", " AND (group_id IS NULL OR substr(md, 349, 4) = ?)", (first,), None)
    if not browse and current.in_unit is not in_unit:
        raise mqi_error(codes.MQRC_INCONSISTENT_UOW, doing, object_name=handle.name)
    return Candidate(
        "INDEXED BY message_group_id",
        " AND group_id = ? AND substr(md, 349, 4) = ?",
        (current.group_id, _sequence_bytes(current.sequence + 1)),
        current,
    )


def may_return(
    connection: Connection,
    handle: Handle,
    packed: bytes,
    options: int,
    found: Candidate,
    now_us: int,
    doing: str,
) -> bool:
    """Whether a message that was found may be returned: is its group, or are its segments, whole?

    A group that the handle is in already was whole when it was begun.

    Raises:
        MQIError: 2298 where a segment would have to be put together with others.
    """
    md = unpack(packed)
    alive = f"{free(connection, handle)} AND (expires_us IS NULL OR expires_us > {now_us})"
    manager = connection.manager
    if md.msg_flags & _SEGMENTED:
        if options & MQGMO_COMPLETE_MSG:
            raise mqi_error(
                codes.MQRC_FUNCTION_NOT_SUPPORTED,
                doing,
                detail="the emulator does not put segments together (MQGMO_COMPLETE_MSG)",
                object_name=handle.name,
            )
        if options & MQGMO_ALL_SEGMENTS_AVAILABLE and not _has_all_segments(
            manager, handle, md, alive
        ):
            return False
    if not options & MQGMO_ALL_MSGS_AVAILABLE or found.current is not None:
        return True
    return not md.msg_flags & _IN_GROUP or _is_whole(manager, handle, md, alive)


def has_moved(
    connection: Connection, handle: Handle, md: MQMD, options: int, *, in_unit: bool
) -> None:
    """Keep the handle's place after a message was taken."""
    if options & MQGMO_LOGICAL_ORDER:
        places = handle.groups or Places()
        moved = places._replace(got=_after(md, in_unit=in_unit))
        _move(connection, handle, moved, in_unit=in_unit)


def _after(md: MQMD, *, in_unit: bool) -> Place | None:
    """Where a handle is after this message: None after the last of a group, or outside one."""
    goes_on = md.msg_flags & MQMF_MSG_IN_GROUP and not md.msg_flags & MQMF_LAST_MSG_IN_GROUP
    return Place(md.group_id, md.msg_seq_number, in_unit) if goes_on else None


def browse_start(
    handle: Handle, options: int, start: int, doing: str
) -> tuple[int, Candidate | None]:
    """From which position on a browse looks, and for what.

    In logical order the next of a group may stand anywhere, and after its last the browse goes on
    behind its first.

    Args:
        start: where a browse in physical order would begin.

    Raises:
        MQIError: 2259 for BROWSE_NEXT in physical order in the middle of a group.
    """
    places = handle.groups or Places()
    logical = options & MQGMO_LOGICAL_ORDER
    if options & MQGMO_BROWSE_FIRST or (not logical and places.browsed is None):
        handle.groups = places = places._replace(browsed=None, browse_from=None)
    elif not logical:
        raise mqi_error(
            codes.MQRC_INCONSISTENT_BROWSE,
            doing,
            detail="the browse is in the middle of a group, in logical order",
            object_name=handle.name,
        )
    if not options & GROUP_OPTIONS:
        return start, None
    found = candidate(handle, options, doing, browse=True, in_unit=False)
    if found.current is not None:
        return handle.queue.first, found
    if logical and places.browse_from is not None:
        start = places.browse_from + 1
    return start, found


def has_browsed(handle: Handle, md: MQMD, position: int, options: int) -> None:
    """Keep the handle's place after a message was browsed."""
    if options & MQGMO_LOGICAL_ORDER:
        places = handle.groups or Places()
        begins = places.browsed is None
        handle.groups = places._replace(
            browsed=_after(md, in_unit=False),
            browse_from=position if begins else places.browse_from,
        )


def _members(manager: Manager, handle: Handle, group_id: bytes, free: str) -> Iterator[MQMD]:
    rows = manager.store.execute(
        "SELECT md FROM message INDEXED BY message_group_id WHERE group_id = ?"
        f" AND position >= ? AND position < ? AND {free}",
        (group_id, handle.queue.first, handle.queue.last),
    )
    return (unpack(packed) for (packed,) in rows)


def _is_whole(manager: Manager, handle: Handle, md: MQMD, free: str) -> bool:
    """Whether every message of the group from 1 to the last is there to be had."""
    last, there = 0, set()
    for member in _members(manager, handle, md.group_id, free):
        there.add(member.msg_seq_number)
        if member.msg_flags & MQMF_LAST_MSG_IN_GROUP:
            last = member.msg_seq_number
    return last > 0 and there.issuperset(range(1, last + 1))


def _has_all_segments(manager: Manager, handle: Handle, md: MQMD, free: str) -> bool:
    """Whether the segments of the logical message reach from offset 0 to its last without a gap."""
    rows = manager.store.execute(
        "SELECT md, length FROM message INDEXED BY message_group_id WHERE group_id = ?"
        f" AND substr(md, 349, 4) = ? AND position >= ? AND position < ? AND {free}",
        (
            md.group_id,
            _sequence_bytes(md.msg_seq_number),
            handle.queue.first,
            handle.queue.last,
        ),
    )
    parts = sorted(
        (part.offset, length, part.msg_flags)
        for part, length in ((unpack(packed), length) for packed, length in rows)
    )
    end = 0
    for offset, length, flags in parts:
        if offset != end:
            return False
        end += length
        if flags & MQMF_LAST_SEGMENT:
            return True
    return False


def _sequence_bytes(number: int) -> bytes:
    """MsgSeqNumber as it stands in the packed descriptor."""
    return number.to_bytes(4, "little")
