from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        name = queue.text("STREAMQ")
        if not name:
            continue
        copy, named = estate.local(name), estate.queues.get(name)
        message = ""
        if name == queue.name or (copy is not None and copy.name == queue.name):
            message = f"STREAMQ({name}) is the queue itself"
        elif copy is not None and copy.text("STREAMQ"):
            message = f"STREAMQ({name}) streams further, to {copy.text('STREAMQ')}"
        elif named is not None and named.kind == "QMODEL":
            message = f"STREAMQ({name}) is a model queue"
        elif queue.text("USAGE") == "XMITQ":
            message = f"STREAMQ({name}) on a transmission queue"
        if message:
            yield violation(queue, "STREAMQ", message, setting(queue, STREAMQ=""))
