"""What a command reads beside the queue manager: files, archives and standard input."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, cast

from mqtriage.cli.frame.context import AppContext
from mqtriage.mq.errors import StorageError, UsageError, unreadable

if TYPE_CHECKING:
    from pathlib import Path


def standard_input(app: AppContext) -> bytes:
    """All of standard input, in the bytes that came."""
    raw = getattr(app.stdin, "buffer", None)
    if isinstance(raw, io.BufferedIOBase):
        return raw.read()
    return app.stdin.read().encode("utf-8", "surrogateescape")


def read_text(app: AppContext, file: str) -> str:
    """The text of a file, or of standard input.

    Raises:
        NotFound, UsageError, StorageError: It cannot be read.
    """
    from mqtriage.definitions.script_files import read_bytes
    from mqtriage.mq.mqsc.parse import decode_script

    return decode_script(read_bytes(file, lambda: standard_input(app)))


def lines_of(app: AppContext, files: Iterable[str]) -> Iterator[str]:
    """The lines of files, `-` being standard input.

    Raises:
        NotFound: There is no such file.
        StorageError: A file cannot be read.
    """
    for name in files:
        try:
            if name == "-":
                yield from app.stdin
                continue
            with open(name, encoding="utf-8", errors="replace") as file:
                yield from file
        except OSError as error:
            raise unreadable(f"--ids-from {name}", error) from error


def body_of(app: AppContext, text: str | None, file: str | None) -> str | bytes:
    """The message data: an argument, a file, or with `-` standard input.

    Standard input is text where it can be read as UTF-8, like an argument.

    Raises:
        UsageError: Both or neither were given.
        NotFound: There is no such file.
        StorageError: The file cannot be read.
    """
    if (text is None) == (file is None):
        raise UsageError(
            "give the message data once: as BODY, with --file, or - for standard input",
            hint="mqtriage msg put QUEUE 'some text'",
        )
    if file is not None and file != "-":
        try:
            with open(file, "rb") as opened:
                return opened.read()
        except OSError as error:
            raise unreadable(f"--file {file}", error) from error
    if text is not None and text != "-":
        return text
    return _standard_input_as_text(app)


def _standard_input_as_text(app: AppContext) -> str | bytes:
    binary: Any = getattr(app.stdin, "buffer", None)
    try:
        data: str | bytes = app.stdin.read() if binary is None else binary.read()
    except OSError as error:
        raise StorageError(f"standard input: {error.strerror}") from error
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


@contextmanager
def opened(app: AppContext, name: str) -> Iterator[IO[bytes]]:
    """A file to read twice; standard input is kept in a temporary one that has no name.

    Raises:
        NotFound: There is no such file.
        StorageError: It cannot be read.
    """
    from tempfile import TemporaryFile

    try:
        if name != "-":
            with open(name, "rb") as file:
                if not file.seekable():
                    raise StorageError(
                        f"{name}: it can be read only once", hint="give it as standard input: -"
                    )
                yield _unpacked(file)
            return
        with TemporaryFile() as kept:
            _copy_stdin(app, kept)
            yield _unpacked(kept)
    except OSError as error:
        raise unreadable(name, error) from error


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    """What a compressed file holds; any other as it is."""
    file.seek(0)
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    if not packed:
        return file
    import gzip

    return cast("IO[bytes]", gzip.GzipFile(fileobj=file))


def _copy_stdin(app: AppContext, file: IO[bytes]) -> None:
    from shutil import copyfileobj

    binary: Any = getattr(app.stdin, "buffer", None)
    if binary is None:
        file.write(app.stdin.read().encode("utf-8", "surrogateescape"))
    else:
        copyfileobj(binary, file)


def named_archive(app: AppContext, archive: str) -> Path:
    """The archive that is meant.

    Raises:
        NotFound: There is none.
    """
    from mqtriage.operations.archive_files import find_archive

    return find_archive(app.archive_folder, archive)
