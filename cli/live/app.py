"""The screen of `mqtriage top`, drawn with Textual: a list, the details beside it, the keys.

To act, a key offers the command lines that would do it; they run as if they had been typed into
the shell, with their plans and questions.
"""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from textwrap import fill
from typing import Any, ClassVar, Final

from rich.text import Text
from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.markup import escape
from textual.widget import Widget
from textual.widgets import DataTable, Input, Static
from textual.worker import WorkerFailed

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.options import ConnectionOptions, Connections
from mqtriage.cli.frame.signals import Stopped, handling
from mqtriage.cli.frame.tree import GROUPS
from mqtriage.cli.frame.verb import with_words
from mqtriage.cli.live.keys import HELP, KEYS, SCROLLING
from mqtriage.cli.live.level import Level, Row
from mqtriage.cli.live.sampling import RETRIES_S, WatchedManager, first_samples
from mqtriage.cli.live.screens import Section, TopScreen
from mqtriage.cli.live.widgets import CommandLine, Details, FilterLine, HelpScreen, RowTable
from mqtriage.commands.top import SCREENS
from mqtriage.formatters.cells import visible
from mqtriage.formatters.forms.rows import chosen_fields
from mqtriage.formatters.forms.select import text_of
from mqtriage.model.output_forms import TABLE
from mqtriage.model.result import Listing
from mqtriage.model.units import count_text
from mqtriage.mq.errors import MQTriageError

INTERVALS_S: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
MOST_ROWS: Final = 1_000
"""Rows of a list; a filter finds the others."""
_REST_S: Final = 0.4
"""The cursor has to stay on a row that long before its details are read: that browses."""
_TERMINATED: Final = 143
_NO_ROW: Final = "no row is listed"
_CONTEXT_VERBS: Final = frozenset(GROUPS["context"].verbs)


class TopApp(App[int]):
    """`mqtriage top` on a terminal.

    Args:
        make_screens: the screens of one queue manager.
        number: the screen that is shown first.
        interval_s: seconds between two samples.
        count: leave after so many.
    """

    TITLE = "mqtriage top"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    CSS = """
    #body { height: 1fr; }
    .-wide #body { layout: horizontal; }
    .-narrow #body { layout: vertical; }
    RowTable { height: 1fr; width: 1fr; scrollbar-size: 1 1; background: $background; }
    RowTable > .datatable--header { background: $background; text-style: bold; }
    Details { display: none; border: solid $secondary; }
    Details { scrollbar-size: 1 1; scrollbar-gutter: stable; }
    Details:focus { border: solid $accent; }
    .-wide Details { width: 1fr; }
    .-narrow Details { height: 1fr; }
    .details Details { display: block; }
    #problem { color: $error; }
    #title { text-style: bold; }
    #title, #foot { link-style: none; link-color: $foreground; }
    #title, #status { height: auto; }
    #problem, #totals { height: auto; max-height: 5; }
    CommandLine, FilterLine { display: none; }
    CommandLine { height: auto; max-height: 40%; border: none; padding: 0; }
    FilterLine { height: 1; border: none; padding: 0; }
    HelpScreen { align: center middle; }
    HelpScreen VerticalScroll { width: auto; max-width: 100%; height: auto; max-height: 100%; }
    #keys { border: solid $accent; padding: 0 1; background: $surface; width: auto; }
    """
    BINDINGS: ClassVar = [Binding("ctrl+c,ctrl+d,ctrl+q", "leave", priority=True)]

    def __init__(
        self,
        app: AppContext,
        make_screens: Callable[[], Sequence[TopScreen]],
        number: int,
        interval_s: float,
        count: int | None,
    ) -> None:
        super().__init__()
        self.run_context = app
        self._make_screens = make_screens
        self._number = number
        self._interval_s = interval_s
        self._count = count
        self._paused = False
        self._has_terminal = False
        self._levels: list[Level] = []
        self._problem = ""
        self._rows: list[Row] = []
        self._of_all = self._passing = 0
        self._wakes: dict[WatchedManager, asyncio.Event] = {}
        self._forced: set[WatchedManager] = set()
        self.asked: list[WatchedManager] = []
        self._detail_timer: Any = None
        self.failure: Exception | None = None
        self._drawn: Level | None = None
        self._offered: list[Any] = []
        """The keys of the rows that the command line is for."""

    # what is asked ------------------------------------------------------------------------------

    def connect(self, connections: Sequence[ConnectionOptions]) -> None:
        """Turn to these queue managers, and take the first samples.

        Raises:
            MQTriageError: None of them could be asked; what was looked at before stays.
        """
        every = [WatchedManager(self.run_context, one, self._make_screens()) for one in connections]
        listings: dict[WatchedManager, Listing] = {}
        error: MQTriageError | None = None
        for one, first in first_samples(every, self._number):
            if isinstance(first, Listing):
                listings[one] = first
            else:
                error = first
        if error is not None and not listings:
            for one in every:
                one.close()
            raise error
        self.disconnect()
        self.asked = every
        self._start_level()
        self._level.listings = listings

    def _handle_exception(self, error: Exception) -> None:
        """Leave; Textual's own page about an error has the values of all variables on it."""
        if isinstance(error, WorkerFailed):
            error = error.error  # type: ignore[assignment]
        self.failure = self.failure or error
        self.exit(1)

    def disconnect(self) -> None:
        """End every connection."""
        for one in self.asked:
            one.close()

    def _start_level(self) -> None:
        screens = {one: one.screens[self._number] for one in self.asked}
        kept = self._levels[0].filter if self._levels else ""
        self._levels.clear()
        self._enter(screens)
        self._level.filter = kept

    def _enter(self, screens: dict[WatchedManager, TopScreen]) -> None:
        screen = next(iter(screens.values()))
        sort, descending = None, False
        if not self._levels:
            sort, descending = self.run_context.output.options.sort_key
        if sort is None:
            sort, descending = screen.sort, screen.descending
        self._levels.append(Level(screen.name, screens, sort, descending))

    @property
    def _level(self) -> Level:
        return self._levels[-1]

    def _look_again(self) -> None:
        """Sample now what is shown."""
        for wake in self._wakes.values():
            wake.set()

    async def _watch(self, one: WatchedManager) -> None:
        """Sample one queue manager until it is no longer looked at."""
        wake = self._wakes[one] = asyncio.Event()
        is_first = True
        while one in self.asked:
            self._end_if_hung_up()
            level = self._level
            screen = level.screens.get(one)
            known = one in level.listings
            is_still = screen is not None and screen.once and known and not one.problem
            due = not (is_still or self._paused or (is_first and known)) or one in self._forced
            if screen is not None and (due or not known):
                self._forced.discard(one)
                with suppress(MQTriageError):
                    level.listings[one] = await asyncio.wrap_future(one.sample(screen))
                if one in self.asked and level is self._level:
                    self._redraw()
            is_first = False
            wait_s = self._interval_s
            if one.problem:
                wait_s = RETRIES_S[min(one.failures, len(RETRIES_S)) - 1]
            wake.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(wake.wait(), wait_s)
            if self._count is not None and all(it.samples >= self._count for it in self.asked):
                self.exit(0)
                return

    def _watch_all(self) -> None:
        self._wakes.clear()
        for one in self.asked:
            self.run_worker(self._watch(one))

    # what is drawn ------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        yield Static(id="status", markup=False)
        yield Static(id="problem", markup=False)
        yield Static(id="totals", markup=False)
        with Container(id="body"):
            yield RowTable(cursor_type="row", zebra_stripes=False)
            with Details():
                yield Static(id="pane", markup=False)
        yield FilterLine(placeholder="filter", select_on_focus=False)
        yield CommandLine(soft_wrap=True, show_line_numbers=False)
        yield Static(id="foot")

    def on_mount(self) -> None:
        self._has_terminal = _is_on_terminal()
        # no signal can be handled where this is not the main thread
        with suppress(RuntimeError, ValueError):
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    loop.add_signal_handler(number, self._end_by_signal)
        self._type_into(self._list)
        self._watch_all()
        self.call_after_refresh(self._redraw)

    def _end_by_signal(self) -> None:
        self._end_if_hung_up()
        self.exit(_TERMINATED)

    def _end_if_hung_up(self) -> None:
        """End where the terminal is gone, as a program does that handles no SIGHUP.

        Textual's own end would wait for its thread, which reads what is gone without a pause.
        """
        if self._has_terminal and not _is_on_terminal():
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            signal.raise_signal(signal.SIGHUP)

    def on_resize(self) -> None:
        self.call_after_refresh(self._redraw)

    @property
    def _list(self) -> RowTable:
        return self.screen_stack[0].query_one(RowTable)

    def _static(self, name: str) -> Static:
        return self.screen_stack[0].query_one(f"#{name}", Static)

    def _redraw(self) -> None:
        """Draw all but the details."""
        if not self.screen_stack or not self.screen_stack[0].query(RowTable):
            return  # the program ends
        level, style = self._level, self.run_context.output.style()
        every = level.rows()
        rows = level.chosen(every)
        self._of_all, self._passing = len(every), len(rows)
        self._static("title").update(self._heading())
        self._static("problem").update(visible(self._problems()))
        totals = level.totals()
        if level.filter and totals:
            totals = f"all {self._of_all} rows: {totals}"
        self._static("totals").update(totals)
        self._static("status").update(self._status())
        self._static("foot").update(self._foot())
        for name in ("problem", "totals"):
            static = self._static(name)
            static.display = bool(str(static.content))
        table = self._list
        height = 0
        if self._drawn is level and (row := self._row()) is not None:
            level.cursor = level.key(row)  # it may have moved since
            height = table.cursor_row
        self._drawn = level
        self._rows = rows[:MOST_ROWS]
        top = table.scroll_offset
        table.fill(level, self._rows, style._replace(width=max(20, table.size.width - 1)))
        if self._rows:
            # where its row is gone, the cursor stays at that height
            keys = [level.key(row) for row in self._rows]
            last = min(height, len(keys) - 1)
            under = keys.index(level.cursor) if level.cursor in keys else last
            table.move_cursor(row=under, animate=False, scroll=False)
            table.scroll_to(y=top.y, animate=False, immediate=True)
            table.call_after_refresh(lambda: table.move_cursor(row=table.cursor_row, animate=False))

    def _heading(self) -> str:
        names = []
        for number, name in enumerate(SCREENS):
            text = f"[reverse]{name}[/]" if number == self._number else name
            names.append(f"[@click=app.show({number})]{text}[/]")
        opened = "".join(f" > {escape(visible(level.name))}" for level in self._levels[1:])
        shown = list(self._level.screens)
        where = ", ".join(one.name for one in shown)
        if contexts := ", ".join(one.context for one in shown if one.context):
            where += f" (context {contexts})"
        at = max((one.at for one in shown), default="")
        return f"{' '.join(names)}{opened}  {escape(visible(where))}  {at}"

    def _status(self) -> str:
        level = self._level
        words = [] if level.screen.once else [f"every {self._interval_s:g}s"]
        if level.sort:
            ways = ("A to Z", "Z to A") if level.sorts_names else ("least first", "greatest first")
            arrow = ways[level.descending]
            words.append(f"by {level.sort_heading}, {arrow}")
        if level.filter:
            words.append(f"filter {visible(level.filter)} ({self._passing} of {self._of_all})")
        if level.marked:
            hidden = len(level.marked) - len(self._marked_rows())
            words.append(
                f"{len(level.marked)} marked" + (f", {hidden} not shown" if hidden else "")
            )
        if self._paused:
            words.append("paused")
        if self._passing > MOST_ROWS:
            words.append(f"the first {MOST_ROWS} of {self._passing}, / filters")
        notes = [level.screen.note]
        for one, listing in level.listings.items():
            of = f"{one.name}: " if len(level.listings) > 1 else ""
            notes += [f"{of}{with_words(warning, one.words)}" for warning in listing.warnings]
        if note := "; ".join(filter(None, dict.fromkeys(notes))):
            words.append(f"({note})")
        return "  ".join(words)

    def _problems(self) -> str:
        several = len(self.asked) > 1
        problems = [self._problem] if self._problem else []
        problems += [
            f"{one.name}: {one.problem}" if several else one.problem
            for one in self.asked
            if one.problem
        ]
        return "\n".join(problems)

    def _foot(self) -> str:
        first = self.screen_stack[0]
        if first.query_one(CommandLine).display:
            return (
                "[b]Enter[/b] runs it  [b]Esc[/b] goes back without running it  edit it as needed"
            )
        if first.query_one(FilterLine).display:
            return "[b]Enter[/b] keeps the filter  [b]Esc[/b] ends it"
        keys = [("q", "quit", "leave"), ("?", "help", "help"), ("Enter", "open", "open")]
        keys += [("d", "details", "details"), ("/", "filter", "filter"), ("Space", "mark", "mark")]
        own = [(k, it.text, f"act('{k}')") for k, it in self._level.screen.actions.items()]
        if self._level.filter and not self._level.marked:
            own.insert(0, ("Esc", "end filter", "go_back"))
        keys[2:2] = own  # where a narrow terminal ends, what every screen has is cut
        return "  ".join(f"[@click=app.{does}][b]{key}[/b] {text}[/]" for key, text, does in keys)

    # the cursor and the details -----------------------------------------------------------------

    def _row(self) -> Row | None:
        at = self._list.cursor_row
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def on_data_table_row_highlighted(self) -> None:
        row = self._row()
        if row is not None and (self._list.has_focus or self._shows_details):
            before, self._level.cursor = self._level.cursor, self._level.key(row)
            if before != self._level.cursor:
                self._wait_for_details()

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        key = str(event.column_key.value)
        level = self._level
        if level.sort == key:
            level.descending = not level.descending
        else:
            level.sort_by(key)
        self._redraw()

    def _move_to(self, key: Any) -> None:
        """Put the cursor on a row, if it is still in the list."""
        keys = [self._level.key(row) for row in self._rows]
        if key in keys:
            self._list.move_cursor(row=keys.index(key), animate=False)

    def _marked_rows(self) -> list[Row]:
        """The marked rows that the list shows."""
        return [row for row in self._rows if self._level.key(row) in self._level.marked]

    @property
    def _shows_details(self) -> bool:
        return self.has_class("details")

    def _wait_for_details(self) -> None:
        """Read the details once the cursor has rested."""
        if self._detail_timer is not None:
            self._detail_timer.stop()
        if self._shows_details:
            self._detail_timer = self.set_timer(_REST_S, self._read_details)

    @work(exclusive=True, group="details")
    async def _read_details(self) -> None:
        row = self._row()
        if row is None:
            self._static("pane").update("")
            return
        level = self._level
        one, record = row
        screen = level.screens[one]
        width = max(20, self._static("pane").size.width)
        style = self.run_context.output.style()._replace(
            form=TABLE, width=width, sort=None, limit=None, columns=(), is_tty=False
        )
        text = Text()
        sections = list(screen.details(record))
        if about := record.get(screen.about):
            columns = ("began", "action", "done", "state", "op")
            operations = Section(
                "last operations", lambda _: one.operations_on(str(about)), columns
            )
            sections.insert(min(2, len(sections)), operations)
        for section in sections:
            at = f" at {one.name}" if len(self.asked) > 1 else ""
            text.append(f"{section.heading}{at}\n", "bold reverse")
            shown = partial(_written, section, style)
            try:
                text.append_text(await asyncio.wrap_future(one.ask(shown)))
            except MQTriageError as error:
                text.append(visible(str(error)), "red")
            text.append("\n")
            now = self._row()
            if level is not self._level or now is None or level.key(now) != level.key(row):
                self._wait_for_details()  # those of the row that is under the cursor by now
                return
            self._static("pane").update(text.copy())

    def action_details(self) -> None:
        """Show the pane beside the list, or take it away."""
        self.toggle_class("details")
        self._level.has_details = self._shows_details
        self._static("pane").update("")
        if self._shows_details:
            self.call_after_refresh(self._read_details)
        else:
            self._type_into(self._list)
        self.call_after_refresh(self._redraw)

    def action_into_details(self) -> None:
        if self._shows_details:
            self._type_into(self.screen.query_one(Details))
        else:
            self._say("no details are open; d opens them")

    def action_into_list(self) -> None:
        self._type_into(self._list)

    def action_nothing(self) -> None:
        """A key that a table would take for its own."""

    # keys ---------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Take the keys of the list as they come.

        A widget would take them from a queue of its own, and what is typed ahead of a line that
        opens would be lost.
        """
        if isinstance(event, events.Key) and self._takes(event.key):
            if event.character is not None and event.character in self._actions():
                self.action_act(event.character)
                return
            if (does := KEYS.get(event.character or "") or KEYS.get(event.key)) is not None:
                await self.run_action(does)
                return
        await super().on_event(event)

    def _takes(self, key: str) -> bool:
        """Whether a key is one of the list: in the details, too, unless they use it to scroll."""
        in_details = isinstance(self.focused, Details) and key not in SCROLLING
        return in_details or self.focused is self._list

    def _actions(self) -> set[str]:
        """The keys that act on rows, here or on another screen."""
        screens = (*self._level.screens.values(), *(it for one in self.asked for it in one.screens))
        return {key for screen in screens for key in screen.actions}

    def _say(self, text: str) -> None:
        self._problem = text
        self._redraw()

    def action_leave(self) -> None:
        self.exit(0)

    def action_help(self) -> None:
        actions = self._level.screen.actions.items()
        own = [(key, f"{it.text}: shows the command before it runs") for key, it in actions]
        width, indent = max(40, self.size.width - 4), " " * 16
        rows = [
            fill(f"{key:<16}{text}", width, subsequent_indent=indent)
            for key, text in (*HELP[:-1], *own, HELP[-1])
        ]
        self.push_screen(HelpScreen("\n".join([*rows, "", "any key: back"])))

    def action_open(self) -> None:
        row = self._row()
        if row is None:
            self._say(_NO_ROW)
            return
        one, record = row
        inside = self._level.screens[one].inside(record)
        if inside is not None:
            self.action_into_list()
            self._enter({one: inside})
            self._forced.add(one)
            self._turned()
        elif self._shows_details:
            self.action_into_details()
        else:
            self.action_details()

    def action_go_back(self) -> None:
        """Undo what was done last: the marks, the details, the filter, what was opened."""
        if self._level.marked:
            self._level.marked.clear()
        elif self._shows_details and self._level.has_details:
            self.action_details()
        elif self._level.filter:
            self._level.filter = ""
        elif len(self._levels) > 1:
            self._levels.pop()
        self._turned()

    def action_step(self, step: int) -> None:
        self.action_show((self._number + step) % len(SCREENS))

    def action_show(self, number: int) -> None:
        if number == self._number and len(self._levels) == 1:
            return
        self._number = number
        self.action_into_list()
        self._start_level()
        self._turned()

    def _turned(self) -> None:
        """Something else is shown than before."""
        self._problem = ""
        self._redraw()
        self._look_again()
        self._wait_for_details()

    def action_cursor(self, step: int) -> None:
        table = self._list
        if step > 0:
            table.action_cursor_down()
        else:
            table.action_cursor_up()

    def action_row(self, at: int) -> None:
        """Move to the first row, or to the last (-1)."""
        self._list.move_cursor(row=at % max(1, len(self._rows)), animate=False)

    def action_mark(self) -> None:
        row = self._row()
        if row is not None:
            self._level.marked ^= {self._level.key(row)}
            self.action_cursor(1)
            if (now := self._row()) is not None:
                self._level.cursor = self._level.key(now)
            self._redraw()
        else:
            self._say(_NO_ROW)

    def action_sort(self, step: int) -> None:
        keys = [f.key for f in self._level.fields]
        if keys:
            at = keys.index(self._level.sort) if self._level.sort in keys else -1
            self._level.sort_by(keys[(at + step) % len(keys)])
        self._redraw()

    def action_reverse(self) -> None:
        self._level.descending = not self._level.descending
        self._redraw()

    def action_pause(self) -> None:
        self._paused = not self._paused
        self._redraw()

    def action_update(self) -> None:
        self._forced |= set(self._level.screens)
        self._look_again()

    def action_interval(self, step: int) -> None:
        apart = [abs(known_s - self._interval_s) for known_s in INTERVALS_S]
        at = apart.index(min(apart)) + step
        self._interval_s = INTERVALS_S[min(max(at, 0), len(INTERVALS_S) - 1)]
        self._redraw()
        self._look_again()

    # the filter and the command line ------------------------------------------------------------

    def _type_into(self, widget: Widget) -> None:
        """Have the next key go to *widget*, and take away a line that it does not go to."""
        for line in self.screen.query("CommandLine, FilterLine"):
            line.display = line is widget
        if self._drawn is not None:
            self._static("foot").update(self._foot())
        self.screen.set_focus(widget)  # at once: what is typed ahead belongs there

    def action_filter(self) -> None:
        line = self.screen.query_one(FilterLine)
        line.value = self._level.filter = ""  # the line may be empty, as it is of every screen
        self._type_into(line)
        self._redraw()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._level.filter = event.value
        self._redraw()

    def action_end_filter(self) -> None:
        self.screen.query_one(FilterLine).value = self._level.filter = ""
        self.action_into_list()
        self._redraw()

    def action_command(self, text: str, rows: Sequence[Any] = ()) -> None:
        """Offer a command line, or several, for the rows with these keys."""
        self._offered = list(rows)
        line = self.screen.query_one(CommandLine)
        line.text = text
        line.move_cursor(line.document.end)
        self._type_into(line)

    def action_act(self, key: str) -> None:
        """Offer the commands of a key, for the marked rows or that of the cursor."""
        level, action = self._level, self._level.screen.actions.get(key)
        if action is None:
            has = ", ".join(f"{it} {does.text}" for it, does in level.screen.actions.items())
            self._say(f"{key}: not on this screen" + (f", which has {has}" if has else ""))
            return
        row = self._row()
        chosen = self._marked_rows()
        if level.marked and not chosen:  # never another row than those that were chosen
            self._say(f"{action.text}: no marked row is shown; Esc clears the marks")
            return
        if row is None:
            self._say(f"{action.text}: {_NO_ROW}")
            return
        chosen = chosen or [row]
        lines = []
        for one in self.asked:
            prefix = f"mqtriage {one.words} ".replace("  ", " ")  # to be pasted elsewhere
            own = action.commands([record for it, record in chosen if it is one])
            lines += [prefix + line for line in own]
        where = ", ".join(str(self._level.key(row)[1]) for row in chosen)
        self._say("" if lines else f"{action.text}: {where}: {action.lacks}")
        if lines:
            self.action_command("\n".join(lines), [self._level.key(row) for row in chosen])

    def action_run_command(self) -> None:
        text = self.screen.query_one(CommandLine).text
        self.action_into_list()
        commands = []
        for line in text.splitlines():
            try:
                words = shlex.split(line)
            except ValueError as error:
                self._problem = f"{line}: {error}"
                self._redraw()
                return
            if words[:1] == ["mqtriage"]:
                words = words[1:]
            if words:
                commands.append(words)
        if len(commands) == 1 and self._is_of_the_screen(commands[0]):
            return
        if commands:
            self._run_all(commands)

    def _is_of_the_screen(self, words: Sequence[str]) -> bool:
        """Whether it is a command to this screen, which is then done."""
        match words:
            case [name] if name in SCREENS:
                self.action_show(list(SCREENS).index(name))
            case ["context" | "ctx", names] if names not in _CONTEXT_VERBS:
                self._turn_to(Connections(context=tuple(names.split(","))), f"context {names}")
            case ["-m" | "--qmgr", names]:
                self._turn_to(Connections(qmgr=tuple(names.split(","))), names)
            case ["q" | "quit"]:
                self.exit(0)
            case _:
                return False
        return True

    def _turn_to(self, connection: Connections, name: str) -> None:
        """Look at other queue managers; those of before stay where that fails."""
        other = self.run_context.another()
        self._problem = ""
        try:
            other.bind(connection, self.run_context.output.options)
            self.connect(other.target.connections)
        except MQTriageError as error:
            self._problem = f"{name}: {error}"
            self._redraw()
            return
        self.run_context.target.bind(connection)
        self._watch_all()
        self._turned()

    def _run_all(self, commands: Sequence[Sequence[str]]) -> None:
        """Run command lines as the shell would, until one fails; then sample again."""
        for one in self.asked:
            one.disconnect()
        # asyncio's own handler would end this screen, and no question that is being asked
        with _on_ctrl_c(signal.SIG_IGN), self.suspend(), _on_ctrl_c(signal.default_int_handler):
            code = ExitCode.INTERRUPTED.value
            with _until_ctrl_c():  # a second one, while the first is reported
                code = self._run_each(commands)
        if code == _TERMINATED:
            self.exit(code)
            return
        if code == 0 and self._offered:  # else the same rows are chosen still
            if self._level.marked:
                self._move_to(self._offered[0])
            self._level.marked.clear()
        self._forced |= set(self._level.screens)
        for one in self.asked:
            one.samples = max(0, one.samples - 1)
        self._turned()

    def _run_each(self, commands: Sequence[Sequence[str]]) -> int:
        from mqtriage.cli.frame.main import main

        app, code = self.run_context, 0
        for number, words in enumerate(commands, 1):
            whole = [*self._connection(words), *words]
            app.output.stdout.write(f"$ mqtriage {shlex.join(whole)}\n")
            app.output.stdout.flush()
            code = main(whole, app.another())
            rest = len(commands) - number
            if code and len(commands) > 1:
                not_run = f"; not run: {count_text(rest, 'more command')}" if rest else ""
                app.run.tell(f"{number - 1} of {len(commands)} done{not_run}")
                break
        app.run.tell(f"exit code {code}; press Enter to go back")
        with _until_ctrl_c():
            app.run.stdin.readline()
        return code

    def _connection(self, words: Sequence[str]) -> Sequence[str]:
        """The connection options that a command lacks."""
        own = {"-m", "--qmgr", "--context"} & set(words)
        return () if own else shlex.split(" ".join(one.words for one in self.asked))


def _is_on_terminal() -> bool:
    """Whether what is typed comes from a terminal that is still there."""
    return sys.__stdin__ is not None and sys.__stdin__.isatty()


@contextmanager
def _until_ctrl_c() -> Iterator[None]:
    """Go on behind the block at Ctrl-C; SIGTERM still ends the program."""
    try:
        yield
    except Stopped:
        raise
    except KeyboardInterrupt:
        pass


def _on_ctrl_c(handler: Any) -> AbstractContextManager[None]:
    return handling(handler, signal.SIGINT)


def _written(section: Section, style: Any, backend: Any) -> Text:
    """A section as text for people; of its columns those that fit."""
    result = section.read(backend)
    if isinstance(result, Listing):
        if section.columns:
            chosen = chosen_fields(result.fields, section.columns, wide=False)
            result.fields = tuple(field._replace(wide=False) for field in chosen)
        result.items = list(result.items)
        if not result.items:
            return Text("none\n", "dim")
    return Text.from_ansi(text_of(result, style))
