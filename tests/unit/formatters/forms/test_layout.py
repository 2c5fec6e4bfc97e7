"""What gives way in a narrow table."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mqtriage.formatters.forms.layout import GAP, fitted, kept, natural_widths
from mqtriage.model.result import Field, Show

ID = Field("msg_id", "MSGID", Show.ID, width=48)
QUEUE = Field("queue", "QUEUE", width=48)
TIME = Field("put_time", "PUT_TIME", Show.TIME)
DEPTH = Field("depth", "CURDEPTH", Show.NUMBER)
NAME = Field("queue", "QUEUE", Show.NAME)
LESSER = Field("boqname", "BOQNAME", Show.NAME)


def test_reserved_widths_count_only_while_more_records_may_come() -> None:
    rows = [("ab", "Q1"), ("abcdefg", "Q2")]
    assert natural_widths((ID, QUEUE), rows, complete=True) == [7, 5]
    assert natural_widths((ID, QUEUE), rows, complete=False) == [48, 48]


def test_identifiers_give_way_first_and_no_more_than_is_needed() -> None:
    fields, natural = (ID, QUEUE), (48, 20)
    assert fitted(fields, natural, 70) == (48, 20)
    assert fitted(fields, natural, 69) == (17, 20)
    assert fitted(fields, natural, 35) == (13, 20)
    assert fitted(fields, natural, 31) == (9, 20)
    assert fitted(fields, natural, 30) == (9, 19)


def test_then_text_then_times_then_more_text() -> None:
    fields, natural = (QUEUE, TIME, DEPTH), (40, 23, 8)
    assert fitted(fields, natural, 51) == (16, 23, 8)
    assert fitted(fields, natural, 50) == (16, 12, 8)
    assert fitted(fields, natural, 39) == (15, 12, 8)
    assert fitted(fields, natural, 36) == (12, 12, 8)
    assert fitted(fields, natural, 35) is None


def test_numbers_never_give_way() -> None:
    assert fitted((DEPTH,), (9,), 8) is None


def test_two_text_columns_give_way_evenly() -> None:
    assert fitted((QUEUE, QUEUE), (48, 30), 52) == (25, 25)


def test_the_first_name_never_gives_way_and_the_others_do_last() -> None:
    fields, natural = (NAME, LESSER, QUEUE), (48, 48, 20)
    assert fitted(fields, natural, 120) == (48, 48, 20)
    assert fitted(fields, natural, 116) == (48, 48, 16)
    assert fitted(fields, natural, 100) == (48, 36, 12)
    assert fitted(fields, natural, 76) == (48, 12, 12)
    assert fitted(fields, natural, 75) is None


@given(
    st.lists(
        st.tuples(st.sampled_from([ID, QUEUE, TIME, DEPTH, NAME, LESSER]), st.integers(8, 60)),
        min_size=1,
    ),
    st.integers(1, 250),
)
def test_what_is_fitted_fits_and_no_column_grows(
    columns: list[tuple[Field, int]], width: int
) -> None:
    fields = [field for field, _ in columns]
    natural = [wish for _, wish in columns]
    widths = fitted(fields, natural, width)
    if widths is None:
        return
    assert sum(widths) + GAP * (len(widths) - 1) <= width
    assert all(got <= wish for got, wish in zip(widths, natural, strict=True))
    assert all(got >= len(f.heading) for got, f in zip(widths, fields, strict=True))


def test_columns_that_yield_are_left_out_before_anything_is_folded() -> None:
    fields = (
        Field("a", "A", Show.TEXT),
        Field("b", "B", Show.TEXT, yields=1),
        Field("c", "C", Show.TEXT, yields=2),
        Field("d", "D", Show.TEXT),
    )
    natural = [20, 20, 20, 20]
    assert kept(fields, natural, 86) == [0, 1, 2, 3]
    assert kept(fields, natural, 85) == [0, 1, 3]
    assert kept(fields, natural, 63) == [0, 3]
    assert kept(fields, natural, 10) == [0, 3]


def test_columns_without_a_value_are_left_out_before_others_that_yield() -> None:
    skipped = Field("skipped", "SKIPPED", Show.NUMBER, yields=8)
    parked = Field("parked", "PARKED", Show.NUMBER, yields=5)
    fields, natural = (NAME, skipped, parked, DEPTH), (20, 7, 6, 8)
    assert kept(fields, natural, 47, [2]) == [0, 1, 2, 3]
    assert kept(fields, natural, 46) == [0, 2, 3]
    assert kept(fields, natural, 46, [2]) == [0, 1, 3]
    assert kept(fields, natural, 37, [2]) == [0, 3]
    assert kept(fields, natural, 46, [0, 3]) == [0, 2, 3], "only what yields is left out"


def test_what_has_room_once_a_wide_column_is_gone_comes_back() -> None:
    fields = (
        Field("a", "A", Show.NAME),
        Field("b", "B", Show.NUMBER, yields=2),
        Field("c", "C", Show.NAME, yields=1),
    )
    assert kept(fields, [20, 5, 20], 60) == [0, 1, 2]
    assert kept(fields, [20, 5, 20], 42) == [0, 2]
    assert kept(fields, [20, 5, 20], 41) == [0, 1]
