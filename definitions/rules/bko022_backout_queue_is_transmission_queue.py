"""BKO022: Backout queue is a transmission queue."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import with_backout_queue
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO022; the page beside this file says why."""
    seen: set[str] = set()
    for queue, target in with_backout_queue(estate):
        if target.text("USAGE") == "XMITQ" and target.name not in seen:
            seen.add(target.name)
            message = f"USAGE(XMITQ), and it is the backout queue of {queue.name}"
            yield found(target, "USAGE", message, setting(target, USAGE="NORMAL"))


RULE = Rule("BKO022", Severity.ERROR, "Backout queue is a transmission queue", check)
