"""`mqtriage context add|ls|show|use|trust|rm`: named connection settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mqtriage.commands.context.files import PROJECT_FILE, ContextFile, trust, write_context
from mqtriage.commands.context.settings import Settings, read_selected, write_selected
from mqtriage.model.client_settings import check_together
from mqtriage.model.context_keys import KEYS, Value
from mqtriage.model.result import Document, Field, Listing, Record, Show
from mqtriage.mq.errors import NotFound, Refused, UsageError

LS_FIELDS: Final = (
    Field("selected", "SELECTED", Show.FLAG),
    Field("name", "NAME", Show.NAME, width=8),
    Field("backend", "BACKEND"),
    Field("queue_manager", "QMGR", Show.NAME),
    Field("connection", "CONNECTION", yields=1),
    Field("channel", "CHANNEL", Show.NAME, yields=2),
    Field("user", "USER", yields=2),
    Field("protected", "PROTECTED", Show.FLAG),
    Field("read_only", "READ_ONLY", Show.FLAG),
    Field("file", "FILE", yields=3),
)

SHOW_FIELDS: Final = (
    Field("key", "KEY", width=16),
    Field("value", "VALUE", width=12),
    Field("origin", "ORIGIN", yields=1),
)


def listing(files: Sequence[ContextFile], selected: str) -> Listing:
    """List the contexts of every file; of two with one name only the first is in force."""
    return Listing("ContextList", LS_FIELDS, _ls_records(files, selected), id_key="name")


def _ls_records(files: Sequence[ContextFile], selected: str) -> Iterator[Record]:
    seen: set[str] = set()
    for file in files:
        for name, values in sorted(file.contexts.items()):
            if name in seen:
                continue
            seen.add(name)
            yield {
                "selected": name == selected,
                "name": name,
                "backend": values.get("backend"),
                "queue_manager": values.get("qmgr"),
                "connection": values.get("connection"),
                "channel": values.get("channel"),
                "user": values.get("user"),
                "protected": bool(values.get("protected")),
                "read_only": bool(values.get("read_only")),
                "file": str(file.path),
            }


def shown(settings: Settings) -> Listing:
    """List what is in force, each with where it came from."""
    rows: list[dict[str, Any]] = [
        {"key": "context", "value": settings.context, "origin": settings.context_origin}
    ]
    for key in KEYS:
        if (setting := settings.values.get(key)) is not None:
            value = list(setting.value) if isinstance(setting.value, tuple) else setting.value
            rows.append({"key": key, "value": value, "origin": setting.origin})
    return Listing("ContextSettingList", SHOW_FIELDS, rows, id_key="key")


def add(
    path: Path | None,
    files: Sequence[ContextFile],
    name: str,
    values: Mapping[str, Value],
    *,
    replace: bool = False,
) -> Document:
    """Write context *name* to the user's file.

    Raises:
        UsageError: A name that cannot be one, settings that contradict each other, or nobody
            knows where the user's file is.
        Refused: It is there already.
        StorageError: The file cannot be written.
    """
    if path is None:
        raise UsageError("no place for the settings: HOME is not set", hint="set MQTRIAGE_CONFIG")
    if not name or not all(c.isalnum() or c in "._-" for c in name) or name.startswith("-"):
        raise UsageError(f"context {name[:40]!r}: letters, digits, dot, dash and underscore")
    check_together(values)
    there = next((file for file in files if name in file.contexts), None)
    if there is not None and there.path != path:
        raise Refused(
            f"context {name} is in {there.path}, which takes precedence over {path}",
            hint="choose another name, or edit that file",
            object_name=name,
        )
    if there is not None and not replace:
        raise Refused(
            f"context {name} exists already", hint="--replace replaces it", object_name=name
        )
    write_context(path, name, values)
    plain = {key: list(v) if isinstance(v, tuple) else v for key, v in values.items()}
    return Document("Context", {"name": name, **plain, "file": str(path)})


def remove(path: Path | None, files: Sequence[ContextFile], name: str, home: Path) -> Document:
    """Take context *name* out of the user's file, and forget that it was in use.

    Raises:
        NotFound: There is none.
        Refused: It stands in a file that is not the user's own.
    """
    there = file_of(files, name)
    if there.path != path:
        raise Refused(
            f"context {name} is in {there.path}, which is not your own file",
            hint="edit that file",
            object_name=name,
        )
    write_context(there.path, name, None)
    now, before = read_selected(home)
    if name in (now, before):
        write_selected(home, "" if now == name else now, "" if before == name else before)
    return Document("Context", {"name": name, "removed": True, "file": str(there.path)})


def file_of(files: Sequence[ContextFile], name: str) -> ContextFile:
    """The file that has context *name*.

    Raises:
        NotFound: None has.
    """
    for file in files:
        if name in file.contexts:
            return file
    names = sorted({known for file in files for known in file.contexts})
    there = f"; there are: {', '.join(names)}" if names else ""
    raise NotFound(
        f"no context {name}{there}", hint="mqtriage context add NAME makes one", object_name=name
    )


def use(files: Sequence[ContextFile], name: str, home: Path) -> Document:
    """Make *name* the context in use.

    Raises:
        NotFound: There is none of that name.
    """
    file_of(files, name)
    now, before = read_selected(home)
    if now != name:
        now, before = name, now
    write_selected(home, now, before)
    return Document("ContextInUse", {"name": now, "previous": before})


def previous(files: Sequence[ContextFile], home: Path) -> Document:
    """Go back to the context that was in use before.

    Raises:
        NotFound: There was none, or it is gone.
    """
    _, before = read_selected(home)
    if not before:
        raise NotFound("no context was in use before", hint="mqtriage context use NAME")
    return use(files, before, home)


def trusted(environ: Mapping[str, str], path: Path | None) -> Document:
    """Allow the project file *path*, as it is now, to say where passwords and archives go.

    Raises:
        NotFound: There is no project file.
        StorageError: A file cannot be read or written.
        UsageError: It is in other hands, or not sound.
    """
    if path is None or not path.is_file():
        raise NotFound(f"context trust: no file {path or PROJECT_FILE}, here or in a folder above")
    noted = trust(environ, path)
    return Document("TrustedProjectFile", {"file": str(path), "noted_in": str(noted)})
