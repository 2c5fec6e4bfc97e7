"""DLQ009: Topic does not use the dead-letter queue."""

from __future__ import annotations

from mqtriage.checks.finding import Founds, Severity, found, setting
from mqtriage.checks.rule import Rule
from mqtriage.model.estate import Estate, is_system


def check(estate: Estate) -> Founds:
    """DLQ009; the page beside this file says why."""
    for topic in estate.topics.values():
        if topic.text("USEDLQ") == "NO" and not is_system(topic.name):
            message = "USEDLQ(NO): what cannot be put to a subscriber is discarded or refused"
            yield found(topic, "USEDLQ", message, setting(topic, USEDLQ="ASPARENT"))


RULE = Rule("DLQ009", Severity.INFO, "Topic does not use the dead-letter queue", check)
