"""`mqtriage mqsc fmt`: files in one form, in the encoding they had, replaced as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from stat import S_IMODE
from typing import Final

from mqtriage.definitions.script_files import STANDARD_INPUT, read_bytes
from mqtriage.files.durable import replace_file
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.errors import StorageError
from mqtriage.mq.mqsc.format import format_script
from mqtriage.mq.mqsc.parse import decode_script, parse

FIELDS: Final = (
    Field("file", "FILE", width=24),
    Field("changed", "CHANGED", Show.FLAG),
    Field("commands", "COMMANDS", Show.NUMBER),
    Field("wrong", "WRONG", Show.NUMBER),
)


@dataclass(frozen=True, slots=True)
class Formatted:
    """One script, and what it would be.

    Attributes:
        data: the bytes it would be.
        problems: wrong commands, which stay as they are.
    """

    name: str
    text: str
    data: bytes
    changed: bool
    commands: int
    problems: tuple[str, ...]


def encoding_of(data: bytes) -> str:
    """The encoding that `decode_script` reads *data* in, a byte order mark included."""
    for mark, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return name
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _mark(data: bytes) -> bytes:
    for mark in (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"):
        if data.startswith(mark):
            return mark
    return b""


def formatted(name: str, standard_input: Callable[[], bytes]) -> Formatted:
    """Read one script and work out its form; nothing is written.

    Raises:
        NotFound, UsageError, StorageError: It cannot be read.
    """
    data = read_bytes(name, standard_input)
    script = parse(decode_script(data), file="<stdin>" if name == STANDARD_INPUT else name)
    text = format_script(script)
    mark, encoding = _mark(data), encoding_of(data)
    new = mark + text.encode(encoding) if _is_exact(data, encoding) else data
    problems = tuple(str(command.error) for command in script.commands if command.error)
    return Formatted(name, text, new, new != data, len(script.commands), problems)


def _is_exact(data: bytes, encoding: str) -> bool:
    """Whether decoding loses nothing; half a UTF-16 character at the end does."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def format_files(files: Iterable[Formatted]) -> None:
    """Write what changed, each file at once, with the permissions it had.

    Raises:
        StorageError: A file cannot be written; those before it are.
    """
    for file in files:
        if file.changed and file.name != STANDARD_INPUT:
            path = Path(file.name).resolve()  # a link stays a link
            try:
                replace_file(path, [file.data], mode=S_IMODE(path.stat().st_mode))
            except OSError as error:
                raise StorageError(f"{path}: {error.strerror or error}") from error


def listing(files: Iterable[Formatted], *, check: bool) -> Listing:
    """One record a file; *changed* says what was, or with *check* would be, changed."""
    records = [
        {
            "file": file.name,
            "changed": file.changed,
            "commands": file.commands,
            "wrong": len(file.problems),
        }
        for file in files
    ]
    changed = sum(1 for record in records if record["changed"])
    summary = {"files": len(records), "changed": changed, "check": check}
    return Listing("FormattedFileList", FIELDS, records, summary, id_key="file")
