from __future__ import annotations

from mqtriage.definitions.estate import Definition, Estate
from mqtriage.definitions.rules.backout_queues import active
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.INFO)
def check(estate: Estate) -> Violations:
    users: dict[str, list[Definition]] = {}
    for queue, name in active(estate):
        target = estate.local(name)
        users.setdefault(target.name if target else name, []).append(queue)
    for name, queues in users.items():
        if len(queues) > 1:
            some = ", ".join(queue.name for queue in queues[:3])
            more = f" and {len(queues) - 3} more" if len(queues) > 3 else ""
            message = f"BOQNAME({name}) is used by {len(queues)} queues: {some}{more}"
            yield violation(queues[1], "BOQNAME", message)
