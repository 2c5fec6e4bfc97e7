"""BKO015: BOTHRESH(1) moves a message after one failure."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import GOOD_THRESHOLD
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO015; the page beside this file says why."""
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        if queue.number("BOTHRESH") == 1 and queue.text("BOQNAME"):
            message = "BOTHRESH(1): one failed delivery, or a tool's, makes a message poison"
            yield found(queue, "BOTHRESH", message, setting(queue, BOTHRESH=GOOD_THRESHOLD))


RULE = Rule("BKO015", Severity.INFO, "BOTHRESH(1) moves a message after one failure", check)
