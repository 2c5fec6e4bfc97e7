"""The picture of a live screen, and what keys do to it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mqtriage.formatters.charts.heat import BARS, sparkline
from mqtriage.formatters.live_frame import INTERVALS_S, View, after_key, frame, keys_in, rows_of
from mqtriage.formatters.style import Style
from mqtriage.formatters.watch_line import FIELDS as LINE_FIELDS
from mqtriage.formatters.watch_line import fitting
from mqtriage.model.result import Field, Listing, Show

FIELDS = (
    Field("queue", "QUEUE", Show.NAME),
    Field("curdepth", "CURDEPTH", Show.NUMBER),
    Field("trend", "TREND", yields=1),
)


def listing(count: int, name: str = "Q") -> Listing:
    records = [{"queue": f"{name}{n}", "curdepth": n, "trend": "▁"} for n in range(count)]
    return Listing("TopQueueList", FIELDS, records, {"staged": 2, "due_1m": None}, id_key="queue")


def keyed(keys: str) -> View:
    view = View()
    for key in keys:
        view = after_key(view, key, FIELDS)
    return view


@example(0, 47, 6, "\x1b", False, "Q")
@given(
    st.integers(0, 60),
    st.integers(30, 200),
    st.integers(6, 60),
    st.text(max_size=8),
    st.booleans(),
    st.sampled_from(["Q", "PAYMENTS.SETTLEMENT.EUROPE.INSTANT.REQUESTS."]),
)
def test_a_picture_never_outgrows_its_terminal(
    count: int, width: int, height: int, filter_text: str, problem: bool, name: str
) -> None:
    view = View(sort="curdepth", filter=filter_text)
    error = "connection lost\x1b[2J " * 20 if problem else ""
    style = Style("table", width=width)
    lines = frame("t" * 300, listing(count, name), view, style, height, problem=error).split("\n")
    assert len(lines) <= height
    assert max(map(len, lines)) <= width
    assert "\x1b" not in "".join(lines)


def test_what_has_no_room_is_counted() -> None:
    text = frame("top", listing(30), View(sort="curdepth"), Style("table"), 12)
    assert "Q29" in text
    assert "25 more" in text and text.count("\nQ") == 1 + 5


def test_totals_that_are_known_stand_above_the_table() -> None:
    assert frame("top", listing(1), View(), Style("table"), 12).splitlines()[2] == "staged 2"


def test_a_lost_connection_takes_the_place_of_the_settings() -> None:
    text = frame("top", listing(1), View(), Style("table"), 12, problem="connection lost")
    assert text.splitlines()[1] == "connection lost"


def test_sort_goes_through_the_columns_and_round() -> None:
    assert [keyed("s" * n).sort for n in (1, 2, 3, 4)] == ["queue", "curdepth", "trend", "queue"]
    assert keyed("S").sort in {"trend", "curdepth"}
    assert keyed("r").descending is False


def test_a_filter_is_typed_and_taken_back() -> None:
    assert keyed("/Q1\r") == View(filter="Q1")
    assert keyed("/qs\x7f\x1b") == View()
    assert keyed("/q").leave is False  # q is a letter there
    assert "Q2" not in frame("t", listing(3), View(filter="q1"), Style("table"), 12)


@pytest.mark.parametrize("key", ["q", "Q", "\x03"])
def test_leaving(key: str) -> None:
    assert keyed(key).leave


def test_the_interval_stays_within_its_steps() -> None:
    assert keyed("+").interval_s == 5.0
    assert keyed("+" * 20).interval_s == INTERVALS_S[-1]
    assert keyed("-" * 20).interval_s == INTERVALS_S[0]


@given(st.lists(st.floats(0, 1e9)), st.integers(1, 40))
def test_a_sparkline_is_as_long_as_its_numbers_and_no_longer_than_its_room(
    numbers: list[float], width: int
) -> None:
    line = sparkline(numbers, width)
    assert len(line) == min(len(numbers), width)
    assert set(line) <= set(BARS)


def test_a_sparkline_shows_the_greatest_highest() -> None:
    assert sparkline([0, 1, 2, 4], 10) == "▁▃▅█"
    assert sparkline([0, 0], 10) == "▁▁"
    assert sparkline([0, 9], 10, is_unicode=False) == "_@"


def test_a_line_of_a_narrow_terminal_keeps_what_matters() -> None:
    assert [f.key for f in fitting(LINE_FIELDS, 200)] == [f.key for f in LINE_FIELDS]
    assert [f.key for f in fitting(LINE_FIELDS, 60)] == ["put_time", "queue", "length_bytes"]


def test_sequences_of_a_terminal_are_keys_and_unknown_ones_are_none() -> None:
    assert keys_in("\x1b[A\x1bOBj\x1b[5~\x1b[1;5Cq\x1b[Z") == [
        "up", "down", "j", "pgup", "q", "backtab",
    ]  # fmt: skip
    assert keys_in("\x1b") == ["\x1b"]


def test_the_cursor_moves_by_a_row_by_a_page_and_to_the_ends() -> None:
    view = View(cursor=5)
    moved = {key: after_key(view, key, FIELDS, page=4).cursor for key in ("up", "down", "k", "j")}
    assert moved == {"up": 4, "down": 6, "k": 4, "j": 6}
    assert after_key(view, "pgdn", FIELDS, page=4).cursor == 9
    assert after_key(view, "pgup", FIELDS, page=9).cursor == 0
    assert after_key(view, "home", FIELDS).cursor == 0
    assert after_key(view, "end", FIELDS).cursor > 1000


@pytest.mark.parametrize("count", [1, 5, 30])
def test_the_row_of_the_cursor_is_on_the_screen_in_reverse(count: int) -> None:
    for cursor in range(count):
        view = View(sort="curdepth", cursor=cursor)
        text = frame("top", listing(count), view, Style("table", is_tty=True), 12)
        (row,) = [line for line in text.split("\n") if line.startswith("\x1b[7m")]
        queue = rows_of(listing(count), view)[cursor]["queue"]
        assert row.removeprefix("\x1b[7m").split()[0] == queue


@pytest.mark.parametrize(
    ("text", "count"),
    [("Q1", 2), ("q1", 2), ("Q1*", 2), ("*1", 2), ("Q?", 10), ("1*", 3), ("[", 0)],
)
def test_a_filter_is_a_part_of_a_cell_or_a_glob_of_all_of_it(text: str, count: int) -> None:
    assert len(rows_of(listing(12), View(filter=text))) == count + (text in ("Q1", "q1", "Q1*"))


def test_the_whole_command_is_shown_before_it_runs() -> None:
    command = "msg move ORDERS.IN --msgid 414D51 --to " + "LONG." * 20 + "END"
    for width, height in ((80, 24), (40, 24), (120, 12)):
        picture = frame(
            "t", listing(30), View(command=command), Style("table", width=width), height
        )
        lines = picture.split("\n")
        assert len(lines) <= height
        assert max(map(len, lines)) <= width
        assert "".join(lines).endswith(f"mqtriage {command}_")


def test_how_many_pass_a_filter_is_said() -> None:
    assert "filter q1 (3 of 12)" in frame("t", listing(12), View(filter="q1"), Style("table"), 12)
    assert "(" not in frame("t", listing(12), View(), Style("table"), 12).split("\n")[1]


def test_a_command_is_typed_run_and_taken_back() -> None:
    assert keyed(":msg q\x7f?").command == "msg ?"
    assert keyed(":msg\r").event == "run"
    assert keyed(":msg\x1b") == View()
    view = View(command="x" * 200)
    assert frame("t", listing(3), view, Style("table"), 12).endswith("x_")


def test_help_has_the_keys_of_the_screen_and_goes_away() -> None:
    view = keyed("?")
    text = frame("t", listing(3), view, Style("table"), 24, actions=[("x", "purge")])
    assert "Enter" in text and "x               purge" in text and "Q1" not in text
    assert after_key(view, "q", FIELDS) == View()


def test_a_key_that_the_screen_does_not_know_is_for_its_actions() -> None:
    assert keyed("x").event == "x"
    assert keyed("\t").event == "next"
    assert keyed("\x1b").event == "back"


def test_what_is_not_sampled_again_says_no_interval() -> None:
    text = frame("t", listing(3), View(), Style("table"), 12, note="browsed once", still=True)
    assert text.splitlines()[1] == "browsed once"


def test_counts_by_state_are_words_and_numbers() -> None:
    states = Listing("L", FIELDS, [], {"states": {"off": 5, "ok": 1}, "left_out": None})
    assert frame("t", states, View(), Style("table"), 12).splitlines()[2] == "off 5  ok 1"
