"""`mqtriage context add|ls|show|use|trust|rm`: named connection settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mqtriage.commands.context.files import ContextFile, trust, write_context
from mqtriage.commands.context.settings import (
    GUARDS,
    Settings,
    as_typed,
    guards_of_name,
    loosened,
    read_selected,
    write_selected,
)
from mqtriage.model import rest_settings
from mqtriage.model.client_settings import check_together
from mqtriage.model.context_keys import BACKEND_OF_ADDRESS, KEYS, Value, backend_of, deciding_key
from mqtriage.model.result import Document, Listing, Show, column, columns_of, keys_of
from mqtriage.model.shell_words import shell_line
from mqtriage.mq.errors import NotFound, Refused, UsageError
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedContext:
    """A context of `context ls`; what it does not set is None."""

    selected: bool = column("SELECTED", Show.FLAG)
    name: str = column("NAME", Show.NAME, width=8)
    backend: Value | None = column("BACKEND")
    queue_manager: Value | None = column("QMGR", Show.NAME)
    connection: Value | None = column("CONNECTION", yields=1)
    channel: Value | None = column("CHANNEL", Show.NAME, yields=2)
    user: Value | None = column("USER", yields=2)
    protected: bool = column("PROTECTED", Show.FLAG)
    read_only: bool = column("READ_ONLY", Show.FLAG)
    four_eyes: bool = column("FOUR_EYES", Show.FLAG, wide=True)
    max_messages: Value | None = column("MAX_MESSAGES", Show.NUMBER, wide=True)
    no_browse: list[str] | None = column("NO_BROWSE", Show.TEXT, wide=True)
    file: str = column("FILE", yields=3)


@dataclass(frozen=True, slots=True)
class ContextSetting:
    """What is in force for a key, and where it came from."""

    key: str = column("KEY", width=16)
    value: object = column("VALUE", width=12)
    origin: str = column("ORIGIN", yields=1)


def listing(files: Sequence[ContextFile], selected: str) -> Listing:
    """List the contexts of every file; where two have one name, the second only adds its guards."""
    contexts = map(keys_of, _contexts(files, selected))
    return Listing("ContextList", columns_of(ListedContext), contexts, id_key="name")


def _contexts(files: Sequence[ContextFile], selected: str) -> Iterator[ListedContext]:
    seen: set[str] = set()
    for file in files:
        for name, values in sorted(file.contexts.items()):
            if name in seen:
                continue
            seen.add(name)
            guards = guards_of_name(files, name)
            hidden = guards.get("no_browse")
            yield ListedContext(
                selected=name == selected,
                name=name,
                backend=backend_of(values),
                queue_manager=values.get("qmgr"),
                connection=values.get("connection"),
                channel=values.get("channel"),
                user=values.get("user"),
                protected=bool(guards.get("protected")),
                read_only=bool(guards.get("read_only")),
                four_eyes=bool(guards.get("four_eyes")),
                max_messages=guards.get("max_messages"),
                no_browse=list(hidden) if isinstance(hidden, tuple) else None,
                file=str(file.path),
            )


def shown(settings: Settings) -> Listing:
    """List what is in force, each with where it came from."""
    rows = [ContextSetting("context", settings.context, settings.context_origin)]
    for key in KEYS:
        if (setting := settings.values.get(key)) is not None:
            value = list(setting.value) if isinstance(setting.value, tuple) else setting.value
            rows.append(ContextSetting(key, value, setting.shown_origin))
    fields = columns_of(ContextSetting)
    return Listing("ContextSettingList", fields, map(keys_of, rows), id_key="key")


def in_force(settings: Settings) -> dict[str, Any]:
    """The queue manager and the guards in force, by the keys that `shown` has."""
    held = settings.values
    return {key: (held[key].value or None) if key in held else None for key in ("qmgr", *GUARDS)}


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
        raise UsageError("no folder for the settings: HOME is not set", hint="set MQTRIAGE_CONFIG")
    if not name or not all(c.isalnum() or c in "._-" for c in name) or name.startswith("-"):
        raise UsageError(
            f"context {name[:40]!r}: only letters, digits, dots, dashes and underscores are allowed"
        )
    decided = BACKEND_OF_ADDRESS.get(deciding_key(values))
    checked = {**values, "backend": decided} if decided else values
    rest_settings.check_together(checked)
    check_together(checked)
    values = {key: _from_anywhere(key, value) for key, value in values.items()}
    there = next((file for file in files if name in file.contexts), None)
    if there is not None and there.path != path:
        raise Refused(
            f"context {name} is in {there.path}, which takes precedence over {path}",
            hint="choose another name, or edit that file",
            object_name=name,
        )
    if there is not None and not replace:
        command = change_command(files, name, values)
        raise Refused(
            f"context {name} already exists",
            hint=f"to change only these keys: {command}; --replace alone drops all others",
            object_name=name,
        )
    write_context(path, name, values)
    plain = {key: list(v) if isinstance(v, tuple) else v for key, v in values.items()}
    return Document("Context", {"name": name, **plain, "file": str(path)})


def change_command(files: Sequence[ContextFile], name: str, values: Mapping[str, Value]) -> str:
    """The command that sets *values* in context *name*, and keeps its other keys."""
    after = {**file_of(files, name).contexts[name], **values}
    words = ["mqtriage", "context", "add", name, "--replace"]
    words += [f"{key}={as_typed(value)}" for key, value in after.items()]
    words += ["--confirm", name] if lost_guards(files, name, after) else []
    return shell_line(words)


_PRODUCTION: Final = re.compile(r"(?<!non)(?<!non[-_.])(?<!pre)(?<!pre[-_.])(prod(?!u)|prd)")


def is_unprotected_production(name: str, values: Mapping[str, Value]) -> bool:
    """Whether a new context says prod, and is neither protected nor read-only."""
    if values.get("protected") or values.get("read_only"):
        return False
    texts = (name, *(values.get(key) for key in ("qmgr", "connection", "url", "ccdt")))
    return any(_PRODUCTION.search(text.lower()) for text in texts if isinstance(text, str))


def missing_ccdt(values: Mapping[str, Value]) -> str:
    """The path of a client channel definition table that is not there; "" for one that is.

    A URL is not looked at.
    """
    path = values.get("ccdt")
    if not isinstance(path, str) or ":" in path:
        return ""
    return "" if Path(path).expanduser().exists() else path


def lost_guards(
    files: Sequence[ContextFile], name: str, values: Mapping[str, Value] | None
) -> list[str]:
    """The guards that go if *values* replace context *name*, as KEY=VALUE; None removes it."""
    before = next((file.contexts[name] for file in files if name in file.contexts), {})
    if values is not None:
        values = {key: _from_anywhere(key, value) for key, value in values.items()}
    return loosened(before, values)


def _from_anywhere(key: str, value: Value) -> Value:
    """The path of a file or folder as it is in every folder; ~ stays, and so does a URL."""
    if not KEYS[key].is_path or not isinstance(value, str) or value.startswith("~"):
        return value
    return value if ":" in value else str(Path(value).absolute())


def remove(path: Path | None, files: Sequence[ContextFile], name: str, home: Path) -> Document:
    """Take context *name* out of the user's file, and forget that it was in use."""
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


def file_of(files: Sequence[ContextFile], name: str, emulated: Sequence[str] = ()) -> ContextFile:
    """The file that has context *name*; *emulated* queue managers may be what was meant."""
    for file in files:
        if name in file.contexts:
            return file
    names = sorted({known for file in files for known in file.contexts})
    there = f"; there are: {', '.join(names)}" if names else ""
    hint = "mqtriage context add NAME -m QMGR --use"
    if name in emulated:
        hint = shell_line(["mqtriage", "context", "add", name, "-m", name, "--use"])
    raise NotFound(f"no context {name}{there}", hint=hint, object_name=name)


def use(
    files: Sequence[ContextFile], name: str, home: Path, emulated: Sequence[str] = ()
) -> Document:
    """Make *name* the context in use; *emulated* queue managers may be what was meant."""
    file_of(files, name, emulated)
    now, before = read_selected(home)
    if now != name:
        now, before = name, now
    write_selected(home, now, before)
    return Document("ContextInUse", {"name": now, "previous": before}, is_brief=True)


def previous(files: Sequence[ContextFile], home: Path) -> Document:
    """Go back to the context that was in use before."""
    _, before = read_selected(home)
    if not before:
        hint = "mqtriage context use NAME chooses one; --no-context runs a command without one"
        raise NotFound("no context was in use before", hint=hint)
    return use(files, before, home)


def trusted(environ: Mapping[str, str], path: Path) -> Document:
    """Allow the project file *path*, as it is now, to say where passwords and archives go.

    Raises:
        NotFound: There is no project file.
        StorageError: A file cannot be read or written.
        UsageError: It is in other hands, or not sound.
    """
    if not path.is_file():
        raise NotFound(f"context use: no file {path}")
    noted = trust(environ, path)
    return Document("TrustedProjectFile", {"file": str(path), "noted_in": str(noted)})
