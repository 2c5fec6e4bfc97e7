from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.INFO)
def check(estate: Estate) -> Violations:
    if estate.platform != "zos":
        return
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        if (
            queue.number("BOTHRESH")
            and queue.text("HARDENBO") == "NO"
            and queue.text("QSGDISP") != "SHARED"
        ):
            message = "NOHARDENBO: the backout count is lost when the queue manager restarts"
            yield violation(queue, "HARDENBO", message, setting(queue, HARDENBO="YES"))
