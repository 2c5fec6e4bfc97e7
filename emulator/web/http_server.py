"""Serve HTTP/1.1 over TLS: sockets, their limits, and one request after the other on each.

h11 reads and writes what goes over the wire; a thread a socket waits for it. Who has not said who
it is holds little: the head of a request is small and must come soon, its body is read only once
the head was admitted, and where there are as many sockets as may be, the one that has been silent
longest makes room for the next.
"""

from __future__ import annotations

import math
import os
import select
import selectors
import socket
import ssl
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate
from http import HTTPStatus
from typing import Final

import h11

from mqtriage.emulator.channel.tls import HANDSHAKE_S, TlsSocket
from mqtriage.emulator.mqi.descriptors import Spare, listening_socket, raise_limit
from mqtriage.emulator.web.exchange import Answer, RestError
from mqtriage.emulator.web.resources import Resources
from mqtriage.emulator.web.users import NOBODY

MOST_SOCKETS: Final = 256
HEAD_BYTES: Final = 16 << 10
HEAD_S: Final = 10.0
"""How long the head of a request may take, from its first byte or the handshake."""
IDLE_S: Final = 30.0
BODY_S: Final = 30.0
BODY_BYTES_PER_S: Final = 64 << 10
"""What a longer body must come at."""
ANSWER_S: Final = 60.0
MOST_TOGETHER_BYTES: Final = 256 << 20
"""What bodies of all sockets may hold together."""
UNWANTED_BYTES: Final = 64 << 10
LINGER_S: Final = 1.0
_BACKLOG: Final = 512
_STACK_BYTES: Final = 1 << 20
_LOOK_S: Final = 0.5
_LAST_ANSWERS_S: Final = 1.0
_READ_BYTES: Final = 1 << 16
_CLOSED: Final = getattr(select, "POLLRDHUP", select.POLLHUP)
_ALWAYS: Final = (
    ("X-XSS-Protection", "1;mode=block"),
    ("X-Content-Type-Options", "nosniff"),
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; connect-src 'self'; "
        "img-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'",
    ),
    ("X-Frame-Options", "DENY"),
    ("Cache-Control", "no-cache, no-store, must-revalidate"),
    ("Content-Language", "en-US"),
)


class HttpServer:
    """Takes requests on one port until it is stopped.

    Attributes:
        port: that clients connect to.

    Raises:
        StorageError: The port is taken, or the address is not this machine's.
    """

    def __init__(
        self, resources: Resources, address: str, port: int, context: ssl.SSLContext
    ) -> None:
        self.resources = resources
        self.context = context
        self._left_bytes = MOST_TOGETHER_BYTES
        self._lock = threading.Lock()
        self._clients: dict[_Client, threading.Thread] = {}
        self._woken, self._wake_up = os.pipe()
        self._socket = listening_socket(address, port, _BACKLOG, "--web")
        self.port = int(self._socket.getsockname()[1])
        self._spare = Spare()

    def stop(self) -> None:
        """Let `serve` return; from another thread."""
        with suppress(OSError):  # it has returned
            os.write(self._wake_up, b"x")

    def serve(self) -> None:
        """Serve until `stop`; requests that are being done are answered, if soon."""
        threading.stack_size(_STACK_BYTES)
        raise_limit()
        ready = selectors.DefaultSelector()
        for descriptor in (self._socket.fileno(), self._woken):
            ready.register(descriptor, selectors.EVENT_READ)
        try:
            while True:
                descriptors = {key.fd for key, _ in ready.select(_LOOK_S)}
                if self._woken in descriptors:
                    return
                if descriptors:
                    self._take()
                self._end_late(time.monotonic())
        finally:
            ready.close()
            self._close()

    def _take(self) -> None:
        try:
            connected, (address, *_) = self._socket.accept()
        except BlockingIOError:
            return
        except OSError as error:
            self._spare.say_short(len(self._clients), error.strerror or str(error))
            with self._spare.free(), suppress(OSError):
                self._socket.accept()[0].close()
            return
        self._spare.is_short = False
        if len(self._clients) >= MOST_SOCKETS and not self._make_room():
            connected.close()
            return
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setblocking(True)
        client = _Client(self, connected, address)
        thread = threading.Thread(target=self._run, args=(client,), daemon=True)
        with self._lock:
            self._clients[client] = thread
        try:
            thread.start()
        except RuntimeError as error:
            self._spare.say_short(len(self._clients), str(error))
            self._forget(client)

    def _run(self, client: _Client) -> None:
        try:
            client.serve()
        except (OSError, h11.LocalProtocolError):
            pass  # it is gone, or was sent away
        except Exception:
            traceback.print_exc(file=sys.stderr)
        finally:
            self._forget(client)

    def _forget(self, client: _Client) -> None:
        with self._lock:
            self._clients.pop(client, None)
        client.close()

    def _make_room(self) -> bool:
        """Hang up on who waits longest, somebody after nobody; False where none waits."""
        with self._lock:
            waiting = [client for client in self._clients if client.waits]
        if not waiting:
            return False
        client = min(waiting, key=lambda one: (one.is_somebody, one.since_s))
        client.hang_up()
        with self._lock:
            self._clients.pop(client, None)
        return True

    def _end_late(self, now_s: float) -> None:
        with self._lock:
            late = [client for client in self._clients if client.until_s < now_s]
        for client in late:
            client.hang_up()

    @contextmanager
    def room(self, size_bytes: int) -> Iterator[None]:
        """Room for a body of that size."""
        with self._lock:
            if size_bytes > self._left_bytes:
                raise RestError(
                    "MQWB0000E",
                    ": too many large requests",
                    status=503,
                    explanation="Other requests are using all of the memory for request bodies.",
                    action="Send it again later.",
                )
            self._left_bytes -= size_bytes
        try:
            yield
        finally:
            with self._lock:
                self._left_bytes += size_bytes

    def _close(self) -> None:
        self._socket.close()
        for shared in self.resources.managers.values():
            shared.stopping.set()
            shared.wake_up.notify()
        with self._lock:
            clients = dict(self._clients)
        for client in clients:
            if client.waits:
                client.hang_up()
        until = time.monotonic() + _LAST_ANSWERS_S
        for thread in clients.values():
            thread.join(max(0.0, until - time.monotonic()))
        for client in clients:
            client.hang_up()
        for thread in clients.values():
            thread.join(_LAST_ANSWERS_S)
        self._spare.close()
        for end in (self._woken, self._wake_up):
            with suppress(OSError):
                os.close(end)


class _Client:
    """One socket.

    Attributes:
        waits: for the client to send or take something.
        is_somebody: its last request said rightly who it is.
        since_s: when it began to wait, on the monotonic clock.
        until_s: when it is hung up on, unless it goes on before.
    """

    def __init__(self, server: HttpServer, connected: socket.socket, address: str) -> None:
        self._server = server
        self._raw = connected
        self._address = address
        self._tls: TlsSocket | None = None
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_BYTES)
        self.waits = True
        self.is_somebody = self._is_head = False
        self.since_s = time.monotonic()
        self.until_s = self.since_s + HANDSHAKE_S

    def hang_up(self) -> None:
        """End what its thread waits in; from another one."""
        with suppress(OSError):
            self._raw.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._raw.close()

    def _wait(self, seconds: float) -> None:
        self.waits, self.since_s = True, time.monotonic()
        self.until_s = self.since_s + seconds

    def serve(self) -> None:
        """Answer requests until either end has enough.

        Raises:
            OSError: The client has gone.
        """
        self._tls = TlsSocket(self._raw, self._server.context)
        self._raw.settimeout(None)
        self._wait(HEAD_S)
        while self._answer_one():
            self._http.start_next_cycle()
            self._wait(IDLE_S)

    def _answer_one(self) -> bool:
        """Answer the next request; False once the socket is to be closed."""
        try:
            event = self._next(is_head=True)
            if not isinstance(event, h11.Request):
                return False
            self._answer(event)
        except h11.RemoteProtocolError as error:
            if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
                return False
            self._send(Answer(error.error_status_hint or 400), keep=False)
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    def _answer(self, head: h11.Request) -> None:
        headers: dict[str, str] = {}
        for name, value in head.headers:
            key, text = name.decode("ascii"), value.decode("utf-8", "replace")
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        method, target = head.method.decode("ascii"), head.target.decode("ascii")
        self._is_head = method == "HEAD"
        is_endless = "transfer-encoding" in headers
        if is_endless and "content-length" in headers:  # two readers see two requests in it
            raise h11.RemoteProtocolError("two lengths", error_status_hint=400)
        declared = UNWANTED_BYTES + 1 if is_endless else int(headers.get("content-length", "0"))
        try:
            admitted = self._server.resources.admit(
                method, target, headers, self._tls.shown().subject if self._tls else ()
            )
        except RestError as error:
            self.is_somebody = False
            self._refuse(error.answer, declared)
            return
        self.is_somebody = admitted.principal is not NOBODY
        most = max(admitted.resource.most_bytes, 0)
        size = most if is_endless else declared
        if size > most:
            self._refuse(Answer(413), declared)
            return
        try:
            with self._server.room(size):
                body = self._body(size)
                self.waits, self.until_s = False, math.inf
                answer = (
                    Answer(413) if body is None
                    else self._server.resources.answer(admitted, body, self._is_gone)
                )  # fmt: skip
        except RestError as error:
            self._refuse(error.answer, declared)
            return
        self._send(answer, keep=body is not None)

    def _refuse(self, answer: Answer, declared_bytes: int) -> None:
        """Answer a request whose body nobody wants; after a short one the socket stays.

        What is sent is read, as far as it is little: a socket that is closed over something that
        was not read takes the answer with it.

        Args:
            declared_bytes: of the body; more than is read for one that does not say.
        """
        is_asked_for = self._http.they_are_waiting_for_100_continue
        keep = declared_bytes <= UNWANTED_BYTES and not is_asked_for
        self._send(answer, keep=keep)
        self._wait(HEAD_S if keep else LINGER_S)
        if keep:
            while not isinstance(self._next(), h11.EndOfMessage | h11.ConnectionClosed):
                pass
            return
        self._raw.shutdown(socket.SHUT_WR)
        left_bytes = UNWANTED_BYTES
        while left_bytes > 0 and (data := self._raw.recv(_READ_BYTES)):
            left_bytes -= len(data)

    def _next(self, *, is_head: bool = False) -> object:
        is_begun = not is_head
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            assert self._tls is not None
            data = self._tls.recv(_READ_BYTES)
            if not is_begun:  # the time of the head counts from its first byte
                is_begun = True
                self.until_s = min(self.until_s, time.monotonic() + HEAD_S)
            self._http.receive_data(data)

    def _body(self, most_bytes: int) -> bytes | None:
        """The body; None where it is longer than it may be."""
        self._wait(BODY_S + most_bytes / BODY_BYTES_PER_S)
        if self._http.they_are_waiting_for_100_continue:
            self._write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])))
        body = bytearray()
        while True:
            event = self._next()
            if isinstance(event, h11.Data):
                body += event.data
                if len(body) > most_bytes:
                    return None
            elif isinstance(event, h11.EndOfMessage):
                return bytes(body)
            else:
                raise OSError("gone in the middle of a body")

    def _send(self, answer: Answer, *, keep: bool) -> None:
        self._wait(ANSWER_S + len(answer.body) / BODY_BYTES_PER_S)
        headers = [*_ALWAYS, ("Date", formatdate(usegmt=True)), *answer.headers]
        if answer.status != 204:
            headers.append(("Content-Length", str(len(answer.body))))
        if not keep:
            headers.append(("Connection", "close"))
        reason = HTTPStatus(answer.status).phrase
        raw = [(name.encode(), value.encode()) for name, value in headers]
        out = self._http.send(
            h11.Response(status_code=answer.status, headers=raw, reason=reason.encode())
        )
        parts = [out or b""]
        if answer.body and not self._is_head:
            parts.append(self._http.send(h11.Data(data=answer.body)) or b"")
        parts.append(self._http.send(h11.EndOfMessage()) or b"")
        self._write(b"".join(parts))

    def _is_gone(self) -> bool:
        """Whether the client has closed its end, while nobody reads what it sends."""
        look = select.poll()
        look.register(self._raw, _CLOSED)
        return bool(look.poll(0))

    def _write(self, data: bytes | None) -> None:
        assert self._tls is not None
        if data:
            self._tls.sendall(data)
