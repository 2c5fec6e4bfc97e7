"""Records that live in a file beyond a megabyte are the same as in a list."""

from __future__ import annotations

import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.commands.spool import outcomes, planned_messages
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome


def message(number: int) -> PlannedMessage:
    ident = b"%024d" % number
    return PlannedMessage(ident, ident, "20260131", "10000000", number, bytes(32), 0, 1, -1, 0)


@given(count=st.integers(0, 1100), at=st.integers(-1200, 1200), step=st.integers(1, 300))
@settings(max_examples=40, deadline=None)
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


def test_a_hundred_thousand_messages_do_not_stay_in_memory() -> None:
    tracemalloc.start()
    spool = planned_messages()
    for number in range(100_000):
        spool.append(message(number))
    assert sum(1 for _ in spool) == 100_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000
