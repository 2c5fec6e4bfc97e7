"""One simulated day for the tests of the pipeline; what each job makes of it is worked out once."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from mqtriage.commands.emulator.simulate import SimulateRequest, one, simulate
from mqtriage.emulator.simulation.plan import plans
from mqtriage.model.analysis_tables import OF_LOGS, TABLES_OF
from tests.acceptance.conftest import Bench
from tests.pipeline.rows import START_US
from tests.support.spark_session import remember, share

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mqtriage.pipeline.runner import Analysis


def on_spark(home: Path, spark: SparkSession, patch: pytest.MonkeyPatch) -> Bench:
    """A bench whose `analyze` runs on the session of the tests."""
    share(spark, patch)
    new_bench = Bench(home)
    new_bench.environ["XDG_CACHE_HOME"] = str(home.parent / "cache")
    return new_bench


@pytest.fixture
def bench(tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return on_spark(tmp_path / "home", spark, monkeypatch)


@pytest.fixture
def each_request_once(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that ask for other tables of the same files are given what the first worked out."""
    remember({}, monkeypatch, by_request=True)


def simulated(folder: Path, seed: int, qmgr: str = "", **more: Any) -> dict[str, Any]:
    """A simulated day of one queue manager on which everything goes wrong; its truth.

    Args:
        qmgr: its name where several are analyzed together; "" for the driver's.
    """
    given: dict[str, Any] = {
        "days": 1.0, "queue_managers": 1, "rate": 1700, "every_us": 600_000_000, "form": "ndjson",
        "start_us": START_US, **more,
    }  # fmt: skip
    request = SimulateRequest(seed=seed, out=folder, **given)
    if qmgr:
        (plan,) = plans(seed, 1, request.days, round(request.rate * request.days))
        return one(request, replace(plan, queue_manager=qmgr))
    simulate(request, lambda _: None)
    (truth,) = json.loads((folder / "truth.json").read_text())["queue_managers"]
    assert isinstance(truth, dict)
    return truth


@pytest.fixture(scope="session")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quiet simulated day: 144 snapshots."""
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
