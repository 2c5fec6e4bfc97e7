"""The archive of Java's classes: made by the second start of Spark, used from the third on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mqtriage.pipeline import class_archive as of
from mqtriage.pipeline.class_archive import (
    SWITCH,
    ClassArchive,
    class_archive,
    forget_unused,
    put_in_place,
)
from mqtriage.pipeline.session import SparkSettings, archive_for

START = """
from mqtriage.pipeline.session import SparkSettings, java_process, spark_session
import sys
with spark_session(SparkSettings("local[1]", memory=sys.argv[1], read_bytes=0)) as spark:
    count = spark.range(3).count()
    maps = open(f"/proc/{java_process().pid}/maps").read()
print(count, "mapped" if "/classes-" in maps else "read")
"""
"""What is on standard output is all that a script would see."""


@pytest.fixture
def java(tmp_path: Path) -> Path:
    """A Java that has an archive of its own classes, as far as the file system tells."""
    program = tmp_path / "java" / "bin" / "java"
    base = tmp_path / "java" / "lib" / "server" / "classes.jsa"
    for path in (program, base, tmp_path / "spark" / "version.py"):
        path.parent.mkdir(parents=True)
        path.write_text("x")
    return program


def known(java: Path, **environ: str) -> ClassArchive | None:
    """What there is for *java* and the Spark beside it."""
    home = java.parents[2]
    return class_archive({"XDG_CACHE_HOME": str(home / "cache")} | environ, java, home / "spark")


def made(java: Path) -> Path:
    """An archive in its place."""
    known(java)
    found = known(java)
    assert found is not None
    found.path.write_text("classes")
    put_in_place(found.path)
    return found.path.with_name("classes-7.jsa")


def test_the_first_start_makes_no_archive_and_the_second_does(java: Path) -> None:
    assert known(java) is None
    second = known(java)
    assert second is not None and not second.is_made
    assert f"-XX:ArchiveClassesAtExit={second.path}" in second.java_options()


def test_an_archive_is_used_once_it_is_there(java: Path) -> None:
    path = made(java)
    found = known(java)
    assert found == ClassArchive(path, is_made=True)
    assert f"-XX:SharedArchiveFile={path}" in found.java_options()


@pytest.mark.parametrize("changed", ["java", "spark"])
def test_another_java_or_another_spark_has_an_archive_of_its_own(java: Path, changed: str) -> None:
    path = made(java)
    (java if changed == "java" else java.parents[2] / "spark" / "version.py").write_text("newer")
    assert known(java) is None
    assert path.exists()


def test_a_java_without_an_archive_of_its_own_gets_none(java: Path) -> None:
    (java.parents[1] / "lib" / "server" / "classes.jsa").unlink()
    assert [known(java), known(java)] == [None, None]


def test_the_switch_leaves_an_archive_out_and_makes_none(java: Path) -> None:
    made(java)
    assert known(java, **{SWITCH: "1"}) is None


def test_an_archive_that_was_cut_is_deleted_and_made_again(java: Path) -> None:
    path = made(java)
    path.write_text("cla")
    found = known(java)
    assert found is not None and not found.is_made
    assert not path.exists()


def test_without_room_there_is_none(java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of, "ROOM_BYTES", 1 << 60)
    assert [known(java), known(java)] == [None, None]


def test_a_cache_folder_that_cannot_be_made_is_no_error(java: Path) -> None:
    (java.parents[2] / "cache").write_text("a file")
    assert [known(java), known(java)] == [None, None]


def test_an_archive_unused_for_two_months_is_deleted_and_a_used_one_kept(java: Path) -> None:
    path = made(java)
    forget_unused(path.parents[2])
    assert path.exists()
    long_ago = time.time() - 61 * 24 * 3600
    os.utime(path, (long_ago, long_ago))
    forget_unused(path.parents[2])
    assert not path.parent.exists()


def test_what_a_killed_process_left_is_deleted(java: Path) -> None:
    known(java)
    found = known(java)
    assert found is not None
    left = found.path.with_name("1.new")
    left.write_text("half")
    known(java)
    assert left.exists()  # it may be at work
    os.utime(left, (0, 0))
    known(java)
    assert not left.exists()


@pytest.mark.parametrize(
    "settings",
    [
        SparkSettings(remote="sc://127.0.0.1:15002"),
        SparkSettings("spark://192.0.2.1:7077"),
        SparkSettings(more={"spark.driver.extraJavaOptions": "-Xshare:off"}),
    ],
)
def test_a_java_that_is_not_started_here_by_us_alone_has_none(settings: SparkSettings) -> None:
    environ = {name: value for name, value in os.environ.items() if name != SWITCH}
    assert archive_for(settings, environ) is None


class Machine:
    """A cache folder, and Spark started with it in processes of their own."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        self.environ = {**os.environ, "XDG_CACHE_HOME": str(cache)}
        self.environ.pop(SWITCH, None)

    def begin(self, memory: str = "1g") -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", START, memory],
            env=self.environ,
            cwd=self.cache,  # a Java that crashes writes about it there
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def start(self, memory: str = "1g") -> tuple[int, str, str]:
        process = self.begin(memory)
        out, told = process.communicate(timeout=240)
        return process.returncode, out, told

    def is_of(self, command_line: Path) -> bool:
        """Whether a process has to do with the cache folder."""
        try:
            return os.fsencode(self.cache) in command_line.read_bytes()
        except OSError:
            return False  # it has ended

    def files(self) -> list[str]:
        return sorted(path.name for path in self.cache.glob("mqtriage/java-classes/*/*"))


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, spark: object) -> Machine:
    """One on which Spark was started once; *spark* skips, or fails, where there is none."""
    found = Machine(tmp_path_factory.mktemp("cache"))
    assert found.start() == (0, "3 read\n", "")
    if not list(found.cache.glob("mqtriage/java-classes/*")):
        pytest.skip("this Java has no archive of its own classes")
    return found


def test_an_interrupt_while_it_is_made_leaves_the_result_and_no_archive(machine: Machine) -> None:
    process = machine.begin()
    assert process.stdout is not None
    assert process.stdout.readline() == "3 read\n"  # results come before
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told, machine.files()) == (0, "", [])


def test_an_interrupt_while_spark_starts_leaves_no_java_that_makes_one(machine: Machine) -> None:
    process = machine.begin()
    time.sleep(2.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if machine.is_of(path)]
    assert (process.returncode != 0, left, machine.files()) == (True, [], [])


def test_the_next_start_maps_what_the_one_before_made(machine: Machine) -> None:
    assert machine.start() == (0, "3 read\n", "")
    (name,) = machine.files()
    assert name.startswith("classes-")
    assert machine.start() == (0, "3 mapped\n", "")


def test_a_memory_that_java_does_not_start_with_costs_no_archive(machine: Machine) -> None:
    (archive,) = machine.files()
    code, out, _ = machine.start(memory="900000g")
    assert (code != 0, out, machine.files()) == (True, "", [archive])


def test_an_archive_that_java_does_not_start_with_is_left_out(machine: Machine) -> None:
    (path,) = machine.cache.glob("mqtriage/java-classes/*/classes-*.jsa")
    cut = path.rename(path.with_name("classes-1000000.jsa"))  # as if it had always been that long
    cut.chmod(0o600)
    os.truncate(cut, 1_000_000)
    assert machine.start() == (0, "3 read\n", "")
    assert machine.files() == []
