"""What becomes of a message that its queue refused, on its way from a delay or over a channel."""

from __future__ import annotations

from dataclasses import replace

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.arrival import dead_letter, make_report, send_report
from mqtriage.mq.deadletter import DueMessageFacts, StepKind, outcome
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.reports import ReportKind


def dispose(
    manager: Manager,
    facts: DueMessageFacts,
    target: str,
    md: MQMD,
    body: bytes,
    expires_us: int | None,
    now_us: int,
) -> bool:
    """Dead-letter, discard and report as `mq.deadletter.outcome` says; whether it is done.

    Inside a transaction.
    """
    report = None
    while True:
        kind = outcome(facts)[-1].kind
        if kind in (StepKind.COMMIT, StepKind.KEEP):
            return kind is StepKind.COMMIT
        reason = facts.target_reason
        if kind is StepKind.DEAD_LETTER:
            why = dead_letter(manager, md, body, reason, target, now_us, expires_us)
            facts = replace(facts, dead_letter_reason=why)
            continue
        if report is None:
            report = make_report(manager, ReportKind.EXCEPTION, md, body, now_us, reason=reason)
        if kind is StepKind.REPORT:
            facts = replace(facts, report_reason=send_report(manager, report, now_us))
        else:
            refused = facts.report_reason or 0
            why = dead_letter(manager, report.md, report.body, refused, report.queue, now_us, None)
            facts = replace(facts, report_dead_letter_reason=why)
