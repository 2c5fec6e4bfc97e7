"""The command server of a queue manager: a PCF command put on its queue, and the replies to it.

Needs authority to put on the queue that the queue manager names (MQCA_COMMAND_INPUT_Q_NAME), and to
display and get from SYSTEM.DEFAULT.MODEL.QUEUE, which makes the queue for the replies.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from mqtriage.backends.client.connection import ClientConnection
from mqtriage.backends.client.handle import ClientHandle
from mqtriage.backends.clock import Clock
from mqtriage.backends.mqsc_text import SAME_REASON
from mqtriage.backends.port import Match
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.system_objects import default_name
from mqtriage.mq.ccsid import FALLBACK_EBCDIC, UTF_8, codec_of
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, NoMessageAvailable, PCFError, mqi_error, reason_name
from mqtriage.mq.message import Message
from mqtriage.mq.mqsc.zos_reply import ReplyHeader, header_of
from mqtriage.mq.names import COMMAND_QUEUE
from mqtriage.mq.pcf import messages as pcf

MODEL_QUEUE: Final = default_name("QMODEL")
REPLY_PREFIX: Final = "MQTRIAGE.*"
WAIT_MS: Final = 30_000
_NOT_STARTED: Final = "start it: START CMDSERV, or strmqcsv and the queue manager's name"
_LOST: Final = (
    f"replies are lost if the reply queue is full: raise MAXDEPTH of {MODEL_QUEUE}, or request"
    " fewer objects"
)

_ITEM_KINDS: Final = (cmqcfc.MQCFT_RESPONSE, cmqcfc.MQCFT_XR_ITEM)
_LAST_KINDS: Final = (cmqcfc.MQCFT_RESPONSE, cmqcfc.MQCFT_XR_SUMMARY)


def _text_of(message: Message) -> str:
    """The text of a reply that is no PCF, as its descriptor says it is coded."""
    codec = codec_of(message.md.ccsid, message.md.encoding) or FALLBACK_EBCDIC
    return message.body.decode(codec, "replace").rstrip(" \0")


class CommandServer:
    """Sends commands, one at a time, and collects their replies."""

    def __init__(self, connection: ClientConnection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._requests: ClientHandle | None = None
        self._replies: ClientHandle | None = None
        self._kind = cmqcfc.MQCFT_COMMAND
        self._queue = COMMAND_QUEUE

    @property
    def queues(self) -> tuple[str, str]:
        """The queues that it needs."""
        return self._queue, MODEL_QUEUE

    @property
    def takes_text(self) -> bool:
        """Whether MQSC goes as a message of its own (z/OS), not in a PCF command."""
        return self._connection.platform() == "zos"

    @property
    def reply_queue(self) -> str:
        """Name of the dynamic queue for the replies; "" before the first command."""
        return self._replies.name if self._replies is not None else ""

    def run(
        self,
        command: int,
        parameters: Iterable[pcf.PcfParameter],
        doing: str,
        object_name: str = "",
    ) -> list[pcf.PCF]:
        """Run a command; returns the replies that carry something.

        Args:
            command: MQCMD_*.

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
        parameters: Iterable[pcf.PcfParameter],
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
        self._opened()
        request = pcf.PCF(self._kind, command, tuple(parameters))
        sent = self._sent(cmqc.MQFMT_ADMIN.rstrip(), pcf.encode(request, "<"), wait_ms)
        received: list[pcf.PCF] = []
        while True:
            message = self._reply(sent, doing, wait_ms, len(received))
            try:
                reply = pcf.decode(message.body, ccsid=message.md.ccsid)
            except PCFError as error:
                raise PCFError(error.reason, error.offset, f"{doing}: {error.text}") from error
            received.append(reply)
            if reply.type == cmqcfc.MQCFT_RESPONSE and reply.msg_seq_number != len(received):
                detail = f"reply {reply.msg_seq_number} came after reply {len(received) - 1}"
                raise self._unanswered(doing, detail, _LOST)
            if reply.control == cmqcfc.MQCFC_LAST and reply.type in _LAST_KINDS:
                return received

    def ask_in_text(
        self, command: str, doing: str, wait_ms: int = WAIT_MS
    ) -> tuple[ReplyHeader, list[str]]:
        """Send one MQSC command to a queue manager on z/OS.

        Returns:
            How it ended, and the texts of the replies after CSQN205I.

        Raises:
            NotAuthorized: 2035, for the queues.
            MQIError: 2322 where nobody answers, or not with CSQN205I.
        """
        self._opened()
        sent = self._sent(cmqc.MQFMT_STRING.rstrip(), command.encode(), wait_ms)
        received: list[str] = []
        while True:
            first = _text_of(self._reply(sent, doing, wait_ms))
            header = header_of(first)
            if header is None:
                raise mqi_error(
                    cmqc.MQRC_CMD_SERVER_NOT_AVAILABLE,
                    doing,
                    detail=f"CSQN205I expected, {first[:60]!r} came",
                    object_name=self._queue,
                )
            received += [
                _text_of(self._reply(sent, doing, wait_ms)) for _ in range(header.messages - 1)
            ]
            if not header.is_more_to_come:
                return header, received

    def _sent(self, format_: str, body: bytes, wait_ms: int) -> bytes:
        """Put a command; its MsgId, which the replies have as CorrelId."""
        requests, replies = self._opened()
        md = MQMD(
            msg_type=cmqc.MQMT_REQUEST,
            report=cmqc.MQRO_PASS_DISCARD_AND_EXPIRY | cmqc.MQRO_DISCARD_MSG,
            expiry_tenths=max(wait_ms // 100, 1),
            format=format_,
            ccsid=UTF_8,
            persistence=cmqc.MQPER_NOT_PERSISTENT,
            reply_to_q=replies.name,
        )
        return requests.put(md, body).msg_id

    def _reply(self, request: bytes, doing: str, wait_ms: int, before: int = 0) -> Message:
        """The next reply; *before* it came so many."""
        _, replies = self._opened()
        try:
            message = replies.get(
                cmqc.MQGMO_WAIT | cmqc.MQGMO_NO_PROPERTIES,
                Match(correl_id=request),
                wait_ms=wait_ms,
            )
        except NoMessageAvailable:
            detail = f"no reply within {wait_ms / 1000:g} s"
            if before:
                raise self._unanswered(doing, f"{detail} after reply {before:,}", _LOST) from None
            raise self._unanswered(doing, detail, _NOT_STARTED) from None
        self._clock.saw(message.md.put_date, message.md.put_time)
        return message

    def _unanswered(self, doing: str, detail: str, hint: str) -> MQIError:
        return mqi_error(
            cmqc.MQRC_CMD_SERVER_NOT_AVAILABLE,
            doing,
            detail=detail,
            hint=hint,
            object_name=self._queue,
        )

    @staticmethod
    def _raise_failure(replies: list[pcf.PCF], doing: str, object_name: str) -> None:
        """Raise what the replies say went wrong; the last one often only says that it failed."""
        reasons = [reply.reason for reply in replies if reply.reason and reply.comp_code]
        if not reasons:
            return
        specific = (code for code in reasons if code != cmqcfc.MQRCCF_COMMAND_FAILED)
        pcf_reason = next(specific, reasons[0])
        reason = SAME_REASON.get(pcf_reason, pcf_reason)
        detail = ""
        if reason != pcf_reason:
            detail = f"{reason_name(pcf_reason)} ({pcf_reason})"
        raise mqi_error(reason, doing, detail=detail, object_name=object_name)

    def _opened(self) -> tuple[ClientHandle, ClientHandle]:
        if self._requests is None or self._replies is None:
            # on z/OS the replies come in sets, and a command must say that it knows them
            if self.takes_text:
                self._kind = cmqcfc.MQCFT_COMMAND_XR
            self._queue = self._connection.command_queue()
            self._replies = ClientHandle(
                self._connection, MODEL_QUEUE, cmqc.MQOO_INPUT_EXCLUSIVE, dynamic_name=REPLY_PREFIX
            )
            self._requests = ClientHandle(self._connection, self._queue, cmqc.MQOO_OUTPUT)
        return self._requests, self._replies

    def close(self) -> None:
        """Let the queues go; the one for the replies is temporary and goes away itself."""
        for handle in (self._requests, self._replies):
            if handle is not None:
                with suppress(MQIError):
                    handle.close()
