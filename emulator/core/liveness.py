"""Whether a connection is alive: a lock on a file of its own, never a process number.

The kernel drops the lock when the process ends, however it ends. Whoever can take the lock of a
connection that is still in the file knows that its owner is gone, and backs its unit of work out.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from mqtriage.files.failures import storage_errors
from mqtriage.files.locks import is_locked, lock
from mqtriage.files.private import open_private

_held: Final[set[str]] = set()
"""Names of the files that this process has locked: a server has one for each of its clients."""


class LifeLine:
    """The lock that this process holds for one connection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with storage_errors(path):
            self._fd = open_private(path, os.O_EXCL | os.O_RDWR)
            lock(self._fd)
        _held.add(path.name)

    def note_unit(self, now_us: int) -> None:
        """Note when a unit of work began, for DISPLAY CONN of any process."""
        os.pwrite(self._fd, b"%020d" % now_us, 0)

    def release(self) -> None:
        """Let go, and leave nothing behind."""
        _held.discard(self.path.name)
        self.path.unlink(missing_ok=True)
        os.close(self._fd)


def is_gone(folder: Path, name: str) -> bool:
    """Whether the owner of a lock file has ended."""
    return name not in _held and not is_locked(folder / name)


def unit_began_us(folder: Path, name: str) -> int | None:
    """When the last unit of work of the owner of a lock file began; None where none did."""
    try:
        return int((folder / name).read_bytes() or 0) or None
    except (OSError, ValueError):  # its owner has just ended
        return None
