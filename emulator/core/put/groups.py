"""Groups and segments at the put: what MsgFlags and its kin become, and what is refused.

Source: IBM MQ documentation, "MQPUT - Put message" (usage notes on groups and segments), "GroupId",
"Offset", "OriginalLength", reasons 2185, 2241, 2242, 2245, 2249 to 2253.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mqtriage.emulator.core.group_positions import IN_GROUP, GroupPosition, GroupPositions
from mqtriage.emulator.core.put.descriptor import new_id
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.formats import RFH2_FORMAT
from mqtriage.mq.headers.layout import Damage, byte_order
from mqtriage.mq.segments import SEGMENTED

if TYPE_CHECKING:
    from mqtriage.emulator.core.connections import Connection
    from mqtriage.emulator.core.handle import Handle
    from mqtriage.emulator.core.manager import Manager

_KNOWN: Final = IN_GROUP | SEGMENTED | cmqc.MQMF_SEGMENTATION_ALLOWED
_MAY_BE_CUT: Final = SEGMENTED | cmqc.MQMF_SEGMENTATION_ALLOWED
_GREATEST: Final = 999_999_999


def put_in_group(
    connection: Connection,
    handle: Handle,
    md: MQMD,
    options: int,
    body: bytes,
    doing: str,
    put: Callable[[MQMD], MQMD],
) -> MQMD:
    """Put a message with MsgFlags, or in logical order, and keep the handle's place.

    Args:
        put: stores the message whose group fields are final.

    Raises:
        MQIError: 2249 to 2253 (bad flags or fields), 2241, 2242 (group or message left
            incomplete), 2245, 2185 (the same for all of a group), 2443.
    """
    manager = connection.manager
    positions = handle.groups or GroupPositions()
    in_unit = bool(options & cmqc.MQPMO_SYNCPOINT)
    if not options & cmqc.MQPMO_LOGICAL_ORDER:
        stored = put(_checked(manager, md, body, doing))
        if positions.put is not None:
            connection.unit.move(handle, positions._replace(put=None), in_unit=in_unit)
        return stored
    flags = _with_implied(md.msg_flags)
    persistence = md.persistence if md.persistence < 2 else handle.path[0].default_persistence
    before = positions.put
    if before is not None and (reason := _refusal(before, flags, persistence, in_unit=in_unit)):
        raise mqi_error(reason, doing, object_name=handle.name)
    if before is None:
        # The queue manager says which group it is; what the program gave counts for nothing.
        many = flags & _KNOWN
        group_id, sequence, offset = (_new_group(manager) if many else NO_ID), 1, 0
    elif before.in_message:
        group_id, sequence, offset = before.group_id, before.sequence, before.offset
    else:
        group_id, sequence, offset = before.group_id, before.sequence + 1, 0
    placed = md._replace(group_id=group_id, msg_seq_number=sequence, offset=offset, msg_flags=flags)
    stored = put(_checked(manager, placed, body, doing))
    in_message = bool(flags & cmqc.MQMF_SEGMENT) and not flags & cmqc.MQMF_LAST_SEGMENT
    in_group = bool(flags & IN_GROUP)
    is_last = bool(flags & cmqc.MQMF_LAST_MSG_IN_GROUP)
    goes_on = in_message or (in_group and not is_last)
    after = GroupPosition(
        group_id, sequence, in_unit, in_message, offset + len(body), in_group, is_last, persistence
    )
    connection.unit.move(
        handle, positions._replace(put=after if goes_on else None), in_unit=in_unit
    )
    return stored


def _refusal(before: GroupPosition, flags: int, persistence: int, *, in_unit: bool) -> int:
    """Why what was begun in logical order does not go on with such a message, or 0."""
    if before.in_message and not flags & cmqc.MQMF_SEGMENT:
        return cmqc.MQRC_INCOMPLETE_MSG
    if before.in_group and not flags & IN_GROUP:
        return cmqc.MQRC_INCOMPLETE_GROUP
    if before.in_message and before.is_last is not bool(flags & cmqc.MQMF_LAST_MSG_IN_GROUP):
        return cmqc.MQRC_INCOMPLETE_MSG
    if before.in_unit is not in_unit:
        return cmqc.MQRC_INCONSISTENT_UOW
    return 0 if before.persistence == persistence else cmqc.MQRC_INCONSISTENT_PERSISTENCE


def left_incomplete(handle: Handle) -> int:
    """The warning of a put that leaves a group or message in logical order without end, or 0."""
    before = None if handle.groups is None else handle.groups.put
    return 0 if before is None else before.incomplete


def put1_in_group(manager: Manager, md: MQMD, options: int, body: bytes, doing: str) -> MQMD:
    """The message as MQPUT1 puts it; there is no handle to keep a place in logical order."""
    if options & cmqc.MQPMO_LOGICAL_ORDER:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing, detail="MQPMO_LOGICAL_ORDER on MQPUT1")
    return _checked(manager, md, body, doing)


def _checked(manager: Manager, md: MQMD, body: bytes, doing: str) -> MQMD:
    """Refuse group fields that do not fit each other, and fill in those that count for nothing."""
    flags = _with_implied(md.msg_flags)
    length = len(body)
    in_segments = flags & SEGMENTED
    is_report = bool(in_segments) and md.msg_type == cmqc.MQMT_REPORT
    goes_on = in_segments and not flags & cmqc.MQMF_LAST_SEGMENT
    number = md.msg_seq_number if flags & IN_GROUP else 1
    offset = md.offset if in_segments else 0
    end = offset + length if in_segments else 0
    reason = 0
    if flags & cmqc.MQMF_REJECT_UNSUP_MASK & ~_KNOWN:
        reason, detail = cmqc.MQRC_MSG_FLAGS_ERROR, f"MsgFlags is 0x{md.msg_flags:X}"
    elif not 1 <= number <= _GREATEST:
        reason, detail = cmqc.MQRC_MSG_SEQ_NUMBER_ERROR, f"MsgSeqNumber is {md.msg_seq_number}"
    elif in_segments and manager.is_zos:
        reason, detail = cmqc.MQRC_SEGMENTS_NOT_SUPPORTED, "a segment, on z/OS"
    elif not 0 <= md.offset <= _GREATEST or end > _GREATEST:
        reason, detail = cmqc.MQRC_OFFSET_ERROR, f"Offset is {md.offset}"
    elif is_report and md.original_length < max(length, 1 if goes_on else 0):
        reason, detail = cmqc.MQRC_ORIGINAL_LENGTH_ERROR, f"OriginalLength {md.original_length}"
    elif goes_on and not length and not is_report:
        reason, detail = cmqc.MQRC_SEGMENT_LENGTH_ZERO, "a segment that is not the last"
    elif flags & _MAY_BE_CUT and md.format == RFH2_FORMAT and (name := _folder_of_mq(md, body)):
        reason, detail = cmqc.MQRC_SEGMENTATION_NOT_ALLOWED, f"properties in a folder {name}"
    if reason:
        raise mqi_error(reason, doing, detail=detail)
    meant = length if in_segments else cmqc.MQOL_UNDEFINED
    group_id = md.group_id if flags & _KNOWN else NO_ID
    if flags & _KNOWN and group_id == NO_ID:
        group_id = _new_group(manager)
    return md._replace(
        msg_flags=flags,
        group_id=group_id,
        msg_seq_number=number,
        offset=offset,
        original_length=md.original_length if is_report else meant,
    )


def _folder_of_mq(md: MQMD, body: bytes) -> str:
    """The first folder of MQ-defined properties in front of the data, "" where there is none.

    IBM does not list which those are; taken here for them are the folders of the queue manager.
    """
    header = rfh2.decode(body, 0, byte_order(md.encoding) or "<")
    folders = () if isinstance(header, Damage) else header.folders
    return next((folder.name for folder in folders if folder.name in _FOLDERS_OF_MQ), "")


_FOLDERS_OF_MQ: Final = frozenset({"mq", "mqema", "mqps", "mqpse"})


def _with_implied(flags: int) -> int:
    """MQMF_LAST_MSG_IN_GROUP implies MQMF_MSG_IN_GROUP, MQMF_LAST_SEGMENT implies MQMF_SEGMENT."""
    if flags & cmqc.MQMF_LAST_MSG_IN_GROUP:
        flags |= cmqc.MQMF_MSG_IN_GROUP
    if flags & cmqc.MQMF_LAST_SEGMENT:
        flags |= cmqc.MQMF_SEGMENT
    return flags


def _new_group(manager: Manager) -> bytes:
    with manager.writing():
        return new_id(manager)
