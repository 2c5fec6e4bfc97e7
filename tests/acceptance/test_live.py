"""`top` and `watch`: live in a terminal, listings elsewhere; nothing is taken."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mqtriage.cli.frame.main import main
from mqtriage.commands.top import Count, Rates, rates
from tests.acceptance.conftest import Bench
from tests.acceptance.test_terminal import Terminal
from tests.support.application import app_for_test


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A queue manager whose clock runs, for processes of their own."""
    bench = Bench(tmp_path / "home")
    bench.ok("emulator", "create", "QM1")
    bench.define("APP.IN", "APP.BO", **{"POISON.IN": "BOTHRESH=1 BOQNAME=APP.BO"})
    return bench


@pytest.fixture
def terminal(real: Bench) -> Iterator[Terminal]:
    shown = Terminal(90, real.home)
    yield shown
    shown.close()


@pytest.mark.parametrize(
    ("before", "now", "seconds", "expected"),
    [
        (None, Count(5, 5), 1, Rates()),
        (Count(5, 10), Count(8, 20), 2, Rates(5.0, 3.5, 1.5)),
        (Count(5, 10), Count(0, 10), 2, Rates(0.0, 2.5, -2.5)),
        (Count(5, None), Count(8, None), 2, Rates(net=1.5)),
        (Count(5, 10), Count(2, 2), 2, Rates(net=-1.5)),  # defined anew in between
    ],
)
def test_rates_are_made_of_two_samples(
    before: Count | None, now: Count, seconds: float, expected: Rates
) -> None:
    assert rates(before, now, seconds) == expected


def test_off_a_terminal_one_sample_is_written(real: Bench) -> None:
    real.ok("msg", "put", "APP.IN", "x", "--yes", "--count", "3")
    items = real.ok("top", "-o", "json").items
    row = next(item for item in items if item["queue"] == "APP.IN")
    assert (row["curdepth"], row["in_per_s"], row["trend"]) == (3, None, "█")
    assert real.depth("APP.IN") == 3


@pytest.mark.slow
def test_rates_come_with_the_second_sample(real: Bench) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "mqtriage", "top", "queues", "APP.IN", "--interval", "1s",
         "--count", "60", "-o", "ndjson"],
        env={**os.environ, **real.environ}, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["in_per_s"] is None
        real.ok("msg", "put", "APP.IN", "x", "--yes", "--count", "3")
        rows = (json.loads(line) for line in process.stdout)
        assert next(row for row in rows if row["in_per_s"])["out_per_s"] == 0
        process.kill()


def test_the_oldest_staged_message_is_as_old_as_its_due_time_is_past(bench: Bench) -> None:
    bench.define("APP.IN")
    bench.ok("msg", "put", "APP.IN", "x", "--delay", "1h", "--yes")
    bench.ok("emulator", "clock", "+50m")
    staging = "SYSTEM.DDELAY.LOCAL.QUEUE"

    def age() -> object:
        items = bench.ok("top", "-o", "json").items
        return next(item["oldest_age_ms"] for item in items if item["queue"] == staging)

    assert age() is None
    bench.ok("queue", "set", staging, "GET=DISABLED", "--yes")
    bench.ok("emulator", "clock", "+30m")
    assert age() == 20 * 60_000


def test_poison_that_waits_is_counted(real: Bench) -> None:
    real.ok("msg", "put", "POISON.IN", "x", "--yes")
    real.ok("emulator", "lab", "rollback", "POISON.IN", "--times", "2")
    items = real.ok("top", "queues", "POISON.IN", "-o", "json").items
    assert items[0]["poison"] == 1
    assert real.ok("top", "backout", "POISON.IN", "-o", "json").items[0]["pending"] == 1


def test_all_messages_on_a_backout_queue_are_poison_and_its_state_says_what_it_is(
    bench: Bench,
) -> None:
    bench.define("APP.BO", **{"APP.IN": "BOTHRESH=1 BOQNAME=APP.BO"})
    bench.ok("msg", "put", "APP.BO", "x", "--count", "3", "--yes")
    for pattern in ("*", "APP.BO"):
        listing = bench.ok("top", "queues", pattern, "-o", "json")
        (row,) = [row for row in listing.items if row["queue"] == "APP.BO"]
        assert (row["poison"], row["used_as_backout_queue_by"]) == (3, ["APP.IN"])
        assert not listing.json["summary"]["poison"], "those that were moved are counted apart"
    states = {row["queue"]: row["state"] for row in bench.ok("top", "backout", "-o", "json").items}
    assert states == {"APP.BO": "boq", "APP.IN": "ok"}


def test_totals_tell_what_is_staged_late_poison_and_about_to_expire(bench: Bench) -> None:
    bench.define(**{"POISON.IN": "BOTHRESH=1 BOQNAME=POISON.BO"})
    staging = "SYSTEM.DDELAY.LOCAL.QUEUE"
    bench.ok("msg", "put", "POISON.IN", "x", "--delay", "1m", "--yes")
    bench.ok("queue", "set", staging, "GET=DISABLED", "--yes")
    bench.ok("emulator", "clock", "+2m")
    for delay in ("30s", "40m", "8h"):
        bench.ok("msg", "put", "POISON.IN", "x", "--delay", delay, "--yes")
    bench.ok("msg", "put", "POISON.IN", "x", "--expiry", "1s", "--yes")
    bench.ok("emulator", "clock", "+2s")
    bench.ok("msg", "put", "POISON.IN", "x", "--expiry", "50m", "--yes")
    bench.ok("emulator", "lab", "rollback", "POISON.IN", "--times", "2")
    for pattern in ("*", "POISON.IN"):
        totals = bench.ok("top", "queues", pattern, "-o", "json").json["summary"]
        assert {key: totals[key] for key in ("staged", "overdue", "due_1m", "due_1h")} == {
            "staged": 4,
            "overdue": 1,
            "due_1m": 1,
            "due_1h": 2,
        }
        assert (totals["poison"], totals["expires_1h"]) == (1, 1)


@pytest.mark.parametrize("args", [("--interval", "1ms"), ("--count", "0"), ("--interval", "x")])
def test_an_interval_of_nothing_is_wrong_usage(real: Bench, args: tuple[str, ...]) -> None:
    assert real.run("top", "queues", *args).code == 2


@pytest.mark.slow
def test_in_a_terminal_keys_sort_filter_and_leave(real: Bench, terminal: Terminal) -> None:
    terminal.type("mqtriage top --interval 500ms -q")
    terminal.until("q quit")
    terminal.until("by CURDEPTH, greatest first")
    terminal.until("staged 0  overdue 0  poison 0")
    terminal.until("POISON.IN")
    terminal.keys("/app")
    terminal.keys("\r")
    shown = terminal.until("filter app")
    assert "APP.IN" in shown
    assert "POISON.IN" not in shown
    real.ok("msg", "put", "APP.IN", "x", "--yes", "--count", "7")
    terminal.until("7")
    terminal.keys("q")
    shown = terminal.until("top --interval")  # the screen of before is back
    assert "q quit" not in shown


@pytest.mark.slow
def test_what_changes_is_drawn_though_the_clock_is_frozen(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "frozen")
    bench.ok("emulator", "create", "QM1", "--clock", "frozen")
    bench.define("APP.IN")
    shown = Terminal(90, bench.home)
    try:
        shown.type("mqtriage top --interval 500ms -q")
        shown.until("APP.IN")
        bench.ok("msg", "put", "APP.IN", "x", "--yes", "--count", "77")
        shown.until(" 77 ")
    finally:
        shown.close()


@pytest.mark.slow
def test_a_lost_queue_manager_is_shown_and_comes_back(real: Bench, terminal: Terminal) -> None:
    terminal.type("mqtriage top --interval 500ms -q")
    terminal.until("APP.IN")
    real.ok("emulator", "stop", "QM1")
    terminal.until("connection lost since")
    real.ok("emulator", "start", "QM1")
    terminal.until("every 0.5s")
    terminal.keys("q")


Watching = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def watching(real: Bench) -> Iterator[Watching]:
    """Start a `mqtriage watch` as a process of its own, which has begun to look."""
    started: list[subprocess.Popen[str]] = []

    def start(*args: str) -> subprocess.Popen[str]:
        # a shell's background job ignores SIGINT, and so would what the tests start there
        heeding = "import signal, runpy; signal.signal(2, signal.default_int_handler);"
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"{heeding} runpy.run_module('mqtriage', run_name='__main__')",
                *("watch", *args, "--interval", "20ms", "--verbose"),
            ],
            env={**os.environ, **real.environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stderr is not None
        for line in process.stderr:
            if "MQRC_NO_MSG_AVAILABLE" in line:  # at the end of the queue
                break
        threading.Thread(target=process.stderr.read, daemon=True).start()
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_watch_tells_what_arrives_and_takes_nothing(real: Bench, watching: Watching) -> None:
    real.ok("msg", "put", "APP.IN", "old", "--yes")
    process = watching("APP.IN", "-o", "ndjson", "--limit", "2")
    real.ok("msg", "put", "APP.IN", "one", "--yes")
    real.ok("msg", "put", "APP.IN", "two", "--yes")
    out, _ = process.communicate(timeout=60)
    assert [json.loads(line)["body"] for line in out.splitlines()] == ["one", "two"]
    assert process.returncode == 0
    assert real.depth("APP.IN") == 3


def test_watch_tells_a_requeued_message_whose_put_time_is_old(
    real: Bench, watching: Watching
) -> None:
    real.ok("msg", "put", "APP.BO", "requeued", "--yes")
    real.ok("msg", "put", "APP.IN", "newer", "--yes")
    process = watching("APP.IN", "-o", "ndjson", "--limit", "1")
    real.ok("msg", "move", "APP.BO", "--to", "APP.IN", "--yes")
    out, _ = process.communicate(timeout=60)
    assert json.loads(out)["body"] == "requeued"


def test_watch_selects(real: Bench, watching: Watching) -> None:
    process = watching("APP.IN", "-o", "ndjson", "--limit", "1", "--priority", ">=5")
    real.ok("msg", "put", "APP.IN", "low", "--yes", "--priority", "1")
    real.ok("msg", "put", "APP.IN", "low", "--yes", "--priority", "0")
    real.ok("msg", "put", "APP.BO", "other", "--yes")
    time.sleep(0.1)
    real.ok("msg", "put", "APP.IN", "high", "--yes", "--priority", "7")
    out, _ = process.communicate(timeout=60)
    assert json.loads(out)["body"] == "high"


def test_watch_by_backout_count_says_what_prints_rollbacks(real: Bench) -> None:
    real.ok("msg", "put", "APP.IN", "one", "--yes")
    words = ("watch", "APP.IN", "--existing", "--limit", "1", "--where")
    assert "rollback" not in real.ok(*words, "priority >= 0").err
    note = "to print each rollback: mqtriage backout pending APP.IN --interval 1s"
    assert note in real.ok(*words, "backout >= 0").err


def test_watch_of_a_long_queue_tells_what_arrives_at_its_end(
    real: Bench, watching: Watching
) -> None:
    real.ok("msg", "put", "APP.IN", "x", "--yes", "--count", "600", "--priority", "3")
    process = watching("APP.IN", "-o", "ndjson", "--limit", "1")
    real.ok("msg", "put", "APP.IN", "last", "--yes", "--priority", "3")
    out, _ = process.communicate(timeout=60)
    assert json.loads(out)["body"] == "last"


@pytest.mark.slow
def test_watch_goes_on_after_the_queue_manager_was_away(real: Bench, watching: Watching) -> None:
    process = watching("APP.IN", "-o", "ndjson", "--limit", "2")
    real.ok("msg", "put", "APP.IN", "before", "--yes", "--persistent")
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["body"] == "before"
    real.ok("emulator", "stop", "QM1")
    real.ok("emulator", "start", "QM1")
    real.ok("msg", "put", "APP.IN", "after", "--yes")
    out, _ = process.communicate(timeout=60)
    assert [json.loads(line)["body"] for line in out.splitlines()] == ["after"]


def test_watch_ends_by_ctrl_c_without_a_word_of_python(real: Bench, watching: Watching) -> None:
    process = watching("APP.IN")
    process.send_signal(2)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in out


def test_watch_refuses_a_form_with_an_end(real: Bench) -> None:
    assert real.run("watch", "APP.IN", "-o", "csv").code == 2
    assert real.run("watch", "NO.SUCH").code == 5


@pytest.mark.slow
def test_memory_stays_flat_over_many_samples(real: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour at two seconds is 1,800 samples; what 400 of them add is told."""
    used: list[int] = []

    def no_sleep(_: float) -> None:
        if len(used) in (49, 449):
            gc.collect()  # what waits for the collector is no growth
        used.append(tracemalloc.get_traced_memory()[0])

    monkeypatch.setattr(time, "sleep", no_sleep)
    app = app_for_test(environ=real.environ)
    tracemalloc.start()
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            app.output.stdout = nowhere  # nobody keeps what is written
            assert main(["top", "--count", "451", "-o", "ndjson", "-q"], app) == 0
    finally:
        tracemalloc.stop()
    assert used[449] - used[49] < 100_000


def test_a_dumb_terminal_gets_a_listing_and_no_screen(terminal: Terminal) -> None:
    terminal.type("clear; TERM=dumb mqtriage top -q; echo exit=$?")
    shown = terminal.until("exit=0")
    assert "APP.IN" in shown
    assert "q quit" not in shown
