"""A local Spark that `analyze --keep` leaves for the next command, for its owner alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtriage.files.locks import is_locked, lock, try_lock
from mqtriage.files.private import open_private, private_folder
from mqtriage.mq.errors import MQTriageError, Refused, StorageError, UsageError
from mqtriage.pipeline.kept import (
    KeptFiles,
    asked,
    files_in,
    is_over,
    kept,
    leading_to,
    running,
    stop,
)
from mqtriage.pipeline.session import SparkSettings, require_connect
from tests.pipeline.conftest import simulated
from tests.support.tools import is_required

HERE = SparkSettings("local[2]", memory="1g")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.fixture
def files(environ: dict[str, str]) -> KeptFiles:
    files = files_in(environ)
    private_folder(files.folder)
    return files


@pytest.fixture
def living(files: KeptFiles) -> Iterator[KeptFiles]:
    """What a living server of `HERE` leaves."""
    server = {"settings": asked(HERE), "port": 1, "token": "secret", "process": os.getpid()}
    files.server.write_text(json.dumps(server))
    alive = open_private(files.alive, os.O_RDWR)
    lock(alive)
    yield files
    os.close(alive)


def test_without_a_kept_server_a_command_has_its_own(environ: dict[str, str]) -> None:
    with kept(HERE, environ, None) as settings:
        assert settings == HERE
    assert not files_in(environ).folder.exists()


def test_a_server_that_was_killed_is_not_used(environ: dict[str, str], living: KeptFiles) -> None:
    living.alive.unlink()
    with kept(HERE, environ, None) as settings:
        assert settings == HERE


def test_a_living_server_is_used_with_its_token_and_its_settings(
    environ: dict[str, str], living: KeptFiles
) -> None:
    with kept(HERE, environ, None) as settings:
        assert (settings.remote, settings.token) == ("sc://127.0.0.1:1", "secret")
        assert "secret" not in repr(settings)
        assert is_locked(living.use)
    assert not is_locked(living.use)


def test_a_server_with_other_settings_is_left_alone(
    environ: dict[str, str], living: KeptFiles
) -> None:
    other = SparkSettings("local[2]", memory="4g")
    with kept(other, environ, None) as settings:
        assert settings == other
    with pytest.raises(Refused, match="other settings") as caught, kept(other, environ, 1):
        pass
    assert "analyze stop" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "settings", [SparkSettings("spark://127.0.0.1:7077"), SparkSettings(remote="sc://localhost")]
)
def test_a_session_on_a_cluster_is_not_kept(
    environ: dict[str, str], living: KeptFiles, settings: SparkSettings
) -> None:
    with kept(settings, environ, None) as same:
        assert same == settings
    with pytest.raises(UsageError, match="--keep"), kept(settings, environ, 1):
        pass


def test_a_folder_that_others_may_write_to_is_not_believed(
    environ: dict[str, str], living: KeptFiles
) -> None:
    living.folder.chmod(0o770)
    with pytest.raises(StorageError, match="others"), kept(HERE, environ, None):
        pass


def test_nothing_is_started_where_pyspark_cannot_speak_to_it(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, spark_installed: None
) -> None:
    # where pytest -n has no main module, pyspark takes its first import for a doctest
    pytest.importorskip("pyspark.sql.connect")
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(MQTriageError, match="Spark Connect") as caught, kept(HERE, environ, 1):
        pass
    assert ".[spark-connect]" in (caught.value.hint or "")
    assert not files_in(environ).alive.exists()


def test_little_data_has_few_partitions_unless_they_were_given() -> None:
    server = {"port": 1, "token": "secret"}
    few = {"spark.sql.shuffle.partitions": "2"}
    small = SparkSettings(read_bytes=1000)
    assert leading_to(server, small).more == few
    assert leading_to(server, SparkSettings(read_bytes=None)).more == {}
    given = SparkSettings(read_bytes=1000, more={"spark.sql.shuffle.partitions": "5"})
    assert leading_to(server, given).more == {}


def test_a_server_ends_after_its_time_but_not_while_it_is_used(files: KeptFiles) -> None:
    files.server.write_text("{}")
    files.use.write_text("10000")
    os.utime(files.use, (100, 100))
    assert not is_over(files, 109.9)
    user = open_private(files.use, os.O_RDWR)
    assert try_lock(user, shared=True)
    assert not is_over(files, 110.1)
    assert files.server.exists()
    os.close(user)
    assert is_over(files, 110.1)
    assert not files.server.exists()


def run(environ: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mqtriage", "analyze", *words, "-o", "json"],
        env=os.environ | environ, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip


def mqtriage(environ: dict[str, str], *words: str) -> Any:
    ran = run(environ, *words)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture
def connecting(spark_installed: None) -> None:
    try:
        require_connect()
    except MQTriageError as error:
        if is_required("spark"):
            raise
        pytest.skip(error.text)


@pytest.mark.slow
@pytest.mark.usefixtures("connecting")
def test_the_next_command_uses_what_keep_left_until_it_is_stopped(
    environ: dict[str, str], tmp_path: Path
) -> None:
    simulated(tmp_path / "hours", 11, days=0.25, rate=300)
    gc_log = tmp_path / "gc.log"
    conf = ("--conf", f"spark.driver.extraJavaOptions=-Xlog:gc:file={gc_log}")
    words = ("profile", str(tmp_path / "hours"), "--memory", "1g", *conf)
    files = files_in(environ)
    first = mqtriage(environ, *words, "--keep", "10m")["items"]
    server = running(files)
    try:
        assert server is not None
        assert mqtriage(environ, *words)["items"] == first
        assert running(files) == server
        assert files.server.stat().st_mode & 0o077 == 0
        java = [Path("/proc", name) for name in children(server["process"])]
        assert len(java) == 1
        for path in (java[0], Path("/proc", str(server["process"]))):
            assert server["token"].encode() not in (path / "cmdline").read_bytes()
        # between two commands it gives back the memory that the first had
        assert gc_log.read_text().count("(System.gc())") >= 4
        ran = run(environ, *words, "--master", f"sc://localhost:{server['port']}")
        assert ran.returncode == 7
        assert "No authentication token" in ran.stderr
        wait_until_it_asks_java(files, gc_log)
    finally:
        assert stop(environ)
    assert running(files) is None
    assert not java[0].exists()
    assert not mqtriage(environ, "stop")["item"]["stopped"]


@pytest.mark.long
@pytest.mark.usefixtures("connecting")
def test_a_kept_server_ends_by_itself(environ: dict[str, str], tmp_path: Path) -> None:
    simulated(tmp_path / "hours", 11, days=0.25, rate=300)
    mqtriage(environ, "profile", str(tmp_path / "hours"), "--memory", "1g", "--keep", "1s")
    files, deadline = files_in(environ), time.monotonic() + 60
    while is_locked(files.alive):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert not files.server.exists()


def wait_until_it_asks_java(files: KeptFiles, gc_log: Path) -> None:
    """Return while the server has asked its Java for something and has no answer yet."""
    size, deadline = gc_log.stat().st_size, time.monotonic() + 60
    os.utime(files.use)  # as a command does that begins
    while gc_log.stat().st_size == size:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()
