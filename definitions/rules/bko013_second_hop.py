"""BKO013: Backout queue has a BOQNAME of its own."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import loops, with_backout_queue
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO013; the page beside this file says why."""
    ringed = {queue.name for ring in loops(estate) for queue in ring}
    seen: set[str] = set()
    for queue, target in with_backout_queue(estate):
        name = target.text("BOQNAME")
        if (
            not name
            or not target.number("BOTHRESH")
            or target.name in seen
            or target.name in ringed
        ):
            continue
        seen.add(target.name)
        message = f"BOQNAME({name}) on the backout queue of {queue.name}: a second hop"
        yield found(target, "BOQNAME", message, setting(target, BOTHRESH=0, BOQNAME=""))


RULE = Rule("BKO013", Severity.WARNING, "Backout queue has a BOQNAME of its own", check)
