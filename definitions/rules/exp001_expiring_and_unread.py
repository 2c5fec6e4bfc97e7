from __future__ import annotations

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.load_model import any_matches
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        cap, status = queue.number("CAPEXPRY"), estate.status.get(queue.name)
        if is_system(queue.name):
            continue
        if status is not None and status.expired and not status.ipprocs:
            message = f"{status.expired} expired messages still count, and no program has it open"
            yield violation(queue, "", message)
        elif cap is not None and queue.text("GET") == "DISABLED":
            message = f"CAPEXPRY({cap}) with GET(DISABLED): no get discards what expires"
            yield violation(queue, "GET", message, setting(queue, GET="ENABLED"))
        elif cap is not None and any_matches(estate.load.unread_queues, queue.name):
            message = f"CAPEXPRY({cap}) on a queue that no program reads: expired messages stay"
            yield violation(queue, "CAPEXPRY", message)
