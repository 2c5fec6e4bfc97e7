from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Alter, Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule

EVERY_SECONDS: Final = 3600


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    queue_manager = estate.queue_manager_attributes
    if queue_manager is None or estate.platform != "zos":
        return
    if queue_manager.text("EXPRYINT") == "OFF":
        message = "EXPRYINT(OFF): expired messages stay on queues that are not read"
        fix = Alter("QMGR", "", {"EXPRYINT": EVERY_SECONDS})
        yield violation(queue_manager, "EXPRYINT", message, fix)
