from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import proposal
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        threshold = queue.number("BOTHRESH")
        if threshold and queue.text("BOQNAME") == "":
            message = (
                f"BOTHRESH({threshold}) but BOQNAME is blank: a poison message goes to the"
                " dead-letter queue or is discarded"
            )
            yield violation(queue, "BOTHRESH", message, *proposal(estate, queue))
