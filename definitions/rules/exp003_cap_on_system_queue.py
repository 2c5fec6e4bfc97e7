from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        cap = queue.number("CAPEXPRY")
        if cap is not None and queue.name.startswith("SYSTEM."):
            message = f"CAPEXPRY({cap}): what the queue manager keeps here expires"
            yield violation(queue, "CAPEXPRY", message, setting(queue, CAPEXPRY="NOLIMIT"))
