from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    if queue is not None and queue.text("PUT") == "DISABLED":
        message = "PUT(DISABLED) on the dead-letter queue: channels stop, messages are discarded"
        yield violation(queue, "PUT", message, setting(queue, PUT="ENABLED"))
