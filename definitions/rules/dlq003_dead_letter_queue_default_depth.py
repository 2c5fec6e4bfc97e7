from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule

DEFAULT_DEPTH: Final = 5000
ROOMY: Final = 100_000


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    if queue is not None and queue.number("MAXDEPTH") == DEFAULT_DEPTH:
        message = f"MAXDEPTH({DEFAULT_DEPTH}) is the default: one bad hour fills it"
        yield violation(queue, "MAXDEPTH", message, setting(queue, MAXDEPTH=ROOMY))
