"""`backout requeue --to origin`: each message back to the queue that it was backed out from.

A message is moved only where its origin is sure: its JMS destination is a queue whose BOQNAME
leads to this one. Each origin is an act of its own, one after the other, with its own archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.commands.act_marks import planned
from mqtriage.commands.act_plan import ActRequest, local_attributes, plan_messages
from mqtriage.commands.acts import carry_out, journalled, stored_plan
from mqtriage.commands.backout_origin import candidates, destination_of, origin_name
from mqtriage.commands.conduct import Conduct
from mqtriage.commands.journal import Entry
from mqtriage.commands.journal_lines import INTERRUPTED, STOPPED
from mqtriage.commands.selecting import open_to_browse, refuse_unknown_due, selected
from mqtriage.commands.spool import Spool, outcomes, planned_messages
from mqtriage.model.ids import format_id
from mqtriage.model.plan import Plan, PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.model.selection import Selection
from mqtriage.mq.errors import ConnectionFailed, MQTriageError

ORIGIN: Final = "origin"
"""What stands for the target of the whole act."""


@dataclass(frozen=True, slots=True)
class OriginPlan:
    """The act as a whole, a plan for each origin, and the messages that stay.

    Attributes:
        whole: for the guards and for people; its messages are those of *parts*, in their order.
        parts: one plan an origin, `target` being the origin.
        stay: skipped, each with the reason.
    """

    whole: Plan
    parts: list[Plan] = field(default_factory=list)
    stay: list[ItemOutcome] = field(default_factory=list)


def plan_origins(backend: Backend, request: ActRequest, selection: Selection) -> OriginPlan:
    """Browse the backout queue and plan each message's way back; nothing is changed.

    Args:
        backend: read-only.
        request: its target is not looked at.

    Raises:
        UsageError: Not a name.
        ObjectNotFound: No such queue.
    """
    refuse_unknown_due(backend, selection)
    base = str(local_attributes(backend, request.queue)["QNAME"])
    queues = {queue.name: queue for queue in backend.queues("*")}
    known = candidates(queues, base)
    groups: dict[str, Spool[PlannedMessage]] = {}
    stay: list[ItemOutcome] = []
    for message in selected(backend, open_to_browse(backend, request.queue), selection):
        sent_to = destination_of(message)
        origin = origin_name(queues, known, sent_to)
        if origin is not None:
            groups.setdefault(origin, planned_messages()).append(planned(message))
            continue
        why = (
            "origin unknown: no JMS destination in the message"
            if sent_to is None
            else f"origin unknown: BOQNAME of its destination {sent_to} does not lead here"
        )
        stay.append(ItemOutcome(format_id(message.md.msg_id), Outcome.SKIPPED, why))
    parts = [
        plan_messages(backend, replace(request, target=origin), messages)
        for origin, messages in groups.items()
    ]
    return OriginPlan(_whole(request, parts, stay), parts, stay)


def _whole(request: ActRequest, parts: list[Plan], stay: list[ItemOutcome]) -> Plan:
    messages = planned_messages(message for part in parts for message in part.messages)
    whole = Plan(request.action, request.queue, ORIGIN, messages)
    reports: dict[str, int] = {}
    for part in parts:
        whole.notes += [note for note in part.notes if note not in whole.notes]
        whole.refusals += part.refusals
        whole.facts.update(part.facts)
        for option, count in part.reports.items():
            reports[option] = reports.get(option, 0) + count
    whole.reports = reports
    whole.count = len(whole.messages)
    whole.facts["origins"] = {str(part.target): part.count for part in parts}
    reasons: dict[str, int] = {}
    for item in stay:
        reasons[item.reason] = reasons.get(item.reason, 0) + 1
    whole.notes += [f"{count} will be skipped: {reason}" for reason, count in reasons.items()]
    if stay and not parts:
        reason, count = next(iter(reasons.items()))
        whole.refusals.append(
            (
                f"no origin, no move: {count} of {len(stay)}: {reason}",
                f"mqtriage backout origin {request.queue} shows what is known; --to QUEUE names it",
            )
        )
    return whole


def requeue_to_origins(
    backend: Backend,
    request: ActRequest,
    plan: OriginPlan,
    conduct: Conduct,
) -> Report:
    """Carry out one plan after the other, and report them as one.

    An origin that takes no message does not hold up the next one; a lost connection ends it all.

    Raises:
        MQTriageError: Nothing was done, and this is why.
    """
    report = Report(
        f"{request.action.capitalize()}Report",
        request.action,
        request.queue,
        ORIGIN,
        planned=plan.whole.count + len(plan.stay),
        items=outcomes(plan.stay),
        details={"origins": {}, "archives": {}, "removed_bytes": 0, "backout_counts_raised": {}},
    )
    stored = stored_plan(backend, request, plan.parts)
    with journalled(conduct, stored) as entry:
        report.op = entry.op
        first = _carry_out_parts(backend, request, plan.parts, entry, conduct, report)
        report.changed = report.count(Outcome.DONE) + report.count(Outcome.PARKED) > 0
        if first is not None and not report.changed:
            raise first
    return report


def _carry_out_parts(
    backend: Backend,
    request: ActRequest,
    parts: Sequence[Plan],
    entry: Entry,
    conduct: Conduct,
    report: Report,
) -> MQTriageError | None:
    """One origin after the other; returns the first error that ended one."""
    first: MQTriageError | None = None
    lost: MQTriageError | None = None
    number = 1
    for part in parts:
        if lost is not None:
            report.items.extend(_all(part, Outcome.SKIPPED, f"not tried: {lost.text}"))
            continue
        if conduct.should_stop():
            report.interrupted = True
            entry.ended = INTERRUPTED
            break
        numbered = enumerate(part.messages, number)
        number += len(part.messages)
        try:
            own = replace(request, target=part.target)
            done = carry_out(backend, own, entry, numbered, part.count, conduct)
        except MQTriageError as error:
            first = first or error
            lost = error if isinstance(error, ConnectionFailed) else None
            entry.ended = STOPPED
            report.items.extend(_all(part, Outcome.FAILED, error.text))
            report.warnings.append(f"{part.target}: {error.text}")
            continue
        _add(report, part, done)
        if done.interrupted:
            break
    return first


def _add(report: Report, part: Plan, done: Report) -> None:
    """Take the report of one origin into the whole one."""
    report.items.extend(done.items)
    report.interrupted = done.interrupted
    for queue, depth in done.before.items():
        report.before.setdefault(queue, depth)
    report.after.update(done.after)
    report.warnings += done.warnings
    details = report.details
    details["origins"][part.target] = done.count(Outcome.DONE)
    if done.details.get("archive"):
        details["archives"][part.target] = done.details["archive"]
    details["removed_bytes"] += done.details.get("removed_bytes", 0)
    details["backout_counts_raised"].update(done.details.get("backout_counts_raised", {}))


def _all(part: Plan, outcome: Outcome, why: str) -> Iterator[ItemOutcome]:
    return (ItemOutcome(format_id(each.msg_id), outcome, why) for each in part.messages)
