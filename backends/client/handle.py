"""An open queue (MQHOBJ): browse, lock, get and put, with a buffer that grows where it must."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from mqtriage.backends.client.connection import ClientConnection, text_of
from mqtriage.backends.client.message_handle import ClientMessageHandle
from mqtriage.backends.client.structures import descriptor, fill_descriptor
from mqtriage.backends.port import ANY, Match
from mqtriage.model.client_settings import PropertyForm
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.errors import MQIError, NoMessageAvailable, mqi_error
from mqtriage.mq.message import Message
from mqtriage.records import NamedTuple

MQGMO_VERSION_3: Final = 3
"""The first with MsgToken."""
MQGMO_VERSION_4: Final = 4
"""The first with MsgHandle."""

_BROWSE: Final = (
    cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR
)
_UNITS: Final = cmqc.MQGMO_SYNCPOINT | cmqc.MQGMO_NO_SYNCPOINT | cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT
_PROPERTIES: Final = (
    cmqc.MQGMO_NO_PROPERTIES
    | cmqc.MQGMO_PROPERTIES_COMPATIBILITY
    | cmqc.MQGMO_PROPERTIES_FORCE_MQRFH2
    | cmqc.MQGMO_PROPERTIES_IN_HANDLE
)

_ASKING: Final[dict[PropertyForm, int]] = {
    "rfh2": cmqc.MQGMO_PROPERTIES_FORCE_MQRFH2,  # whatever PROPCTL of the queue says
    "handle": cmqc.MQGMO_PROPERTIES_IN_HANDLE,
    "queue": cmqc.MQGMO_PROPERTIES_AS_Q_DEF,
}

_FIRST_BUFFER: Final = 4096
_KEPT_BUFFER: Final = 1 << 20
_WAIT_SLICE_MS: Final = 500
"""A get that waits is one call into C, which no signal ends: a long wait is made of short ones."""


class ClientHandle:
    """`QueueHandle` over a Queue of pymqi or ibmmq."""

    def __init__(
        self,
        connection: ClientConnection,
        name: str,
        options: int,
        *,
        selector: str = "",
        properties_as: PropertyForm = "rfh2",
        **named: str,
    ) -> None:
        self._connection = connection
        self._properties_as = properties_as
        self._message_handle: ClientMessageHandle | None = None
        self._selector = selector
        self._module = connection.library.module
        if options & cmqc.MQOO_OUTPUT:
            options |= cmqc.MQOO_RESOLVE_LOCAL_Q  # of a remote queue, the transmission queue
        self._theirs, od = connection.open(name, options, selector=selector, **named)
        self.name = text_of(od.ObjectName) or name
        self.resolved_name = text_of(od.ResolvedQName) or self.name
        self._buffer_bytes = _FIRST_BUFFER
        self._md: Any = self._module.MD()
        self._gmo: Any = self._module.GMO(Version=MQGMO_VERSION_3)

    # -- getting ------------------------------------------------------------------------------

    def get(
        self,
        options: int = 0,
        match: Match = ANY,
        *,
        wait_ms: int = 0,
        max_length: int | None = None,
    ) -> Message:
        message = self._waited(self._complete(options), match, wait_ms, max_length)
        if not options & _BROWSE:
            self._connection.note_unit(options)
        return message

    def _complete(self, options: int) -> int:
        """*options* with what the caller left open: the same on every platform and queue."""
        options |= cmqc.MQGMO_FAIL_IF_QUIESCING
        if not options & (_UNITS | _BROWSE | cmqc.MQGMO_UNLOCK):
            options |= cmqc.MQGMO_NO_SYNCPOINT  # the default is the other one on z/OS
        if not options & _PROPERTIES:
            options |= _ASKING[self._properties_as]
        return options

    def _waited(self, options: int, match: Match, wait_ms: int, max_length: int | None) -> Message:
        if not options & cmqc.MQGMO_WAIT:
            return self._fitted(options, match, 0, max_length)
        end_s = time.monotonic() + wait_ms / 1000
        while True:
            left_ms = _WAIT_SLICE_MS if wait_ms == cmqc.MQWI_UNLIMITED else wait_ms
            if wait_ms >= 0:
                remaining_ms = max(0, int((end_s - time.monotonic()) * 1000))
                left_ms = min(_WAIT_SLICE_MS, remaining_ms)
            try:
                return self._fitted(options, match, left_ms, max_length)
            except NoMessageAvailable:
                if left_ms < _WAIT_SLICE_MS:
                    raise

    def _fitted(self, options: int, match: Match, wait_ms: int, max_length: int | None) -> Message:
        """MQGET, again with a larger buffer where the message does not fit.

        Without MQGMO_ACCEPT_TRUNCATED_MSG a message that does not fit stays, and the browse
        cursor where it was (IBM MQ documentation, "MQGMO_ACCEPT_TRUNCATED_MSG").
        """
        if max_length is not None:
            options |= cmqc.MQGMO_ACCEPT_TRUNCATED_MSG
            message = self._got(options, match, wait_ms, max(1, max_length)).message
            cut = message._replace(body=message.body[:max_length])
            return self._with_properties(cut, options) if max_length else cut
        while True:
            reading = self._got(options, match, wait_ms, self._buffer_bytes)
            if not reading.was_too_long:
                self._buffer_bytes = min(self._buffer_bytes, _KEPT_BUFFER)
                return self._with_properties(reading.message, options)
            needed = reading.message.length_bytes
            self._buffer_bytes = needed * 2 if options & cmqc.MQGMO_CONVERT else needed

    def _got(self, options: int, match: Match, wait_ms: int, length: int) -> _Reading:
        md, gmo = self._md, self._gmo
        fill_descriptor(md, _matched(match))
        gmo.Version = MQGMO_VERSION_3
        gmo.Options, gmo.WaitInterval = options, wait_ms
        gmo.MatchOptions, gmo.MsgToken = _match_options(match), match.token or b""
        beside = self._beside(options)
        if beside is not None:
            gmo.Version, gmo.MsgHandle = MQGMO_VERSION_4, beside.number
        try:
            body = self._theirs.get(length, md, gmo)
        except self._module.MQMIError as error:
            if error.comp == cmqc.MQCC_FAILED:
                doing = f"{'browse' if options & _BROWSE else 'get from'} {self.name}"
                raise mqi_error(error.reason, doing, object_name=self.name) from error
            # a warning: cut, too long, or not converted; the data is there all the same
            body = error.message
            message = Message(descriptor(md), body, error.original_length, gmo.MsgToken)
            return _Reading(message, error.reason == cmqc.MQRC_TRUNCATED_MSG_FAILED)
        return _Reading(Message(descriptor(md), body, len(body), gmo.MsgToken))

    def _with_properties(self, message: Message, options: int) -> Message:
        """The message with what its get left in the message handle."""
        beside = self._beside(options)
        if beside is None:
            return message
        return message._replace(properties=tuple(beside.properties()))

    def _beside(self, options: int) -> ClientMessageHandle | None:
        """Where properties are to be left, if they are: one handle for all gets."""
        if not options & cmqc.MQGMO_PROPERTIES_IN_HANDLE:
            return None
        if self._message_handle is None:
            self._message_handle = ClientMessageHandle(self._connection)
        return self._message_handle

    def browse(self, match: Match = ANY, *, max_length: int | None = None) -> Iterator[Message]:
        # a handle of its own, since a handle has one cursor, and that is for `get`
        other = ClientHandle(
            self._connection,
            self.name,
            cmqc.MQOO_BROWSE,
            selector=self._selector,
            properties_as=self._properties_as,
        )
        step = cmqc.MQGMO_BROWSE_FIRST
        try:
            while True:
                try:
                    message = other.get(step, match, max_length=max_length)
                except NoMessageAvailable:
                    return
                yield message
                step = cmqc.MQGMO_BROWSE_NEXT
        finally:
            with suppress(MQIError):
                other.close()

    # -- putting ------------------------------------------------------------------------------

    @property
    def context(self) -> Any:
        return self._theirs.get_handle()

    def put(self, md: MQMD, body: bytes, options: int = 0, context: Any = None) -> MQMD:
        theirs = self._module.MD()
        fill_descriptor(theirs, md)
        options = put_options(options)
        pmo = self._module.PMO(Options=options)
        if context is not None:
            pmo.Context = context
        with self._connection.mapped(f"put to {self.name}", self.name, warnings=False):
            self._theirs.put(body, theirs, pmo)
        self._connection.note_unit(options)
        return descriptor(theirs)

    def close(self) -> None:
        if self._connection.has_ended:
            return  # the end of the connection closed it
        if self._message_handle is not None:
            self._message_handle.close()
        with self._connection.mapped(f"close {self.name}", self.name, warnings=False):
            self._theirs.close()


class _Reading(NamedTuple):
    """What one MQGET gave: the message, and whether it is still there since it did not fit."""

    message: Message
    was_too_long: bool = False


def put_options(options: int) -> int:
    """MQPMO_* as the caller gave them, and what he left open."""
    options |= cmqc.MQPMO_FAIL_IF_QUIESCING
    if not options & (cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_NO_SYNCPOINT):
        options |= cmqc.MQPMO_NO_SYNCPOINT
    return options


def _matched(match: Match) -> MQMD:
    return MQMD(
        msg_id=match.msg_id or NO_ID,
        correl_id=match.correl_id or NO_ID,
        group_id=match.group_id or NO_ID,
    )


def _match_options(match: Match) -> int:
    bits = (
        cmqc.MQMO_MATCH_MSG_ID,
        cmqc.MQMO_MATCH_CORREL_ID,
        cmqc.MQMO_MATCH_GROUP_ID,
        cmqc.MQMO_MATCH_MSG_TOKEN,
    )
    return sum(bit for bit, part in zip(bits, match, strict=True) if part is not None)
