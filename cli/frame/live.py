"""A live screen: collect, draw, read a key, again; a lost connection is shown and comes back.

Several screens stand side by side as tabs; Enter opens one behind a row, Esc goes back. To act, a
key offers the command line that would do it; it runs as if it had been typed into the shell, with
its plan and its question.

Only on a terminal that can be drawn on. Elsewhere the same listings are written one after the
other, once unless more are asked for, so that `mqtriage top -o json` is a record for a script.
"""

from __future__ import annotations

import os
import select
import shlex
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import field, fields
from typing import Final, TextIO

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.console import terminal_size, terminal_width
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions
from mqtriage.cli.frame.tree import GROUPS
from mqtriage.formatters import live_frame as keys
from mqtriage.formatters.charts.heat import sparkline
from mqtriage.formatters.live_frame import View, after_key, frame, keys_in, rows_of
from mqtriage.formatters.report import at_text
from mqtriage.model.output_forms import TABLE
from mqtriage.model.result import Field, Listing, Record
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import ConnectionFailed, MQTriageError, UsageError
from mqtriage.mq.times import rfc3339
from mqtriage.records import NamedTuple, dataclass

Collect = Callable[["Backend"], Listing]


class KeyAction(NamedTuple):
    """What a key offers to do.

    Attributes:
        text: for the line of keys.
        words: what stands behind ``mqtriage``, with the keys of a row in braces.
    """

    text: str
    words: str

    def command(self, row: Record) -> str | None:
        """The words for the row of the cursor; None where it lacks one of the values."""
        values = {key: shell_word(str(value)) for key, value in row.items() if value}
        try:
            return self.words.format_map(values)
        except KeyError:
            return None


class Tab(NamedTuple):
    """One screen.

    Attributes:
        name: the heading.
        trend_of: key whose last values make the field ``trend`` of each record.
        sort: key to begin with where `--sort` is not given, the greatest first.
        inside: what Enter opens on a record, None for nothing.
        once: sampled when it is opened and on demand, since it browses.
        note: what else there is to say of it.
    """

    name: str
    collect: Collect
    trend_of: str | None = None
    sort: str | None = None
    inside: Callable[[Record], Tab | None] = lambda _: None
    actions: Mapping[str, KeyAction] = {}
    once: bool = False
    note: str = ""


_AWAKE_S: Final = 0.25
"""How soon a resized terminal is drawn anew."""
_RETRIES_S: Final = (1.0, 2.0, 5.0, 10.0)
_HISTORY: Final = 20
_TERMINATED: Final = 143
_CONTEXT_VERBS: Final = frozenset(GROUPS["context"].verbs)


def live(
    app: AppContext,
    make_tabs: Callable[[], Sequence[Tab]],
    *,
    at: int = 0,
    interval_s: float,
    count: int | None = None,
) -> None:
    """Show what a tab lists, again and again.

    Args:
        make_tabs: makes the screens, for each queue manager that is looked at.
        at: which tab is shown first, and the only one off a terminal.
        interval_s: seconds between two samples.
        count: how many; None is one off a terminal and no end on it.

    Raises:
        UsageError: An interval of nothing.
        MQTriageError: The first sample failed, or off a terminal any.
    """
    if interval_s < 0.1:
        raise UsageError("--interval: at least 100ms")
    sampled = [_with_trends_of(app, tab) for tab in make_tabs()]
    if (
        app.run.terminals.stdout
        and app.output.form == TABLE
        and app.run.environ.get("TERM") != "dumb"
    ):
        _Screen(app, sampled, at, interval_s, count, make_tabs).run()
        return
    with app.target.open_backend(read_only=True) as backend:
        for number in range(count or 1):
            if number:
                time.sleep(interval_s)
                app.target.now_us = backend.now_us()
            app.output.emit(sampled[at].collect(backend), again=True)


def _with_trends_of(app: AppContext, tab: Tab) -> Tab:
    key, trends = tab.trend_of, dict[str, deque[float]]()
    is_unicode = (app.output.stdout.encoding or "utf-8").lower().startswith("utf")
    if key is None:
        return tab

    def sampled(backend: Backend) -> Listing:
        listing = tab.collect(backend)
        records = [dict(record) for record in listing.items]
        names = {str(record[listing.id_key]) for record in records}
        for gone in trends.keys() - names:  # memory stays flat however long it runs
            del trends[gone]
        for record in records:
            seen = trends.setdefault(str(record[listing.id_key]), deque(maxlen=_HISTORY))
            seen.append(record[key] or 0)
            record["trend"] = sparkline(seen, _HISTORY // 2, is_unicode=is_unicode)
        listing.items = records
        return listing

    return tab._replace(collect=sampled)


@dataclass(slots=True)
class _Level:
    """A tab, or what was opened from one, as it was left."""

    tab: Tab
    view: View
    listing: Listing | None = None
    at: str = ""


@dataclass(eq=False)
class _Screen:
    """The alternate screen of the terminal while a live view runs."""

    _app: AppContext
    _tabs: Sequence[Tab]
    _number: int
    _interval_s: float
    _samples_left: int | None
    _make_tabs: Callable[[], Sequence[Tab]]
    _levels: list[_Level] = field(default_factory=list)
    _samples: int = 0
    _problem: str = ""
    _failures: int = 0
    _stack: ExitStack = field(default_factory=ExitStack)
    _backend: Backend | None = None
    _filter: str = ""

    def __post_init__(self) -> None:
        self._enter(self._tabs[self._number])

    def run(self) -> None:
        """Run until the user leaves, or *count* pictures were drawn."""
        with self._stack:
            self._sample(first=True)
            while not self._level.view.leave:
                with _raw_keys(self._app) as keyboard, _alternate(self._app.output.stdout):
                    command = self._loop(keyboard)
                if not command:
                    return
                self._run(command)  # on the screen of before

    # what is shown ----------------------------------------------------------------------------

    def _enter(self, tab: Tab) -> None:
        """Show *tab* on top of what is shown."""
        is_first = not self._levels
        sort, descending = self._app.output.options.sort_key if is_first else (None, False)
        view = View(
            sort=sort or tab.sort, descending=sort is None or descending,
            interval_s=self._interval_s, filter=self._filter if is_first else "",
        )  # fmt: skip
        self._levels.append(_Level(tab, view))

    @property
    def _level(self) -> _Level:
        return self._levels[-1]

    @property
    def _rows(self) -> list[Record]:
        level = self._level
        return rows_of(level.listing, level.view) if level.listing is not None else []

    def _switch(self, number: int) -> None:
        """Show another tab."""
        if number == self._number and len(self._levels) == 1:
            return
        self._interval_s, self._filter = self._level.view.interval_s, self._levels[0].view.filter
        self._number = number % len(self._tabs)
        self._levels.clear()
        self._enter(self._tabs[self._number])
        self._sample()

    # keys and time ----------------------------------------------------------------------------

    def _loop(self, keyboard: int | None) -> str:
        """Draw and sample until there is a command line to run, which it returns, or the end."""
        next_s = time.monotonic() + self._level.view.interval_s
        drawn: tuple[object, ...] = ()
        while not self._level.view.leave:
            _, lines = terminal_size(self._app.output.stdout) or (80, 24)
            size = (terminal_width({}, self._app.output.stdout), lines or 24)
            view, depth = self._level.view, len(self._levels)
            now = (size, view, depth, self._number, self._samples, self._problem)
            if now != drawn:
                self._draw(*size)
                drawn = now
            for key in _pressed(keyboard, min(_AWAKE_S, max(0.0, next_s - time.monotonic()))):
                before = self._level.view.interval_s
                command = self._press(key, size[1])
                if command or self._level.view.leave:
                    return command
                next_s += self._level.view.interval_s - before
            level = self._level
            is_still = level.tab.once and level.listing is not None and not self._problem
            if time.monotonic() < next_s or level.view.paused or is_still:
                continue
            if self._samples_left is not None:
                self._samples_left -= 1
                if self._samples_left <= 0:
                    return ""
            self._sample()
            wait_s = self._level.view.interval_s
            if self._problem:
                wait_s = _RETRIES_S[min(self._failures, len(_RETRIES_S)) - 1]
            next_s = time.monotonic() + wait_s
        return ""

    def _press(self, key: str, height: int) -> str:
        """Do what a key asks for; returns the command line that is to be run, if any."""
        listing = self._level.listing
        view = after_key(
            self._level.view, key, listing.fields if listing else (), page=max(1, height - 6)
        )
        event, view = view.event, view._replace(event="")
        self._level.view = view._replace(cursor=max(0, min(view.cursor, len(self._rows) - 1)))
        tab, row = self._level.tab, self._row()
        if event == keys.OPEN and row is not None and (inside := tab.inside(row)) is not None:
            self._enter(inside)
            self._sample()
        elif event == keys.BACK and len(self._levels) > 1:
            self._levels.pop()
        elif event == keys.UPDATE:
            self._sample()
        elif event in (keys.NEXT, keys.PREVIOUS):
            self._switch(self._number + (1 if event == keys.NEXT else -1))
        elif event == keys.RUN:
            command = view.command or ""
            self._level.view = self._level.view._replace(command=None)
            try:
                words = shlex.split(command)
            except ValueError as error:
                self._problem = f"{command}: {error}"
                return ""
            if words[:1] == ["context"] and len(words) == 2 and words[1] not in _CONTEXT_VERBS:
                self._use_context(words[1])
                return ""
            return command if words else ""
        elif event.isdigit() and 1 <= int(event) <= len(self._tabs):
            self._switch(int(event) - 1)
        elif event in tab.actions and row is not None:
            self._level.view = self._level.view._replace(command=tab.actions[event].command(row))
        return ""

    def _use_context(self, name: str) -> None:
        """Look at the queue manager of another context; the one of before where that fails."""
        target = self._app.target
        before = target.connection
        self._disconnect()
        target.turn_to(ConnectionOptions(context=name))
        self._start_again()
        if self._problem:
            problem = self._problem
            self._disconnect()
            target.turn_to(before)
            self._start_again()
            self._problem = f"context {name}: {problem}"

    def _start_again(self) -> None:
        """Show the tab that is shown, of the queue manager in force, with nothing of before."""
        self._filter = self._levels[0].view.filter
        self._tabs = [_with_trends_of(self._app, tab) for tab in self._make_tabs()]
        self._levels.clear()
        self._enter(self._tabs[self._number])
        self._sample()

    def _row(self) -> Record | None:
        """The record that the cursor is on."""
        rows = self._rows
        return rows[self._level.view.cursor] if self._level.view.cursor < len(rows) else None

    def _run(self, command: str) -> None:
        """Run a command line as the shell would; then sample anew."""
        from mqtriage.cli.frame.main import main

        app = self._app
        self._disconnect()
        app.output.stdout.write(f"$ mqtriage {command}\n")
        app.output.stdout.flush()
        own = app.another()
        code = main([*connection_words(app), *shlex.split(command)], own)
        app.run.tell(f"exit code {code}; press Enter to go back")
        app.run.stdin.readline()
        if code == _TERMINATED:
            self._level.view = self._level.view._replace(leave=True)
            return
        self._sample()

    # samples ----------------------------------------------------------------------------------

    def _sample(self, *, first: bool = False) -> None:
        """Take a sample; a failure is kept to be shown, and the connection is made anew."""
        level = self._level
        row = self._row()
        try:
            if self._backend is None:
                opened = self._app.target.open_backend(read_only=True)
                self._backend = self._stack.enter_context(opened)
            listing = level.tab.collect(self._backend)
            listing.items = list(listing.items)
        except MQTriageError as error:
            if first:
                raise
            self._failures += 1
            since = f" since {level.at}" if level.at else ""
            state = "connection lost" if isinstance(error, ConnectionFailed) else "no numbers"
            self._problem = f"{state}{since}: {error.text}; trying again"
            self._disconnect()
            return
        self._problem, self._failures = "", 0
        self._samples += 1
        at = rfc3339(self._backend.now_us())[:19] + "Z"
        level.listing, level.at = listing, at
        self._keep_on(row, listing.id_key)

    def _keep_on(self, row: Record | None, key: str) -> None:
        """Leave the cursor on the record that it was on, wherever that is now."""
        rows, cursor = self._rows, self._level.view.cursor
        if row is not None and cursor:
            same = (at for at, it in enumerate(rows) if it.get(key) == row.get(key))
            cursor = next(same, cursor)
        self._level.view = self._level.view._replace(cursor=max(0, min(cursor, len(rows) - 1)))

    def _disconnect(self) -> None:
        self._backend = None
        try:
            self._stack.close()
        except MQTriageError:
            return  # what is lost cannot be ended properly

    def _draw(self, width: int, height: int) -> None:
        level = self._level
        listing = level.listing or Listing("NoList", (Field("queue", "QUEUE"),), ())
        style = self._app.output.style()._replace(width=width, is_tty=True)
        actions = [(key, action.text) for key, action in level.tab.actions.items()]
        text = frame(
            f"{self._heading()} {at_text(style)}  {level.at}".replace("  at ", "  "),
            listing,
            level.view,
            style,
            height,
            problem=self._problem,
            note="; ".join(filter(None, (level.tab.note, *listing.warnings))),
            still=level.tab.once,
            actions=actions,
        )
        # each line is written over the old one: nothing flickers
        lines = "\x1b[K\r\n".join(text.split("\n"))
        self._app.output.stdout.write(f"\x1b[H{lines}\x1b[K\x1b[J")
        self._app.output.stdout.flush()

    def _heading(self) -> str:
        """The tabs, with the one that is shown in brackets; then what was opened from it."""
        if len(self._tabs) == 1:
            names = [self._tabs[0].name]
        else:
            names = [
                f"[{tab.name}]" if number == self._number else tab.name
                for number, tab in enumerate(self._tabs)
            ]
        return " > ".join([" ".join(names), *(level.tab.name for level in self._levels[1:])])


def connection_words(app: AppContext) -> list[str]:
    """The connection options of this run, as words in front of another command."""
    from mqtriage.model.options import OPT

    words = []
    for option in fields(app.target.connection):
        value = getattr(app.target.connection, option.name)
        name = option.metadata[OPT].words(option.name)[-1]
        if value is True:
            words.append(name)
        elif isinstance(value, tuple):
            words += [word for item in value for word in (name, item)]
        elif value:
            words += [name, str(value)]
    return words


@contextmanager
def _alternate(stream: TextIO) -> Iterator[None]:
    stream.write("\x1b[?1049h\x1b[?25l")
    stream.flush()
    try:
        yield
    finally:
        stream.write("\x1b[?25h\x1b[?1049l")
        stream.flush()


@contextmanager
def _raw_keys(app: AppContext) -> Iterator[int | None]:
    """Read single keys, unechoed; None where standard input is no terminal."""
    if not app.run.terminals.stdin:
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


def _pressed(keys: int | None, wait_s: float) -> list[str]:
    """The keys pressed within *wait_s*."""
    if keys is None:
        time.sleep(wait_s)
        return []
    ready, _, _ = select.select([keys], [], [], wait_s)
    if not ready:
        return []
    data = os.read(keys, 64)
    if not data:  # the terminal is gone
        return ["\x04"]
    return keys_in(data.decode("utf-8", "replace"))
