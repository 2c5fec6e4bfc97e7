"""What the tests of the pipeline run on: a session of Spark, and simulated queue managers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqtriage.commands.emulator.simulate import SimulateRequest, one, simulate
from mqtriage.emulator.simulation.plan import plans
from tests.acceptance.conftest import Bench
from tests.pipeline.rows import START_US
from tests.support.spark_session import remember, share

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
