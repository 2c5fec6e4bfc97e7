"""`-o plain` against tabulate itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabulate import tabulate

from mqtriage.formatters.cells import display_function
from mqtriage.model.result import Field, Listing, Show
from tests.unit.formatters import samples

FIELDS = (
    Field("queue", "QUEUE", width=20),
    Field("depth", "CURDEPTH", Show.NUMBER),
    Field("length_bytes", "LENGTH", Show.BYTES),
    Field("state", "S"),
)


def records(*rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [dict(zip((f.key for f in FIELDS), row, strict=True)) for row in rows]


def by_tabulate(items: list[dict[str, Any]], *, header: bool = True) -> str:
    showers = [
        (field.key, display_function(field.show, utc=True, separator="T")) for field in FIELDS
    ]
    return (
        tabulate(
            [[show(item[key]) for key, show in showers] for item in items],
            headers=[field.heading for field in FIELDS] if header else (),
            tablefmt="plain",
            disable_numparse=True,
            colalign=("left", "right", "right", "left"),
        )
        + "\n"
    )


VALUES = st.one_of(st.none(), st.text(max_size=12), st.integers(-1, 10**12), st.booleans())


@pytest.mark.seed("CARD-07")
@given(st.lists(st.tuples(VALUES, VALUES, VALUES, VALUES), max_size=6))
def test_plain_equals_tabulate_output_for_the_same_rows(rows: list[tuple[Any, ...]]) -> None:
    items = records(*rows)
    assert samples.text(Listing("L", FIELDS, items), "plain") == by_tabulate(items)


@pytest.mark.seed("CARD-07")
def test_199_rows_equal_tabulate_with_and_without_a_header() -> None:
    items = records(*((f"Q.{n}", n * n, n * 100, "") for n in range(199)))
    for header in (True, False):
        seen = samples.text(Listing("L", FIELDS, items), "plain", header=header)
        assert seen == by_tabulate(items, header=header)


def test_later_rows_stand_in_the_columns_that_tabulate_made_of_the_first() -> None:
    widest = ("A.QUEUE.OF.TWENTY.CH", 10**9, 1_023, "x")
    items = records(widest, *((f"Q.{n}", n, n, None) for n in range(449)))
    assert samples.text(Listing("L", FIELDS, items), "plain") == by_tabulate(items)


def test_exactly_200_rows_equal_tabulate() -> None:
    items = records(*((f"Q.{n}" + "x" * 20, n, n, "s") for n in range(200)))
    assert samples.text(Listing("L", FIELDS, items), "plain") == by_tabulate(items)


def test_a_long_value_that_comes_late_is_printed_in_full() -> None:
    late = "Q" * 48
    items = records(*(("Q", 1, 1, "s"),) * 300, (late, 123_456_789_012, 1, "s"))
    lines = samples.text(Listing("L", FIELDS, items), "plain").splitlines()
    assert lines[-1] == f"{late}  123456789012        1B  s"
    # 20 characters are reserved for QUEUE; tabulate gives a heading two blanks of its own
    assert lines[0] == "QUEUE".ljust(20) + "    CURDEPTH    LENGTH  S"


def test_an_empty_list_is_its_header() -> None:
    assert samples.text(Listing("L", FIELDS, []), "plain") == by_tabulate([])
    assert samples.text(Listing("L", FIELDS, []), "plain", header=False) == ""
