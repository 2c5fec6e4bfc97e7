"""The files that hold contexts: which there are, what they say, and how one is changed.

Read in this order; the first file that has a context of a name wins:

    .mqtriage.toml                                   of this folder, or the nearest one above it
    MQTRIAGE_CONFIG, else ~/.config/mqtriage/config.toml    (XDG_CONFIG_HOME)
    /etc/xdg/mqtriage/config.toml                    (XDG_CONFIG_DIRS)

    use = "dev"                # the context to use; a project file says so for its folder

    [context.dev]
    qmgr = "QM1"

    [group]
    all = ["dev", "test"]      # --context all asks each of them, where several can be asked

    [output."queue ls"]        # how a command writes where its options do not say; no project file
    form = "table"
    columns = ["queue", "curdepth"]
    wide = false

Whoever can write a project file could have a password sent to a server of their own, or messages
kept in a folder of their own. So one that belongs to another user, or that others may write, is not
read; and what the others name as an address or as a folder gets no credential and no message until
`context use FILE` has noted the file and its digest.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from mqtriage.files.durable import replace_file
from mqtriage.files.failures import content_errors, storage_errors
from mqtriage.files.private import private_folder
from mqtriage.files.whole import read_whole
from mqtriage.model.context_keys import KEYS, Value, read_key
from mqtriage.model.output_forms import FORMS
from mqtriage.model.settings_paths import system_paths, user_path
from mqtriage.model.settings_tables import (
    LINT_TABLES,
    OWN_TABLES,
    PROJECT_FILE,
    PROJECT_TABLES,
    unknown_table,
)
from mqtriage.model.tables import (
    FLAG,
    NAMES,
    TEXT,
    ValueForm,
    key,
    one_of,
    record_form,
    table_keys,
    table_of,
    toml_table,
    values_of,
    wrong,
)
from mqtriage.mq.errors import StorageError, UsageError
from mqtriage.records import dataclass

Level: TypeAlias = Literal["project", "user", "system"]
_HINT: Final = (
    'contexts are [context.NAME], groups of them in [group]; use = "NAME" chooses one;'
    ' [output."queue ls"] has the defaults of a command'
)


def _columns(value: object, where: str) -> str:
    return value if isinstance(value, str) else ",".join(NAMES.read(value, where))


def _context(value: object, where: str) -> dict[str, Value]:
    if not isinstance(value, dict):
        raise wrong(value, where, "a table")
    return {name: read_key(name, item, f"{where}.{name[:40]}") for name, item in _flat(value)}


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value


def _members(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, list) and value and all(NAMES.read(value, where)):
        return tuple(value)
    raise wrong(value, where, 'a list of names of contexts, such as ["dev", "test"]')


@dataclass(frozen=True, slots=True)
class OutputDefaults:
    """What one command writes where its options do not say; None says nothing."""

    form: str | None = key(one_of(*FORMS), None)
    columns: str | None = key(ValueForm(_columns), None)
    wide: bool | None = key(FLAG, None)


@dataclass(frozen=True, slots=True)
class ContextFile:
    """What one file says.

    Attributes:
        trusted: the user's own or the system's, or a project's that `context use` has noted and
            that is unchanged since.
        chosen: the context to use, "" for none.
        contexts: name to key to value.
        outputs: command to its defaults of `-o`, `--columns` and `--wide`.
        groups: names of contexts by the name that stands for all of them.
    """

    path: Path
    level: Level
    trusted: bool
    chosen: str = key(TEXT, "", word="use")
    contexts: Mapping[str, Mapping[str, Value]] = key(
        table_of(ValueForm(_context)), {}, word="context"
    )
    outputs: Mapping[str, OutputDefaults] = key(
        table_of(record_form(OutputDefaults)), {}, word="output"
    )
    groups: Mapping[str, tuple[str, ...]] = key(table_of(ValueForm(_members)), {}, word="group")


def user_file(environ: Mapping[str, str]) -> Path | None:
    """The user's own file, there or not; None where nothing says where the home is."""
    path = user_path(environ)
    return None if path is None else Path(path)


def context_files(
    environ: Mapping[str, str], folder: Path | None, warn: Callable[[str], None]
) -> Iterator[ContextFile]:
    """Each file that is there, in order.

    Args:
        folder: where the search for a project file begins; None looks for none.
        warn: is called with a line for a project file that is not read.

    Raises:
        StorageError: A file cannot be read.
        UsageError: A file is not TOML, or holds what a context cannot hold.
    """
    for path, level in _places(environ, folder):
        if not path.is_file():
            continue
        if level == "project" and (why := _in_other_hands(path)):
            warn(f"{path} is ignored: {why}")
        else:
            yield read_context_file(path, level, environ)


def project_file(folder: Path) -> Path | None:
    """The project file of *folder*, or of the nearest folder above it; None for none."""
    for above in (folder, *folder.parents):
        if (above / PROJECT_FILE).is_file():
            return above / PROJECT_FILE
    return None


def _in_other_hands(path: Path) -> str:
    """Why somebody else decides what a project file says, "" where nobody does."""
    try:
        file, folder = path.stat(), path.parent.stat()
    except OSError as error:
        return f"{error.strerror}"
    if file.st_uid not in (os.geteuid(), 0):
        return "it belongs to another user"
    if file.st_mode & stat.S_IWOTH or folder.st_mode & stat.S_IWOTH:
        return "everyone can write to it, or to its folder"
    return ""


def _places(environ: Mapping[str, str], folder: Path | None) -> Iterator[tuple[Path, Level]]:
    project = None if folder is None else project_file(folder)
    if project is not None:
        yield project, "project"
    own = user_file(environ)
    if own is not None:
        yield own, "user"
    for path in system_paths(environ):
        yield Path(path), "system"


def read_context_file(path: Path, level: Level, environ: Mapping[str, str]) -> ContextFile:
    """Read and check one file."""
    with content_errors(path, _HINT):
        content = read_whole(path)
        table = toml_table(content)
        tables = (*PROJECT_TABLES, "output") if level == "project" else OWN_TABLES
        for word, value in table.items():
            if word not in tables:
                raise unknown_table(word, value, tables)
        if level == "project":  # what lint reads in the same file
            table = {word: value for word, value in table.items() if word not in LINT_TABLES}
        values = values_of(table, table_keys(ContextFile), "")
        trusted = level != "project" or _line_of(path, content) in _trusted_lines(environ)
        file = ContextFile(path, level, trusted, **values)
        if level == "project":
            _check_project_file(file)
    return file


def _check_project_file(file: ContextFile) -> None:
    if file.outputs:
        raise UsageError(
            "output is not allowed in a project file",
            hint="it would change the output of scripts in this folder; put it in your config.toml",
        )
    for context, values in file.contexts.items():
        for name in values:
            if KEYS[name].secret:
                raise UsageError(
                    f"context.{context}.{name} is not allowed in a project file",
                    hint="a project you check out could redirect your password; put it in your own"
                    " config.toml",
                )


def trust(environ: Mapping[str, str], path: Path) -> Path:
    """Note the project file *path* as it is now; returns the file that it is noted in.

    Raises:
        StorageError: A file cannot be read or written.
        UsageError: Nothing says where the user's own settings are, or the file is not sound.
    """
    own = _trust_file(environ)
    if own is None:
        raise UsageError("context use: there is no folder of settings", hint="set HOME")
    if why := _in_other_hands(path):
        raise UsageError(f"{path} cannot be trusted: {why}", hint="chown or chmod it first")
    read_context_file(path, "project", environ)
    line = _line_of(path, path.read_bytes())
    others = {known for known in _trusted_lines(environ) if known.partition("  ")[2] != str(path)}
    _replace(own, "".join(f"{known}\n" for known in sorted({*others, line})))
    return own


def _line_of(path: Path, content: bytes) -> str:
    """What `context use` notes of a file, in the form of sha256sum."""
    from hashlib import sha256  # OpenSSL: a fiftieth of a short command that trusts no file

    return f"{sha256(content).hexdigest()}  {path}"


def _trust_file(environ: Mapping[str, str]) -> Path | None:
    own = user_file(environ)
    return None if own is None else own.parent / "trusted-project-files"


def _trusted_lines(environ: Mapping[str, str]) -> set[str]:
    own = _trust_file(environ)
    try:
        return set() if own is None else set(own.read_text(encoding="utf-8").splitlines())
    except FileNotFoundError:
        return set()
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{own}: cannot be read: {error}") from error


def write_context(path: Path, name: str, values: Mapping[str, Value] | None) -> None:
    """Set context *name* in the file at *path*, or take it out; comments stay as they are.

    The file is replaced in one step and only its owner can read it.

    Args:
        values: key to value; None takes the context out.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        document = tomlkit.parse(text)
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror}") from error
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    if "context" not in document:
        document["context"] = tomlkit.table(is_super_table=True)
    tables: Any = document["context"]
    if values is None:
        del tables[name]
        if not tables:
            del document["context"]
    else:
        tables[name] = _as_table(values)
    _replace(path, tomlkit.dumps(document))


def _as_table(values: Mapping[str, Value]) -> Any:
    import tomlkit

    table = tomlkit.table()
    for name, value in values.items():
        outer, _, inner = name.rpartition(".")
        place: Any = table.setdefault(outer, tomlkit.inline_table()) if outer else table
        place[inner] = list(value) if isinstance(value, tuple) else value
    return table


def _replace(path: Path, text: str) -> None:
    with storage_errors(f"{path}: cannot be written"):
        private_folder(path.parent)
        replace_file(path, [text.encode()])
