"""Where a message ends that fails each time, for each kind of client that may get it.

The rules are those of `mq.backout` (the JMS classes) and `mq.flow` (integration nodes), followed to
the end: what happens at the next get, how many deliveries are left, where the message lies when
there are none, and which attribute or report option decides it.

Sources: IBM MQ documentation, "Handling poison messages in IBM MQ classes for JMS", "... in XMS",
"Removing messages from the queue in ASF"; PM-09 to PM-54, BO-16 to BO-49.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.backout import (
    BackoutPolicy,
    Decision,
    Disposition,
    PoisonDiscard,
    ReceivedBy,
    disposition_after_failed_requeue,
    is_poison,
)
from mqtriage.mq.flow import FlowAction, attempts, decide_flow, failure_end
from mqtriage.records import NamedTuple, dataclass


class ClientKind(StrEnum):
    """A kind of client."""

    JMS_SYNC_TRANSACTED = "jms-sync-transacted"
    JMS_SYNC = "jms-sync"
    JMS_ASYNC = "jms-async"
    ASF = "asf"
    XMS = "xms"
    MQI = "mqi"
    MQI_BY_HAND = "mqi-manual"
    MQINPUT = "iib-mq"
    MQINPUT_FAILURE = "iib-mq-failure"
    JMSINPUT = "iib-jms"


NAMES: Final = {
    ClientKind.JMS_SYNC_TRANSACTED: "JMS receive, transacted session",
    ClientKind.JMS_SYNC: "JMS receive, not transacted",
    ClientKind.JMS_ASYNC: "JMS MessageListener",
    ClientKind.ASF: "JMS ConnectionConsumer, activation specification",
    ClientKind.XMS: "XMS consumer",
    ClientKind.MQI: "MQI program without code for it",
    ClientKind.MQI_BY_HAND: "MQI program that follows BOTHRESH",
    ClientKind.MQINPUT: "IIB/ACE MQInput, Failure not wired",
    ClientKind.MQINPUT_FAILURE: "IIB/ACE MQInput, Failure wired",
    ClientKind.JMSINPUT: "IIB/ACE JMSInput",
}

ADDS_RFH2: Final = frozenset(
    {
        ClientKind.JMS_SYNC_TRANSACTED,
        ClientKind.JMS_SYNC,
        ClientKind.JMS_ASYNC,
        ClientKind.ASF,
        ClientKind.JMSINPUT,
    }
)
"""Clients that put an MQRFH2 in front of a message without one when they requeue it (PM-56)."""

_DELIVERY: Final = {
    ClientKind.JMS_SYNC_TRANSACTED: ReceivedBy.SYNC_TRANSACTED,
    ClientKind.JMS_SYNC: ReceivedBy.SYNC_NON_TRANSACTED,
    ClientKind.JMS_ASYNC: ReceivedBy.ASYNC,
    ClientKind.XMS: ReceivedBy.SYNC_TRANSACTED,
    ClientKind.JMSINPUT: ReceivedBy.ASYNC,
}


class Next(StrEnum):
    """What the client does when it gets the message the next time."""

    DELIVER = "deliver"
    REQUEUE = "requeue"
    DEAD_LETTER = "dead-letter"
    DISCARD = "discard"
    FAILURE_TERMINAL = "failure"
    KEEP = "keep"
    """It stays on, or returns to, the input queue."""
    HOLD = "hold"
    """Taken in the unit of work: lost if that commits, back if it rolls back."""


class FinalPlace(StrEnum):
    """Where a message lies in the end that fails each time."""

    BACKOUT_QUEUE = "backout-queue"
    DEAD_LETTER_QUEUE = "dead-letter-queue"
    INPUT_QUEUE = "input-queue"
    """For ever: it is got again and again."""
    LOST = "lost"
    COMMIT_DECIDES = "commit-decides"
    """Lost if the application commits, back on the input queue if it rolls back."""
    FLOW_DECIDES = "flow-decides"
    """What the flow behind the Failure terminal does with it."""


@dataclass(frozen=True, slots=True)
class Situation:
    """One message on one queue.

    Attributes:
        backout_problem: why a put of it to BOQNAME fails, "" when it works.
        dead_letter_problem: why a put of it to DEADQ fails, blank DEADQ included.
    """

    policy: BackoutPolicy
    backout_count: int = 0
    report: int = 0
    persistent: bool = False
    backout_problem: str = ""
    dead_letter_problem: str = ""


class Path(NamedTuple):
    """What one kind of client does.

    Attributes:
        deliveries_left: how often the application still gets it, None without end.
        decided_by: the attribute or report option that decides where it ends.
    """

    next: Next
    deliveries_left: int | None
    end: FinalPlace
    decided_by: str
    reason: str


_ENDINGS: Final = {
    Disposition.DISCARD: (Next.DISCARD, FinalPlace.LOST),
    Disposition.RETURN: (Next.KEEP, FinalPlace.INPUT_QUEUE),
    Disposition.HOLD: (Next.HOLD, FinalPlace.COMMIT_DECIDES),
}


def path(client: ClientKind, situation: Situation) -> Path:
    """What *client* does with the message next, and where it ends if it fails each time."""
    if client is ClientKind.MQI:
        reason = "nothing moves it: the queue manager takes no action on BOTHRESH or BOQNAME"
        return Path(Next.DELIVER, None, FinalPlace.INPUT_QUEUE, "the program", reason)
    if client in (ClientKind.MQINPUT, ClientKind.MQINPUT_FAILURE):
        return _flow_path(situation, wired=client is ClientKind.MQINPUT_FAILURE)
    threshold = situation.policy.threshold
    if client is ClientKind.JMS_SYNC and not is_poison(situation.backout_count, threshold):
        reason = "delivered outside any unit of work: when the application fails it is gone"
        return Path(Next.DELIVER, 1, FinalPlace.LOST, "session not transacted", reason)
    if threshold == 0:
        reason = "BOTHRESH is 0, poison handling is off: delivered again after each rollback"
        return Path(Next.DELIVER, None, FinalPlace.INPUT_QUEUE, "BOTHRESH", reason)
    remaining = max(0, threshold - situation.backout_count)
    ending = _poison_path(client, situation)
    if is_poison(situation.backout_count, threshold):
        return ending
    count = situation.backout_count
    reason = f"rolled back {count} of {threshold}, delivered; in the end {ending.reason}"
    return ending._replace(next=Next.DELIVER, deliveries_left=remaining, reason=reason)


def _poison_path(client: ClientKind, situation: Situation) -> Path:
    """BOQNAME, then report options and DEADQ, once BOTHRESH is reached.

    The MQI program does what IBM asks for: BOQNAME, else the dead-letter queue, else the message is
    left (BO-20, 22).
    """
    policy, by_hand = situation.policy, client is ClientKind.MQI_BY_HAND
    if policy.requeue_queue and not situation.backout_problem:
        reason = f"BOTHRESH({policy.threshold}) is reached, {_how(client)}"
        return Path(Next.REQUEUE, 0, FinalPlace.BACKOUT_QUEUE, "BOQNAME", reason)
    why = situation.backout_problem if policy.requeue_queue else "BOQNAME is blank"
    if situation.report & cmqc.MQRO_DISCARD_MSG and not by_hand:
        reason = f"{why}, and MQRO_DISCARD_MSG is set"
        return Path(Next.DISCARD, 0, FinalPlace.LOST, "MQRO_DISCARD_MSG", reason)
    if not situation.dead_letter_problem:
        then = ": the program puts it there with an MQDLH"
        reason = why + (then if by_hand else ", and MQRO_DISCARD_MSG is not set")
        return Path(Next.DEAD_LETTER, 0, FinalPlace.DEAD_LETTER_QUEUE, "DEADQ", reason)
    why = f"{why}, and {situation.dead_letter_problem}"
    if by_hand:
        return Path(Next.KEEP, 0, FinalPlace.INPUT_QUEUE, "DEADQ", f"{why}: left in place")
    last = _after_both(client, situation)
    following, end = _ENDINGS[last.action]
    return Path(following, 0, end, _decider(client, last), f"{why}: {_why(client, last)}")


def _how(client: ClientKind) -> str:
    if client is ClientKind.MQI_BY_HAND:
        return "the program puts it there"
    if client is ClientKind.JMS_SYNC:
        return "requeued by the receive itself"
    if client in (ClientKind.JMS_ASYNC, ClientKind.ASF, ClientKind.JMSINPUT):
        return "requeued outside the unit of work"
    return "requeued in the unit of work, final at the commit"


def _after_both(client: ClientKind, situation: Situation) -> Decision:
    """What follows when neither queue takes it."""
    if client is ClientKind.ASF:
        # the ConnectionConsumer acts without a unit of work, and by the persistence (C-10)
        delivery, discard = ReceivedBy.SYNC_NON_TRANSACTED, PoisonDiscard.NP_ONLY
    else:
        delivery, discard = _DELIVERY[client], PoisonDiscard.ANY
    return disposition_after_failed_requeue(
        situation.report,
        delivery,
        dead_letter_failed=True,
        persistent=situation.persistent,
        poison_discard=discard,
    )


def _why(client: ClientKind, last: Decision) -> str:
    if client is ClientKind.ASF:
        kept = last.action is Disposition.RETURN
        return "persistent, so it stays" if kept else "not persistent, so it is discarded"
    if last.action is Disposition.RETURN:
        return "a listener returns it to the input queue"
    if last.action is Disposition.HOLD:
        outcome = "a commit loses it, a rollback brings it back"
        return f"{outcome} (taken to be as in JMS)" if client is ClientKind.XMS else outcome
    return "discarded, there is no unit of work to roll back"


def _decider(client: ClientKind, last: Decision) -> str:
    if client is ClientKind.ASF:
        return "Persistence"
    return "commit or rollback" if last.action is Disposition.HOLD else "DEADQ"


_FLOW: Final = {
    FlowAction.FAILURE: (Next.FAILURE_TERMINAL, FinalPlace.FLOW_DECIDES, "Failure terminal"),
    FlowAction.REQUEUE: (Next.REQUEUE, FinalPlace.BACKOUT_QUEUE, "BOQNAME"),
    FlowAction.DEAD_LETTER: (Next.DEAD_LETTER, FinalPlace.DEAD_LETTER_QUEUE, "DEADQ"),
    FlowAction.RETRY: (Next.DELIVER, FinalPlace.INPUT_QUEUE, "DEADQ"),
}


def _flow_path(situation: Situation, *, wired: bool) -> Path:
    policy, count = situation.policy, situation.backout_count
    most = attempts(policy)
    step = partial(
        decide_flow,
        policy=policy,
        failure_wired=wired,
        backout_failed=bool(situation.backout_problem),
        dead_letter_failed=bool(situation.dead_letter_problem),
    )
    last = step(max(count, most))
    following, end, decided_by = _FLOW[last.action]
    reason = last.reason
    if last.action is FlowAction.FAILURE:
        then = step(failure_end(policy)).action.value
        reason = f"{reason}; if that path fails too: {then}"
    if last.action is FlowAction.DEAD_LETTER and policy.requeue_queue:
        reason = f"{reason}: {situation.backout_problem}"
    if last.action is FlowAction.RETRY:
        problems = [situation.backout_problem, situation.dead_letter_problem]
        reason = f"{reason}: {', '.join(filter(None, problems))}; what is behind it waits"
    remaining = None if last.action is FlowAction.RETRY else max(0, most - count)
    if count >= most:
        return Path(following, remaining, end, decided_by, reason)
    return Path(
        Next.DELIVER, remaining, end, decided_by, f"attempt {count + 1} of {most}; then {reason}"
    )
