"""The gate before a queue manager's file, which a process closes while it holds work back.

A server keeps puts and gets of nonpersistent messages in memory for some milliseconds, and every
process the puts of units of work (`write_behind`). Whoever else looks at the file meanwhile would
see an old state, so every process goes through the gate first: a lock file that is locked while
something is held back. Who finds it closed asks the server, by a byte through a named pipe, to
write down what it has, and waits; a second lock says that somebody does.

The kernel opens the gate when a process ends, however it ends. What it had got in units of work
stands in the lock file then: that it was rolled back counts in BackoutCount.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from mqtriage.emulator.core.file import home
from mqtriage.files.failures import storage_errors
from mqtriage.files.locks import lock, try_lock, unlock
from mqtriage.files.private import open_private, private_folder
from mqtriage.mq.errors import StorageError

_LOCK: Final = "held"
_WAITING: Final = "waiting"
_ASK: Final = "ask"
_COUNTING: Final = "counting"
_NOTE: Final = struct.Struct("<q24s")
_FIRST_PAUSE_S: Final = 0.0002
_LONGEST_PAUSE_S: Final = 0.005

Note = tuple[int, bytes]
"""Position and MsgId of a message that was got."""
Count = Callable[[Sequence[Note]], None]


class Passage(Protocol):
    """What a `Store` goes through before it looks at its file or begins to write."""

    def enter(self) -> None:
        """Return when the file shows everything; it stays so until `leave`."""

    def leave(self) -> None:
        """Let others close the gate again."""

    def close(self) -> None:
        """Let go of the lock file."""


class Gate:
    """The gate as everybody meets it who holds nothing back.

    Attributes:
        count: notes in the file that messages were got by somebody who has ended; called once for
            each who did, outside a transaction.
    """

    def __init__(self, path: Path, wait_s: float) -> None:
        self.count: Count | None = None
        self._path = path
        self._wait_s = wait_s
        self._fd = open_lock(path)

    def enter(self) -> None:
        """Wait until nobody holds anything back, and keep everybody from beginning to.

        Raises:
            StorageError: Somebody still does after the time that a locked file is waited for.
        """
        if not try_lock(self._fd, shared=True):
            self._wait()
        if os.pread(self._fd, 1, 0) and self.count is not None:
            self._count_what_died()

    def _count_what_died(self) -> None:
        """Somebody ended while messages were got that the file shows as free."""
        assert self.count is not None
        counting = open_lock(self._path, _COUNTING)
        lock(counting)  # one at a time, while none can shut the gate
        try:
            notes = os.pread(self._fd, os.fstat(self._fd).st_size, 0)
            whole = len(notes) - len(notes) % _NOTE.size
            if whole:
                self.count([_NOTE.unpack_from(notes, at) for at in range(0, whole, _NOTE.size)])
            os.ftruncate(self._fd, 0)
        finally:
            os.close(counting)

    def leave(self) -> None:
        unlock(self._fd)

    def close(self) -> None:
        os.close(self._fd)

    def _wait(self) -> None:
        waiting = open_lock(self._path, _WAITING)
        try:
            try_lock(waiting, shared=True)
            end = time.monotonic() + self._wait_s
            pause = _FIRST_PAUSE_S
            ask(self._path)
            while True:
                time.sleep(pause)
                if try_lock(self._fd, shared=True):
                    return
                if time.monotonic() > end:
                    raise StorageError(
                        f"{self._path}: its server, or a suspended program, is not writing the "
                        f"changes that it has buffered",
                        hint="check the server's output, or stop it; continue the suspended "
                        "program",
                    )
                try_lock(waiting, shared=True)  # who looked whether anybody waits may have had it
                pause = min(pause * 2, _LONGEST_PAUSE_S)
                if pause == _LONGEST_PAUSE_S:
                    ask(self._path)
        finally:
            os.close(waiting)


class GateLock:
    """The lock of the gate, for whoever holds work back.

    One gate can be closed by one at a time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = open_lock(path)
        self._waiting = open_lock(path, _WAITING)
        self._noted = 0

    def is_waited_for(self) -> bool:
        """Whether somebody waits for the gate to be open."""
        if not try_lock(self._waiting):
            return True
        unlock(self._waiting)
        return False

    def shut(self) -> bool:
        """Close the gate; False where somebody is inside, or has ended and is still to be counted.

        Whoever then goes to the file itself counts that (`Gate.enter`).
        """
        if not try_lock(self._fd):
            return False
        if os.fstat(self._fd).st_size:
            unlock(self._fd)
            return False
        return True

    def note(self, position: int, msg_id: bytes) -> None:
        """Note that a message was got which the file shows as free, until `open`.

        Should this process end before, the next who passes the gate counts it.

        Raises:
            StorageError: It cannot be noted.
        """
        with storage_errors(self._path):
            os.pwrite(self._fd, _NOTE.pack(position, msg_id), self._noted)
        self._noted += _NOTE.size

    def open(self) -> None:
        """Let others in, whatever happens: what was held back has been written down by now."""
        with suppress(OSError):  # notes that stay name messages which have gone
            if self._noted:
                os.ftruncate(self._fd, 0)
            self._noted = 0
        with suppress(OSError):
            unlock(self._fd)

    def close(self) -> None:
        """Let go of the lock files, which opens the gate."""
        os.close(self._fd)
        os.close(self._waiting)


def open_lock(path: Path, name: str = _LOCK) -> int:
    """A lock file of the queue manager in the file *path*; made where there is none.

    Raises:
        StorageError: If it cannot be.
    """
    file = home.lock_folder(path) / name
    with storage_errors(file):
        private_folder(file.parent)
        return open_private(file, os.O_RDWR)


def ask(path: Path) -> None:
    """Ask the server to write down what it holds back; nothing happens where there is none."""
    with suppress(OSError):  # no server, or so many have asked that the pipe is full
        fd = os.open(home.server_folder(path) / _ASK, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.write(fd, b"?")
        finally:
            os.close(fd)


def listen(path: Path) -> int:
    """The end of the pipe that a server reads: ready when somebody has asked."""
    pipe = home.server_folder(path) / _ASK
    with suppress(FileExistsError):
        os.mkfifo(pipe, 0o600)
    return os.open(pipe, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # never at its end
