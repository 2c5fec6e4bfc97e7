from __future__ import annotations

import re
from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule

IN_CUSTOM: Final = re.compile(r"CAPEXPRY\([^()]*\)")


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    for thing in (*estate.queues.values(), *estate.topics.values()):
        custom, cap = thing.text("CUSTOM") or "", thing.number("CAPEXPRY")
        if cap is not None and IN_CUSTOM.search(custom):
            rest = " ".join(IN_CUSTOM.sub("", custom).split())
            message = f"CUSTOM('{custom}') is ignored beside CAPEXPRY({cap})"
            yield violation(thing, "CUSTOM", message, setting(thing, CUSTOM=rest))
