"""Full, incremental and compacted snapshots of one estate: every column of a job is the same."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqtriage.commands.snapshot.snapshots import export
from mqtriage.messages.filters.where import parse_where
from mqtriage.model.analysis_tables import OF_LOGS, TABLES_OF
from mqtriage.model.result import Record
from mqtriage.mq.times import DAY_US
from mqtriage.pipeline.snapshots.columns import asks_the_time
from mqtriage.pipeline.snapshots.problems import Problems
from tests.pipeline.conftest import simulated
from tests.pipeline.rows import START_US

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mqtriage.pipeline.runner import Analysis


QUEUE_MANAGERS = ("FULL", "INCREMENTAL", "PACK1", "PACK2", "HALF1", "HALF2")
"""The first two as they were taken; the next in compacted days; the last as well, cut before
anything was removed. Of each pair the second was taken incrementally.
"""


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some days of an estate that is drawn for each run: of all `QUEUE_MANAGERS` the same ones.

    Each has MsgIds of its own name, so that a job can be run over all of them at once.
    """
    seed = random.randrange(10_000)
    print(f"the estate of seed {seed}")  # pytest shows it where a test fails
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
    assert {row["qmgr"] for rows in run.tables.values() for row in rows} <= set(QUEUE_MANAGERS)
    return {
        name: [without_name(row) for row in rows if row["qmgr"] == qmgr]
        for name, rows in run.tables.items()
    }


def without_name(row: Record) -> Record:
    own = id_part(row["qmgr"])
    nameless = {k: v.replace(own, "") if isinstance(v, str) else v for k, v in row.items()}
    return {**nameless, "qmgr": ""}


@pytest.mark.slow
@pytest.mark.parametrize("job", [job for job in TABLES_OF if job not in OF_LOGS])
def test_incremental_snapshots_and_compacted_days_tell_a_job_what_full_ones_do(
    spark: SparkSession, twins: tuple[Path, Path], folders: tuple[Path, Path], job: str
) -> None:
    run = analysis(spark, job, *folders)
    full = rows_of(run, "FULL")
    for qmgr in QUEUE_MANAGERS[1:]:
        assert rows_of(run, qmgr) == full, qmgr
    assert run.snapshots == len(QUEUE_MANAGERS) * len(snapshots_of(twins[0]))
    # the reader says where the cut left days compacted and as they were
    assert [note for note in run.notes if "no message counts twice" not in note] == []
    assert run.rejected.counts == {}


@pytest.mark.slow
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


def snapshots_of(folder: Path) -> list[str]:
    files = (folder / "snapshots").rglob("*.ndjson")
    return [line for file in files for line in file.read_text().splitlines()]


@pytest.mark.slow
def test_a_message_that_no_longer_fulfils_the_condition_counts_until_then(
    spark: SparkSession, twins: tuple[Path, Path]
) -> None:
    """Each by itself, so that a row too many of one is none too few of the other."""
    full, incremental = (
        analysis(spark, "profile", folder, where="backout = 0") for folder in twins
    )
    assert rows_of(full, "FULL") == rows_of(incremental, "INCREMENTAL")
    assert full.notes == incremental.notes == []
    assert {row["backed_out"] for row in full.tables["profile"]} == {0}


@pytest.mark.slow
def test_a_condition_on_time_is_said_to_ask_incremental_snapshots_for_changes_alone(
    spark: SparkSession, twins: tuple[Path, Path]
) -> None:
    full, incremental = (
        analysis(spark, "profile", folder, where="age > 1h").notes for folder in twins
    )
    assert full == []
    assert [note.partition(": ")[0] for note in incremental] == [
        "--where depends on values that change with time"
    ]


def test_what_changes_with_time_is_an_age_a_lifetime_or_now() -> None:
    for where in ("age > 1h", "NOT expiry < 100", "put_time IN (now, now-1h)", "put_time < now"):
        assert asks_the_time(parse_where(where)), where
    for where in ("backout = 0", "put_time < '2026-01-01T00:00:00Z' OR NOT priority IN (1, 2)"):
        assert not asks_the_time(parse_where(where)), where
    assert not asks_the_time(None)
