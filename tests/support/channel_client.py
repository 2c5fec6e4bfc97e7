"""A small client of MQ's channel over TCP: what IBM's clients for Java send, without a JVM.

It writes and reads by the server's own tables, which tests/corpus holds to what IBM's clients sent.
"""

from __future__ import annotations

import socket
import ssl
from typing import Any, Final, Self

from mqtriage.emulator.channel import bodies
from mqtriage.emulator.channel.bodies import Body
from mqtriage.emulator.channel.segments import (
    CONTROL,
    MULTIPLEXED,
    PLAIN,
    Assembly,
    Inflow,
    Segment,
    SegmentType,
    encoded,
    pieces,
)
from mqtriage.mq import cmqc
from mqtriage.mq.structures import structure

CHANNEL: Final = "DEV.APP.SVRCONN"
OUTPUT: Final = 0x10
INPUT: Final = 0x2029
_SYNCPOINT: Final = 2
_NO_SYNCPOINT: Final = 4
_PERSISTENT: Final = 1
_TRANSMISSION: Final = 32748
_BUFFER: Final = 1 << 20


class Failed(Exception):
    """A call that ended with a reason code, or a start that was refused by the code of a STATUS."""

    def __init__(self, reason: int) -> None:
        super().__init__(reason)
        self.reason = reason


class ChannelClient:
    """One socket; conversation 1 is connected to the queue manager when it is made.

    Attributes:
        agreed: the INITIAL_DATA that both ends keep to.
    """

    def __init__(
        self,
        port: int,
        *,
        channel: str = CHANNEL,
        connect: bool = True,
        host: str = "127.0.0.1",
        context: ssl.SSLContext | None = None,
        queue_manager: str = "QM1",
        user: str = "tester",
        password: str | None = None,
        is_compatible: bool = False,
        **proposed: Any,
    ) -> None:
        """Connect.

        Args:
            context: to connect in TLS with.
            is_compatible: show the password as old programs do, in USERID.
            proposed: fields of INITIAL_DATA.
        """
        self.socket: socket.socket = socket.create_connection((host, port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.agreed: Body = {}
        self._queue_manager = queue_manager
        self._assembly = Assembly()
        self._inflow = Inflow()
        self._handles: dict[tuple[int, str, int], int] = {}
        try:
            if context is not None:
                self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
            self.negotiate(channel, **proposed)
            self.identify(user, password, is_compatible=is_compatible)
            if connect:
                self.connect()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.socket.close()

    # -- segments -----------------------------------------------------------------------------

    @property
    def form(self) -> bytes:
        """Of the segments once both ends agree."""
        return MULTIPLEXED if self.agreed["conversations"] else PLAIN

    def send(self, segment: Segment) -> None:
        for piece in pieces(segment, _TRANSMISSION):
            self.socket.sendall(encoded(piece))

    def receive(self) -> Segment:
        """The next segment, whole.

        Raises:
            ConnectionError: The server has closed the socket.
        """
        while True:
            segment = self._inflow.next()
            if segment is None:
                self._inflow.feed(self._piece())
            elif (whole := self._assembly.whole(segment)) is not None:
                return whole

    def _piece(self) -> bytes:
        try:
            piece = self.socket.recv(1 << 16)
        except ssl.SSLError as error:
            raise ConnectionError(f"{error}") from error
        if not piece:
            self._inflow.end()
            raise ConnectionError("closed by the server")
        return piece

    def call(self, kind: int, conversation: int = 1, **body: Any) -> Body:
        """Send one call, and its reply."""
        self.begin(kind, conversation, **body)
        answer = self.receive()
        return bodies.decode(answer.type, answer.body, answer.order)[0]

    def begin(self, kind: int, conversation: int = 1, **body: Any) -> None:
        """Send one call."""
        self.send(call(kind, conversation, **body)._replace(form=self.form))

    def checked(self, kind: int, conversation: int = 1, **body: Any) -> Body:
        """The same.

        Raises:
            Failed: The call did.
        """
        answer = self.call(kind, conversation, **body)
        if answer["comp_code"] == 2:
            raise Failed(answer["reason"])
        return answer

    # -- calls --------------------------------------------------------------------------------

    def negotiate(self, channel: str = CHANNEL, **proposed: Any) -> None:
        """INITIAL_DATA, and once more as it was agreed on.

        Raises:
            Failed: The code of the STATUS that refuses it.
        """
        name = self._queue_manager.encode().ljust(48)
        self.agreed = proposal(channel) | {"queue_manager": name} | proposed
        for form in (PLAIN, None):
            raw = bodies.encode(SegmentType.INITIAL_DATA, self.agreed | {"errors_1": 0}, ">")
            form = form or self.form
            number = int(form == MULTIPLEXED)
            self.send(Segment(SegmentType.INITIAL_DATA, raw, number, flags=0x31, form=form))
            answer = self.receive()
            if answer.type == SegmentType.STATUS:
                raise Failed(bodies.decode(answer.type, answer.body, answer.order)[0]["code"])
            self.agreed = bodies.decode(answer.type, answer.body, answer.order)[0]

    def identify(self, user: str, password: str | None, *, is_compatible: bool) -> None:
        """USERID, and the password in CONAUTH_INFO as programs of today show it."""
        name, word = user.encode(), (password or "").encode()
        in_clear = word if is_compatible else b""
        self._tell(
            SegmentType.USERID, ident=b"UID ", user=name[:12].upper().ljust(12),
            password=in_clear.ljust(12, b"\0"), long_user=name.ljust(64), sid=bytes(40),
        )  # fmt: skip
        if password is not None and not is_compatible:
            self._tell(
                SegmentType.CONAUTH_INFO, ident=b"CAUT", type=1, user_max=len(name), user=name,
                password_max=len(word), user_length=len(name), password_length=len(word),
                password=word, token_max=0, token_length=0, token=b"",
            )  # fmt: skip
            assert self.receive().type == SegmentType.STATUS

    def _tell(self, kind: SegmentType, **body: Any) -> None:
        raw = bodies.encode(kind, body, ">", self.agreed["fap"])
        self.send(Segment(kind, raw, 1, form=self.form))

    def connect(self, conversation: int = 1) -> Body:
        return self.checked(
            SegmentType.MQCONN, conversation, queue_manager=self._queue_manager.encode().ljust(48),
            application=b"small client".ljust(28), application_type=28,
            accounting_token=bytes(32), option=7, cno_options=0, fcno=b"FCNO", fcno_version=2,
            fcno_flags=0, connection_tag=bytes(128), tail=bytes(72),
        )  # fmt: skip

    def converse(self, conversation: int) -> None:
        """Begin a conversation and connect it."""
        body = {
            "conversation": conversation, "request": 0, "action": 1, "parameter_1": 1,
            "parameter_2": 2,
        }  # fmt: skip
        raw = bodies.encode(SegmentType.SOCKET_ACTION, body, ">")
        self.send(Segment(SegmentType.SOCKET_ACTION, raw, form=CONTROL))
        assert self.receive().type == SegmentType.SOCKET_ACTION
        self.connect(conversation)

    def open(self, queue: str, options: int, conversation: int = 1) -> int:
        """MQOPEN once for each name and options; the handle."""
        key = conversation, queue, options
        if key not in self._handles:
            od = structure("MQOD").patched(structure("MQOD").initial(1), ObjectName=queue)
            answer = self.checked(
                SegmentType.MQOPEN, conversation, od=od, od_texts=b"", options=options,
                fopa=(b"FOPA", 1, 28), persistence=-1, put_response=-1, read_ahead=0,
                property_control=0,
            )  # fmt: skip
            self._handles[key] = answer["handle"]
        return self._handles[key]

    def put(
        self, queue: str, data: bytes, conversation: int = 1, *, syncpoint: bool = False
    ) -> bytes:
        """MQPUT of a persistent message; its MsgId."""
        handle = self.open(queue, OUTPUT, conversation)
        answer = self.checked(SegmentType.MQPUT, conversation, **message(handle, data, syncpoint))
        return structure_bytes(answer["md"], "MsgId")

    def get(
        self,
        queue: str,
        conversation: int = 1,
        *,
        syncpoint: bool = False,
        wait_ms: int = 0,
        options: int = 0,
    ) -> bytes | None:
        """The data of the next message; None where there is none. *options* are more of MQGMO."""
        handle = self.open(queue, INPUT, conversation)
        body = wanted(handle, syncpoint, wait_ms, options)
        answer = self.call(SegmentType.MQGET, conversation, **body)
        if answer["reason"] == 2033:
            return None
        if answer["comp_code"] == 2:
            raise Failed(answer["reason"])
        return bytes(answer["data"][: answer["data_length"]])

    def commit(self, conversation: int = 1) -> None:
        self.checked(SegmentType.MQCMIT, conversation)

    def back_out(self, conversation: int = 1) -> None:
        self.checked(SegmentType.MQBACK, conversation)

    def disconnect(self, conversation: int = 1) -> None:
        self.checked(SegmentType.MQDISC, conversation)


def structure_bytes(md: bytes, field: str) -> bytes:
    """A field of an MQMD that is bytes."""
    at = structure("MQMD").field(field)
    return md[at.offset : at.offset + at.length]


def call(kind: int, conversation: int = 1, **body: Any) -> Segment:
    """One call as a segment."""
    length = {"length": 0, "comp_code": 0, "reason": 0, "handle": 0}
    raw = bodies.encode(kind, {**length, **body}, ">")
    return Segment(kind, raw, conversation)


def message(handle: int, data: bytes, syncpoint: bool) -> Body:
    """The body of an MQPUT."""
    md = structure("MQMD").patched(structure("MQMD").initial(1), Persistence=_PERSISTENT)
    options = _SYNCPOINT if syncpoint else _NO_SYNCPOINT
    pmo = structure("MQPMO").patched(structure("MQPMO").initial(1), Options=options)
    return {"handle": handle, "md": md, "pmo": pmo, "data_length": len(data), "data": data}


def wanted(handle: int, syncpoint: bool, wait_ms: int, options: int = 0) -> Body:
    """The body of an MQGET."""
    options |= cmqc.MQGMO_SYNCPOINT if syncpoint else cmqc.MQGMO_NO_SYNCPOINT
    options |= cmqc.MQGMO_WAIT if wait_ms else 0
    gmo = structure("MQGMO").patched(
        structure("MQGMO").initial(3), Options=options, WaitInterval=wait_ms
    )
    return {
        "handle": handle, "md": structure("MQMD").initial(2), "gmo": gmo, "data_length": _BUFFER,
    }  # fmt: skip


def proposal(channel: str = CHANNEL) -> Body:
    """INITIAL_DATA as IBM's client for JMS 9.4.5 sends it."""
    return {
        "ident": b"ID  ", "fap": 13, "capability_1": 0x26, "refused_1": 0, "errors_1": 0,
        "reserved_1": 0, "batch": 0, "max_transmission": _TRANSMISSION, "max_message": 104857600,
        "wrap": 0, "channel": channel.encode().ljust(20), "capability_2": 0x51, "refused_2": 0,
        "ccsid": 819, "queue_manager": b"QM1".ljust(48), "heartbeat_s": 300, "following": 138,
        "errors_2": 0, "reserved_2": 0, "header_compression": b"\0\xff",
        "message_compression": b"\0" + b"\xff" * 15, "reserved_3": 0, "ssl_reset": 0,
        "conversations": 10, "capability_3": 0x28, "refused_3": 0, "reserved_4": 0, "process": 1,
        "thread": 1, "trace": 0, "product": b"MQJM09040500", "qmid": b"CANNED_DATA".ljust(48),
        "algorithm_1": 1, "algorithm_2": 0, "algorithms": b"\xff" * 16, "random": bytes(12),
    }  # fmt: skip
