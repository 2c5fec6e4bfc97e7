"""A message whose descriptor is final is written to its queue in the file."""

from __future__ import annotations

from mqtriage.emulator.core.holder import PUT, STAGE
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue, position_of
from mqtriage.emulator.core.tables import counters, messages
from mqtriage.emulator.core.timetable import scan_at_or_after
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE, agreed_end_us
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.expiry import expires_at_us
from mqtriage.mq.headers import ddh
from mqtriage.mq.headers.formats import DDH_FORMAT
from mqtriage.mq.headers.layout import Damage, order_of


def store(
    manager: Manager,
    queue: Queue,
    md: MQMD,
    body: bytes,
    put_us: int,
    doing: str,
    *,
    unit: int | None = None,
    expires_us: int | None = None,
    due_us: int | None = None,
    act: str = PUT,
) -> int:
    """Write a message whose descriptor is final to the end of a queue; returns its position.

    Must run inside a transaction of *manager*, which the caller undoes when this raises.

    Args:
        unit: the connection whose unit of work it belongs to, or None.
        expires_us: when its lifetime ends, where it did not begin with this put.
        due_us: for a staged message, when its delay completes.
        act: what the unit of work says of it (`units`).

    Raises:
        QueueFull: 2053.
    """
    if md.format == DDH_FORMAT and due_us is None and queue.name == STAGING_QUEUE:
        due_us, end_us = _staged_again(md, body, put_us)
        expires_us = expires_us or end_us
    staged_in_unit = due_us is not None and unit is not None
    depth, arrival = counters.count_arrival(
        manager.store, queue.id, put_us, 0 if staged_in_unit else 1
    )
    if queue.name == STAGING_QUEUE:
        depth += staged_in_unit + reserved(manager, queue)
    if depth > queue.max_depth:
        if manager.observed:
            manager.refused.append(queue.name)
        raise full(queue, doing)
    position = position_of(queue, md.priority, arrival)
    if expires_us is None and md.expiry_tenths != -1:
        expires_us = expires_at_us(put_us, md.expiry_tenths)
    unit_act = None if unit is None else STAGE if staged_in_unit else act
    row = messages.new(position, md, body, put_us, expires_us, due_us, unit, unit_act)
    messages.insert(manager.store, row, body)
    if unit is None and (expires_us is not None or due_us is not None):
        _wake(manager, expires_us, due_us)
    return position


def reserved(manager: Manager, staging: Queue) -> int:
    """Messages that units of work will place on the staging queue at their commit.

    Until then they do not count in CURDEPTH (DD-34), but they have room: a send that the commit
    could not place is refused, by whichever unit of work or program it is made.
    """
    return messages.count_acts(manager.store, STAGE, staging.max_depth + 1)


def _staged_again(md: MQMD, body: bytes, now_us: int) -> tuple[int | None, int | None]:
    """When a message is due that a program puts on the staging queue with our own delay header.

    And when its lifetime ends, None where only its descriptor says.
    So what was taken off can be put back as it was. Of one that was due meanwhile the time is now;
    a message without our tail is no business of the processor. What a real queue manager does with
    a message that is put there is not known.
    """
    order, _ = order_of(body, 0, md.encoding, ddh.VERSIONS)
    header = ddh.decode(body, 0, order)
    if isinstance(header, Damage) or header.tail is None or header.damages:
        return None, None
    latest_us = expires_at_us(now_us, md.expiry_tenths)
    end_us = None if latest_us is None else agreed_end_us(header.expiry_raw, latest_us)
    return max(header.time_us, now_us), end_us


def _wake(manager: Manager, expires_us: int | None, due_us: int | None) -> None:
    """Let the processor and the expirer come round for a new message."""
    if due_us is not None:
        manager.wake(due_us)
    if expires_us is not None and (scan_us := scan_at_or_after(manager, expires_us)) is not None:
        manager.wake(scan_us)


def full(queue: Queue, doing: str) -> MQIError:
    """The error of a queue that has no room for one more."""
    return mqi_error(
        cmqc.MQRC_Q_FULL,
        doing,
        detail=f"{queue.name} holds MAXDEPTH({queue.max_depth}) messages",
        object_name=queue.name,
    )
