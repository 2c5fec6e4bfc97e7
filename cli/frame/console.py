"""The three streams of a run, and how the program speaks on them.

Standard output carries data only; everything else goes to standard error through `say`, `warn`
and the questions.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, TextIO

from mqtriage.cli.frame.options import Output
from mqtriage.mq.records import NamedTuple, dataclass

_DEFAULT_COLUMNS = 80
_EVERY_SECONDS: Final = 10.0
"""Between two lines of a long run where standard error is no terminal."""
WIDEST: Final = 10_000
"""Columns for data that goes into a pipe or a file."""


class Terminals(NamedTuple):
    """Which of the three streams are terminals."""

    stdin: bool = False
    stdout: bool = False
    stderr: bool = False


NO_TERMINALS: Final = Terminals()


@dataclass(eq=False)
class Console:
    """Streams, environment and the output options that rule them."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environ: Mapping[str, str]
    terminals: Terminals = NO_TERMINALS
    output: Output = Output()

    @property
    def interactive(self) -> bool:
        """Whether a question can be asked."""
        return self.terminals.stdin and self.terminals.stderr and not self.output.no_input

    @property
    def width(self) -> int:
        """Columns of the terminal; COLUMNS wins."""
        return terminal_width(self.environ, self.stdout if self.terminals.stdout else self.stderr)

    @property
    def colour_stdout(self) -> bool:
        """Whether data is coloured."""
        return self._colour(self.terminals.stdout)

    @property
    def colour_stderr(self) -> bool:
        """Whether talk is coloured."""
        return self._colour(self.terminals.stderr)

    def _colour(self, is_tty: bool) -> bool:
        return wants_colour(self.environ, is_tty=is_tty, no_color=self.output.no_color)

    def say(self, text: str) -> None:
        """Tell people something, on standard error; `--quiet` silences it."""
        if not self.output.quiet:
            self.tell(text)

    def detail(self, text: str) -> None:
        """Tell people more, with `--verbose`."""
        if self.output.verbose:
            self.tell(text)

    def warn(self, text: str) -> None:
        """Warn, on standard error; `--quiet` silences it (JSON output carries it all the same)."""
        from mqtriage.formatters.cells import visible

        self.say(self._folded(f"warning: {visible(text)}"))

    def remark(self, text: str) -> None:
        """Say by the way, on standard error; `--quiet` silences it."""
        self.say(self._folded(f"note: {text}"))

    def _folded(self, text: str) -> str:
        """Prose on a terminal breaks between words; elsewhere it stays one line."""
        if not self.terminals.stderr or len(text) <= self.width:
            return text
        from textwrap import fill

        return fill(text, self.width, break_long_words=False, break_on_hyphens=False)

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
        if self.output.quiet:
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
            self.stderr.write(f"\r\x1b[2K{text[: self.width - 1]}")
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
        self.stderr.write(f"{self._label()}{question} ")
        self.stderr.flush()
        answer = ""
        try:
            answer = self.stdin.readline()
        finally:
            if not answer.endswith("\n"):  # Ctrl-C, Ctrl-D: what is told next has its own line
                self.tell("")
        return answer.strip()

    def standard_input(self) -> bytes:
        """All of standard input, in the bytes that came.

        Raises:
            StorageError: It cannot be read.
        """
        from mqtriage.files.standard_input import read_all

        return read_all(self.stdin)

    def _label(self) -> str:
        """What stands in front of a question."""
        return ""

    def confirm(self, question: str) -> bool:
        """Ask a question that only "y" or "yes" agrees to."""
        return self.ask(f"{question} [y/N]").lower() in {"y", "yes"}


class _Closed(io.StringIO):
    """Stands for a standard stream that the caller closed."""

    def write(self, text: str) -> int:
        raise OSError(9, "Bad file descriptor")

    def read(self, size: int | None = -1) -> str:
        raise OSError(9, "Bad file descriptor")

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        raise OSError(9, "Bad file descriptor")


def usable(stream: TextIO | None) -> TextIO:
    """The stream so that no text ends a listing, or one that fails where the caller closed it."""
    if stream is None:  # what Python makes of a stream that the caller closed
        return _Closed()
    if isinstance(stream, io.TextIOWrapper) and stream.writable():
        stream.reconfigure(errors="backslashreplace")
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
