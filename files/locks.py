"""Locks on files, which the kernel drops however their owner ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from mqtriage.files.private import open_private

_LONGEST_PATH: Final = 1024


def _named(error: OSError, descriptor: int) -> OSError:
    """The error with the file that flock does not name, where /proc or macOS has its path."""
    with suppress(OSError):
        if (get_path := getattr(fcntl, "F_GETPATH", None)) is not None:
            raw: bytes = fcntl.fcntl(descriptor, get_path, bytes(_LONGEST_PATH))
            error.filename = os.fsdecode(raw.rstrip(b"\0"))
        else:
            error.filename = os.readlink(f"/proc/self/fd/{descriptor}")
    return error


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an open file; False, at once, where somebody else holds a lock that forbids it.

    Args:
        shared: others may hold a shared lock as well.
    """
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise _named(error, descriptor) from None
    return True


def lock(descriptor: int, *, shared: bool = False) -> None:
    """Lock an open file; waits for as long as somebody else holds a lock that forbids it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    except OSError as error:
        raise _named(error, descriptor) from None


def unlock(descriptor: int) -> None:
    """Let go of the lock on an open file; closing it does as well."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock on a file; False where there is no such file."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def sharing(folder: Path) -> Iterator[None]:
    """Keep off who would replace files of *folder* meanwhile, where its file system can lock it."""
    descriptor = -1
    with suppress(OSError):  # not there, or not to be locked: reading says what is wrong
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        lock(descriptor, shared=True)
    try:
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


@contextmanager
def replacing(folder: Path) -> Iterator[None]:
    """Wait until nobody reads *folder* who is `sharing` it, and keep such readers waiting."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        lock(descriptor)
        yield
    finally:
        os.close(descriptor)


class FileLock:
    """A lock with a file of its own, which is there only while the lock is held.

    Args:
        busy: raised where somebody else holds it.

    Raises:
        OSError: The file cannot be made.
    """

    def __init__(self, path: Path, busy: Exception) -> None:
        self._path = path
        while True:
            self._descriptor = open_private(path, os.O_RDWR)
            if not try_lock(self._descriptor):
                os.close(self._descriptor)
                raise busy
            if self._names_our_file():
                return
            os.close(self._descriptor)  # who held it removed the file: this lock keeps nobody off

    def _names_our_file(self) -> bool:
        try:
            return os.fstat(self._descriptor).st_ino == os.stat(self._path).st_ino
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let others have it."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
