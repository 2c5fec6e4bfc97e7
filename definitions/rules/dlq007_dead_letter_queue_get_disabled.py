from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    if queue is not None and queue.text("GET") == "DISABLED":
        message = "GET(DISABLED) on the dead-letter queue: it cannot be worked off"
        yield violation(queue, "GET", message, setting(queue, GET="ENABLED"))
