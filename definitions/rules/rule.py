"""A rule: its code, how bad what it finds is, one line of title, and the pure function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the catalogue.

    Attributes:
        code: three letters and three digits; never used again for another rule.
        title: one line without a full stop.
        check: finds what is wrong in an estate; says nothing where the estate does not tell.
    """

    code: str
    severity: Severity
    title: str
    check: Callable[[Estate], Founds]
