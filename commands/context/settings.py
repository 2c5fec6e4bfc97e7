"""What is in force: each setting with where it came from.

A context named by ``--context`` is a choice of this very command, so its values win over the
environment; one chosen by the environment, a project file or `context use` gives way to it:

    an option of the command
    the context that --context names
    the environment (MQTRIAGE_QMGR, MQTRIAGE_TLS_CIPHER …)
    the context chosen by MQTRIAGE_CONTEXT, a project file or `context use`

Where none of them sets `backend`, an address decides it (`BACKEND_OF_ADDRESS`).

Guards only add up: those of every context of the name that is in force, in whatever file, and of
every context that names the queue manager which was reached, hold beside those of the environment.
So no other file, context, option or variable takes one away. `context add --replace` and
`context rm` change the file itself: they name what they would remove (`loosened`), and ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from mqtriage.commands.context.files import ContextFile
from mqtriage.files.durable import replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import made_folder
from mqtriage.model.context_keys import (
    BACKEND_OF_ADDRESS,
    KEYS,
    Value,
    deciding_key,
    from_text,
)
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import NotFound, Refused, StorageError, UsageError
from mqtriage.records import NamedTuple

GUARDS: Final = tuple(key.name for key in KEYS.values() if key.guards)


class Setting(NamedTuple):
    """A value and where it came from: ``--qmgr``, ``MQTRIAGE_QMGR``, ``…/config.toml``.

    Attributes:
        context: name of the context that has it, "" for none.
        decided_by: the key that decided it, whose origin this is; "" where it was set itself.
        parts: of names that several have, the setting of each.
    """

    value: Value
    origin: str
    context: str = ""
    decided_by: str = ""
    parts: tuple[Setting, ...] = ()

    @property
    def shown_origin(self) -> str:
        """The origin, with the key that decided the value."""
        if not self.decided_by:
            return self.origin
        key = f"{self.decided_by}, " if self.context else ""  # an option or a variable is the key
        return f"because of {key}{self.origin}"

    @property
    def who(self) -> str:
        """Who set it: ``context prod``, ``MQTRIAGE_PROTECTED``."""
        return f"context {self.context}" if self.context else self.origin


class Settings(NamedTuple):
    """Everything in force for one command.

    Attributes:
        context: name of the context, "" for none; *context_origin* says who chose it.
        values: key to setting; a key that nobody set is not there.
        untrusted: a project file that the user has not allowed, whose context is in force.
        shown: contexts that people see beside the queue manager: the one in force, unless it is
            for another queue manager, and those whose guards protect this one.
        overridden: key to the value of the context that a variable of the environment replaces.
    """

    context: str = ""
    context_origin: str = ""
    values: Mapping[str, Setting] = {}
    untrusted: ContextFile | None = None
    shown: tuple[str, ...] = ()
    overridden: Mapping[str, Value] = {}

    def overrides(self, *keys: str) -> list[str]:
        """What the environment replaces of the context, a sentence for each key; all by default."""
        return [
            f"{self.values[key].origin}={as_typed(self.values[key].value)} takes precedence over"
            f" {key}={as_typed(value)} of context {self.context};"
            f" to use the context, unset {self.values[key].origin}"
            for key, value in self.overridden.items()
            if not keys or key in keys
        ]

    def refuse_untrusted(self, what: str, *keys: str) -> None:
        """Refuse to do *what* where a project file nobody has allowed sets one of *keys*."""
        for key in keys:
            if self.untrusted is not None and self.is_untrusted(key):
                path, value = self.untrusted.path, self.values[key].value
                raise Refused(
                    f"{what}: {path} sets {key} to {value}, and is not trusted",
                    hint="read it, and allow it with: mqtriage context use "
                    + shell_word(str(path)),
                )

    def is_untrusted(self, key: str) -> bool:
        """Whether the value of *key* is that of a project file nobody has allowed."""
        file, setting = self.untrusted, self.values.get(key)
        return bool(file and setting and setting.origin.endswith(f", {file.path}"))

    def guarded_by(self, name: str) -> str:
        """Who sets the guard *name*: ``context prod``, ``MQTRIAGE_PROTECTED``; "" for nobody."""
        setting = self.values.get(name)
        return setting.who if setting is not None and setting.value else ""

    def never_browsed(self) -> dict[str, str]:
        """The names of `no_browse`, each with who sets it."""
        setting = self.values.get("no_browse")
        parts = (setting.parts or (setting,)) if setting is not None else ()
        return {
            name: part.who for part in parts if isinstance(part.value, tuple) for name in part.value
        }

    def guarding_context(self, *names: str) -> str:
        """Name of the context that sets the first of these guards; "" if no context sets one."""
        guards = filter(None, map(self.values.get, names))
        return next((guard.context for guard in guards if guard.value and guard.context), "")

    def text(self, name: str) -> str | None:
        """The text of key *name*, None when nobody set it."""
        setting = self.values.get(name)
        return str(setting.value) if setting is not None else None

    def flag(self, name: str) -> bool:
        """Whether key *name* is true."""
        setting = self.values.get(name)
        return setting is not None and setting.value is True

    def number(self, name: str) -> int | None:
        """The number of key *name*, None when nobody set it."""
        setting = self.values.get(name)
        return setting.value if setting is not None and isinstance(setting.value, int) else None


def because_protected(queue_manager: str, protected: str) -> str:
    """``because context prod protects QM1``; of a guard that the journal recalls, when it held."""
    if protected.startswith("operation "):
        return f"because {queue_manager} was protected when {protected} ran"
    return f"because {protected} protects {queue_manager}"


class Choice(NamedTuple):
    """Which context, and who says so; *named* is true for ``--context``."""

    name: str
    origin: str
    named: bool = False


def choice_of(
    option: str | None,
    environ: Mapping[str, str],
    files: Iterable[ContextFile],
    selected: str,
    *,
    no_context: bool = False,
) -> Choice | None:
    """Which context a command works with; None for none.

    Args:
        option: `--context`.
        selected: what `context use` chose, "" for nothing.
        no_context: `--no-context`: nothing but options and the environment.
    """
    if option:
        return Choice(option, "--context", named=True)
    if no_context:
        return None
    if name := environ.get("MQTRIAGE_CONTEXT"):
        return Choice(name, "MQTRIAGE_CONTEXT")
    for file in files:
        if file.level == "project" and file.chosen:
            return Choice(file.chosen, str(file.path))
    if selected:
        return Choice(selected, "context use")
    for file in files:
        if file.chosen:
            return Choice(file.chosen, str(file.path))
    return None


def resolve(
    options: Mapping[str, Setting],
    environ: Mapping[str, str],
    choice: Choice | None,
    files: Iterable[ContextFile],
) -> Settings:
    """Put the layers together.

    Args:
        options: key to what the command line says; only what was given.

    Raises:
        NotFound: There is no context of that name.
        UsageError: A variable holds what its key cannot; the backend is not clear, or an option
            is for another one.
    """
    files = list(files)
    table: dict[str, Setting] = {}
    if choice is not None:
        file = _file_with(choice, files)
        table = _settings_of(file, choice.name)
    named = choice is not None and choice.named
    surroundings = {
        key.name: Setting(from_text(key.name, text, key.environment), key.environment)
        for key in KEYS.values()
        if (text := environ.get(key.environment))
    }
    layers = [surroundings, table] if named else [table, surroundings]
    values = {k: v for layer in (*layers, options) for k, v in layer.items()}
    values = _with_backend(values, surroundings if named else {})
    if choice is None:
        return Settings(values=_add_guards(values, (surroundings,)))
    of_name = [_settings_of(f, choice.name) for f in files if choice.name in f.contexts]
    values = _add_guards(values, (*of_name, surroundings))
    with suppress(UsageError):  # its keys contradict each other, and something else decides
        table = _with_backend(table, {})
    is_for_it = all(values[k].value == table[k].value for k in ("qmgr", "backend") if k in table)
    shown = (choice.name,) if is_for_it else ()
    overridden = {
        key: setting.value
        for key, setting in table.items()
        if not named and key not in options and key not in GUARDS
        if key in surroundings and surroundings[key].value != setting.value
    }
    untrusted = None if file.trusted else file
    return Settings(choice.name, choice.origin, values, untrusted, shown, overridden)


def _with_backend(
    values: Mapping[str, Setting], ignored: Mapping[str, Setting]
) -> dict[str, Setting]:
    """*values* with the backend that other keys decide where nobody set it.

    Args:
        ignored: settings that decide none: of the environment, if a context was named.

    Raises:
        UsageError: They are for different backends, or an option is for another one.
    """

    def named(key: str) -> str:
        setting = values[key]
        return f"{key} ({setting.origin})" if setting.context else setting.origin

    deciding = (k for k, s in values.items() if k == "backend" or s != ignored.get(k))
    key = deciding_key({key: values[key].value for key in deciding}, named)
    if key in BACKEND_OF_ADDRESS:
        decides = values[key]
        backend = Setting(BACKEND_OF_ADDRESS[key], decides.origin, decides.context, decided_by=key)
        return {**values, "backend": backend}
    if key:
        _refuse_other_options(values)
    return dict(values)


def _refuse_other_options(values: Mapping[str, Setting]) -> None:
    """Refuse an address on the command line that is not for the backend that was set."""
    backend = values["backend"]
    for key, other in BACKEND_OF_ADDRESS.items():
        given = values.get(key)
        if given is not None and given.origin.startswith("--") and backend.value != other:
            raise UsageError(
                f"{given.origin} is for backend {other}, but {backend.who} sets backend"
                f" {backend.value}",
                hint=f"--backend {other}, or omit {given.origin}",
            )


def with_guards_of(
    settings: Settings, files: Iterable[ContextFile], queue_manager: str, backend: str
) -> Settings:
    """*settings* with the guards of every context that names a queue manager.

    Guards belong to the queue manager: by whatever context, option or variable it is reached.

    Args:
        queue_manager: the one that was reached, as it says its own name.
        backend: "emulator" or "mq": an emulated queue manager is not the real one of its name.
            A context that does not set it protects both, even if its connection decides it.
    """
    tables = [
        (name, _settings_of(file, name))
        for file in files
        for name, values in file.contexts.items()
        if values.get("qmgr") == queue_manager and values.get("backend", backend) == backend
    ]
    values = _add_guards(settings.values, (table for _, table in tables))
    protecting = {
        name: table
        for name, table in reversed(tables)  # the nearest file counts
        if any(table[key].value for key in table.keys() & GUARDS)
    }
    names = tuple(dict.fromkeys((*settings.shown, *reversed(protecting))))
    if names and not settings.shown:  # the colour of another context would mislead
        values.pop("label_color", None)
        values |= {k: v for k, v in protecting[names[0]].items() if k == "label_color"}
    return settings._replace(values=values, shown=names)


def guards_of_name(files: Iterable[ContextFile], name: str) -> dict[str, Value]:
    """The guards of a context in all files, each as strict as one of them says."""
    tables = (_settings_of(file, name) for file in files if name in file.contexts)
    return {guard: setting.value for guard, setting in _add_guards({}, tables).items()}


def _settings_of(file: ContextFile, name: str) -> dict[str, Setting]:
    origin = f"{name}, {file.path}"
    return {key: Setting(value, origin, name) for key, value in file.contexts[name].items()}


def _add_guards(
    values: Mapping[str, Setting], tables: Iterable[Mapping[str, Setting]]
) -> dict[str, Setting]:
    """*values* with the guards of *tables*: each as strict as one of them says."""
    added = dict(values)
    for table in tables:
        for guard in table.keys() & GUARDS:
            added[guard] = _stricter(added.get(guard), table[guard])
    return added


def loosened(before: Mapping[str, Value], after: Mapping[str, Value] | None) -> list[str]:
    """What keys of a context its queue manager loses, as KEY=VALUE, if *after* replaces *before*.

    The guards, and who may sign plans. A context that becomes one of another queue manager, or of
    only one backend, takes its guards with it.

    Args:
        after: None for no context.
    """
    now = after or {}
    moves = before.get("qmgr") and (
        before["qmgr"] != now.get("qmgr") or now.get("backend") not in (None, before.get("backend"))
    )
    lost = {
        guard: before[guard]
        for guard in GUARDS
        if before.get(guard) and (moves or _is_looser(now.get(guard), before[guard]))
    }
    if "signed_by" in before and now.get("signed_by") != before["signed_by"]:
        lost["signed_by"] = before["signed_by"]
    return [f"{key}={as_typed(value)}" for key, value in lost.items()]


def _is_looser(value: Value | None, than: Value) -> bool:
    if value is None:
        return True
    return _stricter(Setting(value, ""), Setting(than, "")).value != value


def as_typed(value: Value) -> str:
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    return text.lower() if isinstance(value, bool) else text


def _stricter(one: Setting | None, other: Setting) -> Setting:
    """Both guards in one: all names, the lower number, true rather than false."""
    if one is None or not one.value:
        return other
    if isinstance(one.value, tuple) and isinstance(other.value, tuple):
        new = tuple(name for name in other.value if name not in one.value)
        if not new:
            return one
        parts = (*(one.parts or (one,)), other._replace(value=new))
        return Setting(one.value + new, f"{one.origin} and {other.origin}", parts=parts)
    if isinstance(one.value, int) and isinstance(other.value, int) and one.value is not True:
        return min(one, other, key=lambda setting: setting.value)
    return one


def _file_with(choice: Choice, files: Iterable[ContextFile]) -> ContextFile:
    known: list[str] = []
    for file in files:
        if choice.name in file.contexts:
            return file
        known += file.contexts
    for file in files:
        if members := file.groups.get(choice.name):
            raise UsageError(
                f"{choice.name} is a group of contexts; this command takes one",
                hint=f"run it for each: --context {' or '.join(map(shell_word, members))}",
            )
    there = f"; there are: {', '.join(dict.fromkeys(known))}" if known else ""
    raise NotFound(
        f"no context {choice.name} (chosen by {choice.origin}){there}",
        hint="mqtriage context ls lists them, mqtriage context add NAME creates one, --no-context "
        "uses none",
        object_name=choice.name,
    )


# what `context use` chose ----------------------------------------------------------------------

_SELECTED: Final = "selected-context"


def read_selected(home: Path) -> tuple[str, str]:
    """(the context in use, the one before), "" for none, from the folder MQTRIAGE_HOME."""
    try:
        lines = (home / _SELECTED).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return "", ""  # a home that cannot be one is told by who needs it
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{home / _SELECTED}: cannot be read") from error
    now, before = [*lines, "", ""][:2]
    return now, before


def write_selected(home: Path, now: str, before: str) -> None:
    """Note what `context use` chose."""
    path = made_folder(home) / _SELECTED
    with storage_errors(f"{path}: cannot be written"):
        replace_file(path, [f"{now}\n{before}\n".encode()])
