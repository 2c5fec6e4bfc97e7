"""A rule: its code, how bad what it finds is, and the pure function."""

from __future__ import annotations

from collections.abc import Callable

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the catalogue; its title is the heading of its page.

    Attributes:
        name: of the function, and of the page: ``bko004_backout_queue_put_disabled``.
            Its code, three letters and three digits, is never used again for another rule.
        check: finds what is wrong in an estate; says nothing where the estate does not tell.
    """

    name: str
    severity: Severity
    check: Callable[[Estate], Violations]

    @property
    def code(self) -> str:
        """What its name begins with, in upper case."""
        return code_of(self.name)


def rule(severity: Severity) -> Callable[[Callable[[Estate], Violations]], Rule]:
    """Make ``bko004_words`` the rule BKO004; the page of that name says why."""
    return lambda check: Rule(check.__name__, severity, check)


def code_of(name: str) -> str:
    """The code that the name of a rule, or of a page, begins with."""
    return name.partition("_")[0].upper()
