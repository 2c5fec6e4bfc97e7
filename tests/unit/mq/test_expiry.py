"""Lifetimes: end, remainder, what a put accepts, CAPEXPRY."""

from __future__ import annotations

import pytest

from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.expiry import capped, expires_at_us, put_reason, remaining_tenths

T0 = 1_700_000_000_000_000
SECOND = 1_000_000


@pytest.mark.seed("EX-01")
def test_a_lifetime_is_given_in_tenths_of_a_second() -> None:
    end = expires_at_us(T0, 100)
    assert end == T0 + 10 * SECOND
    assert remaining_tenths(end, T0 + 9_900_000) == 1
    assert remaining_tenths(end, T0 + 10 * SECOND) == 0


@pytest.mark.seed("EX-02")
def test_one_minute_is_600() -> None:
    assert expires_at_us(T0, 600) == T0 + 60 * SECOND


@pytest.mark.seed("EX-65", "EX-67")
def test_unlimited_is_the_initial_value_and_never_ends() -> None:
    assert MQMD().expiry_tenths == -1
    end = expires_at_us(T0, -1)
    assert end is None
    assert remaining_tenths(end, T0) == -1
    assert remaining_tenths(end, T0 + 10 * 365 * 86_400 * SECOND) == -1


@pytest.mark.seed("EX-05", "EX-10", "EX-18")
@pytest.mark.parametrize(
    ("waited_us", "remaining"),
    [
        pytest.param(0, 600, id="at-once"),
        pytest.param(10 * SECOND, 500, id="EX-10-after-ten-seconds"),
        pytest.param(10 * SECOND + 1, 500, id="part-of-a-tenth-counts-as-left"),
        pytest.param(60 * SECOND - 1, 1, id="EX-18-alive-is-never-zero"),
        pytest.param(60 * SECOND, 0, id="over"),
        pytest.param(99 * SECOND, 0, id="long-over"),
    ],
)
def test_what_is_left(waited_us: int, remaining: int) -> None:
    assert remaining_tenths(expires_at_us(T0, 600), T0 + waited_us) == remaining


@pytest.mark.seed("EX-26", "EX-27", "EX-28", "EX-29", "EX-30", "EX-33")
@pytest.mark.parametrize(
    ("expiry", "enforced", "reason"),
    [
        pytest.param(0, False, 2013, id="EX-26-zero"),
        pytest.param(0, True, 2013, id="EX-26-zero-whatever-is-enforced"),
        pytest.param(-2, False, 2013, id="EX-33-other-negative"),
        pytest.param(-1, True, 0, id="unlimited"),
        pytest.param(1, True, 0, id="the-smallest"),
        pytest.param(999_999_999, True, 0, id="EX-29-the-greatest"),
        pytest.param(1_000_000_000, True, 2013, id="EX-29-above"),
        pytest.param(1_000_000_000, False, 0, id="EX-30-above-not-enforced"),
    ],
)
def test_put_reason(expiry: int, enforced: bool, reason: int) -> None:
    assert put_reason(expiry, enforce_maximum=enforced) == reason


@pytest.mark.parametrize(
    ("expiry", "caps", "expected"),
    [
        pytest.param(600, [], 600, id="no-objects"),
        pytest.param(600, [-1, -1], 600, id="no-limit"),
        pytest.param(600, [100, 50, -1], 50, id="the-lowest-counts"),
        pytest.param(40, [50], 40, id="never-raised"),
        pytest.param(-1, [50], 50, id="unlimited-is-capped"),
    ],
)
def test_capped(expiry: int, caps: list[int], expected: int) -> None:
    assert capped(expiry, caps) == expected
