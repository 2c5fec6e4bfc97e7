"""QUE011: STREAMQ names itself, a chain or a queue that cannot be one."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """QUE011; the page beside this file says why."""
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
            yield found(queue, "STREAMQ", message, setting(queue, STREAMQ=""))


RULE = Rule(
    "QUE011", Severity.ERROR, "STREAMQ names itself, a chain or a queue that cannot be one", check
)
