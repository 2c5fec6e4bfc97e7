"""Messages that the queue manager itself puts: reports, dead-lettered ones, delivered ones.

All inside a transaction that the caller has begun; each put is undone by itself when it fails, so
that the caller can go on to the next thing the documents say.
"""

from __future__ import annotations

from mqtriage.emulator.manager import Manager
from mqtriage.emulator.put import checked, new_id, store
from mqtriage.model.times import put_date_and_time
from mqtriage.mq import codes
from mqtriage.mq.constants import MQFMT_DEAD_LETTER_HEADER
from mqtriage.mq.deadletter import dead_letter_header
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import MQIError
from mqtriage.mq.headers import dlh
from mqtriage.mq.reports import ReportKind, ReportMessage, report_message


def try_put(
    manager: Manager, name: str, md: MQMD, body: bytes, now_us: int, expires_us: int | None
) -> int:
    """Put to a queue by name, without any authority check; returns 0 or the reason it failed with.

    Args:
        md: final, but for persistence and priority as the target's definition resolves them.
        expires_us: when the lifetime ends, where it began earlier than now.
    """
    execute = manager.store.execute
    execute("SAVEPOINT system_put")
    try:
        path = manager.path_to(name, f"put to {name}")
        full = checked(manager, path, md, len(body), f"put to {name}")
        store(manager, path[-1], full, body, now_us, f"put to {name}", expires_us=expires_us)
    except MQIError as error:
        execute("ROLLBACK TO system_put")
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
    return try_put(manager, queue, dead, dlh.encode(header) + body, now_us, expires_us)


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


def send_report(manager: Manager, report: ReportMessage, now_us: int) -> int:
    """Put a report to its reply-to queue; returns 0 or the reason it failed with."""
    if report.queue_manager not in ("", manager.identity.name):
        return codes.MQRC_UNKNOWN_REMOTE_Q_MGR
    return try_put(manager, report.queue, report.md, report.body, now_us, None)


def report_or_dead_letter(manager: Manager, report: ReportMessage, now_us: int) -> None:
    """Send a report; one that cannot be delivered goes to the dead-letter queue, or is dropped."""
    reason = send_report(manager, report, now_us)
    if reason:
        dead_letter(manager, report.md, report.body, reason, report.queue, now_us, None)
