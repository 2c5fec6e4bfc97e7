from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    if queue is not None and queue.text("USAGE") == "XMITQ":
        message = "USAGE(XMITQ) on the dead-letter queue"
        yield violation(queue, "USAGE", message, setting(queue, USAGE="NORMAL"))
