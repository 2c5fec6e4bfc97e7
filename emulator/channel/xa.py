"""XA over a client channel: a transaction manager starts, prepares, ends and recovers branches.

What a branch is to the queue manager `core.branches` says; here is when which call may come, and
the return code of each. One branch has one connection at a time: a join of a branch that another
one works in is refused.

Source: X/Open CAE Specification "Distributed Transaction Processing: The XA Specification",
chapters 5 and 6; the recorded exchanges.
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import Final

from mqtriage.emulator.channel.bodies import Body
from mqtriage.emulator.channel.conversation import Conversation
from mqtriage.emulator.channel.segments import SegmentType
from mqtriage.emulator.core import branches, units
from mqtriage.emulator.core.branches import BranchWork
from mqtriage.emulator.core.tables import branches as table
from mqtriage.emulator.mqi.session import Session
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, MQTriageError
from mqtriage.mq.structures import ByteOrder


class XaReturnCode(IntEnum):
    """Return codes; those from 100 say that the branch was rolled back."""

    OK = 0
    READ_ONLY = 3
    ROLLED_BACK = 100
    CANNOT_PREPARE = 104
    RESOURCE_ERROR = -3
    NO_SUCH_BRANCH = -4
    INVALID = -5
    OUT_OF_TURN = -6
    RESOURCE_GONE = -7
    DUPLICATE = -8
    OUTSIDE_WORK = -9


JOIN: Final = 0x00200000
END_SCAN: Final = 0x00800000
START_SCAN: Final = 0x01000000
SUSPEND: Final = 0x02000000
SUCCESS: Final = 0x04000000
RESUME: Final = 0x08000000
FAIL: Final = 0x20000000
ONE_PHASE: Final = 0x40000000
"""Flags of calls."""

_MOST_ID_BYTES: Final = 64
_GONE: Final = frozenset((cmqc.MQRC_CONNECTION_BROKEN, cmqc.MQRC_HCONN_ERROR))


def xid_of(body: Body) -> bytes | None:
    """A branch's name as it is kept: format, lengths and both identifiers; None for none."""
    lengths = body.get("global_length", 0), body.get("branch_length", 0)
    data = body.get("xid", b"")[: sum(lengths)]
    if not 1 <= lengths[0] <= _MOST_ID_BYTES or lengths[1] > _MOST_ID_BYTES:
        return None
    if body["format_id"] == -1 or len(data) < sum(lengths):
        return None
    head = branches.XID_HEAD.pack(body["format_id"], *lengths)
    return head + bytes(data)


def reply_to(conversation: Conversation, kind: int, body: Body) -> Body:
    """Do one call; only with the lock of the queue manager."""
    answer: Body = {**body}
    try:
        conversation.session.connection.look("XA call")
        if kind == SegmentType.XA_RECOVER:
            return _recovered(conversation, body)
        answer["return_value"] = _code(conversation, kind, body)
    except MQIError as error:
        gone = error.reason in _GONE
        answer["return_value"] = XaReturnCode.RESOURCE_GONE if gone else XaReturnCode.RESOURCE_ERROR
    except MQTriageError:
        answer["return_value"] = XaReturnCode.RESOURCE_ERROR
    return answer


def _code(conversation: Conversation, kind: int, body: Body) -> XaReturnCode:
    if kind in (SegmentType.XA_OPEN, SegmentType.XA_CLOSE):
        return XaReturnCode.OUT_OF_TURN if conversation.branch else XaReturnCode.OK
    xid = xid_of(body)
    if xid is None:
        return XaReturnCode.INVALID
    if kind == SegmentType.XA_START:
        return start(conversation, xid, body["flags"])
    if kind == SegmentType.XA_END:
        return end(conversation, xid, body["flags"])
    session = conversation.session
    branch = table.of_xid(session.connection.manager.store, xid)
    if branch is None:
        return XaReturnCode.NO_SUCH_BRANCH
    work = session.shared.branches.get(xid)
    if work is None:
        work = BranchWork(units.Unit(branch.number), session.connection)
    elif work.is_associated:
        return XaReturnCode.OUT_OF_TURN
    code = _ended(session, kind, branch, work, body["flags"])
    session.shared.wake_up.notify()
    return code


# -- working in a branch --------------------------------------------------------------------------


def start(conversation: Conversation, xid: bytes, flags: int) -> XaReturnCode:
    """Let the conversation's work belong to a branch: a new one, or one that it goes on with."""
    session = conversation.session
    connection, live = session.connection, session.shared.branches
    if conversation.branch:
        return XaReturnCode.OUT_OF_TURN
    if connection.unit.count:
        return XaReturnCode.OUTSIDE_WORK
    branch = table.of_xid(connection.manager.store, xid)
    if not flags & (JOIN | RESUME):
        if branch is not None:
            return XaReturnCode.DUPLICATE
        work = live[xid] = BranchWork(branches.begin(connection, xid), connection)
    else:
        if branch is None or xid not in live:
            return XaReturnCode.NO_SUCH_BRANCH
        work = live[xid]
        if (
            branch.is_prepared
            or work.is_associated
            or work.is_suspended is not bool(flags & RESUME)
        ):
            return XaReturnCode.OUT_OF_TURN
        if work.is_failed:
            return XaReturnCode.ROLLED_BACK
        if work.owner is not connection:
            branches.hand_over(connection, branch.number)
            work.owner, work.unit.before = connection, None
    work.is_associated, work.is_suspended = True, False
    conversation.branch, connection.unit = xid, work.unit
    return XaReturnCode.OK


def end(conversation: Conversation, xid: bytes, flags: int) -> XaReturnCode:
    """Let the conversation's work belong to the branch no more.

    With TMFAIL the branch is rolled back and forgotten at once: a transaction manager that rolls it
    back then is told that there is none, as it is by a queue manager (reports of Narayana's users,
    ARJUNA016045).
    """
    session = conversation.session
    connection = session.connection
    work = session.shared.branches.get(xid)
    if work is None:
        return XaReturnCode.NO_SUCH_BRANCH
    if xid == conversation.branch:
        conversation.branch, connection.unit = b"", connection.new_unit()
        work.is_associated, work.is_suspended = False, bool(flags & SUSPEND)
    elif work.is_suspended and not flags & SUSPEND:
        work.is_suspended = False
    else:
        return XaReturnCode.OUT_OF_TURN
    if flags & FAIL:
        session.is_spoiled = False
        branch = table.of_xid(connection.manager.store, xid)
        if branch is not None:
            branches.finish(connection, branch.number, work.unit, committed=False)
        session.shared.branches.pop(xid, None)
        session.shared.wake_up.notify()
    elif session.is_spoiled:
        work.is_failed, session.is_spoiled = True, False
    group = connection.shared
    if group is not None and group.unit.count:  # its file knows of no branches
        group.back_out()
        work.is_failed = True
        return XaReturnCode.CANNOT_PREPARE
    return XaReturnCode.OK


# -- its end --------------------------------------------------------------------------------------


def _ended(
    session: Session, kind: int, branch: table.Branch, work: BranchWork, flags: int
) -> XaReturnCode:
    """Prepare, commit or roll back; a branch that did nothing ends as it is prepared.

    What a publication does in the commit itself, a retained one or one for other queue managers,
    is known to this run alone: such a branch can be committed in one phase only. To forget one is
    refused: no branch is ever ended but as its transaction manager says.
    """
    committed, code = False, XaReturnCode.OK
    if kind != SegmentType.XA_ROLLBACK:
        expected = kind == SegmentType.XA_COMMIT and not flags & ONE_PHASE
        if kind == SegmentType.XA_FORGET or work.is_suspended or branch.is_prepared is not expected:
            return XaReturnCode.OUT_OF_TURN
        if work.is_failed:
            code = XaReturnCode.ROLLED_BACK
        elif kind == SegmentType.XA_COMMIT:
            committed = True
        elif work.unit.at_commit:
            code = XaReturnCode.CANNOT_PREPARE
        elif not work.unit.count:
            committed, code = True, XaReturnCode.READ_ONLY
        else:
            branches.prepare(session.connection, branch.number)
            return XaReturnCode.OK
    branches.finish(session.connection, branch.number, work.unit, committed=committed)
    session.shared.branches.pop(branch.xid, None)
    return code


# -- what is in doubt -----------------------------------------------------------------------------


def _recovered(conversation: Conversation, body: Body) -> Body:
    """Names of prepared branches: so many of a scan as are asked for."""
    if body["count"] < 0:
        return {**body, "return_value": XaReturnCode.INVALID}
    if body["flags"] & START_SCAN:
        store = conversation.session.connection.manager.store
        conversation.in_doubt = [branch.xid for branch in table.prepared(store)]
    count = body["count"]
    names, conversation.in_doubt = conversation.in_doubt[:count], conversation.in_doubt[count:]
    if body["flags"] & END_SCAN:
        conversation.in_doubt = []
    raw = b"".join(_on_the_wire(xid, conversation.order) for xid in names)
    return {**body, "return_value": len(names), "count": len(names), "xids": raw}


def _on_the_wire(xid: bytes, order: ByteOrder) -> bytes:
    head = branches.XID_HEAD
    ordered = Struct(order + head.format[1:])
    raw = ordered.pack(*head.unpack_from(xid)) + xid[head.size :]
    return raw + bytes(-len(raw) % 4)
