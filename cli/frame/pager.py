"""Long output on a terminal, read with a pager; what fits the screen needs none.

Held back until the screen is full, then handed to the pager with all that follows, while records
are still read. Who leaves the pager early ends the run as a closed pipe does.
"""

from __future__ import annotations

import io
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from shutil import which
from types import FrameType
from typing import Final, Self, TextIO

VARIABLES: Final = ("MQTRIAGE_PAGER", "PAGER")
_NONE: Final = frozenset({"", "cat"})
_OURS: Final = "less"
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LESS: Final = "FRX"
"""What less is told where LESS says nothing: leave if all fits, keep colours and the screen."""


def pager_of(environ: Mapping[str, str]) -> str:
    """The command line of the pager, "" for none; the first variable that is set decides."""
    for name in VARIABLES:
        if (command := environ.get(name)) is not None:
            return "" if command.strip() in _NONE else command
    return _OURS if which(_OURS) else ""


def missing_program(command: str) -> str:
    """The program that *command* begins with, where there is none of that name, else ""."""
    program = command.split()[0]
    plain = program.replace("/", "").replace("-", "").replace("_", "").replace(".", "").isalnum()
    return program if plain and which(program) is None else ""


def in_shell(command: str) -> str:
    """The command line for the shell: the pager in place of it, so that a signal reaches the pager.

    Where it is more than one program, the shell stays.
    """
    return command if set(command) & set(";&|(){}\n") else f"exec env {command}"


@contextmanager
def _signals_later() -> Iterator[None]:
    """Signals that end us wait until this is over; what is ignored stays so, in the pager too."""
    came: list[tuple[int, FrameType | None]] = []
    of_signals = {number: signal.getsignal(number) for number in _ENDING}
    handlers = {number: handler for number, handler in of_signals.items() if callable(handler)}
    try:
        for number in handlers:
            signal.signal(number, lambda *of_signal: came.append(of_signal))
    except ValueError:  # Python takes signals in the main thread only
        yield
        return
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for arrived, frame in came:
        handlers[signal.Signals(arrived)](arrived, frame)


class Paged(io.TextIOBase):
    """A stream that becomes the input of a pager once it has more lines than the screen.

    Args:
        stdout: the terminal, for what fits.
        columns, rows: its size.
    """

    def __init__(
        self, stdout: TextIO, command: str, columns: int, rows: int, environ: Mapping[str, str]
    ) -> None:
        self._stdout = stdout
        self._command = command
        self._columns = columns
        self._rows = rows
        self._environ = environ
        self._held: list[str] = []
        self._lines = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the terminal."""
        return self._stdout.encoding or "utf-8"

    def write(self, text: str) -> int:
        """Take text.

        Raises:
            BrokenPipeError: The pager was left.
        """
        if self._process is not None:
            self._hand_over(text)
            return len(text)
        self._held.append(text)
        self._lines += sum(1 + len(line) // (self._columns + 1) for line in text.splitlines())
        if self._lines >= self._rows:
            self._start()
        return len(text)

    def flush(self) -> None:
        """Let the pager have what it is given; what is held back stays."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.flush()

    def _start(self) -> None:
        self._stdout.flush()
        with _signals_later():  # a pager that runs is one we know of, and end
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", in_shell(self._command)],  # it may have arguments
                stdin=subprocess.PIPE,
                text=True,
                encoding=self.encoding,
                errors="backslashreplace",
                env={"LESS": _LESS, "LV": "-c", **self._environ},
            )
        held, self._held = self._held, []
        self._hand_over("".join(held))

    def _hand_over(self, text: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Write out what fitted the screen, or wait until the pager is left.

        Ctrl-C is the pager's own; another signal is ours, and ends both, also when it comes while
        the pager is given its lines.
        """
        process = self._process
        if process is None:
            self._stdout.write("".join(self._held))
            self._stdout.flush()
            return
        assert process.stdin is not None
        stopped = error if hasattr(error, "signum") else None
        while True:
            try:
                if stopped is not None:
                    process.terminate()
                with suppress(BrokenPipeError):
                    process.stdin.close()
                process.wait()
                break
            except KeyboardInterrupt as signal:
                stopped = signal if hasattr(signal, "signum") else stopped
        if stopped is not None:
            raise stopped
