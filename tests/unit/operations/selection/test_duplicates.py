"""The keys that stand more than once in a plan, found without holding the plan."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.model.plan import PlannedMessage
from mqtriage.operations.selection.duplicates import duplicate_key, duplicate_keys


def message(number: int, backout_count: int = 0) -> PlannedMessage:
    ident = b"%024d" % number
    return PlannedMessage(
        ident, ident, "20260131", "10000000", 1, bytes(32), 0, 1, -1, backout_count
    )


@given(numbers=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3)), max_size=40))
@settings(deadline=None)
def test_twins_are_those_with_the_same_marks_whatever_their_backout_count(
    numbers: list[tuple[int, int]],
) -> None:
    keys = duplicate_keys(message(*pair) for pair in numbers)
    counts = Counter(number for number, _ in numbers)
    assert keys == {duplicate_key(message(number)) for number, count in counts.items() if count > 1}


@pytest.mark.slow
def test_the_memory_is_that_of_the_twins_alone() -> None:
    tracemalloc.start()
    keys = duplicate_keys(message(max(0, number - 1)) for number in range(60_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert keys == {duplicate_key(message(0))}
    assert peak < 3_000_000
