"""Delivery delay: staging at the send, and the processor that delivers when the delay is over.

The processor needs no thread. `catch_up` is one ordered walk over what falls due, run by whoever
touches the queue manager next; each batch is a short transaction that reads again what is still
there, so two processes never deliver one message twice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mqtriage.emulator import units
from mqtriage.emulator.connections import Connection
from mqtriage.emulator.expiry import discard
from mqtriage.emulator.get import descriptor
from mqtriage.emulator.manager import Manager
from mqtriage.emulator.put import check_room_in_unit, checked, filled, full, min_cap, new_id, store
from mqtriage.emulator.queues import STAGING_QUEUE, Queue
from mqtriage.emulator.system_puts import (
    dead_letter,
    make_report,
    send_report,
    try_put,
)
from mqtriage.mq import codes
from mqtriage.mq.constants import MQPER_PERSISTENT, MQPMO_SYNCPOINT
from mqtriage.mq.deadletter import Facts, StepKind, outcome
from mqtriage.mq.delay import DelayedSend, due_at_us, refused
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.expiry import expires_at_us, remaining_tenths
from mqtriage.mq.headers import ddh
from mqtriage.mq.reports import ReportKind

BATCH: Final = 1000
RETRY_US: Final = 60_000_000
"""How long after a failed delivery the next try is made: not documented by IBM, a choice."""

_LONG_CATCH_UP: Final = 5000


def send(
    connection: Connection, name: str, md: MQMD, body: bytes, delay_ms: int, options: int = 0
) -> MQMD:
    """Send with a delivery delay, as a JMS client does; returns the descriptor the sender sees.

    The target is checked as if the put went there, and no room is reserved on it (DD-106 to
    DD-109). Under syncpoint the message reaches the staging queue at the commit, but its delay
    counts from now (DD-05, DD-06, DD-34).

    Raises:
        ObjectNotFound: No such target; or no staging queue (2085, DD-56).
        QueueFull: 2053; the text says whether target, staging queue or both (DD-31).
        MQIError: 2013, 2046, 2298, 2051, 2030, 2031 ...
    """
    doing = f"delayed send to {name}"
    manager = connection.manager
    in_unit = bool(options & MQPMO_SYNCPOINT)
    unit = connection.id if in_unit else None
    now = connection.begin(doing, durable=not in_unit)
    try:
        if in_unit:
            check_room_in_unit(connection, doing)
        path = manager.path_to(name, doing)
        refusal = refused(
            DelayedSend(
                delay_ms,
                int(manager.attributes.get("CMDLEVEL", 940)),
                max(0, md.expiry_tenths) * 100,
                (min_cap(path),),
            )
        )
        if refusal is not None:
            raise mqi_error(refusal.reason, doing, detail=refusal.text, object_name=name)
        original = filled(
            connection, checked(manager, path, md, len(body), doing), options, None, now
        )
        staging = _staging_queue(manager, doing)
        _check_room(manager, path[-1], staging, doing)
        due_us = due_at_us(now, delay_ms)
        expires_us = expires_at_us(now, original.expiry_tenths)
        header = ddh.encode_staged(
            due_us, expires_us, manager.identity.name, name, original, now, delay_ms
        )
        _check_length(manager, staging, len(header) + len(body), doing)
        store(
            manager,
            staging,
            _staged(original, new_id(manager), int(manager.attributes.get("CCSID", 1208))),
            header + body,
            now,
            doing,
            unit=unit,
            due_us=due_us,
        )
    except BaseException:
        manager.rollback()
        raise
    manager.commit()
    if in_unit:
        connection.unit.add(persistent=original.persistence == MQPER_PERSISTENT)
    return original


def _staged(original: MQMD, msg_id: bytes, ccsid: int) -> MQMD:
    """The descriptor on the staging queue: new MsgId, the original in CorrelId (DD-51, DD-52)."""
    return original._replace(
        msg_id=msg_id,
        correl_id=original.msg_id,
        format=ddh.DDH_FORMAT,
        encoding=NATIVE_ENCODING,
        ccsid=ccsid,
    )


def _staging_queue(manager: Manager, doing: str) -> Queue:
    staging = manager.queues.get(STAGING_QUEUE)
    if staging is None:
        raise mqi_error(
            codes.MQRC_UNKNOWN_OBJECT_NAME,
            doing,
            detail=f"{STAGING_QUEUE} is not defined",
            hint="mqtriage delay define",
            object_name=STAGING_QUEUE,
        )
    if not staging.put_enabled:
        raise mqi_error(
            codes.MQRC_PUT_INHIBITED,
            doing,
            detail=f"{STAGING_QUEUE} has PUT(DISABLED)",
            hint=f"mqtriage queue set {STAGING_QUEUE} PUT=ENABLED",
            object_name=STAGING_QUEUE,
        )
    return staging


def _check_room(manager: Manager, target: Queue, staging: Queue, doing: str) -> None:
    """Refuse when target, staging queue or both are full, and say which (DD-31, DD-108)."""
    shut = [queue for queue in (target, staging) if _depth(manager, queue) >= queue.max_depth]
    if len(shut) == 1:
        raise full(shut[0], doing)
    if shut:
        raise mqi_error(
            codes.MQRC_Q_FULL,
            doing,
            detail=f"both {target.name} and {staging.name} are full",
            object_name=target.name,
        )


def _depth(manager: Manager, queue: Queue) -> int:
    row = manager.store.execute("SELECT depth FROM counter WHERE queue = ?", (queue.id,)).fetchone()
    return int(row[0]) if row else 0


def _check_length(manager: Manager, staging: Queue, length: int, doing: str) -> None:
    limit = int(manager.attributes["MAXMSGL"])
    if length > min(limit, staging.max_length):
        too_long_for_queue = length > staging.max_length
        raise mqi_error(
            codes.MQRC_MSG_TOO_BIG_FOR_Q if too_long_for_queue
            else codes.MQRC_MSG_TOO_BIG_FOR_Q_MGR,
            doing,
            detail=f"{length} bytes with the delay header, MAXMSGL of "
            + (f"{staging.name} is {staging.max_length}" if too_long_for_queue
               else f"the queue manager is {limit}"),
            hint="mqtriage delay define --maxmsgl BYTES",
            object_name=staging.name,
        )  # fmt: skip


# -- the processor --------------------------------------------------------------------------------


def processor_problem(manager: Manager) -> str:
    """Why the processor does not deliver, or "" while it does."""
    staging = manager.queues.get(STAGING_QUEUE)
    if not manager.state.running:
        return "the queue manager is stopped"
    if staging is None:
        return f"{STAGING_QUEUE} is not defined"
    if not staging.get_enabled:
        return f"{STAGING_QUEUE} has GET(DISABLED)"
    if manager.is_zos and not staging.put_enabled:
        return f"{STAGING_QUEUE} has PUT(DISABLED)"
    return ""


def catch_up(manager: Manager, now_us: int) -> None:
    """Do what has fallen due up to *now_us*, in time order, in batches of short transactions."""
    done = 0
    while True:
        manager.store.begin(durable=True)
        try:
            more, count = _batch(manager, now_us)
        except BaseException:
            manager.rollback()
            raise
        manager.commit()
        if not more:
            return
        if done < _LONG_CATCH_UP <= done + count:
            manager.notice(
                f"{manager.identity.name}: delivering what fell due since the last touch ..."
            )
        done += count


def _batch(manager: Manager, now_us: int) -> tuple[bool, int]:
    manager.refresh()
    execute = manager.store.execute
    if processor_problem(manager):
        execute("UPDATE state SET next_event_us = NULL")
        return False, 0
    rows = execute(
        "SELECT position, event_us FROM message WHERE event_us IS NOT NULL AND event_us <= ?"
        f" AND unit IS NULL ORDER BY event_us, position LIMIT {BATCH}",
        (now_us,),
    ).fetchall()
    reached = manager.state.reached_us
    for position, event_us in rows:
        reached = max(reached, event_us)
        _deliver(manager, position, reached)
    execute("UPDATE state SET reached_us = max(reached_us, ?)", (reached,))
    units.refresh_next_event(manager)
    return len(rows) == BATCH, len(rows)


def _deliver(manager: Manager, position: int, now_us: int) -> None:
    """Take one due message to its target, or do what the documents say when that fails."""
    execute = manager.store.execute
    row = execute(
        "SELECT md, expires_us, backouts, body.data FROM message JOIN body USING (position)"
        " WHERE position = ?",
        (position,),
    ).fetchone()
    packed, expires_us, backouts, data = row
    if expires_us is not None and expires_us <= now_us:
        discard(manager, (position,), now_us)
        return
    staged = descriptor(packed, None, backouts, now_us)
    header = ddh.decode(data)
    if not isinstance(header, ddh.DDH) or header.tail is None or header.target_q is None:
        # Put here by somebody else: there is no saying where it belongs, so it stays.
        execute("UPDATE message SET event_us = NULL WHERE position = ?", (position,))
        return
    original = header.tail.original._replace(
        expiry_tenths=remaining_tenths(expires_us, now_us), report=staged.report
    )
    execute("SAVEPOINT delivery")
    if _dispose(manager, header.target_q, original, data[header.length :], now_us, expires_us):
        execute("DELETE FROM message WHERE position = ?", (position,))
        execute("DELETE FROM body WHERE position = ?", (position,))
        execute(
            "UPDATE counter SET depth = depth - 1, get_us = ? WHERE queue ="
            " (SELECT id FROM queue WHERE name = ?)",
            (now_us, STAGING_QUEUE),
        )
        execute("RELEASE delivery")
        return
    execute("ROLLBACK TO delivery")
    execute("RELEASE delivery")
    retry_us = now_us + RETRY_US
    if expires_us is not None:
        retry_us = min(retry_us, expires_us)
    execute("UPDATE message SET event_us = ? WHERE position = ?", (retry_us, position))


def _dispose(
    manager: Manager, target: str, md: MQMD, body: bytes, now_us: int, expires_us: int | None
) -> bool:
    """Put, dead-letter, discard and report as `mq.deadletter.outcome` says; whether it is done."""
    facts = Facts(
        target_reason=try_put(manager, target, md, body, now_us, expires_us),
        report=md.report,
        persistent=md.persistence == MQPER_PERSISTENT,
    )
    report = None
    while True:
        kind = outcome(facts)[-1].kind
        if kind is StepKind.COMMIT:
            return True
        if kind is StepKind.KEEP:
            return False
        if kind is StepKind.DEAD_LETTER:
            reason = dead_letter(manager, md, body, facts.target_reason, target, now_us, expires_us)
            facts = replace(facts, dead_letter_reason=reason)
            continue
        if report is None:
            report = make_report(
                manager, ReportKind.EXCEPTION, md, body, now_us, reason=facts.target_reason
            )
        if kind is StepKind.REPORT:
            facts = replace(facts, report_reason=send_report(manager, report, now_us))
        else:
            reason = dead_letter(
                manager, report.md, report.body, facts.report_reason or 0, report.queue, now_us,
                None,
            )  # fmt: skip
            facts = replace(facts, report_dead_letter_reason=reason)
