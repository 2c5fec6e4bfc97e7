"""One simulated day, and what each job makes of it, worked out once for all tests of a process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from mqtriage.model.analysis_tables import OF_LOGS, TABLES_OF

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mqtriage.pipeline.runner import Analysis


@pytest.fixture(scope="session")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quiet simulated day: 144 snapshots."""
    from tests.pipeline.conftest import simulated

    folder = tmp_path_factory.mktemp("day") / "out"
    simulated(folder, 7, rate=300)
    return folder


class Reported(NamedTuple):
    """The page that `analyze report` made of the day, and what its jobs found for it."""

    page: Path
    analyses: dict[str, Analysis]


@pytest.fixture(scope="session")
def reported(spark: SparkSession, day: Path, tmp_path_factory: pytest.TempPathFactory) -> Reported:
    """All jobs over the day, run once."""
    from mqtriage.pipeline import runner
    from tests.pipeline.conftest import on_spark

    folder = tmp_path_factory.mktemp("report")
    by_job: dict[str, Analysis] = {}
    run = runner.run

    def noted(session: SparkSession, job: str, *args: Any, **more: Any) -> Analysis:
        by_job[job] = run(session, job, *args, **more)
        return by_job[job]

    file = folder / "report.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "run", noted)
        words = ["analyze", "report", str(day), "--html", str(file)]
        words += ["--textfile", str(file.with_suffix(".prom"))]
        words += ["--tickets", str(file.with_suffix(".ndjson"))]
        assert on_spark(folder / "home", spark, patch).ok(*words).out == f"{file}\n"
    assert by_job.keys() == set(TABLES_OF) - OF_LOGS
    return Reported(file, by_job)


@pytest.fixture(scope="session")
def analyses(reported: Reported) -> dict[str, Analysis]:
    """What each job makes of the day."""
    return reported.analyses
