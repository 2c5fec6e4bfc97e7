"""BKO016: z/OS: NOHARDENBO with BOTHRESH."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO016; the page beside this file says why."""
    if estate.platform != "zos":
        return
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        if (
            queue.number("BOTHRESH")
            and queue.text("HARDENBO") == "NO"
            and queue.text("QSGDISP") != "SHARED"
        ):
            message = "NOHARDENBO: the backout count is lost when the queue manager restarts"
            yield found(queue, "HARDENBO", message, setting(queue, HARDENBO="YES"))


RULE = Rule("BKO016", Severity.INFO, "z/OS: NOHARDENBO with BOTHRESH", check)
