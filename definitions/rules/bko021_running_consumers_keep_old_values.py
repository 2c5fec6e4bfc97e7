from __future__ import annotations

from mqtriage.definitions.estate import Estate, Location
from mqtriage.definitions.rules.finding import Severity, Violation, Violations
from mqtriage.definitions.rules.rule import rule


@rule(Severity.INFO)
def check(estate: Estate) -> Violations:
    for source in estate.commands:
        command = source.command
        if command.verb != "ALTER" or command.noun != "QLOCAL" or command.name is None:
            continue
        queue = estate.queues.get(command.name.text)
        if queue is None or not queue.sources or queue.sources[0].command.verb == "DEFINE":
            continue
        for keyword in ("BOTHRESH", "BOQNAME"):
            parameter = command.parameter(keyword)
            if parameter is not None:
                place = Location(source.file, parameter.line, parameter.column)
                message = f"running consumers keep the old {keyword} until they are restarted"
                yield Violation(command.noun, queue.name, place, message)
                break
