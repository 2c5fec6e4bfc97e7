"""The catalogue: every rule, by code, and `lint`, which runs them over an estate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Alter, Change, Define, Finding
from mqtriage.definitions.rules.rule import Rule
from mqtriage.mq.attributes.levels import are_known

FAMILIES: Final = (
    "backout", "channels", "dead_letter", "delay", "expiry", "policies", "queues", "references",
    "security", "triggers",
)  # fmt: skip
"""The files of the rules: BKO, CHL, DLQ, DLY, EXP, AMS, QUE, REF, SEC and TRG."""


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, by code."""
    files = [import_module(f"mqtriage.definitions.rules.{family}") for family in FAMILIES]
    every = [rule for file in files for rule in vars(file).values() if isinstance(rule, Rule)]
    return tuple(sorted(every, key=lambda rule: rule.name))


def lint(estate: Estate, runs: Callable[[str], bool] = lambda code: True) -> list[Finding]:
    """What the wanted rules find, by place."""
    findings = [finding for rule in rules() if runs(rule.code) for finding in _run(rule, estate)]
    return in_order(findings)


def _run(rule: Rule, estate: Estate) -> Iterable[Finding]:
    for it in rule.check(estate):
        yield Finding(
            rule.code,
            it.severity or rule.severity,
            it.kind,
            it.name,
            it.place,
            it.message,
            it.fix if _is_possible(it.fix, estate.command_level) else (),
            it.respelling,
        )


def _is_possible(fix: Iterable[Change], command_level: int | None) -> bool:
    """Whether the queue manager knows all attributes that the fix sets."""
    keywords = (k for c in fix if isinstance(c, Alter | Define) for k in c.attributes)
    return are_known(keywords, command_level)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """By file, line and column; what is nowhere in a file comes first, then by code."""
    return sorted(findings, key=lambda f: (f.place, f.code, f.name))
