"""DLY012: Staging queue is a shared queue."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """DLY012; the page beside this file says why."""
    queue = estate.staging_queue
    if queue is not None and queue.text("QSGDISP") in ("SHARED", "GROUP"):
        value = queue.text("QSGDISP")
        message = f"QSGDISP({value}): each queue manager needs a private staging queue"
        yield found(queue, "QSGDISP", message)


RULE = Rule("DLY012", Severity.ERROR, "Staging queue is a shared queue", check)
