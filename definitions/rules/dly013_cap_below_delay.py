"""DLY013: CAPEXPRY is below the longest delay."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.load_model import any_matches
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule
from mqtriage.mq.delay import cap_refusal


def check(estate: Estate) -> Founds:
    """DLY013; the page beside this file says why."""
    delay_ms = estate.load.longest_delay_ms
    if delay_ms is None:
        return
    for queue in estate.of_kind("QLOCAL", "QALIAS", "QREMOTE"):
        cap = queue.number("CAPEXPRY")
        if cap is None or not any_matches(estate.load.delayed_queues, queue.name):
            continue
        refusal = cap_refusal(delay_ms, (cap,))
        if refusal is not None:
            mend = setting(queue, CAPEXPRY=-(-delay_ms // 100))
            yield found(queue, "CAPEXPRY", f"{refusal.text}: the send fails (2013)", mend)


RULE = Rule("DLY013", Severity.ERROR, "CAPEXPRY is below the longest delay", check)
