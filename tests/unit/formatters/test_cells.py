"""How single values look to people."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.formatters.cells import (
    bytes_text,
    display_function,
    duration_text,
    exact_bytes_text,
    id_text,
    plain_text,
    shortened,
    tenths_text,
    time_text,
    visible,
)
from mqtriage.model.result import Show


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0s"),
        (850, "850ms"),
        (999, "999ms"),
        (1_000, "1s"),
        (12_540, "12.5s"),
        (59_999, "59.9s"),
        (60_000, "1m00s"),
        (303_000, "5m03s"),
        (3_599_999, "59m59s"),
        (7_500_000, "2h05m"),
        (86_399_999, "23h59m"),
        (273_600_000, "3d04h"),
        (-7_500_000, "-2h05m"),
    ],
)
def test_a_duration_has_two_units_at_most(ms: int, text: str) -> None:
    assert text == duration_text(ms)


@pytest.mark.parametrize(
    ("tenths", "text"),
    [(-1, "unlimited"), (0, "0s"), (5, "500ms"), (300, "30s"), (305, "30.5s"), (36_000, "1h00m")],
)
def test_a_lifetime_of_minus_one_is_unlimited(tenths: int, text: str) -> None:
    assert text == tenths_text(tenths)


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (0, "0B"),
        (1_023, "1023B"),
        (1_024, "1KiB"),
        (1_536, "1.5KiB"),
        (4_194_304, "4MiB"),
        (4_194_303, "3.9MiB"),
        (104_857_600, "100MiB"),
        (2**80, "1048576EiB"),
        (-2_048, "-2KiB"),
    ],
)
def test_a_size_is_never_rounded_up(length: int, text: str) -> None:
    assert text == bytes_text(length)


def test_where_there_is_room_a_size_is_exact() -> None:
    assert [exact_bytes_text(length) for length in (1, 1_000, 4_095)] == [
        "1 byte",
        "1000 bytes",
        "4095 bytes (3.9KiB)",
    ]


def test_a_time_keeps_its_hundredths_in_utc_and_in_local_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moment = "2026-01-31T23:30:00.10Z"
    assert time_text(moment, utc=True) == "2026-01-31 23:30:00.10Z"
    monkeypatch.setenv("TZ", "XXX-05:30")
    time.tzset()
    try:
        assert time_text(moment, utc=False) == "2026-02-01 05:00:00.10+05:30"
        assert time_text("2026-01-31T23:30:00Z", utc=False) == "2026-02-01 05:00:00+05:30"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("utc", [True, False])
@pytest.mark.parametrize("text", ["unknown", "        ", "2026-99-99T00:00:00Z", "\x1b[2J", "0"])
def test_what_is_no_time_is_shown_as_it_is(text: str, utc: bool) -> None:
    assert visible(text.replace("T", " ") if utc else text) == time_text(text, utc=utc)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        ("", "-"),
        ("   ", "-"),
        ("MQSTR   ", "MQSTR"),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (12.5, "12.5"),
        ([], "-"),
        (["QALIAS", "QLOCAL"], "QALIAS,QLOCAL"),
        ([{"a": 1}, {"a": 2, "b": [3]}], "a 1; a 2, b 3"),
        ({"name": "é"}, "name é"),
        ("caf\xe9 \U0001f600", "caf\xe9 \U0001f600"),
        ("a\tb\x00\x1b[0m\x9b\u202e\udcff", "a\\tb\\x00\\x1b[0m\\x9b\\u202e\\udcff"),
    ],
)
def test_a_value_without_a_kind(value: object, text: str) -> None:
    assert text == plain_text(value)


def test_an_identifier_of_zeros_is_none() -> None:
    assert id_text("0" * 48) == id_text(None) == "-"
    assert id_text("0" * 47 + "1") == "0" * 47 + "1"


def test_a_shortened_identifier_ends_in_whole_bytes() -> None:
    assert shortened("414d51a1b2c3", 12) == "414d51a1b2c3"
    assert shortened("414d51a1b2c3", 9) == "…51a1b2c3"
    assert shortened("414d51a1b2c3", 8) == "…a1b2c3"
    assert shortened("414d51a1b2c3", 9, "..") == "..a1b2c3"


@pytest.mark.parametrize(
    ("given_bytes", "width", "text"),
    [
        (b"LATE-2", 17, "text:LATE-2"),
        (b"LATE-2", 9, "4C415445*"),
        (b"LATE 2", 17, "ID:4C4154452032"),  # a blank would end the word
        (b"\0\xff", 13, "ID:00FF"),
        (b"ORDER-00000001", 17, "4F524445522D3030*"),
        (b"ORDER-00000001", 19, "text:ORDER-00000001"),
        (b"ORDER-00000001+more", 17, "…6F72650000000000"),
        (b"AMQ QM1         1234567\x01", 9, "…35363701"),
    ],
)
def test_an_identifier_padded_with_zeros_is_shortened_to_what_tells_it_apart(
    given_bytes: bytes, width: int, text: str
) -> None:
    assert shortened(given_bytes.ljust(24, b"\0").hex().upper(), width) == text


def test_a_short_identifier_has_the_digits_that_a_change_of_its_message_needs() -> None:
    assert shortened("414D51" * 8, 9, "..") == "*51414D51"
    assert shortened("414D51" * 8, 13, "..") == "..4D51414D51"


@given(st.sampled_from(Show), st.one_of(st.none(), st.text(), st.integers(), st.booleans()))
def test_any_value_of_any_kind_fits_in_one_printable_cell(show: Show, value: object) -> None:
    for utc in (True, False):
        text = display_function(show, utc=utc)(value)
        assert text and text.isprintable()


@pytest.mark.parametrize(
    ("flag", "expected"),
    [(True, "yes"), (False, "no"), (1, "yes"), (0, "no"), (2, "2"), (None, "-")],
)
def test_a_flag_is_yes_or_no(flag: int | None, expected: str) -> None:
    assert display_function(Show.FLAG, utc=True)(flag) == expected
