"""The MQInput node, one row per sentence."""

from __future__ import annotations

import pytest

from mqtriage.mq.backout import BackoutPolicy
from mqtriage.mq.flow import TWICE, FlowAction, attempts, decide_flow

SET = BackoutPolicy(3, "APP.BO")
BLANK = BackoutPolicy(3)
OFF = BackoutPolicy(0)


@pytest.mark.parametrize(
    ("policy", "retry", "expected"),
    [
        pytest.param(
            OFF, None, 1, id="nothing-set-is-one-attempt", marks=pytest.mark.seed("BO-42")
        ),
        pytest.param(SET, None, 3, id="bothresh", marks=pytest.mark.seed("BO-43")),
        pytest.param(SET, 1, 1, id="own-setting-wins", marks=pytest.mark.seed("BO-43")),
        pytest.param(SET, 0, 1, id="zero-is-one"),
    ],
)
def test_attempts_down_out(policy: BackoutPolicy, retry: int | None, expected: int) -> None:
    assert attempts(policy, retry) == expected


def test_a_message_goes_down_out_exactly_as_often_as_there_are_attempts() -> None:
    went = [count for count in range(8) if decide_flow(count, SET).action is FlowAction.OUT]
    assert went == [0, 1, 2]


@pytest.mark.seed("BO-44", "BO-45", "BO-46", "BO-47", "BO-48")
def test_the_steps_come_in_this_order_and_none_is_left_out() -> None:
    steps = [
        decide_flow(3, SET, failure_wired=True),
        decide_flow(4, SET, failure_wired=True),
        decide_flow(4, SET, failure_wired=True, backout_failed=True),
        decide_flow(4, SET, failure_wired=True, backout_failed=True, dead_letter_failed=True),
    ]
    assert [step.action for step in steps] == [
        FlowAction.FAILURE,
        FlowAction.REQUEUE,
        FlowAction.DEAD_LETTER,
        FlowAction.RETRY,
    ]
    assert steps[1].queue == "APP.BO"


@pytest.mark.seed("BO-47")
def test_a_blank_boqname_goes_on_to_the_dead_letter_queue() -> None:
    assert decide_flow(3, BLANK).action is FlowAction.DEAD_LETTER


@pytest.mark.seed("BO-46")
def test_twice_the_attempts_are_left_to_a_failing_failure_path() -> None:
    actions = [
        decide_flow(count, SET, failure_wired=True, failure_limit=TWICE).action
        for count in (3, 4, 5, 6)
    ]
    assert actions == [FlowAction.FAILURE] * 3 + [FlowAction.REQUEUE]


@pytest.mark.seed("BO-44", "BO-45", "BO-47")
@pytest.mark.parametrize(
    ("threshold", "spent"),
    [(1, "the one attempt is used up"), (2, "2 attempts are used up")],
)
def test_a_decision_says_how_many_attempts_there_were(threshold: int, spent: str) -> None:
    policy = BackoutPolicy(threshold, "BOQ")
    last = attempts(policy, None) - 1
    assert decide_flow(last, policy).action is FlowAction.OUT
    decision = decide_flow(last + 1, policy)
    assert decision.action is FlowAction.REQUEUE
    assert decision.reason == spent
