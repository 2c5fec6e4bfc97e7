"""A process that ends itself with SIGKILL at a chosen step of what the tool does.

The steps are the calls to the queue manager and the writes to archive and journal, before and
after each. The process is forked from this one, which has everything loaded already, runs a whole
command line, and dies as by kill -9: no handler runs, no buffer is written, the kernel drops locks.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from mqtriage.backends.emulated import EmulatedBackend, EmulatedHandle
from mqtriage.cli.context import AppContext
from mqtriage.cli.main import main


class At(NamedTuple):
    """A step: the n-th time that *call* is about to begin, or has just ended."""

    call: str
    when: str
    nth: int


CALLS = ("get", "put", "commit", "write", "fsync", "fdatasync")
STEPS = [(call, when) for call in CALLS for when in ("before", "after")]


class Killed(NamedTuple):
    """How a process ended: by SIGKILL at its step, or with an exit code before it came to that."""

    at: At
    by_signal: bool
    code: int


def run_and_kill(home: Path, argv: Sequence[str], at: At) -> Killed:
    """Run ``mqtriage ARGV`` in a process of its own that ends itself at *at*."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _child(home, argv, at)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return Killed(at, True, -1)
    return Killed(at, False, os.WEXITSTATUS(status))


def _child(home: Path, argv: Sequence[str], at: At) -> NoReturn:
    code = 99
    try:
        seen: Counter[tuple[str, str]] = Counter()

        def step(call: str, when: str) -> None:
            seen[call, when] += 1
            if (call, when) == (at.call, at.when) and seen[call, when] == at.nth:
                os.kill(os.getpid(), signal.SIGKILL)

        _watch(step)
        app = AppContext.for_test(environ={"MQTRIAGE_HOME": str(home)})
        code = main(list(argv), app)
    finally:
        os._exit(code)


def _watch(step: Callable[[str, str], None]) -> None:
    def stepping(call: str, inner: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*args: Any, **kwargs: Any) -> Any:
            step(call, "before")
            found = inner(*args, **kwargs)
            step(call, "after")
            return found

        return stepped

    EmulatedHandle.get = stepping("get", EmulatedHandle.get)  # type: ignore[method-assign]
    EmulatedHandle.put = stepping("put", EmulatedHandle.put)  # type: ignore[method-assign]
    EmulatedBackend.commit = stepping("commit", EmulatedBackend.commit)  # type: ignore[method-assign]
    for call in ("write", "fsync", "fdatasync"):
        setattr(os, call, stepping(call, getattr(os, call)))
