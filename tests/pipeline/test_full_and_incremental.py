"""Full and incremental snapshots of one estate: every column of every job is the same."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqtriage.messages.filters.where import parse_where
from mqtriage.model.analysis_tables import TABLES_OF
from tests.pipeline.conftest import simulated

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mqtriage.pipeline.runner import Analysis


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Some days of an estate that is drawn for each run, once with full snapshots."""
    seed = random.randrange(10_000)
    print(f"the estate of seed {seed}")  # pytest shows it where a test fails
    folder = tmp_path_factory.mktemp("twins")
    for name, incremental in (("full", False), ("incremental", True)):
        more: dict[str, Any] = {"days": 2.2, "rate": 90, "every_us": 2 * 3_600_000_000}
        simulated(folder / name, seed, incremental=incremental, **more)
    return folder / "full", folder / "incremental"


def analysis(spark: SparkSession, job: str, folder: Path, where: str = "") -> Analysis:
    from mqtriage.pipeline.jobs import Options
    from mqtriage.pipeline.runner import Request, run

    options = Options(where=parse_where(where) if where else None)
    return run(spark, job, Request((str(folder),), options), tuple(TABLES_OF[job]))


@pytest.mark.slow
@pytest.mark.parametrize("job", TABLES_OF)
def test_incremental_snapshots_tell_a_job_what_full_ones_do(
    spark: SparkSession, twins: tuple[Path, Path], job: str
) -> None:
    full, incremental = (analysis(spark, job, folder) for folder in twins)
    assert full.tables == incremental.tables
    assert full.notes == incremental.notes == []


@pytest.mark.slow
def test_a_message_that_no_longer_fulfils_the_condition_counts_until_then(
    spark: SparkSession, twins: tuple[Path, Path]
) -> None:
    full, incremental = (analysis(spark, "profile", folder, "backout = 0") for folder in twins)
    assert full.tables == incremental.tables
    assert {row["backed_out"] for row in full.tables["profile"]} == {0}
