from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    limit = estate.load.greatest_threshold
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        threshold = queue.number("BOTHRESH")
        if threshold is not None and threshold > limit:
            message = f"BOTHRESH({threshold}) is above {limit}: a poison message fails that often"
            yield violation(queue, "BOTHRESH", message, setting(queue, BOTHRESH=limit))
