"""QUE003: Alias leads to nothing."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.rules.finding import Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """QUE003; the page beside this file says why."""
    for queue in estate.of_kind("QALIAS"):
        target, is_topic = queue.text("TARGET"), queue.text("TARGTYPE") == "TOPIC"
        if target is None or is_system(queue.name):
            continue
        known = estate.topics if is_topic else estate.queues
        if not target:
            yield found(queue, "TARGET", "TARGET is blank", severity=Severity.ERROR)
        elif target not in known and target in estate.deleted:
            message = f"TARGET({target}) is deleted in line {estate.deleted[target].line}"
            yield found(queue, "TARGET", message, severity=Severity.ERROR)
        elif target not in known and estate.whole:
            message = f"TARGET({target}) is not defined here; it may be a cluster queue"
            yield found(queue, "TARGET", message)


RULE = Rule("QUE003", Severity.WARNING, "Alias leads to nothing", check)
