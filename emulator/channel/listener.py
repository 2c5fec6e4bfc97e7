"""Listen on TCP for clients of one queue manager or several."""

from __future__ import annotations

import os
import resource
import select
import socket
import ssl
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from mqtriage.emulator.channel.bodies import Body
from mqtriage.emulator.channel.client_socket import ClientSocket
from mqtriage.emulator.channel.conversation import Conversation, failed
from mqtriage.emulator.channel.served import Served
from mqtriage.emulator.mqi.session import Shared
from mqtriage.mq import codes
from mqtriage.mq.errors import StorageError

_BACKLOG: Final = 512
_STACK_BYTES: Final = 1 << 20
_JOIN_S: Final = 3.0
_LAST_REPLIES_S: Final = 0.5
_PAUSE_S: Final = 0.1
_MOST_DESCRIPTORS: Final = 1 << 16


class Listener:
    """Takes clients on one port until it is stopped.

    Args:
        tls: what the handshakes of clients go by; None takes none in TLS.

    Attributes:
        port: that clients connect to.

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
        self.tls = tls
        self._served = [Served(shared) for shared in managers]
        self._clients: dict[ClientSocket, threading.Thread] = {}
        self._entered: list[Conversation] = []
        self._lock = threading.Lock()
        self._woken, self._wake_up = os.pipe()
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((address, port))
            self._socket.listen(_BACKLOG)
        except OSError as error:
            self._socket.close()
            raise StorageError(
                f"{address} port {port}: {error.strerror}",
                hint="another port, or --port 0 for one that is free",
            ) from error
        self.port = int(self._socket.getsockname()[1])
        self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self._is_short = False

    # -- taking clients -----------------------------------------------------------------------

    def serve(self) -> None:
        """Take clients until `stop`; then each one's unit of work is backed out."""
        _raise_limits()
        try:
            while True:
                waits_for = [self._socket.fileno(), self._woken]
                ready = select.select(waits_for, [], [])[0]
                if self._woken in ready:
                    return
                self._take()
        finally:
            self._close()

    def stop(self) -> None:
        """Let `serve` return; from another thread."""
        with suppress(OSError):  # it has returned
            os.write(self._wake_up, b"x")

    def _take(self) -> None:
        try:
            connected, (address, *_) = self._socket.accept()
        except OSError as error:
            self._refuse_one(error.strerror or str(error))
            return
        self._is_short = False
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        client = ClientSocket(connected, self, address)
        thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
        with self._lock:
            self._clients[client] = thread
        try:
            thread.start()
        except RuntimeError as error:
            with self._lock:
                del self._clients[client]
            connected.close()
            self._say_short(str(error))

    def _refuse_one(self, reason: str) -> None:
        """Hang up on the client that there is no descriptor for, by one that is kept for that."""
        self._say_short(reason)
        os.close(self._spare)
        try:
            self._socket.accept()[0].close()
        except OSError:
            select.select([self._woken], [], [], _PAUSE_S)
        finally:
            self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def _say_short(self, reason: str) -> None:
        if not self._is_short:
            self._is_short = True
            count = len(self._clients)
            print(f"mqtriage: {count} clients, no more are taken: {reason}", file=sys.stderr)

    def _serve(self, client: ClientSocket) -> None:
        try:
            client.serve()
        finally:
            with self._lock:
                self._clients.pop(client, None)

    def _close(self) -> None:
        self._socket.close()
        for served in self._served:
            served.shared.stopping.set()
            served.shared.bell.ring()
        with self._lock:
            clients = list(self._clients.items())
        for client, _ in clients:
            client.take_no_more()
        self._join([thread for _, thread in clients], _LAST_REPLIES_S)
        for client, _ in clients:
            client.hang_up()
        self._join([thread for _, thread in clients], _JOIN_S)
        for end in (self._woken, self._wake_up, self._spare):
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
        return {**body, **failed(0 if sleeper else codes.MQRC_HCONN_ERROR), "out": (b"SPNO", 1, 12)}


def _raise_limits() -> None:
    """Room for many clients: each has a thread, and a descriptor for each of its conversations."""
    threading.stack_size(_STACK_BYTES)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
