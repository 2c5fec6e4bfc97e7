from __future__ import annotations

from mqtriage.definitions.estate import Estate, Location
from mqtriage.definitions.rules.delayed import staging_attributes
from mqtriage.definitions.rules.finding import Define, Severity, Violation, Violations, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.delay import FIRST_LEVEL, STAGING_QUEUE


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is not None:
        if queue.kind != "QLOCAL":
            yield violation(queue, "", f"{STAGING_QUEUE} is a {queue.kind}, not a local queue")
        return
    place = estate.deleted.get(STAGING_QUEUE)
    if place is None and not _must_be_here(estate):
        return
    message = "is deleted here" if place else "is not defined"
    define = Define("QLOCAL", STAGING_QUEUE, staging_attributes(estate))
    text = f"{STAGING_QUEUE} {message}: every send with a delivery delay fails"
    yield Violation("QLOCAL", STAGING_QUEUE, place or Location(), text, (define,))


def _must_be_here(estate: Estate) -> bool:
    """Whether a queue that is not mentioned is not there.

    From 8.0 on it comes with the queue manager, but not on z/OS; before there was no delay.
    """
    if estate.command_level is not None and estate.command_level < FIRST_LEVEL:
        return False
    used = estate.load.delayed_queues or estate.load.delayed_topics
    if estate.platform == "zos":
        return estate.whole or bool(used)
    return estate.lists_system_objects
