"""BKO004: Backout queue is PUT(DISABLED)."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import active
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO004; the page beside this file says why."""
    seen: set[str] = set()
    for queue, name in active(estate):
        for thing in (estate.queues.get(name), estate.local(name)):
            if thing is None or thing.text("PUT") != "DISABLED" or thing.name in seen:
                continue
            seen.add(thing.name)
            message = f"PUT(DISABLED), and it is where BOQNAME of {queue.name} leads"
            yield found(thing, "PUT", message, setting(thing, PUT="ENABLED"))


RULE = Rule("BKO004", Severity.ERROR, "Backout queue is PUT(DISABLED)", check)
