"""A process that ends itself with SIGKILL at a chosen step of what the tool does.

The steps are the calls to the queue manager, the writes to the archive and the transactions of the
journal, before and after each. The process is forked from this one, which has everything loaded
already, runs a whole command line, and dies as by kill -9: no handler runs, no buffer is written,
the kernel drops locks.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from mqtriage.backends.client.backend import ClientBackend
from mqtriage.backends.client.handle import ClientHandle
from mqtriage.backends.emulated import EmulatedBackend, EmulatedHandle
from mqtriage.cli.frame.main import main
from mqtriage.operations.ledger.tables import Ledger
from tests.support.application import app_for_test


class At(NamedTuple):
    """A step: the n-th time that *call* is about to begin, or has just ended."""

    call: str
    when: str
    nth: int


CALLS = ("get", "put", "commit", "write", "fsync", "intent", "mark")
STEPS = [(call, when) for call in CALLS for when in ("before", "after")]

MESSAGE = b'"kind":"Message"'
"""In what is written to the archive: the step "archive"."""


class Killed(NamedTuple):
    """How a process ended: by SIGKILL at its step, or with an exit code before it came to that."""

    at: At
    by_signal: bool
    code: int


def run_and_kill(
    home: Path, argv: Sequence[str], at: At, environ: Mapping[str, str] | None = None
) -> Killed:
    """Run ``mqtriage ARGV`` in a process of its own that ends itself at *at*."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _child({"MQTRIAGE_HOME": str(home), **(environ or {})}, argv, at)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return Killed(at, True, -1)
    return Killed(at, False, os.WEXITSTATUS(status))


def _child(environ: Mapping[str, str], argv: Sequence[str], at: At) -> NoReturn:
    code = 99
    try:
        seen: Counter[tuple[str, str]] = Counter()

        def step(call: str, when: str) -> None:
            seen[call, when] += 1
            if (call, when) == (at.call, at.when) and seen[call, when] == at.nth:
                os.kill(os.getpid(), signal.SIGKILL)

        _watch(step)
        code = main(list(argv), app_for_test(environ=environ))
    finally:
        os._exit(code)


def _watch(step: Callable[[str, str], None]) -> None:
    commits = 0

    def stepping(call: str, inner: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*args: Any, **kwargs: Any) -> Any:
            nonlocal commits
            names = [call, *_names(call, *args)]
            if call == "status":
                names.append(f"look {commits}")
            for name in names:
                step(name, "before")
            returned = inner(*args, **kwargs)
            commits += call == "commit"
            for name in names:
                step(name, "after")
            return returned

        return stepped

    for handle in (EmulatedHandle, ClientHandle):
        for call in ("get", "put"):
            setattr(handle, call, stepping(call, getattr(handle, call)))
    for backend in (EmulatedBackend, ClientBackend):
        for call in ("commit", "status"):
            setattr(backend, call, stepping(call, getattr(backend, call)))
    for call in ("write", "fsync"):
        setattr(os, call, stepping(call, getattr(os, call)))
    setattr(Ledger, "_commit", stepping("ledger", Ledger._commit))  # noqa: B010


def _names(call: str, first: Any, *rest: Any) -> list[str]:
    """What else a step is called: by what it writes, or the queue that it is about."""
    if call in ("get", "put"):
        return [f"{call} {first.name}"]
    if call == "ledger":  # plan, run, intent, mark, settle, end: what is noted there
        return [str(rest[0])]
    return ["archive"] if call == "write" and MESSAGE in bytes(rest[0]) else []
