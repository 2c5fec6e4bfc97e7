"""A queue manager file that is read-only, missing, damaged, too new or locked: one clear line."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench

READS = [["queue", "ls"], ["qmgr", "show"], ["backout", "ls"], ["expiry", "status"]]
WRITES = [
    ["queue", "define", "NEW", "--yes"],
    ["delay", "define", "--maxdepth", "9000", "--yes"],
    ["backout", "set", "Q", "--threshold", "3", "--yes"],
    ["emulator", "advance", "1m"],
    ["emulator", "stop"],
]


def names(commands: list[list[str]]) -> list[str]:
    return [" ".join(command[:2]) for command in commands]


@pytest.fixture
def filled(bench: Bench) -> Bench:
    bench.define("Q")
    return bench


@pytest.mark.parametrize("command", WRITES, ids=names(WRITES))
def test_a_read_only_file_refuses_writes(filled: Bench, command: list[str]) -> None:
    filled.path().chmod(0o400)
    ran = filled.run(*command)
    assert ran.code == 1
    assert "the file is read-only" in ran.error_line
    assert "chmod u+w" in ran.err


@pytest.mark.parametrize("command", READS, ids=names(READS))
def test_a_read_only_file_can_be_read(filled: Bench, command: list[str]) -> None:
    filled.path().chmod(0o400)
    assert filled.run(*command).code == 0


@pytest.mark.parametrize("command", READS + WRITES, ids=names(READS + WRITES))
def test_a_missing_file_is_exit_5(bench: Bench, command: list[str]) -> None:
    bench.path().unlink()
    ran = bench.run("-m", "QM1", *command)
    assert ran.code == 5
    assert "no emulated queue manager QM1" in ran.error_line


def test_no_queue_manager_at_all_is_exit_5_with_the_command_that_makes_one(
    empty_bench: Bench,
) -> None:
    ran = empty_bench.run("queue", "ls")
    assert ran.code == 5
    assert "mqtriage emulator create" in ran.err


@pytest.mark.parametrize(
    "data",
    [b"", b"this is a letter, not a database\n" * 200, b"SQLite format 3\0" + b"\xff" * 5000],
    ids=["empty", "text", "broken-header"],
)
@pytest.mark.parametrize("command", READS[:1] + WRITES[:1], ids=["read", "write"])
def test_a_damaged_file_is_one_line(bench: Bench, command: list[str], data: bytes) -> None:
    bench.path().write_bytes(data)
    ran = bench.run(*command)
    assert ran.code == 1
    assert "QM1.qmgr" in ran.error_line
    assert "hint: " in ran.err


def test_a_file_damaged_in_the_middle_is_one_line(filled: Bench) -> None:
    data = bytearray(filled.path().read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    filled.path().write_bytes(data)
    ran = filled.run("queue", "ls")
    assert ran.code == 1
    assert "QM1.qmgr" in ran.error_line


def test_another_programs_database_is_told_apart(bench: Bench) -> None:
    bench.path().unlink()
    sqlite3.connect(bench.path()).executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1);")
    ran = bench.run("queue", "ls")
    assert ran.code == 1
    assert "not a queue manager file of mqtriage" in ran.error_line


def test_a_newer_schema_asks_for_a_newer_program(bench: Bench) -> None:
    db = sqlite3.connect(bench.path())
    db.execute("PRAGMA user_version = 999")
    db.close()
    ran = bench.run("queue", "ls")
    assert ran.code == 1
    assert "written by a newer mqtriage (schema 999" in ran.error_line
    assert "upgrade mqtriage" in ran.err


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """The file as another program keeps it while it writes."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        db.execute("ROLLBACK")
        db.close()


def test_a_file_that_another_program_locks_is_one_line(
    filled: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mqtriage.emulator.core.file.store import Store

    opened = Store.__init__

    def impatient(self: Store, path: Path, **_: float) -> None:
        opened(self, path, busy_s=0.1)

    monkeypatch.setattr(Store, "__init__", impatient)
    with locked(filled.path()):
        assert filled.run("queue", "ls").code == 0
        ran = filled.run("queue", "define", "NEW", "--yes")
    assert ran.code == 1
    assert "another program has kept the file locked" in ran.error_line


def test_a_home_that_cannot_be_made_is_one_line(empty_bench: Bench) -> None:
    empty_bench.home.parent.mkdir(exist_ok=True)
    empty_bench.home.write_text("a file where the folder should be")
    ran = empty_bench.run("emulator", "create", "QM1")
    assert ran.code == 1
    assert "cannot make the folder" in ran.error_line
