"""Run several jobs at once, each with a deadline of its own; one that hangs is left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Final, TypeVar

T = TypeVar("T")

_AT_ONCE: Final = 32


def run_all(works: Sequence[Callable[[], T]], deadline_s: float) -> list[T | Exception]:
    """The result of each job in order, or the error it ended with; TimeoutError at its deadline.

    Raises:
        BaseException: What is no `Exception`, such as an interrupt.
    """
    outcomes: list[T | Exception] = []
    for first in range(0, len(works), _AT_ONCE):
        jobs = [_started(work) for work in works[first : first + _AT_ONCE]]
        ends = time.monotonic() + deadline_s
        for job in jobs:
            try:
                outcomes.append(job.result(max(0.0, ends - time.monotonic())))
            except Exception as error:  # kept: the caller tells what became of each
                outcomes.append(error)
    return outcomes


def _started(work: Callable[[], T]) -> Future[T]:
    """A job on a thread that the process does not wait for when it ends, as executors do.

    An MQI call that never returns cannot be ended from outside; it can only be left alone.
    """
    job: Future[T] = Future()

    def run() -> None:
        try:
            job.set_result(work())
        except BaseException as error:  # told by the thread that asks
            job.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return job
