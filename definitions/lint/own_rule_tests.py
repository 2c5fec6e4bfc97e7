"""`lint FILE.toml`: rules of one's own, tried on the MQSC that stands beside each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.estates import estate_of
from mqtriage.definitions.lint.own_rules import OwnRule
from mqtriage.model.result import Listing, column, columns_of, keys_of
from mqtriage.mq.mqsc.check import check_script
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tree import DiagnosticSeverity
from mqtriage.records import dataclass

_PASSED: Final = "passed"


@dataclass(frozen=True, slots=True)
class RuleTest:
    """A rule on one piece of MQSC.

    Attributes:
        example: "good 1", "bad 2"; "good" or "bad" of a rule without any.
        why: "" where it passed.
    """

    rule: str = column("RULE")
    example: str = column("EXAMPLE")
    result: str = column("RESULT")
    why: str = column("WHY")


def run_tests(rules: Iterable[OwnRule]) -> Listing:
    """Each rule on each piece of its MQSC."""
    tests = [test for rule in rules for test in _tests_of(rule)]
    failed = sum(test.result != _PASSED for test in tests)
    summary = {"passed": len(tests) - failed, "failed": failed}
    items = map(keys_of, tests)
    return Listing("OwnRuleTestList", columns_of(RuleTest), items, summary, id_key="rule")


def _tests_of(rule: OwnRule) -> Iterator[RuleTest]:
    for word, texts in (("good", rule.good), ("bad", rule.bad)):
        if not texts:
            yield RuleTest(rule.code, word, "failed", f"it has no MQSC under {word}")
    for word, texts in (("good", rule.good), ("bad", rule.bad)):
        for number, text in enumerate(texts, 1):
            why = _problem(rule, text, is_good=word == "good")
            yield RuleTest(rule.code, f"{word} {number}", "failed" if why else _PASSED, why)


def _problem(rule: OwnRule, text: str, *, is_good: bool) -> str:
    wrong = [d for d in check_script(parse(text)) if d.severity is DiagnosticSeverity.ERROR]
    if wrong:
        return f"line {wrong[0].line}: {wrong[0].message}"
    findings = list(rule.check(_estate(rule, text)))
    if is_good:
        return f"{findings[0].name}: {findings[0].message}" if findings else ""
    if not findings:
        return "the rule found no problem"
    return _problem_of_fix(rule, text) if rule.fix else ""


def _problem_of_fix(rule: OwnRule, text: str) -> str:
    """What the fix leaves in a text that the rule finds something in, "" for nothing."""
    surely = replace(rule, report_unknown=False)
    findings = list(surely.check(_estate(rule, text)))
    unfixed = [finding for finding in findings if not finding.fix]
    if not unfixed:
        fixed = "\n".join([text, *(finding.fix_mqsc for finding in findings)])
        unfixed = list(surely.check(_estate(rule, fixed)))
    return f"{unfixed[0].name}: the fix does not correct it" if unfixed else ""


def _estate(rule: OwnRule, text: str) -> Estate:
    """What the MQSC amounts to, on the platform of the rule."""
    script = parse(text, file=f"{rule.code}.mqsc")
    return estate_of([script], platform=rule.objects.platform, whole=True)
