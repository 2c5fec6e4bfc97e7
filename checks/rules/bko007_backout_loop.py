"""BKO007: BOQNAME leads back to the queue."""

from __future__ import annotations

from mqtriage.checks.backout_queues import loops, proposal
from mqtriage.checks.finding import Founds, Severity, found
from mqtriage.checks.rule import Rule
from mqtriage.model.estate import Estate


def check(estate: Estate) -> Founds:
    """BKO007; the page beside this file says why."""
    for ring in loops(estate):
        first = ring[0]
        names = " -> ".join(queue.name for queue in [*ring[:5], first])
        fix = proposal(estate, first) if len(ring) == 1 else ()
        yield found(first, "BOQNAME", f"BOQNAME leads in a circle: {names}", *fix)


RULE = Rule("BKO007", Severity.ERROR, "BOQNAME leads back to the queue", check)
