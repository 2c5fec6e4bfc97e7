"""BKO010: Model queue of a topic has no poison handling."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.backout_queues import proposal
from mqtriage.definitions.rules.finding import Founds, Severity, found
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO010; the page beside this file says why."""
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
            yield found(model, "", message, *proposal(estate, model))


RULE = Rule("BKO010", Severity.INFO, "Model queue of a topic has no poison handling", check)
