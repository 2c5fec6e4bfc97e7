"""BKO017: Backout queue lets messages expire."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import with_backout_queue
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule
from mqtriage.model.units import duration_text


def check(estate: Estate) -> Founds:
    """BKO017; the page beside this file says why."""
    seen: set[str] = set()
    for queue, target in with_backout_queue(estate):
        cap = target.number("CAPEXPRY")
        if cap is None or target.name in seen:
            continue
        seen.add(target.name)
        message = f"CAPEXPRY({cap}): what {queue.name} backs out lasts {duration_text(cap * 100)}"
        yield found(target, "CAPEXPRY", message, setting(target, CAPEXPRY="NOLIMIT"))


RULE = Rule("BKO017", Severity.WARNING, "Backout queue lets messages expire", check)
