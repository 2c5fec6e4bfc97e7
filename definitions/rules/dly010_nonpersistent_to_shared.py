from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.delayed import delayed_locals
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    persistent = estate.load.persistent
    for queue in delayed_locals(estate):
        if queue.text("QSGDISP") != "SHARED" or persistent:
            continue
        default = queue.text("DEFPSIST")
        if persistent is False:
            message = "delayed messages are lost when the sender's queue manager stops"
            yield violation(queue, "QSGDISP", message)
        elif default == "NO":
            message = (
                "DEFPSIST(NO) on a shared queue: a delayed message is lost when the sender's queue"
                " manager stops"
            )
            yield violation(queue, "DEFPSIST", message, setting(queue, DEFPSIST="YES"))
