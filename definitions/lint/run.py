"""`mqtriage lint`: what the rules say about scripts or a live queue manager, less what is known."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from typing import Any, Final

from mqtriage.definitions.ccdt import ccdt_mismatches, is_ccdt
from mqtriage.definitions.embedded.blocks import has_marker
from mqtriage.definitions.embedded.file_kinds import holds_mqsc
from mqtriage.definitions.estate import Estate, Location
from mqtriage.definitions.estates import ScriptSet, estate_of
from mqtriage.definitions.lint.baseline import Baseline
from mqtriage.definitions.lint.config import LintConfig
from mqtriage.definitions.lint.environments import is_for
from mqtriage.definitions.lint.ignores import Ignore, about_ignores, ignores_in, remaining
from mqtriage.definitions.lint.own_rules import OwnRule
from mqtriage.definitions.lint.packed_findings import PackedFindings
from mqtriage.definitions.lint.pages import OTHER_CODES, titles
from mqtriage.definitions.lint.project_paths import ProjectPaths
from mqtriage.definitions.rules.finding import Define, Finding, Severity
from mqtriage.definitions.rules.registry import in_order, rules
from mqtriage.definitions.rules.registry import lint as run_rules
from mqtriage.definitions.script_files import ENDINGS, leaves_out
from mqtriage.definitions.script_platform import both_platforms
from mqtriage.model import result
from mqtriage.model.result import Listing, Show, columns_of, keys_of
from mqtriage.model.units import count_text
from mqtriage.mq.attributes.catalogue import Platform
from mqtriage.mq.mqsc import tree as mqsc_tree
from mqtriage.mq.mqsc.check import check_script, validate
from mqtriage.mq.mqsc.placeholders import read_around
from mqtriage.mq.mqsc.tree import Command, Diagnostic, Script
from mqtriage.records import dataclass

_OF_THE_FORM: Final = ("BKO018", "BKO019")
"""Rules about a keyword that the parser finds wrong too."""
_NOT_TO_COPY: Final = (
    "BKO019", "MQSC001", "MQSC002", "QUE012", "QUE015", "QUE018", "QUE019", "REF016",
)  # fmt: skip
"""What a queue that is made like another one has too: its DEFINE is rejected, or it is no use."""
_REJECTED: Final = ("MQSC001", "MQSC002", "MQSC004")
"""Commands that a queue manager rejects: no rule can judge them, so no selection hides them."""
_MUCH: Final = 4_000_000
"""Characters of scripts; more are not held parsed, all at once."""
_PLACE: Final = ("queue_manager", "file", "line")


@dataclass(frozen=True, slots=True)
class FindingRecord:
    """A finding as the JSON promise has it; what it does not have is None."""

    severity: str = result.column("SEVERITY")
    code: str = result.column("CODE")
    queue_manager: str | None = result.column("QMGR", Show.NAME, wide=True)
    object_type: str | None = result.column("TYPE", wide=True)
    object: str | None = result.column("OBJECT", Show.NAME)
    file: str | None = result.column("FILE")
    line: int | None = result.column("LINE", Show.NUMBER)
    column: int | None = result.column("COL", Show.NUMBER, wide=True)
    message: str = result.column("MESSAGE")
    fix: str | None = result.column("FIX", wide=True)


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How often a rule finds something."""

    code: str = result.column("CODE")
    severity: str = result.column("SEVERITY")
    count: int = result.column("COUNT", Show.NUMBER)
    fixable: int = result.column("FIXABLE", Show.NUMBER)
    title: str = result.column("TITLE")


@dataclass(slots=True)
class Linted:
    """The outcome for one queue manager.

    Attributes:
        findings: what is to be told, in order of place.
        ignored: what comments or the configuration took away.
        scripts: what was linted; None for a live queue manager.
        config: of an estate that is there in outline only.
        not_run: scripts, "" for a live object, each with the code of a rule that is for another
            environment, or for one that the script may be for or not.
    """

    estate: Estate
    findings: Sequence[Finding]
    ignored: Sequence[Finding] = ()
    scripts: ScriptSet | None = None
    config: LintConfig | None = None
    not_run: set[tuple[str, str]] = field(default_factory=set)

    @property
    def estate_with_commands(self) -> Estate:
        if self.config is None or self.scripts is None:
            return self.estate
        return _estate(self.scripts, self.config)


@dataclass(slots=True)
class LintRun:
    """A whole run: one entry a queue manager.

    Attributes:
        rules: one's own that were run.
    """

    results: list[Linted] = field(default_factory=list)
    baselined: int = 0
    rules: tuple[OwnRule, ...] = ()

    def worst_is(self, fail_on: str) -> bool:
        """Whether a finding is at or above *fail_on*; "never" is above all."""
        if fail_on == "never":
            return False
        worst_rank = Severity(fail_on).rank
        return any(f.severity.rank <= worst_rank for one in self.results for f in one.findings)

    def findings(self) -> Iterator[Finding]:
        for one in self.results:
            yield from one.findings

    def named_findings(self) -> Iterator[tuple[str, Finding]]:
        """Each finding with the live queue manager that has it, "" for one in a script."""
        for one in self.results:
            name = "" if one.scripts else one.estate.queue_manager
            yield from ((name, finding) for finding in one.findings)


def rule_filter(config: LintConfig) -> Callable[[str], bool]:
    """Says of a code whether select and ignore let it run; the longer prefix wins.

    What a queue manager rejects needs no selection; only an ignore leaves it out.
    """
    if not config.select and not config.ignore:
        return lambda code: True

    def runs(code: str) -> bool:
        chosen = max((len(p) for p in config.select if code.startswith(p)), default=-1)
        left_out = max((len(p) for p in config.ignore if code.startswith(p)), default=-1)
        if config.select and chosen < 0 and code not in _REJECTED:
            return False
        return chosen > left_out or left_out < 0

    return runs


def lint_scripts(
    scripts: ScriptSet,
    config: LintConfig,
    network: Mapping[str, Estate] | None = None,
    baseline: Baseline | None = None,
) -> Linted:
    """Lint the scripts of one queue manager, beside the others of *network*.

    Args:
        baseline: what is left out; none of it is used up.
    """
    estate = replace(_estate(scripts, config), network=network or {})
    linted = judge(estate, scripts, config)
    if baseline is not None:
        linted.findings = list(baseline.unused_again().new(linted.findings))
    return linted


def _estate(scripts: ScriptSet, config: LintConfig) -> Estate:
    estate = estate_of(
        scripts.scripts,
        name=scripts.name,
        platform=config.platform,
        command_level=config.command_level,
        load=config.load,
        whole=config.whole,
    )
    return replace(estate, also=scripts.also) if scripts.also else estate


def estates_of(
    sets: Sequence[ScriptSet], config: LintConfig, *, in_outline: bool = False
) -> list[Estate]:
    """One estate for each, whose network is what else stands in the same folder.

    Two of one name in a folder are not told apart, so neither is in the network.
    """
    folders: dict[str, list[int]] = {}
    estates = []
    for one in sets:
        estate = _estate(one, config)
        estates.append(estate.in_outline() if in_outline else estate)
    for number, one in enumerate(sets):
        folders.setdefault(one.beside, []).append(number)
    for numbers in folders.values():
        together = beside_each_other([estates[number] for number in numbers])
        for number, estate in zip(numbers, together, strict=True):
            estates[number] = estate
    return estates


def beside_each_other(estates: Iterable[Estate]) -> list[Estate]:
    """The estates with one network, of those whose name no other has."""
    network: dict[str, Estate] = {}
    together = [replace(estate, network=network) for estate in estates]
    named: dict[str, list[Estate]] = {}
    for estate in together:
        if estate.queue_manager:
            named.setdefault(estate.queue_manager.upper(), []).append(estate)
    for name, alike in named.items():
        if len(alike) == 1:
            network |= {alike[0].queue_manager: alike[0], name: alike[0]}
    return together


def judge(
    estate: Estate,
    scripts: ScriptSet | None,
    config: LintConfig,
    managers: Sequence[Estate] = (),
) -> Linted:
    """Run what is wanted over an estate and its scripts, less what is ignored.

    Args:
        managers: whole queue managers, which a client channel definition table is to fit.
    """
    runs = rule_filter(config)
    findings = run_rules(estate, runs)
    paths = ProjectPaths(config.rules_file, config.working)
    not_run: set[tuple[str, str]] = set()
    for rule in config.rules:
        if runs(rule.code):
            is_for_rule = partial(is_for, rule, config.environments, paths, not_run)
            findings += rule.check(estate, is_for_rule)
    places = {tuple(f.place) for f in findings if f.code in _OF_THE_FORM}
    faulty = {f.name for f in findings if f.code in _NOT_TO_COPY}
    ignores: list[Ignore] = []
    for script in scripts.scripts if scripts else ():
        if tells_of_unread(config):
            findings += [_left_out(note, config) for note in script.notes if leaves_out(note)]
        for finding in parse_findings(script, config.platform):
            if finding.code in _NOT_TO_COPY:
                faulty.add(finding.name)
            # a rule says the same at the same place, and more of it
            if runs(finding.code) and tuple(finding.place) not in places:
                findings.append(finding)
        mixed = both_platforms(script) if estate.platform is None and runs("MQSC004") else None
        if mixed is not None:
            place = Location(script.file, mixed.line, mixed.column)
            findings.append(Finding("MQSC004", Severity.WARNING, "", "", place, mixed.message))
        ignores += ignores_in(script)
        if is_ccdt(script.file) and runs("CCDT001"):
            findings += _of_table(script, managers)
    findings = [of_severity(_without_copy(f, faulty), config) for f in findings]
    ignored: list[Finding] = []
    remaining_findings = list(remaining(findings, ignores, ignored))
    own = [rule.code for rule in config.rules]
    ran = [code for code in (*(rule.code for rule in rules()), *OTHER_CODES, *own) if runs(code)]
    about = about_ignores(ignores, ran, own, not_run)
    remaining_findings += [of_severity(f, config) for f in about if runs(f.code)]
    if config.per_path:
        paths = ProjectPaths(config.file, config.working)
        every, remaining_findings = remaining_findings, []
        for finding in every:
            is_ignored = ignored_by_path(finding, config.per_path, paths)
            (ignored if is_ignored else remaining_findings).append(finding)
    return Linted(estate, in_order(remaining_findings), ignored, scripts, not_run=not_run)


def tells_of_unread(config: LintConfig) -> bool:
    """Whether scripts that were not read are findings: no selection hides them, only an ignore."""
    return rule_filter(config)("MQSC003") or rule_filter(replace(config, select=()))("MQSC003")


def _left_out(note: Diagnostic, config: LintConfig) -> Finding:
    severity = Severity.ERROR if config.whole else Severity.WARNING
    place = Location(note.file, note.line, note.column)
    return Finding("MQSC003", severity, "", "", place, note.message)


def _without_copy(finding: Finding, faulty: Collection[str]) -> Finding:
    """The finding without a fix that makes a queue like one that cannot be made itself."""
    if any(isinstance(change, Define) and change.like in faulty for change in finding.fix):
        return replace(finding, fix=())
    return finding


def _of_table(table: Script, managers: Sequence[Estate]) -> Iterator[Finding]:
    for diagnostic, severity in ccdt_mismatches(table.text, table.file, managers):
        place = Location(table.file, diagnostic.line, diagnostic.column)
        expected = f"; expected {diagnostic.expected}" if diagnostic.expected else ""
        yield Finding("CCDT001", severity, "", "", place, f"{diagnostic.message}{expected}")


def of_severity(finding: Finding, config: LintConfig) -> Finding:
    """The finding with the severity that the configuration gives its code."""
    severity = config.severity_of(finding.code)
    return replace(finding, severity=severity) if severity else finding


def ignored_by_path(
    finding: Finding, per_path: Mapping[str, Sequence[str]], paths: ProjectPaths
) -> bool:
    """Whether the configuration ignores the code in that file, by its path in the project."""
    file = finding.place.file
    place = paths.of(file)
    path = place[1].as_posix() if place else file.replace("\\", "/").removeprefix("./")
    return any(
        finding.code.startswith(tuple(codes))
        for pattern, codes in per_path.items()
        if codes and (fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}"))
    )


def parse_findings(script: Script, platform: Platform | None = None) -> Iterator[Finding]:
    """What the parser and the attribute tables say, as findings."""
    commands = script.commands
    starts = [command.line for command in commands]
    ends = [command.line + script.raw(command).rstrip().count("\n") for command in commands]
    forms = {id(command.error) for command in commands if command.error is not None}
    is_part = holds_mqsc(script.file)
    others = [] if is_part or script.file.lower().endswith(ENDINGS) else _other_text(commands)
    if others:
        first = others[0]
        place = Location(script.file, first.line, first.column)
        more = f"; {count_text(len(others) - 1, 'more line')} like it" if len(others) > 1 else ""
        message = f"{first.message}: this file is not MQSC, or not only MQSC{more}"
        yield Finding("MQSC001", Severity.ERROR, "", "", place, message)
    wrong = [c for c in commands if c.error] if is_part else []
    filled_in = {id(c.error) for c in wrong if has_marker(script.raw(c))}
    filled_in |= {id(error) for error in others}
    around = filter(None, (read_around(script, command) for command in commands if command.error))
    of_values = chain.from_iterable(validate(one, platform, file=script.file) for one in around)
    for diagnostic in (*check_script(script, platform), *of_values):
        if id(diagnostic) in filled_in or (is_part and has_marker(diagnostic.message)):
            continue  # a shell or a template fills it in before it is run
        if leaves_out(diagnostic):
            continue  # no selection of rules hides it: see `judge`
        code, severity = "MQSC003", Severity.INFO
        if diagnostic.severity is mqsc_tree.DiagnosticSeverity.ERROR:
            code = "MQSC001" if id(diagnostic) in forms else "MQSC002"
            severity = Severity.ERROR
        elif diagnostic.severity is mqsc_tree.DiagnosticSeverity.WARNING:
            severity = Severity.WARNING
        at = bisect_right(starts, diagnostic.line) - 1
        is_inside = at >= 0 and diagnostic.line <= ends[at]
        kind, name = _object_of(commands[at]) if is_inside else ("", "")
        place = Location(script.file, diagnostic.line, diagnostic.column)
        expected = f"; expected {diagnostic.expected}" if diagnostic.expected else ""
        yield Finding(code, severity, kind, name, place, f"{diagnostic.message}{expected}")


def _other_text(commands: Sequence[Command]) -> list[Diagnostic]:
    """What is said of each line that begins no command, where the first line of a file is one."""
    errors = [command.error for command in commands if not command.verb and command.error]
    begins = bool(commands) and not commands[0].verb and commands[0].error is not None
    return errors if begins else []


def _object_of(command: Command) -> tuple[str, str]:
    return command.noun, command.named()


def lint_all(
    sets: Iterable[ScriptSet], config: LintConfig, baseline: Baseline | None = None
) -> LintRun:
    """Lint the scripts of several queue managers, each beside the others.

    Of many long ones each is parsed a second time when it is judged: the others are there in
    outline.
    """
    every = list(sets)
    is_much = sum(len(file.script.text) for one in every for file in one.files) > _MUCH
    in_outline = is_much and len(every) > 1
    estates = estates_of(every, config, in_outline=in_outline)
    managers = [
        estate
        for estate, one in zip(estates, every, strict=True)
        if estate.whole and not all(is_ccdt(script.file) for script in one.scripts)
    ]
    run = LintRun(rules=config.rules)
    for one, estate in zip(every, estates, strict=True):
        whole = replace(_estate(one, config), network=estate.network) if in_outline else estate
        linted = judge(whole, one, config, managers)
        if in_outline:
            linted.estate, linted.config = estate, config
            linted.findings = PackedFindings(linted.findings)
            linted.ignored = PackedFindings(linted.ignored)
        run.results.append(linted)
    return less_known(run, baseline)


def lint_live(
    estates: Sequence[Estate], config: LintConfig, baseline: Baseline | None = None
) -> LintRun:
    """Lint live queue managers, each beside the others."""
    if len(estates) > 1:
        estates = beside_each_other(estates)
    run = LintRun([judge(estate, None, config) for estate in estates], rules=config.rules)
    return less_known(run, baseline)


def less_known(run: LintRun, baseline: Baseline | None) -> LintRun:
    """Take out what the baseline knows."""
    if baseline is not None:
        for one in run.results:
            name = "" if one.scripts else one.estate.queue_manager
            new = list(baseline.new(one.findings, name))
            baseline.pass_over(one.ignored, name)
            one.findings = PackedFindings(new) if isinstance(one.findings, PackedFindings) else new
        run.baselined = baseline.used
    return run


def record_of(finding: Finding, queue_manager: str) -> FindingRecord:
    """A finding as it is listed."""
    place = finding.place
    return FindingRecord(
        severity=finding.severity.value,
        code=finding.code,
        queue_manager=queue_manager or None,
        object_type=finding.kind or None,
        object=finding.name or None,
        file=place.file or None,
        line=place.line or None,
        column=place.column or None,
        message=finding.message,
        fix=finding.fix_mqsc or None,
    )


def listing_of(run: LintRun) -> Listing:
    """All findings, with how many there are of each severity."""
    summary: dict[str, Any] = {severity.value: 0 for severity in Severity}
    for finding in run.findings():
        summary[finding.severity.value] += 1
    summary["ignored"] = sum(len(one.ignored) for one in run.results)
    summary["baselined"] = run.baselined
    items = (
        keys_of(record_of(finding, one.estate.queue_manager))
        for one in run.results
        for finding in one.findings
    )
    fields = columns_of(FindingRecord)
    if sum(one.scripts is None for one in run.results) > 1:  # several live ones
        fields = tuple(
            f._replace(wide=f.key in ("file", "line")) if f.key in _PLACE else f for f in fields
        )
    return Listing("FindingList", fields, items, summary, id_key="code")


def statistics_of(run: LintRun) -> Listing:
    """How often each rule finds something, and for how many of these it has a fix."""
    counts = Counter((f.code, f.severity) for f in run.findings())
    fixable = Counter((f.code, f.severity) for f in run.findings() if f.fix or f.respelling)
    named = titles(run.rules)
    records = (
        RuleCount(code, severity.value, count, fixable[code, severity], named[code][1])
        for (code, severity), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    return Listing("RuleCountList", columns_of(RuleCount), map(keys_of, records), id_key="code")


def summary_line(run: LintRun) -> str:
    """``2 errors, 1 warning, 4 infos`` and what was left out."""
    counts = dict.fromkeys(Severity, 0)
    for finding in run.findings():
        counts[finding.severity] += 1
    parts = [count_text(number, severity.value) for severity, number in counts.items()]
    ignored = sum(len(one.ignored) for one in run.results)
    left_out = [
        f"{n} {word}" for n, word in ((ignored, "ignored"), (run.baselined, "in the baseline")) if n
    ]
    return ", ".join(parts) + (f" ({', '.join(left_out)})" if left_out else "")
