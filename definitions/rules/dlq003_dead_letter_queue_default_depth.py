"""DLQ003: Dead-letter queue's MAXDEPTH is left at 5000."""

from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule

DEFAULT_DEPTH: Final = 5000
ROOMY: Final = 100_000


def check(estate: Estate) -> Founds:
    """DLQ003; the page beside this file says why."""
    queue = estate.dead_letter_queue
    if queue is not None and queue.number("MAXDEPTH") == DEFAULT_DEPTH:
        message = f"MAXDEPTH({DEFAULT_DEPTH}) is the default: one bad hour fills it"
        yield found(queue, "MAXDEPTH", message, setting(queue, MAXDEPTH=ROOMY))


RULE = Rule("DLQ003", Severity.WARNING, "Dead-letter queue's MAXDEPTH is left at 5000", check)
