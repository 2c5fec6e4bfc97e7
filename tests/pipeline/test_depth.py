"""Forecasts of depth: lines and patterns that were planted are found, and stuck consumers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqtriage.formatters.charts.analysis_html import advice_text
from mqtriage.pipeline.snapshots.advice import advice
from tests.acceptance.conftest import Bench
from tests.pipeline.histories import Stay, rows_of
from tests.pipeline.rows import MINUTE, START_US, frame, us

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOUR = 60 * MINUTE


def rows(name: str, points: list[tuple[int, int]], maxdepth: int = 5000) -> list[dict[str, Any]]:
    return [
        {"queue": name, "snapshot_id": f"{n:05}", "snap_time": START_US + t, "curdepth": d,
         "maxdepth": maxdepth, "ipprocs": 1}
        for n, (t, d) in enumerate(points)
    ]  # fmt: skip


def planted() -> list[dict[str, Any]]:
    """The looks at all queues, each of which a test tells of."""
    lain = [(n * HOUR, 3) for n in range(24 * 9)]
    taken = [(t, d if t < 5 * 24 * HOUR else 1) for t, d in lain]
    queue_rows = [
        *({**row, "boqname": "BO.LEFT"} for row in rows("IN1", lain)),
        *({**row, "boqname": "BO.TAKEN"} for row in rows("IN2", lain)),
        *rows("BO.LEFT", lain), *rows("BO.TAKEN", taken), *rows("OTHER", lain),
    ]  # fmt: skip
    for name, hourly in {
        "GROWS": [10 * n for n in range(24 * 14)],
        "SHRINKS": [2000 - 10 * n for n in range(24 * 7)],
        "FULL": [5000] * 24 * 7,
        "IDLE": [0] * 50,
        "LATE": [max(0, 10 * (n - 9)) for n in range(16)],
    }.items():
        queue_rows += rows(name, [(n * HOUR, depth) for n, depth in enumerate(hourly)])
    week = [(n * HOUR, 10 * n) for n in range(24 * 7)]
    queue_rows += rows("SOON", week, 3000) + rows("LATER", week, 5000)
    for name, often in {
        "HEALTHY": [n % 3 for n in range(144)],
        "STUCK": [n % 3 if n < 60 or n > 90 else 5 * (n - 59) for n in range(144)],
        "BURST": [40 if n == 60 else 0 for n in range(70)],
    }.items():
        queue_rows += rows(name, [(n * 10 * MINUTE, depth) for n, depth in enumerate(often)])
    grows = [(n * 30 * MINUTE, 3 * n) for n in range(12)]
    for row in rows("READ", grows) + rows("UNREAD", grows) + rows("OFF", grows):
        last = {"READ": row["snap_time"] - MINUTE, "UNREAD": START_US - HOUR, "OFF": None}
        queue_rows.append({**row, "last_get_time": last[row["queue"]]})
    return queue_rows


@pytest.fixture(scope="module")
def depths(spark: SparkSession) -> dict[str, Any]:
    """What the job says of each queue."""
    from mqtriage.pipeline.depth import backout_queues, depth, foreseen, looks

    queues = frame(spark, "queues", planted())
    looked = looks(queues)
    of_queues = depth(looked, foreseen(spark, looked), backout_queues(queues)).collect()
    return {row["queue"]: row for row in of_queues}


def test_a_backout_queue_that_nobody_touched_for_eight_days_is_named(
    depths: dict[str, Any],
) -> None:
    named = {name: us(row["untouched_from"]) for name, row in depths.items()
             if row["untouched_from"]}  # fmt: skip
    assert named == {"BO.LEFT": START_US}
    row = {**depths["BO.LEFT"].asDict(), "untouched_from": "2026-01-05T00:00:00Z"}
    (one,) = (one for one in advice({"depth": [row]}) if one.code == "untouched")
    assert advice_text(one).startswith("BO.LEFT on QM1 is a backout queue with 3 messages, and")
    assert one.command == "mqtriage backout causes BO.LEFT -m QM1"


def test_a_queue_that_grows_steadily_is_full_when_the_line_says(depths: dict[str, Any]) -> None:
    grows = depths["GROWS"]
    hours = (grows["full_time"] - grows["last_time"]).total_seconds() / 3600
    assert abs(hours - (5000 - 3350) / 10) < 1
    assert grows["full_early_time"] <= grows["full_time"] <= grows["full_late_time"]
    assert depths["SHRINKS"]["full_time"] is None
    assert depths["FULL"]["full_time"] == depths["FULL"]["last_time"]
    assert depths["FULL"]["full_looks"] == 24 * 7


def test_the_longest_time_without_a_fall_tells_a_stuck_consumer(depths: dict[str, Any]) -> None:
    assert depths["HEALTHY"]["stuck_from"] is None
    assert depths["IDLE"]["stuck_from"] is None
    assert depths["STUCK"]["stuck_growth"] >= 150
    length = depths["STUCK"]["stuck_until"] - depths["STUCK"]["stuck_from"]
    assert abs(length.total_seconds() - 31 * 600) <= 1200


def test_a_queue_that_is_read_more_slowly_than_it_is_filled_is_not_stuck(
    depths: dict[str, Any],
) -> None:
    assert depths["READ"]["stuck_from"] is None
    assert depths["UNREAD"]["stuck_growth"] == depths["OFF"]["stuck_growth"] == 33


def test_a_burst_after_a_quiet_night_is_not_stuck(depths: dict[str, Any]) -> None:
    assert depths["BURST"]["stuck_from"] is None


def test_a_stuck_queue_is_told_from_when_it_began_to_grow(depths: dict[str, Any]) -> None:
    row = depths["LATE"]
    assert us(row["stuck_from"]) == START_US + 9 * HOUR
    assert us(row["stuck_until"]) == START_US + 15 * HOUR


def test_the_depth_some_days_ahead_is_that_of_the_forecast(spark: SparkSession) -> None:
    from mqtriage.pipeline.depth import ahead, foreseen, looks
    from mqtriage.pipeline.forecasting import forecast

    dice = random.Random(5)
    points = [(n * HOUR, dice.randrange(100)) for n in range(24 * 20)]
    # of two looks within an hour the later one counts
    points += [(t - 10 * MINUTE, 999) for t, _ in points[1:]]
    looked = looks(frame(spark, "queues", rows("Q", sorted(points))))
    by_days = {row["days_ahead"]: row for row in ahead(looked, foreseen(spark, looked)).collect()}
    by_hour = [float(depth) for at, depth in sorted(points, reverse=True) if at % HOUR == 0]
    expected = forecast(by_hour, 5000)
    assert expected is not None
    assert set(by_days) == {one.days for one in expected.ahead} == {1, 2, 4, 7, 14}
    for one in expected.ahead:
        row = by_days[one.days]
        assert (row["low"], row["high"]) == (round(one.low, 1), round(one.high, 1))
        assert (row["forecasts"], row["held"]) == (one.forecasts, one.held)
        assert us(row["ahead_time"]) == START_US + (24 * 20 - 1) * HOUR + one.days * 24 * HOUR


def test_no_time_is_given_that_is_further_ahead_than_the_looks_go_back(
    depths: dict[str, Any],
) -> None:
    assert depths["SOON"]["full_late_time"] is not None
    later = depths["LATER"]
    assert [later[f"full_{word}time"] for word in ("", "early_", "late_")] == [None] * 3


@pytest.mark.usefixtures("each_request_once")
def test_queues_of_the_system_that_never_held_a_message_are_left_out_and_counted(
    bench: Bench, spark: SparkSession, tmp_path: Path
) -> None:
    names = ("ORDERS", "SYSTEM.USED", "SYSTEM.A", "SYSTEM.B")
    used = Stay("QM1", "SYSTEM.USED", f"{1:048}", 0, HOUR)
    taken = rows_of([used], [0, HOUR, 2 * HOUR], {("QM1", name): {"maxdepth": 9} for name in names})
    for table, written in taken.frames(spark).items():
        written.write.partitionBy("qmgr", "snap_date").parquet(str(tmp_path / "snaps" / table))
    words = ("analyze", "depth", str(tmp_path / "snaps"), "-o", "json")

    def listed(*more: str) -> tuple[set[str], int]:
        document = json.loads(bench.ok(*words, *more).out)
        return {row["queue"] for row in document["items"]}, document["summary"]["unused_queues"]

    assert listed() == ({"ORDERS", "SYSTEM.USED"}, 2)
    assert listed("--queue", "SYSTEM.*") == ({"SYSTEM.USED", "SYSTEM.A", "SYSTEM.B"}, 0)
    assert listed("--queue", "SYSTEM.B", "--queue", "ORDERS") == ({"SYSTEM.B", "ORDERS"}, 0)
    assert listed("--table", "depth_hours") == ({"ORDERS", "SYSTEM.USED"}, 2)
    why = "note: no forecast for 2 queues: 3 samples over 2h00m; it needs 3 days of samples, or 6"
    assert why in " ".join(bench.ok(*words[:3]).err.split())
    missing = json.loads(bench.ok(*words).out)["summary"]["without_forecast"]
    assert missing == {"queues": 2, "samples": 3, "span_ms": 2 * 3_600_000}
    note = (
        "note: 2 SYSTEM queues left out, because no snapshot contains a message on them; to list"
        " them:"
    )
    assert note in " ".join(bench.ok(*words[:3]).err.split())
