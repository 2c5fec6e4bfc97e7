from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        status, depth = estate.status.get(queue.name), queue.number("MAXDEPTH")
        if status is None or not status.expired or depth is None:
            continue
        if status.curdepth * 100 >= depth * 80 and status.expired * 2 >= status.curdepth:
            message = (
                f"CURDEPTH {status.curdepth} of MAXDEPTH({depth}), {status.expired} expired:"
                f" mqtriage expiry sweep {queue.name}"
            )
            yield violation(queue, "", message)
