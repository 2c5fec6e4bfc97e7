"""What expired: equal to going through the lives one by one."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.pipeline.histories import Stay, nearest_rank, random_stays, rows_of
from tests.pipeline.rows import MINUTE, START_US
from tests.support.scale import amount

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOUR = 3_600_000_000
SECOND = 1_000_000


def reference(stays: list[Stay], times: list[int]) -> dict[tuple[str, str], dict[str, Any]]:
    queues: dict[tuple[str, str], list[Stay]] = defaultdict(list)
    for stay in stays:
        if stay.looks(times):
            queues[stay.qmgr, stay.queue].append(stay)
    sums = {}
    for queue, queue_stays in queues.items():
        expired, taken, waits, hours, mb_hours = [], 0, [], 0.0, 0.0
        unseen, variance = 0.0, 0.0
        for stay in queue_stays:
            gone = stay.gone_by(times)
            looks = stay.looks(times)
            before = max((look for look in times if look < looks[0]), default=None)
            end = stay.facts.get("expiry_time")
            end = None if end is None else end - START_US
            if end is not None and (
                end <= stay.looks(times)[-1] or (gone is not None and end <= gone)
            ):
                expired.append(stay)
                hours += (end - stay.put) / HOUR
                mb_hours += (end - stay.put) / HOUR * stay.facts["length_bytes"] / 1e6
            elif gone is not None:
                taken += 1
                waits.append((gone - stay.put) // 1000)
            is_expired = bool(expired) and expired[-1] is stay
            last = min(end, gone or end) if is_expired and end is not None else looks[-1]
            if gone is None and not is_expired:
                last = times[-1]
            stayed = max(last - stay.put, SECOND)
            if before is not None and stayed < looks[0] - before:
                ratio = (looks[0] - before) / stayed
                unseen, variance = unseen + ratio - 1, variance + ratio * (ratio - 1)
        lifetimes = [
            (s.facts["expiry_time"] - START_US - s.put) // 1000
            for s in queue_stays
            if "expiry_time" in s.facts
        ]
        sums[queue] = {
            "messages": len(queue_stays),
            "with_expiry": len(lifetimes),
            "expired": len(expired),
            "expired_bytes": sum(s.facts["length_bytes"] for s in expired),
            "carried_message_hours": round(hours, 3),
            "carried_mb_hours": round(mb_hours, 3),
            "taken": taken,
            "still_there": len(queue_stays) - len(expired) - taken,
            "lifetime_p50_ms": nearest_rank(lifetimes, 50),
            "wait_p50_ms": nearest_rank(waits, 50),
            "wait_p95_ms": nearest_rank(waits, 95),
            "sufficient_ms": nearest_rank(waits, 99),
            "unseen": math.ceil(unseen + 2 * math.sqrt(variance)),
        }
    return sums


@pytest.mark.long
@settings(max_examples=amount(2), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), incremental=st.booleans())
def test_lifetimes_are_summed_up_as_going_through_the_lives_does(
    spark: SparkSession, seed: int, incremental: bool
) -> None:
    """Incremental snapshots tell the same as full ones."""
    from mqtriage.pipeline.expiry import expiry
    from mqtriage.pipeline.lifetimes import observations

    stays, times = random_stays(seed)
    frames = rows_of(stays, times, incremental=incremental).frames(spark)
    collected = expiry(
        frames["messages"], observations(frames["queues"], frames["snapshots"])
    ).collect()
    rows = {}
    for row in collected:
        record = row.asDict()
        rows[record.pop("qmgr"), record.pop("queue")] = record
    expected = reference(stays, times)
    assert rows.keys() == expected.keys()
    for queue, record in rows.items():
        close = {"carried_message_hours", "carried_mb_hours"}
        assert {k: v for k, v in record.items() if k not in close} == {
            k: v for k, v in expected[queue].items() if k not in close
        }
        for key in close:
            assert abs(record[key] - expected[queue][key]) <= 0.0011


def test_what_came_and_went_between_two_looks_is_bounded(spark: SparkSession) -> None:
    """Six minutes of an hour are seen: of a hundred messages that stay so long, ten."""
    from mqtriage.pipeline.expiry import expiry
    from mqtriage.pipeline.lifetimes import observations

    times = [n * HOUR for n in range(11)]
    seen = [
        Stay("QM1", "Q", f"{n:048}", n * HOUR - MINUTE, n * HOUR + 5 * MINUTE,
             {"expiry_time": START_US + n * HOUR + 5 * MINUTE})
        for n in range(1, 11)
    ]  # fmt: skip
    frames = rows_of(seen, [*times, 11 * HOUR]).frames(spark)
    (row,) = expiry(
        frames["messages"], observations(frames["queues"], frames["snapshots"])
    ).collect()
    assert (row["messages"], row["expired"]) == (10, 10)
    assert 90 <= row["unseen"] <= 90 + 2 * math.sqrt(900) + 1


@pytest.mark.parametrize("incremental", [False, True])
def test_a_message_that_stays_as_it_is_is_still_there(
    spark: SparkSession, incremental: bool
) -> None:
    """An incremental snapshot has no row for it: that is not a sign that it is gone."""
    from mqtriage.pipeline.expiry import expiry
    from mqtriage.pipeline.lifetimes import observations

    times = [n * MINUTE for n in range(4)]
    stays = [Stay("QM1", "Q", "A" * 48, -MINUTE, 99 * MINUTE)]
    stays.append(Stay("QM1", "Q", "B" * 48, -MINUTE, 3 * MINUTE))
    frames = rows_of(stays, times, incremental=incremental).frames(spark)
    (row,) = expiry(
        frames["messages"], observations(frames["queues"], frames["snapshots"])
    ).collect()
    assert (row["messages"], row["taken"], row["still_there"]) == (2, 1, 1)
    assert row["wait_p50_ms"] == 4 * 60_000


def test_a_message_seen_after_its_end_has_expired_and_is_not_still_there(
    spark: SparkSession,
) -> None:
    """Until it is browsed it stays on the queue, and counts in CURDEPTH."""
    from mqtriage.pipeline.expiry import expiry
    from mqtriage.pipeline.lifetimes import observations

    times = [0, MINUTE]
    stays = [
        Stay("QM1", "Q", "A" * 48, -MINUTE, 99 * MINUTE, {"expiry_time": START_US + MINUTE}),
        Stay("QM1", "Q", "B" * 48, -MINUTE, 99 * MINUTE, {"expiry_time": START_US + MINUTE + 1}),
    ]
    frames = rows_of(stays, times).frames(spark)
    (row,) = expiry(
        frames["messages"], observations(frames["queues"], frames["snapshots"])
    ).collect()
    assert (row["messages"], row["expired"], row["taken"], row["still_there"]) == (2, 1, 0, 1)
