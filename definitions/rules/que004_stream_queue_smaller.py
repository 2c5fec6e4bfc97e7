from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        name = queue.text("STREAMQ")
        copy = estate.local(name) if name else None
        if copy is None or queue.text("STRMQOS") != "MUSTDUP":
            continue
        for keyword in ("MAXDEPTH", "MAXMSGL"):
            mine, other = queue.number(keyword), copy.number(keyword)
            if mine is not None and other is not None and other < mine:
                message = (
                    f"{keyword}({other}) is below {keyword}({mine}) of {queue.name}, whose puts"
                    " fail when the copy does not fit"
                )
                yield violation(copy, keyword, message, setting(copy, **{keyword: mine}))
