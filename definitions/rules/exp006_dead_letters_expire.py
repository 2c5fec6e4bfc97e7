from __future__ import annotations

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.model.units import duration_text


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    cap = queue.number("CAPEXPRY") if queue is not None else None
    if queue is not None and cap is not None and not is_system(queue.name):
        message = f"CAPEXPRY({cap}): dead letters are gone after {duration_text(cap * 100)}"
        yield violation(queue, "CAPEXPRY", message, setting(queue, CAPEXPRY="NOLIMIT"))
