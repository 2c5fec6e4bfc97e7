from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.delay import GREATEST_MAXDEPTH, depth_needed


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    queue, load = estate.staging_queue, estate.load
    depth = None if queue is None else queue.number("MAXDEPTH")
    seen = load.measured_of(estate.queue_manager)
    if queue is not None and seen is not None and depth is not None and depth < seen.maxdepth:
        text = f"MAXDEPTH({depth}) is below what was needed: {seen.maxdepth_sum}"
        yield violation(queue, "MAXDEPTH", text, setting(queue, MAXDEPTH=seen.maxdepth))
        return
    if queue is None or load.rate_per_s is None or load.longest_delay_ms is None:
        return
    needed = depth_needed(
        load.rate_per_s,
        load.longest_delay_ms,
        subscribers=load.subscribers,
        headroom_percent=load.headroom_percent,
    )
    if depth is not None and depth < needed.value:
        fix = setting(queue, MAXDEPTH=min(needed.value, GREATEST_MAXDEPTH))
        yield violation(queue, "MAXDEPTH", f"MAXDEPTH({depth}) is below {needed.text}", fix)
