"""Poison messages: where a backed-out message goes next, and why.

The queue manager takes no action on BOTHRESH and BOQNAME; these are the decisions of a JMS client
(MessageConsumer, JMSConsumer or MessageListener), as pure functions for `backout explain`,
`backout move` and the simulated consumers. A consumer asks `decide` when it has got a message.
If the put to BOQNAME fails, or if it was told DEAD_LETTER, it asks
`disposition_after_failed_requeue`, first with the dead-letter put untried, then with its outcome.

Source: IBM MQ documentation, "Handling poison messages in IBM MQ classes for JMS"; PM-09 to PM-54.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.records import dataclass


class Disposition(StrEnum):
    """What becomes of a message."""

    DELIVER = "deliver"
    """The application gets it."""
    REQUEUE = "requeue"
    """Put to BOQNAME."""
    DISCARD = "discard"
    """Gone for good."""
    DEAD_LETTER = "dead-letter"
    """Put to the queue manager's dead-letter queue."""
    RETURN = "return"
    """Back on the input queue."""
    HOLD = "hold"
    """Got in a unit of work that is still open: lost if it commits, back if it rolls back."""


class ReceivedBy(StrEnum):
    """How the message came to the application; decides what two failed puts lead to."""

    SYNC_TRANSACTED = "sync-transacted"
    SYNC_NON_TRANSACTED = "sync-non-transacted"
    ASYNC = "async"
    """A MessageListener, transacted or not."""


class UnitEnding(StrEnum):
    """How a unit of work ended."""

    COMMIT = "commit"
    ROLLBACK = "rollback"


class PoisonDiscard(StrEnum):
    """Which messages may be lost when neither queue takes them (C-10)."""

    ANY = "any"
    """IBM's page for MessageConsumer, which does not speak of persistence."""
    NP_ONLY = "np-only"
    """The reading of BO-39: only nonpersistent ones; a persistent one returns."""


@dataclass(frozen=True, slots=True)
class BackoutPolicy:
    """BOTHRESH and BOQNAME of the local queue that the message was got from.

    Attributes:
        threshold: BOTHRESH in rollbacks, 0 to 999 999 999; 0 turns poison handling off.
        requeue_queue: BOQNAME; "" when blank.
    """

    threshold: int
    requeue_queue: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do, why, and the queue to put to where one is named."""

    action: Disposition
    reason: str
    queue: str = ""


GREATEST_THRESHOLD: Final = 10
"""A message that failed so often fails again: lint advises no BOTHRESH above this."""
NEVER_REACHED: Final = 100
"""A BOTHRESH above this is hardly meant: a message would fail that many times before it moves."""
OFF: Final = BackoutPolicy(0)
"""The attributes of a queue as defined by default (PM-14)."""


def too_high(threshold: int, limit: int = NEVER_REACHED) -> str:
    """What is wrong with a BOTHRESH above *limit*; "" up to it."""
    if threshold <= limit:
        return ""
    return f"BOTHRESH({threshold}) is above {limit}: a poison message fails that many times"


def is_poison(backout_count: int, threshold: int) -> bool:
    """Whether BackoutCount has reached BOTHRESH; never while BOTHRESH is 0 (PM-11, PM-14)."""
    return 0 < threshold <= backout_count


def near_threshold(backout_count: int, threshold: int, within: int = 1) -> bool:
    """Whether *within* more rollbacks, or fewer, make it poison; true of a poison one as well."""
    return threshold > 0 and backout_count + within >= threshold


def decide(backout_count: int, report: int, policy: BackoutPolicy) -> Decision:
    """Choose where a message goes, from its backout count and the queue's policy.

    Args:
        backout_count: MQMD.BackoutCount, in rollbacks, 0 or more.
        report: MQMD.Report bits. MQRO_DEAD_LETTER_Q is 0, so only MQRO_DISCARD_MSG can be seen
            to be set (PM-45).

    Returns:
        What to do, why, and the queue to put to when BOQNAME names one.

    Raises:
        ValueError: If *backout_count* or the threshold is negative.
    """
    if backout_count < 0:
        raise ValueError(f"BackoutCount is {backout_count}, expected 0 or more")
    if policy.threshold < 0:
        raise ValueError(f"BOTHRESH is {policy.threshold}, expected 0 or more")
    if backout_count == 0:
        return Decision(Disposition.DELIVER, "never rolled back")
    if policy.threshold == 0:
        return Decision(Disposition.DELIVER, "BOTHRESH is 0, poison handling is off")
    if backout_count < policy.threshold:
        return Decision(Disposition.DELIVER, f"rolled back {backout_count} of {policy.threshold}")
    reached = f"rolled back {backout_count} times, BOTHRESH is {policy.threshold}"
    if policy.requeue_queue:
        return Decision(Disposition.REQUEUE, reached, policy.requeue_queue)
    if report & cmqc.MQRO_DISCARD_MSG:
        return Decision(
            Disposition.DISCARD, f"{reached}, BOQNAME is blank, MQRO_DISCARD_MSG is set"
        )
    return Decision(Disposition.DEAD_LETTER, f"{reached}, BOQNAME is blank")


def disposition_after_failed_requeue(
    report: int,
    delivery: ReceivedBy,
    *,
    dead_letter_failed: bool = False,
    ending: UnitEnding | None = None,
    persistent: bool = False,
    poison_discard: PoisonDiscard = PoisonDiscard.ANY,
) -> Decision:
    """Choose what follows when a poison message could not be put to BOQNAME, or BOQNAME is blank.

    Args:
        dead_letter_failed: the put to the dead-letter queue was tried and failed, or there is
            none (DEADQ blank).
        ending: how the application's unit of work ended; None while it is open. Counts for
            SYNC_TRANSACTED alone.
        persistent: MQMD.Persistence is MQPER_PERSISTENT.
        poison_discard: NP_ONLY keeps persistent messages when both queues fail (C-10).

    Returns:
        DEAD_LETTER (try it), DISCARD, RETURN, or HOLD while the unit of work is open.

    Source: rows 6 to 13 of the JMS decision table; PM-13, PM-43 to PM-48, PM-51 to PM-54, BO-39.
    """
    if report & cmqc.MQRO_DISCARD_MSG:
        return Decision(Disposition.DISCARD, "MQRO_DISCARD_MSG is set")
    if not dead_letter_failed:
        return Decision(Disposition.DEAD_LETTER, "MQRO_DISCARD_MSG is not set")
    failed = "the put to the dead-letter queue failed"
    if delivery is ReceivedBy.ASYNC:
        return Decision(Disposition.RETURN, f"{failed}; a listener returns the message")
    if persistent and poison_discard is PoisonDiscard.NP_ONLY:
        return Decision(Disposition.RETURN, f"{failed}; persistent, and poison_discard is np-only")
    if delivery is ReceivedBy.SYNC_NON_TRANSACTED:
        return Decision(
            Disposition.DISCARD, f"{failed}; without a unit of work the message is lost"
        )
    if ending is None:
        return Decision(
            Disposition.HOLD, f"{failed}; a commit loses the message, a rollback keeps it"
        )
    if ending is UnitEnding.ROLLBACK:
        return Decision(Disposition.RETURN, f"{failed}; the unit of work was rolled back")
    return Decision(Disposition.DISCARD, f"{failed}; the unit of work was committed")
