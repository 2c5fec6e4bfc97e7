"""A rate holds from the first unit of work on, and after one that took long."""

from __future__ import annotations

import pytest

from mqtriage.operations.engine.act_context import Pace


@pytest.mark.parametrize(("rate", "size"), [(50, 5), (2, 1), (0.5, 1), (3000, 100)])
def test_no_unit_holds_more_than_a_tenth_of_a_second(rate: float, size: int) -> None:
    assert Pace(rate).batch(100) == size
    assert Pace(rate).batch(1) == 1


def test_in_no_period_more_messages_go_than_the_rate_and_two_units(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("time.sleep", sleep)
    pace = Pace(50)
    size = pace.batch(100)
    moved: list[float] = []
    for unit in range(20):
        pace.wait(lambda: False)
        if unit == 5:
            now += 3  # the queue manager is slow for once
        moved.append(now)
        pace.done(size)
    for first in range(len(moved)):
        for last in range(first, len(moved)):
            passed = moved[last] - moved[first]
            count = (last - first + 1) * size
            # the unit that was late is followed by the next one at once
            assert count <= 50 * passed + 2 * size + 0.01, (first, last)
    assert moved[5] - moved[0] == pytest.approx(3.5)
    assert moved[-1] - moved[6] == pytest.approx(1.3)
