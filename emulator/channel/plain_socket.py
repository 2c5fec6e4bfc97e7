"""A client's socket without TLS: one thread reads all of them, any may write, and none waits."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress


class PlainSocket:
    """A socket that nobody waits for.

    What the client does not take at once is kept and goes out when it does; until then no more is
    read from it, so that what is kept is the answer to what was read before.

    Attributes:
        silence_s: how long the client may say nothing; None for ever.
    """

    def __init__(self, connected: socket.socket, watch: Callable[[int, bool], None]) -> None:
        """Take over a connected socket.

        Args:
            watch: told the descriptor and whether whoever reads is to wait for room to send the
                rest, with `send_rest`, or else for what comes.
        """
        connected.setblocking(False)
        self._socket = connected
        self._watch = watch
        self._lock = threading.Lock()
        self._kept = bytearray()
        self.silence_s: float | None = None

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def is_clogged(self) -> bool:
        """Whether something is kept."""
        return bool(self._kept)

    def peek(self) -> bytes:
        """The first byte that has come; b"" at the end."""
        return self._socket.recv(1, socket.MSG_PEEK)

    def release(self) -> socket.socket:
        """The socket itself, which waits again, for whoever takes over."""
        self._socket.setblocking(True)
        return self._socket

    def recv(self, most_bytes: int) -> bytes:
        """What has come; b"" at the end.

        Raises:
            BlockingIOError: Nothing has.
        """
        return self._socket.recv(most_bytes)

    def sendall(self, data: bytes) -> None:
        """Send, or keep for later, in the order of the calls; from any thread."""
        with self._lock:
            if self._kept:
                self._kept += data
                return
            try:
                sent = self._socket.send(data)
            except BlockingIOError:
                sent = 0
            if sent < len(data):
                self._kept += data[sent:]
                self._watch(self._socket.fileno(), True)

    def send_rest(self) -> bool:
        """Send of what is kept as much as there is room for; whether that was all."""
        with self._lock:
            with suppress(BlockingIOError):
                del self._kept[: self._socket.send(self._kept)]
            if not self._kept:
                self._watch(self._socket.fileno(), False)
            return not self._kept

    def settimeout(self, silence_s: float | None) -> None:
        self.silence_s = silence_s

    def shutdown(self, how: int) -> None:
        self._socket.shutdown(how)

    def close(self) -> None:
        self._socket.close()
