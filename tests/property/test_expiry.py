"""What must hold for every lifetime and every moment."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.mq import cmqc
from mqtriage.mq.errors import NoMessageAvailable
from mqtriage.mq.expiry import capped, expires_at_us, put_reason, remaining_tenths
from mqtriage.mq.message import Message
from tests.support.scale import amount
from tests.unit.emulator.conftest import Lab, message

MOMENTS = st.integers(0, 4 * 10**15)
LIFETIMES = st.one_of(st.just(-1), st.integers(1, 2**31 - 1))


@pytest.mark.seed("EX-10", "EX-18")
@given(MOMENTS, st.integers(1, 2**31 - 1), st.integers(-200_000, 200_000))
def test_a_message_shows_zero_exactly_when_it_may_no_longer_be_returned(
    put_us: int, expiry: int, past_the_end_us: int
) -> None:
    """Around the end of a lifetime, the end itself included: there it is expired."""
    end = expires_at_us(put_us, expiry)
    assert end is not None
    assert (remaining_tenths(end, end + past_the_end_us) == 0) is (past_the_end_us >= 0)


@pytest.mark.seed("EX-18", "EX-65")
@given(MOMENTS)
def test_an_unlimited_message_never_expires(now_us: int) -> None:
    assert remaining_tenths(None, now_us) == -1


_STEP = st.sampled_from([0.05, 0.1, 0.25, 1.0, 7.3])
_ACT = st.one_of(
    st.tuples(st.just("put"), st.integers(1, 40), st.integers(0, 9)),
    st.tuples(st.sampled_from(["get", "browse", "walk", "held"]), st.just(0), st.just(0)),
    st.tuples(st.just("wait"), _STEP, st.just(0)),
)


@pytest.mark.seed("EX-17", "EX-18")
@settings(max_examples=amount(12), suppress_health_check=[HealthCheck.too_slow])
@given(acts=st.lists(_ACT, min_size=4, max_size=25), sequence=st.sampled_from(["FIFO", "PRIORITY"]))
def test_no_get_and_no_browse_ever_returns_a_message_whose_lifetime_is_over(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, float, int]], sequence: str
) -> None:
    lab = Lab(tmp_path_factory.mktemp("expiry"))
    queue = lab.local("Q1", MSGDLVSQ=sequence)
    ends: dict[bytes, int] = {}
    for kind, number, priority in acts:
        seen: list[Message] = []
        if kind == "wait":
            lab.advance(number)
        elif kind == "put":
            put = queue.put(message(expiry_tenths=int(number), priority=priority), b"")
            ends[put.msg_id] = lab.mq.now_us() + int(number) * 100_000
        elif kind == "walk":
            seen = list(queue.browse())
        else:
            options = {"get": 0, "browse": cmqc.MQGMO_BROWSE_FIRST, "held": cmqc.MQGMO_SYNCPOINT}[
                kind
            ]
            with suppress(NoMessageAvailable):
                seen = [queue.get(options)]
            lab.mq.backout()
        for received in seen:
            left_us = ends[received.md.msg_id] - lab.mq.now_us()
            assert left_us > 0
            assert received.md.expiry_tenths == -(-left_us // 100_000)
    lab.close()


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
    remaining = remaining_tenths(end, now)
    assert end is not None
    if remaining:
        again = expires_at_us(now, remaining)
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
