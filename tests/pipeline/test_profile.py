"""Counts, sizes and ages: equal to going through the messages one by one."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.pipeline.histories import Rows, Stay, nearest_rank, random_stays, rows_of
from tests.pipeline.rows import MINUTE, START_US, at, frame
from tests.support.tools import drawn_seeds_together

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mqtriage.pipeline.lifetimes import Observations


Unread = frozenset[tuple[str, str, int]]
HOUR = 60 * MINUTE


def reference(
    stays: list[Stay], times: list[int], unread: Unread
) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    groups: dict[tuple[Any, ...], list[tuple[int, int, int]]] = defaultdict(list)
    for stay in stays:
        by_day: dict[Any, list[int]] = defaultdict(list)
        for look in stay.looks([t for t in times if (stay.qmgr, stay.queue, t) not in unread]):
            by_day[at(START_US + look).date()].append(look)
        for day, looks in by_day.items():
            group = (
                stay.qmgr, stay.queue, day, stay.facts["format"], stay.facts["put_appl_name"],
            )  # fmt: skip
            age_ms = (looks[-1] - stay.put) // 1000
            groups[group].append(
                (stay.facts["length_bytes"], age_ms, stay.backout_count(looks[-1]))
            )
    return {
        group: (
            len(sightings),
            sum(length for length, _, _ in sightings),
            *(nearest_rank([length for length, _, _ in sightings], p) for p in (50, 95, 100)),
            *(nearest_rank([age for _, age, _ in sightings], p) for p in (50, 95, 100)),
            sum(count > 0 for _, _, count in sightings),
            0,
        )
        for group, sightings in groups.items()
    }


def drawn_days(seed: int) -> tuple[list[Stay], list[int], Unread]:
    """Messages that lie for hours or days, snapshots over three of them, and looks that failed.

    The names of the queue managers end in the seed.
    """
    dice = random.Random(seed)
    times = sorted(dice.sample(range(0, 72 * HOUR, HOUR // 2), 14))
    stays = []
    for stay in random_stays(seed, 40)[0]:
        put = dice.randrange(-24 * HOUR, 70 * HOUR)
        gone = put + dice.randrange(1, 60 * HOUR)
        rolled = [(put + dice.randrange(40 * HOUR), count) for _, count in stay.backouts]
        own = replace(stay, qmgr=f"{stay.qmgr}.{seed}", put=put, gone=gone)
        stays.append(replace(own, backouts=sorted(rolled)))
    unread = {
        (f"{qmgr}.{seed}", queue, look)
        for qmgr in ("QM1", "QM2") for queue in "AB" for look in times
        if dice.random() < 0.2
    }  # fmt: skip
    return stays, times, frozenset(unread)


@pytest.mark.seed("CARD-32")
@drawn_seeds_together(10)
@pytest.mark.parametrize(
    ("mode", "alike"), [("full", False), ("mixed", False), ("incremental", True)]
)
def test_a_profile_is_what_going_through_the_messages_gives(
    spark: SparkSession, seeds: list[int], mode: str, alike: bool
) -> None:
    """Incremental snapshots, which have no row for what is as it was, tell the same.

    Full ones do with the looks at the queues, as beside incremental ones, and without. Of seed 2
    one lies over a midnight whose first look failed, and is rolled back after it.
    """
    from mqtriage.pipeline.lifetimes import looked_at_alike, observations
    from mqtriage.pipeline.profile import GROUP, profile

    rows = Rows()
    expected: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for seed in {2, *seeds, *(seed + 1 for seed in seeds)}:  # two examples of each
        stays, times, unread = drawn_days(seed)
        own = rows_of(stays, times, incremental=mode == "incremental", unread=unread)
        rows.messages += own.messages
        rows.queues += own.queues
        rows.snapshots += own.snapshots
        expected |= reference(stays, times, unread)
    frames = rows.frames(spark)
    same = looked_at_alike(frames["queues"]) if alike else None
    looked = observations(frames["queues"], frames["snapshots"], same)
    profiled = profile(frames["messages"], None if mode == "full" else looked).collect()
    assert {tuple(row[: len(GROUP)]): tuple(row[len(GROUP) :]) for row in profiled} == expected


def unlooked(spark: SparkSession) -> Observations:
    """No looks: the tables of queues could not be read."""
    from mqtriage.pipeline.lifetimes import observations

    return observations(frame(spark, "queues", []), frame(spark, "snapshots", []))


def test_a_message_of_a_file_that_is_there_twice_counts_once(spark: SparkSession) -> None:
    from mqtriage.pipeline.profile import profile

    row = {"message_key": "a", "length_bytes": 7, "put_time": START_US}
    profile_rows = profile(frame(spark, "messages", [row, row, row]), unlooked(spark)).collect()
    assert [(row["messages"], row["length_bytes"]) for row in profile_rows] == [(1, 7)]


def test_a_put_time_after_the_snapshot_is_counted_and_its_age_is_none(spark: SparkSession) -> None:
    from mqtriage.pipeline.profile import profile

    row = {"message_key": "a", "length_bytes": 7, "put_time": START_US + 5_000_000}
    profile_rows = profile(frame(spark, "messages", [row]), unlooked(spark)).collect()
    assert [(row["put_after_look"], row["age_max_ms"]) for row in profile_rows] == [(1, 0)]
