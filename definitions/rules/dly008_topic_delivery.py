from __future__ import annotations

import re

from mqtriage.definitions.estate import Definition, Estate, Location, is_system
from mqtriage.definitions.rules.finding import (
    Define,
    Severity,
    Violation,
    Violations,
    setting,
    violation,
)
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.delay import topic_delivery


def _explicit(estate: Estate) -> Violations:
    """Topics that say otherwise themselves, while nothing says which ones get delays."""
    for topic in estate.topics.values():
        for keyword in ("PMSGDLV", "NPMSGDLV"):
            value = topic.text(keyword)
            if value in ("ALL", "ALLDUR") and not is_system(topic.name):
                message = f"{keyword}({value}): a publication with a delivery delay fails (2502)"
                fix = setting(topic, **{keyword: "ALLAVAIL"})
                yield violation(topic, keyword, message, fix, severity=Severity.INFO)


def _resolved(
    estate: Estate,
    by_string: dict[str, Definition],
    string: str,
    keyword: str,
    persistent: bool,
) -> Violations:
    levels = string.strip("/").split("/")
    strings = [string, *("/".join(levels[:n]) for n in range(len(levels) - 1, 0, -1))]
    nodes = [by_string[text] for text in strings if text in by_string]
    base = estate.topics.get("SYSTEM.BASE.TOPIC")
    nodes += [base] if base is not None and base not in nodes else []
    values = [value for node in nodes if (value := node.text(keyword)) is not None]
    value = topic_delivery(values, persistent=persistent)
    if value == "ALLAVAIL":
        return
    by_default = all(text == "ASPARENT" for text in values)
    message = f"{keyword} of topic string {string} is {value}: a delayed publication fails (2502)"
    severity = Severity.WARNING if by_default and not estate.whole else None
    if string in by_string:
        topic = by_string[string]
        fix = setting(topic, **{keyword: "ALLAVAIL"})
        yield violation(topic, keyword, message, fix, severity=severity)
        return
    name = re.sub(r"[^A-Z0-9._]+", ".", string.upper()).strip(".")[:48]
    define = Define("TOPIC", name, {"TOPICSTR": string, keyword: "ALLAVAIL"})
    place = nodes[0].place(keyword) if nodes else Location()
    yield Violation("TOPIC", string, place, message, (define,), severity)


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    if not estate.load.delayed_topics:
        yield from _explicit(estate)
        return
    by_string = {t.text("TOPICSTR") or "": t for t in estate.topics.values()}
    for string in estate.load.delayed_topics:
        for keyword, persistent in (("PMSGDLV", True), ("NPMSGDLV", False)):
            if estate.load.persistent in (None, persistent):
                yield from _resolved(estate, by_string, string, keyword, persistent)
