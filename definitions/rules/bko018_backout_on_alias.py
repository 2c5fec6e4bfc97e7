"""BKO018: BOTHRESH or BOQNAME on an alias or remote queue."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate, Place
from mqtriage.definitions.rules.finding import Found, Founds, Severity
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO018; the page beside this file says why."""
    for source in estate.commands:
        command = source.command
        if command.verb not in ("DEFINE", "ALTER") or command.noun not in ("QALIAS", "QREMOTE"):
            continue
        for parameter in command.parameters:
            if parameter.keyword in ("BOTHRESH", "BOQNAME"):
                place = Place(source.file, parameter.line, parameter.column)
                name = command.name.text if command.name else ""
                message = f"{command.noun} has no {parameter.keyword}: set it on the local queue"
                yield Found(command.noun, name, place, message)


RULE = Rule("BKO018", Severity.ERROR, "BOTHRESH or BOQNAME on an alias or remote queue", check)
