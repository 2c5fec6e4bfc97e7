"""MQSC scripts from files or standard input: every one is read before anything is done."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from mqtriage.definitions.embedded.file_kinds import holds_mqsc, is_markdown, is_template
from mqtriage.definitions.embedded.read import NOT_READ, UNREAD, first_passage, read_embedded
from mqtriage.files.failures import storage_errors
from mqtriage.files.links import leads_out
from mqtriage.files.whole import read_whole
from mqtriage.model.settings_tables import SETTINGS_FILES
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import NotFound, StorageError, UsageError, unreadable
from mqtriage.mq.mqsc.parse import decode_script, parse
from mqtriage.mq.mqsc.tree import Diagnostic, DiagnosticSeverity, Script
from mqtriage.mq.mqsc.verbs import LEAVING, VERB_BY_WORD
from mqtriage.mq.names import is_object_name

STANDARD_INPUT: Final = "-"
SHOWN_INPUT: Final = "<stdin>"
_NAMED: Final = 5
ENDINGS: Final = (".mqsc", ".mqs")
"""What a script in a folder is called, in either case; one that is named may be called anything."""
EMBEDDED_HINT: Final = (
    "mqtriage reads YAML scalars under a key with mqsc in its name, YAML block scalars,"
    " here-documents and echo commands of shell scripts that write to runmqsc, fenced blocks of"
    " Markdown, in-stream data of JCL"
)


_LONGEST_OTHER: Final = 1_000_000
"""Bytes of a file of another kind that is looked into; of one that may be a script, the first."""
_REPORT: Final = re.compile(
    rb'(?:<\?xml[^>]*>\s*)?<testsuites name="mqtriage |\{"(?:kind":"Plan"|schema":"mqtriage/)'
    rb'|\{"\$schema": "[^"]*/sarif-'
)
"""How plans and reports begin that were written beside the scripts."""
_COMPRESSED: Final = {
    b"\x1f\x8b": ("gzip", "gunzip -c"),
    b"BZh": ("bzip2", "bunzip2 -c"),
    b"\xfd7zXZ": ("xz", "xz -dc"),
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dc"),
    b"PK\x03\x04": ("zip", "unzip -p"),
}
"""First bytes of compressed files to their kind and the command that writes what is in them."""
_RULE: Final = re.compile(rb"^[ \t]*\[\[[ \t]*rule[ \t]*\]\]", re.MULTILINE)
_PLAN: Final = re.compile(r'\{"kind": ?"Plan", ?"schema"')


def read_bytes(name: str, standard_input: Callable[[], bytes]) -> bytes:
    """The bytes of a file; "-" is standard input."""
    if name == STANDARD_INPUT:
        return not_compressed(name, standard_input())
    path = Path(name)
    try:
        return not_compressed(name, read_whole(path))
    except IsADirectoryError:
        raise UsageError(f"{name}: is a folder", hint="name the files in it") from None
    except OSError as error:
        raise unreadable(name, error, _hint_of_a_command(name)) from error
    except ValueError as error:  # a NUL in the name
        raise StorageError(f"{name}: {error}") from error


def not_compressed(name: str, data: bytes) -> bytes:
    """*data*, the content of the file *name*; refused if the file is a compressed one."""
    for mark, (kind, command) in _COMPRESSED.items():
        if data.startswith(mark):
            shown = SHOWN_INPUT if name == STANDARD_INPUT else name
            file = "FILE" if name == STANDARD_INPUT else shell_word(name)
            raise UsageError(
                f"{shown}: is compressed with {kind}",
                hint=f"give what is in it, with - for the file: {command} {file} | mqtriage ... -",
            )
    return data


def _hint_of_a_command(name: str) -> str | None:
    """What to type for ``mqsc "DISPLAY QMGR"``: a command where a file is expected."""
    words = name.split()
    if len(words) < 2 or words[0].upper() not in VERB_BY_WORD:
        return None
    return f"MQSC comes from a file or standard input: echo {shell_word(name)} | mqtriage mqsc"


def typed_scripts(lines: Iterable[str], is_more: Callable[[], bool]) -> Iterator[Script]:
    """A script for each command that somebody types, to the END that runmqsc stops at.

    Args:
        is_more: whether the next line is there already: what is pasted together is one script.
    """
    text, is_continued = "", False
    for line in lines:
        text += line
        if not line.startswith("*"):
            is_continued = line.rstrip().endswith(("+", "-"))
        if is_continued or is_more():
            continue
        script = parse(text, file=SHOWN_INPUT)
        yield script
        if any(command.verb in LEAVING and command.error is None for command in script.commands):
            return
        text = ""
    if text:
        yield parse(text, file=SHOWN_INPUT)


def read_script(name: str, standard_input: Callable[[], bytes]) -> Script:
    """Read and parse one script; wrong commands are part of it.

    Of YAML, shell scripts and Markdown it is the MQSC in them, at the places that it has there.

    Raises:
        UsageError: There is no MQSC in such a file, it is for several queue managers, or it is a
            saved plan.
    """
    shown = SHOWN_INPUT if name == STANDARD_INPUT else name
    text = decode_script(read_bytes(name, standard_input))
    if _PLAN.match(text):
        raise UsageError(
            f"{shown}: is a saved plan, not MQSC",
            hint=f"mqtriage plan {shell_word(name)} shows it, and mqtriage apply carries it out",
        )
    if not holds_mqsc(shown):
        return parse(text, file=shown)
    embedded = read_embedded(shown, text)
    names = {block.queue_manager for block in embedded.blocks}
    managers = sorted(name for name in names if name)
    if not embedded.blocks:
        raise UsageError(no_mqsc(name, embedded.script(())), hint=EMBEDDED_HINT)
    if len(managers) > 1:
        raise UsageError(
            f"{name}: has MQSC for {', '.join(managers)}",
            hint="you can plan, compare or run MQSC for one queue manager only",
        )
    return embedded.script(embedded.blocks)


def no_mqsc(name: str, script: Script) -> str:
    """Why nothing of a file is read: the line that looks like MQSC, if one does."""
    line = next((f", but line {note.line} looks like it" for note in script.notes), "")
    return f"{name}: no MQSC that can be read{line}" if line else f"{name}: no MQSC in this file"


def unread(scripts: Iterable[Script], *, notes_only: bool = False) -> list[str]:
    """A warning for each passage that looks like MQSC, and each file and folder, not read."""
    return [
        f"{note.file}: {note.message}"
        if note.message.startswith(NOT_READ) and note.line == 1  # the whole of it
        else f"{note.file}:{note.line}: {note.message}"
        for script in scripts
        for note in script.notes
        if note.message.startswith((UNREAD, NOT_READ)) and not (notes_only and leaves_out(note))
    ]


def read_scripts(
    names: Iterable[str], standard_input: Callable[[], bytes], queue_manager: str = ""
) -> list[Script]:
    """All scripts, in the order given; those of a folder by name.

    Args:
        queue_manager: whose folder is read, of a folder that has one for each queue manager.
    """
    names = list(names)
    files: list[str] = []
    notes: list[Script] = []
    named = real_paths(names)
    for name in names:
        if name == STANDARD_INPUT or not Path(name).is_dir():
            files.append(name)
            continue
        scripts = scripts_of_folder(name, queue_manager)
        files += map(str, scripts)
        folder = scripts[0].parent
        notes += links_out(folder, Path(name))
        every = (path for path in _files_of(folder) if not leads_out(path, Path(name)))
        others = [path for path in every if os.path.realpath(path) not in named]
        notes += filter(None, map(looks_unread, others))
        notes += _embedded_unread(others)
        notes += [folder_below(path, "to read them, name it") for path in folders_below(folder)]
    if files.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input is named twice")
    notes = [note for note in notes if os.path.realpath(note.file) not in named]
    return [*(read_script(name, standard_input) for name in files), *notes]


def real_paths(names: Iterable[str]) -> set[str]:
    """The real paths of the files and folders that the user named, which are all read."""
    return {os.path.realpath(name) for name in names if name != STANDARD_INPUT}


def is_script_name(name: str) -> bool:
    """Whether a file of that name in a folder is a script."""
    return name.lower().endswith(ENDINGS)


def scripts_in(folder: Path, top: Path | None = None) -> list[Path]:
    """The scripts of a folder and not of those below it, by name.

    Args:
        top: the folder that the user named, which no link leads out of. Default: *folder*.
    """
    return [path for path in _scripts_of(folder) if not leads_out(path, top or folder)]


def links_out(folder: Path, top: Path) -> list[Script]:
    """The other scripts of the folder, not read, each with a note that says so."""
    return [link_out(path, top) for path in _scripts_of(folder) if leads_out(path, top)]


def link_out(path: Path, top: Path) -> Script:
    """A link that is not followed, as a script with a warning that says so."""
    why = f"this is a link that leads out of {top}; to read it, name it"
    return _not_read(path, why, DiagnosticSeverity.WARNING)


def looks_unread(path: Path) -> Script | None:
    """A file that looks like MQSC and is not read for its name, as a script that says so.

    This is a warning if the file begins with a command, and a note if it has some further down.
    """
    is_read = holds_mqsc(path.name) or is_script_name(path.name)
    if is_read or not path.is_file():
        return None
    data = _beginning_of(path)
    if b"\0" in data or _REPORT.match(data) is not None or _is_settings(path, data):
        return None
    text = decode_script(data)
    place = first_passage(text)
    if place is None:
        return None
    first = next(iter(parse(text).commands), None)
    severity = DiagnosticSeverity.NOTE
    if first is not None and first.verb:
        severity = DiagnosticSeverity.WARNING
        place = (first.line, first.column) if first.error is None else place
    message = f"{UNREAD}: its name does not end in {' or '.join(ENDINGS)}"
    note = Diagnostic(severity, *place, message, "", str(path))
    return Script("", str(path), (), (note,))


def _is_settings(path: Path, data: bytes) -> bool:
    """Whether it is a file of settings or rules, which have MQSC in their examples."""
    return path.suffix == ".toml" and (path.name in SETTINGS_FILES or bool(_RULE.search(data)))


def _embedded_unread(paths: Iterable[Path]) -> list[Script]:
    """YAML, shell and such files of a folder that contain MQSC, as one script with a note."""
    files = [
        path
        for path in paths
        if holds_mqsc(path.name) and not (is_template(path.name) or is_markdown(path.name))
        if read_embedded(path.name, decode_script(_data_of_other(path))).blocks
    ]
    if not files:
        return []
    named = ", ".join(path.name for path in files[:_NAMED])
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    them = "it, name it" if len(files) == 1 else "them, name them"
    return [_not_read(files[0], f"MQSC in {named}{more}; to read {them}")]


def _beginning_of(path: Path) -> bytes:
    """How a regular file begins, as a dump may be long; empty where nobody lets us read it."""
    try:
        with open(path, "rb") as file:
            return file.read(_LONGEST_OTHER)
    except OSError:
        return b""


def _data_of_other(path: Path) -> bytes:
    """What is in a file that is no script; empty where it is long, or nobody lets us read it."""
    try:
        return b"" if path.stat().st_size > _LONGEST_OTHER else read_whole(path)
    except OSError:
        return b""


def folders_below(folder: Path) -> list[Path]:
    """The folders with scripts below a folder that has scripts itself: these are not read with it.

    Raises:
        StorageError: One cannot be read.
    """
    folders = []
    for below in subfolders(folder):
        folders += [below] if scripts_in(below) else folders_below(below)
    return folders


def subfolders(folder: Path) -> list[Path]:
    """The folders in a folder, less links and what is hidden."""
    with storage_errors(folder):
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    return [path for path in paths if path.is_dir() and not path.is_symlink()]


def folder_below(
    path: Path, hint: str, severity: DiagnosticSeverity = DiagnosticSeverity.NOTE
) -> Script:
    """Such a folder, as a script with a note, or a warning, that says so."""
    return _not_read(path, f"the scripts in this folder; {hint}", severity)


def leaves_out(diagnostic: Diagnostic) -> bool:
    """Whether it says that scripts were not read, so that nothing is known of what they define."""
    is_warning = diagnostic.severity is DiagnosticSeverity.WARNING
    return is_warning and diagnostic.message.startswith((UNREAD, NOT_READ))


def _not_read(
    path: Path, why: str, severity: DiagnosticSeverity = DiagnosticSeverity.NOTE
) -> Script:
    note = Diagnostic(severity, 1, 1, f"{NOT_READ}{why}", "", str(path))
    return Script("", str(path), (), (note,))


def _scripts_of(folder: Path) -> list[Path]:
    return [p for p in _files_of(folder) if is_script_name(p.name) or is_template(p.name)]


def _files_of(folder: Path) -> list[Path]:
    with storage_errors(folder):
        paths = list(folder.iterdir())
    return sorted(path for path in paths if path.is_file())


def is_of_each(names: Iterable[str]) -> bool:
    """Whether one of the names is a folder with a folder of scripts for each queue manager."""
    folders = (Path(name) for name in names if name != STANDARD_INPUT and Path(name).is_dir())
    return any(not scripts_in(folder) and bool(_names_in(folder)) for folder in folders)


def _names_in(folder: Path) -> list[str]:
    """The queue managers that have a folder of scripts in *folder*, by the folders' names."""
    with storage_errors(folder):
        paths = sorted(folder.iterdir())
    named = (p for p in paths if p.is_dir() and is_object_name(p.name))
    return [path.name for path in named if scripts_in(path, folder)]


def scripts_of_folder(name: str, queue_manager: str = "") -> list[Path]:
    """The scripts of a folder, or of the folder in it that *queue_manager* has."""
    top = Path(name)
    scripts = scripts_in(top)
    if not scripts and queue_manager and (names := _names_in(top)):
        if queue_manager not in names:
            more = ", ..." if len(names) > _NAMED else ""
            raise NotFound(
                f"{name}: no folder of scripts for {queue_manager}",
                hint=f"it has {', '.join(names[:_NAMED])}{more}",
                object_name=queue_manager,
            )
        scripts = scripts_in(top / queue_manager, top)
    if not scripts and (links := links_out(top, top)):
        raise UsageError(
            f"{name}: its only scripts are links that lead out of it",
            hint=f"to read them, name them: {shell_word(links[0].file)}",
        )
    if not scripts:
        raise UsageError(
            f"{name}: no scripts in this folder",
            hint="name the folder of one queue manager, with files called *.mqsc, or the files",
        )
    return scripts


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


def encode_like(data: bytes, text: str) -> bytes:
    """A new text for the script *data*, in its encoding and with its byte order mark."""
    marks = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
    mark = next((mark for mark in marks if data.startswith(mark)), b"")
    return mark + text.encode(encoding_of(data))
