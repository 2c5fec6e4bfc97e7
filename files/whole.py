"""Files that are read: what has no end, or can be read only once, is refused."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

from mqtriage.mq.errors import StorageError

_MOST_BYTES: Final = 1 << 27
"""Of a pipe or a device: the longest message with room to spare."""


def read_whole(path: Path | str) -> bytes:
    """All bytes of a file, or of a pipe such as a shell's ``<(command)``.

    Raises:
        OSError: It cannot be read.
        StorageError: It is not a regular file, and goes on and on.
    """
    with open(path, "rb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file.read()
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise StorageError(
            f"{path}: not a regular file, and longer than {_MOST_BYTES} bytes", hint="name a file"
        )
    return data


def open_regular(path: Path | str, hint: str = "name a file") -> BinaryIO:
    """A file that is read more than once, or line by line.

    Args:
        hint: what to give instead of a pipe.

    Raises:
        OSError: It cannot be opened.
        StorageError: It is a pipe or a device.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # waits for no writer
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return open(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise StorageError(f"{path}: not a regular file", hint=hint)
