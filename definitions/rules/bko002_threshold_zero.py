from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import GOOD_THRESHOLD
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        name = queue.text("BOQNAME")
        if name and queue.number("BOTHRESH") == 0:
            message = f"BOQNAME({name}) but BOTHRESH(0): poison handling is off"
            yield violation(queue, "BOQNAME", message, setting(queue, BOTHRESH=GOOD_THRESHOLD))
