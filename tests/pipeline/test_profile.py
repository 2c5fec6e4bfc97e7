"""Counts, sizes and ages: equal to going through the messages one by one."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.pipeline.histories import Stay, nearest_rank, random_stays, rows_of
from tests.pipeline.rows import START_US, at, frame
from tests.support.scale import amount

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def reference(stays: list[Stay], times: list[int]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    groups: dict[tuple[Any, ...], list[tuple[int, int, int]]] = defaultdict(list)
    for stay in stays:
        by_day: dict[Any, list[int]] = defaultdict(list)
        for look in stay.looks(times):
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
            len(found),
            sum(length for length, _, _ in found),
            *(nearest_rank([length for length, _, _ in found], p) for p in (50, 95, 100)),
            *(nearest_rank([age for _, age, _ in found], p) for p in (50, 95, 100)),
            sum(count > 0 for _, _, count in found),
            0,
        )
        for group, found in groups.items()
    }


@pytest.mark.seed("CARD-32")
@settings(max_examples=amount(2), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), incremental=st.just(False))
def test_a_profile_is_what_going_through_the_messages_gives(
    spark: SparkSession, seed: int, incremental: bool
) -> None:
    from mqtriage.pipeline.profile import GROUP, profile

    stays, times = random_stays(seed)
    found = profile(rows_of(stays, times).frames(spark)["messages"]).collect()
    assert {tuple(row[: len(GROUP)]): tuple(row[len(GROUP) :]) for row in found} == reference(
        stays, times
    )


def test_a_message_of_a_file_that_is_there_twice_counts_once(spark: SparkSession) -> None:
    from mqtriage.pipeline.profile import profile

    row = {"message_key": "a", "length_bytes": 7, "put_time": START_US}
    found = profile(frame(spark, "messages", [row, row, row])).collect()
    assert [(row["messages"], row["length_bytes"]) for row in found] == [(1, 7)]


def test_a_put_time_after_the_snapshot_is_counted_and_its_age_is_none(spark: SparkSession) -> None:
    from mqtriage.pipeline.profile import profile

    row = {"message_key": "a", "length_bytes": 7, "put_time": START_US + 5_000_000}
    found = profile(frame(spark, "messages", [row])).collect()
    assert [(row["put_after_look"], row["age_max_ms"]) for row in found] == [(1, 0)]
