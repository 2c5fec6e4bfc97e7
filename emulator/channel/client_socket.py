"""One socket of a client: what is negotiated on it, its conversations, and who does their calls.

Whoever reads the socket does most calls itself, one after the other: the listener's one thread for
those without TLS, since threads of one interpreter get in each other's way, and a thread for each
in TLS. A get that has to wait goes to a thread of its conversation, so that it holds up no other.
"""

from __future__ import annotations

import os
import socket
import ssl
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import Final, Protocol

from mqtriage.emulator.channel import bodies, calls, spi, tls, xa
from mqtriage.emulator.channel.bodies import Body
from mqtriage.emulator.channel.conversation import Conversation, Credentials, failed
from mqtriage.emulator.channel.delivery import Delivery
from mqtriage.emulator.channel.negotiation import Agreed, negotiated
from mqtriage.emulator.channel.plain_socket import PlainSocket
from mqtriage.emulator.channel.segments import (
    ACCEPTED,
    ANSWER_DUE,
    CLOSING,
    CONTROL,
    ERROR,
    FIRST,
    MOST_BYTES,
    MOST_MESSAGE_BYTES,
    MULTIPLEXED,
    OWN_ORDER,
    PLAIN,
    WHOLE,
    Assembly,
    BadSegment,
    Budget,
    Inflow,
    Segment,
    SegmentType,
    encoded,
    pieces,
)
from mqtriage.emulator.channel.served import ClientRefusal, Served, origin_of
from mqtriage.emulator.core import channels
from mqtriage.emulator.core.channels import Instance, Mode
from mqtriage.emulator.mqi.session import ClientGone, Session
from mqtriage.emulator.mqi.verbs.objects import text
from mqtriage.mq import cmqc

_RANDOM_BYTES: Final = 12
_START: Final = 1
_CHANNEL_QUIESCES: Final = 3
_QUEUE_MANAGER_QUIESCES: Final = 7
"""Actions that IBM's client for JMS hears as 2202 and 2161; found by trying them on it."""
_STARTED: Final = 8
_END_JOIN_S: Final = 5.0
_LAST_REPLIES_S: Final = 0.3
_CONNECT_S: Final = 30.0
"""How long a client has until MQCONN has succeeded, whatever it sends meanwhile."""
_MOST_CONVERSATIONS: Final = 1024
_READ_BYTES: Final = 1 << 16
_TRANSMISSION: Final = 32748

_numbers = count(1)


class SocketEnded(Exception):
    """The socket is to be closed; the client knows why, or has closed it itself."""


class SocketHost(Protocol):
    """The listener, as its sockets use it.

    Attributes:
        tls: what handshakes go by; None where it has no certificate.
        budget: that the calls of all sockets share.
    """

    tls: ssl.SSLContext | None
    budget: Budget

    def served(self, name: str, channel: str) -> Served: ...

    def enter(self, conversation: Conversation) -> None: ...

    def leave(self, conversation: Conversation) -> None: ...

    def wake(self, body: Body) -> Body: ...

    def do_beside(self, work: Callable[[], None]) -> None:
        """Do in a thread of its own what may have to wait."""

    def flush_later(self, conversation: Conversation) -> None:
        """Send a conversation's replies once others that are due have had their calls done."""


class ClientSocket:
    """Serves one socket until it ends.

    Attributes:
        is_begun: whether its first byte has come, which says whether it goes on in TLS.
    """

    def __init__(self, connected: PlainSocket, listener: SocketHost, address: str) -> None:
        self._socket: PlainSocket | tls.TlsSocket = connected
        self._handshake: tls.Handshake | None = None
        self._origin = origin_of(address, None)
        self._listener = listener
        self._send_lock = threading.Lock()
        self._inflow = Inflow()
        self._assembly = Assembly(listener.budget, MOST_BYTES)
        self._conversations: dict[int, Conversation] = {}
        self._credentials = Credentials(address=address)
        self._agreed: Agreed | None = None
        self._served: Served | None = None
        self._channel = self._product = ""
        number = next(_numbers)
        self._job = f"{os.getpid():08X}{number:08X}"
        self._thread, self._trace = number + 1, number
        self._random = os.urandom(_RANDOM_BYTES)
        self._quiesce_began_s: float | None = None
        self._asked = False
        self._is_connected = self._knows_of_end = False
        self._began_s = self._heard_s = time.monotonic()
        self.is_begun = False

    # -- the socket ---------------------------------------------------------------------------

    def serve_in_tls(self, connected: socket.socket) -> None:
        """Shake hands, read and answer until either end is done; for a thread of its own."""
        try:
            if self.is_open_after(lambda: self._shake_hands(connected)):
                while self.is_open_after(self._wait_for_piece):
                    pass
        finally:
            self.finish()

    def go_on(self) -> bool:
        """Send and do what can be without waiting; False once the socket is to be closed."""
        return self.is_open_after(self._go_on)

    def look_for_silence(self, now_s: float) -> bool:
        """Ask a client that says nothing whether it is there; False where it is not."""
        silence_s = self._socket.silence_s if isinstance(self._socket, PlainSocket) else None
        if silence_s is None or now_s - self._heard_s < silence_s:
            return True
        self._heard_s = now_s
        return self.is_open_after(self._ask_whether_there)

    def is_late(self, now_s: float) -> bool:
        """Whether MQCONN should have succeeded by now."""
        if self._is_connected or now_s - self._began_s < _CONNECT_S:
            return False
        print(f"mqtriage: {self._credentials.address}: no MQCONN within {_CONNECT_S:.0f} s",
              file=sys.stderr)  # fmt: skip
        self._began_s = now_s  # a thread that reads it may take a while to end
        return True

    def is_to_end(self, now_s: float) -> bool:
        """Whether STOP CHANNEL ends it: at once, or some time after its programs were told."""
        mode = None if self._served is None else self._stopped(self._served)
        if mode is None:
            return False
        if self._quiesce_began_s is None:
            self._quiesce_began_s = now_s
            if mode == "QUIESCE" and not self.is_open_after(
                lambda: self._tell_of(_CHANNEL_QUIESCES)
            ):
                return True
        if mode == "QUIESCE" and now_s - self._quiesce_began_s < channels.QUIESCE_S:
            return False
        print(f"mqtriage: {self._credentials.address}: channel {self._channel!r} was stopped",
              file=sys.stderr)  # fmt: skip
        return True

    def is_lost_at_end(self, now_s: float) -> bool:
        """Tell programs once that the queue manager ends; whether they cannot be told.

        They have until it has ended to go by themselves.
        """
        if self._knows_of_end or self._served is None or not self._served.is_quiescing:
            return False
        self._knows_of_end = True
        return not self.is_open_after(lambda: self._tell_of(_QUEUE_MANAGER_QUIESCES))

    def _tell_of(self, action: int) -> None:
        """Have ExceptionListeners hear of a quiesce, on a socket that has conversations."""
        if self._agreed is None or not self._agreed.conversations or not self._is_connected:
            return
        body = {
            "conversation": 0,
            "request": 0,
            "action": action,
            "parameter_1": 0,
            "parameter_2": 0,
        }
        raw = bodies.encode(SegmentType.SOCKET_ACTION, body, OWN_ORDER)
        notice = Segment(SegmentType.SOCKET_ACTION, raw, form=CONTROL, order=OWN_ORDER)
        self.send(notice.own(raw, WHOLE))

    def _stopped(self, served: Served) -> Mode | None:
        sessions = [one.session for one in list(self._conversations.values())]
        with served.shared.lock:
            modes = [one.connection.ending for one in sessions if one.is_connected]
        if not modes:
            return "QUIESCE" if served.is_stopped(self._channel) else None
        return next((mode for mode in modes if mode is not None), None)

    def is_open_after(self, work: Callable[[], None]) -> bool:
        """Whether the socket is not to be closed after some work."""
        try:
            work()
        except BadSegment as error:
            print(f"mqtriage: {self._credentials.address}: {error}", file=sys.stderr)
        except (SocketEnded, ClientGone, OSError):
            pass
        except Exception:
            # one client's bad luck must not end the others; the trace is for the server's owner
            traceback.print_exc(file=sys.stderr)
        else:
            return True
        return False

    @property
    def is_busy(self) -> bool:
        """Whether a call waits, so that to finish takes a while."""
        return any(conversation.is_busy for conversation in list(self._conversations.values()))

    def finish(self) -> None:
        """Hang up, and back out what was not committed; once nobody reads any more."""
        self.let_waits_end(_LAST_REPLIES_S)
        self.hang_up()
        self._end()

    def _shake_hands(self, connected: socket.socket) -> None:
        if self._listener.tls is None:
            raise BadSegment("begins with TLS, but the listener has no certificate (--tls-cert)")
        try:
            ciphered = tls.TlsSocket(connected, self._listener.tls)
        except ssl.SSLError as error:
            raise BadSegment(tls.handshake_problem(error.reason or str(error))) from error
        self._socket, self._handshake = ciphered, ciphered.shown()
        self._origin = origin_of(self._credentials.address, self._handshake)
        self._socket.settimeout(None)

    def take_no_more(self) -> None:
        """Have the thread that reads come to its end; replies still go out."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RD)

    def let_waits_end(self, limit_s: float) -> None:
        """While the server stops: send the replies of the calls that wait, which end with that."""
        if self._served is not None and self._served.shared.stopping.is_set():
            until = time.monotonic() + limit_s
            for conversation in list(self._conversations.values()):
                conversation.join(max(0.0, until - time.monotonic()))

    def hang_up(self) -> None:
        """Take no more from the client; from any thread."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _wait_for_piece(self) -> None:
        try:
            piece = self._socket.recv(_READ_BYTES)
        except TimeoutError:
            self._ask_whether_there()
        else:
            self._take(piece)

    def _go_on(self) -> None:
        connected = self._socket
        assert isinstance(connected, PlainSocket)
        if connected.is_clogged:
            if connected.send_rest():
                self._do_calls()
            return
        with suppress(BlockingIOError):
            self._take(connected.recv(_READ_BYTES))

    def _take(self, piece: bytes) -> None:
        if not piece:
            self._inflow.end()
            raise SocketEnded
        self._asked = False
        self._heard_s = time.monotonic()
        self._inflow.feed(piece)
        self._do_calls()

    def _do_calls(self) -> None:
        """Do what has come whole, while the client takes the replies."""
        while not self._socket.is_clogged and (segment := self._inflow.next()) is not None:
            whole = self._assembly.whole(segment)
            if whole is not None:
                self._handle(whole)

    def _ask_whether_there(self) -> None:
        """A heartbeat after an interval of silence; the end after another one."""
        if self._asked:
            raise SocketEnded
        if self._agreed is not None and self._agreed.heartbeat_s:
            self._asked = True
            self.send(Segment(SegmentType.HEARTBEAT, b"", flags=FIRST | ANSWER_DUE, form=CONTROL))

    @property
    def max_transmission_bytes(self) -> int:
        """The longest segment, with its header."""
        return _TRANSMISSION if self._agreed is None else self._agreed.max_transmission_bytes

    def send(self, segment: Segment) -> None:
        """Send one segment, in as many as it takes."""
        data = b"".join(map(encoded, pieces(segment, self.max_transmission_bytes)))
        with self._send_lock:
            self._socket.sendall(data)

    # -- segments -----------------------------------------------------------------------------

    def _handle(self, segment: Segment) -> None:
        if self._agreed is None and segment.type != SegmentType.INITIAL_DATA:
            raise BadSegment(f"begins with a segment of type {segment.type:02X}")
        if segment.type >= SegmentType.MQCONN:
            self._call(segment)
            return
        act = self._ACTS.get(segment.type)
        if act is None:
            raise BadSegment(f"a segment of type {segment.type:02X}")
        level = 0 if self._agreed is None else self._agreed.level
        act(self, segment, bodies.decode(segment.type, segment.body, segment.order, level)[0])

    def _initial_data(self, segment: Segment, body: Body) -> None:
        served = self._listener.served(text(body["queue_manager"]), text(body["channel"]))
        channel = text(body["channel"])
        if self._served is None and served.is_listener_stopped:
            raise SocketEnded  # another queue manager has the port open
        if self._served is None:
            self._enter(segment, served, channel, text(body.get("product", b"")))
        elif (served, channel) != (self._served, self._channel):
            raise BadSegment("comes again for another channel")
        offer = served.offer(channel, is_ciphered=self._handshake is not None)._replace(
            process=os.getpid(), thread=self._thread, trace=self._trace, random=self._random
        )
        answer, agreed = negotiated(body, offer)
        if segment.form == MULTIPLEXED and not agreed.conversations:
            raise BadSegment("multiplexed without conversations")
        self._agreed = agreed
        flags = ERROR if answer["errors_1"] or answer.get("refused_3") else 0
        raw = bodies.encode(SegmentType.INITIAL_DATA, answer, OWN_ORDER)
        ordered = segment._replace(order=OWN_ORDER)
        is_own = segment.form == MULTIPLEXED
        self.send(ordered.own(raw, flags) if is_own else ordered.answer(raw, flags))

    def _enter(self, segment: Segment, served: Served, channel: str, product: str) -> None:
        refusal = served.refusal(channel, self._origin, self._handshake)
        if refusal := refusal or served.enter(channel, self._origin):
            where = f"{self._credentials.address}: channel {channel!r}"
            print(f"mqtriage: {where}: {refusal.text}", file=sys.stderr)
            self._refuse(segment, refusal)
            raise SocketEnded
        self._served, self._channel = served, channel
        self._product = product

    def _refuse(self, segment: Segment, refusal: ClientRefusal) -> None:
        raw = bodies.encode(SegmentType.STATUS, {"length": 8, "code": refusal.code}, segment.order)
        status = Segment(
            SegmentType.STATUS, raw, flags=ERROR | CLOSING, form=PLAIN, order=segment.order
        )
        self.send(status)

    def _user(self, segment: Segment, body: Body) -> None:
        user = text(body["long_user"]) or text(body["user"])
        self._credentials = self._credentials._replace(peer_user=user)
        if text(body["password"]):
            self._credentials = self._credentials._replace(
                user=user.encode("latin-1"), password=text(body["password"]).encode("latin-1")
            )

    def _password(self, segment: Segment, body: Body) -> None:
        """Keep what the client shows; MQCONN says what becomes of it.

        The client waits for a STATUS here, whatever its header says.
        """
        user, password = body["user"], body["password"]
        self._credentials = self._credentials._replace(user=user, password=password)
        self.send(segment.own(b"", ACCEPTED)._replace(type=SegmentType.STATUS))

    def _heartbeat(self, segment: Segment, body: Body) -> None:
        if segment.flags & ANSWER_DUE:
            self.send(segment.answer(b"", FIRST))

    def _socket_action(self, segment: Segment, body: Body) -> None:
        number = body["conversation"]
        if body["action"] == _START:
            self._trace += 1
            numbers = {"parameter_1": self._thread, "parameter_2": self._trace}
            raw = bodies.encode(
                SegmentType.SOCKET_ACTION, body | {"action": _STARTED} | numbers, segment.order
            )
            place = {"conversation": number, "request": body["request"], "form": MULTIPLEXED}
            self.send(segment.own(raw)._replace(**place))
            return
        conversation = self._conversations.pop(number, None)
        if conversation is not None and conversation.is_busy:
            self._listener.do_beside(lambda: self._end_of(conversation))
        elif conversation is not None:
            self._end_of(conversation)
        if segment.flags & CLOSING:
            raise SocketEnded

    def _status(self, segment: Segment, body: Body) -> None:
        raise SocketEnded

    def _delivery(self, segment: Segment, body: Body) -> None:
        conversation = self._conversation(segment)
        with conversation:
            if conversation.delivery is None:
                conversation.delivery = Delivery(conversation)
            conversation.delivery.handle(segment, body)
        self._flush(conversation)

    _ACTS: Final[Mapping[int, Callable[[ClientSocket, Segment, Body], None]]] = {
        SegmentType.INITIAL_DATA: _initial_data,
        SegmentType.USERID: _user,
        SegmentType.CONAUTH_INFO: _password,
        SegmentType.HEARTBEAT: _heartbeat,
        SegmentType.SOCKET_ACTION: _socket_action,
        SegmentType.STATUS: _status,
        SegmentType.REQUEST_MSGS: _delivery,
        SegmentType.NOTIFICATION: _delivery,
    }

    # -- calls --------------------------------------------------------------------------------

    def _conversation(self, segment: Segment) -> Conversation:
        number = segment.conversation
        conversation = self._conversations.get(number)
        if conversation is None:
            assert self._served is not None and self._agreed is not None
            most = _MOST_CONVERSATIONS if self._is_connected else self._agreed.conversations or 1
            if len(self._conversations) >= most:
                raise BadSegment(f"more than {most} conversations")
            session = Session(
                self._served.shared,
                self._credentials.peer_user,
                origin=self._origin,
                instance=self._instance(self._agreed),
            )
            conversation = Conversation(
                number, session, self, self._agreed.channel, self._credentials
            )
            self._conversations[number] = conversation
            self._listener.enter(conversation)
        conversation.order = segment.order
        return conversation

    def _instance(self, agreed: Agreed) -> Instance:
        shown = self._handshake
        return Instance(
            self._channel,
            self._origin.addresses[0],
            self._job,
            agreed.conversations,
            agreed.heartbeat_s,
            "NONE" if shown is None else shown.version.upper().replace(".", ""),
            "" if shown is None else ",".join(map("=".join, shown.subject)),
            self._product,
            self._thread,
        )

    def _call(self, segment: Segment) -> None:
        conversation = self._conversation(segment)
        body, _ = bodies.decode(segment.type, segment.body, segment.order)
        if conversation.is_busy:
            conversation.later(lambda: self._do_beside(conversation, segment, body))
        elif calls.is_waiting(segment.type, body):
            self._get(conversation, segment, body)
        else:
            self._do(conversation, segment, body)
            self._flush(conversation)

    def _get(self, conversation: Conversation, segment: Segment, body: Body) -> None:
        """Get what is there; wait for what is not in the conversation's own thread."""
        with conversation:
            answer = calls.get(conversation, calls.without_wait(body))
            waits = answer["reason"] == cmqc.MQRC_NO_MSG_AVAILABLE
            if not waits:
                answer["gmo"] = body["gmo"][:12] + answer["gmo"][12:]
                conversation.post_reply(segment, answer)
        if waits:
            conversation.later(lambda: self._do_beside(conversation, segment, body))
        else:
            self._assembly.done(segment)
            self._flush(conversation)

    def _do(self, conversation: Conversation, segment: Segment, body: Body) -> None:
        with conversation:
            answer = self._answer(conversation, segment, body)
            delay_s = conversation.session.take_refusal_delay_s()
            if answer is not None and not delay_s:
                conversation.post_reply(segment, answer)
            conversation.session.shared.look_at_log()
        self._assembly.done(segment)
        if answer is not None and delay_s:
            refusal = answer
            conversation.later(lambda: self._refuse_late(conversation, segment, refusal, delay_s))
        if segment.type == SegmentType.MQCONN and conversation.connection_id:
            self._let_in()

    def _refuse_late(
        self, conversation: Conversation, segment: Segment, refusal: Body, delay_s: int
    ) -> None:
        """Answer a wrong password once FAILDLAY is over, in the thread of the conversation."""
        conversation.session.shared.stopping.wait(delay_s)
        with conversation:
            conversation.post_reply(segment, refusal)
        conversation.flush()

    def _let_in(self) -> None:
        """MQCONN has succeeded: messages may be as long as they get, and silence as agreed."""
        assert self._agreed is not None
        self._is_connected = True
        self._assembly.most_bytes = MOST_MESSAGE_BYTES
        self._socket.settimeout(self._agreed.heartbeat_s or None)

    def _do_beside(self, conversation: Conversation, segment: Segment, body: Body) -> None:
        """The same and its reply, in the thread of the conversation."""
        self._do(conversation, segment, body)
        conversation.flush()

    def _flush(self, conversation: Conversation) -> None:
        """Send replies, for who reads; those that wait for the disk after others' calls."""
        if conversation.is_promised and isinstance(self._socket, PlainSocket):
            self._listener.flush_later(conversation)
        else:
            conversation.flush()

    def _answer(self, conversation: Conversation, segment: Segment, body: Body) -> Body | None:
        assert self._agreed is not None
        if len(body.get("data", b"")) > self._agreed.max_message_bytes:
            return calls.put_too_long(conversation, body)
        if segment.type == SegmentType.SPI:
            if body["verb"] == bodies.NOTIFY:
                return self._listener.wake(body)
            return spi.reply_to(conversation, body)
        if segment.type >= SegmentType.XA_START:
            return xa.reply_to(conversation, segment.type, body)
        call = calls.CALLS.get(segment.type)
        if call is None:
            return failed(cmqc.MQRC_FUNCTION_NOT_SUPPORTED)
        return call(conversation, body)

    # -- the end ------------------------------------------------------------------------------

    def _end(self) -> None:
        conversations = list(self._conversations.values())
        self._conversations.clear()
        for conversation in conversations:
            self._end_of(conversation)
        if self._served is not None:
            self._served.leave(self._channel, self._origin)
        self._assembly.close()
        with suppress(OSError):
            self._socket.close()

    def _end_of(self, conversation: Conversation) -> None:
        """Back out what was not committed, once the call that it is in has ended."""
        self._listener.leave(conversation)
        with conversation.session.shared.lock:
            if conversation.delivery is not None:
                conversation.delivery.stop()
            conversation.end_wait(cmqc.MQRC_CONNECTION_BROKEN)
        conversation.join(_END_JOIN_S)
        try:
            with conversation.session.shared.lock:
                conversation.end()
        except Exception as error:  # it is backed out by whoever comes next
            print(f"mqtriage: a client's end: {error}", file=sys.stderr)
