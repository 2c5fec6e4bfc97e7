"""Whether a connection is alive: a lock on a file of its own, never a process number.

The kernel drops the lock when the process ends, however it ends. Whoever can take the lock of a
connection that is still in the file knows that its owner is gone, and backs its unit of work out.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from mqtriage.mq.errors import StorageError


class LifeLine:
    """The lock that this process holds for one connection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StorageError(f"{path}: {error.strerror}") from error

    def release(self) -> None:
        """Let go, and leave nothing behind."""
        self.path.unlink(missing_ok=True)
        os.close(self._fd)


def is_gone(path: Path) -> bool:
    """Whether the owner of the lock file has ended."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True
