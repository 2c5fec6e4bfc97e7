from __future__ import annotations

from mqtriage.definitions.estate import Estate, Location
from mqtriage.definitions.rules.delayed import delayed_locals
from mqtriage.definitions.rules.finding import (
    Define,
    Severity,
    Violation,
    Violations,
    setting,
    violation,
)
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    for name in estate.load.delayed_queues:
        if "*" in name or name in estate.queues:
            continue
        if name in estate.deleted or estate.whole:
            place = estate.deleted.get(name, Location())
            message = "is the target of delayed messages and does not exist when they are due"
            define = Define("QLOCAL", name, {})
            yield Violation("QLOCAL", name, place, f"{name} {message}", (define,), Severity.ERROR)
    for queue in delayed_locals(estate):
        status, depth = estate.status.get(queue.name), queue.number("MAXDEPTH")
        if queue.text("PUT") == "DISABLED":
            message = "PUT(DISABLED): delayed messages that fall due go to the dead-letter queue"
            yield violation(queue, "PUT", message, setting(queue, PUT="ENABLED"))
        elif status is not None and depth is not None and status.curdepth >= depth:
            message = f"full, CURDEPTH {status.curdepth}: messages that fall due find no room"
            yield violation(queue, "", message)
