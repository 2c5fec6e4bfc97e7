"""The plan of `dlq run`: which rule takes which message, and what stays.

Nothing is changed here; `operations/rules/carry_out.py` carries it out.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from typing import Any, Final

from mqtriage.backends.name_resolution import put_path
from mqtriage.backends.port import Backend
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.ids import format_id
from mqtriage.model.plan import EXPIRY_NOTE, Plan
from mqtriage.model.result import Document, Listing, Show, column, columns_of, keys_of
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import agreeing, count_text, duration_text
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQTriageError, Refused, UsageError
from mqtriage.mq.reports import ReportKind, kinds_requested
from mqtriage.mq.rules_table.parser import RulesTable
from mqtriage.mq.rules_table.table import shadowed
from mqtriage.operations.copies.copy import CopyOptions
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.act_context import Pace
from mqtriage.operations.engine.outlets import ask_source
from mqtriage.operations.engine.plan import (
    batch_notes,
    delivery_refusals,
    failing_notes,
    lifetime_warning,
    note_failing,
    pace_facts,
    park_refusals,
    unit_size,
)
from mqtriage.operations.rules.judge import Fate, Judge, why_left
from mqtriage.operations.rules.origin import dead_letter_queue
from mqtriage.operations.rules.targets import PUTS, Targets
from mqtriage.operations.selection.due_reading import with_due_reading
from mqtriage.operations.selection.planned import to_planned
from mqtriage.operations.selection.selected import selected
from mqtriage.operations.selection.spool import planned_messages
from mqtriage.operations.selection.whole_ids import with_whole_ids
from mqtriage.records import dataclass

ACTION: Final = "handle"
REPORTED: Final = "a confirmation on delivery (COD) is requested, which needs --allow-reports"


@dataclass(frozen=True, slots=True, kw_only=True)
class FateRecord:
    """A message that was looked at, with the rule that takes it; None where none does."""

    msg_id: str = column("MSGID", Show.ID, 48)
    rule: int | None = column("RULE", Show.NUMBER, 4)
    line: int | None = column("LINE", Show.NUMBER, 4)
    action: str = column("ACTION", Show.TEXT, 7)
    target: str | None = column("TARGET", Show.NAME, 20)
    why: str = column("WHY", Show.TEXT, 40)
    fails: bool = column("FAILS", Show.FLAG, wide=True, default=False)
    user: str | None = column("USER", Show.TEXT, 12, wide=True)


_FIRST_MESSAGES: Final = 5
"""How many messages a rehearsal shows to people, so that its rules stay on the screen."""
_COMPARED: Final = 1_000
"""Messages for which a plan says which rules would match if they meant the MQDLH."""


@dataclass(slots=True)
class Rehearsal:
    """The plan with the fate of every message that was looked at.

    Attributes:
        by_header: rules, by number, that would take a message if they were compared with its MQDLH.
    """

    plan: Plan
    table: RulesTable
    fates: list[Fate] = field(default_factory=list)
    by_header: dict[int, str] = field(default_factory=dict)

    @property
    def failing(self) -> Counter[str]:
        """Why messages would fail as things are now, and how many; "" for those that would not."""
        return Counter(fate.fails for fate in self.fates)


def runnable(table: RulesTable, file: str) -> RulesTable:
    """*table*, if it can be run; else its first error is raised."""
    if table.errors:
        more = len(table.errors) - 1
        also = f" (and {more} more)" if more else ""
        raise UsageError(
            f"{file}: {table.errors[0]}{also}",
            hint=f"mqtriage dlq rules {shell_word(file)} lists all",
        )
    return table


def queue_of(backend: Backend, table: RulesTable, queue: str | None) -> str:
    """The queue to work on: the option, INPUTQ of the table, DEADQ of the queue manager.

    Raises:
        Refused: INPUTQM is another queue manager.
        NotFound: There is none.
    """
    manager = table.control.inputqm
    if manager and manager != backend.queue_manager:
        raise Refused(
            f"INPUTQM of the rules table is {manager}, this is {backend.queue_manager}",
            hint=f"-m {shell_word(manager)}, or remove INPUTQM from the table",
            object_name=backend.queue_manager,
        )
    return queue or table.control.inputq or dead_letter_queue(backend)


def plan_rules(
    backend: Backend,
    request: ActRequest,
    judge: Judge,
    selection: Selection,
    *,
    most: int | None = None,
    leave_reported: bool = False,
    targets: Targets | None = None,
) -> Rehearsal:
    """Browse the queue and find the rule of each message; nothing is changed.

    Args:
        selection: the messages that are shown to the rules.
        most: plan so many at most.
        leave_reported: leave messages whose get would tell their sender "delivered", where
            otherwise the whole plan is refused.
        targets: what the rules put to, where it is to be asked what an attempt would meet.
    """
    selection = with_due_reading(backend, selection)
    selection, id_notes = with_whole_ids(backend, request.queue, selection)
    plan = Plan(ACTION, request.queue, notes=[EXPIRY_NOTE, *id_notes])
    if targets is not None:
        ask_source(backend, request.queue)
    rehearsal = Rehearsal(plan, judge.table)
    reports: Counter[str] = Counter()
    plan.messages = messages = planned_messages()
    comparable = judge.comparable()
    for message in selected(backend, request.queue, selection):
        if comparable and len(rehearsal.fates) < _COMPARED:
            rehearsal.by_header |= judge.by_header(message, comparable)
            comparable = [rule for rule in comparable if rule.number not in rehearsal.by_header]
        fate = judge.fate(message) if targets is None else targets.fate(judge, message)
        if leave_reported and fate.action is not None and message.md.report & cmqc.MQRO_COD:
            fate = fate._replace(action=None, why=REPORTED)
        if most is not None and fate.action is not None and len(messages) >= most:
            break
        rehearsal.fates.append(fate)
        if fate.action is not None:
            messages.append(to_planned(message))
            reports.update(str(kind) for kind in kinds_requested(message.md.report))
    plan.count = len(plan.messages)
    plan.reports = reports
    batch = unit_size(backend, [request])
    for rule in judge.table.rules:
        batch = Pace(rule.rate_per_s).batch(batch)
    plan.facts = {
        **pace_facts(request, batch, plan.count),
        "archive": str(request.archive) if request.archive else "off: nothing is archived",
        "rules": rule_lines(rehearsal),
    }
    plan.notes += batch_notes(backend, [request], plan.count)
    plan.notes += later_notes(rehearsal) + stay_notes(rehearsal)
    if targets is not None:
        plan.warnings += _lifetime_warnings(backend, rehearsal, request.copy)
    note_failing(plan, rehearsal.failing)
    plan.refusals += park_refusals(backend, request, messages)
    if not request.allow_reports:
        plan.refusals += delivery_refusals(reports[str(ReportKind.COD)], plan.count)
    return rehearsal


def _lifetime_warnings(backend: Backend, rehearsal: Rehearsal, options: CopyOptions) -> list[str]:
    """What a CAPEXPRY on the path to each target does to the messages that rules put there."""
    going = (fate for fate in rehearsal.fates if fate.action is not None)
    expiries_tenths: defaultdict[str, set[int]] = defaultdict(set)
    for fate, message in zip(going, rehearsal.plan.messages, strict=True):
        if fate.action in PUTS and fate.target is not None and not fate.fails:
            expiries_tenths[fate.target].add(message.expiry_tenths)
    warnings = []
    for queue, expiries in expiries_tenths.items():
        with suppress(MQTriageError):  # on another queue manager, or not ours to look at
            path = put_path(backend, queue, f"open {queue}")
            warnings += lifetime_warning(backend, path, expiries, options)
    return warnings


def later_notes(rehearsal: Rehearsal) -> list[str]:
    """What is done later of what the rules say now."""
    trying = {
        rule.number: rule
        for fate in rehearsal.fates
        for rule in (*fate.tried, *([fate.rule] if fate.action in PUTS and fate.rule else ()))
    }
    interval = duration_text(rehearsal.table.control.retryint_s * 1000)
    return [
        f"{rule.title}: a failed put is attempted up to {rule.retry} times, {interval} apart"
        for _, rule in sorted(trying.items())
        if rule.retry > 1
    ]


def stay_notes(rehearsal: Rehearsal) -> list[str]:
    """Why messages stay, with how many, each reason once."""
    stay = [fate for fate in rehearsal.fates if fate.action is None]
    reasons = Counter(map(why_left, stay))
    return [f"{count} {agreeing(count, 'stay')}: {why}" for why, count in reasons.items()]


def rule_lines(rehearsal: Rehearsal) -> list[str]:
    """Each rule with its hits, as a plan shows it."""
    return [f"{record['title']}: {record['text']}" for record in rule_records(rehearsal)]


_PROGRAM: Final = re.compile(r"\b(APPLNAME|put_appl)\b")
"""A pattern on the program, of which a dead letter has two."""


def hits_text(hits: int, fails: int, passed_on: Counter[int]) -> str:
    """``3 hits, 45 more tried, 45 would fail, then rule 6``.

    Args:
        passed_on: messages whose put would fail and which another rule handles, by its number; 0
            for those that no rule can handle.
    """
    tried = passed_on.total()
    if not hits and not tried:
        return "never hit"
    parts = [count_text(hits, "hit")] if hits else []
    if tried:
        parts.append(f"{tried} more tried" if hits else f"{tried} tried")
    if fails or tried:
        parts.append(f"{fails + tried} would fail")
    if later := sorted(number for number in passed_on if number):
        parts.append(f"then rule{'s' * (len(later) > 1)} {', '.join(map(str, later))}")
    return ", ".join(parts)


def rule_records(rehearsal: Rehearsal) -> list[dict[str, Any]]:
    """One record a rule: its hits, and the rule that takes all it would take.

    `matched` also counts messages whose put by this rule would fail and which another one handles.
    """
    hits = Counter(fate.rule.number for fate in rehearsal.fates if fate.rule is not None)
    fails = Counter(f.rule.number for f in rehearsal.fates if f.rule is not None and f.fails)
    passed_on: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for fate in rehearsal.fates:
        for rule in fate.tried:
            if fate.rule is not None and rule is not fate.rule:
                passed_on[rule.number][0 if fate.fails else fate.rule.number] += 1
    by = {shadow.rule.number: shadow.by.number for shadow in shadowed(rehearsal.table.rules)}
    records = []
    for rule in rehearsal.table.rules:
        count, later = hits[rule.number], passed_on[rule.number]
        matched = count + later.total()
        text = hits_text(count, fails[rule.number], later)
        if not matched and _PROGRAM.search(rule.shown) and rule.number not in rehearsal.by_header:
            text += " (APPLNAME is compared with the MQMD, not with the MQDLH)"
        if rule.number in by:
            text += f", shadowed by rule {by[rule.number]}"
        elif not matched and rule.number in rehearsal.by_header:
            text += f": {rehearsal.by_header[rule.number]}"
        records.append(
            {
                "rule": rule.number,
                "line": rule.line,
                "action": str(rule.action),
                "retry": rule.retry,
                "putaut": rule.putaut,
                "patterns": rule.shown,
                "hits": count,
                "matched": matched,
                "shadowed_by": by.get(rule.number),
                "title": rule.title,
                "text": " ".join(filter(None, (rule.shown, f"{rule.action}, {text}"))),
            }
        )
    return records


def fate_records(rehearsal: Rehearsal) -> Iterator[FateRecord]:
    """One record a message that was looked at."""
    for fate in rehearsal.fates:
        yield FateRecord(
            msg_id=format_id(fate.msg_id),
            rule=fate.rule.number if fate.rule else None,
            line=fate.rule.line if fate.rule else None,
            action=str(fate.action) if fate.action else "IGNORE",
            target=fate.target,
            why=f"would fail: {fate.fails}" if fate.fails else fate.why,
            fails=bool(fate.fails),
            user=fate.user,
        )


def fate_listing(rehearsal: Rehearsal) -> Listing:
    """The messages one a line, for `-o csv`, `ndjson` and `ids`."""
    fields, items = columns_of(FateRecord), map(keys_of, fate_records(rehearsal))
    return Listing("DeadLetterFateList", fields, items, {"looked_at": len(rehearsal.fates)})


def rehearsal_document(rehearsal: Rehearsal, *, wide: bool = False) -> Document:
    """What `-n` shows: each rule with its hits, and the first messages with their rule.

    Args:
        wide: people see all messages.
    """
    messages, rules = list(fate_records(rehearsal)), rule_records(rehearsal)
    plan = rehearsal.plan
    failing = sum(record.fails for record in messages)
    first = messages if wide else messages[:_FIRST_MESSAGES]
    rows = [(record.msg_id, _fate_text(record)) for record in first]
    if more := len(messages) - len(first):
        rows.append(("", f"and {more} more: --wide or -o csv lists all"))
    fails = f" ({failing} would fail)" if failing else ""
    sections = [
        (
            f"dry run: {ACTION} {plan.count}{fails} of {count_text(len(messages))} on {plan.queue}",
            tuple((record["title"], record["text"]) for record in rules),
        ),
        ("first messages" if more else "messages", tuple(rows)),
    ]
    refused = [refusal.text for refusal in plan.refusals]
    for title, lines in (
        ("warning", plan.warnings), ("would fail", failing_notes(rehearsal.failing)),
        ("later", later_notes(rehearsal)), ("stay", stay_notes(rehearsal)), ("refused", refused),
    ):  # fmt: skip
        if lines:
            sections.append((title, (("", "\n".join(lines)),)))
    data = {
        "queue": plan.queue,
        "looked_at": len(messages),
        "count": plan.count,
        "would_fail": failing,
        "retryint_s": rehearsal.table.control.retryint_s,
        "wait": rehearsal.table.control.wait or None,
        "messages": [keys_of(record) for record in messages],
        "rules": [{k: v for k, v in r.items() if k not in ("title", "text")} for r in rules],
        "warnings": plan.warnings,
        "refusals": [
            {"text": refusal.text, "hint": refusal.full_hint or None} for refusal in plan.refusals
        ],
    }
    return Document("DeadLetterRehearsal", data, tuple(sections))


def _fate_text(record: FateRecord) -> str:
    target = f" to {record.target}" if record.target else ""
    if record.user is not None:
        target += f" as user {record.user or '(blank)'}"
    return f"{record.action}{target}: {record.why}"
