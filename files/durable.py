"""Files that a kill or a power cut leaves whole: written beside, synced, renamed, folder synced.

A rename is atomic, but what it names is on disk only after an fsync of the file before it, and
the name itself only after an fsync of the folder. What the disk cannot take is an OSError.

On macOS fsync hands data to the drive, which may keep it in memory; F_FULLFSYNC waits for the disk
(Apple, fsync(2)).
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import ELOOP
from pathlib import Path
from stat import S_IMODE
from typing import IO, BinaryIO, Final

from mqtriage.files.links import is_within

_BUFFER_BYTES: Final = 1 << 16
_DEVICES: Final = (Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd"))
"""Links in these folders lead to open streams."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an OSError that knows no file, as those of writing and locking, name *path*."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def sync(descriptor: int, *, data_only: bool = False) -> None:
    """Return once what was written to an open file is on disk.

    Args:
        data_only: what is known of the file, but its length, may stay behind.
    """
    if (full_sync := getattr(fcntl, "F_FULLFSYNC", None)) is not None:
        with suppress(OSError):  # a file system that has no such call
            fcntl.fcntl(descriptor, full_sync)
            return
    if data_only and hasattr(os, "fdatasync"):
        os.fdatasync(descriptor)
    else:
        os.fsync(descriptor)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        with naming(path):
            sync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Return once the names in *folder* are on disk."""
    with suppress(PermissionError):  # it can be written and not read: there is no way to sync it
        _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def sync_file(path: Path) -> None:
    """Return once the content of a file that somebody else wrote is on disk."""
    _sync(path, os.O_RDONLY)


def flush_to_disk(file: IO[bytes]) -> None:
    """Return once all that was written to an open file is on disk."""
    file.flush()
    sync(file.fileno())


def put_in_place(beside: Path, path: Path) -> None:
    """Give a finished file the name *path*; content and name are on disk afterwards.

    Raises:
        OSError: It cannot be done; *path* is as it was then.
    """
    sync_file(beside)
    os.replace(beside, path)
    sync_folder(path.parent)


@contextmanager
def new_file(path: Path, descriptor: int) -> Iterator[BinaryIO]:
    """Write a file that was not there before; it is on disk after the block, or gone.

    Args:
        descriptor: of the file, open for writing; closed afterwards.
    """
    try:
        with naming(path), open(descriptor, "wb", buffering=_BUFFER_BYTES) as file:
            yield file
            flush_to_disk(file)
        sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


def refuse_link_out(folder: Path) -> None:
    """Refuse to write to a folder behind a link that leads out of a checkout, or into its `.git`.

    A checkout is a folder with `.git`, or the working directory: whoever wrote what is in it does
    not choose where a command writes. Links that lead to it, such as a home that is a link, and
    those of a home itself are the user's own, and are followed.

    Raises:
        OSError: There is such a link.
    """
    path = folder.absolute()
    if os.path.realpath(path) == str(path):
        return
    here, home = Path(os.path.realpath(".")), Path(os.path.realpath(os.path.expanduser("~")))
    top: Path | None = None
    for at in (*reversed(path.parents), path):
        real = Path(os.path.realpath(at))
        if top is not None and not is_within(real, top):
            if at.is_symlink():
                text = f"{at.name} is a link that leads out of {top}; name its folder, {real}"
                raise OSError(ELOOP, text, str(folder))
            top = None  # by a `..` of the user's own, or into a folder that is named .git
        is_checkout = real == here or (real / ".git").exists()
        if top is None and is_checkout and not home.is_relative_to(real):
            top = real


def replace_file(path: Path, pieces: Iterable[bytes], *, mode: int = 0o600) -> None:
    """Put a file with this content in the place of *path*, whole or not at all.

    A pipe, a terminal or what /dev/stdout leads to is written to in place; any other link is
    replaced, not followed.

    Args:
        mode: permissions of the new file, whatever the umask.

    Raises:
        OSError: It cannot be written; *path* is as it was then.
    """
    is_device = path.parent.absolute() in _DEVICES
    if is_device or (path.exists() and not path.is_file() and not path.is_symlink()):
        with path.open("wb") as stream:  # IsADirectoryError for a folder
            stream.writelines(pieces)
        return
    refuse_link_out(path.parent)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    descriptor = os.open(beside, flags, 0o600)
    try:
        with naming(path), open(descriptor, "wb", buffering=_BUFFER_BYTES) as file:
            os.fchmod(descriptor, mode)
            file.writelines(pieces)
        put_in_place(beside, path)
    except BaseException:
        with suppress(OSError):  # what hindered the writing may hinder this as well
            beside.unlink()
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a whole file, whose permissions stay where it was there; else it is for its owner.

    A link is replaced and not followed: the author of the folder, of a checked-out repository for
    example, does not choose which file is written.

    Raises:
        OSError: It cannot be written; *path* is as it was then.
    """
    was_there = path.is_file() and not path.is_symlink()
    replace_file(path, [content], mode=S_IMODE(path.stat().st_mode) if was_there else 0o600)


def rewrite_file(path: Path, content: bytes) -> None:
    """Replace the content of a file that was read, through a link that stays below its folder.

    Raises:
        OSError: It cannot be written, or the link leads elsewhere, or into what git keeps; *path*
            is as it was then.
    """
    refuse_link_out(path.parent)
    file = path.resolve()
    if path.is_symlink() and not is_within(file, path.parent.resolve()):
        raise OSError(ELOOP, "it is a link that leads out of its folder", str(path))
    write_whole(file, content)
