"""DLY004: Staging queue is PUT or GET disabled."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """DLY004; the page beside this file says why."""
    queue = estate.staging_queue
    if queue is None:
        return
    for keyword, outcome in (
        ("PUT", "sends with a delay fail, and on z/OS the processor stops"),
        ("GET", "nothing is delivered when it is due"),
    ):
        if queue.text(keyword) == "DISABLED":
            mend = setting(queue, **{keyword: "ENABLED"})
            yield found(queue, keyword, f"{keyword}(DISABLED): {outcome}", mend)


RULE = Rule("DLY004", Severity.ERROR, "Staging queue is PUT or GET disabled", check)
