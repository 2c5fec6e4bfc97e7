"""Folders and files that only their owner can read: 0700 and 0600, whatever the umask."""

from __future__ import annotations

import os
from errno import EACCES, ENOTDIR
from itertools import takewhile
from pathlib import Path

from mqtriage.files.durable import refuse_link_out, sync_folder
from mqtriage.files.failures import storage_errors


def private_folder(folder: Path) -> Path:
    """Make *folder* and what is missing above it for its owner alone; what is there stays.

    Each new folder is on disk when this returns, with its name in the folder above.

    Raises:
        OSError: It cannot be made, or a link leads out of a checkout.
    """
    refuse_link_out(folder)
    missing = list(takewhile(lambda path: not path.exists(), (folder, *folder.parents)))
    for path in reversed(missing):
        try:
            path.mkdir(0o700)
            path.chmod(0o700)  # the umask may have taken more away
        except FileExistsError:  # another process has just made it
            if not path.is_dir():
                raise
        sync_folder(path.parent)
    return folder


def refuse_unwritable(folder: Path) -> None:
    """Meet what `private_folder`, or a new file in the folder, would; nothing is changed.

    Raises:
        OSError: The folder cannot be made or written to.
    """
    refuse_link_out(folder)
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), str(there))
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(there))


def made_folder(folder: Path) -> Path:
    """The same as `private_folder`; what hinders it is a StorageError."""
    with storage_errors(f"{folder}: cannot make the folder"):
        return private_folder(folder)


def open_private(path: Path, flags: int) -> int:
    """A descriptor of the file *path*, which is made where there is none; a link is not followed.

    Args:
        flags: O_* as `os.open` takes them; O_CREAT is added.

    Raises:
        OSError: FileExistsError with O_EXCL, ELOOP for a link, and others.
    """
    refuse_link_out(path.parent)
    descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor


def create_private(path: Path) -> int:
    """A descriptor to append to a file that was not there before."""
    return open_private(path, os.O_WRONLY | os.O_EXCL | os.O_APPEND)
