from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is None or estate.platform != "zos":
        return
    storage = queue.text("STGCLASS")
    if storage in ("", "DEFAULT"):
        message = "STGCLASS('DEFAULT'): delayed messages share a page set with everything else"
        yield violation(queue, "STGCLASS", message)
