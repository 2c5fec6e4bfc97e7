"""Ids of operations sort as the operations were begun, whatever the clock does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mqtriage.model.op_ids import LENGTH, began_ms, new_op_id

TIMES = st.integers(0, 2**47)
BITS = st.integers(0, 2**80 - 1)


@given(now=TIMES, random=BITS)
def test_an_id_tells_when_it_was_made(now: int, random: int) -> None:
    op = new_op_id(now, random)
    assert (len(op), began_ms(op), began_ms(op.lower())) == (LENGTH, now, now)


@given(times=st.lists(st.tuples(TIMES, BITS), min_size=2, max_size=8))
def test_each_id_is_greater_than_the_last_also_when_the_clock_goes_back(
    times: list[tuple[int, int]],
) -> None:
    ids: list[str] = []
    for now, random in times:
        ids.append(new_op_id(now, random, ids[-1] if ids else ""))
    assert ids == sorted(set(ids))
