"""The decision table of poison messages, one row per sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq import cmqc
from mqtriage.mq.backout import (
    OFF,
    BackoutPolicy,
    Disposition,
    PoisonDiscard,
    ReceivedBy,
    UnitEnding,
    decide,
    disposition_after_failed_requeue,
    is_poison,
    near_threshold,
)

BACKED = BackoutPolicy(3, "APP.BACKOUT")
BLANK = BackoutPolicy(3)
OFF_BUT_NAMED = BackoutPolicy(0, "APP.BACKOUT")


@pytest.mark.seed("PM-09", "PM-10", "PM-11", "PM-12", "PM-14", "PM-43", "PM-44", "PM-45")
@pytest.mark.parametrize(
    ("count", "report", "policy", "expected"),
    [
        pytest.param(0, 0, BACKED, Disposition.DELIVER, id="never-rolled-back"),
        pytest.param(2, 0, BACKED, Disposition.DELIVER, id="PM-10-below-threshold"),
        pytest.param(3, 0, BACKED, Disposition.REQUEUE, id="PM-11-at-threshold"),
        pytest.param(4, 0, BACKED, Disposition.REQUEUE, id="PM-11-above-threshold"),
        pytest.param(1, 0, BackoutPolicy(1, "B"), Disposition.REQUEUE, id="threshold-one"),
        pytest.param(7, 0, OFF_BUT_NAMED, Disposition.DELIVER, id="PM-14-zero-turns-it-off"),
        pytest.param(7, cmqc.MQRO_DISCARD_MSG, OFF, Disposition.DELIVER, id="off-never-discards"),
        pytest.param(
            3, cmqc.MQRO_DISCARD_MSG, BACKED, Disposition.REQUEUE, id="a-queue-goes-first"
        ),
        pytest.param(
            3, cmqc.MQRO_DISCARD_MSG, BLANK, Disposition.DISCARD, id="PM-43-discard-option"
        ),
        pytest.param(
            3, cmqc.MQRO_DEAD_LETTER_Q, BLANK, Disposition.DEAD_LETTER, id="PM-44-dlq-option"
        ),
        pytest.param(
            3, cmqc.MQRO_EXCEPTION, BLANK, Disposition.DEAD_LETTER, id="PM-45-neither-option"
        ),
    ],
)
def test_decide(count: int, report: int, policy: BackoutPolicy, expected: Disposition) -> None:
    decision = decide(count, report, policy)
    assert decision.action is expected
    assert decision.reason
    assert decision.queue == (policy.requeue_queue if expected is Disposition.REQUEUE else "")


@pytest.mark.seed("PM-11")
def test_a_threshold_of_three_gives_exactly_three_deliveries() -> None:
    delivered = [n for n in range(10) if decide(n, 0, BACKED).action is Disposition.DELIVER]
    assert delivered == [0, 1, 2]


def test_decide_refuses_negative_numbers() -> None:
    with pytest.raises(ValueError, match="BackoutCount is -1"):
        decide(-1, 0, BACKED)
    with pytest.raises(ValueError, match="BOTHRESH is -1"):
        decide(0, 0, BackoutPolicy(-1))


@given(
    st.integers(0, 2**31 - 1),
    st.integers(0, 999_999_999),
    st.integers(-(2**31), 2**31 - 1),
)
def test_a_named_backout_queue_never_loses_a_message(
    count: int, threshold: int, report: int
) -> None:
    action = decide(count, report, BackoutPolicy(threshold, "APP.BACKOUT")).action
    assert action in (Disposition.DELIVER, Disposition.REQUEUE)
    assert (action is Disposition.REQUEUE) == is_poison(count, threshold)


@pytest.mark.parametrize(
    ("count", "threshold", "poison", "near"),
    [
        (0, 0, False, False),
        (9, 0, False, False),
        (1, 3, False, False),
        (2, 3, False, True),
        (3, 3, True, True),
        (0, 1, False, True),
    ],
)
def test_poison_and_near(count: int, threshold: int, poison: bool, near: bool) -> None:
    assert is_poison(count, threshold) is poison
    assert near_threshold(count, threshold) is near


def test_near_can_look_further() -> None:
    assert near_threshold(1, 4, within=3)
    assert not near_threshold(1, 4, within=2)


SYNC, PLAIN, ASYNC = ReceivedBy.SYNC_TRANSACTED, ReceivedBy.SYNC_NON_TRANSACTED, ReceivedBy.ASYNC


@pytest.mark.seed("PM-13", "PM-43", "PM-44", "PM-45", "PM-51", "PM-52", "PM-53")
@pytest.mark.parametrize("delivery", list(ReceivedBy))
def test_a_failed_requeue_follows_the_report_option(delivery: ReceivedBy) -> None:
    asked = disposition_after_failed_requeue(cmqc.MQRO_DISCARD_MSG, delivery)
    default = disposition_after_failed_requeue(cmqc.MQRO_DEAD_LETTER_Q, delivery)
    assert asked.action is Disposition.DISCARD
    assert default.action is Disposition.DEAD_LETTER


@pytest.mark.seed("PM-46", "PM-47", "PM-48", "PM-54", "BO-28", "BO-39")
@pytest.mark.parametrize(
    ("delivery", "ending", "persistent", "switch", "expected"),
    [
        pytest.param(
            SYNC, UnitEnding.COMMIT, True, "any", Disposition.DISCARD, id="PM-46-commit-loses"
        ),
        pytest.param(
            SYNC, UnitEnding.ROLLBACK, True, "any", Disposition.RETURN, id="PM-47-rollback-keeps"
        ),
        pytest.param(SYNC, None, True, "any", Disposition.HOLD, id="unit-of-work-still-open"),
        pytest.param(PLAIN, None, True, "any", Disposition.DISCARD, id="PM-48-no-unit-of-work"),
        pytest.param(ASYNC, None, False, "any", Disposition.RETURN, id="PM-54-listener-returns"),
        pytest.param(
            ASYNC, UnitEnding.COMMIT, False, "any", Disposition.RETURN, id="PM-54-whatever-ends"
        ),
        pytest.param(
            SYNC, UnitEnding.COMMIT, True, "np-only", Disposition.RETURN, id="BO-39-persistent"
        ),
        pytest.param(
            SYNC, UnitEnding.COMMIT, False, "np-only", Disposition.DISCARD, id="BO-39-not"
        ),
        pytest.param(PLAIN, None, True, "np-only", Disposition.RETURN, id="BO-39-plain-persistent"),
    ],
)
def test_when_the_dead_letter_queue_fails_too(
    delivery: ReceivedBy,
    ending: UnitEnding | None,
    persistent: bool,
    switch: str,
    expected: Disposition,
) -> None:
    decision = disposition_after_failed_requeue(
        0,
        delivery,
        dead_letter_failed=True,
        ending=ending,
        persistent=persistent,
        poison_discard=PoisonDiscard(switch),
    )
    assert decision.action is expected
    assert "dead-letter queue failed" in decision.reason
