"""BKO016: z/OS: NOHARDENBO with BOTHRESH."""

from __future__ import annotations

from mqtriage.checks.finding import Founds, Severity, found, setting
from mqtriage.checks.rule import Rule
from mqtriage.model.estate import Estate


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
