from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import with_backout_queue
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    seen: set[str] = set()
    for queue, target in with_backout_queue(estate):
        if target.text("USAGE") == "XMITQ" and target.name not in seen:
            seen.add(target.name)
            message = f"USAGE(XMITQ), and it is the backout queue of {queue.name}"
            yield violation(target, "USAGE", message, setting(target, USAGE="NORMAL"))
