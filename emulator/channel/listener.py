"""Listen on TCP for clients of one queue manager or several."""

from __future__ import annotations

import os
import select
import socket
import sys
import threading
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
_STACK_BYTES: Final = 1 << 18
_JOIN_S: Final = 3.0


class Listener:
    """Takes clients on one port until it is stopped.

    Raises:
        StorageError: The port is taken, or the address is not this machine's.
    """

    def __init__(self, managers: Sequence[Shared], address: str, port: int) -> None:
        self._served = [Served(shared) for shared in managers]
        self._clients: dict[ClientSocket, threading.Thread] = {}
        self._conversations: dict[bytes, Conversation] = {}
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

    # -- taking clients -----------------------------------------------------------------------

    def serve(self) -> None:
        """Take clients until `stop`; then each one's unit of work is backed out."""
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
        os.write(self._wake_up, b"x")

    def _take(self) -> None:
        try:
            connected, (address, *_) = self._socket.accept()
        except OSError as error:
            print(f"mqtriage: no client taken: {error.strerror}", file=sys.stderr)
            self._stopping_pause()
            return
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        client = ClientSocket(connected, self, address)
        thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
        with self._lock:
            self._clients[client] = thread
        thread.start()

    def _stopping_pause(self) -> None:
        select.select([self._woken], [], [], 0.1)

    def _serve(self, client: ClientSocket) -> None:
        try:
            client.serve()
        finally:
            with self._lock:
                self._clients.pop(client, None)

    def _close(self) -> None:
        self._socket.close()
        with self._lock:
            clients = list(self._clients.items())
        for client, _ in clients:
            client.hang_up()
        for _, thread in clients:
            thread.join(_JOIN_S)
        for end in (self._woken, self._wake_up):
            with suppress(OSError):
                os.close(end)

    # -- queue managers and conversations -----------------------------------------------------

    def served(self, name: str, channel: str) -> Served:
        """The queue manager that a client means: by its name, else by the channel, else the first.

        The name need not be right: MQCONN says so by its reason.
        """
        plain = name.lstrip("*")
        named = [served for served in self._served if served.name == plain]
        open_to = [served for served in self._served if not served.refusal(channel)]
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
