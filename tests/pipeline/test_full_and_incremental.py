"""Full and incremental snapshots of one estate: every column of every job is the same."""

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
from mqtriage.pipeline.snapshots.problems import Problems
from tests.pipeline.conftest import simulated

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mqtriage.pipeline.runner import Analysis


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Some days of an estate that is drawn for each run, once with full snapshots.

    Each is a queue manager of its own name, so that a job can be run over both at once.
    """
    seed = random.randrange(10_000)
    print(f"the estate of seed {seed}")  # pytest shows it where a test fails
    top = tmp_path_factory.mktemp("twins")
    for name, incremental in (("FULL", False), ("INCREMENTAL", True)):
        more: dict[str, Any] = {"days": 2.2, "rate": 90, "every_us": 2 * 3_600_000_000}
        simulated(top / name, seed, incremental=incremental, **more)
        for folder in (top / name).glob("*/qmgr=*"):
            folder.rename(folder.with_name(f"qmgr={name}"))
    return {name: top / name for name in ("FULL", "INCREMENTAL")}


def analysis(spark: SparkSession, job: str, *folders: Path, where: str = "") -> Analysis:
    from mqtriage.pipeline.jobs import Options
    from mqtriage.pipeline.runner import Request, run

    options = Options(where=parse_where(where) if where else None)
    request = Request(tuple(str(folder) for folder in folders), options)
    return run(spark, job, request, tuple(TABLES_OF[job]))


def rows_of(run: Analysis, qmgr: str) -> dict[str, list[Record]]:
    """The rows of each table that are of one queue manager, without its name."""
    assert {row["qmgr"] for rows in run.tables.values() for row in rows} <= {"FULL", "INCREMENTAL"}
    return {
        name: [{**row, "qmgr": ""} for row in rows if row["qmgr"] == qmgr]
        for name, rows in run.tables.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("job", [job for job in TABLES_OF if job not in OF_LOGS])
def test_incremental_snapshots_tell_a_job_what_full_ones_do(
    spark: SparkSession, twins: dict[str, Path], job: str
) -> None:
    # a life goes on at another queue manager by the MsgId, and the twins have the same ones
    apart = job == "cohort"
    sets = [(folder,) for folder in twins.values()] if apart else [tuple(twins.values())]
    runs = [analysis(spark, job, *folders) for folders in sets]
    assert rows_of(runs[0], "FULL") == rows_of(runs[-1], "INCREMENTAL")
    assert [run.notes for run in runs] == [[] for _ in runs]
    assert [run.rejected.counts for run in runs] == [{} for _ in runs]


@pytest.fixture(scope="module")
def compacted(twins: dict[str, Path]) -> dict[str, Path]:
    """Both in one folder as Parquet; the same compacted, and cut before anything was removed."""
    from mqtriage.pipeline.snapshots.compact import at_work, compact, days

    top = twins["FULL"].parent
    for folder in twins.values():
        export(folder, top / "BOTH", "parquet", None, lambda _: True, Problems())
    for name in ("COMPACTED", "CUT"):
        shutil.copytree(top / "BOTH", top / name)
    there = top / "COMPACTED"
    with at_work(there):
        done = [compact(there, day, Problems()) for day in days(there, "9999-12-31", Problems())]
    assert [day.queue_managers for day in done if day is not None] == [2, 2, 2]
    assert not list(there.glob("*/qmgr=*/*"))
    shutil.copytree(there / "compacted", top / "CUT" / "compacted")
    return {name: top / name for name in ("BOTH", "COMPACTED", "CUT")}


@pytest.mark.slow
@pytest.mark.parametrize("job", [job for job in TABLES_OF if job not in OF_LOGS])
def test_compacted_days_tell_a_job_what_its_own_files_do(
    spark: SparkSession, compacted: dict[str, Path], job: str
) -> None:
    both, one, cut = (analysis(spark, job, folder) for folder in compacted.values())
    assert both.tables == one.tables == cut.tables
    assert both.snapshots == one.snapshots == cut.snapshots > 0
    assert both.notes == one.notes
    assert both.rejected.counts == one.rejected.counts == cut.rejected.counts == {}


@pytest.mark.slow
def test_a_message_that_no_longer_fulfils_the_condition_counts_until_then(
    spark: SparkSession, twins: dict[str, Path]
) -> None:
    """Each by itself, so that a row too many of one is none too few of the other."""
    full, incremental = (
        analysis(spark, "profile", folder, where="backout = 0") for folder in twins.values()
    )
    assert rows_of(full, "FULL") == rows_of(incremental, "INCREMENTAL")
    assert full.notes == incremental.notes == []
    assert {row["backed_out"] for row in full.tables["profile"]} == {0}
