"""The command server of a queue manager: a PCF command put on its queue, and the replies to it.

Needs authority to put on SYSTEM.ADMIN.COMMAND.QUEUE, and to display and get from
SYSTEM.DEFAULT.MODEL.QUEUE, which makes the queue for the replies.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from mqtriage.backends.client.clock import Clock
from mqtriage.backends.client.connection import ClientConnection
from mqtriage.backends.client.handle import ClientHandle
from mqtriage.backends.port import Match
from mqtriage.mq import codes, constants
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.constants import (
    MQCFT_XR_ITEM,
    MQCFT_XR_SUMMARY,
    MQFMT_ADMIN,
    MQGMO_NO_PROPERTIES,
    MQGMO_WAIT,
    MQMT_REQUEST,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_OUTPUT,
    MQPER_NOT_PERSISTENT,
    MQPL_ZOS,
    MQRO_DISCARD_MSG,
    MQRO_PASS_DISCARD_AND_EXPIRY,
)
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, NoMessageAvailable, PCFError, mqi_error, reason_name
from mqtriage.mq.pcf import messages as pcf

COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"
MODEL_QUEUE: Final = "SYSTEM.DEFAULT.MODEL.QUEUE"
SERVER_QUEUES: Final = frozenset((COMMAND_QUEUE, MODEL_QUEUE))
REPLY_PREFIX: Final = "MQTRIAGE.*"
WAIT_MS: Final = 30_000

_ITEM_KINDS: Final = (constants.MQCFT_RESPONSE, MQCFT_XR_ITEM)
_LAST_KINDS: Final = (constants.MQCFT_RESPONSE, MQCFT_XR_SUMMARY)

_SAME: Final = {
    codes.MQRCCF_OBJECT_ALREADY_EXISTS: codes.MQRC_OBJECT_ALREADY_EXISTS,
    codes.MQRCCF_OBJECT_OPEN: codes.MQRC_OBJECT_IN_USE,
    codes.MQRCCF_OBJECT_IN_USE: codes.MQRC_OBJECT_IN_USE,
    codes.MQRCCF_UNKNOWN_OBJECT_NAME: codes.MQRC_UNKNOWN_OBJECT_NAME,
    codes.MQRCCF_Q_WRONG_TYPE: codes.MQRC_Q_TYPE_ERROR,
    codes.MQRCCF_NOT_AUTHORIZED: codes.MQRC_NOT_AUTHORIZED,
}
"""Reasons of the command server that say what a reason of the MQI says."""


class CommandServer:
    """Sends commands, one at a time, and collects their replies."""

    def __init__(self, connection: ClientConnection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._requests: ClientHandle | None = None
        self._replies: ClientHandle | None = None
        self._kind = constants.MQCFT_COMMAND

    @property
    def reply_queue(self) -> str:
        """Name of the dynamic queue for the replies; "" before the first command."""
        return self._replies.name if self._replies is not None else ""

    def run(
        self,
        command: int,
        parameters: Iterable[pcf.Parameter],
        doing: str,
        object_name: str = "",
    ) -> list[pcf.PCF]:
        """Run a command; returns the replies that carry something.

        Args:
            command: MQCMD_*.
            doing: what the errors say was being done.

        Raises:
            NotAuthorized: 2035, for the queues or for the command.
            ObjectNotFound: 2085.
            MQIError: 2322 where nobody answers; what the command server said.
        """
        replies = self.ask(command, parameters, doing)
        self._raise_failure(replies, doing, object_name)
        return [reply for reply in replies if reply.parameters and reply.type in _ITEM_KINDS]

    def ask(
        self,
        command: int,
        parameters: Iterable[pcf.Parameter],
        doing: str,
        wait_ms: int = WAIT_MS,
    ) -> list[pcf.PCF]:
        """Send a command; returns every reply, also those that report a failure.

        Args:
            wait_ms: how long each reply is waited for.

        Raises:
            NotAuthorized: 2035, for the queues.
            MQIError: 2322 where nobody answers.
        """
        requests, replies = self._opened()
        request = pcf.PCF(self._kind, command, tuple(parameters))
        md = MQMD(
            msg_type=MQMT_REQUEST,
            report=MQRO_PASS_DISCARD_AND_EXPIRY | MQRO_DISCARD_MSG,
            expiry_tenths=max(wait_ms // 100, 1),
            format=MQFMT_ADMIN.rstrip(),
            ccsid=UTF_8,
            persistence=MQPER_NOT_PERSISTENT,
            reply_to_q=replies.name,
        )
        sent = requests.put(md, pcf.encode(request, "<"))
        return self._collected(replies, sent.msg_id, doing, wait_ms)

    def _collected(
        self, replies: ClientHandle, request: bytes, doing: str, wait_ms: int
    ) -> list[pcf.PCF]:
        received: list[pcf.PCF] = []
        while True:
            try:
                message = replies.get(
                    MQGMO_WAIT | MQGMO_NO_PROPERTIES,
                    Match(correl_id=request),
                    wait_ms=wait_ms,
                )
            except NoMessageAvailable:
                raise mqi_error(
                    codes.MQRC_CMD_SERVER_NOT_AVAILABLE,
                    doing,
                    detail=f"no reply within {wait_ms / 1000:g} s",
                    hint="start it: START CMDSERV, or strmqcsv and the queue manager's name",
                    object_name=COMMAND_QUEUE,
                ) from None
            self._clock.saw(message.md.put_date, message.md.put_time)
            try:
                reply = pcf.decode(message.body, ccsid=message.md.ccsid)
            except PCFError as error:
                raise PCFError(error.reason, error.offset, f"{doing}: {error.text}") from error
            received.append(reply)
            if reply.control == constants.MQCFC_LAST and reply.type in _LAST_KINDS:
                return received

    @staticmethod
    def _raise_failure(replies: list[pcf.PCF], doing: str, object_name: str) -> None:
        """Raise what the replies say went wrong; the last one often only says that it failed."""
        reasons = [reply.reason for reply in replies if reply.reason and reply.comp_code]
        if not reasons:
            return
        specific = (code for code in reasons if code != codes.MQRCCF_COMMAND_FAILED)
        pcf_reason = next(specific, reasons[0])
        reason = _SAME.get(pcf_reason, pcf_reason)
        detail = ""
        if reason != pcf_reason:
            detail = f"{reason_name(pcf_reason)} ({pcf_reason})"
        raise mqi_error(reason, doing, detail=detail, object_name=object_name)

    def _opened(self) -> tuple[ClientHandle, ClientHandle]:
        if self._requests is None or self._replies is None:
            # on z/OS the replies come in sets, and a command must say that it knows them
            if self._connection.platform() == MQPL_ZOS:
                self._kind = constants.MQCFT_COMMAND_XR
            self._replies = ClientHandle(
                self._connection, MODEL_QUEUE, MQOO_INPUT_EXCLUSIVE, REPLY_PREFIX
            )
            self._requests = ClientHandle(self._connection, COMMAND_QUEUE, MQOO_OUTPUT)
        return self._requests, self._replies

    def close(self) -> None:
        """Let the queues go; the one for the replies is temporary and goes away itself."""
        for handle in (self._requests, self._replies):
            if handle is not None:
                with suppress(MQIError):
                    handle.close()
