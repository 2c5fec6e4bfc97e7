"""`mqtriage emulator lab simulate`: what its truth says is what its snapshots show."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtriage.commands.emulator.simulate import SimulateRequest, one, simulate
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.get import browse
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.simulation import plan as planned
from mqtriage.emulator.simulation.run import Run, SimulationFault
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.headers import ddh, mqext, rfh2
from mqtriage.mq.message import Message
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.pipeline.snapshots.reader import rows
from tests.acceptance.conftest import Bench
from tests.support.scale import amount
from tests.support.tools import DRAWS, drawn_seeds

START_US = 1_767_571_200_000_000
"""2026-01-05T00:00:00Z, a Monday."""
IN_A_QUIET_NIGHT = 153827
"""The orders application is stuck in hours in which little comes."""
SEEDS = [IN_A_QUIET_NIGHT, *drawn_seeds(amount(1, all=3))]
"""Drawn when the tests run; a failure shows which."""


def request(out: Path, seed: int, **more: Any) -> SimulateRequest:
    given: dict[str, Any] = {
        "days": 1.0,
        "queue_managers": 1,
        "rate": 800,
        "every_us": 600_000_000,
        "form": "ndjson",
        **more,
    }
    return SimulateRequest(seed=seed, start_us=START_US, out=out, **given)


class Simulated:
    """A simulated day of one queue manager on which everything goes wrong."""

    def __init__(self, folder: Path, seed: int) -> None:
        simulate(request(folder, seed), lambda _: None)
        self.folder = folder
        self.truth = json.loads((folder / "truth.json").read_text())
        self.here = self.truth["queue_managers"][0]

    def rows(self, table: str = "messages") -> list[dict[str, Any]]:
        problems = Problems()
        records = [row for _, row in rows(self.folder, table, problems)]
        assert len(problems) == 0, problems.summary()
        return records

    def lives(self, queue: str) -> dict[str, dict[str, Any]]:
        """The first row of each message that was seen on a queue."""
        first_rows: dict[str, dict[str, Any]] = {}
        for row in self.rows():
            if row["queue"] == queue and row["seen"] != "gone":
                first_rows.setdefault(row["message_key"], row)
        return first_rows


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed-{seed}")
def simulated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Simulated]:
    yield Simulated(tmp_path_factory.mktemp("simulated"), request.param)


@pytest.mark.slow
def test_the_peak_of_the_staging_queue_is_that_of_put_and_due_times(simulated: Simulated) -> None:
    """With delays of 15 minutes and more and snapshots every 10, no staged message is missed."""
    changes = []
    for row in simulated.lives(STAGING_QUEUE).values():
        due_us, length = row["due_time"], row["length_bytes"]
        changes += [(due_us - row["delay_ms"] * 1000, 1, length), (due_us, -1, -length)]
    count = length = peak_count = peak_bytes = 0
    for _, one_more, bytes_more in sorted(changes, key=lambda change: change[:2]):
        count, length = count + one_more, length + bytes_more
        peak_count, peak_bytes = max(peak_count, count), max(peak_bytes, length)
    staged = simulated.here["staged"]
    assert (peak_count, peak_bytes) == (staged["peak_count"], staged["peak_bytes"])
    assert staged["arrivals"] == len(changes) // 2
    assert staged["arrivals"] - staged["released"] == staged["count_at_end"]


@pytest.mark.slow
def test_a_delayed_message_is_as_a_jms_client_writes_it(tmp_path: Path) -> None:
    """Its MQRFH2 says the delay and the delivery time that the emulator's own header says."""
    manager = open_manager(create(tmp_path, "SIM01", frozen=True, at_us=START_US))
    run = Run(manager, planned.plans(SEEDS[-1], 1, 1.0, 400)[0], START_US)
    seen: dict[bytes, Message] = {}

    def look() -> None:
        connection = Connection(open_manager(manager.path), "test", "mqm")
        handle = connection.open(STAGING_QUEUE, cmqc.MQOO_BROWSE)
        for message in browse.walk(connection, handle):
            seen[message.md.msg_id] = message
        connection.disconnect()

    run.live(look, 3_600_000_000)
    manager.close()
    assert len(seen) > 20
    for message in seen.values():
        header = ddh.decode(message.body)
        assert isinstance(header, ddh.DDH) and header.tail is not None
        text = rfh2.decode(message.body, header.length, ">")
        assert isinstance(text, rfh2.RFH2)
        assert [folder.name for folder in text.folders] == ["mcd", "jms", "mqext"]
        sender = mqext.sender_delay(text)
        assert sender is not None
        assert sender.delay_ms == header.tail.delay_ms
        assert sender.send_time_us == header.tail.send_time_us // 1000 * 1000


@pytest.mark.slow
def test_every_message_on_the_backout_queue_is_of_the_poison_release(simulated: Simulated) -> None:
    backed_out = simulated.lives(planned.PAYMENTS_BACKOUT).values()
    assert {row["put_appl_name"] for row in backed_out} <= {planned.POISON_RELEASE}
    there = sum(simulated.here["backed_out_after_rollbacks"].values())
    assert there <= simulated.here["poison"]["messages"]
    assert len(backed_out) == there
    assert set(simulated.here["backed_out_after_rollbacks"]) <= {str(planned.BOTHRESH)}


@pytest.mark.slow
def test_more_tries_than_two_never_help(simulated: Simulated) -> None:
    helped = {int(tries) for tries in simulated.here["processed_after_rollbacks"]}
    assert helped <= set(range(planned.MOST_TRIES_THAT_HELP + 1))


@pytest.mark.slow
def test_the_wrong_delay_is_on_the_staging_queue(simulated: Simulated) -> None:
    truth = simulated.here["wrong_delay"]
    wrong = [
        row
        for row in simulated.lives(STAGING_QUEUE).values()
        if row["delay_ms"] == truth["delay_ms"]
    ]
    assert len(wrong) == truth["messages"]
    assert {row["put_appl_name"] for row in wrong} == ({truth["put_appl"]} if wrong else set())


@pytest.mark.slow
def test_a_stuck_consumer_has_its_queue_open_while_it_fills(simulated: Simulated) -> None:
    truth = simulated.here["stuck_consumer"]
    during = [
        row
        for row in simulated.rows("queues")
        if row["queue"] == truth["queue"]
        and truth["from"] < rfc3339(row["snap_time"]) < truth["to"]
    ]
    depths = [row["curdepth"] for row in during]
    assert depths == sorted(depths)
    assert max(depths, default=0) <= truth["greatest_depth"]
    assert {row["ipprocs"] for row in during} == {1}


@pytest.mark.slow
def test_a_staging_queue_that_is_too_small_refuses(simulated: Simulated) -> None:
    truth = simulated.here["small_staging"]
    assert truth["refused"] == simulated.here["staged"]["refused"]
    maxdepths = {
        row["maxdepth"] for row in simulated.rows("queues") if row["queue"] == STAGING_QUEUE
    }
    assert maxdepths == {truth["maxdepth"]}


@pytest.mark.slow
def test_quotes_are_consumed_expired_or_still_there(simulated: Simulated) -> None:
    truth = simulated.here["expiring"]
    last = simulated.rows("queues")[-1]["snapshot_id"]
    remaining = next(
        row["message_count"]
        for row in simulated.rows("queues")
        if (row["snapshot_id"], row["queue"]) == (last, planned.QUOTES)
    )
    assert truth["put"] == truth["consumed"] + truth["expired"] + remaining
    assert truth["longest_wait_ms"] < truth["shortest_lifetime_ms"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_month_in_one_process_or_two(tmp_path: Path) -> None:
    seed = SEEDS[-1]
    months = []
    for processes in (1, 2):
        out = tmp_path / str(processes)
        simulate(
            request(out, seed, queue_managers=2, rate=150, every_us=3_600_000_000,
                    processes=processes),
            lambda _: None,
        )  # fmt: skip
        texts = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*.*son")}
        assert len(texts) > 10
        months.append(texts)
    assert months[0] == months[1]


def test_incidents_are_spread_over_the_estate() -> None:
    for seed in SEEDS:
        plans = planned.plans(seed, 20, 30, 1000)
        per_plan = [plan.incidents for plan in plans]
        for name in ("poison", "stuck", "staging_maxdepth", "wrong_delay_us"):
            assert sum(getattr(incidents, name) is not None for incidents in per_plan) == 1, name
        assert len({plan.queue_manager for plan in plans}) == 20


def test_the_truth_is_held_to_the_queue_manager(tmp_path: Path) -> None:
    """Were a message to vanish, the books would not agree, and there would be no truth to trust."""
    plan = planned.plans(SEEDS[-1], 1, 1.0, 400)[0]
    manager = open_manager(create(tmp_path, "SIM01", frozen=True, at_us=START_US))
    run = Run(manager, plan, START_US)

    def thief() -> None:
        manager.store.execute("UPDATE counter SET depth = depth + 1")

    with pytest.raises(SimulationFault, match="the books say"):
        run.live(thief, 3_600_000_000)
    manager.close()


@pytest.mark.slow
def test_one_plan_alone_has_one_snapshot_an_interval(tmp_path: Path) -> None:
    simulation = request(tmp_path, SEEDS[-1], every_us=7_200_000_000, rate=50)
    record = one(simulation, planned.plans(SEEDS[-1], 1, 1.0, 50)[0])
    assert record["snapshots"] == 12


@pytest.mark.slow
def test_the_command_says_what_was_planted(empty_bench: Bench) -> None:
    out = str(empty_bench.home / "sim")
    words = ("--days", "0.2", "--qmgrs", "2", "--rate", "100", "--interval", "1h")
    ran = empty_bench.ok(
        "emulator", "lab", "simulate", "--out", out, *words, "--jobs", "1", "-o", "json"
    )
    assert set(ran.item["planted"].values()) <= {"SIM01", "SIM02"}
    assert ran.item["snapshots"] == 10
    listed = empty_bench.ok("snapshot", "ls", "--folder", out, "-o", "json").items
    assert len(listed) == 10
    again = empty_bench.run("emulator", "lab", "simulate", "--out", out, *words)
    assert again.code == 8  # as of all that is there already
    assert "not empty" in again.error_line


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc for child processes")
@pytest.mark.slow
def test_a_simulation_that_is_stopped_leaves_no_process_behind(tmp_path: Path) -> None:
    out = tmp_path / "sim"
    words = ["--days", "30", "--qmgrs", "2", "--jobs", "2", "--out", str(out)]
    running = subprocess.Popen(
        [sys.executable, "-m", "mqtriage", "emulator", "lab", "simulate", *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    files = out / ".emulators"
    while len(list(files.glob("*"))) < 2:  # both workers are at it
        assert running.poll() is None
        time.sleep(0.05)
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    assert len(children) >= 2
    running.terminate()
    _, stderr = running.communicate(timeout=60)
    assert running.returncode == 143
    assert "Traceback" not in stderr
    deadline = time.monotonic() + 60  # the last of them tidies up when the others have gone
    while alive := [child for child in children if Path(f"/proc/{child}").exists()]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.05)
    assert not files.exists()
    assert not (out / "truth.json").exists()


@pytest.mark.parametrize(
    "wrong", [("--days", "0"), ("--qmgrs", "0"), ("--rate", "0"), ("--interval", "1ms")]
)
def test_numbers_out_of_range_are_refused(empty_bench: Bench, wrong: tuple[str, str]) -> None:
    out = empty_bench.home / "sim"
    assert empty_bench.run("emulator", "lab", "simulate", "--out", str(out), *wrong).code == 2
    assert not out.exists()


FULL_IN_ONE_UNIT = 987626
"""A unit of work crosses QDEPTHHI and finds the queue full: High comes first, with its put."""


@pytest.mark.parametrize("seed", [FULL_IN_ONE_UNIT, *(drawn_seeds(DRAWS) if DRAWS else ())])
@pytest.mark.slow
def test_the_depth_events_of_many_days_are_those_that_the_books_foretell(
    tmp_path: Path, seed: int
) -> None:
    """The same without snapshots; of each day all events are taken four times."""
    manager = open_manager(create(tmp_path, "SIM01", frozen=True, at_us=START_US))
    run = Run(manager, planned.plans(seed, 1, 1.0, 800)[0], START_US)
    events: list[dict[str, Any]] = []
    truth = run.live(lambda: events.extend(run.take_events()), 21_600_000_000)
    manager.close()
    words = {"Queue Full": "full", "Queue Depth High": "high", "Queue Depth Low": "low"}
    reported = Counter(
        (event["eventData"]["baseObjectName"], words[event["eventReason"]["name"]])
        for event in events
        if event["eventReason"]["name"] in words
    )
    foretold = {
        (queue, word): count
        for queue, books in truth.events.items()
        for word, count in books.counts.items()
    }
    assert reported == foretold


@pytest.mark.slow
def test_the_events_are_those_that_the_books_foretell(simulated: Simulated) -> None:
    """Depth events by the driver's own arithmetic, changes as it made them: before and after."""
    lines = next(simulated.folder.glob("events-*.json")).read_text("utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    words = {"Queue Full": "full", "Queue Depth High": "high", "Queue Depth Low": "low"}
    depths: dict[str, dict[str, int]] = {queue: {} for queue in simulated.here["depth_events"]}
    changes: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        data, reason = event["eventData"], event["eventReason"]["name"]
        if reason in words:
            counts = depths[data["baseObjectName"]]
            counts[words[reason]] = counts.get(words[reason], 0) + 1
        elif reason != "None":  # statistics and accounting have no reason
            changes.setdefault(event["correlationID"], []).append(data)
    assert depths == simulated.here["depth_events"]
    assert depths[planned.ORDERS]["full"] > 0  # each seed plants a queue that fills up
    names = {"MAXDEPTH": "maxQueueDepth", "QDEPTHHI": "queueDepthHighLimit"}
    reported = [
        {"queue": after["queueName"], "attribute": keyword, "from": before[name], "to": after[name]}
        for before, after in changes.values()
        for keyword, name in names.items()
        if before[name] != after[name]
    ]
    planted = [dict(change) for change in simulated.here["definition_changes"]]
    for change in planted:
        del change["time"]
    assert reported == planted
