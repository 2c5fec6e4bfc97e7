"""What poison messages have in common: equal to counting every condition and pair by hand."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mqtriage.messages.filters.where import parse_where
from tests.pipeline.rows import MINUTE, START_US, frame, us
from tests.support.scale import amount

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

Look = tuple[str, str, int]
"""An id, the mode, the time."""
QUEUES = [{"queue": "IN", "boqname": "BO"}, {"queue": "BO", "boqname": ""}]


def described(
    spark: SparkSession,
    rows: list[dict[str, Any]],
    *,
    looks: Mapping[str, Sequence[Look]] = MappingProxyType({"QM1": ()}),
    dead_letters: DataFrame | None = None,
) -> DataFrame:
    """What the job makes of rows of messages.

    Args:
        looks: of each queue manager, at all its queues.
    """
    from mqtriage.pipeline.causes import families, judged, lifelines, settled
    from mqtriage.pipeline.lifetimes import observations

    queues = [
        {**queue, "qmgr": qmgr, "snapshot_id": name, "snap_time": time, "browsed": True}
        for qmgr, of_manager in looks.items()
        for name, _, time in of_manager for queue in (*QUEUES, {"queue": "DLQ"})
    ]  # fmt: skip
    snapshots = [
        {"qmgr": qmgr, "snapshot_id": name, "mode": mode, "snap_time": time}
        for qmgr, of_manager in looks.items()
        for name, mode, time in of_manager
    ]
    looked = observations(frame(spark, "queues", queues), frame(spark, "snapshots", snapshots))
    defined = [{**queue, "qmgr": qmgr} for qmgr in looks for queue in QUEUES]
    family_of = families(frame(spark, "queues", defined))
    lines = lifelines(frame(spark, "messages", rows))
    return settled(judged(lines, family_of, dead_letters).persist(), looked)


def generated(seed: int) -> list[dict[str, Any]]:
    """Messages of which those of one program and format are poison, with some noise.

    Each as it was seen last; `sightings` has it as it was before.
    """
    dice = random.Random(seed)
    rows = []
    for number in range(80):
        row: dict[str, Any] = {
            "message_key": f"{number:032}",
            "msg_id": f"{number:048}",
            "format": dice.choice(["MQSTR", "MQHRF2"]),
            "put_appl_name": dice.choice(["web", "it's", "batch"]),
            "user_identifier": "app",
            "priority": dice.choice([0, 4]),
            "length_bytes": dice.choice([10, 3000]),
            "queue": "IN",
            "backout_count": 0,
            "put_time": START_US + dice.randrange(1000),
            "snap_time": START_US + dice.randrange(3) * MINUTE,
        }
        sick = row["format"] == "MQSTR" and row["put_appl_name"] == "it's"
        if sick or dice.random() < 0.03:
            row["queue"] = dice.choice(["BO", "IN"])
            row["backout_count"] = 1 if row["queue"] == "IN" else 0
        rows.append(row)
    return rows


def sightings(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """*rows*, and what the snapshots before saw of each: on the input queue, and described alike.

    Apart from what came to the backout queue: its copy got another format.
    """
    seen = []
    for row in rows:
        first = {"queue": "IN", "backout_count": 0}
        if row["queue"] == "BO":
            first["format"] = "MQDEAD"
        times = range(START_US, row["snap_time"] + (row["queue"] == "IN"), MINUTE)
        seen += [{**row, **first, "snap_time": time} for time in times]
    return [*seen, *rows]


def conditions(row: dict[str, Any]) -> list[str]:
    name = row["put_appl_name"].replace("'", "''")
    low = 8 if row["length_bytes"] == 10 else 2048
    return [
        f"format = '{row['format']}'",
        f"put_appl = '{name}'",
        "user = 'app'",
        f"priority = {row['priority']}",
        f"length BETWEEN {low} AND {2 * low - 1}",
    ]


def is_sick(row: dict[str, Any]) -> bool:
    return bool(row["queue"] == "BO" or row["backout_count"] > 0)


def fulfilling(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Each condition and pair: the messages that fulfil it."""
    messages: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        texts = conditions(row)
        pairs = [" AND ".join(sorted(pair)) for pair in combinations(texts, 2)]
        for text in texts + pairs:
            messages[text].append(row)
    return messages


@pytest.mark.long
@settings(max_examples=amount(2), suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(seed=479001600)
@example(seed=7)
@given(seed=st.integers(0, 2**32))
def test_the_best_condition_is_the_best_of_all_that_can_be_counted(
    spark: SparkSession, seed: int
) -> None:
    from mqtriage.pipeline.causes import causes

    rows = generated(seed)
    ranked = causes(described(spark, sightings(rows)), top=4).collect()
    sick_ones = fulfilling([row for row in rows if is_sick(row)])
    healthy_ones = fulfilling([row for row in rows if not is_sick(row)])
    expected = {
        text: (len(sick_ones[text]), len(healthy_ones[text]))
        for text in [*sick_ones, *healthy_ones]
    }
    n_sick = sum(is_sick(row) for row in rows)
    n_healthy = len(rows) - n_sick
    for row in ranked:
        assert (row["messages"], row["healthy_count"]) == expected[row["where"]]
        assert (row["sick"], row["healthy"]) == (n_sick, n_healthy)
        assert (
            abs(row["score"] - (row["messages"] / n_sick - row["healthy_count"] / n_healthy)) < 1e-4
        )
        parse_where(row["where"])
        alike = sick_ones[row["where"]]
        times = [one["put_time"] for one in alike]
        assert (us(row["first_put_time"]), us(row["last_put_time"])) == (min(times), max(times))
        assert row["sample_msg_id"] == min(one["msg_id"] for one in alike)
    scores = {
        text: sick / n_sick - healthy / n_healthy for text, (sick, healthy) in expected.items()
    }
    assert ranked[0]["score"] >= max(scores.values()) - 0.0201
    planted = "format = 'MQSTR' AND put_appl = 'it''s'"
    rest = max(score for text, score in scores.items() if text != planted)
    if scores.get(planted, 0.0) > rest + 0.0201:  # noise can make a simpler one as good
        assert ranked[0]["where"] == planted


@pytest.mark.long
def test_a_queue_without_poison_has_no_causes(spark: SparkSession) -> None:
    from mqtriage.pipeline.causes import causes

    rows = [{"queue": "IN", "msg_id": "A" * 48, "format": "MQSTR", "length_bytes": 1}]
    assert causes(described(spark, rows)).collect() == []


LOOKS = [(f"S{at}", "full", START_US + at * MINUTE) for at in range(6)]


def seen(number: int, times: Iterable[int], **more: Any) -> list[dict[str, Any]]:
    """A message on IN at some looks, with a rollback unless *more* says otherwise."""
    row = {"message_key": f"{number:032}", "msg_id": f"{number:048}", "queue": "IN",
           "length_bytes": 1, "backout_count": 1, "put_time": START_US, **more}  # fmt: skip
    return [
        {**row, "snapshot_id": f"S{at}", "snap_time": START_US + at * MINUTE, "seen": "seen"}
        for at in times
    ]


Counts = dict[str, list[int]]
"""Queue manager to how many of its messages are sick, healthy and retried."""


@pytest.fixture(scope="module")
def sick_and_retried(spark: SparkSession) -> Counts:
    retried = [
        *seen(1, [0, 1]),  # taken by the look 2
        *seen(2, [4, 5]),  # still there
        *seen(3, [1, 2], expiry_time=START_US + 150_000_000),  # it expired between 2 and 3
        *seen(4, [1, 2], expiry_time=START_US + 999_000_000),  # taken before it would
        *seen(5, [1]), *seen(5, [2, 3], queue="BO", backout_count=0),
        *seen(6, [0, 1], backout_count=0),  # healthy, and taken
        *seen(7, [5], backout_count=0),
    ]  # fmt: skip

    gone = {"seen": "gone", "backout_count": None, "length_bytes": None}
    by_operator = {**gone, "snap_time": START_US + 2 * MINUTE + 1, "snapshot_id": "A"}
    archived = [
        *seen(1, [1]), {**seen(1, [3])[0], **gone},
        *seen(2, [1]),  # no row since: it is still there
        *seen(3, [1]), {**seen(3, [1])[0], **by_operator},
    ]  # fmt: skip
    changes = [(name, "incremental", time) for name, _, time in LOOKS]

    on = {"queue": "DLQ", "backout_count": 0, "dest": "IN", "format": "MQDEAD"}
    dead = [
        *seen(1, [0]), *seen(1, [1, 2], reason=2362, **on),
        *seen(2, [1], reason=2362, **on),  # no look saw it on its queue
        *seen(3, [1], reason=2053, **on),  # it never came to its queue
        *seen(4, [1], backout_count=0),
    ]  # fmt: skip

    by_manager = {"RETRIED": retried, "ARCHIVED": archived, "DEAD": dead}
    rows = [{**row, "qmgr": qmgr} for qmgr, own in by_manager.items() for row in own]
    looks = {
        "RETRIED": LOOKS, "DEAD": LOOKS,
        "ARCHIVED": [*changes, ("A", "archive", START_US + 2 * MINUTE)],
    }  # fmt: skip
    dead_letters = spark.createDataFrame([("DEAD", "DLQ")], "qmgr string, queue string")
    of = ("messages", "healthy_count", "retried")
    sums = described(spark, rows, looks=looks, dead_letters=dead_letters).filter("family = 'BO'")
    return {qmgr: counts for qmgr, *counts in sums.groupBy("qmgr").sum(*of).collect()}


def test_what_was_retried_and_taken_is_no_poison(sick_and_retried: Counts) -> None:
    """Poison is given up: on a backout queue, expired or still there; taken is of its own class."""
    assert sick_and_retried["RETRIED"] == [3, 2, 2]


def test_rows_of_incremental_snapshots_and_archives_say_who_took_a_message(
    sick_and_retried: Counts,
) -> None:
    """A look that finds it gone means that a program took it; an archive, that an operator did."""
    assert sick_and_retried["ARCHIVED"] == [2, 0, 1]


def test_what_came_to_the_dead_letter_queue_by_its_rollbacks_is_poison_of_its_queue(
    sick_and_retried: Counts,
) -> None:
    assert sick_and_retried["DEAD"] == [2, 1, 0]


SINGLE: tuple[tuple[str, tuple[Any, Any], str], ...] = (
    ("length_bytes", (10, 5000), "length BETWEEN 4096 AND 8191"),
    ("put_appl_name", ("A AND C", "A AND B"), "put_appl = 'A AND B'"),
)
"""A column, what healthy and sick messages have in it, and the condition."""


@pytest.fixture(scope="module")
def ranked(spark: SparkSession) -> dict[str, list[Row]]:
    """Queue manager to the causes of its poison, the best first."""
    from mqtriage.pipeline.causes import causes

    pair = [
        row
        for number in range(600)
        for row in seen(
            number,
            [5],
            backout_count=int(number < 20),
            put_appl_name="bad" if number < 28 else "good",
            format="MQHRF2" if number < 21 or number % 3 else "MQSTR",
        )
    ]
    for row in pair:
        row["format"] = "MQHRF2" if int(row["msg_id"]) < 22 else row["format"]
        if 22 <= int(row["msg_id"]) < 28:
            row["format"] = "MQSTR"
    tier = [
        {"queue": "BO" if n < 4 else "IN", "msg_id": f"{n:048}", "length_bytes": 1,
         "properties": json.dumps({"tier": int(n < 4), "odd name": "x"})}
        for n in range(12)
    ]  # fmt: skip
    by_manager = {"PAIR": pair, "TIER": tier}
    for key, values, _ in SINGLE:
        by_manager[key] = [
            {"queue": "BO" if n < 4 else "IN", "msg_id": f"{n:048}", "length_bytes": 1}
            | {key: values[n < 4]}
            for n in range(12)
        ]
    rows = [{**row, "qmgr": qmgr} for qmgr, own in by_manager.items() for row in own]
    looks = {**dict.fromkeys(by_manager, ()), "PAIR": LOOKS}
    of_all = causes(described(spark, rows, looks=looks)).collect()
    in_order = sorted(of_all, key=lambda row: row["rank"])
    return {name: [row for row in in_order if row["qmgr"] == name] for name in by_manager}


def test_a_property_that_poison_messages_have_is_a_cause(ranked: dict[str, list[Row]]) -> None:
    assert ranked["TIER"][0]["where"] == 'prop."tier" = 1'


def test_a_single_condition_that_contains_and_is_no_pair(ranked: dict[str, list[Row]]) -> None:
    for key, _, where in SINGLE:
        assert [(row["where"], row["score"]) for row in ranked[key]] == [(where, 1.0)], key


def test_a_pair_that_spares_three_quarters_of_the_healthy_is_worth_its_term(
    ranked: dict[str, list[Row]],
) -> None:
    """Though so few of the many healthy ones that it separates hardly better."""
    best, *_ = ranked["PAIR"]
    assert best["where"] == "format = 'MQHRF2' AND put_appl = 'bad'"
    assert (best["messages"], best["healthy_count"]) == (20, 2)


def test_messages_that_are_described_alike_are_one_row(spark: SparkSession) -> None:
    from mqtriage.pipeline.causes import families, judged, lifelines

    rows = [
        {"queue": "BO" if n < 3 else "IN", "message_key": f"{n:032}", "msg_id": f"{n:048}",
         "format": "MQSTR", "length_bytes": 1024 + n, "snap_time": START_US + at * MINUTE}
        for n in range(12) for at in range(3)
    ]  # fmt: skip
    lines = lifelines(frame(spark, "messages", rows))
    (row,) = judged(lines, families(frame(spark, "queues", QUEUES))).collect()
    assert (row["messages"], row["healthy_count"]) == (3, 9)


def test_conditions_are_put_together_and_ranked_when_messages_have_been_counted(
    spark: SparkSession,
) -> None:
    """In Spark's plan, whose last step is at the top: no window is over messages."""
    from mqtriage.pipeline.causes import causes, families, judged, lifelines

    family_of = families(frame(spark, "queues", QUEUES))
    grouped = judged(lifelines(frame(spark, "messages", generated(1))), family_of)
    plan = grouped._jdf.queryExecution().optimizedPlan().toString().splitlines()
    assert [at for at, step in enumerate(plan) if "priority = " in step] == [0]
    assert sum("Aggregate [" in step for step in plan[1:]) >= 2  # by sighting, and by message
    assert not any("Window" in step for step in plan)
    kept = spark.createDataFrame([], described(spark, []).schema)
    steps = causes(kept)._jdf.queryExecution().analyzed().toString().splitlines()
    below = steps[max(at for at, step in enumerate(steps) if "Window [" in step) :]
    assert sum("Aggregate [" in step for step in below) == 2  # by condition, and the totals
    assert sum("Generate explode" in step for step in below) == 1
