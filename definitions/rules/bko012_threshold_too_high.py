"""BKO012: BOTHRESH is above the limit."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO012; the page beside this file says why."""
    limit = estate.load.greatest_threshold
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        threshold = queue.number("BOTHRESH")
        if threshold is not None and threshold > limit:
            message = f"BOTHRESH({threshold}) is above {limit}: a poison message fails that often"
            yield found(queue, "BOTHRESH", message, setting(queue, BOTHRESH=limit))


RULE = Rule("BKO012", Severity.WARNING, "BOTHRESH is above the limit", check)
