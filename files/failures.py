"""What the operating system refuses, told as errors of ours."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mqtriage.mq.errors import StorageError, StorageKind, UsageError, unreadable

_KINDS: Final[dict[int, StorageKind]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "full"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "many-files"),
    **dict.fromkeys((errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP), "no-locks"),
}


def kind_of_errno(number: int | None) -> StorageKind:
    """The kind of failure that the operating system means by *number*."""
    return _KINDS.get(number or 0, "")


@contextmanager
def storage_errors(
    what: object, hint: str | None = None, *, file_first: bool = False
) -> Iterator[None]:
    """Tell of an OSError in the block as of *what*.

    Args:
        hint: what to do; where there is no room, to make room comes first.
        file_first: of the file instead that the system names, where it names one.

    Raises:
        StorageError: Instead of it.
    """
    try:
        yield
    except OSError as error:
        about = (file_first and error.filename) or what
        text = f"{about}: {error.strerror or error}"
        kind = kind_of_errno(error.errno)
        if hint is not None and kind == "full":
            hint = f"make room; {hint}"
        raise StorageError(text, kind=kind, hint=hint) from error


@contextmanager
def read_errors(what: str) -> Iterator[None]:
    """The same of something that is read.

    Raises:
        NotFound: Instead of the OSError, where it is not there.
        StorageError: Instead of any other.
    """
    try:
        yield
    except OSError as error:
        raise unreadable(what, error) from error


@contextmanager
def content_errors(file: object, hint: str | None = None) -> Iterator[None]:
    """The same of a file that is read and understood (`model/tables.py`).

    Args:
        hint: how such a file is made, where nothing else helps.

    Raises:
        NotFound, StorageError: As `read_errors`.
        UsageError: Instead of the one that does not name the file.
    """
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{file}: {error.text}", hint=error.hint or hint) from error
    except OSError as error:
        raise unreadable(str(file), error, hint) from error
