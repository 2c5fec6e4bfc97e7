from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        if queue.text("TRIGGER") == "YES" and queue.text("INITQ") == "":
            message = "TRIGGER with a blank INITQ: no trigger message is ever made"
            fix = setting(queue, INITQ="SYSTEM.DEFAULT.INITIATION.QUEUE")
            yield violation(queue, "TRIGGER", message, fix)
