"""A message reaches a queue: what a put does beside storing.

Puts that need none of this (no alias, no transmission or triggered queue, no COA) are stored by
`put` itself, since most puts are like that.
"""

from __future__ import annotations

from mqtriage.emulator.core import remote
from mqtriage.emulator.core.confirmations import confirm_arrival
from mqtriage.emulator.core.insert import store
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put_descriptor import enforces_maximum, new_id
from mqtriage.emulator.core.queues import COMMANDS, TRANSMISSION, TRIGGERED, Queue
from mqtriage.emulator.core.units import Holder
from mqtriage.emulator.due import triggers
from mqtriage.mq.constants import MQRO_COA
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import mqi_error


def arrive(
    manager: Manager,
    path: tuple[Queue, ...],
    md: MQMD,
    body: bytes,
    now_us: int,
    doing: str,
    *,
    holder: Holder | None = None,
    expires_us: int | None = None,
) -> None:
    """Store a final message, confirm its arrival and trigger; inside a transaction of *manager*.

    Args:
        path: definitions from the name that was opened to the local queue.
        holder: the unit of work, or None.
        expires_us: when its lifetime ends, where it did not begin with this put.

    Raises:
        QueueFull: 2053.
        MQIError: 2024.
    """
    queue, unit = path[-1], holder.id if holder else None
    leaves = remote.is_remote(path)
    if leaves:
        md, body = remote.wrapped(manager, path[-2], md, body, new_id(manager), now_us)
    store(manager, queue, md, body, now_us, doing, unit=unit, expires_us=expires_us)
    if md.report & MQRO_COA and not leaves:
        confirm_arrival(manager, md, body, now_us, holder, doing)
    if queue.special & COMMANDS and unit is None:
        manager.wake(now_us)
    if queue.special & TRIGGERED:
        triggers.after_put(manager, queue, md.priority, now_us, holder, doing)


def refuse_bad_transmission(
    manager: Manager, path: tuple[Queue, ...], md: MQMD, body: bytes, doing: str
) -> None:
    """Refuse a put straight to a transmission queue that MQ refuses (EX-57, EX-59).

    Raises:
        MQIError: 2013.
    """
    if not path[-1].special & TRANSMISSION or remote.is_remote(path):
        return
    reason, said = remote.direct_put_reason(
        md,
        body,
        manager.switches.get("xmitq_expiry_check", "consistent"),
        enforce_maximum=enforces_maximum(manager),
    )
    if reason:
        raise mqi_error(reason, doing, detail=said, object_name=path[-1].name)
