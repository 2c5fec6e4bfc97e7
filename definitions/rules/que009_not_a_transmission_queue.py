from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    for remote in estate.of_kind("QREMOTE"):
        queue = estate.queues.get(remote.text("XMITQ") or "")
        if queue is not None and queue.text("USAGE") == "NORMAL":
            message = f"XMITQ({queue.name}) is USAGE(NORMAL): a put fails with 2092"
            yield violation(remote, "XMITQ", message, setting(queue, USAGE="XMITQ"))
