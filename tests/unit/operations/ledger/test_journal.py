"""What is asked of the journal: which operations, what became of their messages, what counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.plan_file import PlanPart, StoredPlan
from mqtriage.operations.ledger.rebuild import recount
from mqtriage.operations.ledger.requeue_counts import key_of, times_requeued
from mqtriage.operations.ledger.tables import FILE, Ledger
from mqtriage.operations.ledger.units import (
    BACKED_OUT,
    COMMITTED,
    LEFT,
    UNKNOWN,
    Put,
    TakenMessage,
)
from mqtriage.operations.recovery.resume import taken_since
from tests.support.timing import times_as_long

DIGEST = bytes(32)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path)


def message(number: int) -> PlannedMessage:
    ident = b"%024d" % number
    return PlannedMessage(ident, ident, "20260131", "10000000", 1, DIGEST, 0, 1, -1, 0)


def taken(number: int, *, parked: bool = False) -> TakenMessage:
    put = Put("PARK" if parked else "IN", message(number).msg_id, DIGEST)
    return TakenMessage(number, 0, put, parked)


def operate(
    journal: Journal,
    *units: tuple[Sequence[TakenMessage], str],
    action: str = "requeue",
    queue_manager: str = "QM1",
    undoes: str = "",
    stayed: Sequence[int] = (),
) -> str:
    """An operation of these units, each ended so; its id."""
    numbers = sorted({*stayed, *(one.number for unit, _ in units for one in unit)})
    request = ActRequest(action, "BO", "IN", max_requeues=3 if action == "requeue" else None)
    origin = numbers if undoes else ()
    parts = [PlanPart("BO", "IN", len(numbers))]
    at = "2026-01-31T10:00:00Z"
    messages = [message(number) for number in numbers]
    plan = StoredPlan(queue_manager, at, request, parts, messages, undoes, origin)
    with closing(journal.begin(plan)) as entry:
        entry.run()
        for number, (unit, ended) in enumerate(units, 1):
            entry.intend(0, [one._replace(number=numbers.index(one.number) + 1) for one in unit])
            if ended:
                entry.settled(number, ended)
        for number in stayed:
            item = ItemOutcome(message(number).msg_id.hex(), Outcome.SKIPPED, "why")
            entry.stayed(numbers.index(number) + 1, item)
        entry.end()
        return entry.op


def test_operations_to_undo_are_those_of_one_queue_manager_the_newest_first(
    journal: Journal,
) -> None:
    one, two = [taken(1)], [taken(1), taken(2)]
    first = operate(journal, (two, COMMITTED), action="cancel")
    operate(journal, (one, COMMITTED), action="cancel", queue_manager="QM2")
    operate(journal, (one, COMMITTED), action="move")
    operate(journal, (one, BACKED_OUT), action="cancel")
    second = operate(journal, (one, COMMITTED), action="cancel")
    assert journal.not_undone("cancel", "QM1", 9) == [(second, 1), (first, 2)]
    assert journal.not_undone("cancel", "QM1", 1) == [(second, 1)]


def test_an_operation_that_was_undone_is_not_to_be_undone_again(journal: Journal) -> None:
    op = operate(journal, ([taken(1)], COMMITTED), action="cancel")
    backs = [operate(journal, ([taken(1)], COMMITTED), action="undo", undoes=op) for _ in range(2)]
    assert journal.not_undone("cancel", "QM1", 9) == []
    assert journal.undos(op) == backs


def test_a_message_has_the_fate_of_its_unit_unless_that_was_rolled_back(journal: Journal) -> None:
    op = operate(
        journal,
        ([taken(1)], COMMITTED), ([taken(2)], BACKED_OUT), ([taken(3)], ""),
        ([taken(4)], UNKNOWN),
        stayed=(2, 5),
    )  # fmt: skip
    fates = [(1, COMMITTED), (2, LEFT), (3, ""), (4, UNKNOWN), (5, LEFT)]
    assert sorted(journal.fates(op)) == fates


def test_a_recount_counts_requeues_that_were_committed_and_not_undone(journal: Journal) -> None:
    messages = [taken(1), taken(2), taken(3, parked=True)]
    op = operate(journal, (messages, COMMITTED), ([taken(4)], BACKED_OUT))
    operate(journal, ([taken(1)], COMMITTED))
    operate(journal, ([taken(2)], COMMITTED), action="undo", undoes=op)
    with Ledger(journal.folder / FILE) as ledger, ledger.change("recount") as database:
        recount(database)
    times = [times_requeued(journal, key_of(message(number))) for number in (1, 2, 3, 4)]
    assert times == [2, 0, 0, 0]


def test_looking_for_who_removed_the_rest_takes_time_in_proportion_to_the_messages(
    tmp_path: Path,
) -> None:
    def found_among(count: int) -> Callable[[], list[str]]:
        journal = Journal(tmp_path / str(count))
        numbers = range(1, count + 1)
        op = operate(journal, stayed=numbers)
        later = operate(journal, ([taken(number) for number in numbers], COMMITTED), action="move")
        note = f"operation {later} (move) has removed {count} of these messages since then"
        assert taken_since(journal, op) == [note]
        return lambda: taken_since(journal, op)

    few, many = found_among(500), found_among(4_000)
    assert times_as_long(many, few, 20, floor_s=0.001) < 20


def test_a_journal_of_version_0_1_0_gets_the_columns_that_it_lacks(
    journal: Journal, tmp_path: Path
) -> None:
    op = operate(journal, ([taken(1)], COMMITTED))
    with Ledger(tmp_path / FILE) as ledger, ledger.change("old") as database:
        for table, column in (
            ("archive", "sha256"), ("unit", "archive_bytes"), ("unit", "archive_digest"),
        ):  # fmt: skip
            database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    assert [unit.ended for unit in journal.units(op)] == [COMMITTED]
    assert journal.seals(op) == {}
    assert operate(journal, ([taken(2)], COMMITTED)) > op
