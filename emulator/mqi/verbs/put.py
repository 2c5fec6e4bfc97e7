"""MQPUT and MQPUT1: to a queue or a topic, with properties, context and groups."""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple

from mqtriage.emulator.core.put import put as putting
from mqtriage.emulator.core.put import staging
from mqtriage.emulator.core.put.groups import left_incomplete
from mqtriage.emulator.mqi import message_handles as properties
from mqtriage.emulator.mqi import property_rules
from mqtriage.emulator.mqi.session import CallReply, OpenObject, Session
from mqtriage.emulator.mqi.verbs.objects import opened_object, resolved_names
from mqtriage.emulator.pubsub import publications
from mqtriage.emulator.pubsub.subscription_terms import HIGHEST_LEVEL
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, pack, unpack
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.headers import mde
from mqtriage.mq.headers.formats import RFH2_FORMAT
from mqtriage.mq.headers.layout import Damage, byte_order
from mqtriage.mq.reports import has_unknown_options
from mqtriage.mq.structures import structure

EXTENSION_FORMAT: Final = cmqc.MQFMT_MD_EXTENSION.rstrip()
_PMO: Final = structure("MQPMO")
_MD: Final = structure("MQMD")
_REPLY_TO_QMGR: Final = _MD.field("ReplyToQMgr").offset
_USER: Final = _MD.field("UserIdentifier").offset
_PUT_OPTIONS: Final = Struct("<8xi4xi")
_COUNTS: Final = Struct("<iii")
_HANDLES: Final = Struct("<qq")
_INT: Final = Struct("<i")
_PASS: Final = cmqc.MQPMO_PASS_ALL_CONTEXT | cmqc.MQPMO_PASS_IDENTITY_CONTEXT
_ACTIONS: Final = range(4)
"""MQACTP_*."""
_PUB_LEVEL_AT: Final = _PMO.field("PubLevel").offset
_DELAYED: Final = (
    cmqc.MQPMO_SYNCPOINT
    | cmqc.MQPMO_NO_SYNCPOINT
    | cmqc.MQPMO_NEW_MSG_ID
    | cmqc.MQPMO_NEW_CORREL_ID
)
"""Options that count for a put with a delivery delay."""
_PUBLISHING: Final = (
    _DELAYED | cmqc.MQPMO_RETAIN | cmqc.MQPMO_SUPPRESS_REPLYTO | cmqc.MQPMO_SCOPE_QMGR
)
"""Options that count for a publication."""
_KNOWN_PUT_OPTIONS: Final = 0x1CAFFFE6
_ONE_OF_EACH: Final = (
    cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_NO_SYNCPOINT,
    cmqc.MQPMO_ASYNC_RESPONSE | cmqc.MQPMO_SYNC_RESPONSE,
    _PASS
    | cmqc.MQPMO_DEFAULT_CONTEXT
    | cmqc.MQPMO_NO_CONTEXT
    | cmqc.MQPMO_SET_ALL_CONTEXT
    | cmqc.MQPMO_SET_IDENTITY_CONTEXT,
)
"""Options that exclude each other."""


def check_put_options(pmo: bytes) -> None:
    """Refuse MQPMO_* that MQPUT1 alone has: the object is open already.

    Raises:
        MQIError: 2173; 2046 ("Rules for validating MQI options").
    """
    _PMO.version_of(pmo, "put")
    if _PUT_OPTIONS.unpack_from(pmo)[0] & cmqc.MQPMO_ALTERNATE_USER_AUTHORITY:
        detail = "MQPMO_ALTERNATE_USER_AUTHORITY"
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, "put", detail=detail)


def put1_options(pmo: bytes) -> int:
    """MQPMO_* of MQPUT1, which has no handle that could keep a place in logical order.

    Raises:
        MQIError: 2173; 2046 with MQPMO_LOGICAL_ORDER ("Rules for validating MQI options").
    """
    _PMO.version_of(pmo, "put1")
    options: int = _PUT_OPTIONS.unpack_from(pmo)[0]
    if options & cmqc.MQPMO_LOGICAL_ORDER:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, "put1", detail="MQPMO_LOGICAL_ORDER")
    return options


def put1(session: Session, blobs: tuple[bytes, ...]) -> CallReply:
    """MQPUT1: open for output with the context options that the MQPMO asks for, put, close."""
    od, object_string, selection, md, pmo, body = blobs
    options = put1_options(pmo)
    context = options & (0xF00 | cmqc.MQPMO_ALTERNATE_USER_AUTHORITY)  # MQOO_ of the same values
    opened, od, full_topic = opened_object(
        session, cmqc.MQOO_OUTPUT | context, od, object_string, selection, stays_open=False
    )
    try:
        reply = put_to(session, opened, md, pmo, body)
    finally:
        if opened.handle is not None:
            opened.connection.close(opened.handle)
    return reply._replace(blobs=(od, *reply.blobs, full_topic))


@lru_cache(maxsize=64)  # most programs give the same ones again and again
def _exclude_each_other(options: int) -> bool:
    """Whether there is one of MQPMO_* that does not exist, or two that cannot be together."""
    known = not options & ~_KNOWN_PUT_OPTIONS
    return not known or any((options & alone).bit_count() > 1 for alone in _ONE_OF_EACH)


def put_to(
    session: Session,
    opened: OpenObject,
    raw_md: bytes,
    pmo: bytes,
    body: bytes,
    *,
    delay_ms: int = 0,
) -> CallReply:
    """MQPUT to a queue or a topic.

    Args:
        delay_ms: the delivery delay, which clients for JMS alone can ask for.
    """
    doing = "put"
    if 0 < session.max_message_bytes < len(body):
        detail = f"{len(body)} bytes, {session.max_message_bytes} are agreed on for the channel"
        raise mqi_error(cmqc.MQRC_DATA_LENGTH_ERROR, doing, detail=detail)
    _PMO.version_of(pmo, doing)
    md_version = _MD.version_of(raw_md, doing)
    options, context_handle = _PUT_OPTIONS.unpack_from(pmo)
    if _exclude_each_other(options):
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing)
    if not options & cmqc.MQPMO_SYNC_RESPONSE and _responds_later(opened):
        options |= cmqc.MQPMO_ASYNC_RESPONSE
    context = None
    if options & _PASS:
        context = _context(session, opened, context_handle, options, doing)
    given = _unpacked(raw_md)
    if options & cmqc.MQPMO_MD_FOR_OUTPUT_ONLY:
        given = MQMD(version=given.version)
    md, body, new = _with_headers(session, opened, given, body, pmo, doing)
    warning = 0
    if opened.handle is not None and not options & cmqc.MQPMO_LOGICAL_ORDER:
        warning = left_incomplete(opened.handle)
    is_heard = True
    try:
        if opened.kind == "topic":
            full, is_heard = _published(session, opened, md, body, options, pmo, delay_ms, doing)
        else:
            full = _put_on_queue(opened, md, body, options, context, delay_ms, doing)
    except MQIError as error:
        if not options & cmqc.MQPMO_ASYNC_RESPONSE or error.reason in _REFUSED_AT_ONCE:
            raise
        spoils_unit = bool(options & cmqc.MQPMO_SYNCPOINT) and _is_persistent(opened, md)
        session.note_failed_put(opened.name, error.comp_code, error.reason, spoils_unit=spoils_unit)
        return CallReply((), (raw_md, pmo))
    if options & cmqc.MQPMO_ASYNC_RESPONSE:
        session.async_puts.succeeded += 1
    session.shared.wake_up.notify()
    if new is not None:
        new.handle.properties = new.properties
    if md is not given:
        ccsid = _ccsid(opened, given)
        full = full._replace(format=given.format, encoding=given.encoding, ccsid=ccsid)
    counts = _COUNTS.pack(not opened.is_remote, opened.is_remote, 0)
    resolved = opened.resolved
    if options & cmqc.MQPMO_RESOLVE_LOCAL_Q and opened.handle is not None:
        resolved = resolved_names(opened.connection, opened.handle, options)
    pmo = pmo[:20] + counts + resolved + pmo[128:]
    back = packed(full, md_version)
    # ReplyToQMgr is filled in for who gets the message; the caller keeps what it gave
    blobs = back[:_REPLY_TO_QMGR] + raw_md[_REPLY_TO_QMGR:_USER] + back[_USER:], pmo
    if options & cmqc.MQPMO_WARN_IF_NO_SUBS_MATCHED and not is_heard:
        warning = cmqc.MQRC_NO_SUBS_MATCHED
    warning = warning or _warning_of(opened, md)
    return CallReply((), blobs).warned(warning)


def _with_headers(
    session: Session, opened: OpenObject, md: MQMD, body: bytes, pmo: bytes, doing: str
) -> tuple[MQMD, bytes, _NewHandle | None]:
    """The message as it is put: its MQMDE taken off, with its properties and those passed on."""
    new: _NewHandle | None = None
    if md.format == EXTENSION_FORMAT:
        md, body = _extended(md, body, doing)
    if _PMO.version_of(pmo, doing) >= 3:
        md, body, new = _with_handles(session, opened, md, body, pmo, doing)
    options, context_handle = _PUT_OPTIONS.unpack_from(pmo)
    if options & cmqc.MQPMO_PASS_ALL_CONTEXT:
        passed = session.object(context_handle, doing).user_context
        md, body = property_rules.with_passed(md, body, passed, _ccsid(opened, md))
    if md.format == RFH2_FORMAT:
        property_rules.refuse_unsupported(md, body, is_remote=opened.is_remote, doing=doing)
    return md, body, new


def _put_on_queue(
    opened: OpenObject,
    md: MQMD,
    body: bytes,
    options: int,
    context: MQMD | None,
    delay_ms: int,
    doing: str,
) -> MQMD:
    """Put the message on a queue, or on the staging queue until it is due; its descriptor then."""
    if opened.handle is None:
        raise mqi_error(cmqc.MQRC_NOT_OPEN_FOR_OUTPUT, doing, object_name=opened.name)
    if delay_ms:
        name = opened.handle.path[0].name
        return staging.send(opened.connection, name, md, body, delay_ms, options & _DELAYED)
    return putting.put(opened.connection, opened.handle, md, body, options, context)


def _warning_of(opened: OpenObject, md: MQMD) -> int:
    """The reason that a message which was put is warned of for what it says itself, or 0."""
    if md.priority > int(opened.connection.manager.attributes["MAXPRTY"]):
        return cmqc.MQRC_PRIORITY_EXCEEDS_MAXIMUM
    if md.report and has_unknown_options(md.report):
        return cmqc.MQRC_UNKNOWN_REPORT_OPTION
    return 0


def _extended(md: MQMD, body: bytes, doing: str) -> tuple[MQMD, bytes]:
    """Descriptor and data that a program put with an MQMDE in front, as with an MQMD version 1.

    With an MQMD version 2 that says something itself, the MQMDE is message data.

    Source: IBM MQ documentation, "MQMDE - Message descriptor extension", reason 2248.
    """
    if mde.extension_of(md) is not None:
        return md, body
    order = byte_order(md.encoding)
    extension = mde.decode(body, 0, order or "<")
    if (
        order is None
        or isinstance(extension, Damage)
        or body[:4] != b"MDE "
        or extension.version != 2
    ):
        raise mqi_error(cmqc.MQRC_MDE_ERROR, doing, detail="what Format announces is no MQMDE")
    return extension.onto(md), body[extension.length :]


def _is_persistent(opened: OpenObject, md: MQMD) -> bool:
    if md.persistence == cmqc.MQPER_PERSISTENCE_AS_Q_DEF and opened.handle is not None:
        return opened.handle.path[0].default_persistence == cmqc.MQPER_PERSISTENT
    return md.persistence == cmqc.MQPER_PERSISTENT


def _responds_later(opened: OpenObject) -> bool:
    """Whether DEFPRESP says ASYNC, for a put that leaves it to the queue (RESPONSE_AS_Q_DEF)."""
    handle = opened.handle
    return handle is not None and handle.path[0].attributes.get("DEFPRESP") == "ASYNC"


@lru_cache(maxsize=64)  # most programs give the same one again and again
def _unpacked(raw: bytes) -> MQMD:
    return unpack(raw)


@lru_cache(maxsize=64)  # what is put is often got soon
def packed(md: MQMD, version: int) -> bytes:
    """The descriptor as a program of that version of MQMD has it."""
    return pack(md if md.version == version else md._replace(version=version))


_REFUSED_AT_ONCE: Final = frozenset(
    (cmqc.MQRC_NOT_OPEN_FOR_OUTPUT, cmqc.MQRC_CONNECTION_BROKEN, cmqc.MQRC_OPTIONS_ERROR)
)


def _published(
    session: Session,
    opened: OpenObject,
    md: MQMD,
    body: bytes,
    options: int,
    pmo: bytes,
    delay_ms: int,
    doing: str,
) -> tuple[MQMD, bool]:
    """Publish; the descriptor, and whether the publication went to any subscription."""
    if not opened.options & cmqc.MQOO_OUTPUT:
        raise mqi_error(cmqc.MQRC_NOT_OPEN_FOR_OUTPUT, doing, object_name=opened.name)
    level = _INT.unpack_from(pmo, _PUB_LEVEL_AT)[0] if len(pmo) > _PUB_LEVEL_AT else HIGHEST_LEVEL
    if not 0 <= level <= HIGHEST_LEVEL:
        raise mqi_error(cmqc.MQRC_PMO_ERROR, doing, detail=f"PubLevel is {level}")
    md, body = property_rules.published(md, body)
    mine = session.subscriptions.values() if options & cmqc.MQPMO_NOT_OWN_SUBS else ()
    outcome = publications.send(
        opened.connection,
        opened.name,
        md,
        body,
        options & _PUBLISHING,
        delay_ms=delay_ms,
        may_publish=True,
        level=level,
        own=frozenset(subscription.id for subscription in mine),
        alias=opened.alias,
    )
    return outcome.md, outcome.subscribers > 0


def _context(session: Session, to: OpenObject, number: int, options: int, doing: str) -> MQMD:
    """The context that the handle in MQPMO.Context saved."""
    try:
        opened = session.object(number, doing)
    except MQIError:
        raise mqi_error(cmqc.MQRC_CONTEXT_HANDLE_ERROR, doing) from None
    if opened.handle is None or not opened.options & cmqc.MQOO_SAVE_ALL_CONTEXT:
        raise mqi_error(cmqc.MQRC_CONTEXT_HANDLE_ERROR, doing)
    if opened.handle.saved_context is None:
        if to.handle is not None:
            putting.check_context(to.handle, options, doing)
        raise mqi_error(cmqc.MQRC_CONTEXT_NOT_AVAILABLE, doing)
    return opened.handle.saved_context


def _ccsid(opened: OpenObject, md: MQMD) -> int:
    """The CCSID of the data, with MQCCSI_Q_MGR looked up: no header may say that."""
    return md.ccsid or opened.connection.manager.ccsid


class _NewHandle(NamedTuple):
    """MQPMO.NewMsgHandle, and the properties that it holds once the message is put."""

    handle: properties.MessageHandle
    properties: list[properties.HandleProperty]


def _with_handles(
    session: Session, opened: OpenObject, md: MQMD, body: bytes, pmo: bytes, doing: str
) -> tuple[MQMD, bytes, _NewHandle | None]:
    """The message with the properties of the message handles in an MQPMO version 3.

    Those of NewMsgHandle go before those of OriginalMsgHandle, which go along as Action says.

    Source: IBM MQ documentation, "MQPMO - Action", "NewMsgHandle".
    """
    original, new = _HANDLES.unpack_from(pmo, 160)
    action = _INT.unpack_from(pmo, 176)[0]
    if action not in _ACTIONS:
        raise mqi_error(cmqc.MQRC_ACTION_ERROR, doing, detail=f"Action {action}")
    if not original and not new:
        return md, body, None
    attached: list[properties.HandleProperty] = []
    if original:
        attached = property_rules.copied(session.message_handle(original, doing).properties, action)
    new_handle = None
    if new:
        handle = session.message_handle(new, doing)
        names = {prop.name for prop in handle.properties}
        attached = [prop for prop in attached if prop.name not in names] + handle.properties
        new_handle = _NewHandle(handle, attached)
    if attached:
        md = md._replace(ccsid=_ccsid(opened, md))
    return *properties.with_properties(md, body, attached), new_handle
