"""QUE005: MAXMSGL is above the queue manager's."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Alter, Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """QUE005; the page beside this file says why."""
    limit = estate.setting("MAXMSGL")
    if not isinstance(limit, int):
        return
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        length = queue.number("MAXMSGL")
        if length is not None and length > limit:
            message = f"MAXMSGL({length}) is above MAXMSGL({limit}) of the queue manager"
            yield found(queue, "MAXMSGL", message, Alter("QMGR", "", {"MAXMSGL": length}))


RULE = Rule("QUE005", Severity.WARNING, "MAXMSGL is above the queue manager's", check)
