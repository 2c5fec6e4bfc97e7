"""A rule: its code, how bad what it finds is, and the pure function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the catalogue; its title is the heading of its page.

    Attributes:
        code: three letters and three digits; never used again for another rule.
        check: finds what is wrong in an estate; says nothing where the estate does not tell.
    """

    code: str
    severity: Severity
    check: Callable[[Estate], Violations]


def rule(severity: Severity) -> Callable[[Callable[[Estate], Violations]], Rule]:
    """Make `check` of the file ``bko004_words.py`` the rule BKO004; its page says why."""
    return lambda check: Rule(code_of(check.__module__.rpartition(".")[2]), severity, check)


def code_of(file: str) -> str:
    """The code that the name of a rule's file, or of its page, begins with."""
    return file.partition("_")[0].upper()
