from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        high, low = queue.number("QDEPTHHI"), queue.number("QDEPTHLO")
        if high is not None and low is not None and high < low:
            message = f"QDEPTHHI({high}) is below QDEPTHLO({low})"
            fix = setting(queue, QDEPTHHI=low, QDEPTHLO=high)
            yield violation(queue, "QDEPTHHI", message, fix)
