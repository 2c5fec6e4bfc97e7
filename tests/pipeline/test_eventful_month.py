"""Days on which things happen, walked in plain Python: every number of the jobs a second time.

The clocks of Europe go forward, nobody looks for nine hours of a night and for a whole day, the
queue manager restarts, two clocks differ by 20 minutes, and its name is one that paths do not like.
"""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from mqtriage.mq.times import rfc3339
from tests.pipeline.conftest import simulated
from tests.pipeline.rows import MINUTE
from tests.pipeline.test_month import (
    HOUR,
    SECOND,
    Line,
    lines,
    moment,
    the_jobs_give_what_walks_do,
    walk,
)
from tests.support.scale import amount
from tests.support.tools import drawn_seeds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOSTILE = {"%2F/..%_QM.1": "%252F%2F..%25_QM.1", "%5C.%%/_/qm.2": "%255C.%25%25%2F_%2Fqm.2"}
"""Names that IBM MQ allows, and how they stand in a path."""
EUROPE = int(datetime(2026, 3, 25, tzinfo=UTC).timestamp()) * SECOND
"""Four days before the clocks of Europe go forward."""
NIGHT = EUROPE + 44 * HOUR, EUROPE + 53 * HOUR
"""From the look at 20:00 to that at 05:00."""
EMPTY_DAY = "2026-03-31"
RESTART = EUROPE + 200 * HOUR + HOUR // 2
SKEW = 20 * MINUTE
LOST = "0123"
"""Digits that end the keys of messages that are not persistent."""


def seen_by_looks(folder: Path) -> dict[int, dict[str, list[Line]]]:
    """Look to table to lines."""
    looks: dict[int, dict[str, list[Line]]] = defaultdict(lambda: defaultdict(list))
    for table in ("snapshots", "queues", "queue_managers", "messages"):
        for line in lines(folder, table):
            if line.get("seen") != "gone":
                looks[moment(line["snap_time"])][table].append(line)
    return looks


def eventful(
    looks: dict[int, dict[str, list[Line]]], qmgr: str
) -> dict[int, dict[str, list[Line]]]:
    """The same with two gaps, a restart, a skew of two clocks, and another queue manager's name."""
    kept = {
        look: tables
        for look, tables in sorted(looks.items())
        if not NIGHT[0] < look < NIGHT[1] and not rfc3339(look).startswith(EMPTY_DAY)
    }
    rolled_back: dict[str, int] = {}
    for look, tables in kept.items():
        (snapshot,) = tables["snapshots"]
        snapshot |= {"queue_manager": qmgr, "host_time": rfc3339(look - SKEW)}
        if look > RESTART:
            tables["messages"] = [
                line
                for line in tables["messages"]
                if moment(line["put_time"]) > RESTART or line["message_key"][-1] not in LOST
            ]
        for line in tables["messages"]:
            if look < RESTART:
                rolled_back[line["message_key"]] = line["backout_count"]
            else:  # BackoutCount is not hardened
                line["backout_count"] -= rolled_back.get(line["message_key"], 0)
            if line["put_appl_name"].startswith("orders-web"):  # by the clock of its own machine
                line["put_time"] = rfc3339(moment(line["put_time"]) + SKEW)
    return kept


def as_written(
    looks: Mapping[int, Mapping[str, list[Line]]], *, incremental: bool
) -> Iterator[tuple[str, Line]]:
    """The lines of the tables, by what each look knows of the one before it."""
    before: dict[tuple[str, str], Line] = {}
    base = None
    for look, tables in looks.items():
        (snapshot,) = tables["snapshots"]
        is_full = not incremental or base is None or base["snap_time"][:10] != rfc3339(look)[:10]
        now = {(line["queue"], line["message_key"]): line for line in tables["messages"]}
        written = []
        for key, line in now.items():
            was = before.get(key)
            line["first_seen_time"] = line["snap_time"] if was is None else was["first_seen_time"]
            is_changed = was is not None and was["backout_count"] != line["backout_count"]
            line["seen"] = "new" if was is None else "changed" if is_changed else "present"
            if is_full or line["seen"] != "present":
                written.append(line)
        marks = ("queue", "message_key", "first_seen_time", "msg_id", "correl_id", "put_time")
        for key, was in before.items():
            if key not in now:
                stamp = {name: snapshot[name] for name in ("snapshot_id", "snap_time")}
                written.append({**stamp, "seen": "gone", **{mark: was[mark] for mark in marks}})
        snapshot["mode"] = "full" if is_full else "incremental"
        snapshot["base_snapshot_id"] = base["snapshot_id"] if base else None
        snapshot |= {"message_count": len(now), "message_rows": len(written)}
        depths = Counter(queue for queue, _ in now)
        for queue in tables["queues"]:
            queue |= dict.fromkeys(("curdepth", "message_count"), depths[queue["queue"]])
        yield from (("messages", line) for line in written)
        for table in ("snapshots", "queues", "queue_managers"):
            yield from ((table, line) for line in tables[table])
        before, base = now, snapshot


def write(folder: Path, qmgr: str, rows: Iterator[tuple[str, Line]]) -> None:
    files: dict[Path, list[str]] = defaultdict(list)
    for table, line in rows:
        day = folder / table / f"qmgr={HOSTILE[qmgr]}" / f"snap_date={line['snap_time'][:10]}"
        files[day / "taken.v1.ndjson"].append(json.dumps(line) + "\n")
    for file, texts in files.items():
        file.parent.mkdir(parents=True)
        file.write_text("".join(texts), "utf-8")


@pytest.fixture
def in_berlin(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Python and Java keep the time of a place whose clocks are put forward."""
    java: Any = spark._jvm
    zones = java.java.util.TimeZone
    zone = zones.getDefault()
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    zones.setDefault(zones.getTimeZone("Europe/Berlin"))
    yield
    zones.setDefault(zone)
    monkeypatch.undo()
    time.tzset()


@pytest.mark.slow
@pytest.mark.parametrize("seed", drawn_seeds(1))
def test_gaps_a_restart_skewed_clocks_and_a_hostile_name_give_what_a_walk_does(
    spark: SparkSession, tmp_path: Path, in_berlin: None, seed: int
) -> None:
    """In full snapshots and in incremental ones; beside them a queue manager without events.

    Spark reads all from one folder.
    """
    dice, days, months = Random(seed), {}, {}
    together, plain = tmp_path / "eventful" / "together", tmp_path / "plain"
    simulated(
        plain,
        dice.randrange(1 << 30),
        "PLAIN",
        days=9.5,
        rate=amount(60, all=300),
        every_us=2 * HOUR,
        start_us=EUROPE,
        incremental=dice.random() < 0.5,
    )
    shutil.copytree(plain, together)
    months["PLAIN"] = walk(plain)
    for number, qmgr in enumerate(HOSTILE):
        quiet, folder = tmp_path / f"quiet{number}", tmp_path / str(number)
        simulated(
            quiet,
            dice.randrange(1 << 30),
            f"QUIET{number}",  # a part of the MsgIds, by which messages are followed
            days=9.5,
            rate=amount(60, all=300),
            every_us=HOUR,
            start_us=EUROPE,
            incremental=False,
        )
        looks = eventful(seen_by_looks(quiet), qmgr)
        write(folder, qmgr, as_written(looks, incremental=number == 1))
        months[qmgr] = walk(folder)
        shutil.copytree(folder, together, dirs_exist_ok=True)
        days[qmgr] = {rfc3339(look)[:10] for look in looks}
    the_jobs_give_what_walks_do(spark, tmp_path / "eventful", months)
    for of_queue_manager in days.values():
        assert EMPTY_DAY not in of_queue_manager
        assert {"2026-03-29", "2026-03-30", "2026-04-01"} <= of_queue_manager
