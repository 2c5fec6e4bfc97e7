"""EXP004: CAPEXPRY stands in CUSTOM and as an attribute."""

from __future__ import annotations

import re
from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule

IN_CUSTOM: Final = re.compile(r"CAPEXPRY\([^()]*\)")


def check(estate: Estate) -> Founds:
    """EXP004; the page beside this file says why."""
    for thing in (*estate.queues.values(), *estate.topics.values()):
        custom, cap = thing.text("CUSTOM") or "", thing.number("CAPEXPRY")
        if cap is not None and IN_CUSTOM.search(custom):
            rest = " ".join(IN_CUSTOM.sub("", custom).split())
            message = f"CUSTOM('{custom}') is ignored beside CAPEXPRY({cap})"
            yield found(thing, "CUSTOM", message, setting(thing, CUSTOM=rest))


RULE = Rule("EXP004", Severity.WARNING, "CAPEXPRY stands in CUSTOM and as an attribute", check)
