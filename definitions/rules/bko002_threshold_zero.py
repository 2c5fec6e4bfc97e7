"""BKO002: BOQNAME set, BOTHRESH 0."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import GOOD_THRESHOLD
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO002; the page beside this file says why."""
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        name = queue.text("BOQNAME")
        if name and queue.number("BOTHRESH") == 0:
            message = f"BOQNAME({name}) but BOTHRESH(0): poison handling is off"
            yield found(queue, "BOQNAME", message, setting(queue, BOTHRESH=GOOD_THRESHOLD))


RULE = Rule("BKO002", Severity.WARNING, "BOQNAME set, BOTHRESH 0", check)
