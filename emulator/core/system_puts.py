"""Messages that the queue manager itself puts: reports, dead-lettered ones, delivered ones.

All inside a transaction that the caller has begun; each put is undone by itself when it fails, so
that the caller can go on to the next thing the documents say.
"""

from __future__ import annotations

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put import split
from mqtriage.emulator.core.put_descriptor import checked, new_id
from mqtriage.emulator.core.remote import path_on
from mqtriage.emulator.core.units import Holder
from mqtriage.mq import codes
from mqtriage.mq.constants import MQFMT_DEAD_LETTER_HEADER, MQMF_SEGMENTATION_ALLOWED
from mqtriage.mq.deadletter import dead_letter_header
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import MQIError
from mqtriage.mq.expiry import TENTH_US
from mqtriage.mq.headers import dlh
from mqtriage.mq.reports import ReportKind, ReportMessage, report_message
from mqtriage.mq.times import put_date_and_time


def try_put(
    manager: Manager,
    name: str,
    md: MQMD,
    body: bytes,
    now_us: int,
    expires_us: int | None,
    *,
    queue_manager: str = "",
    holder: Holder | None = None,
    added_bytes: int = 0,
) -> int:
    """Put to a queue by name, without any authority check; returns 0 or the reason it failed with.

    Args:
        md: final, but for persistence and priority as the target's definition resolves them.
        expires_us: when the lifetime ends, where it began earlier than now. CAPEXPRY on the way
            is counted from now, and the earlier end holds.
        queue_manager: where the queue is; blank for here.
        holder: the unit of work it belongs to, or None.
        added_bytes: how many of *body* are not the sender's: MAXMSGL is not held against them.
    """
    from mqtriage.emulator.core.arrival import arrive

    execute = manager.store.execute
    numbers = manager.numbers()
    execute("SAVEPOINT system_put")
    try:
        doing = f"put to {name}"
        path = path_on(manager, name, queue_manager, doing)
        parts = [(md, body)]
        if md.msg_flags & MQMF_SEGMENTATION_ALLOWED:
            parts = list(split(manager, path, md, body))
        for part_md, part_body in parts:
            full = checked(manager, path, part_md, len(part_body) - added_bytes, doing)
            added_bytes = 0  # they stand in the first one
            if part_md.offset > md.offset:
                full = full._replace(msg_id=new_id(manager))
            if expires_us is not None and full.expiry_tenths != md.expiry_tenths:
                expires_us = min(expires_us, now_us + full.expiry_tenths * TENTH_US)
            arrive(
                manager, path, full, part_body, now_us, doing, holder=holder, expires_us=expires_us
            )
        if holder is not None:
            holder.put_to.add(path[-1].id)
    except MQIError as error:
        execute("ROLLBACK TO system_put")
        manager.restore_numbers(numbers)
        execute("RELEASE system_put")
        return error.reason
    execute("RELEASE system_put")
    return 0


def dead_letter(
    manager: Manager,
    md: MQMD,
    body: bytes,
    reason: int,
    target: str,
    now_us: int,
    expires_us: int | None,
    holder: Holder | None = None,
) -> int:
    """Put a message with an MQDLH in front of it to DEADQ; returns 0 or the reason it failed with.

    What is left of its lifetime goes on running (EX-48).
    """
    queue = str(manager.attributes.get("DEADQ", ""))
    if not queue:
        return codes.MQRC_UNKNOWN_OBJECT_NAME
    date, time = put_date_and_time(now_us)
    name = manager.identity.name
    header = dead_letter_header(
        md, reason, queue=target, queue_manager=name, put_date=date, put_time=time
    )
    dead = md._replace(
        format=MQFMT_DEAD_LETTER_HEADER.rstrip(),
        encoding=NATIVE_ENCODING,
        ccsid=int(manager.attributes.get("CCSID", 1208)),
    )
    full = dlh.encode(header) + body
    return try_put(manager, queue, dead, full, now_us, expires_us, holder=holder)


def make_report(
    manager: Manager,
    kind: ReportKind,
    md: MQMD,
    body: bytes,
    now_us: int,
    *,
    reason: int = 0,
) -> ReportMessage:
    """The report about a message, with an id of its own; inside a transaction."""
    date, time = put_date_and_time(now_us)
    return report_message(
        md,
        body,
        kind,
        new_msg_id=new_id(manager),
        queue_manager=manager.identity.name,
        put_date=date,
        put_time=time,
        reason=reason,
    )


def send_report(
    manager: Manager, report: ReportMessage, now_us: int, holder: Holder | None = None
) -> int:
    """Put a report to its reply-to queue, here or elsewhere; returns 0 or the reason of failure."""
    return try_put(
        manager, report.queue, report.md, report.body, now_us, None,
        queue_manager=report.queue_manager, holder=holder,
    )  # fmt: skip


def report_or_dead_letter(
    manager: Manager, report: ReportMessage, now_us: int, holder: Holder | None = None
) -> None:
    """Send a report; one that cannot be delivered goes to the dead-letter queue, or is dropped."""
    reason = send_report(manager, report, now_us, holder)
    if reason:
        dead_letter(manager, report.md, report.body, reason, report.queue, now_us, None, holder)
