from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Alter, Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    limit = estate.setting("MAXMSGL")
    if not isinstance(limit, int):
        return
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        length = queue.number("MAXMSGL")
        if length is not None and length > limit:
            message = f"MAXMSGL({length}) is above MAXMSGL({limit}) of the queue manager"
            yield violation(queue, "MAXMSGL", message, Alter("QMGR", "", {"MAXMSGL": length}))
