"""`mqtriage top` on a terminal: screens and keys, what is opened, and acting as the shell would.

Screens and keys are tried in this process, on a screen without a terminal; what runs a command or
ends the program, on a terminal.
"""

from __future__ import annotations

import asyncio
import re
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from mqtriage.cli.frame.options import Connections, Output
from mqtriage.cli.live.sampling import WatchedManager
from mqtriage.cli.live.screens import KeyAction, TopScreen, screens_of
from mqtriage.commands.top import SCREENS, Count, rates
from mqtriage.mq.errors import MQTriageError
from tests.acceptance.conftest import ON_A_TERMINAL, Bench
from tests.support.application import app_for_test
from tests.support.terminal import OnTerminal
from tests.support.tools import module

module("textual", "textual")

from textual import events  # noqa: E402
from textual.containers import VerticalScroll  # noqa: E402
from textual.pilot import Pilot  # noqa: E402
from textual.widgets import DataTable, TextArea  # noqa: E402

from mqtriage.cli.live.app import TopApp  # noqa: E402
from mqtriage.cli.live.keys import HELP, KEYS  # noqa: E402
from mqtriage.cli.live.widgets import Details, RowTable  # noqa: E402

pytestmark = pytest.mark.slow

ESCAPE = "\x1b"
CTRL_C = "\x03"
Start = Callable[..., OnTerminal]


@pytest.fixture
def real(tmp_path: Path) -> Bench:
    """A queue manager in a context `dev`, with messages on a queue, a backout and a dead one."""
    bench = Bench(tmp_path / "home")
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "config.toml")
    bench.ok("emulator", "create", "QM1", "--sample")
    bench.ok("context", "add", "dev", "-m", "QM1", "--use")
    bench.define("APP.IN", "OTHER.IN")
    bench.ok("msg", "put", "APP.IN", "hello", "--count", "9", "--yes")
    return bench


class Shown:
    """The screen as somebody at it sees it and presses keys."""

    def __init__(self, app: TopApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def text(self) -> str:
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    async def until(self, *texts: str, without: str = "\0", seconds: float = 60) -> str:
        """What is shown, once all *texts* are."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if all(text in self.text for text in texts) and without not in self.text:
                return self.text
            await self.pilot.pause(0.05)
        raise AssertionError(f"{texts} not shown, or {without!r} is:\n{self.text}")

    async def open(self, heading: str) -> None:
        """Open the row at the cursor, and wait for the list with *heading* to have rows."""
        await self.press("enter")
        await self.until(heading)
        end = time.monotonic() + 60
        while not self.rows and time.monotonic() < end:
            await self.pilot.pause(0.05)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        for character in text:
            await self.pilot.press("space" if character == " " else character)

    async def to(self, name: str) -> None:
        """Move the cursor to the row of a name."""
        table = self.app.query_one(DataTable)
        for number in range(table.row_count):
            cells = [str(cell).lstrip("*") for cell in table.get_row_at(number)]
            if name in cells:
                table.move_cursor(row=number)
                await self.pilot.pause()
                return
        raise AssertionError(f"{name} is not in the list:\n{self.text}")

    @property
    def rows(self) -> list[list[str]]:
        table = self.app.query_one(DataTable)
        return [[str(cell) for cell in table.get_row_at(n)] for n in range(table.row_count)]

    @property
    def cursor(self) -> list[str]:
        table = self.app.query_one(DataTable)
        return [str(cell) for cell in table.get_row_at(table.cursor_row)]

    @property
    def command(self) -> str:
        return self.app.query_one(TextArea).text


Steps = Callable[[Shown], Awaitable[None]]
Run = Callable[..., TopApp]


@pytest.fixture
def run(real: Bench) -> Run:
    """Show a screen without a terminal and press keys at it."""

    def run(
        steps: Steps,
        *,
        screen: str = "queues",
        pattern: str | None = None,
        size: tuple[int, int] = (120, 40),
        qmgr: tuple[str, ...] = (),
        make: Callable[[], list[TopScreen]] | None = None,
    ) -> TopApp:
        app = app_for_test(environ=real.environ, terminals=ON_A_TERMINAL)
        app.bind(Connections(qmgr=qmgr), Output(form="table"))
        number = list(SCREENS).index(screen)
        top = TopApp(app, make or (lambda: screens_of(pattern)), number, 0.3, None)
        top.connect(app.target.connections)

        async def go() -> None:
            async with top.run_test(size=size) as pilot:
                shown = Shown(top, pilot)
                await shown.until("q quit")
                await steps(shown)

        try:
            asyncio.run(go())
        finally:
            top.disconnect()
        return top

    return run


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
@pytest.mark.parametrize(
    ("screen", "texts"),
    [
        ("queues", ("DEAD.LETTER.QUEUE", "CURDEPTH", "staged 2", "m move", "x purge")),
        ("delay", ("TARGET", "ORDERS.IN", "NEXT_DUE", "curdepth 2", "c cancel", "R release")),
        ("backout", ("backout queues 1", "BOTHRESH", "ORDERS.BO", "R requeue", "x purge", "w why")),
        ("dlq", ("MQRC_Q_FULL", "COUNT", "message count 5", "R requeue", "x purge")),
    ],
)
def test_each_screen_is_whole_on_a_narrow_and_a_wide_terminal(
    run: Run, screen: str, texts: tuple[str, ...], size: tuple[int, int]
) -> None:
    async def steps(shown: Shown) -> None:
        text = await shown.until("QM1 (context dev)", *texts)
        assert text.splitlines()[0].startswith("queues delay backout dlq")
        assert all(len(line) <= size[0] for line in text.splitlines())

    run(steps, screen=screen, size=size)


def test_messages_on_backout_queues_are_counted_above_the_queues(real: Bench, run: Run) -> None:
    real.ok("queue", "define", "ORDERS.BOA", "TARGET=ORDERS.BO", "--yes")
    real.ok("backout", "set", "APP.IN", "--threshold", "3", "--boq", "ORDERS.BOA", "--yes")
    real.ok("msg", "put", "ORDERS.BO", "x", "--count", "68", "--yes")
    for pattern in ("*", "ORDERS.IN", "APP.IN"):
        totals = real.ok("top", "queues", pattern, "-o", "json").json["summary"]
        assert totals["on_backout_queues"] == 70, pattern
    totals = real.ok("top", "queues", "OTHER.IN", "-o", "json").json["summary"]
    assert totals["on_backout_queues"] is None

    async def steps(shown: Shown) -> None:
        await shown.until("on backout queues 70")

    run(steps, size=(80, 24))


def test_two_keys_at_once_close_the_help_once(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.press("question_mark")
        await shown.until("any key")
        help_screen = shown.app.screen
        for _ in range(2):
            help_screen.post_message(events.Key("j", "j"))
        await shown.until("q quit", without="any key")

    run(steps)


def test_each_key_is_in_the_help_and_any_key_goes_back(run: Run) -> None:
    named = set(keys_in_help())
    names = {"escape": "Esc", "enter": "Enter", "tab": "Tab", " ": "Space",
             "home": "Home", "end": "End"}  # fmt: skip
    untold = {"?", "h", "shift+tab"}  # the foot has the first; the last is Tab backwards
    assert {names.get(key, key) for key in KEYS} - untold <= named

    async def steps(shown: Shown) -> None:
        await shown.press("question_mark")
        await shown.until("move the cursor", "purge: shows the command before it runs", "any key")
        await shown.press("q")  # a key like any other there
        await shown.until("q quit", without="any key")
        await shown.press("h")
        await shown.until("any key")
        await shown.press("escape")

    run(steps)


@pytest.mark.parametrize("screen", SCREENS)
def test_the_help_is_whole_at_80_by_24(run: Run, screen: str) -> None:
    async def steps(shown: Shown) -> None:
        await shown.press("question_mark")
        text = await shown.until("any key")
        assert "up, down" in text
        assert not shown.app.screen.query_one(VerticalScroll).max_scroll_y

    run(steps, screen=screen, size=(80, 24))


def test_r_in_the_messages_of_a_backout_queue_requeues_those_that_are_marked(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.to("ORDERS.BO")
        await shown.press("enter")
        await shown.until("> ORDERS.BO", "R requeue")
        await shown.press("space", "space", "R")
        both = r"( --msgid [0-9A-F]{48}){2}"
        assert re.fullmatch(
            rf"mqtriage backout requeue ORDERS.BO{both} --to ORDERS.IN ", shown.command
        )

    run(steps, screen="backout", pattern="ORDERS.*")
    run(steps, screen="queues")


def test_a_key_that_has_no_use_here_says_so(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("APP.IN")
        await shown.press("w")
        await shown.until("w: not on this screen, which has m move, x purge, R requeue")
        await shown.press("enter", "R")
        await shown.until("> APP.IN", "R: not on this screen, which has m move, x purge")
        await shown.press("right")
        await shown.until("no details are open; d opens them", without="R: not")
        await shown.press("slash", *"none", "enter", "m")
        await shown.until("move: no row is listed")

    run(steps, pattern="APP.*")


def test_the_keys_of_the_list_work_while_the_details_are_scrolled(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("APP.IN")
        await shown.press("enter")
        await shown.until("message count 9")
        await shown.press("enter", "enter")
        assert isinstance(shown.app.focused, Details)
        await shown.press("R")
        await shown.until("R: not on this screen, which has m move")
        await shown.press("m")
        assert shown.command.startswith("mqtriage msg move APP.IN --msgid ")
        await shown.press("escape", "right", "tab")
        await shown.until("NEXT_DUE")
        assert isinstance(shown.app.focused, RowTable)

    run(steps, pattern="APP.*")


PRESSED = {"PgUp": "pageup", "PgDn": "pagedown", "Esc": "escape", "Space": "space",
           "/": "slash", "+": "plus", "-": "minus", ":": "colon"}  # fmt: skip
BEFORE = {"left": ["d", "right"], "right": ["d"], "Esc": ["space"]}
"""What is pressed first, so that the key has something to do."""


def keys_in_help() -> list[str]:
    (_, also) = HELP[0]
    words = [word for keys, _ in HELP for word in keys.replace(",", " ").split()]
    return [word for word in also.replace(",", " ").split() if word[0].isupper()] + words


def test_each_key_of_the_help_does_something(run: Run) -> None:
    idle = []

    async def steps(shown: Shown) -> None:
        await shown.until("ORDERS.IN")
        app, table = shown.app, shown.app.query_one(DataTable)

        def state() -> object:
            level, samples = app._level, [one.samples for one in app.asked]
            view = (app.focused, table.cursor_row, app.has_class("details"), app._exit)
            pace = (app._paused, app._interval_s, samples)
            return view, pace, level.name, level.sort, level.descending, len(level.marked)

        for key in keys_in_help():
            await shown.press("escape", "escape", "1" if key != "1" else "2")
            await shown.press(*["d"] * app.has_class("details"), *["p"] * (not app._paused))
            await shown.press("home", "down", "down", *BEFORE.get(key, []))
            await shown.pilot.pause(0.05)
            before = state()
            await shown.press(PRESSED.get(key, key.lower() if len(key) > 1 else key))
            end = time.monotonic() + 5
            while state() == before and time.monotonic() < end:
                await shown.pilot.pause(0.05)
            if state() == before:
                idle.append(key)

    run(steps, size=(80, 24))
    assert idle == []


@pytest.mark.parametrize(
    ("key", "at"), [("home", 0), ("end", -1), ("ctrl+home", 0), ("ctrl+end", -1)]
)
def test_home_and_end_go_to_the_first_and_the_last_row(run: Run, key: str, at: int) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("APP.IN")
        await shown.press("down", "down", "down", key)
        await shown.pilot.pause()
        assert shown.cursor == shown.rows[at]
        await shown.press("home", "down", "down", "space", "x")
        assert shown.rows[2][0].startswith("*")
        assert shown.rows[2][0].removeprefix("*") in shown.command

    run(steps, size=(80, 24))


def test_enter_opens_the_messages_then_the_details_of_one_and_escape_goes_back(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("APP.IN")
        await shown.press("enter")
        await shown.until("> APP.IN", "message count 9", "browsed once")
        await shown.press("escape")
        await shown.until("every 0.3s", without="> APP.IN")
        await shown.press("enter")
        await shown.until("> APP.IN", "message count 9")
        await shown.press("enter")
        await shown.until("> APP.IN", "msg id")
        await shown.press("escape")
        await shown.until("> APP.IN", without="msg id")
        await shown.press("escape")
        await shown.until("every 0.3s", without="> APP.IN")

    run(steps, pattern="APP.*")


def test_the_cursor_moves_and_stays_on_its_queue(real: Bench, run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("APP.IN")
        assert shown.cursor[0] == "APP.IN"
        await shown.press("down", "down", "down", "j", "k")
        name = shown.cursor[0]
        assert name != "APP.IN"
        real.ok("msg", "put", name, "x", "--count", "30", "--yes")
        while shown.rows[0][0] != name:  # the deepest now, and the cursor is still on it
            await shown.pilot.pause(0.1)
        await shown.pilot.pause(0.1)
        assert shown.cursor[0] == name

    run(steps)


def test_tab_and_numbers_go_to_the_other_screens(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.press("tab")
        await shown.until("TARGET_QMGR")
        await shown.press("4")
        await shown.until("MQRC_Q_FULL")
        await shown.press("enter")
        await shown.until("> dead letters", "message count 1")
        await shown.press("shift+tab")
        await shown.until("BOTHRESH", without=">")
        await shown.press("1")
        await shown.until("CURDEPTH")

    run(steps)


def test_delayed_messages_are_told_by_target_with_their_due_times(real: Bench, run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("NEXT_DUE", "PAYMENTS.IN")
        assert shown.rows[0][0] == "PAYMENTS.IN"  # the next that is due comes first
        await shown.press("enter")
        await shown.until("> delayed to PAYMENTS.IN", "DUE", "message count 1")
        await shown.press("c")
        await shown.until("mqtriage delay cancel --msgid ")
        await shown.press("escape", "t")
        assert re.fullmatch(
            r"mqtriage delay reschedule --msgid [0-9A-F]{48} --shift \+1h", shown.command
        )
        await shown.press("escape", "escape")
        await shown.until("NEXT_DUE", without=">")
        await shown.press("R")
        assert shown.command == "mqtriage delay release --target PAYMENTS.IN"
        await shown.press("escape", "t")
        assert shown.command == "mqtriage delay reschedule --target PAYMENTS.IN --shift +1h"
        await shown.press("escape", "question_mark")
        await shown.until("reschedule: shows the command before it runs", "any key")
        await shown.press("escape", "space", "space", "c")
        assert shown.command.splitlines() == [
            "mqtriage delay cancel --target PAYMENTS.IN",
            "mqtriage delay cancel --target ORDERS.IN",
        ]
        await shown.press("escape")
        real.ok("msg", "put", "APP.IN", "x", "--delay", "1m", "--yes")
        await shown.until("APP.IN", "curdepth 3")

    run(steps, screen="delay")


def test_r_on_the_queues_screen_requeues_from_a_backout_queue(run: Run, real: Bench) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("ORDERS.BO")
        await shown.to("ORDERS.BO")
        await shown.press("R")
        assert shown.command == "mqtriage backout requeue ORDERS.BO --to ORDERS.IN "
        await shown.press("escape")
        await shown.to("ORDERS.IN")
        await shown.press("R")
        await shown.until("requeue: ORDERS.IN: not a backout queue; the dlq screen requeues dead")
        real.ok("backout", "set", "APP.IN", "--threshold", "3", "--boq", "ORDERS.BO", "--yes")
        await shown.press("u")
        await shown.to("ORDERS.BO")
        await shown.press("R")
        assert shown.command == "mqtriage backout requeue ORDERS.BO --to origin "

    run(steps)


@pytest.mark.parametrize("queue", ["ORDERS.IN", "ORDERS.BO"])
def test_a_backout_queue_and_the_queue_it_belongs_to_offer_the_same(
    run: Run, real: Bench, queue: str
) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("ORDERS.BO")
        await shown.to(queue)
        for key, command in (
            ("R", "mqtriage backout requeue ORDERS.BO --to ORDERS.IN "),
            ("w", "mqtriage backout causes ORDERS.BO "),
            ("x", "mqtriage backout purge ORDERS.BO "),
        ):
            await shown.press(key)
            assert shown.command == command
            await shown.press("escape")
        await shown.to("APP.IN")
        await shown.press("R")
        await shown.until("requeue: APP.IN: it has no BOQNAME, and is not a backout queue")
        real.ok("backout", "set", "APP.IN", "--threshold", "3", "--boq", "ORDERS.BO", "--yes")
        await shown.until("shared")
        await shown.to(queue)
        await shown.press("R")
        assert shown.command == "mqtriage backout requeue ORDERS.BO --to origin "
        await shown.until("ORDERS.BO --to origin", without="is not a backout queue")

    run(steps, screen="backout")


def test_details_stand_beside_the_list_and_scroll(real: Bench, run: Run) -> None:
    real.ok("msg", "move", "APP.IN", "--to", "OTHER.IN", "--limit", "1", "--yes")
    headings = ("open handles", "first messages", "last operations", "definition")

    async def steps(shown: Shown) -> None:
        await shown.until("APP.IN")
        await shown.press("d")
        await shown.until(*headings, "none", "move", "done", "QLOCAL")
        lines = shown.text.splitlines()
        (row,) = [line for line in lines if line.lstrip().startswith("APP.IN")]
        assert len(row) > 60, "the pane stands beside the list"
        details = shown.app.query_one(Details)
        await shown.press("right", "end")
        await shown.until("STATQ")
        assert details.scroll_offset.y > 0
        await shown.press("left", "down", "up")
        await shown.press("d")
        await shown.until("APP.IN", without="open handles")

    run(steps, pattern="APP.*")


@pytest.mark.parametrize(
    ("width", "headings"),
    [(120, ["MSGID", "PUT_TIME", "LENGTH"]), (160, ["MSGID", "PUT_TIME", "PUT_APPL", "LENGTH"])],
)
def test_each_message_in_the_details_has_one_line_of_the_columns_that_fit(
    run: Run, width: int, headings: list[str]
) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("ORDERS.IN")
        await shown.to("ORDERS.IN")
        await shown.press("d")
        lines = (await shown.until("first messages", "QLOCAL(ORDERS.IN)")).splitlines()
        cells = [line.rpartition("│")[0].rpartition("│")[2].split() for line in lines]
        start = cells.index(["first", "messages"])
        assert cells[start + 1] == headings
        rows = cells[start + 3 : cells.index(["last", "operations"]) - 1]
        assert [row[-1] for row in rows] == ["25B", "391B", "183B", "356B"]
        assert {len(row) for row in rows} == {len(headings) + 1}, "a time is two words"
        assert ("com.example.PartnerGateway" in rows[3]) == ("PUT_APPL" in headings)

    run(steps, size=(width, 40))


def test_details_stand_below_the_list_on_a_narrow_terminal(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.press("d")
        lines = (await shown.until("open handles")).splitlines()
        assert next(n for n, line in enumerate(lines) if "open handles" in line) > 10

    run(steps, size=(80, 24))


@pytest.mark.parametrize(
    ("screen", "keys", "texts"),
    [
        ("queues", ("enter",), ("put appl name", "hello")),
        ("delay", (), ("staging queue", "open handles")),
        ("delay", ("enter",), ("message", "target", "PAYMENTS.IN")),
        ("backout", (), ("first messages of ORDERS.BO", "definition")),
        ("dlq", (), ("first dead letters", "open handles")),
        ("dlq", ("enter",), ("MQRC_",)),
    ],
)
def test_details_of_each_screen(
    run: Run, screen: str, keys: tuple[str, ...], texts: tuple[str, ...]
) -> None:
    async def steps(shown: Shown) -> None:
        if screen == "backout":
            await shown.to("ORDERS.IN")
        await shown.press(*keys, "d")
        await shown.until(*texts, without="error")

    run(steps, screen=screen, size=(160, 60))


@pytest.mark.parametrize("screen", ["queues", "delay"])
def test_the_body_of_a_message_comes_first_behind_what_identifies_it(run: Run, screen: str) -> None:
    """It is what people look for, and 35 lines of descriptor filled the pane."""

    async def steps(shown: Shown) -> None:
        await shown.open("MSGID")
        await shown.press("enter")
        text = await shown.until("msg id", "put appl name", "body", "group id")
        place = text.index("body ")
        assert text.index("msg id") < text.index("put appl name") < place < text.index("group id")
        assert "ccsid" in text[place:]

    run(steps, screen=screen, size=(160, 60))


def test_details_that_may_not_be_read_say_why_and_the_rest_is_shown(real: Bench, run: Run) -> None:
    real.ok("context", "add", "shy", "-m", "QM1", "no_browse=APP.*")

    async def steps(shown: Shown) -> None:
        await shown.type(":context shy")
        await shown.press("enter")
        await shown.until("(context shy)")
        await shown.press("d")
        await shown.until("APP.* is never browsed", "definition", "QLOCAL")

    run(steps, pattern="APP.*")


def test_details_whose_row_left_the_list_meanwhile_are_those_of_the_row_in_its_place(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("APP.IN")
        await shown.to("OTHER.IN")
        slow: Future[Text] = Future()
        with monkeypatch.context() as patched:
            patched.setattr(WatchedManager, "ask", lambda *_: slow)
            await shown.press("d")
            await shown.pilot.pause(0.5)
        for key in ("slash", *"app", "full_stop", *"in", "enter"):  # all at once
            character = {"slash": "/", "full_stop": ".", "enter": "\r"}.get(key, key)
            shown.app.post_message(events.Key(key, character))
        await shown.until("filter app.in (1 of")
        slow.set_result(Text("of OTHER.IN"))
        await shown.until("QLOCAL(APP.IN)", without="of OTHER.IN", seconds=10)

    run(steps)


def test_marked_rows_are_acted_on_together(real: Bench, run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("APP.IN")
        await shown.press("enter")
        await shown.until("message count 9")
        await shown.press("space", "space", "j", "space")
        await shown.until("3 marked")
        assert [row[0].startswith("*") for row in shown.rows] == [True, True, False, True] + [
            False
        ] * 5
        await shown.press("x")
        (line,) = shown.command.splitlines()
        assert line.startswith("mqtriage msg purge APP.IN --msgid ")
        assert line.count("--msgid") == 3
        await shown.until(line[-20:])  # wrapped: its end is on the screen, too
        await shown.press("escape", "escape")
        await shown.until("message count 9", without="marked")

    run(steps, pattern="APP.*")


def test_marked_rows_that_are_not_shown_are_not_replaced_by_the_row_of_the_cursor(
    run: Run,
) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("ORDERS.BO")
        await shown.to("ORDERS.BO")
        await shown.press("space")
        await shown.type("/app.in")
        await shown.press("enter")
        await shown.until("1 marked, 1 not shown", "filter app.in (1 of")
        await shown.press("x")
        await shown.until("purge: no marked row is shown; Esc clears the marks")
        assert shown.command == ""

    run(steps)


def test_escape_closes_the_details_that_were_opened_here_before_it_goes_back(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("APP.IN")
        await shown.press("enter")
        await shown.until("message count 9")
        await shown.press("d")
        await shown.until("put appl name")
        await shown.press("escape")
        await shown.until("> APP.IN", "message count 9", without="put appl name")
        await shown.press("escape")
        await shown.until("every 0.3s", without="> APP.IN")
        await shown.press("d")
        await shown.until("open handles")
        await shown.press("enter")
        await shown.until("> APP.IN", "put appl name")
        await shown.press("escape")  # they were opened above, and stay
        await shown.until("open handles", without="> APP.IN")

    run(steps, pattern="APP.*")


def test_where_a_row_is_gone_the_cursor_stays_at_its_height(real: Bench, run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.press("enter")
        await shown.until("message count 9")
        await shown.press("j", "j", "j")
        gone, below = (row[0] for row in shown.rows[3:5])
        assert shown.cursor[0] == gone
        real.ok("msg", "purge", "APP.IN", "--skip", "3", "--limit", "1", "--yes")
        await shown.press("u")
        await shown.until("message count 8")
        await shown.pilot.pause(0.1)
        assert shown.cursor[0] == below

    run(steps, pattern="APP.*")


def test_a_line_says_which_keys_it_takes(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.press("x")
        await shown.until("Enter runs it", "Esc goes back without running it", without="q quit")
        await shown.press("escape")
        await shown.until("q quit", without="Enter runs it")
        await shown.press("slash")
        await shown.until("Enter keeps the filter", without="q quit")
        await shown.press("enter")
        await shown.until("q quit")

    run(steps, size=(80, 24))


def test_several_queue_managers_are_one_list(real: Bench, run: Run) -> None:
    real.ok("emulator", "create", "QM2", "--sample")

    async def steps(shown: Shown) -> None:
        await shown.until("QMGR", "QM1, QM2", "staged 4")
        assert {row[0] for row in shown.rows} == {"QM1", "QM2"}
        await shown.type("/orders.bo")
        await shown.press("enter")
        await shown.until("filter orders.bo (2 of ")
        await shown.press("space", "space", "x")
        assert shown.command.splitlines() == [
            "mqtriage -m QM1 msg purge ORDERS.BO",
            "mqtriage -m QM2 msg purge ORDERS.BO",
        ]
        await shown.press("escape", "escape", "enter")
        await shown.until("> ORDERS.BO  QM2", "message count 2", "PUT_TIME")
        await shown.press("x")
        assert shown.command.startswith("mqtriage -m QM2 msg purge ORDERS.BO --msgid ")
        await shown.press("escape", "escape", "2")
        await shown.until("QMGR", "TARGET")

    run(steps, qmgr=("QM1", "QM2"))


@pytest.fixture
def full_of_two(real: Bench) -> Bench:
    """QM2 has a staging queue that is nearly full."""
    real.ok("emulator", "create", "QM2")
    on_qm2 = ("-m", "QM2", "--yes")
    real.ok("queue", "define", "PAY.IN", *on_qm2)
    real.ok("delay", "define", "--maxdepth", "40", "--shrink", *on_qm2)
    real.ok("msg", "put", "PAY.IN", "x", "--delay", "1h", "--count", "39", *on_qm2)
    return real


def test_of_several_queue_managers_nothing_is_added_up_that_is_no_count(
    full_of_two: Bench, run: Run
) -> None:
    async def steps(shown: Shown) -> None:
        text = await shown.until("fullest QM2 97.5%", "curdepth 41")
        assert "maxdepth" not in text
        assert "percent full" not in text
        assert text.count("processor running") == 1

    run(steps, screen="delay", qmgr=("QM1", "QM2"))
    ran = full_of_two.ok("top", "delay", "-m", "QM1,QM2", "--count", "1", "-o", "json")
    summary = ran.json["summary"]
    assert summary["percent_full"] == {"QM1": 0.0, "QM2": 97.5}
    assert summary["maxdepth"] == {"QM1": 200_000, "QM2": 40}
    assert summary["curdepth"] == 41


def test_details_are_those_of_the_queue_manager_of_the_row_and_name_it(
    full_of_two: Bench, run: Run
) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("PAY.IN")
        await shown.press("d")
        await shown.until("staging queue at QM1", "200000")
        await shown.to("PAY.IN")
        await shown.until("staging queue at QM2", "97.5", without="staging queue at QM1")

    run(steps, screen="delay", qmgr=("QM1", "QM2"), size=(200, 50))


@pytest.mark.parametrize("screen", ["queues", "delay", "backout", "dlq"])
def test_no_sentence_above_the_list_is_cut_at_80_columns(run: Run, screen: str) -> None:
    async def steps(shown: Shown) -> None:
        await shown.type("/*")
        await shown.press("enter")
        words = " ".join((await shown.until("filter * (", "QM1")).split())
        note = next(it.note for it in screens_of(None) if it.name == screen)
        assert f"({note})" in words if note else " of " in words

    run(steps, screen=screen, size=(80, 24))


def test_one_of_several_that_is_lost_is_said_and_the_others_stay(real: Bench, run: Run) -> None:
    real.ok("emulator", "create", "QM2", "--sample")

    async def steps(shown: Shown) -> None:
        await shown.until("QM1, QM2")
        real.ok("emulator", "stop", "QM2")
        await shown.until("QM2: connection lost since")
        real.ok("msg", "put", "APP.IN", "x", "--count", "70", "--yes", "-m", "QM1")
        await shown.until(" 79 ")
        real.ok("emulator", "start", "QM2")
        await shown.until("QM1, QM2", without="connection lost")

    run(steps, qmgr=("QM1", "QM2"))


def test_another_context_is_looked_at(real: Bench, run: Run) -> None:
    real.ok("emulator", "create", "QM2")
    real.ok("queue", "define", "ONLY.HERE", "-m", "QM2", "--yes")
    real.ok("msg", "put", "ONLY.HERE", "x", "-m", "QM2", "--yes")
    real.ok("context", "add", "other", "-m", "QM2")

    async def steps(shown: Shown) -> None:
        for line, text in (
            (":context other", "QM2 (context other)"),
            (":ctx dev,other", "QM1, QM2 (context dev, other)"),
            (":-m QM2", "QM2"),
        ):
            await shown.type(line)
            await shown.press("enter")
            await shown.until(text, "ONLY.HERE")
        await shown.type(":context nosuch")
        await shown.press("enter")
        await shown.until("context nosuch: ", "ONLY.HERE")
        await shown.type(":backout")
        await shown.press("enter")
        await shown.until("BOTHRESH")

    run(steps)


def test_a_filter_is_of_any_column_can_be_a_glob_and_stays(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("OTHER.IN")
        await shown.type("/*.in")
        await shown.press("enter")
        await shown.until("filter *.in (", "OTHER.IN", "APP.IN", without="OPS.PARKED")
        await shown.until(" rows: staged ")
        await shown.press("slash", "escape")
        await shown.until("OPS.PARKED", without="filter *")
        await shown.until("staged ", without=" rows: staged ")
        await shown.press("3")
        await shown.until("poison handling off", without="ORDERS.BO ORDERS.IN")
        await shown.type("/orders.bo")  # the name is in BOQNAME
        await shown.press("enter")
        await shown.until("ORDERS.IN", without="PAYMENTS.IN")
        await shown.press("1")
        await shown.until("filter orders.bo (1 of")

    run(steps)


def test_escape_ends_the_filter_and_the_bottom_line_says_so(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("OTHER.IN")
        await shown.type("/no such queue")
        await shown.press("enter")
        await shown.until("filter no such queue (0 of", "Esc end filter")
        await shown.press("escape")
        await shown.until("OTHER.IN", without="filter no such")
        assert "Esc end filter" not in shown.text

    run(steps, size=(80, 24))


def test_a_filter_that_was_kept_ends_when_a_new_one_begins(run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.type("/orders.in")
        await shown.press("enter", "enter")
        await shown.until("> ORDERS.IN")
        await shown.press("slash", "escape", "escape")
        await shown.until("filter orders.in (", without=">")
        await shown.press("slash", "enter")
        await shown.until("OTHER.IN", without="filter orders.in")

    run(steps)


@pytest.mark.parametrize("text", ["2053", "q_full"])
def test_a_filter_finds_a_reason_by_number_and_by_name(run: Run, text: str) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("MQRC_Q_FULL")
        await shown.type(f"/{text}")
        await shown.press("enter")
        await shown.until("MQRC_Q_FULL", f"filter {text} (1 of")

    run(steps, screen="dlq")


@pytest.mark.parametrize("size", [(80, 24), (60, 12)], ids=["80x24", "60x12"])
def test_the_end_of_an_offered_command_is_on_the_screen(run: Run, size: tuple[int, int]) -> None:
    async def steps(shown: Shown) -> None:
        await shown.press("enter")
        await shown.until("message count 9")
        await shown.press(*["space"] * 9, "m")
        await shown.until(" --to", "Enter runs it")
        line = shown.app.query_one(TextArea)
        assert line.region.contains_point(line.cursor_screen_offset)

    run(steps, pattern="APP.*", size=size)


def test_sorting_pausing_and_the_interval(real: Bench, run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("by CURDEPTH, greatest first", "every 0.3s")
        await shown.press("r")
        await shown.until("by CURDEPTH, least first")
        await shown.press("S")
        await shown.until("by QUEUE, A to Z")
        names = [row[0] for row in shown.rows]
        assert names == sorted(names)
        await shown.press("s", "s")
        await shown.until("by %FULL")
        await shown.press("plus")
        await shown.until("every 1s")
        await shown.press("minus")
        await shown.until("every 0.5s")
        await shown.press("p")
        await shown.until("paused")
        real.ok("msg", "put", "APP.IN", "x", "--count", "70", "--yes")
        await shown.pilot.pause(1)
        assert " 79 " not in shown.text
        await shown.press("u")
        await shown.until(" 79 ", "paused")

    run(steps)


def test_the_mouse_selects_sorts_turns_and_opens(run: Run) -> None:
    async def at(shown: Shown, text: str) -> tuple[int, int]:
        lines = (await shown.until(text)).splitlines()
        row = next(n for n, line in enumerate(lines) if text in line)
        return lines[row].index(text), row

    async def steps(shown: Shown) -> None:
        await shown.pilot.click(offset=await at(shown, "ORDERS.IN"))
        await shown.pilot.pause(0.1)
        assert shown.cursor[0] == "ORDERS.IN"
        heading = await at(shown, "QUEUE ")
        await shown.pilot.click(offset=heading)
        await shown.until("by QUEUE, A to Z")
        names = [row[0] for row in shown.rows]
        assert names == sorted(names)
        await shown.pilot.click(offset=heading)
        await shown.until("by QUEUE, Z to A")
        assert [row[0] for row in shown.rows] == sorted(names, reverse=True)
        await shown.pilot.click(offset=await at(shown, "x purge"))
        await shown.until("mqtriage msg purge ORDERS.IN")
        await shown.press("escape")
        await shown.pilot.click(offset=await at(shown, "ORDERS.IN"), times=2)
        await shown.until("> ORDERS.IN")
        await shown.pilot.click(offset=await at(shown, "backout"))
        await shown.until("BOTHRESH")

    run(steps)


def test_an_error_of_ours_leaves_no_page_of_variables(
    run: Run, real: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Textual's own page has the values of all variables, messages among them."""

    def broken() -> list[TopScreen]:
        screens = screens_of(None)
        calls: list[str] = []

        def collect(backend: Any) -> Any:
            calls.append("secret-of-a-message")
            if len(calls) > 1:
                raise ZeroDivisionError
            return screens[0].collect(backend)

        return [screens[0]._replace(collect=collect), *screens[1:]]

    async def steps(shown: Shown) -> None:
        while shown.app.failure is None:
            await shown.pilot.pause(0.1)

    top = run(steps, make=broken)
    assert isinstance(top.failure, ZeroDivisionError)
    assert top.return_value == 1
    ours = capsys.readouterr()
    assert "secret-of-a-message" not in ours.out + ours.err


@pytest.mark.parametrize(
    ("action", "rows", "expected"),
    [
        (KeyAction("x", "a {q}"), [{"q": "A"}, {"q": "B C"}], ["a A", "a 'B C'"]),
        (KeyAction("x", "a {q}", " -i {m}"), [{"q": "A", "m": 1}, {"q": "A", "m": 2}],
         ["a A -i 1 -i 2"]),
        (KeyAction("x", "a {q}", tail=" --to "), [{"q": "A"}], ["a A --to "]),
        (KeyAction("x", "a {q}"), [{"q": None}, {"q": "B"}], ["a B"]),
    ],
)  # fmt: skip
def test_a_key_offers_the_commands_of_its_rows(
    action: KeyAction, rows: list[dict[str, Any]], expected: list[str]
) -> None:
    assert action.commands(rows) == expected


def test_where_none_can_be_asked_the_screen_does_not_open(real: Bench) -> None:
    app = app_for_test(environ=real.environ, terminals=ON_A_TERMINAL)
    app.bind(Connections(qmgr=("NO.SUCH", "NO.OTHER")), Output(form="table"))
    top = TopApp(app, lambda: screens_of(None), 0, 0.5, None)
    with pytest.raises(MQTriageError, match=r"NO\.OTHER"):
        top.connect(app.target.connections)


def test_without_textual_samples_follow_each_other(
    real: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "textual", None)
    ran = real.run("top", "--count", "2", "--interval", "100ms", terminals=ON_A_TERMINAL)
    assert ran.code == 0
    assert ran.out.count("APP.IN") == 2
    assert "pip install '.[tui]'" in ran.err


# on a terminal ------------------------------------------------------------------------------------


@pytest.fixture
def top(real: Bench) -> Iterator[Start]:
    started: list[OnTerminal] = []

    def start(*words: str, columns: int = 80, nohup: bool = False) -> OnTerminal:
        terminal = OnTerminal(
            "top", *words, "--interval", "500ms", "-q",
            environ=real.environ, columns=columns, nohup=nohup,
        )  # fmt: skip
        started.append(terminal)
        return terminal

    yield start
    for terminal in started:
        terminal.__exit__()


def left(terminal: OnTerminal) -> int | None:
    terminal.press("q")
    terminal.ended()
    return terminal.code


def test_a_purge_from_it_shows_plan_and_question_and_no_keeps_all(real: Bench, top: Start) -> None:
    terminal = top("queues", "APP.IN", columns=120)
    terminal.until("APP.IN")
    terminal.press("\r")
    terminal.until("message count 9")
    terminal.press("x")
    terminal.until("mqtriage msg purge APP.IN --msgid ")
    terminal.press("\r")
    terminal.until("purge 1 message from APP.IN at QM1 (context dev)")
    terminal.until("[y/N]")
    terminal.press("n\n")
    terminal.until("exit code 8; press Enter to go back")
    assert real.depth("APP.IN") == 9
    terminal.press("\n")
    terminal.until("message count 9")
    assert left(terminal) == 0


def pressed_by_a_person(terminal: OnTerminal, keys: str) -> None:
    """Press keys a moment behind what is shown.

    A signal that arrives in the microseconds between a question and the read() for its answer is
    noted by Python, but the read() begins all the same and waits for a key.
    """
    time.sleep(0.2)
    terminal.press(keys)


def test_ctrl_c_at_its_question_answers_no_at_once_and_top_goes_on(real: Bench, top: Start) -> None:
    terminal = top("queues", "APP.IN", columns=120)
    terminal.until("CURDEPTH")
    terminal.until("APP.IN")
    for leaving in ("\n", CTRL_C):
        terminal.press("x\r")
        terminal.until("Type APP.IN to confirm")
        pressed_by_a_person(terminal, CTRL_C)
        terminal.until("exit code 130; press Enter to go back")
        pressed_by_a_person(terminal, leaving)
        terminal.until("CURDEPTH")
        terminal.until("APP.IN")  # its row, not the title
    assert real.depth("APP.IN") == 9
    assert left(terminal) == 0


def test_ctrl_c_twice_in_a_row_does_not_end_top(real: Bench, top: Start) -> None:
    terminal = top("queues", "APP.IN", columns=120)
    terminal.until("APP.IN")
    terminal.press("x\r")
    terminal.until("Type APP.IN to confirm")
    pressed_by_a_person(terminal, CTRL_C * 2)
    time.sleep(1)
    terminal.press("\n")  # if the two were one
    terminal.until("CURDEPTH")
    assert real.depth("APP.IN") == 9
    assert left(terminal) == 0


def test_yes_does_it_and_the_screen_shows_what_is_left(real: Bench, top: Start) -> None:
    terminal = top("queues", "APP.IN")
    terminal.until("APP.IN")
    terminal.press("\r")
    terminal.until("message count 9")
    terminal.press("  x\r")  # the first two, typed ahead
    terminal.until("[y/N]")
    terminal.press("y\n")
    terminal.until("purged 2 messages from APP.IN")
    terminal.until("exit code 0; press Enter to go back")
    terminal.press("\n")
    terminal.until("message count 7")
    assert real.depth("APP.IN") == 7
    assert left(terminal) == 0
    (entry, *_) = real.ok("journal", "ls", "-o", "json").items
    assert (entry["action"], entry["queue"]) == ("purge", "APP.IN")


def test_a_refused_command_leaves_the_marks_and_the_next_one_is_for_the_same_rows(
    real: Bench, top: Start
) -> None:
    terminal = top()
    terminal.until("OTHER.IN")
    terminal.press("/app.in\r")
    terminal.until("filter app.in (1 of")
    terminal.press(" ")
    terminal.until("1 marked")
    terminal.press("/*\r")
    terminal.until("filter * (")
    terminal.press("jx\r")
    terminal.until("Type")
    terminal.press("y\n")  # it wants the name
    terminal.until("exit code 8; press Enter to go back")
    terminal.press("\n")
    terminal.until("1 marked")
    terminal.press("x\r")
    terminal.until("Type")
    terminal.press("APP.IN\n")
    terminal.until("purged 9 messages from APP.IN")
    terminal.press("\n")
    terminal.until("details")
    terminal.press("x")  # no mark any more, and the cursor on what was acted on
    terminal.until("mqtriage msg purge APP.IN")
    terminal.press(ESCAPE)
    time.sleep(1)
    assert left(terminal) == 0


def test_what_is_typed_behind_the_command_is_part_of_it(real: Bench, top: Start) -> None:
    terminal = top("queues", "APP.IN")
    terminal.until("APP.IN")
    terminal.press("m")
    terminal.until("mqtriage msg move APP.IN --to ")
    terminal.press("OTHER.IN --limit 2 --yesx\x7f\r")
    terminal.until("moved 2 messages")
    terminal.until("exit code 0")
    assert real.depth("OTHER.IN") == 2
    terminal.press("\n")
    terminal.until("details")
    assert left(terminal) == 0


def test_keys_typed_ahead_of_the_end_of_a_filter_are_those_of_the_list(top: Start) -> None:
    terminal = top()
    terminal.until("APP.IN")
    terminal.press("/app.in\r d")  # all at once: a mark, and the details
    terminal.until("1 marked")
    terminal.until("open handles")


@pytest.mark.parametrize("done", [0, 1])
def test_of_several_commands_the_first_that_fails_is_the_last(
    real: Bench, top: Start, done: int
) -> None:
    real.ok("msg", "put", "OTHER.IN", "x", "--yes")
    terminal = top()
    terminal.until("APP.IN")
    terminal.press("/app.in\r")
    terminal.until("filter app.in (1 of")
    terminal.press(" x")
    terminal.until("mqtriage msg purge APP.IN")
    terminal.press(ESCAPE)
    time.sleep(1)
    terminal.press("/other\r")
    terminal.until("filter other (1 of")
    terminal.press(" ")
    terminal.until("2 marked")
    terminal.press("/*.in\r")
    terminal.until("filter *.in (")
    terminal.press("x")
    terminal.until("mqtriage msg purge OTHER.IN")
    terminal.press("\r")
    terminal.until("Type")
    if done:
        terminal.press("APP.IN\n")
        terminal.until("Type OTHER.IN")
    terminal.press("n\n")
    terminal.until("1 of 2 done" if done else "0 of 2 done; not run: 1 more command")
    assert real.depth("APP.IN") == (0 if done else 9)
    terminal.press("\n")
    terminal.until("details")
    assert left(terminal) == 0


def test_escape_runs_nothing(real: Bench, top: Start) -> None:
    terminal = top("queues", "APP.IN")
    terminal.until("APP.IN")
    terminal.press("x")
    terminal.until("mqtriage msg purge APP.IN")
    terminal.press(ESCAPE)
    time.sleep(1)  # or it is the beginning of another key
    assert left(terminal) == 0
    assert real.depth("APP.IN") == 9


def test_a_guard_of_the_context_holds_there_too_and_the_command_line_names_it(
    real: Bench, top: Start
) -> None:
    real.ok("context", "add", "careful", "-m", "QM1", "read_only=true")
    terminal = top("queues", "APP.IN", "--context", "careful")
    terminal.until("(context careful)")
    terminal.press("x")
    terminal.until("mqtriage --context careful msg purge APP.IN")
    terminal.press(" --confirm APP.IN\r")
    terminal.until("$ mqtriage --context careful msg purge APP.IN --confirm APP.IN")
    terminal.until("exit code 8; press Enter")
    assert real.depth("APP.IN") == 9
    terminal.press("\n")
    terminal.until("details")
    assert left(terminal) == 0


def test_a_command_that_cannot_be_read_is_one_line(top: Start) -> None:
    terminal = top()
    terminal.until("details")
    terminal.press(":msg 'x\r")
    terminal.until("No closing quotation")
    assert left(terminal) == 0


def test_it_ends_by_sigterm_with_the_terminal_as_it_was(top: Start) -> None:
    terminal = top()
    terminal.until("details")
    terminal.send(15)
    assert "\x1b[?1049l" in terminal.ended()
    assert terminal.code == 143


@pytest.mark.parametrize("nohup", [False, True], ids=["hangup", "nohup"])
def test_it_ends_when_its_terminal_is_gone(top: Start, nohup: bool) -> None:
    terminal = top(nohup=nohup)
    terminal.until("details")
    terminal.hang_up()
    assert terminal.code == -signal.SIGHUP


def test_a_number_of_samples_ends_it(top: Start) -> None:
    terminal = top("--count", "2")
    terminal.until("details")
    terminal.ended()
    assert terminal.code == 0


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("top", "nope"), 2, "no such screen: 'nope'"),
        (("top", "dela"), 2, "did you mean delay?"),
        (("top", "delay", "APP.*"), 2, "mqtriage top delay: no pattern is expected: 'APP.*'"),
        (("top", "APP.IN"), 2, "mqtriage top queues APP.IN"),
        (("top", "queues", "NOPE"), 5, "MQRC_UNKNOWN_OBJECT_NAME"),
    ],
)
def test_what_is_no_screen_is_wrong_usage(
    real: Bench, words: tuple[str, ...], code: int, text: str
) -> None:
    ran = real.run(*words)
    assert (ran.code, ran.out) == (code, "")
    assert text in ran.err


def test_without_a_verb_it_is_the_queues(real: Bench) -> None:
    kinds = {
        real.ok("top", *words, "-o", "json").json["kind"] for words in ((), ("queues",), ("APP.*",))
    }
    assert kinds == {"TopQueueList"}
    assert real.ok("top", "dlq", "-o", "json").json["kind"] == "DeadLetterCauseList"


def test_dead_letters_that_were_not_browsed_are_said(
    real: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqtriage.cli.live.screens.MOST_READ", 1)
    depth = real.depth(real.ok("qmgr", "show", "-o", "json").item["attributes"]["DEADQ"])
    ran = real.run("top", "dlq", "--count", "1")
    assert f"the first 1 of {depth} messages" in ran.err


def test_a_rate_that_rounds_to_nothing_has_no_sign() -> None:
    before, now = Count(5, None), Count(4, None)
    assert str(rates(before, now, 60.0).net) == "0.0"
    before, now = Count(5, 7), Count(4, 7)
    assert str(rates(before, now, 60.0).net) == "0.0"


def test_a_mark_leaves_room_for_every_column(real: Bench, run: Run) -> None:
    async def steps(shown: Shown) -> None:
        await shown.until("APP.IN")
        await shown.press("enter")
        await shown.until("message count 9")
        await shown.press("space")
        await shown.until("1 marked")
        app, table = shown.app, shown.app.query_one(RowTable)
        for width in range(60, 112):
            style = app.run_context.output.style()._replace(width=width)
            table.fill(app._level, app._rows, style)
            room = width + 2  # the list is one column wider, and ends with a blank
            assert sum(column.width + 2 for column in table.columns.values()) <= room, width

    run(steps, pattern="APP.*")
