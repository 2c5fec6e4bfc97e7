"""Delivery delay: due times, refused sends, states of staged messages, sizing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq.delay import (
    OVERDUE_AFTER_US,
    DelayedSend,
    StagedState,
    cap_refusal,
    depth_needed,
    disk_needed,
    due_at_us,
    length_needed,
    lifetime_refusal,
    refused,
    staged_end_us,
    state_of,
    topic_delivery,
)

SECOND = 1_000_000
SEND = DelayedSend(5000)


@pytest.mark.seed("DD-02", "DD-05")
def test_due_time_is_the_send_plus_the_delay_in_milliseconds() -> None:
    assert due_at_us(10 * SECOND, 1500) == 11_500_000
    assert due_at_us(7, 0) == 7


def test_a_negative_delay_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 ms"):
        due_at_us(0, -1)


def test_a_plain_delayed_send_is_taken() -> None:
    assert refused(SEND) is None


CHANGES = [
    pytest.param({"command_level": 750}, 2298, id="DD-17-level-750"),
    pytest.param({"time_to_live_ms": 4999}, 2013, id="DD-23-lifetime-smaller"),
    pytest.param({"caps_tenths": (-1, 49, 600)}, 2013, id="capexpry-smaller"),
    pytest.param({"in_group": True}, 2046, id="DD-29-group"),
    pytest.param({"retained": True}, 2046, id="DD-28-retained"),
    pytest.param({"clustered": True, "defbind": "OPEN"}, 2046, id="DD-19-bound-on-open"),
    pytest.param({"clustered": True, "defbind": "GROUP"}, 2046, id="DD-19-bound-on-group"),
    pytest.param({"message_delivery": "ALL"}, 2502, id="DD-117-all"),
    pytest.param({"message_delivery": "ALLDUR"}, 2502, id="DD-117-alldur"),
]


@pytest.mark.seed("DD-17", "DD-19", "DD-23", "DD-24", "DD-25", "DD-28", "DD-29", "DD-117")
@pytest.mark.parametrize(("change", "reason"), CHANGES)
def test_a_send_that_mq_refuses(change: dict[str, object], reason: int) -> None:
    refusal = refused(replace(SEND, **change))  # type: ignore[arg-type]
    assert refusal is not None
    assert refusal.reason == reason
    assert refusal.text


@pytest.mark.seed("DD-09", "DD-18", "DD-27")
@pytest.mark.parametrize(("change", "reason"), CHANGES)
def test_without_a_delay_nothing_is_refused(change: dict[str, object], reason: int) -> None:
    assert refused(replace(SEND, delay_ms=0, **change)) is None  # type: ignore[arg-type]


@pytest.mark.seed("DD-20", "DD-22", "DD-26", "DD-27", "DD-116")
@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"command_level": 800}, id="the-first-level"),
        pytest.param({"time_to_live_ms": 5000}, id="DD-26-equal-lifetime"),
        pytest.param({"time_to_live_ms": 0}, id="DD-27-unlimited-lifetime"),
        pytest.param({"caps_tenths": (-1, 50)}, id="equal-capexpry"),
        pytest.param({"clustered": True, "defbind": "NOTFIXED"}, id="DD-20-not-fixed"),
        pytest.param({"clustered": False, "defbind": "OPEN"}, id="DD-22-not-clustered"),
        pytest.param({"message_delivery": "ALLAVAIL"}, id="DD-116-all-available"),
    ],
)
def test_the_nearest_send_that_mq_takes(change: dict[str, object]) -> None:
    assert refused(replace(SEND, **change)) is None  # type: ignore[arg-type]


@pytest.mark.seed("DD-23", "DD-24", "DD-26", "DD-27")
@given(delay=st.integers(0, 10**9), lifetime=st.integers(0, 10**9))
def test_only_a_smaller_lifetime_than_a_real_delay_is_refused(delay: int, lifetime: int) -> None:
    expected = delay > 0 and 0 < lifetime < delay
    assert (lifetime_refusal(delay, lifetime) is not None) == expected


def test_the_lowest_cap_decides_and_is_named() -> None:
    refusal = cap_refusal(5000, [600, 49])
    assert refusal is not None
    assert "CAPEXPRY(49)" in refusal.text
    assert "4900 ms" in refusal.text
    assert cap_refusal(4900, [600, 49]) is None
    assert cap_refusal(4901, [600, 49]) is not None
    assert cap_refusal(1, [0]) is not None, "0 is a limit, a negative value none"
    assert cap_refusal(1, [-1]) is None


@pytest.mark.seed("DD-116", "DD-118")
def test_topic_delivery_is_resolved_up_the_tree() -> None:
    assert topic_delivery(["ASPARENT", "ALL"], persistent=True) == "ALL"
    assert topic_delivery([], persistent=True) == "ALLDUR"
    assert topic_delivery(["ASPARENT"], persistent=False) == "ALLAVAIL"


@pytest.mark.seed("DD-80")
@pytest.mark.parametrize(
    ("due", "expires", "now", "expected"),
    [
        pytest.param(10, None, 9, "waiting", id="before"),
        pytest.param(10, None, 10, "due", id="at-the-moment"),
        pytest.param(10, None, 9 + OVERDUE_AFTER_US, "due", id="processor-has-time"),
        pytest.param(10, None, 10 + OVERDUE_AFTER_US, "overdue", id="after-that"),
        pytest.param(10, 10, 5, "doomed", id="DD-80-lifetime-equals-delay"),
        pytest.param(10, 9, 5, "doomed", id="expires-before-due"),
        pytest.param(10, 11, 5, "waiting", id="expires-just-after-due"),
        pytest.param(10, 11, 11, "doomed", id="expired-while-overdue"),
        pytest.param(None, None, 5, "unknown", id="due-time-not-known"),
        pytest.param(None, 4, 5, "doomed", id="expired-whenever-due"),
        pytest.param(None, 6, 5, "unknown", id="alive-and-not-known"),
    ],
)
def test_state_of_a_staged_message(
    due: int | None, expires: int | None, now: int, expected: str
) -> None:
    assert state_of(due, expires, now) is StagedState(expected)


@given(left_us=st.integers(1, 10 * SECOND), late_us=st.integers(0, SECOND))
def test_the_end_of_a_lifetime_is_that_of_the_header_however_late_the_clock_is_read(
    left_us: int, late_us: int
) -> None:
    tenths = -(-left_us // 100_000)
    assert staged_end_us(left_us, tenths, late_us) == left_us


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(None, id="no-header"),
        pytest.param(-1, id="unlimited-when-sent"),
        pytest.param(60 * SECOND, id="shortened-since"),
        pytest.param(SECOND, id="lengthened-since"),
    ],
)
@given(left_us=st.integers(5 * SECOND, 10 * SECOND), late_us=st.integers(0, 100_000))
def test_without_an_exact_end_the_earliest_possible_one_counts(
    header: int | None, left_us: int, late_us: int
) -> None:
    end_us = staged_end_us(header, -(-left_us // 100_000), late_us)
    assert end_us is not None
    assert left_us - 2 * 100_000 <= end_us <= left_us


def test_an_unlimited_message_has_no_end() -> None:
    assert staged_end_us(None, -1, SECOND) is None


@pytest.mark.seed("CARD-17", "DD-111")
def test_depth_is_rate_by_delay_by_subscribers_and_headroom() -> None:
    needed = depth_needed(100, 900_000, subscribers=2, headroom_percent=50)
    assert needed.value == 100 * 900 * 2 * 3 // 2 == 270_000
    assert needed.text == "100/s x 900 s x 2 subscribers + 50% = 270000"
    assert needed.problem == ""


def test_depth_is_exact_for_small_rates_and_rounds_up() -> None:
    assert depth_needed("0.1", 3_600_000, headroom_percent=0).value == 360
    assert depth_needed(0.1, 3_600_000, headroom_percent=0).value == 360
    assert depth_needed(1, 1, headroom_percent=0).value == 1
    assert depth_needed(0, 1).value == 1


def test_depth_above_what_mq_allows_is_said() -> None:
    needed = depth_needed(1_000_000, 1_000_000, headroom_percent=0)
    assert needed.value == 1_000_000_000
    assert "999999999" in needed.problem


@pytest.mark.parametrize("bad", [{"subscribers": -1}, {"headroom_percent": -1}])
def test_depth_refuses_negative_numbers(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        depth_needed(1, 1, **bad)
    with pytest.raises(ValueError, match="0 or more"):
        depth_needed(-1, 1)


@pytest.mark.seed("CARD-18", "DD-45")
def test_length_is_the_largest_message_and_the_header() -> None:
    needed = length_needed(4_194_304)
    assert needed.value == 4_198_400
    assert "assumed" in needed.text
    assert needed.problem == ""


@pytest.mark.seed("CARD-18")
def test_length_above_the_queue_managers_names_the_command_that_it_would_need() -> None:
    needed = length_needed(4_194_304, queue_manager_maxmsgl_bytes=4_194_304)
    assert "ALTER QMGR MAXMSGL(4198400)" in needed.problem
    assert length_needed(4_190_208, queue_manager_maxmsgl_bytes=4_194_304).problem == ""
    assert "ALTER QMGR" in length_needed(4_190_209, queue_manager_maxmsgl_bytes=4_194_304).problem
    assert "greatest MAXMSGL" in length_needed(104_857_600).problem
    assert "greatest" not in length_needed(104_853_504).problem
    assert "greatest MAXMSGL" in length_needed(104_853_505).problem
    assert length_needed(0, header_allowance_bytes=0).value == 0
    with pytest.raises(ValueError, match="0 bytes or more"):
        length_needed(-1)


@pytest.mark.parametrize(
    ("length", "blocks"), [(0, 1), (1, 1), (512, 1), (513, 2), (1024, 2), (4096, 8)]
)
def test_disk_is_counted_in_whole_blocks(length: int, blocks: int) -> None:
    assert disk_needed(10, length).value == 10 * blocks * 512


def test_disk_is_held_against_maxfsize() -> None:
    assert disk_needed(40_960, 512, maxfsize_mb=20).problem == ""
    assert disk_needed(0, 0, maxfsize_mb=0).problem == ""
    assert disk_needed(40_961, 512, maxfsize_mb=20).problem == "above MAXFSIZE(20)"
    assert disk_needed(40_961, 512, maxfsize_mb=20).text.endswith("= 21 MiB")
    with pytest.raises(ValueError, match="0 or more"):
        disk_needed(-1, 1)
