"""What a command reads beside the queue manager: files, archives and standard input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import IO, Final

from mqtriage.cli.frame.context import AppContext
from mqtriage.files.failures import read_errors
from mqtriage.files.whole import bytes_of, open_regular, read_whole
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import StorageError, UsageError

_LONGEST_LINE: Final = 4096
"""Of a list of ids; what has no line end is no list, however long it goes on.

A line of a listing or an archive is read to its end: it starts with a brace. So is one with
message data in a dump.
"""
_LONG: Final = ("{", "S ", "T ", "X ")
_READ_BYTES: Final = 1 << 16


def read_text(app: AppContext, file: str) -> str:
    """The text of a file, or of standard input."""
    from mqtriage.definitions.script_files import read_bytes
    from mqtriage.mq.mqsc.parse import decode_script

    return decode_script(read_bytes(file, app.run.standard_input))


def lines_of(app: AppContext, files: Iterable[str]) -> Iterator[str]:
    """The lines of files, `-` being standard input."""
    for name in files:
        with read_errors(f"--ids-from {name}"):
            if name == "-":
                yield from app.run.stdin
                continue
            with open(name, "rb") as raw:
                file = TextIOWrapper(_unpacked(raw) if raw.seekable() else raw, "utf-8", "replace")
                try:
                    yield from _lines(file)
                except StorageError as error:  # of a compressed file
                    text = f"--ids-from {name}: {error.text}"
                    raise StorageError(text, hint=error.hint) from error


def _lines(file: TextIOWrapper) -> Iterator[str]:
    while line := file.readline(_LONGEST_LINE):
        if line.startswith(_LONG) and not line.endswith("\n"):
            from mqtriage.messages.stored_messages import LONGEST_LINE

            line += file.readline(LONGEST_LINE)
        yield line


def bodies_of(app: AppContext, text: str | None, files: tuple[str, ...]) -> list[str | bytes]:
    """The message data: an argument, files with a message each, or with `-` standard input.

    Standard input is text where it can be read as UTF-8, like an argument.
    """
    if (text is None) == (not files):
        raise UsageError(
            "give the message data once: as BODY, with --file, or - for standard input",
            hint="mqtriage msg put QUEUE 'some text'",
        )
    if text is not None and text != "-":
        return [text]
    return [_body_of_file(app, file) for file in files or ("-",)]


def _body_of_file(app: AppContext, file: str) -> str | bytes:
    if file != "-":
        with read_errors(f"--file {file}"):
            return read_whole(file)
    data = app.run.standard_input()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


@contextmanager
def opened(app: AppContext, name: str) -> Iterator[IO[bytes]]:
    """A file to read twice; standard input is kept in a temporary one that has no name.

    So are the files of a folder, one after the other in the order of their names.
    """
    from shutil import copyfileobj
    from tempfile import TemporaryFile

    file: IO[bytes]
    with ExitStack() as stack:
        with read_errors(name):
            if os.path.isdir(name):
                file = stack.enter_context(TemporaryFile())
                _gather(name, file)
            elif name != "-":
                opening = open_regular(name, "pass it on standard input: -")
                file = stack.enter_context(opening)
            else:
                file = stack.enter_context(TemporaryFile())
                copyfileobj(bytes_of(app.run.stdin), file)
        # not `read_errors` around the block: what fails there may be the output
        yield _unpacked(BufferedReader(_Named(file, name), _READ_BYTES))


class _Named(RawIOBase):
    """A file whose failures to read name it."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        with read_errors(self._name):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _gather(folder: str, kept: IO[bytes]) -> None:
    from shutil import copyfileobj

    with os.scandir(folder) as entries:
        names = sorted(entry.path for entry in entries if entry.name.endswith(".ndjson"))
    if not names:
        raise StorageError(
            f"{folder}: contains no .ndjson files",
            hint=f"mqtriage msg archive QUEUE --each --out {shell_word(folder)} writes them",
            object_name=folder,
        )
    for name in names:
        with open(name, "rb") as file:
            copyfileobj(file, kept)
        kept.write(b"\n")  # where the last line has no end
    kept.seek(0)


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    """What a compressed file holds; any other as it is."""
    file.seek(0)
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    if not packed:
        return file
    from mqtriage.files.compressed import Unpacked

    return BufferedReader(Unpacked(file))


def named_archive(app: AppContext, archive: str) -> Path:
    """The archive that is meant."""
    from mqtriage.operations.archive.files import find_archive

    return find_archive(app.target.archive_folder, archive)
