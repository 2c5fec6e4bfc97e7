"""Signals that end the program: at once, or after the batch at hand."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Stopped(KeyboardInterrupt):
    """A signal that ends the process at once.

    Attributes:
        signum: which.
        in_journal: it ended an act that the journal has.
    """

    def __init__(self, signum: int, *, in_journal: bool = False) -> None:
        super().__init__(signum)
        self.signum = signum
        self.in_journal = in_journal


@contextmanager
def handling(handler: Any, *signals: signal.Signals) -> Iterator[None]:
    """Install a signal handler for a while; outside the main thread, do nothing.

    Where it is for SIGTERM, a terminal that is closed (SIGHUP) comes to it as SIGTERM, unless it is
    ignored, as under nohup.
    """
    handlers = dict.fromkeys(signals, handler)
    if signal.SIGTERM in handlers and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        handlers[signal.SIGHUP] = lambda _, frame: handler(signal.SIGTERM, frame)
    try:
        before = [(number, signal.signal(number, of_it)) for number, of_it in handlers.items()]
    except ValueError:  # Python takes signals in the main thread only
        yield
        return
    try:
        yield
    finally:
        for number, old in before:
            signal.signal(number, old)
