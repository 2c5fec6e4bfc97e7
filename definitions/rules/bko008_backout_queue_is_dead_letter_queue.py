from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import active, proposal
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule

USUAL: Final = "SYSTEM.DEAD.LETTER.QUEUE"
"""What is taken for the dead-letter queue where DEADQ is not known."""


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    dead = str(estate.setting("DEADQ") or "") or USUAL
    for queue, name in active(estate):
        target = estate.local(name)
        if dead in (name, target.name if target else name):
            message = f"BOQNAME({name}) is the dead-letter queue: poison messages have no MQDLH"
            yield violation(queue, "BOQNAME", message, *proposal(estate, queue))
