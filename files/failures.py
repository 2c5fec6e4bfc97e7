"""What the operating system refuses, told as errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mqtriage.mq.errors import StorageError, unreadable


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
