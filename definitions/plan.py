"""`mqtriage plan` and `apply`: what differs between MQSC files and a live queue manager."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.definitions.after_plan import new_findings
from mqtriage.definitions.danger import name_to_confirm
from mqtriage.definitions.desired import (
    OTHER_KINDS,
    DesiredObject,
    Live,
    desired_objects,
    not_compared,
    place_text,
)
from mqtriage.definitions.diff import DefinitionChange, Difference, compare, object_text
from mqtriage.definitions.estate import Estate
from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.definitions.live_definitions import read_live
from mqtriage.definitions.plan_origin import PlanOrigin
from mqtriage.definitions.rehearsal import rehearse
from mqtriage.definitions.rules.finding import Finding
from mqtriage.definitions.script_files import unread
from mqtriage.model.plan import LOST, Plan
from mqtriage.model.result import Document, Field, Listing, Report, Show
from mqtriage.mq.errors import MQTriageError, UsageError, leaves_in_doubt, mqi_error
from mqtriage.mq.mqsc.check import check_script, wrong_channel_type
from mqtriage.mq.mqsc.inserts import filled_in, unknown_insert
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, lines_of
from mqtriage.mq.mqsc.tree import Command, DiagnosticSeverity, Item, Script
from mqtriage.records import dataclass

CHANGES: Final = (
    Field("action", "ACTION", width=7),
    Field("object_type", "TYPE", width=7),
    Field("object", "OBJECT", Show.NAME, width=24),
    Field("detail", "DETAIL", yields=1),
)


@dataclass(slots=True)
class DefinitionPlan:
    """A plan, with what it was made from.

    Attributes:
        rehearsed: it was tried on a copy; what was found stands in `difference.refusals`.
        findings: what the lint rules say of the definitions as they would be, and not as they are.
    """

    live: Live
    desired: list[DesiredObject]
    difference: Difference
    rehearsed: bool = False
    warnings: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def unnoted(self) -> list[str]:
        """The warnings that are about the files: what of them is not looked at."""
        return [text for text in self.warnings if text not in self.difference.notes]

    @property
    def changes(self) -> list[DefinitionChange]:
        return self.difference.changes


def read_desired(
    live: Live, scripts: Sequence[Script], *, exact: bool = False
) -> tuple[list[DesiredObject], list[str]]:
    """What the files ask for, and what of them a plan does not look at."""
    estate, warnings = checked(live, scripts)
    return desired_objects(estate, live, exact=exact), warnings


def checked(live: Live, scripts: Sequence[Script]) -> tuple[Estate, list[str]]:
    """The estate of the files, and what of them a plan does not look at."""
    wrong = [
        finding
        for script in scripts
        for finding in (
            *check_script(script, live.platform),
            *chain.from_iterable(map(wrong_channel_type, script.commands)),
        )
        if finding.severity is DiagnosticSeverity.ERROR
    ]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        first = wrong[0]
        text = str(first._replace(file=first.file or scripts[0].file))
        raise UsageError(f"{text}{more}", hint="mqtriage lint FILE shows all of them")
    builder = EstateBuilder(live.platform)
    left_out: Counter[str] = Counter()
    for script in scripts:
        known, unknown = _filled_in(script, live.name)
        builder.run(known)
        left_out += unknown
    estate = builder.estate(live.name)
    left_out.update(not_compared(estate, live.others))
    warnings = unread(scripts)
    if left_out:
        kinds = ", ".join(f"{count} x {what}" for what, count in left_out.items())
        warnings.append(f"not compared, and not changed: {kinds}")
    return estate, warnings


def _filled_in(script: Script, queue_manager: str) -> tuple[Script, Counter[str]]:
    """The commands as that queue manager reads them, and those that it alone can fill in."""
    items: list[Item] = []
    unknown: Counter[str] = Counter()
    for item in script.items:
        command = filled_in(item, queue_manager) if isinstance(item, Command) else item
        insert = unknown_insert(command) if isinstance(command, Command) else ""
        if insert and isinstance(command, Command):
            unknown[f"{command.verb} {command.noun} with {insert}"] += 1
        else:
            items.append(command)
    return replace(script, items=tuple(items)), unknown


def kinds_named(scripts: Sequence[Script]) -> list[str]:
    """What else than queues the files are about, so that it has to be read."""
    nouns = {command.noun for script in scripts for command in script.commands}
    if "SUB" in nouns:
        nouns.add("TOPIC")  # TOPICOBJ stands for its topic string
    return [kind for kind in OTHER_KINDS if kind in nouns]


def plan_definitions(
    backend: Backend, scripts: Sequence[Script], *, exact: bool = False
) -> DefinitionPlan:
    """Compare, order, and try the result on an emulated copy."""
    live = read_live(backend, kinds=kinds_named(scripts))
    desired, warnings = read_desired(live, scripts, exact=exact)
    plan = plan_towards(live, desired)
    plan.warnings[:0] = warnings
    return plan


def plan_towards(live: Live, desired: list[DesiredObject]) -> DefinitionPlan:
    """Compare, order, and try the result on an emulated copy."""
    plan = DefinitionPlan(live, desired, compare(desired, live))
    if plan.changes and not plan.difference.refusals:
        plan.difference.refusals += rehearse(plan.difference, desired, live)
        plan.rehearsed = True
    if plan.changes:
        plan.findings = new_findings(live, plan.changes)
    plan.warnings += plan.difference.notes
    return plan


def plan_document(
    plan: DefinitionPlan, *, back: bool = False, origin: PlanOrigin | None = None
) -> Document:
    """The plan to show.

    Args:
        back: `-o mqsc` writes the commands of the reverse script.
        origin: who made it and from what, for a plan that is kept.
    """
    difference = plan.difference
    counts = dict.fromkeys(("define", "alter", "delete"), 0)
    for change in plan.changes:
        counts[change.verb] += 1
    data: dict[str, Any] = {
        "queue_manager": plan.live.name,
        "made": None if origin is None else origin.record,
        "empty": not plan.changes and not difference.refusals,
        **counts,
        "rehearsed": plan.rehearsed,
        "changes": [change.record() for change in plan.changes],
        "forward": difference.forward,
        "back": difference.back,
        "refusals": [refusal.text for refusal in difference.refusals],
        "findings": [_finding_record(finding) for finding in plan.findings],
    }
    sections = [(change.title, tuple(_pairs(change))) for change in plan.changes]
    counted = ", ".join(f"{count} to {verb}" for verb, count in counts.items() if count)
    summary = counted or ("refused" if difference.refusals else "nothing to change")
    who = () if origin is None else (("made by", origin.line),)
    sections.insert(0, ("", ((plan.live.name, summary), *who)))
    if difference.refusals:
        refusals = tuple(("refused", refusal.text) for refusal in difference.refusals)
        sections.append(("problems", refusals))
    if plan.findings:
        findings = tuple((f"{f.severity} {f.code}", _finding_text(f)) for f in plan.findings)
        sections.append(("lint findings", findings))
    if difference.back:
        sections.append(("reverse script", (("MQSC", "\n".join(difference.back)),)))
    chosen = difference.back if back else difference.forward
    return Document(
        "DefinitionPlan",
        data,
        sections=tuple(sections),
        warnings=list(plan.warnings),
        mqsc="\n".join(chosen) if chosen else "* nothing to change",
    )


def plan_listing(plan: DefinitionPlan) -> Listing:
    """The changes as rows, and why they would be refused, for plans of several queue managers."""
    counts = Counter(change.verb for change in plan.changes)
    items = [
        {"action": c.verb, "object_type": c.kind, "object": c.name or None, "detail": c.mqsc}
        for c in plan.changes
    ]
    items += [
        {"action": "refused", "object_type": None, "object": None, "detail": refusal.text}
        for refusal in plan.difference.refusals
    ]
    summary: dict[str, Any] = {verb: counts[verb] for verb in ("define", "alter", "delete")}
    summary["refused"] = len(plan.difference.refusals)
    return Listing("PlannedChangeList", CHANGES, items, summary, list(plan.warnings), "object")


def _finding_record(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "object_type": finding.kind,
        "object": finding.name or None,
        "message": finding.message,
        "fix": finding.fix_mqsc,
    }


def _finding_text(finding: Finding) -> str:
    return f"{object_text(finding.kind, finding.name)}: {finding.message}"


def _pairs(change: DefinitionChange) -> list[tuple[str, str]]:
    pairs = []
    if change.place.line:
        pairs.append(("from", place_text(change.place)))
    if change.verb == "alter":
        for keyword, value in change.attributes.items():
            pairs.append(
                (keyword, f"{value_text(change.before.get(keyword))} -> {value_text(value)}")
            )
    pairs.append(("MQSC", change.mqsc))
    return pairs


def value_text(value: object) -> str:
    return "' '" if value == "" else "(not known)" if value is None else str(value)


def consent_plan(plan: DefinitionPlan, action: str) -> Plan:
    """The same for the guards of an act; `confirm` is set where it takes something away."""
    commands = (c for text in plan.difference.forward for c in parse(text).commands)
    plan_ = Plan(action, plan.live.name, count=len(plan.changes))
    plan_.confirm = name_to_confirm(commands, plan.live.name)
    plan_.mqsc = tuple(plan.difference.forward)
    plan_.changes = {
        f"{object_text(change.kind, change.name)} {keyword}": (change.before.get(keyword), value)
        for change in plan.changes
        if change.verb == "alter"
        for keyword, value in change.attributes.items()
    }
    plan_.facts = {"back": list(plan.difference.back)}
    depths = plan.live.depths
    purged = (change.name for change in plan.changes if change.verb == "delete" and change.purge)
    if lost := {name: depths[name] for name in purged if depths.get(name)}:
        plan_.facts[LOST] = lost
    plan_.notes = list(plan.difference.notes)
    plan_.notes += [f"{f.severity} {f.code} {_finding_text(f)}" for f in plan.findings]
    plan_.warnings = plan.unnoted
    plan_.refusals = list(plan.difference.refusals)
    return plan_


def apply(
    backend: Backend,
    plan: DefinitionPlan,
    action: str = "apply",
    note: Callable[[], None] = lambda: None,
) -> Report:
    """Run the commands in order and read everything back; stop at the first that fails, `failure`.

    Args:
        action: what the report calls it.
        note: called behind each command that was carried out.

    Raises:
        MQTriageError: All was taken, and the queue manager shows something else.
    """
    report = Report("ApplyReport", action, plan.live.name, planned=len(plan.changes))
    done: list[DefinitionChange] = []
    for change in plan.changes:
        try:
            _run(backend, change)
            done.append(change)
            note()
        except MQTriageError as error:
            report.failure, report.in_doubt = error, leaves_in_doubt(error)
            break
    report.done = len(done)
    report.warnings = list(plan.warnings)
    report.details = {
        "mqsc": [change.mqsc for change in done],
        "back": [change.back for change in reversed(done)],
        "not_run": [change.mqsc for change in plan.changes[len(done) :]],
    }
    if report.failure is None:
        now = read_live(backend, depths=False, kinds=plan.live.kinds_read)
        remaining = compare(plan.desired, now).changes
        if remaining:
            raise MQTriageError(
                f"apply: {remaining[0].title}: the queue manager accepted the command but shows a"
                " different value",
                hint="mqtriage plan shows the remaining changes",
                object_name=remaining[0].name,
            )
    return report


def _run(backend: Backend, change: DefinitionChange) -> None:
    if change.kind in OTHER_KINDS:
        _run_mqsc(backend, change)
    elif change.verb == "define":
        backend.define(change.kind, change.name, change.attributes)
    elif change.verb == "alter":
        backend.alter(change.kind, change.name, change.attributes)
    else:
        backend.delete(change.kind, change.name, purge=change.purge)


def _run_mqsc(backend: Backend, change: DefinitionChange) -> None:
    """What the port has no call for: by the command server of the queue manager."""
    script = parse(change.mqsc)
    reply = backend.run_mqsc(script, script.commands[0])
    if reply.ending is CommandEnding.DONE:
        return
    answer = reply.why or next(iter(lines_of(reply)), "no answer")
    if reply.reason:
        raise mqi_error(reply.reason, change.title, detail=answer, object_name=change.name)
    raise MQTriageError(f"{change.title}: {answer}", object_name=change.name)


def unchanged(plan: DefinitionPlan) -> Report:
    """The report where nothing had to be done."""
    details: dict[str, Any] = {"mqsc": [], "back": [], "not_run": []}
    return Report(
        "ApplyReport", "apply", plan.live.name, changed=False, details=details,
        warnings=list(plan.warnings),
    )  # fmt: skip
