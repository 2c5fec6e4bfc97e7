from __future__ import annotations

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.INFO)
def check(estate: Estate) -> Violations:
    for topic in estate.topics.values():
        if topic.text("USEDLQ") == "NO" and not is_system(topic.name):
            message = "USEDLQ(NO): what cannot be put to a subscriber is discarded or refused"
            yield violation(topic, "USEDLQ", message, setting(topic, USEDLQ="ASPARENT"))
