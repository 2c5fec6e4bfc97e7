"""A requeue of messages that each have a queue of their own to go to.

The messages are grouped by that queue. Each group is planned and carried out by itself, one after
the other, all under one operation of the journal; what has nowhere to go stays, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.model.plan import Plan, Refusal
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import first_of, most_first
from mqtriage.mq.errors import ConnectionFailed, MQIError, MQTriageError, UsageError
from mqtriage.mq.message import Message
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.act_context import ActContext, Parts, act_report
from mqtriage.operations.engine.carry_out import add_course, carry_out, journalled, stored_plan
from mqtriage.operations.engine.outlets import ask_source
from mqtriage.operations.engine.plan import (
    ChosenMessages,
    add_part,
    dropped_note,
    jms_header_note,
    local_attributes,
    note_stays,
    park_refusals,
    plan_messages,
    threshold_of,
)
from mqtriage.operations.engine.unit_of_work import item_of
from mqtriage.operations.ledger.journal import JournalEntry
from mqtriage.operations.ledger.units import INTERRUPTED
from mqtriage.operations.selection.planned import to_planned
from mqtriage.operations.selection.spool import planned_messages
from mqtriage.records import dataclass

DESTINATION: Final = "destination"
"""The word of groups whose targets dead-letter headers name."""
_MOST_REASONS: Final = 3


@dataclass(frozen=True, slots=True)
class GroupedPlan:
    """The act as a whole, a plan for each target, and the messages that stay.

    Attributes:
        whole: for the guards and for people; its messages are those of *parts*, in their order.
        parts: one plan a target.
        stay: skipped, each with the reason.
    """

    whole: Plan
    parts: list[Plan] = field(default_factory=list)
    stay: list[ItemOutcome] = field(default_factory=list)


class QueueGroups:
    """Messages by the queue that each is to go to, and those that have none."""

    def __init__(self, backend: Backend, request: ActRequest) -> None:
        """Args: request: its target is not looked at."""
        self.backend = backend
        self.request = request
        self.by_target: dict[str, ChosenMessages] = {}
        self.stay: list[ItemOutcome] = []

    def add(self, message: Message, target: str) -> None:
        """Add one that was browsed."""
        if target not in self.by_target:
            self.by_target[target] = ChosenMessages(
                self.backend, replace(self.request, target=target)
            )
        self.by_target[target].add(message)

    def leave(self, message: Message, why: str) -> None:
        """Add one that has nowhere to go."""
        self.stay.append(item_of(to_planned(message), Outcome.SKIPPED, why))


def plan_groups(groups: QueueGroups, *, word: str, hint: str) -> GroupedPlan:
    """Plan each group; one whose target there is not stays.

    Args:
        word: what stands for the target of the whole act, and in plural for what there are.
        hint: what to do where no message has one.
    """
    backend, request, stay = groups.backend, groups.request, groups.stay
    ask_source(backend, request.queue)
    parts = []
    taken: Counter[str] = Counter()
    unfit: Counter[str] = Counter()
    for target, chosen in groups.by_target.items():
        messages = chosen.messages
        try:
            own = replace(request, target=target)
            largest = chosen.largest_bytes
            parts.append(plan_messages(backend, own, messages, None, largest, taken))
            unfit += chosen.unfit
        except (UsageError, MQIError) as error:
            if isinstance(error, ConnectionFailed):
                raise
            stay += [item_of(message, Outcome.SKIPPED, error.text) for message in messages]
    whole = _whole(request, parts, stay, word, hint)
    whole.refusals += park_refusals(backend, request, whole.messages)
    whole.notes += jms_header_note(sum(one.jms_headers for one in groups.by_target.values()))
    dropped: Counter[str] = Counter()
    for one in groups.by_target.values():
        dropped += one.dropped
    whole.notes += dropped_note(dropped)
    note_stays(whole, request, threshold_of(local_attributes(backend, request.queue)), unfit)
    return GroupedPlan(whole, parts, stay)


def _whole(
    request: ActRequest, parts: list[Plan], stay: list[ItemOutcome], word: str, hint: str
) -> Plan:
    messages = planned_messages(message for part in parts for message in part.messages)
    whole = Plan(request.action, request.queue, word, messages)
    for part in parts:
        add_part(whole, part, request)
    # a limit alone would count the messages of the other targets
    whole.refusals = [refusal._replace(limit=0) for refusal in whole.refusals]
    if word == DESTINATION:
        whole.first = options_for_the_rest(parts)
    whole.facts[f"{word}s"] = {str(part.target): part.count for part in parts}
    reasons = Counter(item.reason for item in stay)
    whole.notes += [f"{count} more will be skipped: {reason}" for reason, count in reasons.items()]
    whole.left_out = len(stay)
    if stay and not parts:
        every = [f"{count} of {len(stay)}: {why}" for why, count in most_first(reasons)]
        shown = "; ".join(first_of(every, _MOST_REASONS, "reason"))
        whole.refusals.append(Refusal(f"no {word}, no move: {shown}", hint))
    return whole


def options_for_the_rest(parts: Sequence[Plan]) -> tuple[str, ...]:
    """With which dead letters are requeued that their destinations take; none where all can go."""
    names = [str(part.target) for part in parts if part.refusals]
    if len(names) < len(parts):
        listed = ", ".join(f"'{name}'" for name in names)
        rest = sum(part.count for part in parts if not part.refusals)
        return (f"--where dest not in ({listed})", f"--expect {rest}") if names else ()
    for part in parts:
        if len(part.refusals) == 1 and (limit := part.refusals[0].limit):
            # of more refusals one would be left with a smaller number, too
            return f"--dest {shell_word(str(part.target))}", f"--limit {limit}", f"--expect {limit}"
    return ()


def carry_out_groups(
    backend: Backend, request: ActRequest, plan: GroupedPlan, context: ActContext
) -> Report:
    """Carry out one plan after the other, and report them as one.

    A target that takes no message does not hold up the next one; a lost connection ends it all.
    """
    key = f"{plan.whole.target}s"
    report = act_report(request, plan.whole.count + len(plan.stay), plan.stay)
    report.target = plan.whole.target
    report.details = {key: {}, "archives": {}, "removed_bytes": 0, "backout_counts_raised": {}}
    stored = stored_plan(backend, request, plan.parts)
    with journalled(context, stored) as entry:
        report.op = entry.op
        first = _carry_out_parts(backend, request, plan.parts, entry, context, report, key)
        report.changed = report.count(Outcome.DONE) + report.count(Outcome.PARKED) > 0
        if first is not None and not report.changed:
            raise first
    return report


def _carry_out_parts(
    backend: Backend,
    request: ActRequest,
    parts: Sequence[Plan],
    entry: JournalEntry,
    context: ActContext,
    report: Report,
    key: str,
) -> MQTriageError | None:
    """One target after the other; returns the first error that ended one."""
    first: MQTriageError | None = None
    lost: MQTriageError | None = None
    number = 1
    contexts = Parts(context, report, request.rate_per_s)
    for part in parts:
        if lost is not None:
            report.items.extend(_all(part, Outcome.SKIPPED, f"not tried: {lost.text}"))
            continue
        if context.should_stop():
            report.interrupted = True
            entry.ended = INTERRUPTED
            break
        numbered = enumerate(part.messages, number)
        number += len(part.messages)
        try:
            own = replace(request, target=part.target)
            done = carry_out(backend, own, entry, numbered, part.count, contexts.next())
        except MQTriageError as error:
            first = first or error
            lost = error if isinstance(error, ConnectionFailed) else None
            entry.stopped(error)
            report.items.extend(_all(part, Outcome.FAILED, error.text))
            report.warnings.append(f"{part.target}: {error.text}")
            continue
        report.items.extend(done.items)
        add_course(report, done)
        details = report.details
        details[key][part.target] = done.count(Outcome.DONE)
        if done.details.get("archive"):
            details["archives"][part.target] = done.details["archive"]
        if done.interrupted:
            break
    return first


def _all(part: Plan, outcome: Outcome, why: str) -> Iterator[ItemOutcome]:
    return (item_of(message, outcome, why) for message in part.messages)
