"""The ledger's file: made whole or not at all, written by several processes at once."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from mqtriage.model.plan import PlannedMessage
from mqtriage.mq.errors import StorageError
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.ledger import tables
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.plan_file import PlanPart, StoredPlan
from mqtriage.operations.ledger.tables import Ledger
from mqtriage.operations.ledger.units import COMMITTED, Put, TakenMessage
from mqtriage.operations.ledger.verify import verdict

UNITS, SIZE = 12, 5


def message(number: int) -> PlannedMessage:
    ident = b"%024d" % number
    return PlannedMessage(ident, ident, "20260131", "10000000", number, bytes(32), 0, 1, -1, 0)


def plan(messages: int) -> StoredPlan:
    return StoredPlan(
        "QM1",
        "2026-01-31T10:00:00Z",
        ActRequest("move", "IN", "OUT"),
        [PlanPart("IN", "OUT", messages)],
        [message(number) for number in range(1, messages + 1)],
    )


def operate(journal: Journal) -> str:
    """A whole operation of some units."""
    with closing(journal.begin(plan(UNITS * SIZE))) as entry:
        entry.run()
        for unit in range(UNITS):
            numbers = range(unit * SIZE + 1, (unit + 1) * SIZE + 1)
            entry.intend(
                0, [TakenMessage(n, 0, Put("OUT", message(n).msg_id, bytes(32))) for n in numbers]
            )
            entry.committed()
        entry.end()
        return entry.op


def test_several_processes_write_at_once_and_nothing_is_mixed(tmp_path: Path) -> None:
    """The first of them makes the file; none sees it half made."""
    children = []
    for _ in range(6):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                for _ in range(3):
                    operate(Journal(tmp_path / "journal"))
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 6
    journal = Journal(tmp_path / "journal")
    assert len(journal.ops()) == 18
    for op in journal.ops():
        units = list(journal.units(op))
        assert [unit.ended for unit in units] == [COMMITTED] * UNITS
        assert [taken.number for unit in units for taken in unit.messages] == list(
            range(1, UNITS * SIZE + 1)
        )
        assert verdict(journal, op).verdict == "proven"
    assert [path.name for path in (tmp_path / "journal").iterdir()] == ["ledger.sqlite"]


def test_a_long_plan_is_written_in_pieces_and_counts_when_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "journal")
    steps: list[str] = []
    commit = Ledger._commit

    def counted(ledger: Ledger, step: str) -> None:
        commit(ledger, step)
        steps.append(step)
        if len(steps) == 2:
            with pytest.raises(StorageError, match="it was interrupted: nothing was done"):
                journal.head(journal.find(None))

    monkeypatch.setattr(Ledger, "_commit", counted)
    with closing(journal.begin(plan(5_000))) as entry:
        assert steps == ["plan"] * 3
        stored = journal.plan(entry.op)
    assert list(stored.messages) == [message(number) for number in range(1, 5_001)]


@pytest.mark.parametrize("messages", [0, 1, 2_000, 4_000])
def test_a_plan_comes_back_as_it_was(tmp_path: Path, messages: int) -> None:
    journal = Journal(tmp_path / "journal")
    with closing(journal.begin(plan(messages))) as entry:
        assert list(journal.plan(entry.op).messages) == plan(messages).messages


def test_folders_and_file_are_for_their_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Ledger.open_or_create(tmp_path / "home" / "journal" / tables.FILE).close()
    finally:
        os.umask(before)
    for path, mode in (("home", 0o700), ("home/journal", 0o700), ("home/journal/*", 0o600)):
        (only,) = tmp_path.glob(path)
        assert stat.S_IMODE(only.stat().st_mode) == mode


def test_a_file_that_could_not_be_made_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        tables, "FORM", tables.FORM._replace(schema="CREATE TABLE one (x); nonsense;")
    )
    with pytest.raises(StorageError, match="syntax error"):
        Journal(tmp_path / "journal").begin(plan(1))
    assert list((tmp_path / "journal").iterdir()) == []


def test_a_ledger_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    operate(journal)
    with closing(sqlite3.connect(journal.path)) as database:
        database.execute("PRAGMA user_version = 9")
    with pytest.raises(StorageError, match="written by a newer mqtriage"):
        journal.ops()


def test_what_is_promised_is_on_disk_before_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plan, begin, intent and end; a mark that is lost makes a unit one in doubt and no more."""
    durable: dict[str, set[int]] = {}
    commit = Ledger._commit

    def seen(ledger: Ledger, step: str) -> None:
        (level,) = next(ledger.rows("PRAGMA synchronous"))
        durable.setdefault(step, set()).add(level)
        commit(ledger, step)

    monkeypatch.setattr(Ledger, "_commit", seen)
    operate(Journal(tmp_path / "journal"))
    full, normal = {2}, {1}
    assert durable == {"plan": full, "run": full, "intent": full, "mark": normal, "end": full}
