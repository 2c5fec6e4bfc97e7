from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is None:
        return
    for keyword, outcome in (
        ("PUT", "sends with a delay fail, and on z/OS the processor stops"),
        ("GET", "nothing is delivered when it is due"),
    ):
        if queue.text(keyword) == "DISABLED":
            fix = setting(queue, **{keyword: "ENABLED"})
            yield violation(queue, keyword, f"{keyword}(DISABLED): {outcome}", fix)
