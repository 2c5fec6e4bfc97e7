"""How far a handle is in groups and in messages that come in segments.

Source: IBM MQ documentation, "Logical and physical ordering", "MQGMO - Options", reasons 2241,
2242.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.records import NamedTuple

GROUP_OPTIONS: Final = (
    cmqc.MQGMO_LOGICAL_ORDER
    | cmqc.MQGMO_ALL_MSGS_AVAILABLE
    | cmqc.MQGMO_COMPLETE_MSG
    | cmqc.MQGMO_ALL_SEGMENTS_AVAILABLE
)


IN_GROUP: Final = cmqc.MQMF_MSG_IN_GROUP | cmqc.MQMF_LAST_MSG_IN_GROUP


class GroupPosition(NamedTuple):
    """How far a handle is in a group: the message that was last put, taken or browsed.

    Attributes:
        in_unit: whether under syncpoint; a group is all in units of work or all outside (2245).
        in_message: whether segments of that message are still to come.
        offset: where the next of them begins.
        in_group: a message of a group, not one alone that comes in segments.
        is_last: the last message of its group.
        persistence: of all of the group, at the put; -1 where it does not matter.
    """

    group_id: bytes
    sequence: int
    in_unit: bool
    in_message: bool = False
    offset: int = 0
    in_group: bool = True
    is_last: bool = False
    persistence: int = -1

    @property
    def incomplete(self) -> int:
        """The reason that tells of what is left incomplete here."""
        return cmqc.MQRC_INCOMPLETE_MSG if self.in_message else cmqc.MQRC_INCOMPLETE_GROUP


class GroupPositions(NamedTuple):
    """A handle's positions, each None outside a group.

    Attributes:
        browse_from: the position behind which a browse in logical order goes on after the group.
        browses_logically: whether the last browse was in logical order.
    """

    put: GroupPosition | None = None
    got: GroupPosition | None = None
    browsed: GroupPosition | None = None
    browse_from: int | None = None
    browses_logically: bool = False


def statuses(md: MQMD) -> str:
    """GroupStatus, SegmentStatus and Segmentation of MQGMO, a letter or blank each.

    Of a group "G", of its last message "L"; a segment "S", the last one "L"; "A" where the message
    may be segmented.
    """
    flags = md.msg_flags
    group = (
        "L"
        if flags & cmqc.MQMF_LAST_MSG_IN_GROUP
        else "G"
        if flags & cmqc.MQMF_MSG_IN_GROUP
        else " "
    )
    segment = "L" if flags & cmqc.MQMF_LAST_SEGMENT else "S" if flags & cmqc.MQMF_SEGMENT else " "
    return group + segment + ("A" if flags & cmqc.MQMF_SEGMENTATION_ALLOWED else " ")
