"""AppContext: what a command knows of the process around it, in three parts.

Tests make one with `tests/support/application.py`, on text buffers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, TextIO

from mqtriage.cli.frame.console import NO_TERMINALS, CommandRun, Terminals, usable
from mqtriage.cli.frame.options import ConnectionOptions, Output
from mqtriage.cli.frame.output import ResultOutput
from mqtriage.cli.frame.target import Target
from mqtriage.model.output_forms import ELSEWHERE, FORMS
from mqtriage.model.settings_paths import system_paths, user_path
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.model.client_settings import Showing
    from mqtriage.model.result import Result

_OUTPUT: Final = b"output"
_LONGEST_SETTINGS: Final = 1 << 20


class AppContext:
    """One run of the program.

    Attributes:
        run: its streams, its outcome, signals and questions.
        target: the queue manager, with settings and guards.
        output: how its result is written.
    """

    def __init__(
        self,
        stdin: TextIO,
        stdout: TextIO,
        stderr: TextIO,
        environ: Mapping[str, str],
        terminals: Terminals = NO_TERMINALS,
    ) -> None:
        self.run = CommandRun(stdin, stderr, environ, terminals)
        self.target = Target(self.run)
        self.run.label = self.target.label
        self.output = ResultOutput(stdout, self.run, self.target)

    @classmethod
    def from_process(cls) -> AppContext:
        """Take the streams and the environment of this process.

        What a stream cannot encode is written with backslashes: a message's text must never end a
        listing. A stream that the caller closed (``>&-``) is replaced, and writing there fails.
        """
        stdin, stdout, stderr = (usable(s) for s in (sys.stdin, sys.stdout, sys.stderr))
        terminals = Terminals(stdin.isatty(), stdout.isatty(), stderr.isatty())
        return cls(stdin, stdout, stderr, os.environ, terminals)

    def another(self) -> AppContext:
        """One on the same streams, for a command or a queue manager beside this."""
        run = self.run
        return AppContext(run.stdin, self.output.stdout, run.stderr, run.environ, run.terminals)

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
        self.target.bind(connection or ConnectionOptions())
        options = output or Output()
        if options.form not in {None, *FORMS}:
            text = f"unknown output format {options.form!r}: {', '.join(FORMS)}"
            typed = str(options.form).lower()
            meant = f"did you mean -o {typed}?" if typed in FORMS else ELSEWHERE.get(typed)
            raise UsageError(text, hint=meant)
        self.output.options = options
        if command and output is not None and has_output_defaults(self.run.environ):
            from mqtriage.cli.frame.output_defaults import with_defaults

            files = self.target.context_files()
            self.output.options = with_defaults(output, command, files)
        self.run.chosen_form = self.output.options.form

    def emit_read(
        self,
        read: Callable[[Backend], Result],
        *,
        limit: int | None = None,
        shows_messages: Showing = "",
        empty: str = "nothing to list",
    ) -> None:
        """Write what *read* returns for the queue manager, which is opened read-only.

        Of several queue managers it is one listing, each row with its queue manager. For *limit*
        and *empty* see `emit`, for *shows_messages* `open_backend`.
        """
        with self.reading(read, shows_messages=shows_messages) as result:
            self.output.emit(result, limit=limit, empty=empty)

    @contextmanager
    def reading(
        self,
        read: Callable[[Backend], Result],
        *,
        shows_messages: Showing = "",
        at_once: int = 8,
    ) -> Iterator[Any]:
        """What *read* returns for the queue manager, or for each of several as one listing.

        Args:
            at_once: how many of several are asked side by side; 2 if each takes much memory.
        """
        if len(self.target.connections) > 1:
            from mqtriage.cli.frame.several import listing_of_each

            yield listing_of_each(self, read, shows_messages=shows_messages, at_once=at_once)
            return
        with self.target.open_backend(read_only=True, shows_messages=shows_messages) as backend:
            yield read(backend)


def has_output_defaults(environ: Mapping[str, str]) -> bool:
    """Whether a file of settings may have defaults of `-o`, by its text: TOML takes its time."""
    own = user_path(environ)
    for path in (*((own,) if own else ()), *system_paths(environ)):
        with suppress(OSError), open(path, "rb") as file:  # who needs it says what is wrong with it
            if _OUTPUT in file.read(_LONGEST_SETTINGS):
                return True
    return False
