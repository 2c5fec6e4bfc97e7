"""Jobs on clusters and object storage: local-cluster, a standalone cluster, Spark Connect, S3.

All of them are real, started from the installed package on this machine, and give what a job in
this process gives.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqtriage.model.analysis_tables import TABLES_OF, record_as_printed
from mqtriage.mq.errors import MQTriageError
from tests.acceptance.conftest import Bench
from tests.pipeline.cluster import (
    QUICK,
    bare_python,
    bucket_settings,
    connect_server,
    environment,
    executors,
    server,
    spark_home,
    standalone,
)
from tests.pipeline.conftest import simulated
from tests.support.ibm_java import fetched
from tests.support.simulated_day import Reported
from tests.support.tools import is_required, module, tool

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mqtriage.pipeline.runner import Analysis

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Path:
    return spark_home(tmp_path_factory.mktemp("spark") / "home")


@pytest.fixture(scope="module")
def hours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few simulated hours."""
    folder = tmp_path_factory.mktemp("hours") / "out"
    simulated(folder, 11, days=0.25, rate=300)
    return folder


def mqtriage(*args: str, **environ: str) -> str:
    """A command line in a process of its own that must end with 0; what it prints."""
    words = [sys.executable, "-m", "mqtriage", *args]
    ran = subprocess.run(
        words, env=os.environ | environ, capture_output=True, text=True, check=False, timeout=900
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def tables_here(spark: SparkSession, folder: Path, job: str) -> dict[str, list[Mapping[str, Any]]]:
    from mqtriage.pipeline.runner import JobRequest, run

    return run(spark, job, JobRequest((str(folder),))).tables


def run_here(spark: SparkSession, folder: Path, job: str) -> list[Mapping[str, Any]]:
    return tables_here(spark, folder, job)[next(iter(TABLES_OF[job]))]


def test_a_local_cluster_gives_the_rows_of_a_local_session(
    spark: SparkSession, home: Path, hours: Path, tmp_path: Path
) -> None:
    """SPARK_REMOTE names another place; the flag wins."""
    (tmp_path / "spark-defaults.conf").write_text("\n".join(QUICK) + "\n")
    output = mqtriage(
        "analyze", "profile", str(hours), "--master", "local-cluster[2,1,1024]", "-o", "json",
        SPARK_HOME=str(home), SPARK_CONF_DIR=str(tmp_path), SPARK_REMOTE="sc://127.0.0.1:1",
    )  # fmt: skip
    rows = run_here(spark, hours, "profile")
    assert json.loads(output)["items"] == [record_as_printed(row) for row in rows]
    assert list((home / "work").glob("app-*/*/stderr")), "no executor of its own ran"


def test_the_line_that_submit_prints_runs_on_a_standalone_cluster_with_its_zip_alone(
    spark: SparkSession,
    home: Path,
    hours: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An interpreter without packages, another folder, and addresses of S3 in and out."""
    alone = bare_python(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "bucket" / "results").mkdir(parents=True)
    (tmp_path / "bucket" / "snapshots").symlink_to(hours)
    settings = bucket_settings(tmp_path / "conf", tmp_path / "bucket")
    environ = environment(home, tmp_path, SPARK_CONF_DIR=str(settings))
    missing = subprocess.run([alone, "-c", "import mqtriage"], env=environ, cwd=elsewhere,
                             capture_output=True, text=True, check=False)  # fmt: skip
    assert "No module named 'mqtriage'" in missing.stderr

    bench = Bench(tmp_path / "home")
    bench.environ["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    monkeypatch.setattr(sys, "executable", str(alone))
    with standalone(home, tmp_path / "work", environ) as master:
        line = bench.ok(
            "analyze", "depth", "s3a://bucket/snapshots", "--out", "s3a://bucket/results",
            "--master", master, "--where", "priority >= 0", "--submit",
        ).out  # fmt: skip
        assert "s3a://bucket/snapshots" in line
        ran = subprocess.run(["/bin/sh", "-c", line], env=environ, cwd=elsewhere,
                             capture_output=True, text=True, check=False, timeout=200)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert [json.loads(row) for row in ran.stdout.splitlines()] == run_here(spark, hours, "depth")
    assert list((tmp_path / "work").glob("app-*/*/stderr")), "no executor of the worker ran"
    for table, rows in tables_here(spark, hours, "depth").items():
        assert spark.read.parquet(str(tmp_path / "bucket" / "results" / table)).count() == len(rows)


def test_all_jobs_give_on_two_workers_what_they_give_here_though_an_executor_is_killed(
    reported: Reported, day: Path, home: Path, tmp_path: Path
) -> None:
    """Killed while the jobs run; the master has another one started in its place."""
    work, file = tmp_path / "work", tmp_path / "cluster.html"
    (tmp_path / "spark-defaults.conf").write_text("\n".join(QUICK) + "\n")
    environ = environment(home, tmp_path, SPARK_CONF_DIR=str(tmp_path))
    with standalone(home, work, environ, cores=(1, 1)) as master:
        words = [sys.executable, "-m", "mqtriage", "analyze", "report", str(day), "--html",
                 str(file), "--master", master, "--conf", "spark.executor.memory=512m"]  # fmt: skip
        with subprocess.Popen(
            words, env=os.environ | environ, stderr=subprocess.PIPE, text=True
        ) as reporting:
            assert reporting.stderr is not None
            log = []
            for line in reporting.stderr:
                log.append(line)
                if len(executors(work)) == 2:  # progress is told every ten seconds
                    break
            running = executors(work)
            assert running.keys() == {"0", "1"}, log
            os.kill(running["1"], signal.SIGKILL)
            log += reporting.stderr
        assert reporting.returncode == 0, log
        assert list(work.glob("app-*/2")), "no executor was started in its place"
    assert body(file) == body(reported.page)


@pytest.fixture(scope="module")
def connected(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of Spark Connect; skips without what pyspark needs to speak to it."""
    from mqtriage.pipeline.session import require_connect

    try:
        require_connect()
    except MQTriageError as error:
        if is_required("spark"):
            raise
        pytest.skip(error.text)
    with connect_server(home, environment(home, tmp_path_factory.mktemp("connect"))) as address:
        yield address


def test_all_jobs_give_over_spark_connect_what_they_give_here(
    reported: Reported, day: Path, connected: str, tmp_path: Path
) -> None:
    """The page of all seven has the same tables and the same points."""
    file = tmp_path / "connect.html"
    mqtriage("analyze", "report", str(day), "--html", str(file), SPARK_REMOTE=connected)
    assert body(file) == body(reported.page)


def test_the_flag_leads_to_a_server_too(
    spark: SparkSession, analyses: dict[str, Analysis], day: Path, connected: str
) -> None:
    output = mqtriage("analyze", "profile", str(day), "--master", connected, "-o", "json")
    document = json.loads(output)
    rows = run_here(spark, day, "profile")  # the page of the report leaves out quiet SYSTEM queues
    assert document["items"] == [record_as_printed(row) for row in rows]
    assert document["summary"]["message_rows"] == analyses["profile"].message_rows
    assert document["summary"]["rejected"] == {}


@pytest.fixture(scope="module")
def in_bucket(day: Path) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
    """The day's snapshots in a bucket that moto serves.

    Gives options and variables under which ``s3a://bucket/snapshots`` is read. Skips without moto,
    or where Maven cannot fetch Hadoop's S3 jars.
    """
    module("moto.server", "moto")
    boto3 = module("boto3", "moto")
    tool("mvn")
    page = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text("utf-8")
    jars = fetched("hadoop-aws", *re.findall(r"--conf spark.jars.packages=(\S+)", page))
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    keys["AWS_REGION"] = "us-east-1"
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    with server(words, os.environ, r"Running on http://127\.0\.0\.1:(\d+)") as port:
        address = f"http://127.0.0.1:{port}"
        client = boto3.client(
            "s3", endpoint_url=address, region_name="us-east-1",
            aws_access_key_id="key", aws_secret_access_key="secret",
        )  # fmt: skip
        client.create_bucket(Bucket="bucket")
        for file in day.glob("*/*/*/*"):
            client.upload_file(str(file), "bucket", f"snapshots/{file.relative_to(day)}")
        settings = (
            f"spark.driver.extraClassPath={jars}/*",
            f"spark.hadoop.fs.s3a.endpoint={address}",
            "spark.hadoop.fs.s3a.path.style.access=true",
        )
        yield tuple(word for one in settings for word in ("--conf", one)), keys


def test_all_jobs_give_of_object_storage_what_they_give_of_the_folder(
    reported: Reported,
    day: Path,
    in_bucket: tuple[tuple[str, ...], dict[str, str]],
    tmp_path: Path,
) -> None:
    file, address = tmp_path / "bucket.html", "s3a://bucket/snapshots"
    options, keys = in_bucket
    mqtriage("analyze", "report", address, "--html", str(file), *options, **keys)
    assert body(file).replace(address, str(day)) == body(reported.page)


def body(page: Path) -> str:
    """The page without the moment it was made."""
    return re.sub(r"\S+Z by mqtriage", "", page.read_text("utf-8"))
