"""DLQ007: Dead-letter queue is GET(DISABLED)."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """DLQ007; the page beside this file says why."""
    queue = estate.dead_letter_queue
    if queue is not None and queue.text("GET") == "DISABLED":
        message = "GET(DISABLED) on the dead-letter queue: it cannot be worked off"
        yield found(queue, "GET", message, setting(queue, GET="ENABLED"))


RULE = Rule("DLQ007", Severity.WARNING, "Dead-letter queue is GET(DISABLED)", check)
