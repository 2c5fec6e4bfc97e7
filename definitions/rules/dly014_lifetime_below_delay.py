"""DLY014: Lifetime of delayed messages is below their delay."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate, Place
from mqtriage.definitions.rules.finding import Found, Founds, Severity
from mqtriage.definitions.rules.rule import Rule
from mqtriage.mq.delay import lifetime_refusal


def check(estate: Estate) -> Founds:
    """DLY014; the page beside this file says why."""
    delay_ms, lifetime_ms = estate.load.longest_delay_ms, estate.load.time_to_live_ms
    if delay_ms is None or lifetime_ms is None:
        return
    refusal = lifetime_refusal(delay_ms, lifetime_ms)
    if refusal is not None:
        yield Found("LOAD", "load model", Place(), f"{refusal.text}: the send fails (2013)")


RULE = Rule("DLY014", Severity.ERROR, "Lifetime of delayed messages is below their delay", check)
