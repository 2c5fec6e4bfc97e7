"""What the delivery delay processor does with a message whose put to the target failed.

One pure function, `outcome`, from what has been tried to the ordered steps. A fact that is not
known yet is None, and the steps then end with the one to try: an emulator asks, tries, fills in the
reason, and asks again, until the last step is an end (COMMIT or KEEP).

Source: IBM MQ documentation, "JMS 2.0 delivery delay", Failure to put to target queue; DD-94 to
DD-105, C-17.
"""

from __future__ import annotations

from enum import StrEnum

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers.dlh import DLH
from mqtriage.records import NamedTuple, dataclass


class StepKind(StrEnum):
    """One thing the processor does, all of them in one unit of work."""

    DELIVER = "deliver"
    DISCARD = "discard"
    DEAD_LETTER = "dead-letter"
    """Put the message, with an MQDLH, to DEADQ."""
    REPORT = "report"
    """Put an exception report to ReplyToQ."""
    DEAD_LETTER_REPORT = "dead-letter-report"
    """Put that report, with an MQDLH, to DEADQ."""
    DROP_REPORT = "drop-report"
    COMMIT = "commit"
    """An end: the staged copy is gone, what was put stays."""
    KEEP = "keep"
    """An end: everything is backed out, the message stays staged and is tried again later."""


class Step(NamedTuple):
    """One step and why."""

    kind: StepKind
    reason: str


@dataclass(frozen=True, slots=True)
class DueMessageFacts:
    """What is known of one due message; reasons are MQRC_* numbers, 0 worked, None not tried.

    Attributes:
        target_reason: put to the target, or to the subscriber's queue.
        report: Report bits as the sender set them.
        persistent: MQMD.Persistence is MQPER_PERSISTENT.
        publication: it is one subscriber's copy of a publication.
        subscriber_gone: unsubscribed, or non-durable and disconnected (DD-102, DD-103).
        dead_letter_reason: put of the message to DEADQ.
        report_reason: put of the exception report to ReplyToQ.
        report_dead_letter_reason: put of that report to DEADQ.
        uses_dead_letter_queue: False for a publication on a topic with USEDLQ(NO).
    """

    target_reason: int
    report: int = 0
    persistent: bool = False
    publication: bool = False
    subscriber_gone: bool = False
    dead_letter_reason: int | None = None
    report_reason: int | None = None
    report_dead_letter_reason: int | None = None
    uses_dead_letter_queue: bool = True


def outcome(facts: DueMessageFacts) -> tuple[Step, ...]:
    """The steps for one due message, in order; the last is an end or the one to try next."""
    if facts.target_reason == 0 and not facts.subscriber_gone:
        return (
            Step(StepKind.DELIVER, "the target took it"),
            Step(StepKind.COMMIT, "delivered"),
        )
    if facts.subscriber_gone:
        taken = Step(StepKind.DISCARD, "the subscriber is gone")
    elif facts.report & cmqc.MQRO_DISCARD_MSG:
        taken = Step(StepKind.DISCARD, f"put failed {facts.target_reason}, MQRO_DISCARD_MSG is set")
    elif not facts.uses_dead_letter_queue:
        taken = Step(
            StepKind.DISCARD, f"put failed {facts.target_reason}, its topic has USEDLQ(NO)"
        )
    else:
        taken = Step(StepKind.DEAD_LETTER, f"put failed {facts.target_reason}")
        if facts.dead_letter_reason is None:
            return (taken,)
        if facts.dead_letter_reason:
            return (taken, *_after_failed_dead_letter(facts, facts.dead_letter_reason))
    return (taken, *_report(facts))


def _after_failed_dead_letter(facts: DueMessageFacts, reason: int) -> tuple[Step, ...]:
    """A publication is lost (DD-105), anything else waits (DD-96); the action failed: no report."""
    failed = f"put to the dead-letter queue failed {reason}"
    if facts.publication:
        return (
            Step(StepKind.DISCARD, f"{failed}; a publication is not tried again"),
            Step(StepKind.COMMIT, "discarded"),
        )
    return (Step(StepKind.KEEP, f"{failed}; tried again later"),)


def _report(facts: DueMessageFacts) -> tuple[Step, ...]:
    """What follows an action that worked: the exception report, where one was asked for."""
    if not facts.report & cmqc.MQRO_EXCEPTION:
        return (Step(StepKind.COMMIT, "no exception report was requested"),)
    report = Step(StepKind.REPORT, "an exception report was requested")
    if facts.report_reason is None:
        return (report,)
    if facts.report_reason == 0:
        return report, Step(StepKind.COMMIT, "report sent")
    dead = Step(StepKind.DEAD_LETTER_REPORT, f"put to ReplyToQ failed {facts.report_reason}")
    if facts.report_dead_letter_reason is None:
        return report, dead
    if facts.report_dead_letter_reason == 0:
        return report, dead, Step(StepKind.COMMIT, "report is on the dead-letter queue")
    failed = f"put to the dead-letter queue failed {facts.report_dead_letter_reason}"
    if facts.persistent:
        return report, dead, Step(StepKind.KEEP, f"{failed}; persistent, so all is backed out")
    return (
        report,
        dead,
        Step(StepKind.DROP_REPORT, f"{failed}; not persistent, so only the report is lost"),
        Step(StepKind.COMMIT, "without the report"),
    )


def dead_letter_header(
    md: MQMD, reason: int, *, queue: str, queue_manager: str, put_date: str, put_time: str
) -> DLH:
    """The MQDLH that a queue manager puts in front of a message it redirects (DD-95).

    Encoding, CodedCharSetId and Format move from the descriptor into the header; the descriptor
    of the new message then has Format MQDEAD and keeps the remaining Expiry (EX-48).

    Args:
        md: descriptor of the message before the header is put in front of it.
        reason: MQRC_* or MQFB_* that says why.
        queue_manager: the one that redirects; its first 28 characters become PutApplName.
        put_date, put_time: now, ``YYYYMMDD`` and ``HHMMSSTH``, UTC.
    """
    return DLH(
        reason=reason,
        dest_q_name=queue,
        dest_q_mgr_name=queue_manager,
        encoding=md.encoding,
        ccsid=md.ccsid,
        format=md.format,
        put_appl_type=cmqc.MQAT_QMGR,
        put_appl_name=queue_manager[: cmqc.MQ_PUT_APPL_NAME_LENGTH],
        put_date=put_date,
        put_time=put_time,
    )
