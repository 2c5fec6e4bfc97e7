from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is not None and queue.text("QSGDISP") in ("SHARED", "GROUP"):
        value = queue.text("QSGDISP")
        message = f"QSGDISP({value}): each queue manager needs a private staging queue"
        yield violation(queue, "QSGDISP", message)
