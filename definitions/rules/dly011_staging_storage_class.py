"""DLY011: z/OS: staging queue has the default storage class."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """DLY011; the page beside this file says why."""
    queue = estate.staging_queue
    if queue is None or estate.platform != "zos":
        return
    storage = queue.text("STGCLASS")
    if storage in ("", "DEFAULT"):
        message = "STGCLASS('DEFAULT'): delayed messages share a page set with everything else"
        yield found(queue, "STGCLASS", message)


RULE = Rule("DLY011", Severity.WARNING, "z/OS: staging queue has the default storage class", check)
