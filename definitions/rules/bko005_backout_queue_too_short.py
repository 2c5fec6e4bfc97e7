from __future__ import annotations

from mqtriage.definitions.estate import Definition, Estate
from mqtriage.definitions.rules.backout_queues import RFH2_ROOM_BYTES, with_backout_queue
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    greatest: dict[str, tuple[int, Definition, Definition]] = {}
    for queue, target in with_backout_queue(estate):
        length = queue.number("MAXMSGL")
        if length is not None and length > greatest.get(target.name, (-1, queue, target))[0]:
            greatest[target.name] = (length, queue, target)
    for length, queue, target in greatest.values():
        room = target.number("MAXMSGL")
        needed = max(length, min(length + RFH2_ROOM_BYTES, estate.greatest_length))
        if room is None or room >= needed:
            continue
        fix = setting(target, MAXMSGL=needed)
        message = f"MAXMSGL({room}) is below MAXMSGL({length}) of {queue.name}"
        if room >= length:
            message = (
                f"MAXMSGL({room}) leaves no room for an added MQRFH2 above"
                f" MAXMSGL({length}) of {queue.name} ({RFH2_ROOM_BYTES} bytes assumed)"
            )
            yield violation(target, "MAXMSGL", message, fix, severity=Severity.INFO)
        else:
            yield violation(target, "MAXMSGL", message, fix)
