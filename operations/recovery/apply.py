"""`apply FILE` of a plan on messages: exactly what it says, unless something changed since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from mqtriage.backends.port import Backend, Match
from mqtriage.model.ids import format_id
from mqtriage.model.plan import Plan, PlannedMessage, Refusal
from mqtriage.model.result import Report
from mqtriage.model.units import agreeing
from mqtriage.mq.message import Message
from mqtriage.operations.copies.request import ActRequest, ByRulesText
from mqtriage.operations.engine.act_context import ActContext, act_report
from mqtriage.operations.engine.plan import (
    ChosenMessages,
    add_part,
    delay_header_note,
    dropped_note,
    jms_header_note,
    local_attributes,
    note_failing,
    note_stays,
    park_refusals,
    plan_messages,
    staged_facts,
    threshold_of,
)
from mqtriage.operations.ledger.plan_file import StoredPlan, read_plan
from mqtriage.operations.ledger.state import request_of
from mqtriage.operations.recovery.resume import carry_out_stored, refuse_elsewhere
from mqtriage.operations.rules.judge import judge_of
from mqtriage.operations.rules.plan import (
    Rehearsal,
    later_notes,
    rule_lines,
    runnable,
    stay_notes,
)
from mqtriage.operations.rules.targets import targets_of
from mqtriage.operations.rules.toml import read_rules
from mqtriage.operations.selection.duplicates import duplicate_key, duplicate_keys
from mqtriage.operations.selection.planned import is_as_planned
from mqtriage.operations.selection.selected import open_to_browse
from mqtriage.records import dataclass


@dataclass(slots=True)
class Application:
    """A plan file, and the plan it stands for as of now."""

    stored: StoredPlan
    plan: Plan


def plan_apply(
    backend: Backend,
    path: Path,
    guard: Callable[[ActRequest], ActRequest],
    *,
    content: bytes | None = None,
    signer: str = "",
) -> Application:
    """Read a plan file and compare it with the queues; what changed is a refusal.

    Args:
        guard: what every request is asked; returns it as it is carried out here.
        content: what *signer* signed; None reads the file.

    Raises:
        Refused: The guard said no.
        NotFound, StorageError, UsageError: The file is none, was cut, changed, or is for another
            queue manager.
    """
    stored = read_plan(path, content)
    refuse_elsewhere(backend, stored, f"plan {path}")
    stored.request = guard(stored.request)
    targets = {part.target: part.messages for part in stored.parts}
    only = next(iter(targets)) if len(targets) == 1 else None
    whole = Plan(stored.request.action, stored.request.queue, only)
    rules = _rehearsal(whole, stored.request, path)
    fates_of = [] if rules is None else [_fates(backend, stored.request, rules)]
    start = 0
    taken: Counter[str] = Counter()
    unfit: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for part in stored.parts:
        one = len(stored.parts) == 1  # as a rule; it may hold a million messages
        messages = stored.messages if one else stored.messages[start : start + part.messages]
        start += part.messages
        request = request_of(stored, part)
        judged = ChosenMessages(backend, request)
        changed = _changed(backend, request, messages, [judged.judge, *fates_of])
        now = plan_messages(backend, request, messages, None, judged.largest_bytes, taken)
        now.facts = staged_facts(judged.staged) | now.facts
        now.notes += delay_header_note(request, judged.delay_headers)
        now.notes += jms_header_note(judged.jms_headers)
        now.refusals = [_of_new_plan(refusal, alone=one) for refusal in now.refusals]
        add_part(whole, now, stored.request)
        whole.refusals += changed
        note_failing(whole, judged.failing)
        whole.unauthorised = whole.unauthorised or judged.unauthorised
        unfit += judged.unfit
        dropped += judged.dropped
    whole.messages = stored.messages
    threshold = threshold_of(local_attributes(backend, stored.request.queue))
    whole.refusals += park_refusals(backend, stored.request, whole.messages)
    whole.notes += dropped_note(dropped)
    note_stays(whole, stored.request, threshold, unfit)
    if rules is not None:
        whole.facts["rules"] = rule_lines(rules)
        whole.notes += later_notes(rules) + stay_notes(rules)
        note_failing(whole, rules.failing)
        whole.staying += sum(fate.action is None for fate in rules.fates)
    if len(targets) > 1:
        whole.facts["destinations"] = targets
    whole.facts |= {"plan": str(path), "planned_at": stored.at}
    whole.maker, whole.file = stored.maker, str(path)
    if signer:
        stored.maker = f"{stored.maker or 'not recorded'}, signed by {signer}"
    if stored.maker:
        whole.facts |= {"made": stored.maker}
    if stored.command:
        whole.facts |= {"planned_with": stored.command}
    return Application(stored, whole)


def note_as_planned(what: Application) -> None:
    """Add the notes that only the planner saw, marked as such.

    Somebody may have edited the file, so no note from it may read like one of this plan.
    """
    notes = [note for note in what.stored.notes if note not in what.plan.notes]
    what.plan.notes += ["when planned: " + note.replace("\n", "\\n") for note in notes]


def _of_new_plan(refusal: Refusal, *, alone: bool) -> Refusal:
    """With a hint for the command that wrote the plan: to choose other messages is up to that one.

    Args:
        alone: there is no other target, whose messages a limit would count as well.
    """
    hint = refusal.full_hint if alone else refusal.hint
    if hint.startswith("--"):
        hint = f"write a new plan with {hint}"
    elif hint.startswith("exclude "):
        hint = f"write a new plan: {hint}"
    return Refusal(refusal.text, hint)


def _rehearsal(plan: Plan, request: ActRequest, path: Path) -> Rehearsal | None:
    """Where the rules of a run come in; None for other plans."""
    if not isinstance(request.to, ByRulesText):
        return None
    return Rehearsal(plan, runnable(read_rules(request.to.table), f"plan {path}"))


def _fates(backend: Backend, request: ActRequest, rules: Rehearsal) -> Callable[[Message], None]:
    """Notes what the rules say of a message."""
    judge = judge_of(backend, request.queue, rules.table)
    targets = targets_of(backend, request)
    return lambda message: rules.fates.append(targets.fate(judge, message))


def _changed(
    backend: Backend,
    request: ActRequest,
    messages: Sequence[PlannedMessage],
    looks: Sequence[Callable[[Message], None]],
) -> list[Refusal]:
    """Why the plan is stale: messages that are not as they were, or were rolled back since.

    Args:
        looks: each gets those that are there.
    """
    local_attributes(backend, request.queue)
    handle = open_to_browse(backend, request.queue)
    duplicates = duplicate_keys(messages)
    seen: Counter[bytes] = Counter()
    gone: list[PlannedMessage] = []
    raised: list[tuple[PlannedMessage, int]] = []
    for planned in messages:
        key = duplicate_key(planned)
        if key in duplicates:
            seen[key] += 1
        nth = seen[key] or 1
        match = Match(msg_id=planned.msg_id, correl_id=planned.correl_id)
        there = [message for message in handle.browse(match) if is_as_planned(planned, message)]
        if len(there) < nth:
            gone.append(planned)
            continue
        for look in looks:
            look(there[nth - 1])
        if (now := there[nth - 1].md.backout_count) > planned.backout_count:
            raised.append((planned, now))
    handle.close()
    reasons = []
    if gone:
        reasons.append(
            f"{len(gone)} of {len(messages)} {agreeing(len(gone), 'are')} not on {request.queue}"
            f" as planned, the first is {format_id(gone[0].msg_id)}"
        )
    if raised:
        first, now = raised[0]
        reasons.append(
            f"{len(raised)} of {len(messages)} on {request.queue}"
            f" {agreeing(len(raised), 'have')} been rolled back since,"
            f" the first is {format_id(first.msg_id)} (BackoutCount {first.backout_count} then, "
            f"{now} now)"
        )
    hint = "write a new plan with --plan FILE"
    return [Refusal(f"the plan is stale: {why}", hint) for why in reasons]


def apply(backend: Backend, what: Application, context: ActContext) -> Report:
    """Carry the plan out."""
    report = act_report(what.stored.request, what.plan.count)
    report.details = {"plan": what.plan.facts["plan"]}
    return carry_out_stored(backend, what.stored, report, context)
