"""DLQ005: Dead-letter queue is PUT(DISABLED)."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """DLQ005; the page beside this file says why."""
    queue = estate.dead_letter_queue
    if queue is not None and queue.text("PUT") == "DISABLED":
        message = "PUT(DISABLED) on the dead-letter queue: channels stop, messages are discarded"
        yield found(queue, "PUT", message, setting(queue, PUT="ENABLED"))


RULE = Rule("DLQ005", Severity.ERROR, "Dead-letter queue is PUT(DISABLED)", check)
