from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import proposal, used_as_backout_queue
from mqtriage.definitions.rules.delayed import application_locals
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule

ENDINGS: Final = (".BO", ".BOQ", ".BACKOUT", ".DLQ", ".DEAD", ".REPLY")
"""Names of queues that hardly have transacted readers of their own."""


@rule(Severity.INFO)
def check(estate: Estate) -> Violations:
    targets = used_as_backout_queue(estate) | {str(estate.setting("DEADQ") or "")}
    for queue in estate.of_kind("QLOCAL"):
        targets |= {queue.text("INITQ") or "", queue.text("STREAMQ") or ""}
    for queue in application_locals(estate):
        if queue.number("BOTHRESH") != 0 or queue.text("BOQNAME") != "":
            continue
        if queue.name in targets or queue.name.endswith(ENDINGS):
            continue
        if queue.text("DEFTYPE") in (None, "PREDEFINED"):
            message = "BOTHRESH(0) and BOQNAME blank: a poison message is delivered for ever"
            yield violation(queue, "", message, *proposal(estate, queue))
