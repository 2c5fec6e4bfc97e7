"""PutDate and PutTime against the calendar of the standard library."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq import times

_EPOCH = datetime.datetime(1970, 1, 1)


@given(st.datetimes(min_value=datetime.datetime(1000, 1, 1)))
def test_stamps_agree_with_the_calendar(when: datetime.datetime) -> None:
    time_us = (when - _EPOCH) // datetime.timedelta(microseconds=1)
    put_date, put_time = times.put_date_and_time(time_us)
    assert f"{when:%Y%m%d%H%M%S}{when.microsecond // 10_000:02d}" == put_date + put_time
    assert time_us // 10_000 * 10_000 == times.put_time_us(put_date, put_time)
    shown = times.rfc3339_or_none(time_us)
    assert shown is not None
    assert when.replace(tzinfo=datetime.UTC) == datetime.datetime.fromisoformat(shown)


@pytest.mark.parametrize(
    ("put_date", "put_time"),
    [
        ("20230229", "12000000"),
        ("20230431", "12000000"),
        ("20231301", "12000000"),
        ("20230101", "24000000"),
        ("2023010", "120000000"),
        ("        ", "        "),
        ("", ""),
        ("\0" * 8, "\0" * 8),
        ("２０２３０１０１", "12000000"),
    ],
)
def test_what_is_no_time_is_none(put_date: str, put_time: str) -> None:
    assert times.put_time_us(put_date, put_time) is None


def test_a_put_time_is_shown_with_its_hundredths() -> None:
    assert times.put_rfc3339("20191017", "16024736") == "2019-10-17T16:02:47.36Z"
    assert times.put_rfc3339("        ", "        ") is None


@pytest.mark.parametrize("time_us", [-(2**63), 2**63 - 1])
def test_a_time_that_no_calendar_has_is_none(time_us: int) -> None:
    assert times.rfc3339_or_none(time_us) is None
