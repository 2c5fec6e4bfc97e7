"""A queue manager file that is read-only, missing, damaged, too new or locked: one clear line."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench
from tests.support.scale import amount

READS = [["queue", "ls"], ["qmgr", "show"], ["backout", "ls"], ["expiry", "status"]]
WRITES = [
    ["queue", "define", "NEW", "--yes"],
    ["delay", "define", "--maxdepth", "9000", "--yes"],
    ["backout", "set", "Q", "--threshold", "3", "--yes"],
    ["emulator", "clock", "+1m"],
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
    assert "not an mqtriage queue manager file" in ran.error_line


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


PAGE = 4096


def spoiled(path: Path, number: int) -> None:
    """Let one page be as a disk that went bad leaves it."""
    data = path.read_bytes()
    start = number * PAGE
    path.write_bytes(data[:start] + b"\xa5" * PAGE + data[start + PAGE :])


def folded(path: Path) -> bytes:
    db = sqlite3.connect(path)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return path.read_bytes()


@pytest.mark.slow
def test_whichever_page_is_damaged_it_is_one_line_and_salvage_gets_the_rest(bench: Bench) -> None:
    bench.run("emulator", "rm", "QM1", "--confirm", "QM1")
    bench.ok("emulator", "create", "QM1", "--sample", "--clock", "frozen")
    bench.ok("emulator", "create", "QM2")
    path = bench.path()
    whole = folded(path)
    messages = bench.ok("emulator", "ls", "-o", "json").items[0]["message_count"]
    saved, lost = [], 0
    for number in range(0, len(whole) // PAGE, 4 // min(amount(1), 4)):
        path.write_bytes(whole)
        spoiled(path, number)
        ran = bench.run("emulator", "ls", "-o", "json")
        assert (ran.code, [item["name"] for item in ran.items]) == (0, ["QM1", "QM2"])
        assert ran.err.count(f"{path}: ") == (ran.items[0]["problem"] is not None)
        ran = bench.run("emulator", "ls", "QM1", "--check", "-o", "json")
        if ran.code == 1:
            lost += 1
            assert "its list of tables is damaged" in ran.err
            assert bench.run("emulator", "create", "SAVED", "--salvage", "QM1").code == 1
            assert not bench.path("SAVED").exists()
            continue
        assert ran.code == 4 * any(item["state"] == "damaged" for item in ran.items)
        ran = bench.ok("emulator", "create", "SAVED", "--salvage", "QM1", "-o", "json")
        bench.ok("queue", "ls", "-m", "SAVED")
        saved.append(bench.ok("emulator", "ls", "-o", "json").items[-1]["message_count"])
        assert bench.run("emulator", "ls", "SAVED", "--check").code == 0
        bench.ok("emulator", "rm", "SAVED", "--confirm", "SAVED")
    assert max(saved) == messages
    assert lost <= 3  # the list of tables takes three pages
    assert sum(count < messages for count in saved) <= 6  # pages of messages and their data


def test_a_damaged_page_of_an_index_costs_no_message(bench: Bench) -> None:
    bench.define("Q")
    bench.ok("msg", "put", "Q", "kept", "--yes")
    folded(bench.path())
    db = sqlite3.connect(bench.path())
    sql = "SELECT rootpage FROM sqlite_master WHERE name = 'message_msg_id'"
    (root,) = db.execute(sql).fetchone()
    db.close()
    spoiled(bench.path(), root - 1)
    ran = bench.run("emulator", "ls", "QM1", "--check", "-o", "json")
    damaged = [item["table"] for item in ran.items if item["state"] == "damaged"]
    assert (ran.code, damaged) == (4, ["message"])
    bench.ok("emulator", "create", "SAVED", "--salvage", "QM1")
    ran = bench.ok("msg", "browse", "Q", "--where", "body = 'kept'", "-m", "SAVED", "-o", "ids")
    assert len(ran.out.split()) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE state SET attributes = 'x'",
        "UPDATE state SET attributes = CAST(x'fe' AS TEXT)",
        "DELETE FROM state",
        "UPDATE queue SET attributes = '{' WHERE name = 'Q'",
        "UPDATE queue SET attributes = CAST(x'fe' AS TEXT) WHERE name = 'Q'",
        "UPDATE queue SET name = CAST(x'fe' AS TEXT) WHERE name = 'Q'",
    ],
)
def test_content_that_makes_no_sense_is_one_line_and_salvaged(bench: Bench, sql: str) -> None:
    bench.define("Q")
    bench.ok("msg", "put", "Q", "kept", "--yes")
    with sqlite3.connect(bench.path()) as db:
        db.execute(sql)
    ran = bench.run("queue", "ls")
    assert ran.code == 1
    assert ran.error_line == f"{bench.path()}: the file is damaged"
    assert "hint: restore a copy; mqtriage emulator ls QM --check" in ran.err
    bench.ok("emulator", "create", "SAVED", "--salvage", "QM1")
    queue = "Q" if "state" in sql else "SALVAGED.*"
    assert " 1 " in bench.ok("queue", "ls", queue, "-m", "SAVED").out
