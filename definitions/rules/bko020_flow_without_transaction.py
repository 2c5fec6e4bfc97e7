"""BKO020: Message flow reads without a transaction."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.load_model import any_matches
from mqtriage.definitions.rules.finding import Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO020; the page beside this file says why."""
    for queue in estate.of_kind("QLOCAL"):
        threshold = queue.number("BOTHRESH")
        if threshold and any_matches(estate.load.flows_without_transaction, queue.name):
            message = f"BOTHRESH({threshold}) has no effect: its flow reads without a transaction"
            yield found(queue, "BOTHRESH", message)


RULE = Rule("BKO020", Severity.INFO, "Message flow reads without a transaction", check)
