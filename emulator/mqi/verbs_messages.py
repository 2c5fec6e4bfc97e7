"""MQPUT, MQPUT1, MQGET, MQCB, the ends of units of work, and the wait of a library's consumers."""

from __future__ import annotations

import time
from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple

from mqtriage.emulator import browse, marks
from mqtriage.emulator import get as getting
from mqtriage.emulator import put as putting
from mqtriage.emulator.connections import INPUT
from mqtriage.emulator.group_put import left_incomplete
from mqtriage.emulator.groups import group_status, segment_status, segmentation
from mqtriage.emulator.message_rows import NotAccepted, Wanted
from mqtriage.emulator.mqi import properties, property_rules
from mqtriage.emulator.mqi.conversion import convert
from mqtriage.emulator.mqi.extensions import EXTENSION_FORMAT, extended, with_extension
from mqtriage.emulator.mqi.session import OpenObject, Reply, Session
from mqtriage.emulator.mqi.structures import structure
from mqtriage.emulator.mqi.verbs_objects import opened_object, resolved_names
from mqtriage.mq import codes
from mqtriage.mq.constants import (
    MQCC_OK,
    MQCC_WARNING,
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_CONVERT,
    MQGMO_NO_PROPERTIES,
    MQGMO_PROPERTIES_COMPATIBILITY,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_PROPERTIES_IN_HANDLE,
    MQGMO_UNLOCK,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_MATCH_OFFSET,
    MQOO_OUTPUT,
    MQOO_SAVE_ALL_CONTEXT,
    MQPMO_ALTERNATE_USER_AUTHORITY,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_DEFAULT_CONTEXT,
    MQPMO_LOGICAL_ORDER,
    MQPMO_MD_FOR_OUTPUT_ONLY,
    MQPMO_NEW_CORREL_ID,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_CONTEXT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_NOT_OWN_SUBS,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_PASS_IDENTITY_CONTEXT,
    MQPMO_RESOLVE_LOCAL_Q,
    MQPMO_RETAIN,
    MQPMO_SCOPE_QMGR,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SET_IDENTITY_CONTEXT,
    MQPMO_SUPPRESS_REPLYTO,
    MQPMO_SYNC_RESPONSE,
    MQPMO_SYNCPOINT,
    MQPMO_WARN_IF_NO_SUBS_MATCHED,
)
from mqtriage.mq.descriptor import MQMD, MQMD_LENGTH_2, pack, unpack
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.message import Message
from mqtriage.mq.reports import has_unknown_options

_PMO: Final = structure("MQPMO")
_GMO: Final = structure("MQGMO")
_MD: Final = structure("MQMD")
_PUT_OPTIONS: Final = Struct("<8xi4xi")
_GET_OPTIONS: Final = Struct("<8xii")
_COUNTS: Final = Struct("<iii")
_HANDLES: Final = Struct("<qq")
_INT: Final = Struct("<i")
_HANDLE: Final = Struct("<q")
_PASS: Final = MQPMO_PASS_ALL_CONTEXT | MQPMO_PASS_IDENTITY_CONTEXT
_BROWSE: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR
_PROPERTIES: Final = (
    MQGMO_NO_PROPERTIES
    | MQGMO_PROPERTIES_COMPATIBILITY
    | MQGMO_PROPERTIES_FORCE_MQRFH2
    | MQGMO_PROPERTIES_IN_HANDLE
)
_MATCHES: Final = 0x3F
_VERSION_2: Final = MQMO_MATCH_GROUP_ID | MQMO_MATCH_MSG_SEQ_NUMBER | MQMO_MATCH_OFFSET
"""What they match stands in an MQMD version 2."""
_ACTIONS: Final = range(4)
"""MQACTP_*."""
_PUB_LEVEL_AT: Final = _PMO.field("PubLevel").offset
_HIGHEST: Final = 9
_PUBLISHING: Final = (
    MQPMO_RETAIN
    | MQPMO_SUPPRESS_REPLYTO
    | MQPMO_SCOPE_QMGR
    | MQPMO_SYNCPOINT
    | MQPMO_NO_SYNCPOINT
    | MQPMO_NEW_MSG_ID
    | MQPMO_NEW_CORREL_ID
)
"""Options that count for a publication."""
_KNOWN_PUT_OPTIONS: Final = 0x1CAFFFE6
_ONE_OF_EACH: Final = (
    MQPMO_SYNCPOINT | MQPMO_NO_SYNCPOINT,
    MQPMO_ASYNC_RESPONSE | MQPMO_SYNC_RESPONSE,
    _PASS
    | MQPMO_DEFAULT_CONTEXT
    | MQPMO_NO_CONTEXT
    | MQPMO_SET_ALL_CONTEXT
    | MQPMO_SET_IDENTITY_CONTEXT,
)
"""Options that exclude each other."""


# -- putting --------------------------------------------------------------------------------------


def put1(session: Session, blobs: tuple[bytes, ...]) -> Reply:
    """MQPUT1: open for output with the context options that the MQPMO asks for, put, close."""
    od, object_string, selection, md, pmo, body = blobs
    _PMO.version_of(pmo, "put1")
    options, _ = _PUT_OPTIONS.unpack_from(pmo)
    context = options & (0xF00 | MQPMO_ALTERNATE_USER_AUTHORITY)  # MQOO_ of the same values
    opened, od, full_topic = opened_object(
        session, MQOO_OUTPUT | context, od, object_string, selection
    )
    try:
        if opened.handle is not None and opened.handle.path[-1].kind == "QMODEL":
            raise mqi_error(codes.MQRC_Q_TYPE_ERROR, "put1", object_name=opened.name)
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


def put_to(session: Session, opened: OpenObject, raw_md: bytes, pmo: bytes, body: bytes) -> Reply:
    """MQPUT to a queue or a topic."""
    doing = "put"
    version = _PMO.version_of(pmo, doing)
    md_version = _MD.version_of(raw_md, doing)
    options, context_handle = _PUT_OPTIONS.unpack_from(pmo)
    if _exclude_each_other(options):
        raise mqi_error(codes.MQRC_OPTIONS_ERROR, doing)
    if not options & MQPMO_SYNC_RESPONSE and _responds_later(opened):
        options |= MQPMO_ASYNC_RESPONSE
    context = _context(session, context_handle, options, doing) if options & _PASS else None
    md = given = _unpacked(raw_md)
    if options & MQPMO_MD_FOR_OUTPUT_ONLY:
        md = given = MQMD(version=md.version)
    if md.format == EXTENSION_FORMAT:
        md, body = extended(md, body, doing)
    new: _NewHandle | None = None
    if version >= 3:
        md, body, new = _with_handles(session, opened, md, body, pmo, doing)
    if options & MQPMO_PASS_ALL_CONTEXT:
        passed = session.object(context_handle, doing).user_context
        md, body = property_rules.with_passed(md, body, passed, _ccsid(opened, md))
    if md.format == properties.FORMAT:
        property_rules.refuse_unsupported(md, body, is_remote=opened.is_remote, doing=doing)
    left = 0
    if opened.handle is not None and not options & MQPMO_LOGICAL_ORDER:
        left = left_incomplete(opened.handle)
    try:
        if opened.kind == "topic":
            full, is_heard = _published(session, opened, md, body, options, pmo, doing)
        else:
            full, is_heard = _stored(opened, md, body, options, context, doing), True
    except MQIError as error:
        if not options & MQPMO_ASYNC_RESPONSE or error.reason in _REFUSED_AT_ONCE:
            raise
        told = session.async_puts
        told.failed += 1
        if not told.first[1]:
            told.first = (error.comp_code, error.reason, opened.name)
        return Reply((), (raw_md, pmo))
    if options & MQPMO_ASYNC_RESPONSE:
        session.async_puts.succeeded += 1
    session.shared.bell.ring()
    if new is not None:
        new.handle.properties = new.properties
    if md is not given:
        ccsid = _ccsid(opened, given)
        full = full._replace(format=given.format, encoding=given.encoding, ccsid=ccsid)
    counts = _COUNTS.pack(not opened.is_remote, opened.is_remote, 0)
    resolved = opened.resolved
    if options & MQPMO_RESOLVE_LOCAL_Q and opened.handle is not None:
        resolved = resolved_names(opened.connection, opened.handle, options)
    pmo = pmo[:20] + counts + resolved + pmo[128:]
    blobs = _packed(full, md_version), pmo
    reason = left
    if options & MQPMO_WARN_IF_NO_SUBS_MATCHED and not is_heard:
        reason = codes.MQRC_NO_SUBS_MATCHED
    elif not left and md.priority > int(opened.connection.manager.attributes["MAXPRTY"]):
        reason = codes.MQRC_PRIORITY_EXCEEDS_MAXIMUM
    elif not left and md.report and has_unknown_options(md.report):
        reason = codes.MQRC_UNKNOWN_REPORT_OPTION
    return Reply((), blobs, reason, MQCC_WARNING if reason else MQCC_OK)


def _responds_later(opened: OpenObject) -> bool:
    """Whether DEFPRESP says ASYNC, for a put that leaves it to the queue (RESPONSE_AS_Q_DEF)."""
    handle = opened.handle
    return handle is not None and handle.path[0].attributes.get("DEFPRESP") == "ASYNC"


@lru_cache(maxsize=64)  # most programs give the same one again and again
def _unpacked(raw: bytes) -> MQMD:
    return unpack(raw)


@lru_cache(maxsize=64)  # what is put is often got soon
def _packed(md: MQMD, version: int) -> bytes:
    return pack(md if md.version == version else md._replace(version=version))


_REFUSED_AT_ONCE: Final = frozenset(
    (codes.MQRC_NOT_OPEN_FOR_OUTPUT, codes.MQRC_CONNECTION_BROKEN, codes.MQRC_OPTIONS_ERROR)
)


def _stored(
    opened: OpenObject, md: MQMD, body: bytes, options: int, context: MQMD | None, doing: str
) -> MQMD:
    if opened.handle is not None:
        return putting.put(opened.connection, opened.handle, md, body, options, context)
    raise mqi_error(codes.MQRC_NOT_OPEN_FOR_OUTPUT, doing, object_name=opened.name)


def _published(
    session: Session,
    opened: OpenObject,
    md: MQMD,
    body: bytes,
    options: int,
    pmo: bytes,
    doing: str,
) -> tuple[MQMD, bool]:
    """Publish; the descriptor, and whether the publication went to any subscription.

    Raises:
        MQIError: 2039; 2173: a PubLevel that there is not.
    """
    from mqtriage.emulator import pubsub

    if not opened.options & MQOO_OUTPUT:
        raise mqi_error(codes.MQRC_NOT_OPEN_FOR_OUTPUT, doing, object_name=opened.name)
    level = _INT.unpack_from(pmo, _PUB_LEVEL_AT)[0] if len(pmo) > _PUB_LEVEL_AT else _HIGHEST
    if not 0 <= level <= _HIGHEST:
        raise mqi_error(codes.MQRC_PMO_ERROR, doing, detail=f"PubLevel is {level}")
    md, body = property_rules.published(md, body)
    mine = session.subscriptions.values() if options & MQPMO_NOT_OWN_SUBS else ()
    made = pubsub.send(
        opened.connection,
        opened.name,
        md,
        body,
        options & _PUBLISHING,
        may_publish=True,
        level=level,
        own=frozenset(each.id for each in mine),
    )
    return made.md, made.subscribers > 0


def _context(session: Session, number: int, options: int, doing: str) -> MQMD:
    """The context that the handle in MQPMO.Context saved.

    Raises:
        MQIError: 2097, 2098.
    """
    try:
        opened = session.object(number, doing)
    except MQIError:
        raise mqi_error(codes.MQRC_CONTEXT_HANDLE_ERROR, doing) from None
    if opened.handle is None or not opened.options & MQOO_SAVE_ALL_CONTEXT:
        raise mqi_error(codes.MQRC_CONTEXT_HANDLE_ERROR, doing)
    if opened.handle.saved_context is None:
        raise mqi_error(codes.MQRC_CONTEXT_NOT_AVAILABLE, doing)
    return opened.handle.saved_context


def _ccsid(opened: OpenObject, md: MQMD) -> int:
    """The CCSID of the data, with MQCCSI_Q_MGR looked up: no header may say that."""
    return md.ccsid or int(opened.connection.manager.attributes.get("CCSID", 1208))


class _NewHandle(NamedTuple):
    """MQPMO.NewMsgHandle, and the properties that it holds once the message is put."""

    handle: properties.MessageHandle
    properties: list[properties.Property]


def _with_handles(
    session: Session, opened: OpenObject, md: MQMD, body: bytes, pmo: bytes, doing: str
) -> tuple[MQMD, bytes, _NewHandle | None]:
    """The message with the properties of the message handles in an MQPMO version 3.

    Those of NewMsgHandle go before those of OriginalMsgHandle, which go along as Action says.

    Raises:
        MQIError: 2535, 2460.

    Source: IBM MQ documentation, "MQPMO - Action", "NewMsgHandle".
    """
    original, new = _HANDLES.unpack_from(pmo, 160)
    action = _INT.unpack_from(pmo, 176)[0]
    if action not in _ACTIONS:
        raise mqi_error(codes.MQRC_ACTION_ERROR, doing, detail=f"Action {action}")
    if not original and not new:
        return md, body, None
    found: list[properties.Property] = []
    if original:
        found = property_rules.copied(_message_handle(session, original, doing).properties, action)
    made_new = None
    if new:
        handle = _message_handle(session, new, doing)
        names = {each.name for each in handle.properties}
        found = [each for each in found if each.name not in names] + handle.properties
        made_new = _NewHandle(handle, found)
    if found:
        md = md._replace(ccsid=_ccsid(opened, md))
    return *properties.with_properties(md, body, found), made_new


def _message_handle(session: Session, number: int, doing: str) -> properties.MessageHandle:
    handle = session.shared.message_handles.get(number)
    if handle is None:
        raise mqi_error(codes.MQRC_HMSG_ERROR, doing, detail=f"message handle {number}")
    return handle


# -- getting --------------------------------------------------------------------------------------


class _Given(NamedTuple):
    """A message as it goes to the program.

    Attributes:
        length_bytes: MQGET's DataLength: of a message that is cut, before it was converted.
    """

    md: MQMD
    body: bytes
    length_bytes: int
    warning: int
    properties: list[properties.Property]


class _Fitting:
    """Makes each message ready for its program and says whether it fits into the buffer."""

    def __init__(self, session: Session, opened: OpenObject, gmo: bytes, raw_md: bytes) -> None:
        self.options = _GET_OPTIONS.unpack_from(gmo)[0]
        self.buffer_bytes = 0
        self.handle: properties.MessageHandle | None = None
        self.given: _Given | None = None
        self._raw_md = raw_md
        self._opened = opened
        if len(gmo) >= 112:
            number = _HANDLE.unpack_from(gmo, 104)[0]
            self.handle = session.shared.message_handles.get(number)
            if number and self.handle is None:
                raise mqi_error(codes.MQRC_HMSG_ERROR, "get", detail=f"message handle {number}")
        if self.options & MQGMO_PROPERTIES_IN_HANDLE and self.handle is None:
            raise mqi_error(codes.MQRC_HMSG_ERROR, "get", detail="no message handle")

    def accept(self, message: Message) -> bool:
        self.given = given = self._made(message)
        fits = given.length_bytes <= self.buffer_bytes
        return fits or bool(self.options & MQGMO_ACCEPT_TRUNCATED_MSG)

    def _made(self, message: Message) -> _Given:
        md, body, found = message.md, message.body, list[properties.Property]()
        if md.format == properties.FORMAT and self._strips(md, body):
            md, body, found = properties.without_properties(md, body)
        warning = unconverted_bytes = 0
        if self.options & MQGMO_CONVERT:
            made = convert(md, body, unpack(self._raw_md), self._queue_manager_ccsid())
            grows = len(made.body) > self.buffer_bytes >= len(body)
            if grows and not self.options & MQGMO_ACCEPT_TRUNCATED_MSG:
                warning = codes.MQRC_CONVERTED_MSG_TOO_BIG  # and it is given unconverted
            else:
                unconverted_bytes = len(body) if len(made.body) > self.buffer_bytes else 0
                md, body, warning = made
        if len(self._raw_md) < MQMD_LENGTH_2:
            md, body = with_extension(md, body, self._queue_manager_ccsid())
        return _Given(md, body, unconverted_bytes or len(body), warning, found)

    def _queue_manager_ccsid(self) -> int:
        return int(self._opened.connection.manager.attributes.get("CCSID", 1208))

    def _strips(self, md: MQMD, body: bytes) -> bool:
        """Whether the properties go out of the data: into the handle, or nowhere."""
        asked = self.options & _PROPERTIES
        if asked == MQGMO_PROPERTIES_COMPATIBILITY:
            return properties.leaves_when_compatible(md, body)
        if asked:
            return bool(asked & (MQGMO_NO_PROPERTIES | MQGMO_PROPERTIES_IN_HANDLE))
        assert self._opened.handle is not None
        control = str(self._opened.handle.path[0].attributes.get("PROPCTL", "COMPAT"))
        return properties.leaves_data(control, md, body, has_handle=self.handle is not None)


def get(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> Reply:
    """MQGET: take or browse, wait where asked, cut where the buffer is too short."""
    number, buffer_bytes = numbers
    raw_md, gmo = blobs
    doing = "get"
    opened = session.object(number, doing)
    version = _GMO.version_of(gmo, doing)
    md_version = _MD.version_of(raw_md, doing)
    options, wait_ms = _GET_OPTIONS.unpack_from(gmo)
    if opened.handle is None:
        raise mqi_error(codes.MQRC_NOT_OPEN_FOR_INPUT, doing, object_name=opened.name)
    _check_get(options, wait_ms, doing)
    if options & marks.OPTIONS:
        marks.check(options, opened.options, doing)
    if options & MQGMO_UNLOCK and not options & _BROWSE:
        return _unlocked(opened, raw_md, gmo)
    fitting = _Fitting(session, opened, gmo, raw_md)
    fitting.buffer_bytes = buffer_bytes
    wanted = _wanted(raw_md, gmo, version)
    try:
        message = _got(session, opened, options, wanted, wait_ms, fitting)
        reason = 0
    except NotAccepted as found:
        message, reason = found.message, codes.MQRC_TRUNCATED_MSG_FAILED
    given = fitting.given
    assert given is not None
    if reason == 0:
        if options & ~_BROWSE == options:
            session.shared.bell.ring()
        if len(given.body) > buffer_bytes:
            reason = codes.MQRC_TRUNCATED_MSG_ACCEPTED
        if opened.options & MQOO_SAVE_ALL_CONTEXT and not options & _BROWSE:
            opened.user_context = property_rules.of_user_context(message.md, message.body)
        if fitting.handle is not None:
            fitting.handle.properties, fitting.handle.cursor = given.properties, -1
    reason = reason or message.warning or given.warning
    gmo = _gmo_back(gmo, version, opened, message, len(given.body[:buffer_bytes]))
    return Reply(
        (given.length_bytes,),
        (_packed(given.md, md_version), gmo, given.body[:buffer_bytes]),
        reason,
        MQCC_WARNING if reason else MQCC_OK,
    )


def _unlocked(opened: OpenObject, md: bytes, gmo: bytes) -> Reply:
    assert opened.handle is not None
    blobs = md, gmo, b""
    try:
        browse.unlock(opened.connection, opened.handle)
    except MQIError as error:
        if error.comp_code != MQCC_WARNING:
            raise
        return Reply((0,), blobs, error.reason, MQCC_WARNING)
    return Reply((0,), blobs)


def _check_get(options: int, wait_ms: int, doing: str) -> None:
    getting.check_options(options, wait_ms, doing)
    if (options & _PROPERTIES).bit_count() > 1:
        raise mqi_error(codes.MQRC_OPTIONS_ERROR, doing, detail="where do properties go?")


def _wanted(md: bytes, gmo: bytes, version: int) -> Wanted:
    match = MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID
    if version >= 2:
        match = _INT.unpack_from(gmo, 72)[0]
        if match & ~_MATCHES:
            raise mqi_error(codes.MQRC_MATCH_OPTIONS_ERROR, "get", detail=f"MatchOptions {match}")
        if match & _VERSION_2 and len(md) < MQMD_LENGTH_2:
            raise mqi_error(
                codes.MQRC_WRONG_MD_VERSION, "get", detail="an MQMD version 2 is needed"
            )
        if match & MQMO_MATCH_MSG_TOKEN and version < 3:
            said = "a message token is in an MQGMO of version 3"
            raise mqi_error(codes.MQRC_WRONG_GMO_VERSION, "get", detail=said)
    return Wanted(
        md[48:72] if match & MQMO_MATCH_MSG_ID else None,
        md[72:96] if match & MQMO_MATCH_CORREL_ID else None,
        md[324:348] if match & MQMO_MATCH_GROUP_ID else None,
        gmo[80:96] if match & MQMO_MATCH_MSG_TOKEN else None,
        _INT.unpack_from(md, 348)[0] if match & MQMO_MATCH_MSG_SEQ_NUMBER else None,
        _INT.unpack_from(md, 352)[0] if match & MQMO_MATCH_OFFSET else None,
    )


def _got(
    session: Session,
    opened: OpenObject,
    options: int,
    wanted: Wanted,
    wait_ms: int,
    fitting: _Fitting,
) -> Message:
    """The message, waited for so that the end of the client or of the server ends the wait."""
    assert opened.handle is not None
    at_once = options & ~MQGMO_WAIT
    deadline = None if wait_ms < 0 else time.monotonic() + wait_ms / 1000
    waited = False
    while True:
        try:
            return getting.get(
                opened.connection, opened.handle, at_once, wanted, accept=fitting.accept
            )
        except MQIError as error:
            over = deadline is not None and time.monotonic() >= deadline
            no_message = error.reason == codes.MQRC_NO_MSG_AVAILABLE
            if not no_message or not options & MQGMO_WAIT or over:
                raise getting.wait_ended(error, "get") if waited else error from None
        waited = True
        session.sleep(deadline)


def _gmo_back(
    gmo: bytes, version: int, opened: OpenObject, message: Message, returned_bytes: int
) -> bytes:
    made = gmo[:24] + opened.resolved[:48]
    if version == 1:
        return made
    md = message.md
    statuses = group_status(md) + segment_status(md) + segmentation(md)
    made += gmo[72:76] + statuses.encode() + gmo[79:80]
    if version == 2:
        return made
    return made + message.token.rjust(16, b"\0") + _INT.pack(returned_bytes) + gmo[100:]


# -- consumers ------------------------------------------------------------------------------------

_REGISTER: Final = 0x100
_DEREGISTER: Final = 0x200
_SUSPEND: Final = 0x10000
_RESUME: Final = 0x20000
_CONSUMER: Final = 1
_EVENT_HANDLER: Final = 2
_CALLBACK_OPTIONS: Final = 0xE305
_FULL_LENGTH: Final = -1


def callback(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> Reply:
    """MQCB: look whether what it names is in order; the library keeps the function itself.

    Raises:
        MQIError: 2488, 2444, 2483 to 2485, 2019, 2037, 2026, 2186.
    """
    operation, number = numbers
    cbd, md, gmo = blobs
    doing = "register a consumer"
    session.connection  # noqa: B018  says 2018 where there is none
    if operation & ~(_REGISTER | _DEREGISTER | _SUSPEND | _RESUME) or not operation:
        raise mqi_error(codes.MQRC_OPERATION_ERROR, doing)
    if operation & _REGISTER and operation & _DEREGISTER:
        raise mqi_error(codes.MQRC_OPERATION_ERROR, doing)
    fields = structure("MQCBD").decode(cbd, doing)
    kind = int(fields["CallbackType"])
    if int(fields["Options"]) & ~_CALLBACK_OPTIONS:
        raise mqi_error(codes.MQRC_CBD_OPTIONS_ERROR, doing)
    if int(fields["MaxMsgLength"]) < _FULL_LENGTH:
        raise mqi_error(codes.MQRC_MAX_MSG_LENGTH_ERROR, doing)
    if kind == _EVENT_HANDLER:
        return Reply()
    if kind != _CONSUMER:
        raise mqi_error(codes.MQRC_CALLBACK_TYPE_ERROR, doing)
    opened = session.object(number, doing)
    if operation & _REGISTER:
        if not int(fields["CallbackFunction"]):
            raise mqi_error(codes.MQRC_CALLBACK_ROUTINE_ERROR, doing)
        if md:
            _MD.version_of(md, doing)
        if gmo:
            _GMO.version_of(gmo, doing)
        if opened.handle is None or not opened.options & (INPUT | 8):
            raise mqi_error(codes.MQRC_NOT_OPEN_FOR_INPUT, doing, object_name=opened.name)
    return Reply()


def wait(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> Reply:
    """Wait until something changed, or so many milliseconds; for a library with consumers."""
    milliseconds = min(max(numbers[0], 0), 1000)
    session.sleep(time.monotonic() + milliseconds / 1000)
    session.connection.look("wait")
    return Reply()


# -- units of work --------------------------------------------------------------------------------


def commit(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> Reply:
    """MQCMIT."""
    connection = session.connection
    connection.look("commit")
    connection.commit()
    session.shared.bell.ring()
    return Reply()


def back_out(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> Reply:
    """MQBACK."""
    connection = session.connection
    connection.look("back out")
    connection.back_out()
    session.shared.bell.ring()
    return Reply()


def begin(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> Reply:
    """MQBEGIN: there are no resource managers to coordinate, which MQ tells as a warning.

    Raises:
        MQIError: 2134, 2128 while a unit of work is open.
    """
    connection = session.connection
    if blobs[0] and structure("MQBO").decode(blobs[0], "begin")["Options"]:
        raise mqi_error(codes.MQRC_OPTIONS_ERROR, "begin")
    if connection.unit.count:
        raise mqi_error(codes.MQRC_UOW_IN_PROGRESS, "begin")
    return Reply(reason=codes.MQRC_NO_EXTERNAL_PARTICIPANTS, comp_code=MQCC_WARNING)
