"""EXP006: Dead-letter queue lets messages expire."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule
from mqtriage.model.units import duration_text


def check(estate: Estate) -> Founds:
    """EXP006; the page beside this file says why."""
    queue = estate.dead_letter_queue
    cap = queue.number("CAPEXPRY") if queue is not None else None
    if queue is not None and cap is not None and not is_system(queue.name):
        message = f"CAPEXPRY({cap}): dead letters are gone after {duration_text(cap * 100)}"
        yield found(queue, "CAPEXPRY", message, setting(queue, CAPEXPRY="NOLIMIT"))


RULE = Rule("EXP006", Severity.WARNING, "Dead-letter queue lets messages expire", check)
