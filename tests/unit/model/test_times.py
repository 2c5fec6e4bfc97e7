"""Points in time: RFC 3339, times from now, and MQ's PutDate and PutTime."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from mqtriage.model.times import LocalTime, Now, parse_since_us, parse_time, parse_time_us
from mqtriage.mq.errors import UsageError
from mqtriage.mq.times import put_date_and_time, put_time_us, rfc3339

T = 1_769_853_600_000_000
"""2026-01-31T10:00:00Z; `date -u -d @1769853600`."""


@pytest.mark.parametrize(
    ("text", "time_us"),
    [
        ("2026-01-31T10:00:00Z", T),
        ("2026-01-31t10:00:00z", T),
        ("2026-01-31 10:00:00Z", T),
        ("2026-01-31T11:30:00+01:30", T),
        ("2026-01-30T23:00:00-11:00", T),
        ("2026-01-31T10:00Z", T),
        ("2026-01-31T10:00:00.25Z", T + 250_000),
        ("2026-01-31T10:00:00.123456789Z", T + 123_456),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000_000),
        ("1970-01-01T00:00:00Z", 0),
        ("2026-01-31", T - 36_000_000_000),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
    ],
)
def test_rfc_3339_is_read_as_microseconds(text: str, time_us: int) -> None:
    assert parse_time(text) == time_us


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2026-01", "not a time"),
        ("2026-02-29", "no such day"),
        ("one day", "not a time"),
        ("24:00", "no such day or hour"),
        ("2026-02-29 10:00", "no such day or hour"),
        ("1969-12-31 23:59", "1970 to 9998"),
        ("yesterday 9", "not a time"),
        ("2026-02-29T10:00:00Z", "no such day"),
        ("2026-13-01T10:00:00Z", "no such day"),
        ("2026-01-31T24:00:00Z", "no such day"),
        ("2026-01-31T10:00:00+24:00", "no such day"),
        ("1969-12-31T23:59:59Z", "1970 to 9999"),
        ("9999-12-31T23:59:59-01:00", "1970 to 9999"),
        ("now+5", "not a duration"),
        ("now-", "not a time"),
        ("now5m", "not a time"),
    ],
)
def test_a_wrong_time_says_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_time(text, what="--put-after")
    assert why in caught.value.text and caught.value.text.startswith("--put-after ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("now", Now()), ("now+5m", Now(300_000)), ("NOW-2h", Now(-7_200_000)),
     ("now-1h30m", Now(-5_400_000))],
)  # fmt: skip
def test_a_time_from_now_moves_with_the_clock(text: str, expected: Now) -> None:
    assert parse_time(text) == expected
    assert parse_time_us(text, T) == T + expected.offset_ms * 1000


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


HOUR = 3_600_000_000


@pytest.mark.usefixtures("in_berlin")
@pytest.mark.parametrize(
    ("text", "time_us"),
    [
        ("11:00", T),
        ("9:30", T - 3 * HOUR // 2),
        ("11:00:00.25", T + 250_000),
        ("today", T - 11 * HOUR),
        ("Yesterday", T - 35 * HOUR),
        ("tomorrow 11:00", T + 24 * HOUR),
        ("yesterday 23:00", T - 12 * HOUR),
        ("2026-01-31 11:00", T),
        ("2026-01-31T11:00:00", T),
        ("2026-07-31 12:00", T + 181 * 24 * HOUR),
    ],
)
def test_a_time_of_day_without_an_offset_is_local(text: str, time_us: int) -> None:
    moment = parse_time(text)
    assert isinstance(moment, LocalTime)
    assert parse_time(str(moment)) == moment
    assert moment.at(T) == time_us
    assert parse_time_us(text, T) == time_us == parse_since_us(text, T)


@pytest.mark.usefixtures("in_berlin")
def test_a_local_time_says_its_zone_and_what_it_is_in_utc() -> None:
    notes: list[str] = []
    parse_time_us("18:00", T, what="--at", say=notes.append)
    parse_since_us("2h", T, say=notes.append)
    parse_time_us("2026-01-31T10:00:00Z", T, what="--at", say=notes.append)
    assert notes == ["--at 18:00 is local time (UTC+01:00): 2026-01-31T17:00:00Z"]


def test_a_period_begins_so_long_ago_or_at_a_time() -> None:
    assert parse_since_us("2h", T) == T - 2 * HOUR == parse_since_us("now-2h", T)
    with pytest.raises(UsageError, match="--until 'two hours': not a time"):
        parse_since_us("two hours", T, what="--until")


def test_a_time_from_now_may_not_leave_the_calendar() -> None:
    with pytest.raises(UsageError, match="1970 to 9999"):
        parse_time_us("now-36500d", T)


def test_put_date_and_put_time_are_read_to_the_hundredth() -> None:
    assert put_time_us("20260131", "10000025") == T + 250_000
    assert put_date_and_time(T + 259_999) == ("20260131", "10000025")


@pytest.mark.parametrize(
    ("date", "clock"),
    [("", ""), ("        ", "        "), ("20260229", "10000000"), ("20260131", "24000000"),
     ("20260131", "1000000"), ("20260131", "10006200"), ("2026013", "10000000"),
     ("20260131", "1000²000"), ("+2026131", "10000000"), ("00000000", "00000000")],
)  # fmt: skip
def test_a_put_time_that_is_none_is_none(date: str, clock: str) -> None:
    assert put_time_us(date, clock) is None


def test_a_leap_second_in_put_time_is_the_next_second() -> None:
    assert put_time_us("20161231", "23596000") == 1_483_228_800_000_000


@pytest.mark.parametrize(
    ("time_us", "text"),
    [(T, "2026-01-31T10:00:00Z"), (T + 250_000, "2026-01-31T10:00:00.250Z"),
     (T + 1, "2026-01-31T10:00:00.000001Z"), (0, "1970-01-01T00:00:00Z")],
)  # fmt: skip
def test_a_time_is_written_exactly_as_rfc_3339(time_us: int, text: str) -> None:
    assert rfc3339(time_us) == text


def test_a_period_may_be_in_weeks_and_the_hint_for_a_wrong_one_shows_its_forms() -> None:
    assert parse_since_us("2w", T) == T - 14 * 24 * HOUR == parse_since_us("1w7d", T)
    for text in ("last week", "1x", "two hours"):
        with pytest.raises(UsageError) as caught:
            parse_since_us(text, T)
        for form in ("2h", "7d", "2w", "18:00", "yesterday", "2026-01-31", "now-2h"):
            assert form in (caught.value.hint or ""), form
