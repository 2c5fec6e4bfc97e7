"""BKO007: BOQNAME leads back to the queue."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import loops, proposal
from mqtriage.definitions.rules.finding import Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO007; the page beside this file says why."""
    for ring in loops(estate):
        first = ring[0]
        names = " -> ".join(queue.name for queue in [*ring[:5], first])
        fix = proposal(estate, first) if len(ring) == 1 else ()
        yield found(first, "BOQNAME", f"BOQNAME leads in a circle: {names}", *fix)


RULE = Rule("BKO007", Severity.ERROR, "BOQNAME leads back to the queue", check)
