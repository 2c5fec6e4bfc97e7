"""Folders and locks for their owner alone, that are there after a power cut too."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path


def durable_folder(path: Path) -> None:
    """Make *path* with its parents, 0700 whatever the umask, each on disk before the next.

    Raises:
        OSError: One cannot be made.
    """
    for folder in (*reversed(path.parents), path):
        if folder.exists():
            continue
        with suppress(FileExistsError):  # another process has just made it
            folder.mkdir()
            os.chmod(folder, 0o700)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names of the files in *folder*."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class FileLock:
    """A lock that ends with its process at the latest; its file is there only while it is held.

    Raises:
        BlockingIOError: Somebody else holds it.
        OSError: The file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        while True:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(self._descriptor).st_ino == os.stat(path).st_ino:
                    return
            except FileNotFoundError:
                pass  # who held it removed the file meanwhile: this lock keeps nobody off
            except BaseException:
                os.close(self._descriptor)
                raise
            os.close(self._descriptor)

    def release(self) -> None:
        """Let others have it."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
