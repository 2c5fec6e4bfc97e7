"""The send side of delivery delay: what is checked, and what is put on the staging queue."""

from __future__ import annotations

from dataclasses import replace

from mqtriage.emulator.core import remote
from mqtriage.emulator.core.connections import Connection, check_room_in_unit
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.descriptor import checked, filled, min_cap, new_id
from mqtriage.emulator.core.put.insert import full, reserved, store
from mqtriage.emulator.core.put.put import put1
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.tables import counters, tallies
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE, DelayedSend, due_at_us, refused
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING, NO_ID
from mqtriage.mq.errors import UsageError, enabling, mqi_error
from mqtriage.mq.expiry import expires_at_us
from mqtriage.mq.headers import ddh
from mqtriage.records import NamedTuple


def send(
    connection: Connection, name: str, md: MQMD, body: bytes, delay_ms: int, options: int = 0
) -> MQMD:
    """Send with a delivery delay, as a JMS client does; returns the descriptor the sender sees.

    The target is checked as if the put went there, and no room is reserved on it (DD-106 to
    DD-109); so is the sender's authority to put there, now and never again (DD-37 to DD-41). Under
    syncpoint the message reaches the staging queue at the commit, but its delay counts from now
    (DD-05, DD-06, DD-34). A delay of 0 is an ordinary put (DD-09).

    Raises:
        UsageError: A negative delay.
        ObjectNotFound: No such target; or no staging queue (2085, DD-56).
        QueueFull: 2053; the text says whether target, staging queue or both (DD-31).
        MQIError: 2013, 2035, 2046, 2298, 2051, 2030, 2031 ...
    """
    if delay_ms == 0:
        return put1(connection, name, md, body, options)
    doing = f"delayed send to {name}"
    check_delay(delay_ms, doing)
    manager = connection.manager
    connection.look(doing)
    if connection.checked or manager.switches:
        connection.check_put1(name, options, doing)
    in_unit = bool(options & cmqc.MQPMO_SYNCPOINT)
    unit = connection.unit_number if in_unit else None
    with connection.writing(doing, durable=not in_unit) as now:
        if in_unit:
            check_room_in_unit(connection, doing)
        there = connection.at(name).manager  # or the queue-sharing group's (DD-46, DD-64)
        path = remote.path_for_put(there, name, "", doing)
        says = path[0].attributes.get
        delayed = DelayedSend(
            delay_ms,
            caps_tenths=(min_cap(path),),
            clustered=bool(says("CLUSTER") or says("CLUSNL")),
            defbind=str(says("DEFBIND", "OPEN")),
        )
        refuse_delay(manager, path[0].name, md, delayed, doing)
        full_md = checked(there, path, md, len(body), doing)
        original = filled(connection, full_md, options, None, now)
        staging = staging_queue(manager, doing)
        _check_room(there, path[-1], manager, staging, doing)
        stage(
            manager,
            staging,
            StagedDestination(name),
            original,
            body,
            now,
            delay_ms,
            doing,
            unit=unit,
        )
    if in_unit:
        connection.unit.add(persistent=original.persistence == cmqc.MQPER_PERSISTENT)
    if manager.tally is not None:
        tallies.note(
            manager.tally, connection.account, staging.name, "put1", original.persistence, len(body)
        )
    return original


class StagedDestination(NamedTuple):
    """Where one staged message goes.

    Attributes:
        queue: name as it is to be resolved when the delay is over.
        queue_manager: another one, for a proxy subscription; blank for here.
        subscription_id, subscription_name: of a publication's subscriber, else zeros and "".
    """

    queue: str
    queue_manager: str = ""
    subscription_id: bytes = NO_ID
    subscription_name: str = ""


def check_delay(delay_ms: int, doing: str) -> None:
    """Refuse a negative delay."""
    if delay_ms < 0:
        raise UsageError(f"{doing}: the delay is {delay_ms} ms, expected 0 or more")


def refuse_delay(manager: Manager, name: str, md: MQMD, send: DelayedSend, doing: str) -> None:
    """Refuse what the documents list under "Messaging clients" (DD-17 to DD-29).

    Args:
        send: what neither queue manager nor descriptor say.
    """
    flags = cmqc.MQMF_MSG_IN_GROUP | cmqc.MQMF_LAST_MSG_IN_GROUP
    refusal = refused(
        replace(
            send,
            command_level=manager.command_level,
            time_to_live_ms=max(0, md.expiry_tenths) * 100,
            in_group=bool(md.msg_flags & flags)
            or md.group_id != NO_ID
            or md.msg_seq_number > 1,  # any of the fields that say so (DD-29)
        )
    )
    if refusal is not None:
        raise mqi_error(refusal.reason, doing, detail=refusal.text, object_name=name)


def stage(
    manager: Manager,
    staging: Queue,
    target: StagedDestination,
    original: MQMD,
    body: bytes,
    now_us: int,
    delay_ms: int,
    doing: str,
    *,
    unit: int | None = None,
) -> None:
    """Put one message with its delay header to the staging queue; inside a transaction.

    Args:
        original: the descriptor as it is to be on the target, priority and persistence fixed.

    Raises:
        QueueFull: 2053, the staging queue.
        MQIError: 2030, 2031: too long with the header.
    """
    due_us = due_at_us(now_us, delay_ms)
    header = ddh.encode_staged(
        due_us,
        expires_at_us(now_us, original.expiry_tenths),
        target.queue_manager or manager.identity.name,
        target.queue,
        original,
        now_us,
        delay_ms,
        subscription_id=target.subscription_id,
        subscription_name=target.subscription_name,
    )
    _check_length(manager, staging, len(header) + len(body), doing)
    staged = original._replace(  # DD-51, DD-52
        msg_id=new_id(manager),
        correl_id=original.msg_id,
        format=ddh.DDH_FORMAT,
        encoding=NATIVE_ENCODING,
        ccsid=manager.ccsid,
    )
    store(manager, staging, staged, header + body, now_us, doing, unit=unit, due_us=due_us)


def staging_queue(manager: Manager, doing: str) -> Queue:
    """The staging queue, ready for a put.

    Raises:
        ObjectNotFound: 2085 (DD-56).
        MQIError: 2051 (DD-93).
    """
    staging = manager.queues.get(STAGING_QUEUE)
    if staging is None:
        raise mqi_error(
            cmqc.MQRC_UNKNOWN_OBJECT_NAME,
            doing,
            detail=f"{STAGING_QUEUE} is not defined",
            hint="mqtriage delay define",
            object_name=STAGING_QUEUE,
        )
    if not staging.put_enabled:
        raise mqi_error(
            cmqc.MQRC_PUT_INHIBITED,
            doing,
            detail=f"{STAGING_QUEUE} has PUT(DISABLED)",
            hint=enabling(STAGING_QUEUE, "PUT"),
            object_name=STAGING_QUEUE,
        )
    return staging


def _check_room(
    there: Manager, target: Queue, manager: Manager, staging: Queue, doing: str
) -> None:
    """Refuse when target, staging queue or both are full, and say which (DD-31, DD-108)."""
    depths = (
        (target, counters.depth(there.store, target.id)),
        (staging, counters.depth(manager.store, staging.id) + reserved(manager, staging)),
    )
    shut = [queue for queue, depth in depths if depth >= queue.max_depth]
    if manager.observed:
        manager.refused += [queue.name for queue in shut]
    if len(shut) == 1:
        raise full(shut[0], doing)
    if shut:
        both = f"both {target.name} and {staging.name} are full"
        raise mqi_error(cmqc.MQRC_Q_FULL, doing, detail=both, object_name=target.name)


def _check_length(manager: Manager, staging: Queue, length: int, doing: str) -> None:
    limit, of, reason = staging.max_length, staging.name, cmqc.MQRC_MSG_TOO_BIG_FOR_Q
    if length <= limit:
        limit, of = int(manager.attributes["MAXMSGL"]), "the queue manager"
        reason = cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR
    if length > limit:
        raise mqi_error(
            reason,
            doing,
            detail=f"{length} bytes with the delay header, MAXMSGL of {of} is {limit}",
            hint="mqtriage delay define --maxmsgl BYTES",
            object_name=staging.name,
        )
