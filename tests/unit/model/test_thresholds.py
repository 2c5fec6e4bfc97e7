"""Marks of monitor checks: which value each form alerts at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.model.thresholds import MeasureUnit, Thresholds, parse_threshold, read_thresholds
from mqtriage.mq.errors import UsageError


@pytest.mark.parametrize(
    ("text", "unit", "alerts", "quiet"),
    [
        pytest.param(
            "10", MeasureUnit.COUNT, [10, 11], [0, 9], id="a-number-alerts-from-itself-on"
        ),
        pytest.param("1", MeasureUnit.COUNT, [1], [0], id="one"),
        pytest.param("70%", MeasureUnit.PERCENT, [70, 70.1, 100], [69.9], id="percent"),
        pytest.param("5m", MeasureUnit.DURATION, [300_000], [299_999], id="duration-in-ms"),
        pytest.param("10:", MeasureUnit.COUNT, [9, 0], [10, 11], id="below"),
        pytest.param("~:10", MeasureUnit.COUNT, [11], [10, 0], id="above"),
        pytest.param(":10", MeasureUnit.COUNT, [11], [10, 0], id="from-zero"),
        pytest.param("5:20", MeasureUnit.COUNT, [4, 21], [5, 20], id="outside"),
        pytest.param("@5:20", MeasureUnit.COUNT, [5, 20], [4, 21], id="inside"),
        pytest.param("@10", MeasureUnit.COUNT, [0, 10], [11], id="inside-from-zero"),
        pytest.param("0:80%", MeasureUnit.PERCENT, [80.1], [0, 80], id="zero-has-any-unit"),
        pytest.param("1m:1h", MeasureUnit.DURATION, [59_999, 3_600_001], [60_000], id="durations"),
    ],
)
def test_a_mark_alerts(
    text: str, unit: MeasureUnit, alerts: list[float], quiet: list[float]
) -> None:
    mark = parse_threshold(text)
    assert mark.unit is unit
    assert all(mark.alerts(value) for value in alerts)
    assert not any(mark.alerts(value) for value in quiet)


@pytest.mark.parametrize(
    "text", ["", "x", "10x", "-1", "10:5", "1:2:3", "1%:1m", "@", ":", "~:", "101%", "1e3", "70 %"]
)
def test_what_is_no_mark_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError):
        parse_threshold(text)


@given(st.text(max_size=12))
def test_any_text_is_a_mark_or_wrong_usage(text: str) -> None:
    try:
        parse_threshold(text).alerts(1)
    except UsageError as error:
        assert error.text


def test_one_mark_a_unit_and_defaults_only_where_none_is_given() -> None:
    default = Thresholds((parse_threshold("80%"),), (parse_threshold("95%"),))
    units = (MeasureUnit.COUNT, MeasureUnit.PERCENT)
    assert read_thresholds([], [], units=units, default=default) is default
    thresholds = read_thresholds(["70%", "100"], ["1000"], units=units, default=default)
    assert [mark and mark.text for mark in thresholds.of(MeasureUnit.COUNT)] == ["100", "1000"]
    assert [mark and mark.text for mark in thresholds.of(MeasureUnit.PERCENT)] == ["70%", None]
    assert read_thresholds(["70%,100"], ["1000"], units=units, default=default) == thresholds
    with pytest.raises(UsageError, match="two thresholds for the percent"):
        read_thresholds(["70%", "80%"], [], units=units, default=default)
    with pytest.raises(UsageError, match="has no duration"):
        read_thresholds(["5m"], [], units=units, default=default)


def test_a_warning_above_the_critical_threshold_is_wrong_usage() -> None:
    """It never warned, and nobody was told."""
    units, default = (MeasureUnit.COUNT, MeasureUnit.DURATION), Thresholds()
    with pytest.raises(UsageError, match="--late-warn 10 is above --late-crit 2") as caught:
        read_thresholds(["10"], ["2"], units=units, default=default, of="--late-")
    assert caught.value.hint == "--late-warn 2 --late-crit 10"
    for warn, crit in (("2", "2"), ("10m", "2"), ("10:", "2"), ("2", "10")):
        read_thresholds([warn], [crit], units=units, default=default)
