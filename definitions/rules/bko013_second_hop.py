from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import loops, with_backout_queue
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
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
        yield violation(target, "BOQNAME", message, setting(target, BOTHRESH=0, BOQNAME=""))
