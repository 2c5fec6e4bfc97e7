from __future__ import annotations

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QALIAS"):
        target, is_topic = queue.text("TARGET"), queue.text("TARGTYPE") == "TOPIC"
        if target is None or is_system(queue.name):
            continue
        known = estate.topics if is_topic else estate.queues
        if not target:
            yield violation(queue, "TARGET", "TARGET is blank", severity=Severity.ERROR)
        elif target not in known and target in estate.deleted:
            message = f"TARGET({target}) is deleted in line {estate.deleted[target].line}"
            yield violation(queue, "TARGET", message, severity=Severity.ERROR)
        elif target not in known and estate.whole:
            message = f"TARGET({target}) is not defined here; it may be a cluster queue"
            yield violation(queue, "TARGET", message)
