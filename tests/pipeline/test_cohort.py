"""The lives of messages over queues, and the BOTHRESH after which tries never helped."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.mq.delay import STAGING_QUEUE
from tests.pipeline.histories import Stay, rows_of
from tests.pipeline.rows import MINUTE, START_US, frame
from tests.support.scale import amount

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TIMES = [n * MINUTE for n in range(61)]
QUEUES = {
    ("QM1", "IN"): {"bothresh": 3, "boqname": "BO"},
    ("QM1", "BO"): {"bothresh": 0, "boqname": ""},
    ("QM1", "DLQ"): {},
    ("QM1", STAGING_QUEUE): {},
}
PATHS = (
    "taken", "taken-after-tries", "requeued", "dead", "staged-taken", "cancelled", "expired",
    "open",
)  # fmt: skip


def life(number: int, path: str, dice: random.Random) -> tuple[list[Stay], str, int]:
    """The stays of one message, the end that it comes to, and its rollbacks."""
    key = f"{number:048}"
    put = dice.randrange(20) * MINUTE
    tries = dice.choice([1, 2])
    on = Stay("QM1", "IN", key, put, put + 9 * MINUTE)
    rolled = [(put + (n + 1) * 2 * MINUTE, n + 1) for n in range(tries)]
    due = put + 10 * MINUTE
    staged = Stay(
        "QM1", STAGING_QUEUE, f"9{key[1:]}", put, due,
        {"original_msg_id": key, "target": "IN", "due_time": START_US + due},
    )  # fmt: skip
    match path:
        case "taken-after-tries":
            return [replace(on, backouts=rolled)], "taken", tries
        case "requeued":
            return (
                [replace(on, backouts=rolled), Stay("QM1", "BO", key, on.left, 99 * MINUTE)],
                "requeued",
                3,
            )
        case "dead":
            return (
                [on, Stay("QM1", "DLQ", key, on.left, 99 * MINUTE, {"reason": 2053})],
                "dead-lettered",
                0,
            )
        case "staged-taken":
            return [staged, Stay("QM1", "IN", key, due, due + 3 * MINUTE)], "taken", 0
        case "cancelled":
            return [replace(staged, left=put + 4 * MINUTE)], "cancelled", 0
        case "expired":
            return [replace(on, facts={"expiry_time": START_US + on.left})], "expired", 0
        case "open":
            return [replace(on, left=99 * MINUTE)], "open", 0
        case _:
            return [on], "taken", 0


@pytest.mark.long
@settings(max_examples=amount(2), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), incremental=st.booleans())
def test_what_became_of_each_message_is_found(
    spark: SparkSession, seed: int, incremental: bool
) -> None:
    """Incremental snapshots tell the same as full ones."""
    from mqtriage.pipeline import cohort
    from mqtriage.pipeline.lifetimes import observations

    dice = random.Random(seed)
    stays: list[Stay] = []
    ends: dict[str, tuple[str, int]] = {}
    for number in range(40):
        made, end, tries = life(number, dice.choice(PATHS), dice)
        stays += made
        ends[f"{number:048}"] = (end, tries)
    frames = rows_of(stays, TIMES, QUEUES, incremental=incremental).frames(spark)
    managers = frame(spark, "queue_managers", [{"deadq": "DLQ"}])
    placed = cohort.places(frames["queues"], managers)
    looked = observations(frames["queues"], frames["snapshots"])
    lines = cohort.lifelines(frames["messages"], looked, placed).persist()
    found = {row["original_msg_id"]: (row["end"], row["tries"]) for row in lines.collect()}
    assert found == ends

    counted = Counter(end for end, _ in ends.values())
    summed: Any = {row["queue"]: row for row in cohort.cohort(lines, placed).collect()}
    assert summed.keys() == {"IN"}
    for end in cohort.End:
        assert summed["IN"][end.value.replace("-", "_")] == counted[end.value]
    helped = [tries for end, tries in ends.values() if end == "taken"]
    assert summed["IN"]["helped_max"] == max(helped, default=None)
    failed = any(end == "requeued" for end, _ in ends.values())
    assert summed["IN"]["bothresh"] == (max(helped, default=0) + 1 if failed else None)

    reached: dict[int, list[str]] = defaultdict(list)
    for end, tries in ends.values():
        if end in ("taken", "requeued", "dead-lettered"):
            for attempt in range(tries + 1):
                reached[attempt].append(end)
    survived = {r["attempt"]: (r["reached"], r["taken"]) for r in cohort.survival(lines).collect()}
    assert survived == {n: (len(e), e.count("taken")) for n, e in reached.items()}
    lines.unpersist()


@pytest.mark.long
def test_a_life_goes_on_over_queue_managers(spark: SparkSession) -> None:
    from mqtriage.pipeline import cohort
    from mqtriage.pipeline.lifetimes import observations

    key = "A" * 48
    staged = Stay(
        "QM1", STAGING_QUEUE, "B" * 48, 0, 10 * MINUTE,
        {"original_msg_id": key, "target": "IN", "due_time": START_US + 10 * MINUTE},
    )  # fmt: skip
    landed = Stay("QM2", "IN", key, 10 * MINUTE, 20 * MINUTE)
    frames = rows_of([staged, landed], TIMES).frames(spark)
    managers = frame(spark, "queue_managers", [])
    placed = cohort.places(frames["queues"], managers)
    looked = observations(frames["queues"], frames["snapshots"])
    (row,) = cohort.lifelines(frames["messages"], looked, placed).collect()
    assert (row["original_msg_id"], row["qmgr"], row["queue"]) == (key, "QM2", "IN")
    assert (row["staged"], row["end"]) == (True, "taken")


def test_an_id_on_two_queues_is_told_of_the_same_one_whatever_the_order_of_the_rows(
    spark: SparkSession,
) -> None:
    from mqtriage.pipeline import cohort
    from mqtriage.pipeline.lifetimes import observations

    key = "A" * 48
    stays = [Stay("QM1", queue, key, 0, 20 * MINUTE) for queue in ("OUT", "IN")]
    for in_order in (stays, stays[::-1]):
        frames = rows_of(in_order, TIMES).frames(spark)
        placed = cohort.places(frames["queues"], frame(spark, "queue_managers", []))
        looked = observations(frames["queues"], frames["snapshots"])
        (row,) = cohort.lifelines(frames["messages"], looked, placed).collect()
        assert (row["queue"], row["end"]) == ("IN", "taken")
