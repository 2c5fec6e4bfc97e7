from __future__ import annotations

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.load_model import any_matches
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    patterns = estate.load.delayed_queues
    for queue in estate.of_kind("QLOCAL", "QALIAS"):
        bind = queue.text("DEFBIND")
        if not (queue.text("CLUSTER") or queue.text("CLUSNL")) or bind in (None, "NOTFIXED"):
            continue
        if is_system(queue.name) or (patterns and not any_matches(patterns, queue.name)):
            continue
        message = f"clustered with DEFBIND({bind}): a send with a delivery delay fails (2046)"
        severity = None if patterns else Severity.INFO
        fix = setting(queue, DEFBIND="NOTFIXED")
        yield violation(queue, "DEFBIND", message, fix, severity=severity)
