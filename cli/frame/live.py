"""A live screen: collect, draw, read a key, again; a lost connection is shown and comes back.

Only on a terminal that can be drawn on. Elsewhere the same listings are written one after the
other, once unless more are asked for, so that `mqtriage top -o json` is a record for a script.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO

from mqtriage.cli.frame.console import terminal_width
from mqtriage.formatters.charts.heat import sparkline
from mqtriage.formatters.live_frame import View, after_key, frame
from mqtriage.model.output_forms import TABLE
from mqtriage.model.result import Listing
from mqtriage.mq.errors import ConnectionFailed, MQTriageError, UsageError
from mqtriage.mq.times import rfc3339

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.cli.frame.context import AppContext

Collect = Callable[["Backend"], Listing]

_AWAKE_S: Final = 0.25
"""How soon a resized terminal is drawn anew."""
_RETRIES_S: Final = (1.0, 2.0, 5.0, 10.0)
_HISTORY: Final = 20
_ESCAPES: Final = {"alternate": "\x1b[?1049h\x1b[?25l", "back": "\x1b[?25h\x1b[?1049l"}


def live(
    app: AppContext,
    what: str,
    collect: Collect,
    *,
    interval_s: float,
    count: int | None = None,
    trend_of: str | None = None,
    sort: str | None = None,
) -> None:
    """Show what *collect* lists, again and again.

    Args:
        what: the heading: "top queues".
        interval_s: seconds between two samples.
        count: how many; None is one off a terminal and no end on it.
        trend_of: key whose last values make the field ``trend`` of each record.
        sort: key to begin with on a screen where `--sort` is not given, the greatest first.

    Raises:
        UsageError: An interval of nothing.
        MQTriageError: The first sample failed, or off a terminal any.
    """
    if interval_s < 0.1:
        raise UsageError("--interval: at least 100ms")
    trends: dict[str, deque[float]] = {}

    def sampled(backend: Backend) -> Listing:
        listing = collect(backend)
        if trend_of is not None:
            listing.items = _with_trends(listing, trend_of, trends, _is_unicode(app.stdout))
        return listing

    if app.terminals.stdout and app.form == TABLE and app.environ.get("TERM") != "dumb":
        _Screen(app, what, sampled, interval_s, count, sort).run()
        return
    with app.open_backend(read_only=True) as backend:
        for number in range(count or 1):
            if number:
                time.sleep(interval_s)
                app.now_us = backend.now_us()
            app.emit(sampled(backend), again=True)


def _with_trends(
    listing: Listing, key: str, trends: dict[str, deque[float]], is_unicode: bool
) -> list[dict[str, Any]]:
    records = [dict(record) for record in listing.items]
    names = {str(record[listing.id_key]) for record in records}
    for gone in trends.keys() - names:  # memory stays flat however long it runs
        del trends[gone]
    for record in records:
        seen = trends.setdefault(str(record[listing.id_key]), deque(maxlen=_HISTORY))
        seen.append(record[key] or 0)
        record["trend"] = sparkline(seen, _HISTORY // 2, is_unicode=is_unicode)
    return records


def _is_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().startswith("utf")


class _Screen:
    """The alternate screen of the terminal while a live view runs."""

    def __init__(
        self,
        app: AppContext,
        what: str,
        collect: Collect,
        interval_s: float,
        count: int | None,
        first_sort: str | None,
    ) -> None:
        self._app = app
        self._what = what
        self._collect = collect
        self._left = count
        sort, descending = app.output.sort_key
        self._view = View(
            sort=sort or first_sort, descending=sort is None or descending, interval_s=interval_s
        )
        self._listing: Listing | None = None
        self._at = ""
        self._samples = 0
        self._problem = ""
        self._failures = 0
        self._stack = ExitStack()
        self._backend: Backend | None = None

    def run(self) -> None:
        """Run until the user leaves, or *count* pictures were drawn."""
        with self._stack:
            self._sample()
            if self._listing is None:
                raise MQTriageError(self._problem)
            with _raw_keys(self._app) as keys, _alternate(self._app.stdout):
                self._loop(keys)

    def _loop(self, keys: int | None) -> None:
        next_s = time.monotonic() + self._view.interval_s
        drawn: tuple[object, ...] = ()
        while not self._view.leave:
            size = (terminal_width({}, self._app.stdout), _height(self._app.stdout))
            now = (size, self._view, self._samples, self._problem)
            if now != drawn:
                self._draw(*size)
                drawn = now
            for key in _pressed(keys, min(_AWAKE_S, max(0.0, next_s - time.monotonic()))):
                before = self._view.interval_s
                fields = self._listing.fields if self._listing else ()
                self._view = after_key(self._view, key, fields)
                next_s += self._view.interval_s - before
            if time.monotonic() < next_s or self._view.paused:
                continue
            if self._left is not None:
                self._left -= 1
                if self._left <= 0:
                    return
            self._sample()
            wait_s = self._view.interval_s
            if self._problem:
                wait_s = _RETRIES_S[min(self._failures, len(_RETRIES_S)) - 1]
            next_s = time.monotonic() + wait_s

    def _sample(self) -> None:
        """Take a sample; a failure is kept to be shown, and the connection is made anew."""
        first = self._listing is None
        try:
            if self._backend is None:
                opened = self._app.open_backend(read_only=True)
                self._backend = self._stack.enter_context(opened)
            listing = self._collect(self._backend)
            listing.items = list(listing.items)
        except MQTriageError as error:
            if first:
                raise
            self._failures += 1
            state = "connection lost" if isinstance(error, ConnectionFailed) else "no numbers"
            self._problem = f"{state} since {self._at}: {error.text}; trying again"
            self._disconnect()
            return
        self._listing, self._problem, self._failures = listing, "", 0
        self._samples += 1
        self._at = rfc3339(self._backend.now_us())[:19] + "Z"

    def _disconnect(self) -> None:
        self._backend = None
        try:
            self._stack.close()
        except MQTriageError:
            return  # what is lost cannot be ended properly

    def _draw(self, width: int, height: int) -> None:
        assert self._listing is not None
        title = f"{self._what}  {self._app.queue_manager}  {self._at}"
        style = self._app.style()._replace(width=width, is_tty=True)
        text = frame(title, self._listing, self._view, style, height, problem=self._problem)
        # each line is written over the old one: nothing flickers
        lines = "\x1b[K\r\n".join(text.split("\n"))
        self._app.stdout.write(f"\x1b[H{lines}\x1b[K\x1b[J")
        self._app.stdout.flush()


def _height(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).lines or 24
    except (OSError, ValueError):
        return 24


@contextmanager
def _alternate(stream: TextIO) -> Iterator[None]:
    stream.write(_ESCAPES["alternate"])
    stream.flush()
    try:
        yield
    finally:
        stream.write(_ESCAPES["back"])
        stream.flush()


@contextmanager
def _raw_keys(app: AppContext) -> Iterator[int | None]:
    """Read single keys, unechoed; None where standard input is no terminal."""
    if not app.terminals.stdin:
        yield None
        return
    import termios
    import tty

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)  # Ctrl-C stays a signal
        yield number
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def _pressed(keys: int | None, wait_s: float) -> str:
    """The keys pressed within *wait_s*, "" for none."""
    if keys is None:
        time.sleep(wait_s)
        return ""
    ready, _, _ = select.select([keys], [], [], wait_s)
    if not ready:
        return ""
    data = os.read(keys, 64)
    if not data:  # the terminal is gone
        return "q"
    text = data.decode("utf-8", "replace")
    # an arrow key is a sequence of its own, and none of our keys
    return "" if text.startswith("\x1b") and len(text) > 1 else text
