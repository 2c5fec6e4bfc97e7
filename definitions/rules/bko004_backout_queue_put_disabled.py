from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import active
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    seen: set[str] = set()
    for queue, name in active(estate):
        for thing in (estate.queues.get(name), estate.local(name)):
            if thing is None or thing.text("PUT") != "DISABLED" or thing.name in seen:
                continue
            seen.add(thing.name)
            message = f"PUT(DISABLED), and it is where BOQNAME of {queue.name} leads"
            yield violation(thing, "PUT", message, setting(thing, PUT="ENABLED"))
