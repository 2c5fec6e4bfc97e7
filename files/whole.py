"""Files and standard input, read: what has no end, or can be read only once, is refused."""

from __future__ import annotations

import errno
import os
import stat
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final, TextIO, cast

from mqtriage.files.failures import storage_errors
from mqtriage.model.shell_words import shell_line
from mqtriage.mq.errors import Refused, StorageError

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


def read_secret(path: Path | str) -> bytes:
    """All bytes of a file with keys or passwords.

    Raises:
        OSError: It cannot be opened.
        Refused: Others than its owner can read it; the group may where the owner is root.
        StorageError: It is a pipe or a device.
    """
    with open_regular(path) as file:
        status = os.fstat(file.fileno())
        if status.st_mode & (0o037 if status.st_uid == 0 and os.geteuid() else 0o077):
            raise Refused(
                f"{path}: other users can read the secret in it",
                hint=shell_line(("chmod", "600", str(path))),
            )
        return file.read()


def bytes_of(stream: TextIO) -> BinaryIO:
    """The bytes behind a stream of text."""
    binary = getattr(stream, "buffer", None)
    if binary is None:  # the text of a test, or a stream that the caller closed
        return BytesIO(stream.read().encode("utf-8", "surrogateescape"))
    return cast("BinaryIO", binary)


def read_all(stream: TextIO) -> bytes:
    """All of it."""
    with storage_errors("standard input"):
        return bytes_of(stream).read()
