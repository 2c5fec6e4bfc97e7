"""A message reaches a queue, and what that brings about: reports, triggers, the dead-letter queue.

Puts that need none of this (no alias, no transmission or triggered queue, no COA) are stored by
`put` itself, since most puts are like that. What the queue manager itself puts - reports,
dead-lettered and delivered messages - comes through `try_put`: inside a transaction that the caller
has begun, each put undone by itself when it fails, so that the caller can go on to the next thing
the documents say.

A confirmation (COA when a message arrives on its queue, COD when it is taken off) belongs to the
unit of work of the put or get that caused it and counts in MAXUMSGS there.
One that cannot be delivered goes to the dead-letter queue.
Sources: IBM MQ documentation, "Report (MQLONG)" and "ALTER QMGR", MAXUMSGS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mqtriage.emulator.core import remote
from mqtriage.emulator.core.holder import Holder
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.descriptor import checked, enforces_maximum, new_id
from mqtriage.emulator.core.put.insert import store
from mqtriage.emulator.core.queues import COMMANDS, TEMPORARY, TRANSMISSION, TRIGGERED, Queue
from mqtriage.emulator.core.remote import path_for_put
from mqtriage.emulator.core.timetable import is_served
from mqtriage.mq import cmqc
from mqtriage.mq.deadletter import DueMessageFacts, StepKind, dead_letter_header, outcome
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.expiry import TENTH_US
from mqtriage.mq.headers import dlh
from mqtriage.mq.headers.chain import announced_length
from mqtriage.mq.headers.formats import DDH_FORMAT
from mqtriage.mq.reports import ReportData, ReportKind, ReportMessage, data_of, report_message
from mqtriage.mq.segments import pieces
from mqtriage.mq.times import put_date_and_time


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
    if md.report & cmqc.MQRO_COA and not leaves:
        confirm(manager, md, body, now_us, holder, doing, ReportKind.COA)
    if unit is None and _is_served(manager, queue):
        manager.wake(now_us)
    if queue.special & TRIGGERED:
        manager.hooks.after_put(manager, queue, md.priority, now_us, holder, doing)


def _is_served(manager: Manager, queue: Queue) -> bool:
    """Whether the command server or a channel takes from a queue what comes."""
    if queue.special & COMMANDS:
        return True
    return bool(queue.special & TRANSMISSION) and is_served(manager, queue.name)


def refuse_bad_transmission(
    manager: Manager, path: tuple[Queue, ...], md: MQMD, body: bytes, doing: str
) -> None:
    """Refuse a put straight to a transmission queue that MQ refuses (EX-57, EX-59)."""
    if not path[-1].special & TRANSMISSION or remote.is_remote(path):
        return
    check = manager.switches.get("xmitq_expiry_check", "consistent")
    enforced = enforces_maximum(manager)
    reason, detail = remote.direct_put_reason(md, body, check, enforce_maximum=enforced)
    if reason:
        raise mqi_error(reason, doing, detail=detail, object_name=path[-1].name)


def split(
    manager: Manager, path: tuple[Queue, ...], md: MQMD, body: bytes
) -> Sequence[tuple[MQMD, bytes]]:
    """The message, or the segments that fit where it is to be put; itself where it cannot be cut.

    Source: IBM MQ documentation, "MsgFlags" (MQMF_SEGMENTATION_ALLOWED).
    """
    most = room(manager, path)
    if manager.is_zos or len(body) <= most:
        return [(md, body)]
    return pieces(md, body, most) or [(md, body)]


def room(manager: Manager, path: tuple[Queue, ...]) -> int:
    """How long the data of one segment may be, in bytes."""
    most = min(int(manager.attributes["MAXMSGL"]), path[-1].max_length)
    return (
        most - (cmqc.MQXQH_CURRENT_LENGTH + cmqc.MQMDE_CURRENT_LENGTH)
        if remote.is_remote(path)
        else most
    )


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
    is_publication: bool = False,
) -> int:
    """Put to a queue by name, without any authority check; returns 0 or the reason it failed with.

    Args:
        md: final, but for persistence and priority as the target's definition resolves them.
        expires_us: when the lifetime ends, where it began earlier than now. CAPEXPRY on the way
            is counted from now, and the earlier end holds.
        holder: the unit of work it belongs to, or None.
        added_bytes: how many of *body* are not the sender's: MAXMSGL is not held against them.
        is_publication: it is a subscriber's copy, which a temporary dynamic queue takes as
            nonpersistent: it holds no other messages, and SYSTEM.NDURABLE.MODEL.QUEUE makes
            such queues for publications of either kind (IBM MQ documentation, "Dynamic and model
            queues"; which persistence the subscriber sees is a choice of ours).
    """
    execute = manager.store.execute
    numbers = manager.numbers()
    execute("SAVEPOINT system_put")
    try:
        doing = f"put to {name}"
        path = path_for_put(manager, name, queue_manager, doing)
        if is_publication and path[-1].special & TEMPORARY:
            md = md._replace(persistence=cmqc.MQPER_NOT_PERSISTENT)
        parts = [(md, body)]
        if md.msg_flags & cmqc.MQMF_SEGMENTATION_ALLOWED:
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
        return cmqc.MQRC_UNKNOWN_OBJECT_NAME
    date, time = put_date_and_time(now_us)
    name = manager.identity.name
    header = dead_letter_header(
        md, reason, queue=target, queue_manager=name, put_date=date, put_time=time
    )
    format_ = cmqc.MQFMT_DEAD_LETTER_HEADER.rstrip()
    dead = md._replace(format=format_, encoding=NATIVE_ENCODING, ccsid=manager.ccsid)
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
    is_short = data_of(md.report, kind) is ReportData.FIRST_100
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
        header_length_bytes=announced_length(md, body) if is_short else 0,
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


def confirm(
    manager: Manager,
    md: MQMD,
    body: bytes,
    now_us: int,
    holder: Holder | None,
    doing: str,
    kind: ReportKind = ReportKind.COD,
) -> None:
    """Make the COA or COD report of a message that asks for one.

    A staged message that somebody takes off the staging queue was not delivered: no COD.

    Raises:
        MQIError: 2024 when it no longer fits the unit of work.
    """
    if kind is ReportKind.COD and md.format == DDH_FORMAT:
        return
    if holder is not None:
        holder.add(doing)
    report = make_report(manager, kind, md, body, now_us)
    report_or_dead_letter(manager, report, now_us, holder)


def dispose(
    manager: Manager,
    facts: DueMessageFacts,
    target: str,
    md: MQMD,
    body: bytes,
    expires_us: int | None,
    now_us: int,
) -> bool:
    """Dead-letter, discard and report as `mq.deadletter.outcome` says; whether it is done.

    For a message that its queue refused on its way from a delay or over a channel.
    """
    report = None
    while True:
        kind = outcome(facts)[-1].kind
        if kind in (StepKind.COMMIT, StepKind.KEEP):
            return kind is StepKind.COMMIT
        reason = facts.target_reason
        if kind is StepKind.DEAD_LETTER:
            why = dead_letter(manager, md, body, reason, target, now_us, expires_us)
            facts = replace(facts, dead_letter_reason=why)
            continue
        if report is None:
            report = make_report(manager, ReportKind.EXCEPTION, md, body, now_us, reason=reason)
        if kind is StepKind.REPORT:
            facts = replace(facts, report_reason=send_report(manager, report, now_us))
        else:
            refused = facts.report_reason or 0
            why = dead_letter(manager, report.md, report.body, refused, report.queue, now_us, None)
            facts = replace(facts, report_dead_letter_reason=why)
