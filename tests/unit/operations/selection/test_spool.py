"""Records that live in a file beyond 64 KiB are the same as in a list."""

from __future__ import annotations

import errno
import itertools
import os
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome
from mqtriage.operations.selection.spool import outcomes, planned_messages
from tests.support.scale import amount


def message(number: int) -> PlannedMessage:
    ident = b"%024d" % number
    return PlannedMessage(ident, ident, "20260131", "10000000", number, bytes(32), 0, 1, -1, 0)


@given(count=st.integers(0, 1100), at=st.integers(-1200, 1200), step=st.integers(1, 300))
@settings(max_examples=amount(20))
def test_a_spool_is_a_list(count: int, at: int, step: int) -> None:
    expected = [message(number) for number in range(count)]
    spool = planned_messages(expected)
    assert list(spool) == expected
    assert len(spool) == count
    assert spool[at : at + step] == expected[at : at + step]
    assert spool == expected
    if -count <= at < count:
        assert spool[at] == expected[at]


def test_it_can_be_read_while_it_is_read() -> None:
    spool = planned_messages(message(number) for number in range(1000))
    assert [(one.length_bytes, spool[-1].length_bytes) for one in spool][::300] == [
        (0, 999),
        (300, 999),
        (600, 999),
        (900, 999),
    ]


def test_an_outcome_comes_back_as_it_was() -> None:
    items = [
        ItemOutcome("A", Outcome.DONE, new_msg_id="B"),
        ItemOutcome("C", Outcome.FAILED, "why"),
        ItemOutcome("D", Outcome.PARKED),
    ]
    assert list(outcomes(items)) == items


def test_without_room_for_its_file_it_is_a_list_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The disk is full for a while: short writes and errors, in turn."""
    calls = itertools.count()

    def full(descriptor: int, block: bytes, offset: int) -> int:
        turn = next(calls) % 4
        if turn == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, block[: 100 if turn == 2 else None], offset)

    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", full)
    expected = [message(number) for number in range(6_000)]
    spool = planned_messages(expected)
    assert next(calls) > 12
    assert list(spool) == expected
    assert [spool[at] for at in range(0, 6_000, 97)] == expected[::97]


def test_a_hundred_thousand_messages_do_not_stay_in_memory() -> None:
    many = amount(100_000, all=100_000)
    tracemalloc.start()
    spool = planned_messages()
    for number in range(many):
        spool.append(message(number))
    assert sum(1 for _ in spool) == many
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000
