from __future__ import annotations

from mqtriage.definitions.estate import DEFINED_ALREADY, Estate
from mqtriage.definitions.rules.finding import Severity, Violation, Violations
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    for refused in estate.refused:
        if refused.why != DEFINED_ALREADY:
            message = f"{refused.name}: {refused.why}, line {refused.first.line}; this is refused"
            yield Violation(refused.kind, refused.name, refused.place, message)
