"""QUE010: Command on an object that is gone, or of another type."""

from __future__ import annotations

from mqtriage.definitions.estate import DEFINED_ALREADY, Estate
from mqtriage.definitions.rules.finding import Found, Founds, Severity
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """QUE010; the page beside this file says why."""
    for refused in estate.refused:
        if refused.why != DEFINED_ALREADY:
            message = f"{refused.name}: {refused.why}, line {refused.first.line}; this is refused"
            yield Found(refused.kind, refused.name, refused.place, message)


RULE = Rule(
    "QUE010",
    Severity.WARNING,
    "Command on an object that is gone, or of another type",
    check,
)
