"""What must hold for every lifetime and every moment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq.expiry import capped, expires_at_us, is_expired, put_reason, remaining_tenths

MOMENTS = st.integers(0, 4 * 10**15)
LIFETIMES = st.one_of(st.just(-1), st.integers(1, 2**31 - 1))


@pytest.mark.seed("EX-10", "EX-17", "EX-18")
@given(MOMENTS, LIFETIMES, st.integers(0, 10**15))
def test_a_message_shows_zero_exactly_when_it_may_no_longer_be_returned(
    put_us: int, expiry: int, waited_us: int
) -> None:
    end = expires_at_us(put_us, expiry)
    left = remaining_tenths(end, put_us + waited_us)
    assert (left == 0) == is_expired(end, put_us + waited_us)


@pytest.mark.seed("EX-05")
@given(MOMENTS, st.integers(1, 2**31 - 1), st.integers(0, 10**14), st.integers(0, 10**14))
def test_the_remainder_never_grows_and_loses_no_more_than_the_time_that_passed(
    put_us: int, expiry: int, first_us: int, more_us: int
) -> None:
    end = expires_at_us(put_us, expiry)
    earlier = remaining_tenths(end, put_us + first_us)
    later = remaining_tenths(end, put_us + first_us + more_us)
    assert later <= earlier <= expiry
    assert earlier - later <= -(-more_us // 100_000)


@pytest.mark.seed("EX-48")
@given(MOMENTS, st.integers(1, 2**31 - 1), st.integers(0, 10**14))
def test_putting_the_remainder_again_ends_less_than_a_tenth_later(
    put_us: int, expiry: int, waited_us: int
) -> None:
    """A move keeps the moment of expiry, but for the rounding up to whole tenths."""
    end = expires_at_us(put_us, expiry)
    now = put_us + waited_us
    left = remaining_tenths(end, now)
    assert end is not None
    if left:
        again = expires_at_us(now, left)
        assert again is not None
        assert 0 <= again - end < 100_000


@given(LIFETIMES, st.lists(st.integers(-1, 2**31 - 1)))
def test_a_cap_never_raises_a_lifetime_and_is_kept_by_all(expiry: int, caps: list[int]) -> None:
    result = capped(expiry, caps)
    limits = [cap for cap in caps if cap >= 0]
    assert all(0 <= result <= cap for cap in limits)
    assert result == expiry or result in limits
    if expiry > 0:
        assert result <= expiry


@pytest.mark.seed("EX-26", "EX-29", "EX-33")
@given(st.integers(-(2**31), 2**31 - 1))
def test_enforcing_the_maximum_only_ever_refuses_more(expiry: int) -> None:
    loose = put_reason(expiry, enforce_maximum=False)
    strict = put_reason(expiry, enforce_maximum=True)
    assert loose in (0, strict)
    assert (strict == 0) == (expiry == -1 or 0 < expiry <= 999_999_999)
