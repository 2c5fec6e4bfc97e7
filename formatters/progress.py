"""Progress of long work, on standard error: a bar on a terminal, a line now and then elsewhere.

Nothing is shown of work that takes less than a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO

from mqtriage.operations.engine.act_context import Progress
from mqtriage.records import dataclass

FIRST_S: Final = 1.0
EACH_S: Final = 5.0


def line_text(at: Progress, elapsed_s: float) -> str:
    """``12,000 of 100,000 (12%), 2,950/s, 30 s left, 2 failed``."""
    rate = at.reached / elapsed_s if elapsed_s > 0 else 0.0
    share = 100 * at.reached // at.planned if at.planned else 100
    rest_s = (at.planned - at.reached) / rate if rate else 0.0
    rest = f"at least {_span(at.wait_s + rest_s)}" if at.wait_s else _span(rest_s)
    failed = f", {at.failed:,} failed" if at.failed else ""
    return f"{at.reached:,} of {at.planned:,} ({share}%), {rate:,.0f}/s, {rest} left{failed}"


def browsed_text(at: Progress, elapsed_s: float) -> str:
    """``planning: 120,000 chosen so far, 98,000/s``; nobody knows how many it will be."""
    rate = at.reached / elapsed_s if elapsed_s > 0 else 0.0
    return f"planning: {at.reached:,} chosen so far, {rate:,.0f}/s"


def _span(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


@dataclass(eq=False)
class _Shown:
    """A line after the first second, then one every five.

    On a terminal a bar that is drawn over itself; rich is loaded when it appears.
    """

    stream: TextIO
    clock: Callable[[], float]
    text: Callable[[Progress, float], str]
    is_tty: bool
    colour: bool
    next_s: float = FIRST_S
    bar: Any = None
    task: Any = None

    def __post_init__(self) -> None:
        self.began = self.clock()

    def show(self, at: Progress) -> None:
        elapsed_s = self.clock() - self.began
        if at.note:
            self.end()  # the bar comes back below it
            self._write(at.note)
        elif elapsed_s >= self.next_s:
            text = self.text(at, elapsed_s)
            if self.is_tty:
                self._draw(at, text)
            else:
                self.next_s = elapsed_s + EACH_S
                self._write(text)

    def _write(self, line: str) -> None:
        try:
            self.stream.write(f"{line}\n")
            self.stream.flush()
        except OSError:  # nobody reads it
            self.next_s = float("inf")

    def _draw(self, at: Progress, text: str) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            console = Console(
                file=self.stream, force_terminal=True, no_color=not self.colour, highlight=False
            )
            columns = (BarColumn(bar_width=24), TextColumn("{task.fields[text]}"))
            self.bar = Bar(*columns, console=console, transient=True, auto_refresh=False)
            self.bar.start()
            self.task = self.bar.add_task("", total=at.planned, text="")
        self.bar.update(self.task, completed=at.reached, total=at.planned, text=text, refresh=True)

    def end(self) -> None:
        if self.bar is not None:
            self.bar.stop()
            self.bar = None


@contextmanager
def progress_on(
    stream: TextIO,
    *,
    is_tty: bool,
    colour: bool = False,
    quiet: bool = False,
    clock: Callable[[], float] = time.monotonic,
    text: Callable[[Progress, float], str] = line_text,
) -> Iterator[Callable[[Progress], None]]:
    """Hand out what shows progress on *stream*; it is taken away when the work ends.

    Args:
        text: what is told, from how far and how many seconds.
    """
    if quiet:
        yield lambda _: None
        return
    shown = _Shown(stream, clock, text, is_tty, colour)
    try:
        yield shown.show
    finally:
        shown.end()
