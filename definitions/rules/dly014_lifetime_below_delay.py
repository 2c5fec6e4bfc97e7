from __future__ import annotations

from mqtriage.definitions.estate import Estate, Location
from mqtriage.definitions.rules.finding import Severity, Violation, Violations
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.delay import lifetime_refusal


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    delay_ms, lifetime_ms = estate.load.longest_delay_ms, estate.load.time_to_live_ms
    if delay_ms is None or lifetime_ms is None:
        return
    refusal = lifetime_refusal(delay_ms, lifetime_ms)
    if refusal is not None:
        yield Violation("LOAD", "load model", Location(), f"{refusal.text}: the send fails (2013)")
