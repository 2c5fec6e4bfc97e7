from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    queue_manager = estate.queue_manager_attributes
    target = estate.queues.get(str(estate.setting("DEADQ") or ""))
    if queue_manager is not None and target is not None and target.kind != "QLOCAL":
        message = f"DEADQ({target.name}) is a {target.kind}: it must be a local queue"
        yield violation(queue_manager, "DEADQ", message)
