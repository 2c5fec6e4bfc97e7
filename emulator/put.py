"""MQPUT and MQPUT1: check, fill in what the queue manager fills in, store."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Final

from mqtriage.emulator import remote, units
from mqtriage.emulator.connections import Connection, Handle, check_room_in_unit, renew
from mqtriage.emulator.expirer import scan_at_or_after
from mqtriage.emulator.faults import put_fault
from mqtriage.emulator.manager import Manager
from mqtriage.emulator.queues import STAGING_QUEUE, TEMPORARY, TRANSMISSION, Queue, position_of
from mqtriage.emulator.switches import enforces_max_expiry
from mqtriage.mq import codes
from mqtriage.mq.constants import (
    MQAT_NO_CONTEXT,
    MQAT_UNIX,
    MQAT_ZOS,
    MQCCSI_Q_MGR,
    MQEI_UNLIMITED,
    MQMF_ACCEPT_UNSUP_IF_XMIT_MASK,
    MQMF_SEGMENTATION_ALLOWED,
    MQMT_REQUEST,
    MQOL_UNDEFINED,
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_PASS_IDENTITY_CONTEXT,
    MQOO_SET_ALL_CONTEXT,
    MQOO_SET_IDENTITY_CONTEXT,
    MQPER_PERSISTENCE_AS_Q_DEF,
    MQPER_PERSISTENT,
    MQPMO_LOGICAL_ORDER,
    MQPMO_NEW_CORREL_ID,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_CONTEXT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_PASS_IDENTITY_CONTEXT,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SET_IDENTITY_CONTEXT,
    MQPMO_SYNCPOINT,
    MQPRI_PRIORITY_AS_Q_DEF,
    MQRO_COA,
)
from mqtriage.mq.descriptor import MQMD, pack
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.expiry import capped, expires_at_us, put_reason
from mqtriage.mq.headers.formats import DDH_FORMAT, MQMDE_LENGTH, MQXQH_LENGTH
from mqtriage.mq.reports import put_reason as report_reason
from mqtriage.mq.times import put_date_and_time

_NO_ID: Final = bytes(24)
_UNIQUE: Final = Struct(">II")

_LAST_FEEDBACK: Final = 999_999_999
_SETS_ALL: Final = MQOO_SET_ALL_CONTEXT
_SETS_IDENTITY: Final = MQOO_SET_IDENTITY_CONTEXT | _SETS_ALL
_PASSES_ALL: Final = MQOO_PASS_ALL_CONTEXT | _SETS_ALL
_PASSES_IDENTITY: Final = MQOO_PASS_IDENTITY_CONTEXT | _PASSES_ALL | _SETS_IDENTITY
_CONTEXTS: Final = (
    (MQPMO_PASS_IDENTITY_CONTEXT, _PASSES_IDENTITY, codes.MQRC_NOT_OPEN_FOR_PASS_IDENT),
    (MQPMO_PASS_ALL_CONTEXT, _PASSES_ALL, codes.MQRC_NOT_OPEN_FOR_PASS_ALL),
    (MQPMO_SET_IDENTITY_CONTEXT, _SETS_IDENTITY, codes.MQRC_NOT_OPEN_FOR_SET_IDENT),
    (MQPMO_SET_ALL_CONTEXT, _SETS_ALL, codes.MQRC_NOT_OPEN_FOR_SET_ALL),
)
"""MQPMO_*, the MQOO_* that allow it (to set implies to pass, all implies identity), the reason."""
_ANY_CONTEXT: Final = (
    MQPMO_PASS_IDENTITY_CONTEXT
    | MQPMO_PASS_ALL_CONTEXT
    | MQPMO_SET_IDENTITY_CONTEXT
    | MQPMO_SET_ALL_CONTEXT
)


def put(
    connection: Connection,
    handle: Handle,
    md: MQMD,
    body: bytes,
    options: int,
    context: MQMD | None = None,
) -> MQMD:
    """MQPUT on an open handle.

    Args:
        context: descriptor saved by the handle that a PASS_* option takes the context from.

    Returns:
        The descriptor as it was stored: ids, defaults and context filled in.

    Raises:
        QueueFull: 2053.
        MQIError: 2039, 2093 to 2098, 2046, and the reasons of `checked`.
    """
    doing = f"put to {handle.name}"
    if not handle.options & MQOO_OUTPUT:
        raise mqi_error(codes.MQRC_NOT_OPEN_FOR_OUTPUT, doing, object_name=handle.name)
    if options & _ANY_CONTEXT:
        for bit, needed, reason in _CONTEXTS:
            if options & bit and not handle.options & needed:
                raise mqi_error(reason, doing, object_name=handle.name)
    manager = connection.manager
    if handle.definitions != manager.state.definitions:
        renew(manager, handle, doing)
    has_place = handle.groups is not None and handle.groups.put is not None
    if md.msg_flags or options & MQPMO_LOGICAL_ORDER or has_place:
        from mqtriage.emulator.group_put import put_in_group

        return put_in_group(
            connection, handle, md, options, body, doing,
            lambda placed: _put(connection, handle.path, placed, body, options, context, doing),
        )  # fmt: skip
    return _put(connection, handle.path, _alone(md), body, options, context, doing)


def put1(
    connection: Connection,
    name: str,
    md: MQMD,
    body: bytes,
    options: int,
    context: MQMD | None = None,
    queue_manager: str = "",
) -> MQMD:
    """MQPUT1: the same without keeping the queue open; any context option may be used.

    Args:
        queue_manager: ObjectQMgrName; blank for the local one.
    """
    doing = f"put to {name}"
    connection.look(doing)
    if connection.checked or connection.manager.switches:
        connection.check_put1(name, options, doing)
    path = remote.path_on(connection.manager, name, queue_manager, doing)
    if path[-1].kind == "QMODEL":
        raise mqi_error(codes.MQRC_Q_TYPE_ERROR, doing, detail="a model queue", object_name=name)
    if md.msg_flags or options & MQPMO_LOGICAL_ORDER:
        from mqtriage.emulator.group_put import put1_in_group

        md = put1_in_group(connection.manager, md, options, body, doing)
    else:
        md = _alone(md)
    return _put(connection, path, md, body, options, context, doing)


def _alone(md: MQMD) -> MQMD:
    """The descriptor of a message without MsgFlags: what it says of groups does not count.

    Source: IBM MQ documentation, "MQPUT - Put message", usage notes on groups and segments.
    """
    if (md.group_id, md.msg_seq_number, md.offset, md.original_length) == _NO_GROUP:
        return md
    group_id, number, offset, length = _NO_GROUP
    return md._replace(
        group_id=group_id, msg_seq_number=number, offset=offset, original_length=length
    )


_NO_GROUP: Final = (_NO_ID, 1, 0, MQOL_UNDEFINED)


def _put(
    connection: Connection,
    path: tuple[Queue, ...],
    md: MQMD,
    body: bytes,
    options: int,
    context: MQMD | None,
    doing: str,
) -> MQMD:
    manager = connection.manager
    if options & MQPMO_SYNCPOINT and options & MQPMO_NO_SYNCPOINT:
        raise mqi_error(codes.MQRC_OPTIONS_ERROR, doing)
    in_unit = bool(options & MQPMO_SYNCPOINT) or (
        manager.is_zos and not options & MQPMO_NO_SYNCPOINT
    )
    if in_unit:
        connection.id  # noqa: B018  entered before the transaction begins
    persistent = (
        md.persistence if md.persistence != MQPER_PERSISTENCE_AS_Q_DEF
        else path[0].default_persistence
    ) == MQPER_PERSISTENT  # fmt: skip
    may_split = bool(md.msg_flags & MQMF_SEGMENTATION_ALLOWED)
    splits = may_split and len(body) > room(manager, path)
    if not (in_unit or persistent or splits or manager.hold is None):
        held = _put_held(connection, path, md, body, options, context, doing)
        if held is not None:
            return held
    now = connection.begin(doing, durable=persistent and not in_unit)
    try:
        connection.fail_if_quiescing(options, doing)
        if path[0] is not manager.queues.get(path[0].name):
            path = remote.renewed(manager, path, doing)
        parts = split(manager, path, md, body) if may_split else [(md, body)]
        if len(parts) > 1 and persistent and not in_unit and connection.unit.count:
            raise mqi_error(codes.MQRC_UOW_NOT_AVAILABLE, doing, object_name=path[0].name)
        if in_unit:
            check_room_in_unit(connection, doing, len(parts))
        holder = connection.holder(len(parts)) if in_unit else None
        stored: MQMD | None = None
        for part_md, part_body in parts:
            full = checked(manager, path, part_md, len(part_body), doing)
            if stored is not None:
                full = follows(full, stored)
                options &= ~MQPMO_NEW_CORREL_ID
            full = filled(connection, full, options, context, now)
            _reach(manager, path, md, full, part_body, now, doing, holder)
            stored = stored or full
    except BaseException:
        manager.rollback()
        raise
    manager.commit()
    assert stored is not None
    if holder is not None:
        for _ in parts:
            connection.unit.add(persistent=persistent)
        connection.unit.count += holder.made
        connection.unit.put_to.add(path[-1].id)
    if len(parts) == 1:
        return stored
    return stored._replace(msg_flags=md.msg_flags, original_length=md.original_length)


def _reach(
    manager: Manager,
    path: tuple[Queue, ...],
    given: MQMD,
    md: MQMD,
    body: bytes,
    now_us: int,
    doing: str,
    holder: units.Holder | None,
) -> None:
    """Have a message reach its queue; inside a transaction.

    Args:
        given: the descriptor as the program gave it.
        md: as it is final.
    """
    if len(path) > 1 or path[-1].special or md.report & MQRO_COA:
        from mqtriage.emulator.arrival import arrive, refuse_bad_transmission

        refuse_bad_transmission(manager, path, given, body, doing)
        arrive(manager, path, md, body, now_us, doing, holder=holder)
    else:
        store(manager, path[-1], md, body, now_us, doing, unit=holder.id if holder else None)


def split(
    manager: Manager, path: tuple[Queue, ...], md: MQMD, body: bytes
) -> Sequence[tuple[MQMD, bytes]]:
    """The message, or the segments that fit where it is to be put; itself where it cannot be cut.

    Source: IBM MQ documentation, "MsgFlags" (MQMF_SEGMENTATION_ALLOWED).
    """
    most = room(manager, path)
    if manager.is_zos or len(body) <= most:
        return [(md, body)]
    from mqtriage.mq.segments import pieces

    return pieces(md, body, most) or [(md, body)]


def room(manager: Manager, path: tuple[Queue, ...]) -> int:
    """How long the data of one segment may be, in bytes."""
    most = min(int(manager.attributes["MAXMSGL"]), path[-1].max_length)
    return most - (MQXQH_LENGTH + MQMDE_LENGTH) if remote.is_remote(path) else most


def follows(md: MQMD, first: MQMD) -> MQMD:
    """The descriptor of a segment that the queue manager made, after the *first* was put."""
    return md._replace(msg_id=_NO_ID, correl_id=first.correl_id)


def _put_held(
    connection: Connection,
    path: tuple[Queue, ...],
    md: MQMD,
    body: bytes,
    options: int,
    context: MQMD | None,
    doing: str,
) -> MQMD | None:
    """The same in the server's memory, for a put that does nothing but add a message.

    Returns:
        None where it must go to the file.
    """
    manager, queue = connection.manager, path[0]
    is_simple = (
        len(path) == 1
        and not queue.special & ~TEMPORARY
        and queue.capexpry < 0
        and md.expiry_tenths == MQEI_UNLIMITED
        and not md.report & MQRO_COA
        and queue.name != STAGING_QUEUE
        and not manager.switches
    )
    now = connection.admit(doing) if is_simple else None
    if now is None or manager.hold is None or queue is not manager.queues.get(queue.name):
        return None
    connection.fail_if_quiescing(options, doing)
    stored = checked(manager, path, md, len(body), doing)
    stored = filled(connection, stored, options, context, now)
    if manager.hold.put(queue, stored, body, now) is None:
        raise full(queue, doing)
    return stored


def checked(manager: Manager, path: tuple[Queue, ...], md: MQMD, length: int, doing: str) -> MQMD:
    """Refuse what MQ refuses, and resolve what the queue's definition decides.

    The order of the tests is that of mq-reference 4.9, a choice of ours; depth is tested when
    the message is stored.

    Returns:
        The descriptor with priority, persistence and lifetime fixed.

    Raises:
        MQIError: 2051, 2029, 2061, 2027, 2249, 2014, 2050, 2047, 2013, 2031, 2030, 2048, a fault's
            reason.
    """
    opened, queue = path[0], path[-1]
    reason, detail = 0, ""
    caps = queue.capexpry if opened is queue else min_cap(path)
    shut_between = False
    if len(path) > 1:
        shut_between = not path[1].put_enabled
        if path[-2].kind == "QREMOTE":
            length += MQXQH_LENGTH
    if shut_between or not queue.put_enabled or not opened.put_enabled:
        shut = next(step for step in path if not step.put_enabled)
        reason, detail = codes.MQRC_PUT_INHIBITED, f"{shut.name} has PUT(DISABLED)"
    elif not (1 <= md.msg_type <= 65_535 or 65_536 <= md.msg_type <= 999_999_999):
        reason, detail = codes.MQRC_MSG_TYPE_ERROR, f"MsgType is {md.msg_type}"
    elif (md.report or md.msg_type == MQMT_REQUEST) and (
        reason := report_reason(
            md.report, md.msg_type, md.reply_to_q, leaves=bool(queue.special & TRANSMISSION)
        )
    ):
        detail = f"Report is 0x{md.report & 0xFFFFFFFF:X}, ReplyToQ {md.reply_to_q!r}"
    elif md.msg_flags & MQMF_ACCEPT_UNSUP_IF_XMIT_MASK and not queue.special & TRANSMISSION:
        reason, detail = codes.MQRC_MSG_FLAGS_ERROR, f"MsgFlags is 0x{md.msg_flags:X}"
    elif not 0 <= md.feedback <= _LAST_FEEDBACK:
        reason, detail = codes.MQRC_FEEDBACK_ERROR, f"Feedback is {md.feedback}"
    elif md.priority < MQPRI_PRIORITY_AS_Q_DEF:
        reason, detail = codes.MQRC_PRIORITY_ERROR, f"Priority is {md.priority}"
    elif not 0 <= md.persistence <= 2:
        reason, detail = codes.MQRC_PERSISTENCE_ERROR, f"Persistence is {md.persistence}"
    elif reason := put_reason(md.expiry_tenths, enforce_maximum=enforces_maximum(manager)):
        detail = f"Expiry is {md.expiry_tenths}"
    elif length > int(manager.attributes["MAXMSGL"]):
        reason = codes.MQRC_MSG_TOO_BIG_FOR_Q_MGR
        detail = f"{length} bytes, MAXMSGL of the queue manager is {manager.attributes['MAXMSGL']}"
    elif length > queue.max_length:
        reason = codes.MQRC_MSG_TOO_BIG_FOR_Q
        detail = f"{length} bytes, MAXMSGL of {queue.name} is {queue.max_length}"
    elif queue.special & TEMPORARY and _resolved_persistence(md, opened):
        reason = codes.MQRC_PERSISTENT_NOT_ALLOWED
        detail = f"{queue.name} is a temporary dynamic queue"
    elif manager.switches:
        reason = put_fault(manager, queue.name)
        detail = "a fault that the emulator was told to make" if reason else ""
    if reason:
        raise mqi_error(reason, doing, detail=detail, object_name=queue.name)
    priority = opened.default_priority if md.priority < 0 else md.priority
    persistence = md.persistence if md.persistence < 2 else opened.default_persistence
    expiry = md.expiry_tenths if caps < 0 else capped(md.expiry_tenths, (caps,))
    if (priority, persistence, expiry) == (md.priority, md.persistence, md.expiry_tenths):
        return md
    return md._replace(priority=priority, persistence=persistence, expiry_tenths=expiry)


def _resolved_persistence(md: MQMD, opened: Queue) -> int:
    return md.persistence if md.persistence < 2 else opened.default_persistence


def min_cap(path: tuple[Queue, ...]) -> int:
    """The lowest CAPEXPRY on the way, in tenths; -1 where there is none."""
    caps = [queue.capexpry for queue in path if queue.capexpry >= 0]
    return min(caps, default=-1)


def enforces_maximum(manager: Manager) -> bool:
    """Whether Expiry above 999 999 999 is refused (EX-29 to EX-32)."""
    return bool(manager.switches) and enforces_max_expiry(manager.switches)


def filled(
    connection: Connection, md: MQMD, options: int, context: MQMD | None, now_us: int
) -> MQMD:
    """The descriptor with ids, reply-to queue manager, code page and context as MQ fills them."""
    manager = connection.manager
    msg_id = md.msg_id
    if options & MQPMO_NEW_MSG_ID or msg_id == _NO_ID:
        msg_id = new_id(manager)
    correl_id = new_id(manager) if options & MQPMO_NEW_CORREL_ID else md.correl_id
    source = md
    if options & (MQPMO_PASS_ALL_CONTEXT | MQPMO_PASS_IDENTITY_CONTEXT):
        if context is None:
            raise mqi_error(codes.MQRC_CONTEXT_NOT_AVAILABLE, "put")
        source = context
    if options & (MQPMO_SET_ALL_CONTEXT | MQPMO_PASS_ALL_CONTEXT | _IDENTITY):
        user, token, identity = (
            source.user_identifier, source.accounting_token, source.appl_identity_data
        )  # fmt: skip
    elif options & MQPMO_NO_CONTEXT:
        user, token, identity = "", bytes(32), ""
    else:
        user, token, identity = connection.user, accounting_token(connection.user), ""
    if options & (MQPMO_SET_ALL_CONTEXT | MQPMO_PASS_ALL_CONTEXT):
        kind, name, origin = source.put_appl_type, source.put_appl_name, source.appl_origin_data
        date, time = source.put_date, source.put_time
        if not date.strip(" \0"):
            date, time = put_date_and_time(now_us)
    elif options & MQPMO_NO_CONTEXT:
        kind, name, origin, date, time = MQAT_NO_CONTEXT, "", "", "", ""
    else:
        kind = MQAT_ZOS if manager.is_zos else MQAT_UNIX
        name, origin = connection.application, ""
        date, time = put_date_and_time(now_us)
    return MQMD(
        md.report,
        md.msg_type,
        md.expiry_tenths,
        md.feedback,
        md.encoding,
        md.ccsid if md.ccsid != MQCCSI_Q_MGR else int(manager.attributes.get("CCSID", 1208)),
        md.format,
        md.priority,
        md.persistence,
        msg_id,
        correl_id,
        0,
        md.reply_to_q,
        md.reply_to_q_mgr or manager.identity.name,
        user,
        token,
        identity,
        kind,
        name,
        date,
        time,
        origin,
        md.group_id,
        md.msg_seq_number,
        md.offset,
        md.msg_flags,
        md.original_length,
        2,
    )


_IDENTITY: Final = MQPMO_SET_IDENTITY_CONTEXT | MQPMO_PASS_IDENTITY_CONTEXT


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
    act: str = units.PUT,
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
    execute = manager.store.execute
    if md.format == DDH_FORMAT and due_us is None and queue.name == STAGING_QUEUE:
        from mqtriage.emulator.staging import due_again_us

        due_us = due_again_us(md, body, put_us)
    staged_in_unit = due_us is not None and unit is not None
    depth, arrival = execute(
        "UPDATE counter SET depth = depth + ?1, arrivals = arrivals + 1, put_us = ?2,"
        " high = max(high, depth + ?1) WHERE queue = ?3 RETURNING depth, arrivals",
        (0 if staged_in_unit else 1, put_us, queue.id),
    ).fetchone()
    if depth + staged_in_unit > queue.max_depth:
        raise full(queue, doing)
    position = position_of(queue, md.priority, arrival)
    if expires_us is None and md.expiry_tenths != -1:
        expires_us = expires_at_us(put_us, md.expiry_tenths)
    execute(
        "INSERT INTO message (position, md, msg_id, correl_id, group_id, put_us, expires_us,"
        " due_us, event_us, backouts, length, persistent, unit, unit_act)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)",
        (
            position,
            pack(md),
            md.msg_id,
            md.correl_id if md.correl_id != _NO_ID else None,
            md.group_id if md.group_id != _NO_ID else None,
            put_us,
            expires_us,
            due_us,
            due_us,
            len(body),
            md.persistence,
            unit,
            None if unit is None else units.STAGE if staged_in_unit else act,
        ),
    )
    execute("INSERT INTO body VALUES (?, ?)", (position, body))
    if unit is None and (expires_us is not None or due_us is not None):
        _wake(manager, expires_us, due_us)
    return position


def _wake(manager: Manager, expires_us: int | None, due_us: int | None) -> None:
    """Let the processor and the expirer come round for a new message."""
    if due_us is not None:
        manager.wake(due_us)
    if expires_us is not None and (scan_us := scan_at_or_after(manager, expires_us)) is not None:
        manager.wake(scan_us)


def full(queue: Queue, doing: str) -> MQIError:
    """The error of a queue that has no room for one more."""
    return mqi_error(
        codes.MQRC_Q_FULL,
        doing,
        detail=f"{queue.name} holds MAXDEPTH({queue.max_depth}) messages",
        object_name=queue.name,
    )


def new_id(manager: Manager) -> bytes:
    """An identifier as a queue manager makes them: "AMQ ", twelve characters of its name, 8 bytes.

    Inside a transaction of *manager*. Numbers ascend, so that indexes grow at their end.
    """
    identity = manager.identity
    return (
        b"AMQ "
        + identity.name[:12].ljust(12).encode("ascii", "replace")
        + _UNIQUE.pack(identity.id_seed, manager.next_number())
    )


@lru_cache(maxsize=8)
def accounting_token(user: str) -> bytes:
    """MQMD.AccountingToken of a Unix user: length, the user number as digits, type 6 at the end.

    Seen in real messages (corpus 11-yukun-mqstr-26): 03 "496" ... 06.
    """
    import pwd

    try:
        digits = str(pwd.getpwnam(user).pw_uid).encode()
    except KeyError:
        return bytes(32)
    return (bytes((len(digits),)) + digits).ljust(31, b"\0") + b"\x06"
