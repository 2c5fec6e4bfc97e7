from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import loops, proposal
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    for ring in loops(estate):
        first = ring[0]
        names = " -> ".join(queue.name for queue in [*ring[:5], first])
        fix = proposal(estate, first) if len(ring) == 1 else ()
        yield violation(first, "BOQNAME", f"BOQNAME leads in a circle: {names}", *fix)
