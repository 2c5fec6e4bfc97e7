"""QUE007: TRIGGER without INITQ."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """QUE007; the page beside this file says why."""
    for queue in estate.of_kind("QLOCAL"):
        if queue.text("TRIGGER") == "YES" and queue.text("INITQ") == "":
            message = "TRIGGER with a blank INITQ: no trigger message is ever made"
            mend = setting(queue, INITQ="SYSTEM.DEFAULT.INITIATION.QUEUE")
            yield found(queue, "TRIGGER", message, mend)


RULE = Rule("QUE007", Severity.WARNING, "TRIGGER without INITQ", check)
