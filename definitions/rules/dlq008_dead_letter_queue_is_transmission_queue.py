"""DLQ008: Dead-letter queue is a transmission queue."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """DLQ008; the page beside this file says why."""
    queue = estate.dead_letter_queue
    if queue is not None and queue.text("USAGE") == "XMITQ":
        message = "USAGE(XMITQ) on the dead-letter queue"
        yield found(queue, "USAGE", message, setting(queue, USAGE="NORMAL"))


RULE = Rule("DLQ008", Severity.ERROR, "Dead-letter queue is a transmission queue", check)
