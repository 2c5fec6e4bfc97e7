"""Changes of definitions, and the findings that came and went with them."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.findings import FIRST, ObjectState, finding_changes
from tests.pipeline.rows import MINUTE, START_US, frame, us
from tests.pipeline.test_reading import put, snapshot_row
from tests.support.scale import amount
from tests.support.tools import drawn_seeds_together

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Estate = dict[str, dict[str, str]]


def histories(seed: int) -> list[Estate]:
    """Queues that come, go and change from one snapshot to the next."""
    dice = random.Random(seed)
    now: Estate = {"A": {"MAXDEPTH": "5000", "BOTHRESH": "0"}}
    estates = []
    for _ in range(12):
        now = {name: dict(attributes) for name, attributes in now.items()}
        for name in "ABC":
            chance = dice.random()
            if chance < 0.15:
                now.pop(name, None)
            elif chance < 0.5:
                now.setdefault(name, {"MAXDEPTH": "5000"})[dice.choice(["MAXDEPTH", "DESCR"])] = (
                    str(dice.randrange(3))
                )
        estates.append(now)
    return estates


def reference(estates: list[Estate]) -> set[tuple[Any, ...]]:
    changes: set[tuple[Any, ...]] = set()
    for number in range(1, len(estates)):
        old, new = estates[number - 1], estates[number]
        time = START_US + number * MINUTE
        changes |= {(time, name, "new", None, None, None) for name in new.keys() - old.keys()}
        changes |= {(time, name, "gone", None, None, None) for name in old.keys() - new.keys()}
        for name in new.keys() & old.keys():
            for key in new[name].keys() | old[name].keys():
                if new[name].get(key) != old[name].get(key):
                    changes.add(
                        (time, name, "changed", key, old[name].get(key), new[name].get(key))
                    )
    return changes


def rows(estates: list[Estate], incremental: bool) -> tuple[list[Any], list[Any]]:
    definitions: list[Any] = []
    snapshots: list[Any] = []
    for number, estate in enumerate(estates):
        stamp = {"snapshot_id": f"{number:04}", "snap_time": START_US + number * MINUTE}
        is_full = number == 0 or not incremental
        snapshots.append(stamp | {"mode": "full" if is_full else "incremental"})
        before = estates[number - 1] if number else {}
        for name, attributes in estate.items():
            if not is_full and before.get(name) == attributes:
                continue
            text = json.dumps(attributes, sort_keys=True)
            definitions.append(
                stamp
                | {"name": name, "attributes": text, "seen": "present" if is_full else "changed",
                   "digest": hashlib.sha256(text.encode()).hexdigest()}
            )  # fmt: skip
        if not is_full:
            definitions += [
                stamp | {"name": name, "seen": "gone"} for name in before.keys() - estate.keys()
            ]
    return definitions, snapshots


@pytest.mark.long
@settings(max_examples=amount(4), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), incremental=st.booleans())
def test_the_changes_are_those_from_one_snapshot_to_the_next(
    spark: SparkSession, seed: int, incremental: bool
) -> None:
    from mqtriage.pipeline.definitions import definitions, states

    estates = histories(seed)
    objects, snapshots = rows(estates, incremental)
    collected = definitions(
        states(frame(spark, "definitions", objects), frame(spark, "snapshots", snapshots))
    ).collect()
    changes = [
        (us(r["time"]), r["name"], r["change"], r["attribute"], r["old_value"], r["new_value"])
        for r in collected
    ]
    assert len(changes) == len(set(changes))
    assert set(changes) == reference(estates)


def state(time: int, name: str, **attributes: object) -> ObjectState:
    return ObjectState("QM1", time, "QLOCAL", name, json.dumps(attributes))


def test_a_finding_comes_with_the_change_that_makes_it_and_goes_with_its_mending() -> None:
    boq = {"PUT": "ENABLED", "MAXMSGL": 4194304}
    all_changes = list(
        finding_changes(
            [
                state(1, "IN", BOTHRESH=3, BOQNAME="BO", MAXMSGL=4194304),
                state(1, "BO", **boq),
                state(2, "BO", **{**boq, "PUT": "DISABLED"}),
                state(3, "BO", **boq),
            ]
        )
    )
    backout_changes = [(t.time_us, t.change, t.code) for t in all_changes if t.code == "BKO004"]
    assert backout_changes == [(2, "came", "BKO004"), (3, "went", "BKO004")]
    assert {t.change for t in all_changes if t.time_us == 1} <= {FIRST}


def test_the_states_of_one_queue_manager_alone_are_held() -> None:
    read = []

    def states() -> Iterator[ObjectState]:
        for number in range(5):
            read.append(number)
            yield state(1, "IN", BOTHRESH=3, BOQNAME="")._replace(qmgr=f"QM{number}")

    assert next(finding_changes(states())).qmgr == "QM0"
    assert read == [0, 1]  # the next one says that the first is over


@drawn_seeds_together(30)
def test_the_findings_of_each_queue_manager_are_those_of_its_states_in_time(
    spark: SparkSession, tmp_path: Path, seeds: list[int]
) -> None:
    """Files hold them in no order; the driver gets them by queue manager and time."""
    from mqtriage.pipeline.runner import JobRequest, run

    states: list[ObjectState] = []
    looks = [START_US + look * MINUTE for look in range(5)]
    names = [f"QM{number}.{seed}" for seed in seeds for number in (1, 2, 10)]
    all_dice = {seed: random.Random(seed) for seed in seeds}
    for qmgr in names:
        dice = all_dice[int(qmgr.split(".")[1])]
        of_manager = [
            state(time, "IN", BOTHRESH=dice.choice([0, 3]), BOQNAME="")._replace(qmgr=qmgr)
            for time in looks
        ]
        states += of_manager
        seen = [
            {
                "snapshot_id": f"S{one.time_us}",
                "snap_time": rfc3339(one.time_us),
                "seen": "new",
                "kind": one.kind,
                "name": one.name,
                "attributes": one.attributes,
                "digest": one.attributes,
            }
            for one in dice.sample(of_manager, len(of_manager))
        ]
        put(tmp_path, "definitions", "a.v1.ndjson", seen, qmgr=qmgr)
        snapshots = [snapshot_row(f"S{time}", snap_time=rfc3339(time)) for time in looks]
        put(tmp_path, "snapshots", "a.v1.ndjson", snapshots, qmgr=qmgr)
    request = JobRequest((str(tmp_path),))
    finding_rows = run(spark, "definitions", request, ["definition_findings"]).tables[
        "definition_findings"
    ]
    assert {(row["qmgr"], row["time"], row["change"], row["code"]) for row in finding_rows} == {
        (change.qmgr, rfc3339(change.time_us), change.change, change.code)
        for change in finding_changes(states)
    }
    assert {row["qmgr"] for row in finding_rows} == set(names)
