from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import with_backout_queue
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.model.units import duration_text


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    seen: set[str] = set()
    for queue, target in with_backout_queue(estate):
        cap = target.number("CAPEXPRY")
        if cap is None or target.name in seen:
            continue
        seen.add(target.name)
        message = f"CAPEXPRY({cap}): what {queue.name} backs out lasts {duration_text(cap * 100)}"
        yield violation(target, "CAPEXPRY", message, setting(target, CAPEXPRY="NOLIMIT"))
