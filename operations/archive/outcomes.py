"""The outcomes of the messages in files of archives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from mqtriage.messages.archive_outcomes import Outcomes, begun_outcomes
from mqtriage.messages.stored_messages import Begun, read_line
from mqtriage.mq.errors import StorageError
from mqtriage.operations.archive.files import lines_of, verify_hint


def outcomes_of(path: Path) -> list[Outcomes]:
    """The outcomes in the archive *path*: a list of one, as for the only archive in a file."""
    return outcomes_in(str(path), (line.data for line in lines_of(path)))


def readable_outcomes(path: Path) -> list[Outcomes]:
    """The outcomes in the lines up to where the file cannot be read.

    Who reads its messages gets those before that place, and then the error.
    """
    return outcomes_in(str(path), _readable(path))


def _readable(path: Path) -> Iterator[bytes]:
    with suppress(StorageError):
        yield from (line.data for line in lines_of(path))


def outcomes_if_whole(path: Path) -> list[Outcomes]:
    """The same; none of an archive that lacks lines, all of whose messages are to be seen."""
    try:
        return outcomes_of(path)
    except StorageError:
        return []


def outcomes_in(name: str, lines: Iterable[bytes]) -> list[Outcomes]:
    """The outcomes of each archive in the file *name*; none where it is no archive.

    Raises:
        StorageError: A line names a message that is not there.
    """
    archives: list[Outcomes] = []
    for number, line in enumerate(lines, start=1):
        if archives and line.startswith(b'{"kind":"Message"'):
            archives[-1].add_message()
            continue
        stored = read_line(number, line)
        if isinstance(stored, Begun):
            archives.append(begun_outcomes(stored))
        elif archives:
            try:
                archives[-1].see(stored)
            except ValueError as error:
                msg = f"{name}: line {number} {error}"
                raise StorageError(msg, hint=verify_hint(name)) from None
        elif line.strip():
            break
    return archives
