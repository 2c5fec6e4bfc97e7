"""The marks by which a planned message is known again, and the search for it.

MsgIds repeat (copies, groups, programs that set them), so all marks are compared.
"""

from __future__ import annotations

from hashlib import sha256

from mqtriage.backends.port import Match, QueueHandle
from mqtriage.model.plan import PlannedMessage
from mqtriage.mq import cmqc
from mqtriage.mq.errors import NoMessageAvailable
from mqtriage.mq.message import Message


def to_planned(message: Message) -> PlannedMessage:
    """The marks of a message."""
    md = message.md
    return PlannedMessage(
        md.msg_id,
        md.correl_id,
        md.put_date,
        md.put_time,
        message.length_bytes,
        sha256(message.body).digest(),
        md.report,
        md.persistence,
        md.expiry_tenths,
        md.backout_count,
    )


def is_same(planned: PlannedMessage, message: Message) -> bool:
    """Whether *message* is the one that was planned; the digest is worked out last."""
    md = message.md
    return (
        md.msg_id == planned.msg_id
        and md.correl_id == planned.correl_id
        and message.length_bytes == planned.length_bytes
        and md.put_time == planned.put_time
        and md.put_date == planned.put_date
        and sha256(message.body).digest() == planned.digest
    )


def is_alike(planned: PlannedMessage, message: Message) -> bool:
    """Whether MsgId and data are the same, whatever else differs."""
    return (
        message.md.msg_id == planned.msg_id
        and message.length_bytes == planned.length_bytes
        and sha256(message.body).digest() == planned.digest
    )


def is_as_planned(planned: PlannedMessage, message: Message) -> bool:
    """Whether it is the same and asks for what the plan has counted: reports, and persistence."""
    md = message.md
    unchanged = (md.report, md.persistence) == (planned.report, planned.persistence)
    return unchanged and is_same(planned, message)


def locate(source: QueueHandle, planned: PlannedMessage, *, lock: bool = True) -> Message | None:
    """Find the planned message by its marks and leave the cursor on it, locked; None when gone.

    The plan is in queue order, so the search goes on from the cursor; only then from the front.
    Other messages with the same ids are passed over.

    Args:
        lock: False where the queue is open for browse alone.
    """
    locked = cmqc.MQGMO_LOCK if lock else 0
    match = Match(msg_id=planned.msg_id, correl_id=planned.correl_id)
    for start in (cmqc.MQGMO_BROWSE_NEXT, cmqc.MQGMO_BROWSE_FIRST):
        option = start
        while True:
            try:
                message = source.get(option | locked, match)
            except NoMessageAvailable:
                break
            if is_as_planned(planned, message):
                return message
            option = cmqc.MQGMO_BROWSE_NEXT
    return None


def count_same(handle: QueueHandle, planned: PlannedMessage) -> int:
    """How many messages with these marks are on a queue that is open for browse."""
    match = Match(msg_id=planned.msg_id, correl_id=planned.correl_id)
    return sum(is_same(planned, message) for message in handle.browse(match))
