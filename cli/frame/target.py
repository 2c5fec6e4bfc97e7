"""Target: the queue manager that a command is for, its settings, guards and opening."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from mqtriage.cli.frame.console import CommandRun
from mqtriage.cli.frame.options import ConnectionOptions, Connections, connection_words
from mqtriage.cli.frame.same_command import loop_over, same_command
from mqtriage.model.shell_words import shell_line, shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQTriageError,
    NoClient,
    NotFound,
    ObjectNotFound,
    QueueFull,
    Refused,
    UsageError,
)

if TYPE_CHECKING:
    from pathlib import Path

    from mqtriage.backends.port import Backend, Insight
    from mqtriage.commands.context.files import ContextFile
    from mqtriage.commands.context.settings import Choice, Setting, Settings
    from mqtriage.model.client_settings import ClientSettings, Showing
    from mqtriage.model.rest_settings import RestSettings

MQRC_UNKNOWN_OBJECT_NAME = 2085
MQRC_Q_FULL = 2053
_MOST_NAMED = 10
_WHERE = ("backend", "qmgr", "connection", "ccdt", "url", "rest_gateway")
"""Keys of a context that decide which queue manager is reached."""


def _names_several(option: str, hint: str) -> UsageError:
    return UsageError(f"{option} names several queue managers; this command takes one", hint=hint)


class Target:
    """The queue manager that a command is for.

    Attributes:
        connections: the options that say which, and through what; of a verb that takes
            `Connections`, of each.
        is_every: ``-m '*'``, which of the journal is more than the queue managers that there are.
        no_expiry_effects: queues are not to be browsed.
        browses: queues that are going to be browsed, as `may_discard` takes them; None once it was
            said that this has effects.
        puts_to: queues that the command puts messages on, by the names that were given.
        notes_discards: say how many expired messages were discarded; False where the report does.
        held_notes: what a browse discarded, where several queue managers are asked side by side:
            it is said in their order. None says it at once.
        queue_manager, now_us: name and time of the queue manager, once one is open.
    """

    connections: Sequence[ConnectionOptions] = ()
    is_every = False
    no_expiry_effects = False
    notes_discards = True
    puts_to: tuple[str | None, ...] = ()
    browses: tuple[str | None, ...] | None = ()
    queue_manager = ""
    backend_kind = ""
    now_us: int | None = None
    _connection = ConnectionOptions()
    _several: Connections | None = None
    _client: ClientSettings | None = None
    _rest: RestSettings | None = None
    _settings: Settings | None = None
    _files: Sequence[ContextFile] | None = None
    _recalled: Mapping[str, Setting] = {}
    _insight: Insight | None = None
    _expired: Mapping[str, int] = {}
    held_notes: list[str] | None = None

    def __init__(self, run: CommandRun) -> None:
        self._run = run

    @property
    def connection(self) -> ConnectionOptions:
        """The options in force that say which, and through what; others have other settings."""
        return self._connection

    @connection.setter
    def connection(self, connection: ConnectionOptions) -> None:
        self._connection = connection
        self._settings = self._client = self._rest = None

    def bind(self, connection: ConnectionOptions) -> None:
        """Take the connection options of a command, the environment behind them.

        Raises:
            UsageError: A backend that does not exist; several queue managers, of a verb that takes
                one.
            StorageError: A file of settings cannot be read.
        """
        self.forget_settings()
        self.connection, self.connections = connection, self._connections_of(connection)
        if isinstance(connection, Connections):
            self._several = connection
            self.is_every = connection.qmgr == ("*",)
            one = len(self.connections) == 1
            self.connection = self.connections[0] if one else ConnectionOptions()
        backend = self.connection.backend or self._run.environ.get("MQTRIAGE_BACKEND") or None
        if backend not in {None, "emulator", "mq", "rest"}:
            raise UsageError(f"unknown backend {backend!r}: emulator, mq or rest")

    def _connections_of(self, connection: ConnectionOptions) -> list[ConnectionOptions]:
        """A connection for each queue manager that is meant."""
        if isinstance(connection, Connections):
            groups: dict[str, tuple[str, ...]] = {}
            for file in reversed(self.context_files() if connection.context else []):
                groups |= file.groups  # the nearest file counts
            meant = map(self._each_of, connection.one_by_one(groups))
            return list(dict.fromkeys(chain.from_iterable(meant)))
        names = (connection.qmgr or "", connection.context or "")
        several = ["," in name or name.endswith("*") for name in names]
        if any(several):
            word = "-m" if several[0] else "--context"
            raise _names_several(word, self._one_by_one(connection, word))
        return [connection]

    def refuse_several(self) -> None:
        """Refuse what only one queue manager can be asked, of a verb that takes `Connections`.

        A generic name is refused as well, whatever it means today.

        Raises:
            UsageError: Several are named; the hint runs the command for each.
        """
        given = self._several
        if given is None:
            return
        qmgr, context = ",".join(given.qmgr), ",".join(given.context)
        if len(self.connections) < 2 and not any("*" in name for name in (qmgr, context)):
            return
        word = "-m" if "," in qmgr or "*" in qmgr else "--context"
        key = "qmgr" if word == "-m" else "context"
        names = [getattr(one, key) or "" for one in self.connections]
        raise _names_several(word, self._loop_over(names, word))

    def _one_by_one(self, given: ConnectionOptions, option: str) -> str:
        """How a command that takes one queue manager runs for each that *option* names."""
        names: list[str] = []
        with suppress(MQTriageError):  # none is there
            if option == "-m":
                for name in (given.qmgr or "").split(","):
                    meant = self._each_of(replace(given, qmgr=name.strip()))
                    names += [one.qmgr or "" for one in meant]  # "": only a context has it
            else:
                for name in (given.context or "").split(","):
                    meant = self._each_of(replace(given, context=name.strip()))
                    names += [one.context or "" for one in meant]
        return self._loop_over(names, option)

    def _loop_over(self, names: list[str], option: str) -> str:
        if not all(names) or not names or len(names) > _MOST_NAMED:
            names = ["QM1", "QM2"] if option == "-m" else ["NAME1", "NAME2"]
        return loop_over(self._run.arguments, option, names, is_fed=self._run.is_fed)

    def _each_of(self, given: ConnectionOptions) -> list[ConnectionOptions]:
        """A connection for each queue manager or context that a generic name means.

        For ``-m 'PROD*'`` these are emulated queue managers and contexts whose queue manager has
        such a name.
        """
        from mqtriage.model.context_keys import backend_of
        from mqtriage.mq.names import matches

        generic = given.qmgr if given.qmgr and "*" in given.qmgr else None
        if generic is None and not (given.context and "*" in given.context):
            return [given]
        known = {
            name: settings
            for file in reversed(self.context_files())
            for name, settings in file.contexts.items()
        }
        if generic is None:
            assert given.context is not None
            meant = [replace(given, context=n) for n in known if matches(given.context, n)]
            what, names = f"context {given.context}", list(known)
        else:
            from mqtriage.emulator.core.file.home import qmgr_names

            with self.only(given):
                backend = backend_of({k: s.value for k, s in self.given_settings().items()})
                is_elsewhere = self.settings.text("backend") not in (None, "emulator")
            emulated = qmgr_names(self.home()) if backend in (None, "emulator") else []
            own = "emulator" if is_elsewhere else given.backend
            meant = [
                replace(given, qmgr=name, backend=own)
                for name in emulated
                if matches(generic, name)
            ]
            elsewhere = {
                str(settings["qmgr"]): name
                for name, settings in known.items()
                if backend_of(settings) in ("mq", "rest") and settings.get("qmgr")
            }
            meant += [
                replace(given, qmgr=None, context=name)
                for qmgr, name in elsewhere.items()
                if backend != "emulator" and matches(generic, qmgr)
            ]
            what, names = f"queue manager {generic}", [*emulated, *elsewhere]
        if not meant:
            more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
            hint = f"there are {', '.join(names[:_MOST_NAMED])}{more}" if names else None
            raise NotFound(f"no {what} here", hint=hint)
        return meant

    def label(self) -> tuple[str, str]:
        """Names and colour of the contexts of the queue manager, once they are known."""
        if self._settings is None:
            return "", ""
        return ", ".join(self._settings.shown), self._settings.text("label_color") or ""

    @contextmanager
    def only(self, target: ConnectionOptions) -> Iterator[None]:
        """Have one of several queue managers be the one that is connected to."""
        held = self._connection, self._settings, self._client, self._rest
        self.connection = target
        try:
            yield
        finally:
            self._connection, self._settings, self._client, self._rest = held

    @property
    def settings(self) -> Settings:
        """What is in force for the connection: options, environment and context.

        Raises:
            NotFound: The context that was chosen is not there.
            UsageError: A file or a variable of settings cannot be understood.
            StorageError: A file of settings cannot be read.
        """
        if self._settings is None:
            from mqtriage.commands.context.settings import resolve

            self._settings = resolve(
                {**self._recalled, **self.given_settings()},
                self._run.environ,
                self.context_choice(),
                self.context_files(),
            )
        return self._settings

    def recall(self, context: str, values: Mapping[str, Any], origin: str) -> None:
        """Connect as an operation did that is looked at again.

        Args:
            context: the one that was in force, which still knows what is secret; "" for none.
            values: the settings that were in force, by key of a context.
            origin: for `context show --wide`, and for errors.
        """
        from mqtriage.commands.context.settings import Setting

        # it was the emulator's, and what is set today must not lead elsewhere
        values = {"backend": "emulator", **values}
        known = any(context in file.contexts for file in self.context_files())
        self.connection = replace(
            self.connection, context=context if known else None, no_context=not known
        )
        self._recalled = {
            key: Setting(tuple(value) if isinstance(value, list) else value, origin)
            for key, value in values.items()
        }

    @property
    def is_of_plan(self) -> bool:
        """Whether only the plan file that the command is given chose the queue manager."""
        given = (*self.connections, self.connection)[0]
        return bool(self.connection.qmgr) and not (given.qmgr or given.context)

    def forget_settings(self) -> None:
        """Read the settings again, and their files, when they are next asked for."""
        self._settings = self._files = None

    def given_settings(self) -> dict[str, Setting]:
        """What the connection options of this command say, by key of a context."""
        from mqtriage.commands.context.settings import Setting
        from mqtriage.model.context_keys import KEYS, from_text
        from mqtriage.model.options import OPT

        given = {}
        for item in self.connection.context_keys:
            key, equals, text = item.partition("=")
            if not equals:
                raise UsageError(f"--set {item[:40]!r}: expected KEY=VALUE")
            if key in ("qmgr", "backend"):
                word = "-m" if key == "qmgr" else "--backend"
                raise UsageError(f"--set {key}: has its own option", hint=f"{word} {text}")
            given[key] = Setting(from_text(key, text, "--set"), f"--set {key}")
        for field in fields(ConnectionOptions):
            value = getattr(self.connection, field.name)
            if field.name in KEYS and value not in (None, False):
                given[field.name] = Setting(value, field.metadata[OPT].words(field.name)[-1])
        return given

    def chosen_names(self) -> dict[str, str]:
        """The queue managers that options, environment or context choose, each with what does.

        Empty if nothing chooses one, or if ``-m '*'`` means all of them.
        """
        names = {}
        for one in () if self.is_every else self.connections or (self.connection,):
            with self.only(one):
                setting = self.settings.values.get("qmgr")
            if setting is not None:
                by = f"context {setting.context}" if setting.context else setting.origin
                names[str(setting.value)] = by
        return names

    def name_of(self, connection: ConnectionOptions) -> str:
        """The queue manager that *connection* means, also if it cannot be reached.

        It is named by options, environment or context; otherwise, it is the context's name.
        """
        with suppress(MQTriageError), self.only(connection):
            if name := self.settings.text("qmgr"):
                return name
        return connection.qmgr or connection.context or ""

    def context_choice(self) -> Choice | None:
        """Which context was chosen, and by whom."""
        from mqtriage.commands.context.settings import choice_of, read_selected

        return choice_of(
            self.connection.context,
            self._run.environ,
            self.context_files(),
            read_selected(self.home())[0],
            no_context=self.connection.no_context,
        )

    def context_files(self) -> Sequence[ContextFile]:
        """The files of settings, the nearest first, read once for each connection that is made."""
        if self._files is None:
            from pathlib import Path

            from mqtriage.commands.context.files import context_files

            folder: Path | None = None
            with suppress(OSError):  # the folder we stand in was removed
                folder = Path.cwd()
            self._files = tuple(context_files(self._run.environ, folder, self._run.warn_once))
        return self._files

    def home(self) -> Path:
        """MQTRIAGE_HOME: where emulated queue managers, journals and archives live."""
        from mqtriage.files.home import home_folder

        return home_folder(self._run.environ)

    def archive_folder(self) -> Path:
        """Where archives are kept: `archive_dir` of the context, or a folder of the home.

        Raises:
            Refused: A project file that was not allowed names it.
        """
        from pathlib import Path

        if folder := self.settings.text("archive_dir"):
            self.settings.refuse_untrusted("archives are not kept there", "archive_dir")
            return Path(folder).expanduser()
        return self.home() / "archive"

    def writable_archive_folder(self) -> Path:
        """The same, for a command that is going to write there, or would without ``-n``.

        Raises:
            StorageError: It cannot be made or written to.
        """
        from mqtriage.files.failures import storage_errors
        from mqtriage.files.private import refuse_unwritable

        folder, setting = self.archive_folder(), self.settings.values.get("archive_dir")
        hint = "nothing was changed; set MQTRIAGE_HOME to a writable folder"
        if setting is not None:
            hint = (
                f"nothing was changed; archive_dir is that of {setting.who};"
                " --set archive_dir=FOLDER replaces it"
            )
        with storage_errors(f"archive folder {folder}", hint):
            refuse_unwritable(folder)
        return folder

    def snapshot_folder(self, given: str | None = None) -> Path:
        """Where snapshots are kept: the folder *given* with `--folder`, or one of the home."""
        from pathlib import Path

        return self.home() / "snapshots" if given is None else Path(given)

    def client_settings(self) -> ClientSettings:
        """How a real queue manager is reached, with the password; asked for once.

        Raises:
            UsageError: A value that MQ would not take, or a user without a password.
            StorageError: The file with the password cannot be read.
        """
        from mqtriage.cli.frame.password import password_of
        from mqtriage.model.client_settings import client_settings

        if self._client is None:
            password = password_of(self._run, self.settings, self.connection.password_file)
            self._client = client_settings(self.settings.text, password)
        return self._client

    def rest_settings(self) -> RestSettings:
        """How the REST API of a queue manager is reached, with the password; asked for once."""
        from mqtriage.cli.frame.password import password_of
        from mqtriage.model.rest_settings import rest_settings

        if self._rest is None:
            unchecked = self.settings.flag("tls.unchecked")
            rest_settings(self.settings.text, unchecked=unchecked)  # before anybody is asked
            password = password_of(self._run, self.settings, self.connection.password_file)
            self._rest = rest_settings(self.settings.text, password, unchecked=unchecked)
        return self._rest

    @contextmanager
    def open_backend(
        self, *, read_only: bool = False, shows_messages: Showing = ""
    ) -> Iterator[Backend]:
        """Connect to the chosen queue manager; leaving disconnects and commits nothing.

        Args:
            shows_messages: see `Showing`; "as asked" is as the setting properties_as says.
        """
        from mqtriage.backends.registry import ConnectionSettings, open_backend, restricted
        from mqtriage.model.context_keys import PROPERTIES_AS

        if len(self.connections) > 1 and self.connection not in self.connections:
            raise UsageError("several queue managers: this command takes one")
        chosen = self.settings
        for text in chosen.overrides(*_WHERE):
            self.by_the_way(f"note: {text}")
        asked = chosen.text("properties_as") or "rfh2"
        properties_as = PROPERTIES_AS.read(asked, "properties_as")
        settings = ConnectionSettings(
            backend=chosen.text("backend"),
            queue_manager=chosen.text("qmgr"),
            home=self._run.environ.get("MQTRIAGE_HOME") or None,
            read_only=read_only or chosen.flag("read_only"),
            no_browse=chosen.never_browsed(),
            trace=self._run.tell if self._run.options.verbose else None,
            client=self.client_settings() if chosen.text("backend") == "mq" else None,
            rest=self.rest_settings() if chosen.text("backend") == "rest" else None,
            properties_as=properties_as if shows_messages == "as asked" else "rfh2",
            shows_messages=bool(shows_messages),
        )
        try:
            backend = open_backend(settings, notice=self._run.say, tell_choice=self.by_the_way)
        except MQTriageError as error:
            self._files = None  # before the next attempt, guards may be added
            self._suggest_emulated(error)
            raise
        try:
            self.now_us = backend.now_us()
            guarded = self.reached(backend.queue_manager, backend.kind)
            backend = restricted(
                backend,
                {
                    name: who
                    for name, who in guarded.never_browsed().items()
                    if name not in settings.no_browse
                },
                read_only=guarded.flag("read_only") and not settings.read_only,
            )
            self.note_browse(backend)
            self._insight = backend.insight if self.notes_discards else None
            self._expired = {} if self._insight is None else self._insight.expired_counts()
            yield backend
            with suppress(MQTriageError):  # what was asked for is done
                self.note_discards()
        except ObjectNotFound as error:
            error.queue_manager = backend.queue_manager
            suggest_queue(error, backend, self.puts_to)
            raise
        except QueueFull as error:
            suggest_room(error, backend)
            raise
        finally:
            self._files = None
            backend.disconnect()

    def _suggest_emulated(self, error: MQTriageError) -> None:
        """Say whose backend was used, if an emulated queue manager may have been meant."""
        from mqtriage.emulator.core.file.home import qmgr_names

        backend, qmgr = map(self.settings.values.get, ("backend", "qmgr"))
        if not isinstance(error, NoClient | ConnectionFailed) or backend is None or qmgr is None:
            return
        is_of_option = backend.origin.startswith("--")
        if backend.value == "emulator" or is_of_option or backend.who == qmgr.who:
            return
        if qmgr.value in qmgr_names(self.home()):
            error.text += f"; backend {backend.value} comes from {backend.who}"
            is_rehearsal = {"-n", "--dry-run"} & {*self._run.arguments}
            words = ("--backend emulator", *(("-n",) if is_rehearsal else ()))
            again = same_command(self._run, *words) or "add --backend emulator"
            error.hint = f"for the emulated queue manager {qmgr.value}: {again}"

    def reached(self, queue_manager: str, kind: str) -> Settings:
        """The settings with the guards of every context that names this queue manager."""
        from mqtriage.commands.context.settings import with_guards_of

        self.queue_manager, self.backend_kind = queue_manager, kind
        self._settings = with_guards_of(self.settings, self.context_files(), queue_manager, kind)
        return self._settings

    def guarded_settings(self) -> Settings:
        """The settings as they are once connected, found without a connection."""
        from mqtriage.commands.context.settings import with_guards_of

        kind = self.settings.text("backend") or "emulator"
        name = self.settings.text("qmgr")
        if not name and kind == "emulator":
            from mqtriage.backends.registry import chosen_name

            with suppress(MQTriageError):  # several, or none
                name = chosen_name(self.home(), lambda _: None)
        if not name:
            return self.settings
        return with_guards_of(self.settings, self.context_files(), name, kind)

    def where_guards_are_set(self) -> str:
        """The command that shows the guards of the queue manager that was reached."""
        is_other = "qmgr" in self._recalled or self.settings.text("qmgr") != self.queue_manager
        words = self.named_words()
        if is_other and not (self.connection.qmgr or self.connection.context):
            words = f"-m {shell_word(self.queue_manager)} {words}".rstrip()
        if not self.connection.backend and is_other and self.backend_kind != "emulator":
            words = f"{words} --backend {self.backend_kind}".strip()
        return " ".join(filter(None, ("mqtriage context show", words, "--wide")))

    def refuse_guarded(self, doing: str, hint: str = "") -> None:
        """Refuse, on a guarded queue manager, what has no plan to confirm."""
        from mqtriage.commands.context.settings import because_protected

        protected = self.protected_by()
        if self.settings.flag("read_only"):
            why, hint = f"because of {self.settings.guarded_by('read_only')} (read_only)", ""
        elif protected:
            why = because_protected(self.queue_manager, protected)
        else:
            return
        raise Refused(
            f"{doing} {self.queue_manager} is not allowed, {why}",
            hint=hint or f"{self.where_guards_are_set()} prints where guards are set",
            object_name=self.queue_manager,
        )

    def note_browse(self, backend: Backend) -> None:
        """Say once that browsing has effects, where it may have some."""
        if not self.browses:
            return
        from mqtriage.model.plan import EXPIRY_NOTE
        from mqtriage.operations.selection.selected import may_discard

        if may_discard(backend, self.browses):
            self.by_the_way(f"note: {EXPIRY_NOTE}")
            self.browses = None

    def named_words(self) -> str:
        """The connection options as the command line has them, ``-m`` and ``--context`` first.

        They are ``-m QM1``, ``--context prod`` or ``-m 'FARM*' --backend mq``.
        """
        several = self._several if len(self.connections) > 1 else None
        qmgr = ",".join(several.qmgr) if several else self.connection.qmgr
        context = ",".join(several.context) if several else self.connection.context
        which = ConnectionOptions(qmgr=qmgr, context=context)
        how = replace(several or self.connection, qmgr=None, context=None)
        how = replace(how, no_context=how.no_context and not self._recalled)
        return shell_line([*connection_words(which), *connection_words(how)])

    def note_discards(self) -> bool | None:
        """Say how many expired messages are gone: a browse leaves no other trace of it.

        Returns:
            Whether any are; None where nobody knows.
        """
        if self._insight is None:
            return None
        before, any_gone = self._expired, False
        self._expired = now = self._insight.expired_counts() if before else {}
        for queue, count in before.items():
            gone = count - now.get(queue, 0)
            if gone > 0:
                any_gone = True
                what = f"{count_text(gone, 'expired message')} of {queue}"
                why = f"mqtriage expiry explain {shell_word(queue)} {self.named_words()}"
                note = f"{self.queue_manager} discarded {what}: {why.rstrip()}"
                if self.held_notes is None:
                    self._run.remark_once(note)
                else:
                    self.held_notes.append(note)
        return any_gone

    def by_the_way(self, text: str) -> None:
        """Have *text* said before the result, once a day."""
        from mqtriage.files.home import first_today

        self._run.by_the_way(text, partial(first_today, self.home(), text))

    def why_read_only(self) -> str:
        """``read-only because of context prod``."""
        return f"read-only because of {self.settings.guarded_by('read_only')}"

    def protected_by(self) -> str:
        """What protects the queue manager that was reached: ``context prod``, "" for nothing."""
        return self.settings.guarded_by("protected")


def suggest_room(error: QueueFull, backend: Backend) -> None:
    """Say what makes room on a queue that is full, by what reads it; no hint where nobody knows."""
    from mqtriage.mq import code_texts
    from mqtriage.mq.delay import STAGING_QUEUE

    name = error.object_name
    staged = STAGING_QUEUE in f"{name} {error.text}"
    if error.hint or not name or staged or error.reason != MQRC_Q_FULL:
        return
    with suppress(MQTriageError):
        queue = backend.queue(name)
        if name == backend.queue_manager_attributes().get("DEADQ"):
            error.hint = code_texts.DEAD_LETTERS_FULL
        elif queue.attributes.get("USAGE") == "XMITQ":
            error.hint = code_texts.TRANSMISSION_FULL.format(shell_word(name))


def suggest_queue(
    error: ObjectNotFound, backend: Backend, puts_to: Collection[str | None] = ()
) -> None:
    """Where a queue is not there (2085), offer the one whose name is nearest to it.

    Of an emulated queue manager only: elsewhere the names come from a command server, which may
    not answer, and an error is not to wait for it.

    Args:
        puts_to: queues that are to get messages; such a one may have to be defined.
    """
    from mqtriage.backends.port import Capability
    from mqtriage.mq.delay import STAGING_QUEUE

    if error.hint or error.reason != MQRC_UNKNOWN_OBJECT_NAME or not error.object_name:
        return
    if error.object_name == STAGING_QUEUE:
        return  # `hint_of` has the command that defines it
    define = ""
    if error.object_name in puts_to:
        error.hint = f"mqtriage queue define {shell_word(error.object_name)} --yes defines it"
        define = f"{error.hint}; "
    if Capability.NAMES_AT_HAND not in backend.capabilities:
        return
    from mqtriage.mq.names import nearest

    try:
        near = nearest(error.object_name, [queue.name for queue in backend.queues("*")])
    except MQTriageError:
        return  # who may not list queues gets no suggestion
    if near is not None and near != error.object_name:
        error.hint = f"{define}did you mean {near}?"
