from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.delayed import application_locals, delayed_locals
from mqtriage.definitions.rules.finding import (
    Alter,
    Change,
    Severity,
    Violations,
    setting,
    violation,
)
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.delay import length_needed


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    queue, load = estate.staging_queue, estate.load
    limit = queue.number("MAXMSGL") if queue is not None else None
    if queue is None or limit is None:
        return
    seen = load.measured_of(estate.queue_manager)
    if seen is not None and limit < seen.maxmsgl_bytes:
        fix: tuple[Change, ...] = (setting(queue, MAXMSGL=seen.maxmsgl_bytes),)
        if seen.maxmsgl_bytes > estate.greatest_length:
            fix = (Alter("QMGR", "", {"MAXMSGL": seen.maxmsgl_bytes}), *fix)
        text = f"MAXMSGL({limit}) is below what was needed: {seen.maxmsgl_sum}"
        yield violation(queue, "MAXMSGL", text, *fix)
        return
    largest, whose = load.largest_message_bytes or 0, "the largest message"
    configured = bool(load.delayed_queues or largest)
    for target in delayed_locals(estate) if configured else application_locals(estate):
        length = target.number("MAXMSGL") or 0
        if length > largest and load.largest_message_bytes is None:
            largest, whose = length, f"MAXMSGL of {target.name}"
    allowance = load.header_allowance_bytes if configured else 0
    needed = length_needed(
        largest,
        header_allowance_bytes=allowance,
        queue_manager_maxmsgl_bytes=estate.greatest_length,
    )
    if limit >= needed.value:
        return
    message = f"MAXMSGL({limit}) is below {whose} and its header: {needed.text}"
    fix = (setting(queue, MAXMSGL=needed.value),)
    if needed.value > estate.greatest_length:
        fix = (Alter("QMGR", "", {"MAXMSGL": needed.value}), *fix)
    if configured:
        yield violation(queue, "MAXMSGL", message, *fix)
    elif queue.gives("MAXMSGL"):
        message = f"MAXMSGL({limit}) is below {whose}, {largest}"
        yield violation(queue, "MAXMSGL", message, *fix, severity=Severity.WARNING)
