"""What the operating system refuses, told as errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mqtriage.mq.errors import StorageError, UsageError, unreadable


@contextmanager
def storage_errors(what: object, hint: str | None = None) -> Iterator[None]:
    """Tell of an OSError in the block as of *what*.

    Raises:
        StorageError: Instead of it.
    """
    try:
        yield
    except OSError as error:
        raise StorageError(f"{what}: {error.strerror}", hint=hint) from error


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
