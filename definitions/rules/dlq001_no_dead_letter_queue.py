from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.rules.delayed import application_locals
from mqtriage.definitions.rules.finding import (
    Alter,
    Change,
    Define,
    Severity,
    Violations,
    violation,
)
from mqtriage.definitions.rules.rule import rule

ROOMY: Final = 100_000


def _define(estate: Estate, name: str) -> Define:
    lengths = [q.number("MAXMSGL") or 0 for q in application_locals(estate)]
    length = max([estate.greatest_length, *lengths])
    return Define("QLOCAL", name, {"MAXDEPTH": ROOMY, "MAXMSGL": length})


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    queue_manager = estate.queue_manager_attributes
    name = queue_manager.text("DEADQ") if queue_manager is not None else None
    if queue_manager is None or name is None:
        return
    if not name:
        usual = "SYSTEM.DEAD.LETTER.QUEUE"
        fix: tuple[Change, ...] = (Alter("QMGR", "", {"DEADQ": usual}),)
        if estate.whole and usual not in estate.queues:
            fix = (_define(estate, usual), *fix)
        message = "DEADQ is blank: messages that cannot be delivered stop channels or are lost"
        yield violation(queue_manager, "DEADQ", message, *fix)
    elif name not in estate.queues and (estate.whole or name in estate.deleted):
        message = f"DEADQ({name}) is not defined"
        yield violation(queue_manager, "DEADQ", message, _define(estate, name))
    elif name not in estate.queues and not is_system(name):
        message = f"DEADQ({name}) is not defined in these files"
        define = _define(estate, name)
        yield violation(queue_manager, "DEADQ", message, define, severity=Severity.WARNING)
