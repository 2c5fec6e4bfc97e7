"""Durations, lifetimes, sizes, percentages and rates, as typed and as shown."""

from __future__ import annotations

import pytest

from mqtriage.model import units
from mqtriage.mq.errors import UsageError


@pytest.mark.parametrize(
    ("text", "span_ms"),
    [("500ms", 500), ("30s", 30_000), ("5m", 300_000), ("2h", 7_200_000), ("30d", 2_592_000_000),
     ("1h30m", 5_400_000), ("0s", 0), ("36500d", 36500 * 86_400_000)],
)  # fmt: skip
def test_a_duration_is_read_as_milliseconds(text: str, span_ms: int) -> None:
    assert units.parse_duration_ms(text) == span_ms


@pytest.mark.parametrize(
    ("text", "why"),
    [("5", "not a duration"), ("", "not a duration"), ("5 m", "not a duration"),
     ("-5m", "negative"), ("5M", "not a duration"), ("1.5h", "not a duration"),
     ("30m1h", "large to small"), ("5m5m", "large to small"), ("36501d", "0s to 36500d"),
     ("999999999999999d", "0s to 36500d"), ("9" * 5000 + "d", "not a duration"),
     ("٥m", "not a duration")],
)  # fmt: skip
def test_a_wrong_duration_says_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        units.parse_duration_ms(text, what="--older-than")
    assert why in caught.value.text and caught.value.text.startswith("--older-than ")
    assert len(caught.value.text) < 150


def test_a_verb_agrees_with_its_count() -> None:
    assert [units.agreeing(count, "are") for count in (0, 1, 2)] == ["are", "is", "are"]
    assert units.agreeing(1, "request") == "requests"


def test_a_duration_has_a_least_value_where_one_is_given() -> None:
    with pytest.raises(UsageError, match="1s to 36500d"):
        units.parse_duration_ms("999ms", least_ms=1000)


@pytest.mark.parametrize(
    ("text", "tenths"),
    [("100ms", 1), ("30s", 300), ("unlimited", -1), ("UNLIMITED", -1),
     ("99999999900ms", 999_999_999)],
)  # fmt: skip
def test_a_lifetime_is_read_as_tenths(text: str, tenths: int) -> None:
    assert units.parse_expiry_tenths(text) == tenths


@pytest.mark.parametrize(
    ("text", "why", "hint"),
    [("50ms", "less than a tenth", "100ms"), ("250ms", "not a whole number", "200ms or 300ms"),
     ("0s", "1 to 999999999 tenths", "unlimited"), ("1158d", "1 to 999999999", "unlimited")],
)  # fmt: skip
def test_a_lifetime_that_mq_cannot_hold_says_so(text: str, why: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        units.parse_expiry_tenths(text)
    assert why in caught.value.text and hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "size"),
    [("4194304", 4_194_304), ("4MiB", 4_194_304), ("4MB", 4_000_000), ("2KiB", 2048),
     ("2kb", 2000), ("1GiB", 1 << 30), ("1GB", 10**9), ("7B", 7), ("4 MiB", 4_194_304)],
)  # fmt: skip
def test_a_size_is_read_as_bytes(text: str, size: int) -> None:
    assert units.parse_size_bytes(text) == size


@pytest.mark.parametrize("text", ["4M", "-1", "", "1.5MB", "x", "9" * 30, "9999999999999999999GB"])
def test_a_wrong_size_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError):
        units.parse_size_bytes(text)


def test_a_size_out_of_its_range_names_the_range() -> None:
    with pytest.raises(UsageError, match="allowed is 0 to 9223372036854775807 bytes"):
        units.parse_size_bytes("9223372036854775808")


@pytest.mark.parametrize(("text", "percent"), [("70%", 70.0), ("70", 70.0), ("99.5%", 99.5)])
def test_a_percentage_is_read(text: str, percent: float) -> None:
    assert units.parse_percent(text) == percent


@pytest.mark.parametrize("text", ["101%", "-1%", "%", "7 0%", "1e2"])
def test_a_wrong_percentage_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="not a percentage"):
        units.parse_percent(text)


@pytest.mark.parametrize(("text", "rate"), [("20/s", 20.0), ("600/m", 10.0), ("3600/h", 1.0)])
def test_a_rate_is_read_as_a_number_per_second(text: str, rate: float) -> None:
    assert units.parse_rate(text) == rate


@pytest.mark.parametrize("text", ["20", "0/s", "-1/s", "20/x", "1.5/s"])
def test_a_wrong_rate_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="not a rate"):
        units.parse_rate(text)


@pytest.mark.parametrize(
    ("span_ms", "text"),
    [(0, "0ms"), (250, "250ms"), (30_999, "30s"), (90_000, "1m30s"), (7_500_000, "2h05m"),
     (3 * 86_400_000 + 4 * 3_600_000, "3d04h"), (-90_000, "-1m30s")],
)  # fmt: skip
def test_a_duration_for_people_has_two_units_at_most(span_ms: int, text: str) -> None:
    assert units.humane_duration(span_ms) == text


@pytest.mark.parametrize(
    ("tenths", "text"), [(-1, "unlimited"), (125, "12.5s"), (300, "30s"), (75_000, "2h05m")]
)
def test_a_lifetime_for_people(tenths: int, text: str) -> None:
    assert units.humane_expiry(tenths) == text


def test_equal_counts_are_in_the_order_of_their_names() -> None:
    assert units.most_first({"b": 1, "c": 2, "a": 1}) == [("c", 2), ("a", 1), ("b", 1)]
