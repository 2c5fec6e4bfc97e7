from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.INFO)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        if queue.text("SHARE") == "NO" and queue.text("DEFSOPT") == "SHARED":
            message = "NOSHARE with DEFSOPT(SHARED): only one program can open it for input anyway"
            yield violation(queue, "SHARE", message, setting(queue, DEFSOPT="EXCL"))
