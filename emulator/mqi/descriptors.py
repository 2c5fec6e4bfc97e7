"""Room for many clients: the socket they come to, and a descriptor kept to turn one away."""

from __future__ import annotations

import os
import resource
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mqtriage.mq.errors import StorageError

_MOST: Final = 1 << 16


def listening_socket(address: str, port: int, backlog: int, option: str) -> socket.socket:
    """A socket that takes clients and does not block.

    Args:
        address: of this machine, IPv4 or IPv6.
        port: 0 for one that is free.
        option: that names the port, for the hint.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address, port))
        listening.listen(backlog)
    except OSError as error:
        listening.close()
        raise StorageError(
            f"{address} port {port}: {error.strerror}",
            hint=f"use another port, or {option} 0 for a free one",
        ) from error
    listening.setblocking(False)
    return listening


def raise_limit() -> None:
    """Allow this process as many descriptors as it may have: each client takes some."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST if hard == resource.RLIM_INFINITY else min(hard, _MOST)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class Spare:
    """A descriptor that is let go for as long as a client is turned away.

    Attributes:
        is_short: it was said that no more clients are taken, and none was since.
    """

    def __init__(self) -> None:
        self._descriptor = _open()
        self.is_short = False

    def say_short(self, clients: int, reason: str) -> None:
        """Say once that no more clients are taken."""
        if not self.is_short:
            self.is_short = True
            print(f"mqtriage: {clients} clients, no more are accepted: {reason}", file=sys.stderr)

    @contextmanager
    def free(self) -> Iterator[None]:
        """Let something else have it."""
        os.close(self._descriptor)
        try:
            yield
        finally:
            self._descriptor = _open()

    def close(self) -> None:
        os.close(self._descriptor)


def _open() -> int:
    return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
