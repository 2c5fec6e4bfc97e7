from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import GOOD_THRESHOLD
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.INFO)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        if queue.number("BOTHRESH") == 1 and queue.text("BOQNAME"):
            message = "BOTHRESH(1): one failed delivery, or a tool's, makes a message poison"
            yield violation(queue, "BOTHRESH", message, setting(queue, BOTHRESH=GOOD_THRESHOLD))
