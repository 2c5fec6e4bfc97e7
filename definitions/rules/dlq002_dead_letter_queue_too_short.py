from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.delayed import application_locals
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.constants import MQDLH_CURRENT_LENGTH


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    limit = queue.number("MAXMSGL") if queue is not None else None
    if queue is None or limit is None:
        return
    # its own backout queue is to be larger than it: the two must not drive each other up
    own = (queue.name, queue.text("BOQNAME"))
    largest, whose = 0, ""
    for other in application_locals(estate):
        length = other.number("MAXMSGL") or 0
        if length > largest and other.name not in own:
            largest, whose = length, other.name
    needed = largest + MQDLH_CURRENT_LENGTH
    if limit >= min(needed, max(estate.greatest_length, largest)):
        return
    severity = Severity.INFO if limit >= largest else None
    message = f"MAXMSGL({limit}) is below MAXMSGL({largest}) of {whose} and an MQDLH"
    fix = setting(queue, MAXMSGL=min(needed, max(estate.greatest_length, largest)))
    yield violation(queue, "MAXMSGL", message, fix, severity=severity)
