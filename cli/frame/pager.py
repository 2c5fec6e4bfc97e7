"""Output on a terminal goes through a pager: `less -FRX`, which leaves at once what fits."""

from __future__ import annotations

import shlex
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from shutil import which
from typing import IO, Final

from mqtriage.cli.frame.signals import Stopped, handling

VARIABLES: Final = ("MQTRIAGE_PAGER", "PAGER")
_LESS: Final = "FRX"
"""Options of less where LESS is not set: leave if all fits, keep colours and the screen."""


def pager_of(environ: Mapping[str, str]) -> str:
    """The command line of the pager, "" for none; the first variable that is set decides."""
    for name in VARIABLES:
        if (command := environ.get(name)) is not None:
            return "" if command.strip() == "cat" else command.strip()
    return "less" if which("less") else ""


def missing_program(command: str) -> str:
    """The program of *command* where there is none of that name, else ""."""
    program = next((word for word in command.split() if "=" not in word), "")
    return "" if which(program) else program


@contextmanager
def paged(command: str, encoding: str, environ: Mapping[str, str]) -> Iterator[IO[str]]:
    """The input of a pager, which is waited for; `BrokenPipeError` where it was left.

    Ctrl-C is the pager's own; another signal ends both. A signal that comes while the pager starts
    takes effect when it has started, so that it is not left running.
    """
    process = None
    late: list[int] = []
    try:
        with handling(lambda number, _: late.append(number), signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen(
                ["env", *shlex.split(command)],  # it may begin with a variable
                stdin=subprocess.PIPE,
                text=True,
                encoding=encoding,
                errors="backslashreplace",
                env={"LESS": _LESS, "LV": "-c", **environ},
            )
        for number in late:
            signal.raise_signal(number)
        assert process.stdin is not None
        yield process.stdin
    except Stopped:
        if process is not None:
            process.terminate()
        raise
    finally:
        stopped = None
        while process is not None and process.poll() is None:
            try:
                with suppress(BrokenPipeError):
                    process.stdin.close()  # type: ignore[union-attr]
                process.wait()
            except Stopped as again:
                process.terminate()
                stopped = again
            except KeyboardInterrupt:
                continue
        if stopped is not None:
            raise stopped
