"""Listen on TCP for clients of one queue manager or several.

One thread reads what clients without TLS send and does their calls: with a thread for each, eight
clients would pay as much for handing Python's interpreter on as for their calls.
"""

from __future__ import annotations

import os
import selectors
import socket
import ssl
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from mqtriage.emulator.channel.bodies import Body
from mqtriage.emulator.channel.client_socket import ClientSocket
from mqtriage.emulator.channel.conversation import Conversation, failed
from mqtriage.emulator.channel.plain_socket import PlainSocket
from mqtriage.emulator.channel.segments import Budget
from mqtriage.emulator.channel.served import Served
from mqtriage.emulator.channel.tls import HANDSHAKE_RECORD
from mqtriage.emulator.mqi.descriptors import Spare, listening_socket, raise_limit
from mqtriage.emulator.mqi.session import ClientGone, Shared
from mqtriage.mq import cmqc
from mqtriage.mq.errors import StorageError

_BACKLOG: Final = 512
_STACK_BYTES: Final = 1 << 20
_JOIN_S: Final = 3.0
_LAST_REPLIES_S: Final = 0.5
_PAUSE_S: Final = 0.1
_LOOK_S: Final = 1.0


class Listener:
    """Takes clients on one port until it is stopped.

    Args:
        tls: what the handshakes of clients go by; None takes none in TLS.

    Raises:
        StorageError: The port is taken, or the address is not this machine's.
    """

    def __init__(
        self,
        managers: Sequence[Shared],
        address: str,
        port: int,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.tls, self.address = tls, address
        self.budget = Budget()
        self._served = [Served(shared) for shared in managers]
        self._clients: dict[int, tuple[ClientSocket, PlainSocket]] = {}
        self._threads: dict[threading.Thread, ClientSocket | None] = {}
        self._entered: list[Conversation] = []
        self._to_flush: deque[Conversation] = deque()
        self._lock = threading.Lock()
        self._woken, self._wake_up = os.pipe()
        self._socket = listening_socket(address, port, _BACKLOG, "--tcp")
        self.port = int(self._socket.getsockname()[1])
        self._ready = selectors.DefaultSelector()
        for descriptor in (self._socket.fileno(), self._woken):
            self._ready.register(descriptor, selectors.EVENT_READ)
        self._spare = Spare()

    # -- taking clients -----------------------------------------------------------------------

    def serve(self) -> None:
        """Serve clients until `stop`; then each one's unit of work is backed out."""
        threading.stack_size(_STACK_BYTES)
        raise_limit()
        looked_s = time.monotonic()
        try:
            while True:
                for key, _ in self._ready.select(_LOOK_S):
                    if key.fd == self._woken:
                        return
                    if key.fd == self._socket.fileno():
                        self._take()
                    else:
                        self._go_on(key.fd)
                self._flush()
                now_s = time.monotonic()
                if now_s - looked_s > _LOOK_S:
                    looked_s = now_s
                    self._open_or_close()
                    self._look_for_silence(now_s)
                    self._end_those(ClientSocket.is_late, now_s)
                    if any(served.are_ending for served in self._served):
                        self._end_those(ClientSocket.is_to_end, now_s)
                    if any(served.is_quiescing for served in self._served):
                        self._end_those(ClientSocket.is_lost_at_end, now_s)
        finally:
            self._close()

    def stop(self) -> None:
        """Let `serve` return; from another thread."""
        with suppress(OSError):  # it has returned
            os.write(self._wake_up, b"x")

    def _open_or_close(self) -> None:
        """Listen, unless STOP LISTENER has stopped the listener of each queue manager."""
        is_open = self._socket.fileno() >= 0
        if is_open and all(served.is_listener_stopped for served in self._served):
            self._ready.unregister(self._socket)
            self._socket.close()
        elif not is_open and not all(served.is_listener_stopped for served in self._served):
            try:
                self._socket = listening_socket(self.address, self.port, _BACKLOG, "--tcp")
            except StorageError as error:  # another program has taken the port: tried again
                print(f"mqtriage: START LISTENER: {error}", file=sys.stderr)
                return
            self._ready.register(self._socket.fileno(), selectors.EVENT_READ)

    def _take(self) -> None:
        try:
            connected, (address, *_) = self._socket.accept()
        except BlockingIOError:
            return  # the client has gone already
        except OSError as error:
            self._refuse_one(error.strerror or str(error))
            return
        self._spare.is_short = False
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        plain = PlainSocket(connected, self._watch)
        self._clients[plain.fileno()] = ClientSocket(plain, self, address), plain
        self._ready.register(plain.fileno(), selectors.EVENT_READ)

    def _go_on(self, descriptor: int) -> None:
        """A client has sent something, or takes what is kept for it."""
        if descriptor not in self._clients:
            return  # it was closed by what came just before
        client, plain = self._clients[descriptor]
        if not client.is_begun:
            try:
                in_tls = plain.peek() == HANDSHAKE_RECORD
            except BlockingIOError:
                return
            except OSError:
                in_tls = False
            client.is_begun = True
            if in_tls:
                self._forget(descriptor)
                self._start(lambda: client.serve_in_tls(plain.release()), client)
                return
        if not client.go_on():
            self._finish(descriptor)

    def _look_for_silence(self, now_s: float) -> None:
        for descriptor, (client, _) in list(self._clients.items()):
            if not client.look_for_silence(now_s):
                self._finish(descriptor)

    def _end_those(self, is_to_end: Callable[[ClientSocket, float], bool], now_s: float) -> None:
        for descriptor, (client, _) in list(self._clients.items()):
            if is_to_end(client, now_s):
                self._finish(descriptor)
        with self._lock:
            in_tls = [client for client in self._threads.values() if client is not None]
        for client in in_tls:
            if is_to_end(client, now_s):
                client.hang_up()

    def _finish(self, descriptor: int) -> None:
        client = self._forget(descriptor)
        if client.is_busy:
            self._start(client.finish, None)
        else:
            client.finish()

    def _forget(self, descriptor: int) -> ClientSocket:
        self._ready.unregister(descriptor)
        return self._clients.pop(descriptor)[0]

    def flush_later(self, conversation: Conversation) -> None:
        self._to_flush.append(conversation)

    def _flush(self) -> None:
        """Send the replies that wait for the disk: one wait does for all of them."""
        while self._to_flush:
            conversation = self._to_flush.popleft()
            try:
                conversation.flush()
            except (ClientGone, OSError):
                conversation.hang_up()

    def _watch(self, descriptor: int, for_room: bool) -> None:
        with suppress(KeyError):  # it is closed meanwhile
            event = selectors.EVENT_WRITE if for_room else selectors.EVENT_READ
            self._ready.modify(descriptor, event)

    def do_beside(self, work: Callable[[], None]) -> None:
        self._start(work, None)

    def _start(self, work: Callable[[], None], client: ClientSocket | None) -> None:
        """Do *work* in a thread of its own; *client* is the one that it reads."""

        def run() -> None:
            try:
                work()
            finally:
                with self._lock:
                    self._threads.pop(thread, None)

        thread = threading.Thread(target=run, daemon=True)
        with self._lock:
            self._threads[thread] = client
        try:
            thread.start()
        except RuntimeError as error:
            with self._lock:
                del self._threads[thread]
            self._spare.say_short(len(self._clients) + len(self._threads), str(error))
            (work if client is None else client.finish)()

    def _refuse_one(self, reason: str) -> None:
        """Hang up on the client that there is no descriptor for, by one that is kept for that."""
        self._spare.say_short(len(self._clients) + len(self._threads), reason)
        with self._spare.free():
            try:
                self._socket.accept()[0].close()
            except OSError:
                time.sleep(_PAUSE_S)

    def _close(self) -> None:
        self._socket.close()
        for served in self._served:
            served.shared.stopping.set()
            served.shared.wake_up.notify()
        with self._lock:
            threads = dict(self._threads)
        in_tls = [client for client in threads.values() if client is not None]
        for client in in_tls:
            client.take_no_more()
        until = time.monotonic() + _LAST_REPLIES_S
        for client, _ in self._clients.values():
            client.let_waits_end(max(0.0, until - time.monotonic()))
        for descriptor in list(self._clients):
            self._forget(descriptor).finish()
        self._join(list(threads), _LAST_REPLIES_S)
        for client in in_tls:
            client.hang_up()
        self._join(list(threads), _JOIN_S)
        self._ready.close()
        self._spare.close()
        for end in (self._woken, self._wake_up):
            with suppress(OSError):
                os.close(end)

    def _join(self, threads: Sequence[threading.Thread], limit_s: float) -> None:
        until = time.monotonic() + limit_s
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))

    # -- queue managers and conversations -----------------------------------------------------

    def served(self, name: str, channel: str) -> Served:
        """The queue manager that a client means: by its name, else by the channel, else the first.

        The name need not be right: MQCONN says so by its reason.
        """
        plain = name.lstrip("*")
        named = [served for served in self._served if served.name == plain]
        open_to = [served for served in self._served if served.has(channel)]
        return (named or open_to or self._served)[0]

    def enter(self, conversation: Conversation) -> None:
        with self._lock:
            self._entered.append(conversation)

    def leave(self, conversation: Conversation) -> None:
        with self._lock, suppress(ValueError):
            self._entered.remove(conversation)

    def wake(self, body: Body) -> Body:
        """The SPI's NOTIFY: end the get that another conversation waits in."""
        with self._lock:
            sleeper = next(
                (c for c in self._entered if c.connection_id == body["connection_id"]), None
            )
        if sleeper is not None:
            sleeper.end_wait(body["ended_reason"])
        return {**body, **failed(0 if sleeper else cmqc.MQRC_HCONN_ERROR), "out": (b"SPNO", 1, 12)}
