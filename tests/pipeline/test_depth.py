"""Forecasts of depth: lines and patterns that were planted are found, and stuck consumers."""

from __future__ import annotations

import math
import random
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.pipeline.rows import MINUTE, START_US, frame, us
from tests.support.scale import amount

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOUR = 60 * MINUTE


def reference(points: list[tuple[int, int]], trend_hours: int) -> dict[str, float]:
    """Slope a day, swing and noise by the textbook, over (microseconds, depth)."""
    last = max(t for t, _ in points)
    recent = [
        ((t - last) / HOUR, d, t // HOUR % 24) for t, d in points if t >= last - trend_hours * HOUR
    ]
    mean_x, mean_y = fmean(x for x, _, _ in recent), fmean(d for _, d, _ in recent)
    xx = sum((x - mean_x) ** 2 for x, _, _ in recent)
    slope = sum((x - mean_x) * (d - mean_y) for x, d, _ in recent) / xx if xx else 0.0
    rest = [(d - mean_y - slope * (x - mean_x), h) for x, d, h in recent]
    by_hour = {h: fmean(r for r, of in rest if of == h) for _, h in rest}
    if min(x for x, _, _ in recent) > -48:
        by_hour = dict.fromkeys(by_hour, 0.0)
    noise = math.sqrt(fmean((r - by_hour[h]) ** 2 for r, h in rest))
    return {"growth_a_day": slope * 24, "swing": max(by_hour.values()), "noise": noise}


def rows(name: str, points: list[tuple[int, int]], maxdepth: int = 5000) -> list[dict[str, Any]]:
    return [
        {"queue": name, "snapshot_id": f"{n:05}", "snap_time": START_US + t, "curdepth": d,
         "maxdepth": maxdepth, "ipprocs": 1}
        for n, (t, d) in enumerate(points)
    ]  # fmt: skip


@pytest.mark.long
@settings(max_examples=amount(2), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_trend_pattern_and_noise_are_those_of_the_textbook(spark: SparkSession, seed: int) -> None:
    from mqtriage.pipeline.depth import depth

    dice = random.Random(seed)
    queues = {}
    for number in range(8):
        hours = dice.choice([6, 60, 100])
        queues[f"Q{number}"] = [(n * 30 * MINUTE, dice.randrange(0, 500)) for n in range(2 * hours)]
    queue_rows = [row for name, points in queues.items() for row in rows(name, points)]
    depths = {
        row["queue"]: row
        for row in depth(frame(spark, "queues", queue_rows), trend_hours=72).collect()
    }
    for name, points in queues.items():
        for key, value in reference([(START_US + t, d) for t, d in points], 72).items():
            assert abs(depths[name][key] - value) <= 0.0501, (name, key)


def test_a_queue_that_grows_steadily_is_full_when_the_line_says(spark: SparkSession) -> None:
    from mqtriage.pipeline.depth import depth

    points = [(n * HOUR, 10 * n) for n in range(24 * 14)]
    shrinking = [(n * HOUR, 2000 - 10 * n) for n in range(24 * 7)]
    full = [(n * HOUR, 5000) for n in range(24 * 7)]
    queue_rows = rows("GROWS", points) + rows("SHRINKS", shrinking) + rows("FULL", full)
    depths = {row["queue"]: row for row in depth(frame(spark, "queues", queue_rows)).collect()}
    grows = depths["GROWS"]
    hours = (grows["full_time"] - grows["last_time"]).total_seconds() / 3600
    assert abs(hours - (5000 - 3350) / 10) < 0.1
    assert grows["full_early_time"] <= grows["full_time"] <= grows["full_late_time"]
    assert depths["SHRINKS"]["full_time"] is None
    assert depths["FULL"]["full_time"] == depths["FULL"]["last_time"]
    assert depths["FULL"]["full_looks"] == 24 * 7


def test_the_longest_time_without_a_fall_tells_a_stuck_consumer(spark: SparkSession) -> None:
    from mqtriage.pipeline.depth import depth

    healthy = [(n * 10 * MINUTE, n % 3) for n in range(144)]
    stuck = [(n * 10 * MINUTE, n % 3 if n < 60 or n > 90 else 5 * (n - 59)) for n in range(144)]
    queue_rows = (
        rows("HEALTHY", healthy)
        + rows("STUCK", stuck)
        + rows("IDLE", [(n * HOUR, 0) for n in range(50)])
    )
    depths = {row["queue"]: row for row in depth(frame(spark, "queues", queue_rows)).collect()}
    assert depths["HEALTHY"]["stuck_from"] is None
    assert depths["IDLE"]["stuck_from"] is None
    assert depths["STUCK"]["stuck_growth"] >= 150
    length = depths["STUCK"]["stuck_until"] - depths["STUCK"]["stuck_from"]
    assert abs(length.total_seconds() - 31 * 600) <= 1200


def test_a_queue_that_is_read_more_slowly_than_it_is_filled_is_not_stuck(
    spark: SparkSession,
) -> None:
    from mqtriage.pipeline.depth import depth

    grows = [(n * 30 * MINUTE, 3 * n) for n in range(12)]
    queue_rows = rows("READ", grows) + rows("UNREAD", grows) + rows("OFF", grows)
    for row in queue_rows:
        last = {"READ": row["snap_time"] - MINUTE, "UNREAD": START_US - HOUR, "OFF": None}
        row["last_get_time"] = last[row["queue"]]
    depths = {row["queue"]: row for row in depth(frame(spark, "queues", queue_rows)).collect()}
    assert depths["READ"]["stuck_from"] is None
    assert depths["UNREAD"]["stuck_growth"] == depths["OFF"]["stuck_growth"] == 33


@pytest.mark.long
def test_a_burst_after_a_quiet_night_is_not_stuck(spark: SparkSession) -> None:
    from mqtriage.pipeline.depth import depth

    points = [(n * 10 * MINUTE, 40 if n == 60 else 0) for n in range(70)]
    row = depth(frame(spark, "queues", rows("Q", points))).collect()[0]
    assert row["stuck_from"] is None


def test_a_stuck_queue_is_told_from_when_it_began_to_grow(spark: SparkSession) -> None:
    from mqtriage.pipeline.depth import depth

    points = [(n * HOUR, max(0, 10 * (n - 9))) for n in range(16)]
    row = depth(frame(spark, "queues", rows("Q", points))).collect()[0]
    assert us(row["stuck_from"]) == START_US + 9 * HOUR
    assert us(row["stuck_until"]) == START_US + 15 * HOUR


def test_no_time_is_given_that_is_further_ahead_than_the_looks_go_back(
    spark: SparkSession,
) -> None:
    from mqtriage.pipeline.depth import depth

    points = [(n * HOUR, 10 * n) for n in range(24 * 7)]
    queue_rows = rows("SOON", points, 3000) + rows("LATER", points, 5000)
    depths = {row["queue"]: row for row in depth(frame(spark, "queues", queue_rows)).collect()}
    assert depths["SOON"]["full_late_time"] is not None
    later = depths["LATER"]
    assert [later[f"full_{word}time"] for word in ("", "early_", "late_")] == [None] * 3
