"""DLQ006: Dead-letter queue is nearly full."""

from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule

NEARLY_FULL_PERCENT: Final = 80


def check(estate: Estate) -> Founds:
    """DLQ006; the page beside this file says why."""
    queue = estate.dead_letter_queue
    status = estate.status.get(queue.name) if queue is not None else None
    depth = queue.number("MAXDEPTH") if queue is not None else None
    if queue is None or status is None or depth is None:
        return
    if status.curdepth * 100 >= depth * NEARLY_FULL_PERCENT:
        severity = Severity.ERROR if status.curdepth >= depth else None
        message = f"CURDEPTH {status.curdepth} of MAXDEPTH({depth})"
        yield found(queue, "", message, severity=severity)


RULE = Rule("DLQ006", Severity.WARNING, "Dead-letter queue is nearly full", check)
