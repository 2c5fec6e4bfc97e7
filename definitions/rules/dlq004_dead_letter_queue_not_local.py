"""DLQ004: DEADQ is not a local queue."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """DLQ004; the page beside this file says why."""
    queue_manager = estate.queue_manager_attributes
    target = estate.queues.get(str(estate.setting("DEADQ") or ""))
    if queue_manager is not None and target is not None and target.kind != "QLOCAL":
        message = f"DEADQ({target.name}) is a {target.kind}: it must be a local queue"
        yield found(queue_manager, "DEADQ", message)


RULE = Rule("DLQ004", Severity.ERROR, "DEADQ is not a local queue", check)
