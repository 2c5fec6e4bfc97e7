"""Statuses that are asked for many at a time."""

from __future__ import annotations

import pytest

from mqtriage.backends.status_ahead import AHEAD_S, StatusAhead


def test_an_answer_that_takes_long_serves_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each status counts from when it came, and serves once."""
    now_s = 100.0
    asked: list[str] = []

    def ask(pattern: str) -> dict[str, int]:
        nonlocal now_s
        asked.append(pattern)
        now_s += 10 * AHEAD_S
        return {"A": 1, "B": 2, "C": 3}

    monkeypatch.setattr("mqtriage.backends.status_ahead.time.monotonic", lambda: now_s)
    ahead = StatusAhead(ask)
    ahead.listed(dict.fromkeys("ABCD", "*"))
    assert [ahead.take(name) for name in "ABCDB"] == [None, 2, 3, None, None]
    assert asked == ["*"]
    ahead.listed(dict.fromkeys("ABC", "*"))
    assert (ahead.take("A"), ahead.take("B")) == (None, 2)
    now_s += 2 * AHEAD_S
    assert (ahead.take("C"), asked) == (3, ["*"] * 3)
