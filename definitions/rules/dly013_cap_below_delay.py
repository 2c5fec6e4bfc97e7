from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.load_model import any_matches
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.delay import cap_refusal


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    delay_ms = estate.load.longest_delay_ms
    if delay_ms is None:
        return
    for queue in estate.of_kind("QLOCAL", "QALIAS", "QREMOTE"):
        cap = queue.number("CAPEXPRY")
        if cap is None or not any_matches(estate.load.delayed_queues, queue.name):
            continue
        refusal = cap_refusal(delay_ms, (cap,))
        if refusal is not None:
            fix = setting(queue, CAPEXPRY=-(-delay_ms // 100))
            yield violation(queue, "CAPEXPRY", f"{refusal.text}: the send fails (2013)", fix)
