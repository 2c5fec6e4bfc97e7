"""QUE002: Object is defined twice without REPLACE."""

from __future__ import annotations

from mqtriage.definitions.estate import DEFINED_ALREADY, Estate
from mqtriage.definitions.rules.finding import Found, Founds, Severity
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """QUE002; the page beside this file says why."""
    for refused in estate.refused:
        if refused.why == DEFINED_ALREADY:
            where = (
                f"{refused.first.file}:" if refused.first.file != refused.place.file else "line "
            )
            message = (
                f"{refused.name} is defined already, {where}{refused.first.line}: this is refused"
            )
            yield Found(refused.kind, refused.name, refused.place, message)


RULE = Rule("QUE002", Severity.ERROR, "Object is defined twice without REPLACE", check)
