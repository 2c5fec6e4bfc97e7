"""DLY010: Delayed non-persistent messages for a shared queue."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.delayed import delayed_locals
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """DLY010; the page beside this file says why."""
    persistent = estate.load.persistent
    for queue in delayed_locals(estate):
        if queue.text("QSGDISP") != "SHARED" or persistent:
            continue
        default = queue.text("DEFPSIST")
        if persistent is False:
            message = "delayed messages are lost when the sender's queue manager stops"
            yield found(queue, "QSGDISP", message)
        elif default == "NO":
            message = (
                "DEFPSIST(NO) on a shared queue: a delayed message is lost when the sender's queue"
                " manager stops"
            )
            yield found(queue, "DEFPSIST", message, setting(queue, DEFPSIST="YES"))


RULE = Rule("DLY010", Severity.WARNING, "Delayed non-persistent messages for a shared queue", check)
