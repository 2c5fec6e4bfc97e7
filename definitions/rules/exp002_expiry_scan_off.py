"""EXP002: z/OS: EXPRYINT is OFF."""

from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Alter, Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule

EVERY_SECONDS: Final = 3600


def check(estate: Estate) -> Founds:
    """EXP002; the page beside this file says why."""
    queue_manager = estate.queue_manager_attributes
    if queue_manager is None or estate.platform != "zos":
        return
    if queue_manager.text("EXPRYINT") == "OFF":
        message = "EXPRYINT(OFF): expired messages stay on queues that are not read"
        mend = Alter("QMGR", "", {"EXPRYINT": EVERY_SECONDS})
        yield found(queue_manager, "EXPRYINT", message, mend)


RULE = Rule("EXP002", Severity.WARNING, "z/OS: EXPRYINT is OFF", check)
