"""The table behind --max-requeues counts as a dictionary would, across processes and growth."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.mq.errors import StorageError
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.rebuild import Key
from mqtriage.operations.ledger.requeue_counts import count_requeues, times_requeued
from mqtriage.operations.ledger.tables import FILE, Ledger
from tests.support.scale import amount


def key(number: int) -> Key:
    return b"%024d" % number, bytes(32)


@given(moves=st.lists(st.integers(0, 30), max_size=60))
@settings(max_examples=amount(15))
def test_it_counts(moves: list[int], tmp_path_factory: pytest.TempPathFactory) -> None:
    with Ledger.open_or_create(tmp_path_factory.mktemp("counts") / "journal" / FILE) as ledger:
        for number in moves:
            count_requeues(ledger, [[key(number), key(number)]])
        assert [times_requeued(ledger, key(number)) for number in range(31)] == [
            moves.count(number) for number in range(31)
        ]


def test_a_copy_with_another_key_goes_on_with_the_count(tmp_path: Path) -> None:
    with Ledger.open_or_create(tmp_path / FILE) as ledger:
        count_requeues(ledger, [[key(1), key(2)]])
        count_requeues(ledger, [[key(2), key(3)]])
    journal = Journal(tmp_path)
    assert [times_requeued(journal, key(number)) for number in (1, 2, 3)] == [1, 2, 2]


def test_it_grows_and_another_process_sees_it(tmp_path: Path) -> None:
    mine = Ledger.open_or_create(tmp_path / FILE)
    count_requeues(mine, [[key(0), key(0)]])
    child = os.fork()
    if child == 0:
        code = 1
        try:
            theirs = Ledger.open_or_create(tmp_path / FILE)
            count_requeues(theirs, ([key(number), key(number)] for number in range(20_000)))
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    count_requeues(mine, [[key(1), key(1)]])
    numbers = (0, 1, 2, 19_999, 20_000)
    assert [times_requeued(mine, key(number)) for number in numbers] == [2, 2, 1, 1, 0]


def test_looking_makes_no_file(tmp_path: Path) -> None:
    assert times_requeued(Journal(tmp_path / "journal"), key(1)) == 0
    assert not (tmp_path / "journal").exists()


def test_a_damaged_table_is_said(tmp_path: Path) -> None:
    with Ledger.open_or_create(tmp_path / FILE) as ledger:
        count_requeues(ledger, [[key(1), key(1)]])
    (tmp_path / FILE).write_bytes(b"nonsense" * 100)
    with pytest.raises(StorageError, match="damaged"):
        count_requeues(Ledger.open_or_create(tmp_path / FILE), [[key(1), key(1)]])
    with pytest.raises(StorageError, match="damaged"):
        times_requeued(Journal(tmp_path), key(1))
