"""BKO019: BOQUEUE is no attribute."""

from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate, Place
from mqtriage.definitions.rules.finding import Found, Founds, Respelling, Severity
from mqtriage.definitions.rules.rule import Rule

MISPRINTS: Final = {"BOQUEUE": "BOQNAME", "BOTHRESHOLD": "BOTHRESH"}


def check(estate: Estate) -> Founds:
    """BKO019; the page beside this file says why."""
    for source in estate.commands:
        command = source.command
        if command.verb not in ("DEFINE", "ALTER") or command.noun not in ("QLOCAL", "QMODEL"):
            continue
        for parameter in command.parameters:
            right = MISPRINTS.get(parameter.keyword)
            if right:
                place = Place(source.file, parameter.line, parameter.column)
                yield Found(
                    command.noun,
                    command.name.text if command.name else "",
                    place,
                    f"{parameter.keyword} is not an attribute, {right} is",
                    respelling=Respelling(place, parameter.keyword, right),
                )


RULE = Rule("BKO019", Severity.ERROR, "BOQUEUE is no attribute", check)
