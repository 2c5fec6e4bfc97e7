"""Lines of characters for rows of numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mqtriage.formatters.charts.heat import SHADES, folded, heat_line

COUNTS = st.lists(st.integers(0, 10**6), max_size=200)


def test_none_is_a_dot_one_is_more_and_the_most_is_darkest() -> None:
    assert heat_line([0, 1, 1000], 3) == ".:@"


@given(counts=COUNTS, width=st.integers(1, 120))
def test_a_line_fits_and_something_is_never_shown_as_nothing(counts: list[int], width: int) -> None:
    line, cells = heat_line(counts, width), folded(counts, width)
    assert len(line) == len(cells) <= width
    assert [char != "." for char in line] == [cell > 0 for cell in cells]


@given(counts=COUNTS, width=st.integers(1, 120))
def test_folding_loses_no_message(counts: list[int], width: int) -> None:
    assert sum(folded(counts, width)) == sum(counts)


@given(counts=COUNTS)
def test_more_is_never_lighter(counts: list[int]) -> None:
    line = heat_line(counts, max(1, len(counts)))
    shown = sorted(zip(counts, line, strict=True), key=lambda pair: pair[0])
    assert [SHADES.index(char) for _, char in shown] == sorted(
        SHADES.index(char) for _, char in shown
    )
