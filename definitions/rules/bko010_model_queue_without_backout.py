from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import proposal
from mqtriage.definitions.rules.finding import Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule


@rule(Severity.INFO)
def check(estate: Estate) -> Violations:
    seen: set[str] = set()
    for topic in estate.topics.values():
        for keyword in ("MDURMDL", "MNDURMDL"):
            model = estate.queues.get(topic.text(keyword) or "")
            if model is None or model.kind != "QMODEL" or model.name in seen:
                continue
            threshold, name = model.number("BOTHRESH"), model.text("BOQNAME")
            if threshold is None or name is None or (threshold and name):
                continue
            seen.add(model.name)
            message = (
                f"{keyword} of topic {topic.name} makes queues with BOTHRESH({threshold})"
                f" BOQNAME({name}): its subscribers have no poison handling"
            )
            yield violation(model, "", message, *proposal(estate, model))
