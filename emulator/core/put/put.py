"""MQPUT and MQPUT1: into a unit of work or none, cut into segments where it must be."""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core import remote
from mqtriage.emulator.core.connections import Connection, check_room_in_unit, renew
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.holder import Holder
from mqtriage.emulator.core.put.arrival import arrive, refuse_bad_transmission, room, split
from mqtriage.emulator.core.put.descriptor import checked, filled
from mqtriage.emulator.core.put.groups import put1_in_group, put_in_group
from mqtriage.emulator.core.put.insert import full, store
from mqtriage.emulator.core.queues import TEMPORARY, Queue
from mqtriage.emulator.core.tables import tallies
from mqtriage.emulator.core.write_behind.buffer import CallBuffer
from mqtriage.emulator.core.write_behind.unit_buffer import buffer_units
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.errors import mqi_error
from mqtriage.records import NamedTuple

_SETS_ALL: Final = cmqc.MQOO_SET_ALL_CONTEXT
_SETS_IDENTITY: Final = cmqc.MQOO_SET_IDENTITY_CONTEXT | _SETS_ALL
_PASSES_ALL: Final = cmqc.MQOO_PASS_ALL_CONTEXT | _SETS_ALL
_PASSES_IDENTITY: Final = cmqc.MQOO_PASS_IDENTITY_CONTEXT | _PASSES_ALL | _SETS_IDENTITY
_CONTEXTS: Final = (
    (cmqc.MQPMO_PASS_IDENTITY_CONTEXT, _PASSES_IDENTITY, cmqc.MQRC_NOT_OPEN_FOR_PASS_IDENT),
    (cmqc.MQPMO_PASS_ALL_CONTEXT, _PASSES_ALL, cmqc.MQRC_NOT_OPEN_FOR_PASS_ALL),
    (cmqc.MQPMO_SET_IDENTITY_CONTEXT, _SETS_IDENTITY, cmqc.MQRC_NOT_OPEN_FOR_SET_IDENT),
    (cmqc.MQPMO_SET_ALL_CONTEXT, _SETS_ALL, cmqc.MQRC_NOT_OPEN_FOR_SET_ALL),
)
"""MQPMO_*, the MQOO_* that allow it (to set implies to pass, all implies identity), the reason."""
_ANY_CONTEXT: Final = (
    cmqc.MQPMO_PASS_IDENTITY_CONTEXT
    | cmqc.MQPMO_PASS_ALL_CONTEXT
    | cmqc.MQPMO_SET_IDENTITY_CONTEXT
    | cmqc.MQPMO_SET_ALL_CONTEXT
)


class _Request(NamedTuple):
    """One put.

    Attributes:
        path: definitions from the name that was opened to the local queue.
        context: where a PASS_* option takes the context from.
        handle: that it is put by; None for MQPUT1.
    """

    connection: Connection
    path: tuple[Queue, ...]
    md: MQMD
    body: bytes
    options: int
    context: MQMD | None
    doing: str
    handle: Handle | None = None


def check_context(handle: Handle, options: int, doing: str) -> None:
    """Refuse MQPMO_* that the handle was not opened for."""
    for bit, needed, reason in _CONTEXTS:
        if options & bit and not handle.options & needed:
            raise mqi_error(reason, doing, object_name=handle.name)


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
    if not handle.options & cmqc.MQOO_OUTPUT:
        raise mqi_error(cmqc.MQRC_NOT_OPEN_FOR_OUTPUT, doing, object_name=handle.name)
    if options & _ANY_CONTEXT:
        check_context(handle, options, doing)
    manager = connection.manager
    if handle.definitions != manager.state.definitions:
        renew(manager, handle, doing)
    request = _Request(connection, handle.path, md, body, options, context, doing, handle)
    has_place = handle.groups is not None and handle.groups.put is not None
    if md.msg_flags or options & cmqc.MQPMO_LOGICAL_ORDER or has_place:
        return put_in_group(
            connection, handle, md, options, body, doing,
            lambda placed: _put(request._replace(md=placed)),
        )  # fmt: skip
    return _put(request._replace(md=_alone(md)))


def put1(
    connection: Connection,
    name: str,
    md: MQMD,
    body: bytes,
    options: int,
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
    path = remote.path_for_put(connection.manager, name, queue_manager, doing)
    if md.msg_flags or options & cmqc.MQPMO_LOGICAL_ORDER:
        md = put1_in_group(connection.manager, md, options, body, doing)
    else:
        md = _alone(md)
    return _put(_Request(connection, path, md, body, options, None, doing))


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


_NO_GROUP: Final = (NO_ID, 1, 0, cmqc.MQOL_UNDEFINED)


def _put(request: _Request) -> MQMD:
    """Put a message whose group fields are final; the descriptor as it was stored."""
    connection, path, md, body, options, _, doing, _ = request
    manager = connection.manager
    if options & cmqc.MQPMO_SYNCPOINT and options & cmqc.MQPMO_NO_SYNCPOINT:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing)
    in_unit = bool(options & cmqc.MQPMO_SYNCPOINT) or (
        manager.is_zos and not options & cmqc.MQPMO_NO_SYNCPOINT
    )
    if in_unit:
        connection.enter()
    persistence = md.persistence
    if persistence == cmqc.MQPER_PERSISTENCE_AS_Q_DEF:
        persistence = path[0].default_persistence
    persistent = persistence == cmqc.MQPER_PERSISTENT
    splits = md.msg_flags & cmqc.MQMF_SEGMENTATION_ALLOWED and len(body) > room(manager, path)
    buffer = manager.write_behind
    if buffer is None and in_unit:
        buffer = buffer_units(manager)
    if buffer is not None and not splits and (in_unit or not (persistent or buffer.only_units)):
        buffered = _put_buffered(request, buffer, in_unit=in_unit, persistent=persistent)
        if buffered is not None:
            return buffered
    now = connection.begin(doing, durable=persistent and not in_unit)
    try:
        stored, count, holder = _put_now(request, now, in_unit=in_unit, persistent=persistent)
    except BaseException:
        manager.rollback()
        raise
    manager.commit()
    if holder is not None:
        for _ in range(count):
            connection.unit.add(persistent=persistent)
        connection.unit.count += holder.count
    if manager.tally is not None:
        _count(request, manager.tally, persistent=persistent)
    if count == 1:
        return stored
    return stored._replace(msg_flags=md.msg_flags, original_length=md.original_length)


def _put_now(
    request: _Request, now_us: int, *, in_unit: bool, persistent: bool
) -> tuple[MQMD, int, Holder | None]:
    """Put the message, or its segments, inside a transaction.

    Returns:
        The first one's descriptor, how many there are, and the unit of work that holds them.
    """
    connection, path, md, body, options, context, doing, handle = request
    manager = connection.manager
    connection.fail_if_quiescing(options, doing)
    if path[0] is not manager.queues.get(path[0].name):  # another has changed it just now
        if handle is not None:
            renew(manager, handle, doing)
        path = remote.renewed(manager, path, doing) if handle is None else handle.path
    may_split = md.msg_flags & cmqc.MQMF_SEGMENTATION_ALLOWED
    parts = split(manager, path, md, body) if may_split else [(md, body)]
    if len(parts) > 1 and persistent and not in_unit and connection.unit.count:
        raise mqi_error(cmqc.MQRC_UOW_NOT_AVAILABLE, doing, object_name=path[0].name)
    if in_unit:
        check_room_in_unit(connection, doing, len(parts))
    holder = connection.holder(len(parts)) if in_unit else None
    stored: MQMD | None = None
    for part_md, part_body in parts:
        final = checked(manager, path, part_md, len(part_body), doing)
        if stored is not None:
            final = final._replace(msg_id=NO_ID, correl_id=stored.correl_id)
            options &= ~cmqc.MQPMO_NEW_CORREL_ID
        final = filled(connection, final, options, context, now_us)
        if len(path) > 1 or path[-1].special or final.report & cmqc.MQRO_COA:
            refuse_bad_transmission(manager, path, md, part_body, doing)
            arrive(manager, path, final, part_body, now_us, doing, holder=holder)
        else:
            unit = holder.id if holder else None
            store(manager, path[-1], final, part_body, now_us, doing, unit=unit)
        stored = stored or final
    assert stored is not None
    if holder is not None:
        holder.put_to.add(path[-1].id)
    return stored, len(parts), holder


def _put_buffered(
    request: _Request, buffer: CallBuffer, *, in_unit: bool, persistent: bool
) -> MQMD | None:
    """The same in memory, for a put that does nothing but add a message.

    Returns:
        None where it must go to the file.
    """
    connection, path, md, body, options, context, doing, _ = request
    manager, queue = connection.manager, path[0]
    is_simple = (
        len(path) == 1
        and not queue.special & ~TEMPORARY
        and queue.capexpry < 0
        and md.expiry_tenths == cmqc.MQEI_UNLIMITED
        and not md.report & cmqc.MQRO_COA
        and queue.name != STAGING_QUEUE
        and not manager.switches
    )
    if not is_simple:
        return None
    with buffer.lock:
        now = connection.admit(doing)
        if now is None or queue is not manager.queues.get(queue.name):
            return None
        connection.fail_if_quiescing(options, doing)
        unit = None
        if in_unit:
            check_room_in_unit(connection, doing)
            unit = connection.unit_number
        stored = checked(manager, path, md, len(body), doing)
        stored = filled(connection, stored, options, context, now)
        if buffer.put(queue, stored, body, now, unit) is None:
            raise full(queue, doing)
    if in_unit:
        connection.unit.add(persistent=persistent)
        connection.unit.put_to.add(queue.id)
    if manager.tally is not None:
        _count(request, manager.tally, persistent=persistent)
    return stored


def _count(request: _Request, tally: tallies.CallTally, *, persistent: bool) -> None:
    """Count a put; a handle without a number is one that was opened for MQPUT1."""
    verb = "put" if request.handle is not None and request.handle.id else "put1"
    of = request.connection.account
    tallies.note(tally, of, request.path[-1].name, verb, persistent, len(request.body))
