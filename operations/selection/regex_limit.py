"""The budget of a run for regular expressions: processor time, by a timer of the system."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from time import thread_time

from mqtriage.messages.body_regex import RegexBudget


def regex_budget() -> RegexBudget:
    """That of a new run."""
    return RegexBudget(thread_time, _interrupted)


def _interrupted(work: Callable[[], bool], limit_s: float) -> bool:
    """Do *work*; a `TimeoutError` once it has taken *limit_s* of processor time.

    Python's `re` lets a signal interrupt it, in the main thread; others are not interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    before = signal.signal(signal.SIGVTALRM, _end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
        return work()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _end(*_: object) -> None:
    raise TimeoutError
