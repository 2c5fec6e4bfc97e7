from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate, Location
from mqtriage.definitions.rules.finding import Respelling, Severity, Violation, Violations
from mqtriage.definitions.rules.rule import rule

MISPRINTS: Final = {"BOQUEUE": "BOQNAME", "BOTHRESHOLD": "BOTHRESH"}


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    for source in estate.commands:
        command = source.command
        if command.verb not in ("DEFINE", "ALTER") or command.noun not in ("QLOCAL", "QMODEL"):
            continue
        for parameter in command.parameters:
            right = MISPRINTS.get(parameter.keyword)
            if right:
                place = Location(source.file, parameter.line, parameter.column)
                yield Violation(
                    command.noun,
                    command.name.text if command.name else "",
                    place,
                    f"{parameter.keyword} is not an attribute, {right} is",
                    respelling=Respelling(place, parameter.keyword, right),
                )
