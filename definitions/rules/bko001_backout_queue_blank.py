"""BKO001: BOTHRESH above 0, BOQNAME blank."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import proposal
from mqtriage.definitions.rules.finding import Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO001; the page beside this file says why."""
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        threshold = queue.number("BOTHRESH")
        if threshold and queue.text("BOQNAME") == "":
            message = (
                f"BOTHRESH({threshold}) but BOQNAME is blank: a poison message goes to the"
                " dead-letter queue or is discarded"
            )
            yield found(queue, "BOTHRESH", message, *proposal(estate, queue))


RULE = Rule("BKO001", Severity.ERROR, "BOTHRESH above 0, BOQNAME blank", check)
