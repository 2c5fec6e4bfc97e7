from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Definition, Estate
from mqtriage.definitions.rules.backout_queues import with_backout_queue
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule

NEARLY_FULL_PERCENT: Final = 80
MUCH_SMALLER: Final = 10


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    deepest: dict[str, tuple[int, Definition, Definition]] = {}
    for queue, target in with_backout_queue(estate):
        depth = queue.number("MAXDEPTH")
        if depth is not None and depth > deepest.get(target.name, (-1, queue, target))[0]:
            deepest[target.name] = (depth, queue, target)
    for depth, queue, target in deepest.values():
        room = target.number("MAXDEPTH")
        if room is None:
            continue
        status = estate.status.get(target.name)
        if status is not None and status.curdepth * 100 >= room * NEARLY_FULL_PERCENT:
            yield violation(target, "", f"CURDEPTH {status.curdepth} of MAXDEPTH({room})")
        elif room * MUCH_SMALLER < depth:
            message = f"MAXDEPTH({room}) is below a tenth of MAXDEPTH({depth}) of {queue.name}"
            yield violation(target, "MAXDEPTH", message, setting(target, MAXDEPTH=depth))
