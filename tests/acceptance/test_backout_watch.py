"""`backout pending --interval`: rollbacks are told as they happen, and nothing is taken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from mqtriage.commands.backout.watch import Watch
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import Bench


def poisoned(bench: Bench, queue: str, times: int) -> None:
    bench.ok("emulator", "lab", "rollback", queue, "--times", str(times))


def put(bench: Bench, queue: str) -> None:
    with bench.connected() as backend:
        handle = backend.open(queue, cmqc.MQOO_OUTPUT)
        handle.put(MQMD(), b"x")
        handle.close()


def looks(watch: Watch, bench: Bench, pattern: str = "*") -> list[tuple[Any, ...]]:
    with bench.connected() as backend:
        return [
            (r["queue"], r["backout_count"], r["rise"], r["state"])
            for r in watch.look(backend, pattern, print)
        ]


def test_each_rise_is_told_once_with_its_state(bench: Bench) -> None:
    bench.define(**{"A": "BOTHRESH=3 BOQNAME=A.BO", "A.BO": ""})
    put(bench, "A")
    watch = Watch(existing=False)
    assert looks(watch, bench) == []
    poisoned(bench, "A", 2)
    assert looks(watch, bench) == [("A", 2, 2, "near")]
    assert looks(watch, bench) == []
    poisoned(bench, "A", 1)
    assert looks(watch, bench) == [("A", 3, 1, "poison")]
    bench.ok("backout", "move", "A", "--yes")
    assert looks(watch, bench) == [("A", 3, 0, "gone")]
    assert looks(watch, bench) == []


def test_a_message_that_nothing_moves_is_told_again_and_again(bench: Bench) -> None:
    bench.define("A")
    put(bench, "A")
    watch = Watch(existing=False)
    looks(watch, bench)
    for count in (1, 2, 3):
        poisoned(bench, "A", 1)
        assert looks(watch, bench) == [("A", count, 1, "off")]


def test_what_was_rolled_back_before_is_told_only_when_asked(bench: Bench) -> None:
    bench.define("A", "B")
    put(bench, "A")
    poisoned(bench, "A", 2)
    assert looks(Watch(existing=False), bench) == []
    assert looks(Watch(existing=True), bench) == [("A", 2, 2, "off")]
    assert looks(Watch(existing=True), bench, "B") == []


def test_the_command_writes_a_line_an_event_and_leaves(bench: Bench) -> None:
    bench.define(**{"A": "BOTHRESH=2 BOQNAME=A.BO", "A.BO": ""})
    put(bench, "A")
    poisoned(bench, "A", 2)
    ran = bench.ok(
        "backout", "pending", "--interval", "2s", "--existing", "--limit", "1", "-o", "ndjson"
    )
    event = json.loads(ran.out)
    assert (event["state"], event["what_next"]) == ("poison", "the next JMS get moves it to A.BO")
    text = bench.ok("backout", "pending", "--interval", "2s", "--existing", "--for", "0s").out
    assert text.split()[2:3] == ["A"]
    assert "poison" in text
    assert bench.depth("A") == 1
    assert bench.run("backout", "pending", "--interval", "2s", "-o", "csv").code == 2
    assert bench.run("backout", "pending", "--interval", "2s", "--no-expiry-effects").code == 8


def test_a_running_watch_sees_a_rollback_of_another_program(bench: Bench) -> None:
    bench.define("A")
    put(bench, "A")
    poisoned(bench, "A", 1)
    process = subprocess.Popen(
        [sys.executable, "-m", "mqtriage", "backout", "pending", "A", "--existing",
         "--interval", "50ms", "--limit", "2", "-o", "ndjson"],
        env={**os.environ, **bench.environ}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["rise"] == 1
    poisoned(bench, "A", 1)
    out, _ = process.communicate(timeout=60)
    assert json.loads(out)["backout_count"] == 2
    assert process.returncode == 0


def test_what_only_a_watch_can_do_is_refused_without_an_interval(bench: Bench) -> None:
    for words in (["--existing"], ["--for", "1s"], ["--interval", "1s", "--min-backout", "1"]):
        ran = bench.run("backout", "pending", *words)
        assert (ran.code, "--interval" in ran.err) == (2, True), words


def test_a_listing_ends_after_as_many_as_asked(bench: Bench) -> None:
    bench.define("A")
    put(bench, "A")
    put(bench, "A")
    for _ in range(2):
        poisoned(bench, "A", 1)
    assert len(bench.ok("backout", "pending", "--limit", "1", "-o", "json").items) == 1
