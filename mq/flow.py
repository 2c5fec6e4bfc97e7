"""What an MQInput node of an integration node (IIB, ACE) does with a message it has got.

The node looks at BackoutCount by itself. It sends a message down Out as often as BOTHRESH says, 0
taken as 1, or as often as its own retry setting (C-15). After that come, in this order, the Failure
terminal, BOQNAME, the dead-letter queue, and Out again for ever (BO-44 to BO-48). Report options
have no part in it: nothing is discarded.

Source: the 2018 comment below IBM's post on backout queues, IBM messages BIP2648 to BIP2650; BO-41
to BO-49.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from mqtriage.mq.backout import BackoutPolicy
from mqtriage.records import NamedTuple

ONCE: Final = 1
"""A failing Failure path is tried once, then the message is put away (BO-46)."""
TWICE: Final = 2
"""It is tried until BackoutCount is twice the attempts, as message BIP2650 has it."""


class FlowAction(StrEnum):
    """What the node does with one delivery."""

    OUT = "out"
    """Down the Out terminal: the flow processes it."""
    FAILURE = "failure"
    """Down the Failure terminal."""
    REQUEUE = "requeue"
    """Put to BOQNAME."""
    DEAD_LETTER = "dead-letter"
    """Put to the queue manager's dead-letter queue."""
    RETRY = "retry"
    """Down Out again, and rolled back if that fails; what is behind it waits (BO-48, BO-49)."""


class FlowDecision(NamedTuple):
    """What to do, why, and the queue to put to where one is named."""

    action: FlowAction
    reason: str
    queue: str = ""


def attempts(policy: BackoutPolicy, retry: int | None = None) -> int:
    """How often a message goes down Out: BOTHRESH, or *retry* where the node has its own (BO-43).

    0 is taken as 1: without any setting a message is tried once (BO-42).
    """
    return max(1, policy.threshold if retry is None else retry)


def failure_end(policy: BackoutPolicy, retry: int | None = None, failure_limit: int = ONCE) -> int:
    """The BackoutCount from which on the Failure terminal is not tried any more (BO-46)."""
    most = attempts(policy, retry)
    return max(failure_limit * most, most + 1)


def decide_flow(
    backout_count: int,
    policy: BackoutPolicy,
    *,
    retry: int | None = None,
    failure_wired: bool = False,
    failure_limit: int = ONCE,
    backout_failed: bool = False,
    dead_letter_failed: bool = False,
) -> FlowDecision:
    """Choose the next step of one delivery; what has been tried in it and failed is passed in.

    Args:
        backout_count: MQMD.BackoutCount; a Failure path that fails adds one, as Out does.
        retry: the node's own setting, None to go by BOTHRESH.
        failure_limit: ONCE or TWICE, how long a failing Failure path is tried.
        dead_letter_failed: the put to the dead-letter queue has failed, or DEADQ is blank.
    """
    most = attempts(policy, retry)
    if backout_count < most:
        return FlowDecision(FlowAction.OUT, f"attempt {backout_count + 1} of {most}")
    spent = "the one attempt is used up" if most == 1 else f"{most} attempts are used up"
    if failure_wired and backout_count < failure_end(policy, retry, failure_limit):
        return FlowDecision(FlowAction.FAILURE, spent)
    if policy.requeue_queue and not backout_failed:
        return FlowDecision(FlowAction.REQUEUE, spent, policy.requeue_queue)
    why = "the put to BOQNAME failed" if policy.requeue_queue else "BOQNAME is blank"
    if not dead_letter_failed:
        return FlowDecision(FlowAction.DEAD_LETTER, f"{spent}; {why}")
    failed = f"{why}, and the put to the dead-letter queue failed"
    return FlowDecision(FlowAction.RETRY, f"{spent}; {failed}; processed again, endlessly")
