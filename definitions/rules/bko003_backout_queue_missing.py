from __future__ import annotations

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.rules.backout_queues import backed_out, defined
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


def _problem(estate: Estate, name: str) -> tuple[str, Severity | None]:
    """What is wrong with a backout queue's name; "" for nothing, or nothing that is known."""
    target = estate.queues.get(name)
    if target is None:
        return _missing(estate, name)
    if target.kind == "QMODEL":
        return "is a model queue: each open makes a new dynamic queue", None
    if target.kind == "QREMOTE":
        return "is a remote queue: the message leaves the queue manager", Severity.WARNING
    if target.kind != "QALIAS" or estate.local(name) is not None:
        return "", None
    if target.text("TARGTYPE") == "TOPIC":
        return "is an alias of a topic", None
    base = target.text("TARGET")
    if not base:
        return ("", None) if base is None else ("is an alias without a target", None)
    if base in estate.queues:
        kind = estate.queues[base].kind
        return f"is an alias of {base}, which is a {kind}", Severity.WARNING
    message, severity = _missing(estate, base)
    return (f"is an alias of {base}, which {message}", severity) if message else ("", None)


def _missing(estate: Estate, name: str) -> tuple[str, Severity | None]:
    if name in estate.deleted:
        place = estate.deleted[name]
        return f"is deleted in line {place.line}", None
    if estate.whole:
        return "is not defined", None
    if is_system(name):
        return "", None
    return "is not defined in these files", Severity.WARNING


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    for queue, name in backed_out(estate):
        message, severity = _problem(estate, name)
        if message:
            missing = name not in estate.queues
            fix = (defined(estate, queue, name),) if missing else ()
            yield violation(queue, "BOQNAME", f"BOQNAME({name}) {message}", *fix, severity=severity)
