"""Forecasts of depth without Spark: what is simulated is held, steps and growth are told."""

from __future__ import annotations

import random

import pytest
from benchmarks.forecasts import failures, scores, table

from mqtriage.pipeline.forecasting import HORIZONS, forecast

DAY = 24
NOTHING = (None, None, None)


def newest_first(depths: list[int]) -> list[float | None]:
    return [float(depth) for depth in reversed(depths)]


@pytest.mark.slow
def test_intervals_hold_four_of_five_and_growth_is_said_of_what_grows() -> None:
    """300 simulated queues of eight kinds; the bounds are those of the benchmark."""
    counted = scores(seed=1, queues=300)
    assert failures(counted) == [], "\n".join(table(counted))


def test_a_steady_growth_reaches_maxdepth_when_its_line_says() -> None:
    depths = [10 * hour for hour in range(30 * DAY)]
    foreseen = forecast(newest_first(depths), 7190 + 5 * 240)
    assert foreseen is not None
    assert round(foreseen.growth_a_day) == 240
    full, early, late = foreseen.full_hours
    assert full is not None
    assert early is not None
    assert late is not None
    assert early <= full <= late
    assert abs(full - 5 * DAY) <= 1
    assert [one.days for one in foreseen.ahead] == list(HORIZONS)


def test_nothing_is_foreseen_further_ahead_than_the_history_is_long() -> None:
    foreseen = forecast(newest_first([10 * hour for hour in range(5 * DAY)]), 10_000)
    assert foreseen is not None
    assert foreseen.full_hours == NOTHING
    assert [one.days for one in foreseen.ahead] == [1, 2, 4]


def test_a_step_is_told_with_its_hour_and_height_and_is_no_growth() -> None:
    dice = random.Random(3)
    begin = 20 * DAY + 7
    depths = [100 + dice.randrange(20) + (500 if hour >= begin else 0) for hour in range(30 * DAY)]
    foreseen = forecast(newest_first(depths), 5000)
    assert foreseen is not None
    assert foreseen.growth_a_day == 0
    assert foreseen.full_hours == NOTHING
    assert foreseen.step is not None
    assert foreseen.step.hours_ago == 30 * DAY - 1 - begin
    assert abs(foreseen.step.growth - 500) < 30
    week = next(one for one in foreseen.ahead if one.days == 7)
    assert 590 < week.low < week.high < 630


def test_the_pattern_of_a_week_is_known_after_two_weeks() -> None:
    def depth(hour: int) -> int:
        return 1000 if hour // DAY % 7 < 5 else 100

    for days, is_known in ((13, False), (28, True)):
        foreseen = forecast(newest_first([depth(hour) for hour in range(days * DAY)]), 5000)
        assert foreseen is not None
        now = days * DAY - 1
        expected = {one.days: one.expected for one in foreseen.ahead if one.days <= 7}
        right = [abs(value - depth(now + DAY * at)) < 50 for at, value in expected.items()]
        assert all(right) is is_known, days


def test_growth_that_began_hours_ago_goes_on() -> None:
    dice = random.Random(5)
    quiet = [dice.randrange(15) for _ in range(29 * DAY)]
    foreseen = forecast(newest_first([*quiet, *(10 + 100 * hour for hour in range(12))]), 5000)
    assert foreseen is not None
    assert abs(foreseen.growth_a_day - 2400) < 300
    assert foreseen.full_hours[0] is not None
    assert 30 <= foreseen.full_hours[0] <= 50


def test_a_young_history_tells_only_of_what_never_fell() -> None:
    grew = forecast(newest_first([50 * hour for hour in range(30)]), 2000)
    assert grew is not None
    assert grew.full_hours[0] == 11
    assert forecast(newest_first([50 * (hour % 8) for hour in range(30)]), 2000) is None
    assert forecast([], 2000) is None


def test_the_output_says_how_the_same_method_did_before() -> None:
    dice = random.Random(7)
    foreseen = forecast(newest_first([dice.randrange(200) for _ in range(31 * DAY)]), 5000)
    assert foreseen is not None
    counts = {one.days: (one.forecasts, one.held) for one in foreseen.ahead}
    # from three days of history on, and as many days as are foreseen
    assert {days: forecasts for days, (forecasts, _) in counts.items()} == {
        1: 28, 2: 27, 4: 24, 7: 18, 14: 4,
    }  # fmt: skip
    assert all(0 < held <= forecasts for forecasts, held in counts.values())


def test_a_gap_is_filled_with_the_look_before_it() -> None:
    depths = newest_first([10 * hour for hour in range(30 * DAY)])
    depths[100:140] = [None] * 40
    foreseen = forecast(depths, 100_000)
    assert foreseen is not None
    assert abs(foreseen.growth_a_day - 240) < 20
