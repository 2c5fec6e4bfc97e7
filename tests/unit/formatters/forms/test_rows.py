"""Columns, order and number of the records that are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.formatters.forms import rows
from mqtriage.formatters.forms.rows import arranged, blocks, chosen_fields
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.errors import UsageError

FIELDS = (
    Field("queue", "QUEUE"),
    Field("current_depth", "CURDEPTH", Show.NUMBER),
    Field("expiry_tenths", "EXPIRY", Show.TENTHS, wide=True),
)


def listing(*values: Any, key: str = "current_depth") -> Listing:
    return Listing("L", FIELDS, [{key: value, "n": n} for n, value in enumerate(values)])


def order(
    source: Listing, sort: str, *, descending: bool = False, limit: int | None = None
) -> list[int]:
    shown = arranged(source, sort=sort, descending=descending, limit=limit)
    return [record["n"] for record in shown]


def test_columns_are_found_by_key_or_heading_and_keep_the_order_asked_for() -> None:
    chosen = chosen_fields(FIELDS, ("EXPIRY", "curdepth", "queue"), wide=False)
    assert [field.key for field in chosen] == ["expiry_tenths", "current_depth", "queue"]


def test_wide_fields_are_shown_only_when_asked_for() -> None:
    assert len(chosen_fields(FIELDS, (), wide=False)) == 2
    assert len(chosen_fields(FIELDS, (), wide=True)) == 3


def test_an_unknown_column_names_the_valid_ones() -> None:
    with pytest.raises(UsageError, match="'depth'") as caught:
        chosen_fields(FIELDS, ("queue", "depth"), wide=False)
    assert caught.value.hint == "columns: queue, current_depth, expiry_tenths"


def test_an_unknown_sort_column_is_refused_before_anything_is_read() -> None:
    def never() -> Iterator[dict[str, Any]]:
        raise AssertionError("read")
        yield {}

    with pytest.raises(UsageError, match="--sort"):
        arranged(Listing("L", FIELDS, never()), sort="depth", descending=False, limit=None)


def test_missing_values_stand_last_both_ways() -> None:
    source = listing(5, None, 1)
    assert order(source, "CURDEPTH") == [2, 0, 1]
    assert order(source, "CURDEPTH", descending=True) == [0, 2, 1]


def test_an_unlimited_lifetime_is_the_longest() -> None:
    source = listing(-1, 300, 10, key="expiry_tenths")
    assert order(source, "expiry_tenths") == [2, 1, 0]
    assert order(source, "expiry_tenths", descending=True) == [0, 1, 2]


def test_numbers_and_text_in_one_column_sort_without_an_error() -> None:
    assert order(listing("x", 3, [1], None, 1), "current_depth") == [4, 1, 2, 0, 3]


@given(
    st.lists(st.one_of(st.none(), st.integers(-1, 3), st.text(max_size=1))),
    st.integers(0, 5),
    st.booleans(),
)
def test_a_heap_gives_the_head_of_the_whole_sort(
    values: list[Any], limit: int, descending: bool
) -> None:
    source = listing(*values)
    whole = order(source, "current_depth", descending=descending)
    head = order(source, "current_depth", descending=descending, limit=limit)
    assert whole[:limit] == head


def test_a_sort_of_too_many_rows_is_refused_but_a_limit_allows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows, "SORT_LIMIT", 3)
    assert order(listing(3, 2, 1), "current_depth") == [2, 1, 0]
    with pytest.raises(UsageError, match="more than 3 rows") as caught:
        order(listing(4, 3, 2, 1), "current_depth")
    assert "--limit" in (caught.value.hint or "")
    assert order(listing(4, 3, 2, 1), "current_depth", limit=2) == [3, 2]


def test_the_real_limit_of_a_sort_is_100_000_rows() -> None:
    assert rows.SORT_LIMIT == 100_000


def test_a_limit_does_not_read_one_record_too_many() -> None:
    source = iter([{"n": n} for n in range(5)])
    shown = arranged(Listing("L", FIELDS, source), sort=None, descending=False, limit=2)
    assert [record["n"] for record in shown] == [0, 1]
    assert next(source)["n"] == 2


def test_blocks_hand_over_what_was_read_before_the_source_failed() -> None:
    def failing() -> Iterator[int]:
        yield from range(3)
        raise OSError("lost")

    seen: list[list[int]] = []
    with pytest.raises(OSError, match="lost"):
        for block in blocks(failing(), 2):
            seen.append(block)
    assert seen == [[0, 1], [2]]
