from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import with_backout_queue
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    seen: set[str] = set()
    for queue, target in with_backout_queue(estate):
        if target.text("GET") == "DISABLED" and target.name not in seen:
            seen.add(target.name)
            message = f"GET(DISABLED): what {queue.name} backs out can be neither read nor requeued"
            yield violation(target, "GET", message, setting(target, GET="ENABLED"))
