"""The lives of messages over queues, and the BOTHRESH after which no try was seen to help."""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.commands.analyze.run import listing_of
from mqtriage.model.analysis_tables import TABLES_OF
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.pipeline.runner import Analysis
from tests.pipeline.histories import Stay, rows_of
from tests.pipeline.rows import MINUTE, START_US, frame
from tests.support.scale import amount
from tests.support.tools import drawn_seeds_together

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
                [replace(on, backouts=rolled), Stay("QM1", "BO", key, on.gone, 99 * MINUTE)],
                "requeued",
                3,
            )
        case "dead":
            return (
                [on, Stay("QM1", "DLQ", key, on.gone, 99 * MINUTE, {"reason": 2053})],
                "dead-lettered",
                0,
            )
        case "staged-taken":
            return [staged, Stay("QM1", "IN", key, due, due + 3 * MINUTE)], "taken", 0
        case "cancelled":
            return [replace(staged, gone=put + 4 * MINUTE)], "cancelled", 0
        case "expired":
            return [replace(on, facts={"expiry_time": START_US + on.gone})], "expired", 0
        case "open":
            return [replace(on, gone=99 * MINUTE)], "open", 0
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
        new_stays, end, tries = life(number, dice.choice(PATHS), dice)
        stays += new_stays
        ends[f"{number:048}"] = (end, tries)
    frames = rows_of(stays, TIMES, QUEUES, incremental=incremental).frames(spark)
    managers = frame(spark, "queue_managers", [{"deadq": "DLQ"}])
    placed = cohort.places(frames["queues"], managers)
    looked = observations(frames["queues"], frames["snapshots"])
    lines = cohort.lifelines(frames["messages"], looked, placed).persist()
    outcomes = {row["original_msg_id"]: (row["end"], row["tries"]) for row in lines.collect()}
    assert outcomes == ends

    counted = Counter(end for end, _ in ends.values())
    summed: Any = {row["queue"]: row for row in cohort.cohort(lines, placed, looked).collect()}
    assert summed.keys() == {"IN"}
    for end in cohort.LifeEnd:
        assert summed["IN"][end.value.replace("-", "_")] == counted[end.value]
    helped = [tries for end, tries in ends.values() if end == "taken"]
    assert summed["IN"]["helped_max"] == max(helped, default=None)
    failed = any(end == "requeued" for end, _ in ends.values())
    assert bool(summed["IN"]["bothresh_sum"]) == failed

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


GAP = 60
RETRY = 3
"""Minutes between two looks, and between two tries of the application."""


class Retried(NamedTuple):
    """What became of a message that was rolled back: how often, and was it taken in the end."""

    tries: int
    is_taken: bool
    tries_seen: int


def retried(dice: random.Random, given_up: int, helped: Sequence[int], now: int) -> list[Retried]:
    """Messages tried again every few minutes, while somebody looks every hour."""
    lives = []
    for tries, is_taken in [(now, False)] * given_up + [(n, True) for n in helped]:
        put = dice.randrange(GAP * 24) + dice.random()
        look = math.ceil(put / GAP) * GAP
        is_seen = look < put + RETRY * tries
        lives.append(Retried(tries, is_taken, int((look - put) / RETRY) if is_seen else 0))
    return lives


def advised_of(
    spark: SparkSession, queues: Mapping[str, tuple[int | None, Sequence[Retried]]]
) -> dict[str, Any]:
    """What `cohort` makes of (BOTHRESH, lives) of queues."""
    from mqtriage.pipeline import cohort
    from mqtriage.pipeline.lifetimes import observations

    schema = "original_msg_id string, qmgr string, queue string, landed_time timestamp,"
    schema += " staged boolean, tries int, tries_seen int, end string"
    rows = [
        (
            f"{queue} {number}", "QM1", queue, None, False,
            life.tries_seen if life.is_taken else life.tries, life.tries_seen,
            "taken" if life.is_taken else "requeued",
        )
        for queue, (_, lives) in queues.items()
        for number, life in enumerate(lives)
    ]  # fmt: skip
    lines = spark.createDataFrame(rows, schema)
    known = [
        {"queue": queue, "snap_time": START_US + GAP * n * MINUTE, "bothresh": now}
        for queue, (now, _) in queues.items()
        for n in range(3)
    ]
    seen = frame(spark, "queues", [{**row, "snapshot_id": str(row["snap_time"])} for row in known])
    snapshots = frame(
        spark, "snapshots",
        [{"snapshot_id": str(START_US + GAP * n * MINUTE)} for n in range(3)],
    )  # fmt: skip
    placed = cohort.places(seen, frame(spark, "queue_managers", []))
    summed = cohort.cohort(lines, placed, observations(seen, snapshots)).collect()
    return {row["queue"]: row.asDict() for row in summed}


def threshold_by_hand(now: int | None, lives: Sequence[Retried]) -> tuple[int | None, int | None]:
    """The threshold and the messages moved wrongly at worst, by what was seen alone."""
    given_up = [life for life in lives if not life.is_taken]
    taken = [life for life in lives if life.is_taken]
    first = max((life.tries_seen for life in taken), default=0) + 1
    seen = sum(life.tries_seen >= first for life in given_up)
    by = max((now or 0) - first, 1)
    worst = min(math.ceil(3 * len(given_up) * by / seen), len(taken)) if seen else None
    if not given_up:
        return None, None
    if now and first > now:
        return first + 1, worst
    if seen < 30 * by:
        return None, None
    return (now if now in (first, first + 1) else first + 1), worst


@drawn_seeds_together(10)
def test_a_threshold_follows_from_what_was_seen_alone_and_from_enough_of_it(
    spark: SparkSession, seeds: list[int]
) -> None:
    """Drawn queues, also such as looks nearly never see a retry on."""
    queues: dict[str, tuple[int | None, Sequence[Retried]]] = {}
    for seed, dice in ((seed, random.Random(seed)) for seed in seeds):
        for number in range(40):
            now = dice.choice([None, 0, 1, 2, 3, 4, 5, 8])
            helped = [dice.choice([0, 1, 1, 2, 3]) for _ in range(dice.choice([1, 10, 60, 400]))]
            count = dice.choice([0, 1, 20, 60, 200, 800])
            queues[f"Q{number}.{seed}"] = now, retried(dice, count, helped, now or 5)
    summed = advised_of(spark, queues)
    for queue, (now, lives) in queues.items():
        row = summed[queue]
        by_hand = threshold_by_hand(now, lives)
        assert (row["bothresh"], row["bothresh_worst"]) == by_hand, (queue, now, row)


@drawn_seeds_together(10)
def test_hourly_looks_do_not_advise_away_tries_that_help(
    spark: SparkSession, seeds: list[int]
) -> None:
    """What is moved wrongly stays within what the advice names, in nine of ten estates."""
    queues: dict[str, tuple[int | None, Sequence[Retried]]] = {
        f"Q{n}.{seed}": (5, retried(dice, dice.choice([30, 100, 1000]), [0] * 500 + [2] * 10, 5))
        for seed, dice in ((seed, random.Random(seed)) for seed in seeds)
        for n in range(60)
    }
    summed = advised_of(spark, queues)
    wrong: Counter[str] = Counter()
    for queue, (_, lives) in queues.items():
        threshold, worst = summed[queue]["bothresh"], summed[queue]["bothresh_worst"]
        moved = sum(life.is_taken and life.tries >= (threshold or 99) for life in lives)
        wrong[queue.split(".")[1]] += moved > (worst or 0)
    print("moved wrongly, by seed:", wrong)
    assert max(wrong.values()) <= 6
    (scarce,) = {summed[q]["bothresh"] for q, (_, lives) in queues.items() if len(lives) == 540}
    assert scarce is None
    sum_text = next(summed[q]["bothresh_sum"] for q in summed if summed[q]["bothresh"] is None)
    assert "too few for a threshold" in sum_text
    assert "Snapshots 60.0 minutes apart miss messages that are retried" in sum_text


def share_percent(count: int, of: int) -> tuple[float, float]:
    """The shares of a whole from which *count* of *of* is 1.96 deviations away: Wilson's interval.

    Found by going through them, a tenth of a percent after the other.
    """
    near = [
        tenths / 10
        for tenths in range(1001)
        if (count / of - tenths / 1000) ** 2 <= 1.96**2 * tenths * (1000 - tenths) / 10**6 / of
    ]
    return near[0], near[-1]


def test_sums_say_what_was_seen_what_is_moved_at_worst_and_how_sure_that_is(
    spark: SparkSession,
) -> None:
    """One message that a threshold would have moved raises it.

    A message that loops at BOTHRESH(0) is seen with every number of rollbacks: its sum can be read.
    """
    given_up, taken = Retried(2, is_taken=False, tries_seen=2), Retried(4, True, 4)
    untried = [Retried(0, True, 0)] * 500
    looped = [Retried(5, is_taken=False, tries_seen=5)] * 40
    helped = [Retried(1, is_taken=True, tries_seen=1)] * 10
    rows = advised_of(
        spark,
        {
            "IN": (2, [given_up] * 30 + [taken] + untried),
            "ON": (2, [taken, *looped, *untried]),
            "LOWERED": (5, [Retried(5, is_taken=False, tries_seen=4)] * 120 + helped),
            "LOOPS": (0, [Retried(70, is_taken=False, tries_seen=70)] * 40 + helped),
        },
    )
    row = rows["LOWERED"]
    assert (row["bothresh"], row["bothresh_worst"]) == (3, 9)
    assert row["bothresh_sum"] == (
        "eventually consumed: 10 of 130 seen after 1, 0 of 120 seen after 2, 0 of 120 seen after 3,"
        " 0 of 120 seen after 4 rollbacks; none of 120 after 2 or more: up to 2.5 percent"
        " are possible (95 percent confidence); at worst, 9 messages that would have been consumed"
        " are moved, if retries are evenly spaced; 1 more for rollbacks that snapshots 60.0 minutes"
        " apart miss = 3"
    )
    row = rows["LOOPS"]
    assert row["bothresh_sum"].startswith("eventually consumed: 10 of 50 seen after 1, 0 of 40")
    assert "0 of 40 seen after 9, ..., 0 of 40 seen after 70 rollbacks; " in row["bothresh_sum"]
    assert row["bothresh_sum"].count(" seen after ") == 10
    low, high = share_percent(1, 31)
    assert (rows["IN"]["bothresh"], rows["IN"]["bothresh_worst"]) == (6, None)
    match = re.fullmatch(
        r"eventually consumed: 1 of 31 seen after 1, 1 of 31 seen after 2, 1 of 1 seen after"
        r" 3, 1 of 1 seen after 4 rollbacks; one that was consumed after 4 shows that"
        r" BOTHRESH\(2\) is too low, and 1 of 31 seen after 2 or more were consumed: from"
        r" ([\d.]+) to ([\d.]+) percent \(95 percent confidence\) of the messages in snapshots."
        r" Snapshots 60.0 minutes apart miss messages that are retried and consumed in between;"
        r" at worst, messages that are given up are rolled back 4 more times without success;"
        r" none was seen after 5 or more, so there is no data about more rollbacks; 1 more for"
        r" rollbacks between snapshots = 6",
        rows["IN"]["bothresh_sum"],
    )
    assert match
    assert [float(part) for part in match.groups()] == pytest.approx([low, high], abs=0.2)
    assert (rows["ON"]["bothresh"], rows["ON"]["bothresh_worst"]) == (6, 3)
    assert (
        "; none of 40 after 5 or more: up to 7.5 percent are possible (95 percent confidence); at"
        " worst, 3 messages that would have been consumed are moved" in rows["ON"]["bothresh_sum"]
    )


@drawn_seeds_together(100)
def test_no_message_is_moved_by_a_raised_threshold_that_was_not_moved_before(
    spark: SparkSession, seeds: list[int]
) -> None:
    """So one sighting is enough to raise it, where none of thirty is asked for to lower it."""
    queues: dict[str, tuple[int | None, Sequence[Retried]]] = {}
    all_dice = {seed: random.Random(seed) for seed in seeds}
    for seed, number in product(seeds, range(20)):
        dice = all_dice[seed]
        now = dice.randrange(1, 6)
        helped = [now + dice.randrange(4) for _ in range(dice.choice([1, 3]))]
        queues[f"Q{number}.{seed}"] = (
            now,
            [
                *(Retried(tries, True, tries) for tries in helped),
                *[Retried(now, is_taken=False, tries_seen=dice.randrange(now + 1))] * 5,
            ],
        )
    for queue, row in advised_of(spark, queues).items():
        today, lives = queues[queue]
        taken = [life.tries for life in lives if life.is_taken]
        assert today is not None
        assert any(tries >= today for tries in taken)  # what today's moves too early
        assert all(tries < row["bothresh"] for tries in taken)
        assert row["bothresh"] > today
        assert f"{row['bothresh'] - today} more times without success" in row["bothresh_sum"]
        assert "apart miss messages that are retried and consumed in between" in row["bothresh_sum"]
        assert "percent (95 percent confidence)" in row["bothresh_sum"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("3", None)], ""),
        ([], ""),
        ([(None, None)], "4 rolled-back messages, none of them requeued or dead-lettered"
         " afterwards; at least 30 of one queue are needed"),
        ([(None, "too few"), (None, None)], "8 rolled-back messages on 2 queues; at least 30 of one"
         " queue are needed that were seen after more rollbacks than helped any message"),
    ],
)  # fmt: skip
def test_where_no_row_has_a_bothresh_a_note_says_what_is_needed(
    rows: list[tuple[str | None, str | None]], expected: str
) -> None:
    records: list[Any] = [
        {"bothresh": value, "bothresh_sum": sum_text, "rolled_back": 4} for value, sum_text in rows
    ]
    analysis = Analysis("cohort", tables={"cohort": records})
    notes = listing_of(analysis, TABLES_OF["cohort"]["cohort"]).warnings
    start = f"no advice on BOTHRESH: {expected}"
    assert [note[: len(start)] for note in notes] == [start] * bool(expected)
