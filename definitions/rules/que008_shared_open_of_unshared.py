"""QUE008: DEFSOPT(SHARED) on a NOSHARE queue."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """QUE008; the page beside this file says why."""
    for queue in estate.of_kind("QLOCAL"):
        if queue.text("SHARE") == "NO" and queue.text("DEFSOPT") == "SHARED":
            message = "NOSHARE with DEFSOPT(SHARED): only one program can open it for input anyway"
            yield found(queue, "SHARE", message, setting(queue, DEFSOPT="EXCL"))


RULE = Rule("QUE008", Severity.INFO, "DEFSOPT(SHARED) on a NOSHARE queue", check)
