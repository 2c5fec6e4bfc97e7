from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.load_model import any_matches
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.INFO)
def check(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        threshold = queue.number("BOTHRESH")
        if threshold and any_matches(estate.load.flows_without_transaction, queue.name):
            message = f"BOTHRESH({threshold}) has no effect: its flow reads without a transaction"
            yield violation(queue, "BOTHRESH", message)
