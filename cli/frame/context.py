"""AppContext: what a command knows of the process around it, and how its result is written.

Tests make one with `AppContext.for_test`, on text buffers.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import fields, replace
from types import FrameType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TextIO, cast

from mqtriage.cli.frame.console import WIDEST, Console, Terminals, terminal_size, usable
from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Output
from mqtriage.model.output_forms import FORMS, IDS, MQSC, PLAIN, TABLE
from mqtriage.model.settings_paths import system_paths, user_path
from mqtriage.mq.errors import ObjectNotFound, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from mqtriage.backends.port import Backend
    from mqtriage.commands.context.files import ContextFile
    from mqtriage.commands.context.settings import Choice, Setting, Settings
    from mqtriage.formatters.style import Style
    from mqtriage.model.client_settings import ClientSettings
    from mqtriage.model.result import Result

P = ParamSpec("P")

MQRC_UNKNOWN_OBJECT_NAME = 2085
_OUTPUT = b"output"
_LONGEST_SETTINGS = 1 << 20
_COLOURS = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36}


class Stopped(KeyboardInterrupt):
    """A signal that ends the process at once; *signum* says which."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


class AppContext(Console):
    """One run of the program.

    Attributes:
        no_expiry_effects: queues are not to be browsed.
        browses: queues that are going to be browsed, by names or patterns; None once it was
            said that this has effects.
        global_options: options given before the group, by field name; `options.gather` merges them.
        arguments: those of the command line, as they were given.
        chosen_form: form of output by the command line or the settings; errors have it, too.
        outcome: exit code so far.
        targets: the connections of this command, one or, of a verb that takes `Connections`, more.
        stop_signal: number of the signal that asked an act to end after its batch.
        queue_manager, now_us: name and time of the queue manager, once one is open.
    """

    global_options: Mapping[str, Any] = {}
    arguments: Sequence[str] = ()
    connection = ConnectionOptions()
    targets: Sequence[ConnectionOptions] = ()
    chosen_form: str | None = None
    no_expiry_effects = False
    browses: tuple[str, ...] | None = ()
    outcome = ExitCode.OK
    stop_signal: int | None = None
    queue_manager = ""
    backend_kind = ""
    now_us: int | None = None
    _client: ClientSettings | None = None
    _settings: Settings | None = None
    _warnings: frozenset[str] = frozenset()
    _recalled: Mapping[str, Setting] = {}

    @classmethod
    def from_process(cls) -> AppContext:
        """Take the streams and the environment of this process.

        What a stream cannot encode is written with backslashes: a message's text must never end a
        listing. A stream that the caller closed (``>&-``) is replaced, and writing there fails.
        """
        stdin, stdout, stderr = (usable(s) for s in (sys.stdin, sys.stdout, sys.stderr))
        terminals = Terminals(stdin.isatty(), stdout.isatty(), stderr.isatty())
        return cls(stdin, stdout, stderr, os.environ, terminals)

    # settings ---------------------------------------------------------------------------------

    def bind(
        self, connection: ConnectionOptions | None, output: Output | None, command: str = ""
    ) -> None:
        """Take the verb's shared options into account, the environment and the settings behind.

        Args:
            command: ``queue ls``, whose defaults of output the settings may have.

        Raises:
            UsageError: An output form or a backend that does not exist; settings that cannot be
                understood.
            StorageError: A file of settings cannot be read.
        """
        self.connection = connection or ConnectionOptions()
        self.targets = self._targets(self.connection)
        if isinstance(self.connection, Connections):
            one = len(self.targets) == 1
            self.connection = self.targets[0] if one else ConnectionOptions()
        backend = self.connection.backend or self.environ.get("MQTRIAGE_BACKEND") or None
        if backend not in {None, "emulator", "mq"}:
            raise UsageError(f"unknown backend {backend!r}: emulator or mq")
        self.output = output or Output()
        if self.output.form not in {None, *FORMS}:
            raise UsageError(f"unknown output form {self.output.form!r}: {', '.join(FORMS)}")
        if command and output is not None and has_output_defaults(self.environ):
            from mqtriage.cli.frame.output_defaults import with_defaults

            self.output = with_defaults(output, command, self.context_files())
        self.chosen_form = self.output.form

    def _targets(self, connection: ConnectionOptions) -> list[ConnectionOptions]:
        """A connection for each queue manager that is meant.

        Raises:
            UsageError: Several, of a verb that takes one.
        """
        if isinstance(connection, Connections):
            groups: dict[str, tuple[str, ...]] = {}
            for file in reversed(self.context_files() if connection.context else []):
                groups |= file.groups  # the nearest file counts
            return connection.one_by_one(groups)
        if "," in (connection.qmgr or "") or "," in (connection.context or ""):
            word = "-m" if "," in (connection.qmgr or "") else "--context"
            raise UsageError(f"{word} names several; this command takes one queue manager")
        return [connection]

    @contextmanager
    def only(self, target: ConnectionOptions) -> Iterator[None]:
        """Have one of several queue managers be the one that is connected to."""
        before, self.connection = (self.connection, self._settings, self._client), target
        self._settings = self._client = None
        try:
            yield
        finally:
            self.connection, self._settings, self._client = before

    def use_form(self, report: str, own: Sequence[str]) -> None:
        """Take ``--format REPORT``: one of *own*, which the command writes itself, or one of `-o`.

        Raises:
            UsageError: Neither.
        """
        if report in own:
            return
        if report not in FORMS:
            raise UsageError(f"--format {report!r}: {', '.join((*own, *FORMS))}")
        self.output = replace(self.output, form=report)

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
                self.environ,
                self.context_choice(),
                self.context_files(),
            )
        return self._settings

    def recall(self, context: str, values: Mapping[str, Any], origin: str) -> None:
        """Connect as an operation did that is looked at again.

        Args:
            context: the one that was in force, which still knows what is secret; "" for none.
            values: the settings that were in force, by key of a context.
            origin: for `context show --origin`, and for errors.
        """
        from mqtriage.commands.context.settings import Setting

        known = any(context in file.contexts for file in self.context_files())
        self.connection = replace(
            self.connection, context=context if known else None, no_context=not known
        )
        self._recalled = {
            key: Setting(tuple(value) if isinstance(value, list) else value, origin)
            for key, value in values.items()
        }
        self.forget_settings()

    def forget_settings(self) -> None:
        """Read the settings again when they are next asked for."""
        self._settings = None

    def given_settings(self) -> dict[str, Setting]:
        """What the connection options of this command say, by key of a context."""
        from mqtriage.commands.context.settings import Setting
        from mqtriage.model.context_keys import KEYS
        from mqtriage.model.options import OPT

        given = {}
        for field in fields(ConnectionOptions):
            # SelectionOptions has --user already: whose messages
            key = field.name.replace("tls_", "tls.").replace("connect_user", "user")
            value = getattr(self.connection, field.name)
            if key in KEYS and value not in (None, False):
                given[key] = Setting(value, field.metadata[OPT].words(field.name)[-1])
        return given

    def context_choice(self) -> Choice | None:
        """Which context was chosen, and by whom."""
        from mqtriage.commands.context.settings import choice_of, read_selected

        return choice_of(
            self.connection.context,
            self.environ,
            self.context_files(),
            read_selected(self.home())[0],
            no_context=self.connection.no_context,
        )

    def context_files(self) -> list[ContextFile]:
        """The files of settings, the nearest first."""
        from pathlib import Path

        from mqtriage.commands.context.files import context_files

        folder: Path | None = None
        with suppress(OSError):  # the folder we stand in was removed
            folder = Path.cwd()
        return list(context_files(self.environ, folder, self._warn_once))

    def _warn_once(self, text: str) -> None:
        if text not in self._warnings:
            self._warnings |= {text}
            self.warn(text)

    def home(self) -> Path:
        """MQTRIAGE_HOME: where emulated queue managers, journals and archives live."""
        from mqtriage.emulator.core.file.home import home_folder

        return home_folder(self.environ)

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

    def snapshot_folder(self, given: str | None = None) -> Path:
        """Where snapshots are kept: the folder *given* with `--folder`, or one of the home."""
        from pathlib import Path

        return self.home() / "snapshots" if given is None else Path(given)

    def refuse_forms(self, *forms: str) -> None:
        """Refuse `-o` with one of *forms*, ``ids`` or ``mqsc``, before anything is done.

        Raises:
            UsageError: What the command is going to report cannot be shown so.
        """
        if self.form in forms:
            from mqtriage.formatters.style import unfit

            raise unfit(self.form)

    @property
    def form(self) -> str:
        """The output form: as asked, else by whether standard output is a terminal."""
        if self.output.form is not None:
            return self.output.form
        return TABLE if self.terminals.stdout else PLAIN

    def style(self, *, limit: int | None = None) -> Style:
        """Everything a formatter needs to know."""
        from mqtriage.formatters.style import Style

        column, descending = self.output.sort_key
        # what goes into a pipe or a file is not cut, `-o table` neither
        is_narrow = self.terminals.stdout or self.environ.get("COLUMNS")
        return Style(
            form=self.form,
            columns=self.output.column_keys,
            sort=column,
            descending=descending,
            limit=limit,
            header=not self.output.no_header,
            raw_csv=self.output.raw_csv,
            wide=bool(self.output.wide),
            utc=self.output.utc is not False,
            width=self.width if is_narrow else WIDEST,
            colour=self.colour_stdout,
            context=self._settings.context or None if self._settings else None,
            queue_manager=None
            if len(self.targets) > 1
            else self.queue_manager
            or self.connection.qmgr
            or self.environ.get("MQTRIAGE_QMGR")
            or None,
            at_us=self.now_us if self.now_us is not None else time.time_ns() // 1000,
            is_tty=self.terminals.stdout,
        )

    def client_settings(self) -> ClientSettings:
        """How a real queue manager is reached, with the password; asked for once.

        Raises:
            UsageError: A value that MQ would not take, or a user without a password.
            StorageError: The file with the password cannot be read.
        """
        from mqtriage.cli.frame.password import password_of
        from mqtriage.model.client_settings import client_settings

        if self._client is None:
            password = password_of(self, self.settings, self.connection.password_file)
            self._client = client_settings(self.settings.text, password)
        return self._client

    @contextmanager
    def open_backend(
        self, *, read_only: bool = False, shows_messages: bool = False
    ) -> Iterator[Backend]:
        """Connect to the chosen queue manager; leaving disconnects and commits nothing.

        Args:
            shows_messages: for a verb that shows messages as `--properties-as` asks, and whose
                messages nothing else reads: what is kept or moved has its MQRFH2.
        """
        from mqtriage.backends.registry import ConnectionSettings, open_backend, restricted
        from mqtriage.commands.context.settings import with_guards_of
        from mqtriage.model.context_keys import PROPERTIES_AS

        if len(self.targets) > 1 and self.connection not in self.targets:
            raise UsageError("several queue managers: this is done at one")
        chosen = self.settings
        asked = chosen.text("properties_as") or "rfh2"
        properties_as = PROPERTIES_AS.read(asked, "properties_as")
        settings = ConnectionSettings(
            backend=chosen.text("backend"),
            queue_manager=chosen.text("qmgr"),
            home=self.environ.get("MQTRIAGE_HOME") or None,
            read_only=read_only or chosen.flag("read_only"),
            no_browse=chosen.names("no_browse"),
            trace=self.tell if self.output.verbose else None,
            client=self.client_settings() if chosen.text("backend") == "mq" else None,
            properties_as=properties_as if shows_messages else "rfh2",
        )
        backend = open_backend(settings, notice=self.say)
        try:
            self.queue_manager = backend.queue_manager
            self.backend_kind = backend.kind
            self.now_us = backend.now_us()
            files = self.context_files()
            guarded = with_guards_of(chosen, files, self.queue_manager, self.backend_kind)
            self._settings = guarded
            backend = restricted(
                backend,
                tuple(set(guarded.names("no_browse")) - set(settings.no_browse)),
                read_only=guarded.flag("read_only") and not settings.read_only,
            )
            self.note_browse(backend)
            yield backend
        except ObjectNotFound as error:
            suggest_queue(error, backend)
            raise
        finally:
            backend.disconnect()

    def note_browse(self, backend: Backend) -> None:
        """Say once that browsing has effects, where it may have some."""
        if not self.browses:
            return
        from mqtriage.operations.selection.selected import EXPIRY_NOTE, may_discard

        if may_discard(backend, self.browses):
            self.remark(EXPIRY_NOTE)
            self.browses = None

    def protected_by(self) -> str:
        """What protects the queue manager that was reached: ``context prod``, "" for nothing."""
        return self.settings.guarded_by("protected")

    def emit_text(self, kind: str, about: Mapping[str, str], key: str, text: str) -> None:
        """Write *text* as it is, or as *key* of a document in the form that was asked for."""
        if self.form in {TABLE, PLAIN}:
            self.page(text)
            return
        from mqtriage.model.result import Document

        self.refuse_forms(IDS, MQSC)
        self.emit(Document(kind, {**about, key: text}))

    @contextmanager
    def paged(self) -> Iterator[TextIO]:
        """Standard output for something that can be long: on a terminal through a pager."""
        refused = self.output.no_pager or "--no-pager" in self.arguments
        if refused or not self.terminals.stdout or self.environ.get("TERM") in {None, "dumb"}:
            yield self.stdout
            return
        from mqtriage.cli.frame.pager import Paged, missing_program, pager_of

        size, command = terminal_size(self.stdout), pager_of(self.environ)
        if command and (program := missing_program(command)):
            self._warn_once(f"MQTRIAGE_PAGER, PAGER: {program} is not there; nothing is paged")
            command = ""
        if size is None or not command:
            yield self.stdout
            return
        with Paged(self.stdout, command, *size, self.environ) as stream:
            yield cast("TextIO", stream)

    def page(self, text: str) -> None:
        """Write a text that can be long."""
        with self.paged() as stream:
            stream.write(text)

    def emit(
        self,
        result: Result,
        *,
        limit: int | None = None,
        shown: Collection[str] = (),
        again: bool = False,
    ) -> None:
        """Write *result* to standard output as asked, tell its warnings, note the exit code.

        Args:
            limit: `--limit`, where the command has it: sorting then keeps that many records.
            shown: warnings that were shown before, with the plan.
            again: it is one of several, one after the other: no pager.
        """
        from mqtriage.formatters.forms.select import write
        from mqtriage.model.result import Listing, Report

        if isinstance(result, Report):
            # noted before it is printed: a closed pipe does not change what was done
            self.note(self._outcome(result, None))
        is_short = again or isinstance(result, Report)
        with nullcontext(self.stdout) if is_short else self.paged() as stream:
            written = write(result, self.style(limit=limit), stream)
        self.stdout.flush()
        for warning in result.warnings:
            if warning not in shown:
                self.warn(warning)
        if isinstance(result, Listing):
            if result.left_out:
                columns = ", ".join(result.left_out)
                self.remark(f"no room in {self.width} columns for {columns}; --wide shows all")
            self.note(self._outcome(result, written))

    @contextmanager
    def writing_to(self, name: str | None) -> Iterator[None]:
        """Have standard output in a file, whole when the block ends well; None changes nothing.

        Raises:
            StorageError: It cannot be written; it then is as it was.
        """
        if name is None:
            yield
            return
        from pathlib import Path

        from mqtriage.files.durable import rewrite_file
        from mqtriage.mq.errors import StorageError

        stdout, terminals = self.stdout, self.terminals
        self.stdout, self.terminals = io.StringIO(), terminals._replace(stdout=False)
        try:
            yield
            text = self.stdout.getvalue()
        finally:
            self.stdout, self.terminals = stdout, terminals
        try:
            rewrite_file(Path(name), text.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError) as error:
            raise StorageError(f"{name}: {getattr(error, 'strerror', None) or error}") from error

    def emit_from(
        self, read: Callable[Concatenate[Backend, P], Result], *args: P.args, **more: P.kwargs
    ) -> None:
        """Write what *read* makes of the queue manager, which is opened to be read alone.

        Of several queue managers it is one listing, each row with its queue manager.
        """
        self.emit_read(lambda backend: read(backend, *args, **more))

    def emit_read(
        self,
        read: Callable[[Backend], Result],
        *,
        limit: int | None = None,
        shows_messages: bool = False,
    ) -> None:
        """The same; for *limit* see `emit`, for *shows_messages* `open_backend`."""
        with self.reading(read, shows_messages=shows_messages) as result:
            self.emit(result, limit=limit)

    @contextmanager
    def reading(
        self, read: Callable[[Backend], Result], *, shows_messages: bool = False
    ) -> Iterator[Any]:
        """What *read* makes of the queue manager, or of each of several as one listing."""
        if len(self.targets) > 1:
            from mqtriage.cli.frame.several import listing_of_each

            yield listing_of_each(self, read, shows_messages=shows_messages)
            return
        with self.open_backend(read_only=True, shows_messages=shows_messages) as backend:
            yield read(backend)

    def note(self, code: ExitCode) -> None:
        """Set the exit code; done never hides an earlier one."""
        if code is not ExitCode.OK:
            self.outcome = code

    def note_empty(self, count: int) -> None:
        """With `--fail-empty` set the exit code for *count* matches, where there are none."""
        if not count and self.output.fail_empty:
            self.note(ExitCode.NOTHING_MATCHED)

    def note_findings(self, something: object) -> None:
        """Set the exit code where *something* is what was looked for: a difference, damage."""
        if something:
            self.note(ExitCode.FINDINGS)

    def note_partly(self, problem: object) -> None:
        """Set the exit code of what was only partly done, where there is a *problem*."""
        if problem:
            self.note(ExitCode.PARTLY_DONE)

    def _outcome(self, result: Result, items: int | None) -> ExitCode:
        fail_empty = self.output.fail_empty
        return outcome_of(result, fail_empty=fail_empty, items=items, signal=self.stop_signal)

    # questions
    def _label(self) -> str:
        """The context in force, in its colour, so that nobody agrees to the wrong one."""
        if self._settings is None or not self._settings.context:
            return ""
        text = f"[{self._settings.context}]"
        colour = self._settings.text("label_color")
        if colour in _COLOURS and self.colour_stderr:
            text = f"\x1b[1;{_COLOURS[colour]}m{text}\x1b[0m"
        return f"{text} "

    # signals ----------------------------------------------------------------------------------

    def should_stop(self) -> bool:
        """Whether a signal asked to end after the batch at hand."""
        return self.stop_signal is not None

    @contextmanager
    def finishing_batches(self) -> Iterator[None]:
        """Let the first SIGINT or SIGTERM end the act after its batch, the second one at once."""

        def on_signal(signum: int, _frame: FrameType | None) -> None:
            if self.stop_signal is not None:
                raise Stopped(signum)
            self.stop_signal = signum
            with suppress(RuntimeError):  # it came while a line was on its way to standard error
                self.tell("stopping after the current batch; Ctrl-C again stops immediately")

        with handling(on_signal, signal.SIGINT, signal.SIGTERM):
            yield


def has_output_defaults(environ: Mapping[str, str]) -> bool:
    """Whether a file of settings may have defaults of `-o`, by its text: TOML takes its time."""
    own = user_path(environ)
    for path in (*((own,) if own else ()), *system_paths(environ)):
        with suppress(OSError), open(path, "rb") as file:  # who needs it says what is wrong with it
            if _OUTPUT in file.read(_LONGEST_SETTINGS):
                return True
    return False


def suggest_queue(error: ObjectNotFound, backend: Backend) -> None:
    """Where a queue is not there (2085), offer the one whose name is nearest to it.

    Of an emulated queue manager only: elsewhere the names come from a command server, which may
    not answer, and an error is not to wait for it.
    """
    from mqtriage.backends.port import Capability

    if Capability.NAMES_AT_HAND not in backend.capabilities:
        return
    if error.hint or error.reason != MQRC_UNKNOWN_OBJECT_NAME or not error.object_name:
        return
    from mqtriage.mq.errors import MQTriageError
    from mqtriage.mq.names import nearest

    try:
        near = nearest(error.object_name, [queue.name for queue in backend.queues("*")])
    except MQTriageError:
        return  # who may not list queues gets no suggestion
    if near is not None and near != error.object_name:
        error.hint = f"did you mean {near}?"


@contextmanager
def handling(handler: Any, *signals: signal.Signals) -> Iterator[None]:
    """Install a signal handler for a while; outside the main thread, do nothing.

    Where it is for SIGTERM, a terminal that is closed (SIGHUP) comes to it as SIGTERM, unless it is
    ignored, as under nohup.
    """
    handlers = dict.fromkeys(signals, handler)
    if signal.SIGTERM in handlers and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        handlers[signal.SIGHUP] = lambda _, frame: handler(signal.SIGTERM, frame)
    try:
        before = [(number, signal.signal(number, of_it)) for number, of_it in handlers.items()]
    except ValueError:  # Python takes signals in the main thread only
        yield
        return
    try:
        yield
    finally:
        for number, old in before:
            signal.signal(number, old)
