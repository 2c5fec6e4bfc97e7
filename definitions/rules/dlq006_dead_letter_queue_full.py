from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule

NEARLY_FULL_PERCENT: Final = 80


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    status = estate.status.get(queue.name) if queue is not None else None
    depth = queue.number("MAXDEPTH") if queue is not None else None
    if queue is None or status is None or depth is None:
        return
    if status.curdepth * 100 >= depth * NEARLY_FULL_PERCENT:
        severity = Severity.ERROR if status.curdepth >= depth else None
        message = f"CURDEPTH {status.curdepth} of MAXDEPTH({depth})"
        yield violation(queue, "", message, severity=severity)
