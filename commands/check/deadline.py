"""Run several jobs at once, each with a deadline of its own; one that hangs is left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_AT_ONCE: Final = 32


class Job(Generic[T]):
    """A job on a thread that the process does not wait for when it ends.

    An MQI call that never returns cannot be ended from outside; it can only be left alone.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._done = threading.Event()
        self._result: T | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:  # told by the thread that asks
            self._error = error
        self._done.set()

    def outcome(self, wait_s: float) -> T:
        """What the job returned.

        Raises:
            TimeoutError: It is still running after *wait_s* seconds.
            BaseException: What the job raised.
        """
        if not self._done.wait(max(0.0, wait_s)):
            raise TimeoutError
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]  # set before `_done`


def run_all(works: Sequence[Callable[[], T]], deadline_s: float) -> list[T | Exception]:
    """The result of each job in order, or the error it ended with; TimeoutError at its deadline.

    Raises:
        BaseException: What is no `Exception`, such as an interrupt.
    """
    outcomes: list[T | Exception] = []
    for first in range(0, len(works), _AT_ONCE):
        jobs = [Job(work) for work in works[first : first + _AT_ONCE]]
        for job in jobs:
            job.start()
        ends = time.monotonic() + deadline_s
        for job in jobs:
            try:
                outcomes.append(job.outcome(ends - time.monotonic()))
            except Exception as error:  # kept: the caller tells what became of each
                outcomes.append(error)
    return outcomes
