"""EXP003: CAPEXPRY on a queue of the queue manager."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """EXP003; the page beside this file says why."""
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        cap = queue.number("CAPEXPRY")
        if cap is not None and queue.name.startswith("SYSTEM."):
            message = f"CAPEXPRY({cap}): what the queue manager keeps here expires"
            yield found(queue, "CAPEXPRY", message, setting(queue, CAPEXPRY="NOLIMIT"))


RULE = Rule("EXP003", Severity.ERROR, "CAPEXPRY on a queue of the queue manager", check)
