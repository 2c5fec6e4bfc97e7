from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is None or estate.platform != "zos":
        return
    for keyword, expected in (("INDXTYPE", "NONE"), ("MSGDLVSQ", "FIFO")):
        value = queue.text(keyword)
        if value is not None and value != expected:
            fix = setting(queue, **{keyword: expected})
            yield violation(queue, keyword, f"{keyword}({value}), {expected} is required", fix)
