"""Room for many clients, and one descriptor that is kept to turn the next one away."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_MOST: Final = 1 << 16


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
            print(f"mqtriage: {clients} clients, no more are taken: {reason}", file=sys.stderr)

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
