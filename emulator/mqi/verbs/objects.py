"""MQCONN, MQDISC, MQOPEN, MQCLOSE and MQSTAT."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from struct import Struct
from typing import Final

from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.core import authority, channels, dynamic, listeners
from mqtriage.emulator.core.browse_marks import BrowseMarks
from mqtriage.emulator.core.connections import INPUT, Connection
from mqtriage.emulator.core.get import groups
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.remote import is_remote
from mqtriage.emulator.core.switches import FAULT_CLIENT
from mqtriage.emulator.mqi import admission
from mqtriage.emulator.mqi.session import (
    AsyncPuts,
    CallReply,
    OpenObject,
    OpenSubscription,
    Session,
)
from mqtriage.emulator.pubsub import subscriptions, topics
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.topic_strings import joined
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.structures import Value, structure

_NAMES: Final = Struct("48s48s")
_KNOWN_OPEN_OPTIONS: Final = 0x007FFFFF
_BINDS: Final = cmqc.MQOO_BIND_ON_OPEN | cmqc.MQOO_BIND_NOT_FIXED | cmqc.MQOO_BIND_ON_GROUP
_READS_AHEAD: Final = cmqc.MQOO_READ_AHEAD | cmqc.MQOO_NO_READ_AHEAD
_CONTEXT: Final = (
    cmqc.MQOO_PASS_IDENTITY_CONTEXT
    | cmqc.MQOO_PASS_ALL_CONTEXT
    | cmqc.MQOO_SET_IDENTITY_CONTEXT
    | cmqc.MQOO_SET_ALL_CONTEXT
)
_DELETES: Final = cmqc.MQCO_DELETE | cmqc.MQCO_DELETE_PURGE
_OF_SUBSCRIPTIONS: Final = cmqc.MQCO_KEEP_SUB | cmqc.MQCO_REMOVE_SUB
_CLOSE_OPTIONS: Final = _DELETES | _OF_SUBSCRIPTIONS | cmqc.MQCO_QUIESCE
_RECONNECT: Final = 0x1000000 | 0x4000000
"""MQCNO_RECONNECT and MQCNO_RECONNECT_Q_MGR."""
_OBJECT_TYPES: Final = range(1, 13)
_STATUS_TYPES: Final = range(3)
_DEFINITIONS: Final = {2: "NAMELIST", 3: "PROCESS", 7: "AUTHINFO"}
"""MQOT_* of what is opened to inquire alone."""


def text(raw: bytes) -> str:
    """A name or application as the emulator keeps it: up to a NUL, without trailing blanks."""
    return raw.partition(b"\0")[0].decode("latin-1").rstrip(" ")


def connect(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQCONN and MQCONNX.

    Raises:
        MQIError: 2139, 2058, 2002 on a socket that is connected already; where STOP CHANNEL has
            stopped the channel 2537, and 2202 on a socket that shares it; those of
            `admission.refuse_by_channel`.
        NotAuthorized: 2035.
        ConnectionFailed: 2059; what the switch fault.client says (2538, 2540 ...); 2538 where STOP
            LISTENER has stopped the listener.
    """
    name, options, application, user, password, channel = text(blobs[0]), *blobs[1:]
    doing = f"connect to {name or 'the default queue manager'}"
    if session.is_connected:
        raise mqi_error(cmqc.MQRC_ALREADY_CONNECTED, doing)
    if options:
        structure("MQCNO").version_of(options, doing)
    manager = session.shared.manager()
    manager.look()
    raw_channel, most, cipher_spec = admission.of_channel(channel)
    given = admission.ConnectDetails(
        text(user), text(password), text(raw_channel), session.peer_user, session.origin,
        cipher_spec, most, numbers[1],
    )  # fmt: skip
    if given.channel and (fault := manager.switches.get(FAULT_CLIENT)):
        raise mqi_error(int(fault), doing, detail=f"the switch {FAULT_CLIENT} says so")
    if given.channel and session.instance is None and listeners.is_stopped(manager.path):
        detail = "the listener is stopped: START LISTENER"
        raise mqi_error(cmqc.MQRC_HOST_NOT_AVAILABLE, doing, detail=detail)
    if given.cipher_spec is not None:
        admission.refuse_by_channel(manager, given, session.shared.programs, doing)
    try:
        who = admission.admitted(manager, given, session.shared.users, doing)
    except admission.WrongPassword:
        session.refusal_delay_s = admission.failure_delay_s(manager)
        raise
    if given.channel and channels.is_stopped(manager, given.channel):
        is_shared = session.instance is not None
        reason = cmqc.MQRC_CONNECTION_QUIESCING if is_shared else cmqc.MQRC_CHANNEL_NOT_AVAILABLE
        raise mqi_error(reason, doing, detail=f"channel {given.channel} was stopped")
    if not name.startswith("*") and name not in ("", manager.identity.name):
        raise mqi_error(cmqc.MQRC_Q_MGR_NAME_ERROR, doing, object_name=name)
    manager = manager.shared()
    try:
        connection = Connection(manager, text(application)[:28], who)
        connection.instance = session.instance
        if given.channel and session.instance is None:
            connection.instance = admission.instance_of(manager, given, session.shared.programs)
        elif not given.channel:
            connection.process = given.process_id or connection.process
        connection.given_tag, connection.options = session.tag.decode("latin-1"), session.options
        authority.check_connect(connection)
        connection.look(doing)
    except BaseException:
        manager.close()
        raise
    session.connected(connection)
    if given.cipher_spec is not None:
        session.comes_by(given.channel, given.process_id)
        session.max_message_bytes = admission.max_message_bytes(manager, given)
        session.may_read_ahead = admission.may_read_ahead(manager, given)
    session.is_reconnectable = bool(numbers[0] & _RECONNECT)
    qmid = str(manager.all_attributes()["QMID"])
    names = manager.identity.name.encode("latin-1"), qmid.encode("latin-1")
    return CallReply((int(manager.is_zos),), (connection.connection_id, *names))


def disconnect(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQDISC: what is under syncpoint is committed (IBM MQ documentation, "MQDISC")."""
    session.require_connection()
    session.end(committed=True)
    return CallReply()


def number_next(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """Let the next handle have a number: a library connects again and opens what was open."""
    session.require_connection()
    if numbers[0] < 1:
        raise mqi_error(cmqc.MQRC_HOBJ_ERROR, "number a handle", detail=f"handle {numbers[0]}")
    session.number_next(numbers[0])
    return CallReply()


def open_object(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQOPEN of a queue, a topic or the queue manager."""
    (options,) = numbers
    od = blobs[0]
    opened, od, full_topic = opened_object(session, options, od, blobs[1], blobs[2])
    ahead = bool(
        opened.handle is not None
        and options & INPUT
        and not options & cmqc.MQOO_BROWSE
        and reads_ahead(
            session,
            opened.handle,
            asked=bool(options & cmqc.MQOO_READ_AHEAD),
            refused=bool(options & cmqc.MQOO_NO_READ_AHEAD),
        )
    )
    return CallReply((session.add(opened), int(ahead)), (od, full_topic))


def reads_ahead(session: Session, handle: Handle, *, asked: bool, refused: bool) -> bool:
    """Whether messages of a queue are sent ahead to the program.

    Args:
        asked, refused: by MQOO_READ_AHEAD and MQOO_NO_READ_AHEAD, or those of MQSO.

    Source: IBM MQ documentation, "Enabling and disabling read ahead".
    """
    if refused or not session.may_read_ahead or session.connection.manager.is_zos:
        return False
    definitions = [queue.attributes.get("DEFREADA", "NO") for queue in handle.path]
    return "DISABLED" not in definitions and (asked or definitions[0] == "YES")


def opened_object(
    session: Session,
    options: int,
    od: bytes,
    object_string: bytes,
    selection: bytes,
    *,
    stays_open: bool = True,
) -> tuple[OpenObject, bytes, bytes]:
    """Open what an MQOD names: the object, the MQOD as it goes back, and the full topic string.

    Args:
        stays_open: False for MQPUT1, which a model queue refuses (2057).

    Raises:
        MQIError: 2044, 2043, 2046, 2085, 2152, 2154, 2441, 2516, 2519 and those of
            `Connection.open`.
    """
    connection = session.connection
    fields = _fields_of(od)
    name, kind = str(fields["ObjectName"]), int(fields["ObjectType"])
    doing = f"open {name}"
    if kind not in _OBJECT_TYPES:
        raise mqi_error(cmqc.MQRC_OBJECT_TYPE_ERROR, doing, detail=f"ObjectType {kind}")
    if wrong := _wrong_together(options):
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing, detail=wrong)
    if int(fields["RecsPresent"]):  # of a queue it would be a distribution list
        raise mqi_error(cmqc.MQRC_RECS_PRESENT_ERROR, doing)
    selector = long_text(selection, doing) if selection else ""
    if selector and kind != cmqc.MQOT_Q:
        raise mqi_error(cmqc.MQRC_SELECTOR_INVALID_FOR_TYPE, doing, object_name=name)
    if kind == cmqc.MQOT_TOPIC:
        return _topic(session, name, object_string, options, od, doing)
    if kind == cmqc.MQOT_Q_MGR:
        opened = _queue_manager(connection, str(fields["ObjectQMgrName"]), options, doing)
        return opened, structure("MQOD").patched(od, KnownDestCount=1), b""
    if kind in _DEFINITIONS:
        return _definition(connection, _DEFINITIONS[kind], name, options, doing), od, b""
    if kind != cmqc.MQOT_Q:
        raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=name)
    if not name:
        raise mqi_error(cmqc.MQRC_OBJECT_NAME_ERROR, doing, detail="ObjectName is blank")
    if not options & (
        INPUT | cmqc.MQOO_OUTPUT | cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE | cmqc.MQOO_SET | _BINDS
    ):
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing, detail="no access option")
    if options & cmqc.MQOO_CO_OP and not options & cmqc.MQOO_BROWSE:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing, detail="MQOO_CO_OP without MQOO_BROWSE")
    there = connection.at(name)
    (there.look if stays_open else there.glance)(doing)
    topic = topics.behind_alias(there.manager, name)
    if topic is not None and selector:
        raise mqi_error(cmqc.MQRC_SELECTOR_INVALID_FOR_TYPE, doing, object_name=name)
    if topic is not None:
        answer = _topic(session, topic, object_string, options, od, doing)
        answer[0].alias = name
        return answer
    pattern = (str(fields["DynamicQName"]) or dynamic.DEFAULT_NAME) if stays_open else None
    handle = there.open(
        name,
        options,
        queue_manager=str(fields["ObjectQMgrName"]),
        dynamic_name=pattern,
        selector=selector,
        alternate_user=str(fields["AlternateUserId"]),
        stays_open=stays_open,
    )
    if options & cmqc.MQOO_CO_OP:
        handle.marks = BrowseMarks(session.shared.cooperation(handle.queue.id))
    opened = of_queue(there, handle, options)
    return opened, _resolved(od, handle.name, opened.resolved, opened.is_remote), b""


@lru_cache(maxsize=64)  # MQPUT1 names the same queue again and again
def _fields_of(od: bytes) -> Mapping[str, Value]:
    return structure("MQOD").decode(od, "open")


@lru_cache(maxsize=64)
def _resolved(od: bytes, name: str, resolved: bytes, is_remote: bool) -> bytes:
    """The MQOD of a queue as it goes back."""
    queue, queue_manager = _NAMES.unpack(resolved)
    return structure("MQOD").patched(
        od,
        ObjectName=name,
        ResolvedQName=queue,
        ResolvedQMgrName=queue_manager,
        ResolvedType=cmqc.MQOT_Q,
        KnownDestCount=int(not is_remote),
        UnknownDestCount=int(is_remote),
        InvalidDestCount=0,
    )


def _wrong_together(options: int) -> str:
    """What is wrong with MQOO_*, whatever is opened; "" for nothing.

    Source: IBM MQ documentation, "Rules for validating MQI options".
    """
    if options & ~_KNOWN_OPEN_OPTIONS:
        return "an option that there is not"
    if options & cmqc.MQOO_SAVE_ALL_CONTEXT and not options & INPUT:
        return "MQOO_SAVE_ALL_CONTEXT without MQOO_INPUT_*"
    if options & _CONTEXT and not options & cmqc.MQOO_OUTPUT:
        return "context without MQOO_OUTPUT"
    excluding = any((options & one).bit_count() > 1 for one in (INPUT, _BINDS, _READS_AHEAD))
    return "two options that exclude each other" if excluding else ""


def long_text(raw: bytes, doing: str, reason: int = cmqc.MQRC_SELECTION_STRING_ERROR) -> str:
    """A SelectionString, or another text in UTF-8; fails with *reason* where it is none."""
    try:
        return raw.decode("utf-8").rstrip("\0")
    except UnicodeDecodeError:
        raise mqi_error(reason, doing, detail="not UTF-8") from None


def of_queue(connection: Connection, handle: Handle, options: int) -> OpenObject:
    """The open object of a queue, with the names that it resolved to."""
    resolved = resolved_names(connection, handle, options & cmqc.MQOO_RESOLVE_LOCAL_Q)
    opened = OpenObject("queue", handle.name, options, connection, handle, resolved)
    opened.is_remote = is_remote(handle.path)
    return opened


def resolved_names(connection: Connection, handle: Handle, local: int) -> bytes:
    """ResolvedQName and ResolvedQMgrName, 48 bytes each.

    Args:
        local: not 0 for the queue of this queue manager that the way leads to, which for a remote
            queue is the transmission queue (MQOO_RESOLVE_LOCAL_Q, MQPMO_RESOLVE_LOCAL_Q).
    """
    name, where = handle.path[-1].name, connection.manager.identity.name
    remote = next((queue for queue in handle.path if queue.kind == "QREMOTE"), None)
    if remote is not None and not local:
        name = str(remote.attributes.get("RNAME", ""))
        where = str(remote.attributes.get("RQMNAME", ""))
    return _NAMES.pack(name.encode("latin-1").ljust(48), where.encode("latin-1").ljust(48))


def _queue_manager(connection: Connection, asked: str, options: int, doing: str) -> OpenObject:
    connection.look(doing)
    name = connection.manager.identity.name
    if asked not in ("", name):
        raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_Q_MGR, doing, object_name=asked)
    _refuse_but_inquire(options, "", doing)
    authority.check_open(connection, "", options, doing)
    return OpenObject("qmgr", name, options, connection)


def _definition(
    connection: Connection, kind: str, name: str, options: int, doing: str
) -> OpenObject:
    connection.look(doing)
    _refuse_but_inquire(options, name, doing)
    kept.named(connection.manager, kind, name, doing)
    authority.require(connection, kind, name, ("INQ",), doing)
    return OpenObject(kind, name, options, connection)


def _refuse_but_inquire(options: int, name: str, doing: str) -> None:
    others = INPUT | cmqc.MQOO_OUTPUT | cmqc.MQOO_BROWSE | cmqc.MQOO_SET
    if options & others or not options & cmqc.MQOO_INQUIRE:
        raise mqi_error(cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, doing, object_name=name)


def topic_string(connection: Connection, name: str, rest: bytes, doing: str) -> str:
    """The full topic string of a topic object and what is appended to it."""
    tail = long_text(rest, doing, cmqc.MQRC_OBJECT_STRING_ERROR)
    if not name:
        if not tail:
            raise mqi_error(cmqc.MQRC_TOPIC_STRING_ERROR, doing, detail="no topic")
        return tail
    connection.look(doing)
    values = topics.named(connection.manager, name, doing)
    return joined(str(values.get("TOPICSTR", "")), tail)


def _topic(
    session: Session, name: str, rest: bytes, options: int, od: bytes, doing: str
) -> tuple[OpenObject, bytes, bytes]:
    connection = session.connection
    if options & (INPUT | cmqc.MQOO_BROWSE | cmqc.MQOO_SET):
        raise mqi_error(cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, doing)
    full = topic_string(connection, name, rest, doing)
    if options & cmqc.MQOO_OUTPUT:
        topics.refuse_publishing(full, doing)
        alternate = None
        if options & cmqc.MQOO_ALTERNATE_USER_AUTHORITY:
            alternate = str(structure("MQOD").decode(od, doing)["AlternateUserId"])
        above = topics.objects_above(connection.manager, full)
        authority.check_topic(connection, above, full, "PUB", doing, alternate)
    opened = OpenObject("topic", full, options, connection)
    od = structure("MQOD").patched(od, ResolvedType=cmqc.MQOT_TOPIC)
    if options & cmqc.MQOO_RESOLVE_LOCAL_TOPIC:
        nearest = name or next(iter(topics.objects_above(connection.manager, full)), "")
        od = structure("MQOD").patched(od, ResolvedQName=nearest.encode("latin-1").ljust(48))
    return opened, od, full.encode()


def close(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQCLOSE of an object, a distribution list or a subscription.

    Raises:
        MQIError: 2019, 2046, 2045, 2055; warnings 2241, 2242.
    """
    number, options = numbers
    delete = options & _DELETES
    both = options & _OF_SUBSCRIPTIONS == _OF_SUBSCRIPTIONS
    if options & ~_CLOSE_OPTIONS or delete == _DELETES or both:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, "close")
    subscription = session.subscriptions.get(number)
    if subscription is not None:
        if delete:
            raise mqi_error(cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, "close")
        _close_subscription(session, number, subscription, options)
        return CallReply()
    opened = session.object(number, "close")
    if options & _OF_SUBSCRIPTIONS or (delete and opened.handle is None):
        raise mqi_error(cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, "close")
    reason = 0
    for connection, handle in opened.handles():
        connection.close(handle, delete)
        session.shared.wake_up.notify()
        reason = reason or groups.left_by_close(handle)
    session.remove(number)
    return CallReply().warned(reason)


def _close_subscription(
    session: Session, number: int, subscription: OpenSubscription, options: int
) -> None:
    removes = options & cmqc.MQCO_REMOVE_SUB or not subscription.durable
    if removes and options & cmqc.MQCO_KEEP_SUB:
        raise mqi_error(cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, "close")
    if session.remove_subscription(number) is None and removes:
        subscriptions.end(session.connection, subscription.id)
        session.shared.wake_up.notify()


def statistics(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQSTAT: what became of asynchronous puts since it was last asked.

    Raises:
        MQIError: 2430, 2426.
    """
    (kind,) = numbers
    session.require_connection()
    if kind not in _STATUS_TYPES:
        raise mqi_error(cmqc.MQRC_STAT_TYPE_ERROR, "status")
    layout = structure("MQSTS")
    layout.version_of(blobs[0], "status")
    puts = AsyncPuts()
    if kind == 0:
        puts, session.async_puts = session.async_puts, puts
    comp_code, reason, name = puts.first
    manager = session.connection.manager.identity.name
    sts = layout.patched(
        blobs[0],
        CompCode=comp_code,
        Reason=reason,
        PutSuccessCount=puts.succeeded,
        PutWarningCount=0,
        PutFailureCount=puts.failed,
        ObjectType=cmqc.MQOT_Q,
        ObjectName=name,
        ObjectQMgrName=manager if name else "",
        ResolvedObjectName=name,
        ResolvedQMgrName=manager if name else "",
        OpenOptions=0,
        SubOptions=0,
    )
    return CallReply((), (sts, b"", b""))
