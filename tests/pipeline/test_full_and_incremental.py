"""Full, incremental and compacted snapshots of one estate: every column of a job is the same.

Beside them, as Spark plans a job once whatever it reads, days on which things happen, walked in
plain Python: every number a second time. The clocks of Europe go forward, nobody looks for nine
hours of a night and for a whole day, the queue manager restarts, two clocks differ by 20 minutes,
and its name is one that paths do not like.
"""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from mqtriage.commands.snapshot.snapshots import export
from mqtriage.messages.filters.where import parse_where
from mqtriage.model.analysis_tables import OF_LOGS, TABLES_OF
from mqtriage.model.result import Record
from mqtriage.mq.times import DAY_US, rfc3339
from mqtriage.pipeline.snapshots.columns import asks_the_time
from mqtriage.pipeline.snapshots.problems import Problems
from tests.pipeline.conftest import simulated
from tests.pipeline.rows import MINUTE, START_US
from tests.pipeline.test_month import (
    HOUR,
    JOBS,
    SECOND,
    Line,
    Month,
    lines,
    moment,
    the_walks_give_the_same,
    walk,
)
from tests.support.scale import amount
from tests.support.tools import drawn_seeds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mqtriage.pipeline.runner import Analysis


QUEUE_MANAGERS = ("FULL", "INCREMENTAL", "PACK1", "PACK2", "HALF1", "HALF2")
"""The first two as they were taken; the next in compacted days; the last as well, cut before
anything was removed. Of each pair the second was taken incrementally.
"""
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


@pytest.fixture(scope="module", params=drawn_seeds(1))
def seed(request: pytest.FixtureRequest) -> int:
    """Of the estates, which are drawn for each run."""
    drawn: int = request.param
    return drawn


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory, seed: int) -> Path:
    """Some days of an estate: of all `QUEUE_MANAGERS` the same ones.

    Each has MsgIds of its own name, so that a job can be run over all of them at once.
    """
    top = tmp_path_factory.mktemp("twins")
    for incremental in (False, True):
        more: dict[str, Any] = {"days": 2.2, "rate": 90, "every_us": 2 * 3_600_000_000}
        simulated(top / str(incremental), seed, incremental=incremental, **more)
    for number, name in enumerate(QUEUE_MANAGERS):
        shutil.copytree(top / str(bool(number % 2)), top / name)
        for folder in (top / name).glob("*/qmgr=*"):
            for file in folder.rglob("*.ndjson"):
                file.write_text(file.read_text().replace(id_part("SIM01"), id_part(name)))
            folder.rename(folder.with_name(f"qmgr={name}"))
    return top


def id_part(name: str) -> str:
    """What MsgIds of a queue manager have of its name."""
    return f"{name[:5]:5}".encode().hex().upper()


@pytest.fixture(scope="module")
def twins(taken: Path) -> tuple[Path, Path]:
    """The same days in full and incremental snapshots."""
    return taken / "FULL", taken / "INCREMENTAL"


@pytest.fixture(scope="module")
def folders(taken: Path, twins: tuple[Path, Path]) -> tuple[Path, Path]:
    """The twins in one folder; the others in a second one as Parquet and compacted, cut in part.

    Each folder more is another source for Spark to plan.
    """
    from mqtriage.pipeline.snapshots.compact import at_work, compact, days

    plain, packed, its_own = taken / "plain", taken / "packed", taken / "own"
    for folder in twins:
        shutil.copytree(folder, plain, dirs_exist_ok=True)
    for name in QUEUE_MANAGERS[2:]:
        export(taken / name, packed, "parquet", None, lambda _: True, Problems())
    for folder in packed.glob("*/qmgr=HALF*"):
        shutil.copytree(folder, its_own / folder.relative_to(packed))
    with at_work(packed):
        done = [compact(packed, day, Problems()) for day in days(packed, "9999-12-31", Problems())]
    assert [day.queue_manager_count for day in done if day is not None] == [4, 4, 4]
    assert all(day.unchanged_row_count for day in done if day is not None)
    assert not list(packed.glob("*/qmgr=*/*"))
    shutil.copytree(its_own, packed, dirs_exist_ok=True)
    return plain, packed


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


class Eventful(NamedTuple):
    """Days of two queue managers on which things happen, beside a third one's without events.

    Attributes:
        months: queue manager to what the walk knows.
        days: those on which somebody looked, of the two.
    """

    folder: Path
    months: dict[str, Month]
    days: dict[str, set[str]]


@pytest.fixture(scope="module")
def eventful_days(tmp_path_factory: pytest.TempPathFactory, seed: int) -> Eventful:
    """In full snapshots and in incremental ones."""
    top = tmp_path_factory.mktemp("eventful")
    dice, days, months = Random(seed), {}, {}
    plain, together = top / "plain", top / "together"
    more: dict[str, Any] = {"days": 9.5, "rate": amount(60, all=300), "start_us": EUROPE}
    is_incremental = dice.random() < 0.5
    simulated(
        plain, dice.randrange(1 << 30), "PLAIN", every_us=2 * HOUR, incremental=is_incremental,
        **more,
    )  # fmt: skip
    shutil.copytree(plain, together)
    months["PLAIN"] = walk(plain)
    for number, qmgr in enumerate(HOSTILE):
        quiet, folder = top / f"quiet{number}", top / str(number)
        # its name is a part of the MsgIds, by which messages are followed
        simulated(
            quiet, dice.randrange(1 << 30), f"QUIET{number}", every_us=(1 + number) * HOUR,
            incremental=False, **more,
        )  # fmt: skip
        looks = eventful(seen_by_looks(quiet), qmgr)
        write(folder, qmgr, as_written(looks, incremental=number == 1))
        months[qmgr] = walk(folder)
        shutil.copytree(folder, together, dirs_exist_ok=True)
        days[qmgr] = {rfc3339(look)[:10] for look in looks}
    return Eventful(together, months, days)


@pytest.fixture(scope="module", autouse=True)
def in_berlin(spark: SparkSession) -> Iterator[None]:
    """Python and Java keep the time of a place whose clocks are put forward."""
    java: Any = spark._jvm
    zones = java.java.util.TimeZone
    zone = zones.getDefault()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        zones.setDefault(zones.getTimeZone("Europe/Berlin"))
        yield
        zones.setDefault(zone)
    time.tzset()


def analysis(
    spark: SparkSession, job: str, *folders: Path, where: str = "", since_us: int | None = None
) -> Analysis:
    from mqtriage.pipeline.jobs import Options
    from mqtriage.pipeline.runner import JobRequest, run

    options = Options(where=parse_where(where) if where else None)
    request = JobRequest(tuple(str(folder) for folder in folders), options, since_us)
    return run(spark, job, request, tuple(TABLES_OF[job]))


def rows_of(run: Analysis, qmgr: str) -> dict[str, list[Record]]:
    """The rows of each table that are of one queue manager, without its name."""
    return {
        name: [without_name(row) for row in rows if row["qmgr"] == qmgr]
        for name, rows in run.tables.items()
    }


def without_name(row: Record) -> Record:
    own = id_part(row["qmgr"])
    nameless = {k: v.replace(own, "") if isinstance(v, str) else v for k, v in row.items()}
    return {**nameless, "qmgr": ""}


@pytest.fixture(scope="module")
def of_all(
    spark: SparkSession, folders: tuple[Path, Path], eventful_days: Eventful
) -> Callable[[str], Analysis]:
    """A job over both estates, which is run once."""
    plain, packed = folders
    together = plain.with_name("together")
    shutil.copytree(plain, together)
    shutil.copytree(eventful_days.folder, together, dirs_exist_ok=True)
    return cache(lambda job: analysis(spark, job, together, packed))


@pytest.mark.parametrize("job", [job for job in TABLES_OF if job not in OF_LOGS])
def test_incremental_snapshots_and_compacted_days_tell_a_job_what_full_ones_do(
    of_all: Callable[[str], Analysis], taken: Path, eventful_days: Eventful, job: str
) -> None:
    run = of_all(job)
    full = rows_of(run, "FULL")
    for qmgr in QUEUE_MANAGERS[1:]:
        assert rows_of(run, qmgr) == full, qmgr
    known = {row["qmgr"] for rows in run.tables.values() for row in rows}
    assert known <= {*QUEUE_MANAGERS, *eventful_days.months}
    looks = len(snapshots_of(eventful_days.folder))
    assert run.snapshots == len(QUEUE_MANAGERS) * len(snapshots_of(taken / "FULL")) + looks
    apart = looks - len(snapshots_of(eventful_days.folder, "qmgr=PLAIN"))
    # the reader says where the cut left days compacted and as they were
    # and which days are too few to size a staging queue from
    known_notes = ("no message counts twice", "only a lower limit")
    assert [note for note in run.notes if not any(part in note for part in known_notes)] == [
        f"{apart} snapshots of queue managers whose clock differed from the machine's by more than"
        " a minute"
    ]
    assert run.rejected.counts == {}


def test_gaps_a_restart_skewed_clocks_and_a_hostile_name_give_what_a_walk_does(
    of_all: Callable[[str], Analysis], eventful_days: Eventful
) -> None:
    """In full snapshots and in incremental ones; beside them a queue manager without events."""
    tables = {job: of_all(job).tables[job] for job in JOBS}
    the_walks_give_the_same(tables, eventful_days.months)
    for of_queue_manager in eventful_days.days.values():
        assert EMPTY_DAY not in of_queue_manager
        assert {"2026-03-29", "2026-03-30", "2026-04-01"} <= of_queue_manager


@pytest.mark.parametrize(
    "job", ["profile", pytest.param("delay", marks=pytest.mark.long), "definitions"]
)
def test_a_time_that_begins_within_a_day_begins_with_what_was_there(
    spark: SparkSession, folders: tuple[Path, Path], job: str
) -> None:
    since_us = START_US + 31 * 3_600_000_000
    assert since_us % DAY_US
    run = analysis(spark, job, *folders, since_us=since_us)
    full = rows_of(run, "FULL")
    assert full[job] or job == "definitions"
    for qmgr in QUEUE_MANAGERS[1:]:
        assert rows_of(run, qmgr) == full, qmgr


def snapshots_of(folder: Path, qmgr: str = "*") -> list[str]:
    files = (folder / "snapshots").glob(f"{qmgr}/*/*.ndjson")
    return [line for file in files for line in file.read_text().splitlines()]


def test_a_message_that_no_longer_fulfils_the_condition_counts_until_then(
    spark: SparkSession, twins: tuple[Path, Path]
) -> None:
    """Each by itself, so that a row too many of one is none too few of the other.

    A condition on time is said to ask incremental snapshots for changes alone.
    """
    full, incremental = (
        analysis(spark, "profile", folder, where="backout = 0 AND put_time < now")
        for folder in twins
    )
    assert rows_of(full, "FULL") == rows_of(incremental, "INCREMENTAL")
    assert {row["backed_out"] for row in full.tables["profile"]} == {0}
    assert full.notes == []
    assert [note.partition(": ")[0] for note in incremental.notes] == [
        "--where depends on values that change with time"
    ]


def test_what_changes_with_time_is_an_age_a_lifetime_or_now() -> None:
    for where in ("age > 1h", "NOT expiry < 100", "put_time IN (now, now-1h)", "put_time < now"):
        assert asks_the_time(parse_where(where)), where
    for where in ("backout = 0", "put_time < '2026-01-01T00:00:00Z' OR NOT priority IN (1, 2)"):
        assert not asks_the_time(parse_where(where)), where
    assert not asks_the_time(None)
