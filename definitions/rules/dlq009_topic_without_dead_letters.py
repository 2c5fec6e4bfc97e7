"""DLQ009: Topic does not use the dead-letter queue."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """DLQ009; the page beside this file says why."""
    for topic in estate.topics.values():
        if topic.text("USEDLQ") == "NO" and not is_system(topic.name):
            message = "USEDLQ(NO): what cannot be put to a subscriber is discarded or refused"
            yield found(topic, "USEDLQ", message, setting(topic, USEDLQ="ASPARENT"))


RULE = Rule("DLQ009", Severity.INFO, "Topic does not use the dead-letter queue", check)
