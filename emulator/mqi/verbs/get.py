"""MQGET: take or browse, made ready for the program that asked."""

from __future__ import annotations

import time
from struct import Struct
from typing import Final, NamedTuple

from mqtriage.emulator.core import browse_marks as marks
from mqtriage.emulator.core.get import browse
from mqtriage.emulator.core.get import get as getting
from mqtriage.emulator.core.get.rows import MatchOptions, NotAccepted
from mqtriage.emulator.core.group_positions import statuses
from mqtriage.emulator.mqi import message_handles as properties
from mqtriage.emulator.mqi import property_rules
from mqtriage.emulator.mqi.conversion.messages import convert
from mqtriage.emulator.mqi.session import CallReply, OpenObject, Session
from mqtriage.emulator.mqi.verbs.put import EXTENSION_FORMAT, packed
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING, unpack
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.headers import mde
from mqtriage.mq.headers.formats import RFH2_FORMAT
from mqtriage.mq.message import Message
from mqtriage.mq.structures import structure

_GMO: Final = structure("MQGMO")
_MD: Final = structure("MQMD")
_GET_OPTIONS: Final = Struct("<8xii")
_INT: Final = Struct("<i")
_HANDLE: Final = Struct("<q")
_PROPERTIES: Final = (
    cmqc.MQGMO_NO_PROPERTIES
    | cmqc.MQGMO_PROPERTIES_COMPATIBILITY
    | cmqc.MQGMO_PROPERTIES_FORCE_MQRFH2
    | cmqc.MQGMO_PROPERTIES_IN_HANDLE
)
_MATCHES: Final = 0x3F
_VERSION_2: Final = (
    cmqc.MQMO_MATCH_GROUP_ID | cmqc.MQMO_MATCH_MSG_SEQ_NUMBER | cmqc.MQMO_MATCH_OFFSET
)
"""What they match stands in an MQMD version 2."""


class _Given(NamedTuple):
    """A message as it goes to the program.

    Attributes:
        length_bytes: MQGET's DataLength: of a message that is cut, before it was converted.
    """

    md: MQMD
    body: bytes
    length_bytes: int
    warning: int
    properties: list[properties.HandleProperty]


class _Fitting:
    """Makes each message ready for its program and says whether it fits into the buffer."""

    def __init__(self, session: Session, opened: OpenObject, gmo: bytes, raw_md: bytes) -> None:
        self.options = _GET_OPTIONS.unpack_from(gmo)[0]
        self.buffer_bytes = 0
        self.handle: properties.MessageHandle | None = None
        self.given: _Given | None = None
        self.takes_persistent = True
        self._raw_md = raw_md
        self._opened = opened
        if len(gmo) >= 112:
            number = _HANDLE.unpack_from(gmo, 104)[0]
            self.handle = session.message_handle(number, "get") if number else None
        if self.options & cmqc.MQGMO_PROPERTIES_IN_HANDLE and self.handle is None:
            raise mqi_error(cmqc.MQRC_HMSG_ERROR, "get", detail="no message handle")

    def accept(self, message: Message) -> bool:
        if not self.takes_persistent and message.md.persistence == cmqc.MQPER_PERSISTENT:
            return False
        self.given = given = self._given(message)
        fits = given.length_bytes <= self.buffer_bytes
        return fits or bool(self.options & cmqc.MQGMO_ACCEPT_TRUNCATED_MSG)

    def _given(self, message: Message) -> _Given:
        md, body, in_front = message.md, message.body, list[properties.HandleProperty]()
        if md.format == RFH2_FORMAT and self._strips(md, body):
            md, body, in_front = properties.without_properties(md, body)
        warning = unconverted_bytes = 0
        if self.options & cmqc.MQGMO_CONVERT:
            conversion = convert(md, body, unpack(self._raw_md), self._queue_manager_ccsid())
            grows = len(conversion.body) > self.buffer_bytes >= len(body)
            if grows and not self.options & cmqc.MQGMO_ACCEPT_TRUNCATED_MSG:
                warning = cmqc.MQRC_CONVERTED_MSG_TOO_BIG  # and it is given unconverted
            else:
                unconverted_bytes = len(body) if len(conversion.body) > self.buffer_bytes else 0
                md, body, warning = conversion
        if len(self._raw_md) < cmqc.MQMD_LENGTH_2:
            md, body = _with_extension(md, body, self._queue_manager_ccsid())
        return _Given(md, body, unconverted_bytes or len(body), warning, in_front)

    def _queue_manager_ccsid(self) -> int:
        return self._opened.connection.manager.ccsid

    def _strips(self, md: MQMD, body: bytes) -> bool:
        """Whether the properties go out of the data: into the handle, or nowhere."""
        asked = self.options & _PROPERTIES
        if asked == cmqc.MQGMO_PROPERTIES_COMPATIBILITY:
            return properties.leaves_when_compatible(md, body)
        if asked:
            return bool(asked & (cmqc.MQGMO_NO_PROPERTIES | cmqc.MQGMO_PROPERTIES_IN_HANDLE))
        assert self._opened.handle is not None
        control = str(self._opened.handle.path[0].attributes.get("PROPCTL", "COMPAT"))
        return properties.leaves_data(control, md, body, has_handle=self.handle is not None)


def _with_extension(md: MQMD, body: bytes, ccsid: int) -> tuple[MQMD, bytes]:
    """Descriptor and data for an MQMD version 1: an MQMDE in front has what version 2 says.

    Source: IBM MQ documentation, "MQMDE - Message descriptor extension".
    """
    extension = mde.extension_of(md)
    if extension is None:
        return md, body
    md = md._replace(format=EXTENSION_FORMAT, encoding=NATIVE_ENCODING, ccsid=ccsid)
    return md, mde.encode(extension) + body


def get(
    session: Session,
    numbers: tuple[int, ...],
    blobs: tuple[bytes, ...],
    *,
    takes_persistent: bool = True,
) -> CallReply:
    """MQGET: take or browse, wait where asked, cut where the buffer is too short.

    Args:
        takes_persistent: False to leave a persistent message where it is (2033).
    """
    number, buffer_bytes = numbers
    raw_md, gmo = blobs
    doing = "get"
    opened = session.object(number, doing)
    version = _GMO.version_of(gmo, doing)
    md_version = _MD.version_of(raw_md, doing)
    options, wait_ms = _GET_OPTIONS.unpack_from(gmo)
    if opened.handle is None:
        raise mqi_error(cmqc.MQRC_NOT_OPEN_FOR_INPUT, doing, object_name=opened.name)
    getting.check_options(options, wait_ms, doing)
    if (options & _PROPERTIES).bit_count() > 1:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing, detail="where do properties go?")
    if options & marks.OPTIONS:
        marks.check(options, opened.options, doing)
    if options & cmqc.MQGMO_UNLOCK and not options & browse.BROWSE:
        return _unlocked(opened, raw_md, gmo)
    fitting = _Fitting(session, opened, gmo, raw_md)
    fitting.buffer_bytes, fitting.takes_persistent = buffer_bytes, takes_persistent
    match = _match_options(raw_md, gmo, version)
    try:
        message = _got(session, opened, options, match, wait_ms, fitting)
        reason = 0
    except NotAccepted as refusal:
        if fitting.given is None:
            raise mqi_error(
                cmqc.MQRC_NO_MSG_AVAILABLE, doing, detail="the next one is persistent"
            ) from None
        message, reason = refusal.message, cmqc.MQRC_TRUNCATED_MSG_FAILED
    given = fitting.given
    assert given is not None
    if reason == 0:
        if options & ~browse.BROWSE == options:
            session.shared.wake_up.notify()
            session.shared.unmark(opened.handle.queue.id, message.token)
        if len(given.body) > buffer_bytes:
            reason = cmqc.MQRC_TRUNCATED_MSG_ACCEPTED
        if opened.options & cmqc.MQOO_SAVE_ALL_CONTEXT and not options & browse.BROWSE:
            opened.user_context = property_rules.of_user_context(message.md, message.body)
        if fitting.handle is not None:
            fitting.handle.properties, fitting.handle.cursor = given.properties, -1
    reason = reason or message.warning or given.warning
    gmo = _gmo_back(gmo, version, opened, message, len(given.body[:buffer_bytes]))
    back = packed(given.md, md_version), gmo, given.body[:buffer_bytes]
    return CallReply((given.length_bytes,), back).warned(reason)


def _unlocked(opened: OpenObject, md: bytes, gmo: bytes) -> CallReply:
    assert opened.handle is not None
    blobs = md, gmo, b""
    try:
        browse.unlock(opened.connection, opened.handle)
    except MQIError as error:
        if error.comp_code != cmqc.MQCC_WARNING:
            raise
        return CallReply((0,), blobs).warned(error.reason)
    return CallReply((0,), blobs)


def _match_options(md: bytes, gmo: bytes, version: int) -> MatchOptions:
    match = cmqc.MQMO_MATCH_MSG_ID | cmqc.MQMO_MATCH_CORREL_ID
    if version >= 2:
        match = _INT.unpack_from(gmo, 72)[0]
        if match & ~_MATCHES:
            raise mqi_error(cmqc.MQRC_MATCH_OPTIONS_ERROR, "get", detail=f"MatchOptions {match}")
        if match & _VERSION_2 and len(md) < cmqc.MQMD_LENGTH_2:
            raise mqi_error(cmqc.MQRC_WRONG_MD_VERSION, "get", detail="an MQMD version 2 is needed")
        if match & cmqc.MQMO_MATCH_MSG_TOKEN and version < 3:
            detail = "a message token is in an MQGMO of version 3"
            raise mqi_error(cmqc.MQRC_WRONG_GMO_VERSION, "get", detail=detail)
    return MatchOptions(
        md[48:72] if match & cmqc.MQMO_MATCH_MSG_ID else None,
        md[72:96] if match & cmqc.MQMO_MATCH_CORREL_ID else None,
        md[324:348] if match & cmqc.MQMO_MATCH_GROUP_ID else None,
        gmo[80:96] if match & cmqc.MQMO_MATCH_MSG_TOKEN else None,
        _INT.unpack_from(md, 348)[0] if match & cmqc.MQMO_MATCH_MSG_SEQ_NUMBER else None,
        _INT.unpack_from(md, 352)[0] if match & cmqc.MQMO_MATCH_OFFSET else None,
    )


def _got(
    session: Session,
    opened: OpenObject,
    options: int,
    match: MatchOptions,
    wait_ms: int,
    fitting: _Fitting,
) -> Message:
    """The message, waited for so that the end of the client or of the server ends the wait."""
    assert opened.handle is not None
    at_once = options & ~cmqc.MQGMO_WAIT
    deadline = None if wait_ms < 0 else time.monotonic() + wait_ms / 1000
    waited = False
    while True:
        try:
            return getting.get(
                opened.connection, opened.handle, at_once, match, accept=fitting.accept
            )
        except MQIError as error:
            over = deadline is not None and time.monotonic() >= deadline
            no_message = error.reason == cmqc.MQRC_NO_MSG_AVAILABLE
            if not no_message or not options & cmqc.MQGMO_WAIT or over:
                raise getting.wait_ended(error, "get") if waited else error from None
        waited = True
        session.sleep(deadline)


def _gmo_back(
    gmo: bytes, version: int, opened: OpenObject, message: Message, returned_bytes: int
) -> bytes:
    data = gmo[:24] + opened.resolved[:48]
    if version == 1:
        return data
    data += gmo[72:76] + statuses(message.md).encode() + gmo[79:80]
    if version == 2:
        return data
    return data + message.token.rjust(16, b"\0") + _INT.pack(returned_bytes) + gmo[100:]
