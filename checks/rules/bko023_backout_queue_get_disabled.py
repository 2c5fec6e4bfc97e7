"""BKO023: Backout queue is GET(DISABLED)."""

from __future__ import annotations

from mqtriage.checks.backout_queues import with_backout_queue
from mqtriage.checks.finding import Founds, Severity, found, setting
from mqtriage.checks.rule import Rule
from mqtriage.model.estate import Estate


def check(estate: Estate) -> Founds:
    """BKO023; the page beside this file says why."""
    seen: set[str] = set()
    for queue, target in with_backout_queue(estate):
        if target.text("GET") == "DISABLED" and target.name not in seen:
            seen.add(target.name)
            message = f"GET(DISABLED): what {queue.name} backs out can be neither read nor requeued"
            yield found(target, "GET", message, setting(target, GET="ENABLED"))


RULE = Rule("BKO023", Severity.WARNING, "Backout queue is GET(DISABLED)", check)
