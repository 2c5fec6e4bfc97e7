"""CommandRun: how the program speaks and asks beside its data, its signals and its outcome.

Standard output carries data only (`cli/frame/output.py`); everything else goes to standard error
through `say`, `warn` and the questions.
"""

from __future__ import annotations

import io
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TextIO

from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.signals import Stopped, handling
from mqtriage.records import NamedTuple

if TYPE_CHECKING:
    from mqtriage.model.result import Result
    from mqtriage.mq.errors import MQTriageError

_DEFAULT_COLUMNS = 80
_EVERY_SECONDS: Final = 10.0
"""Between two lines of a long run where standard error is no terminal."""
_COLOURS: Final = {
    "red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36,
}  # fmt: skip
_SAYS: Final = r"(?!(?:ls|status|causes|rules|events|reports|definitions)\b)[a-z]+s [a-z]"
"""A verb behind a command, as in ``lists them``, which is none of our own words."""
_COMMAND: Final = rf"""(?:mqtriage|chmod)(?: (?!{_SAYS})(?:'[^']*'|"[^"]*"|[^\s;,()'"]+)+)+"""
"""A command line in a sentence; it ends with the sentence or its part, or where a verb follows."""
_SPACE: Final = "\ue000"
"""In place of a blank at which no line may end; for private use in Unicode, so in no text."""
_LINE_AGAIN: Final = "\r\x1b[2K"
"""Empties the line of a terminal that the cursor is on, and begins it again."""
WIDEST: Final = 10_000
"""Columns for data that goes into a pipe or a file."""


class Terminals(NamedTuple):
    """Which of the three streams are terminals."""

    stdin: bool = False
    stdout: bool = False
    stderr: bool = False


NO_TERMINALS: Final = Terminals()


class CommandRun:
    """Standard input and error, the environment, and what has become of the command so far.

    Attributes:
        options: the output options in force, of which those about talk are read here.
        label: name and colour of the context in force, before a question.
        in_commands: what is said, with the queue manager in the commands that it names.
        with_words: the same of any queue manager, by its words: ``-m QM1``.
        global_options: options given before the group, by name.
        arguments: those of the command line, as they were given.
        is_fed: commands come from standard input, which is no terminal, as no file is named.
        chosen_form: form of output by the command line or the settings; errors have it, too.
        failures: why a part of what was asked for is missing, until the result has it.
        missing: the queue managers of which that is so, of so many that were *asked*.
        outcome: exit code so far.
        carried_out: id of the operation whose report is being written.
        stop_signal: number of the signal that asked an act to end after its batch.
    """

    options = Output()
    global_options: Mapping[str, Any] = MappingProxyType({})
    arguments: Sequence[str] = ()
    is_fed = False
    chosen_form: str | None = None
    outcome = ExitCode.OK
    carried_out: str | None = None
    stop_signal: int | None = None
    _warnings: frozenset[str] = frozenset()

    def __init__(
        self,
        stdin: TextIO,
        stderr: TextIO,
        environ: Mapping[str, str],
        terminals: Terminals = NO_TERMINALS,
    ) -> None:
        self.stdin = stdin
        self.stderr = stderr
        self.environ = environ
        self.terminals = terminals
        self.label: Callable[[], tuple[str, str]] = lambda: ("", "")
        self.in_commands: Callable[[str], str] = str
        self.with_words: Callable[[str, str], str] = lambda text, _: text
        self._by_the_way: list[tuple[str, Callable[[], bool]]] = []
        self.failures: list[str] = []
        self.missing: list[str] = []
        self.asked = 0

    @property
    def interactive(self) -> bool:
        """Whether a question can be asked."""
        return self.terminals.stdin and self.terminals.stderr and not self.options.no_input

    @property
    def colour_stderr(self) -> bool:
        """Whether talk is coloured."""
        return self.wants_colour(is_tty=self.terminals.stderr)

    def wants_colour(self, *, is_tty: bool) -> bool:
        """Whether a stream is coloured."""
        return wants_colour(self.environ, is_tty=is_tty, no_color=self.options.no_color)

    @property
    def _width(self) -> int:
        return terminal_width(self.environ, self.stderr)

    def say(self, text: str) -> None:
        """Tell people something, on standard error; `--quiet` silences it."""
        if not self.options.quiet:
            self.tell(self.folded(self.in_commands(text)))

    def detail(self, text: str) -> None:
        """Tell people more, with `--verbose`."""
        if self.options.verbose:
            self.tell(self.in_commands(text))

    def warn(self, text: str, *, always: bool = False) -> None:
        """Warn, on standard error; `--quiet` silences it (JSON output carries it all the same).

        Args:
            always: it says why a part was not done, which `--quiet` leaves.
        """
        from mqtriage.formatters.cells import visible

        line = f"warning: {visible(text)}"
        if always:
            self.tell(self.folded(self.in_commands(line)))
        else:
            self.say(line)

    def fail_partly(self, where: str, error: MQTriageError) -> None:
        """Tell why a part of what was asked for is missing; `--quiet` does not silence it.

        It is also kept in `failures`, for the warnings of the result.
        """
        from mqtriage.cli.frame.commands_in_results import name_in_error

        name_in_error(error, self.in_commands)
        text = f"{where}: {error.text}"
        self.failures.append(text)
        self.missing.append(where)
        self.note(ExitCode.PARTLY_DONE)
        from mqtriage.formatters.cells import visible

        self.tell_error(error, ExitCode.PARTLY_DONE, f"{where}: ", f"error: {visible(text)}")

    def tell_error(self, error: MQTriageError, code: ExitCode, where: str, text: str) -> None:
        """Tell of an error that does not end the command: to people in the words of *text*.

        Args:
            where: what its own text begins with for scripts: ``QM2: ``.
        """
        from mqtriage.formatters.errors import error_json

        if self._for_scripts:
            self.tell(error_json(error, int(code), where=where))
        else:
            self.tell(self.folded(text))

    @property
    def _for_scripts(self) -> bool:
        from mqtriage.model.output_forms import FOR_SCRIPTS

        return self.chosen_form in FOR_SCRIPTS

    def say_missing(self) -> None:
        """Say once more which queue managers are missing, behind records that hide the errors."""
        from mqtriage.formatters.cells import visible
        from mqtriage.model.units import first_of

        names = ", ".join(first_of(list(dict.fromkeys(self.missing)), 3))
        if names and self.asked:
            answered = self.asked - len(set(self.missing))
            verb = "is" if len(set(self.missing)) == 1 else "are"
            text = f"{visible(names)} {verb} missing: {answered} of {self.asked} queue managers"
            self.tell(self.folded(f"error: {text} answered in full"))

    def warn_once(self, text: str) -> None:
        """Warn, unless that was said before."""
        if text not in self._warnings:
            self._warnings |= {text}
            self.warn(text)

    def remark_once(self, text: str) -> None:
        """Say by the way, unless that was said before."""
        if text not in self._warnings:
            self._warnings |= {text}
            self.remark(text)

    def remark(self, text: str) -> None:
        """Say by the way, on standard error; `--quiet` silences it."""
        self.say(f"note: {text}")

    def by_the_way(self, text: str, is_first: Callable[[], bool]) -> None:
        """Have *text* said before the result: once a day, each time with `--verbose`.

        Wrong usage is reported without it.

        Args:
            is_first: whether it was not said yet today, asked when it would be said.
        """
        self._by_the_way.append((text, is_first))

    def take_over(self, other: CommandRun) -> None:
        """Have said here what waits in *other*."""
        self._by_the_way += other._by_the_way

    def say_by_the_way(self) -> None:
        """Say what waits for the result, which comes now."""
        waiting, self._by_the_way = self._by_the_way, []
        for text, is_first in waiting if not self.options.quiet else ():
            if is_first() or self.options.verbose:
                self.say(text)

    def folded(self, text: str) -> str:
        """A line of prose on a terminal breaks between words; elsewhere it stays one line.

        A command stays on one line, so that it can be copied, and so does what has lines already.
        """
        if not self.terminals.stderr or "\n" in text or len(text) <= self._width:
            return text
        import re
        from textwrap import fill

        kept = re.sub(_COMMAND, lambda match: match[0].replace(" ", _SPACE), text)
        lines = fill(kept, self._width, break_long_words=False, break_on_hyphens=False)
        return lines.replace(_SPACE, " ")

    def tell(self, text: str) -> None:
        """Write a line to standard error, whatever was asked; nobody reading it is no failure."""
        try:
            self.stderr.write(text.rstrip("\n") + "\n")
            self.stderr.flush()
        except OSError:
            return

    @contextmanager
    def telling(self) -> Iterator[Callable[[str], None]]:
        """Give a function that shows what a long run is doing, on standard error.

        On a terminal it is a line that changes and is gone when left, else a line now and then.
        """
        if self.options.quiet:
            yield lambda text: None
            return
        if not self.terminals.stderr:
            last = [-_EVERY_SECONDS]

            def tell_line(text: str) -> None:
                now = time.monotonic()
                if now - last[0] >= _EVERY_SECONDS:
                    last[0] = now
                    self.say(text)

            yield tell_line
            return

        def tell_over(text: str) -> None:
            self.stderr.write(f"{_LINE_AGAIN}{text[: self._width - 1]}")
            self.stderr.flush()

        try:
            yield tell_over
        finally:
            tell_over("")

    def ask(self, question: str) -> str:
        """Ask on standard error and read one line; "" when there is no answer.

        Only for an `interactive` run: elsewhere nothing is asked and the answer is "".
        """
        if not self.interactive:
            return ""
        self.stderr.write(f"{self._label_text()}{question} ")
        self.stderr.flush()
        answer = ""
        try:
            answer = self.stdin.readline()
        finally:
            if not answer.endswith("\n"):  # Ctrl-C, Ctrl-D: what is told next has its own line
                self.tell("")
        return answer.strip()

    def standard_input(self) -> bytes:
        """All of standard input, in the bytes that came."""
        from mqtriage.files.whole import read_all

        if self.terminals.stdin:  # or the command looks hung
            self.say("reading standard input; Ctrl-D ends it")
        return read_all(self.stdin)

    def confirm(self, question: str) -> bool:
        """Ask a question that only "y" or "yes" agrees to."""
        return self.ask(f"{question} [y/N]").lower() in {"y", "yes"}

    def note(self, code: ExitCode) -> None:
        """Set the exit code; done never hides an earlier one."""
        if code is not ExitCode.OK:
            self.outcome = code

    def note_empty(self, count: int) -> None:
        """With `--fail-empty` set the exit code for *count* matches, where there are none."""
        if not count and self.options.fail_empty:
            self.note(ExitCode.NOTHING_MATCHED)

    def note_findings(self, something: object) -> None:
        """Set the exit code where *something* is what was looked for: a difference, damage."""
        if something:
            self.note(ExitCode.FINDINGS)

    def note_partly(self, problem: object) -> None:
        """Set the exit code of what was only partly done, where there is a *problem*."""
        if problem:
            self.note(ExitCode.PARTLY_DONE)

    def outcome_for(self, result: Result, items: int | None) -> ExitCode:
        """The exit code of a result, of which *items* were written."""
        fail_empty = self.options.fail_empty
        return outcome_of(result, fail_empty=fail_empty, items=items, signal=self.stop_signal)

    def _label_text(self) -> str:
        """The context in force, in its colour, so that nobody agrees to the wrong one."""
        name, colour = self.label()
        if not name:
            return ""
        if colour in _COLOURS and self.colour_stderr:
            return f"\x1b[1;{_COLOURS[colour]}m[{name}]\x1b[0m "
        return f"[{name}] "

    def should_stop(self) -> bool:
        """Whether a signal asked to end after the batch at hand."""
        return self.stop_signal is not None

    @contextmanager
    def finishing_batches(self, *, in_journal: bool = True) -> Iterator[None]:
        """Let the first SIGINT or SIGTERM end the act after its batch, the second one at once.

        Args:
            in_journal: the journal has the act, so that a person finds there what was done.
        """

        def on_signal(signum: int, _frame: FrameType | None) -> None:
            if self.stop_signal is not None:
                raise Stopped(signum, in_journal=in_journal)
            self.stop_signal = signum
            with suppress(RuntimeError):  # it came while a line was on its way to standard error
                self._tell_stopping()

        with handling(on_signal, signal.SIGINT, signal.SIGTERM):
            yield

    def _tell_stopping(self) -> None:
        is_tty = self.terminals.stderr
        if self.options.quiet or (self._for_scripts and not is_tty):
            return  # nobody is there to stop it at once
        text = self.folded("stopping after the current batch; Ctrl-C again stops immediately")
        self.tell(f"{_LINE_AGAIN if is_tty else ''}{text}")  # progress and ^C are on the line


class _Closed(io.StringIO):
    """Stands for a standard stream that the caller closed."""

    def write(self, text: str) -> int:
        raise OSError(9, "Bad file descriptor")

    def read(self, size: int | None = -1) -> str:
        raise OSError(9, "Bad file descriptor")

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        raise OSError(9, "Bad file descriptor")


def usable(stream: TextIO | None) -> TextIO:
    """The stream so that no text or byte ends a command, or one that fails where it is closed."""
    if stream is None:  # what Python makes of a stream that the caller closed
        return _Closed()
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace" if stream.writable() else "surrogateescape")
    return stream


def terminal_width(environ: Mapping[str, str], stream: TextIO) -> int:
    """Columns to lay out in: COLUMNS, else what the terminal says, else 80."""
    asked = environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdigit() and 0 < int(asked[:9]) <= WIDEST:
        return int(asked)
    size = terminal_size(stream)
    return size.columns or _DEFAULT_COLUMNS if size else _DEFAULT_COLUMNS


def terminal_size(stream: TextIO) -> os.terminal_size | None:
    """Columns and rows of the terminal behind a stream, None where there is none."""
    try:
        return os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return None


def wants_colour(environ: Mapping[str, str], *, is_tty: bool, no_color: bool) -> bool:
    """Whether to colour a stream.

    `--no-color` and NO_COLOR win, then CLICOLOR_FORCE, then TERM=dumb, then being a terminal.
    """
    if no_color or environ.get("NO_COLOR"):
        return False
    if environ.get("CLICOLOR_FORCE", "0") not in {"", "0"}:
        return True
    return is_tty and environ.get("TERM") != "dumb"
