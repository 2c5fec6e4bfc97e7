from __future__ import annotations

from mqtriage.definitions.estate import Estate, Location
from mqtriage.definitions.rules.finding import Severity, Violation, Violations
from mqtriage.definitions.rules.rule import rule


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    for source in estate.commands:
        command = source.command
        if command.verb not in ("DEFINE", "ALTER") or command.noun not in ("QALIAS", "QREMOTE"):
            continue
        for parameter in command.parameters:
            if parameter.keyword in ("BOTHRESH", "BOQNAME"):
                place = Location(source.file, parameter.line, parameter.column)
                name = command.name.text if command.name else ""
                message = f"{command.noun} has no {parameter.keyword}: set it on the local queue"
                yield Violation(command.noun, name, place, message)
