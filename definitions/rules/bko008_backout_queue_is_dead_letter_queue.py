"""BKO008: Backout queue is the dead-letter queue."""

from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import active, proposal
from mqtriage.definitions.rules.finding import Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule

USUAL: Final = "SYSTEM.DEAD.LETTER.QUEUE"
"""What is taken for the dead-letter queue where DEADQ is not known."""


def check(estate: Estate) -> Founds:
    """BKO008; the page beside this file says why."""
    dead = str(estate.setting("DEADQ") or "") or USUAL
    for queue, name in active(estate):
        target = estate.local(name)
        if dead in (name, target.name if target else name):
            message = f"BOQNAME({name}) is the dead-letter queue: poison messages have no MQDLH"
            yield found(queue, "BOQNAME", message, *proposal(estate, queue))


RULE = Rule("BKO008", Severity.WARNING, "Backout queue is the dead-letter queue", check)
