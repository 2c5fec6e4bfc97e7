"""`mqtriage mqsc fmt`: files in one form, in the encoding they had, replaced as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from mqtriage.definitions.embedded.file_kinds import holds_mqsc, is_template
from mqtriage.definitions.script_files import STANDARD_INPUT, encode_like, encoding_of, read_bytes
from mqtriage.files.durable import rewrite_file
from mqtriage.files.failures import storage_errors
from mqtriage.files.links import leads_out
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.mq.errors import StorageError, UsageError
from mqtriage.mq.mqsc.format import format_script
from mqtriage.mq.mqsc.parse import decode_script, parse
from mqtriage.records import dataclass


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


@dataclass(frozen=True, slots=True)
class FormattedFile:
    """What is told of a script."""

    file: str = column("FILE", width=24)
    changed: bool = column("CHANGED", Show.FLAG)
    commands: int = column("COMMANDS", Show.NUMBER)
    wrong: int = column("ERRORS", Show.NUMBER)


def formatted(name: str, standard_input: Callable[[], bytes]) -> Formatted:
    """Read one script and work out its form; nothing is written."""
    if holds_mqsc(name) and not is_template(name):
        raise UsageError(
            f"{name}: is not a script; the text around MQSC decides how it is laid out"
        )
    path = Path(name)
    if name != STANDARD_INPUT and leads_out(path, path.parent):
        raise StorageError(
            f"{name}: it is a link that leads out of its folder",
            hint="name the file that it leads to",
        )
    data = read_bytes(name, standard_input)
    script = parse(decode_script(data), file="<stdin>" if name == STANDARD_INPUT else name)
    text = format_script(script)
    new = encode_like(data, text) if _is_exact(data) else data
    problems = tuple(str(command.error) for command in script.commands if command.error)
    return Formatted(name, text, new, new != data, len(script.commands), problems)


def _is_exact(data: bytes) -> bool:
    """Whether decoding loses nothing; half a UTF-16 character at the end does."""
    try:
        data.decode(encoding_of(data))
    except UnicodeDecodeError:
        return False
    return True


def format_files(files: Iterable[Formatted]) -> None:
    """Write what changed, each file at once, with the permissions it had."""
    for file in files:
        if file.changed and file.name != STANDARD_INPUT:
            with storage_errors(Path(file.name).resolve()):
                rewrite_file(Path(file.name), file.data)


def listing(files: Iterable[Formatted], *, check: bool) -> Listing:
    """One record a file; *changed* says what was, or with *check* would be, changed."""
    records = [
        FormattedFile(file.name, file.changed, file.commands, len(file.problems)) for file in files
    ]
    changed = sum(record.changed for record in records)
    summary = {"files": len(records), "changed": changed, "check": check}
    fields, items = columns_of(FormattedFile), map(keys_of, records)
    return Listing("FormattedFileList", fields, items, summary, id_key="file")
