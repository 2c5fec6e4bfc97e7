"""Progress of long work, on standard error: a bar on a terminal, a line now and then elsewhere.

Nothing is shown of work that takes less than a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, Protocol, TextIO

FIRST_S: Final = 1.0
EACH_S: Final = 5.0


class Reached(Protocol):
    """How far work is: messages reached, of how many, and failures; a note is told at once."""

    @property
    def reached(self) -> int: ...

    @property
    def planned(self) -> int: ...

    @property
    def failed(self) -> int: ...

    @property
    def note(self) -> str: ...


Show = Callable[[Reached], None]
Text = Callable[[Reached, float], str]


@contextmanager
def progress_on(
    stream: TextIO,
    *,
    is_tty: bool,
    colour: bool = False,
    quiet: bool = False,
    clock: Callable[[], float] = time.monotonic,
    text: Callable[[Reached, float], str] | None = None,
) -> Iterator[Show]:
    """Hand out what shows progress on *stream*; it is taken away when the work ends.

    Args:
        text: what is told, from how far and how many seconds; `line_text` else.
    """
    if quiet:
        yield lambda _: None
        return
    text_of = text or line_text
    shown: _Bar | _Lines = (
        _Bar(stream, clock, text_of, colour) if is_tty else _Lines(stream, clock, text_of)
    )
    try:
        yield shown.show
    finally:
        shown.end()


def line_text(at: Reached, elapsed_s: float) -> str:
    """``12,000 of 100,000 (12%), 2,950/s, 30 s left, 2 failed``."""
    rate = at.reached / elapsed_s if elapsed_s > 0 else 0.0
    share = 100 * at.reached // at.planned if at.planned else 100
    rest = _span((at.planned - at.reached) / rate if rate else 0.0)
    failed = f", {at.failed:,} failed" if at.failed else ""
    return f"{at.reached:,} of {at.planned:,} ({share}%), {rate:,.0f}/s, {rest} left{failed}"


def browsed_text(at: Reached, elapsed_s: float) -> str:
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


class _Lines:
    """A line after the first second, then one every five."""

    def __init__(self, stream: TextIO, clock: Callable[[], float], text: Text) -> None:
        self._stream = stream
        self._clock = clock
        self._text = text
        self._began = clock()
        self._next = self._began + FIRST_S

    def show(self, at: Reached) -> None:
        now = self._clock()
        if now < self._next and not at.note:
            return
        if not at.note:
            self._next = now + EACH_S
        try:
            self._stream.write((at.note or self._text(at, now - self._began)) + "\n")
            self._stream.flush()
        except OSError:  # nobody reads it
            self._next = float("inf")

    def end(self) -> None:
        return None


class _Bar:
    """A bar that is drawn over itself, with rate and time left; rich is loaded when it appears."""

    def __init__(
        self, stream: TextIO, clock: Callable[[], float], text: Text, colour: bool
    ) -> None:
        self._stream = stream
        self._clock = clock
        self._text = text
        self._colour = colour
        self._began = clock()
        self._live: Any = None
        self._task: Any = None

    def show(self, at: Reached) -> None:
        elapsed = self._clock() - self._began
        if at.note:
            self.end()  # the bar comes back below it
            with suppress(OSError):
                self._stream.write(f"{at.note}\n")
                self._stream.flush()
            return
        if self._live is None:
            if elapsed < FIRST_S:
                return
            self._start(at)
        text = self._text(at, elapsed)
        self._live.update(
            self._task, completed=at.reached, total=at.planned, text=text, refresh=True
        )

    def _start(self, at: Reached) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(
            file=self._stream, force_terminal=True, no_color=not self._colour, highlight=False
        )
        self._live = Progress(
            BarColumn(bar_width=24),
            TextColumn("{task.fields[text]}"),
            console=console,
            transient=True,
            auto_refresh=False,
        )
        self._live.start()
        self._task = self._live.add_task("", total=at.planned, text="")

    def end(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
