"""QUE009: XMITQ names an ordinary queue."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """QUE009; the page beside this file says why."""
    for remote in estate.of_kind("QREMOTE"):
        queue = estate.queues.get(remote.text("XMITQ") or "")
        if queue is not None and queue.text("USAGE") == "NORMAL":
            message = f"XMITQ({queue.name}) is USAGE(NORMAL): a put fails with 2092"
            yield found(remote, "XMITQ", message, setting(queue, USAGE="XMITQ"))


RULE = Rule("QUE009", Severity.ERROR, "XMITQ names an ordinary queue", check)
