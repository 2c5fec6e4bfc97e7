"""QUE006: QDEPTHHI is below QDEPTHLO."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """QUE006; the page beside this file says why."""
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        high, low = queue.number("QDEPTHHI"), queue.number("QDEPTHLO")
        if high is not None and low is not None and high < low:
            message = f"QDEPTHHI({high}) is below QDEPTHLO({low})"
            mend = setting(queue, QDEPTHHI=low, QDEPTHLO=high)
            yield found(queue, "QDEPTHHI", message, mend)


RULE = Rule("QUE006", Severity.WARNING, "QDEPTHHI is below QDEPTHLO", check)
