from __future__ import annotations

from mqtriage.definitions.estate import Estate, Location
from mqtriage.definitions.rules.delayed import staging_attributes
from mqtriage.definitions.rules.finding import Define, Severity, Violation, Violations, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.delay import STAGING_QUEUE


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is not None:
        if queue.kind != "QLOCAL":
            yield violation(queue, "", f"{STAGING_QUEUE} is a {queue.kind}, not a local queue")
        return
    used = estate.load.delayed_queues or estate.load.delayed_topics
    needs_it = estate.whole or (estate.platform == "zos" and used)
    place = estate.deleted.get(STAGING_QUEUE)
    if place is None and not needs_it:
        return
    message = "is deleted here" if place else "is not defined"
    define = Define("QLOCAL", STAGING_QUEUE, staging_attributes(estate))
    text = f"{STAGING_QUEUE} {message}: every send with a delivery delay fails"
    yield Violation("QLOCAL", STAGING_QUEUE, place or Location(), text, (define,))
