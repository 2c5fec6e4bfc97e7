"""BKO023: Backout queue is GET(DISABLED)."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import with_backout_queue
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO023; the page beside this file says why."""
    seen: set[str] = set()
    for queue, target in with_backout_queue(estate):
        if target.text("GET") == "DISABLED" and target.name not in seen:
            seen.add(target.name)
            message = f"GET(DISABLED): what {queue.name} backs out can be neither read nor requeued"
            yield found(target, "GET", message, setting(target, GET="ENABLED"))


RULE = Rule("BKO023", Severity.WARNING, "Backout queue is GET(DISABLED)", check)
