"""The lint rules on the definitions as a plan would leave them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mqtriage.checks.finding import Finding
from mqtriage.checks.registry import lint
from mqtriage.model.definition_diff import DefinitionChange
from mqtriage.model.desired import Live, default_object
from mqtriage.model.estate import Definition, Estate


def new_findings(live: Live, changes: Iterable[DefinitionChange]) -> list[Finding]:
    """What the rules say afterwards and do not say now, in their order.

    Queues, topics and the queue manager are what a plan changes; authority is not looked at.
    """
    before = estate_of(live)
    known = {_key(finding) for finding in lint(before)}
    after = changed(before, live, changes)
    return [finding for finding in lint(after) if _key(finding) not in known]


def _key(finding: Finding) -> tuple[str, str, str, str]:
    return finding.code, finding.kind, finding.name, finding.message


def estate_of(live: Live) -> Estate:
    """The definitions that were read, as the rules take them."""
    return Estate(
        queue_manager=live.name,
        platform=live.platform,
        whole=True,
        queues={q.name: Definition(q.kind, q.name, q.attributes) for q in live.queues.values()},
        topics={t.name: Definition(t.kind, t.name, t.attributes) for t in live.topics.values()}
        if live.topics is not None
        else {},
        queue_manager_attributes=Definition("QMGR", live.name, live.queue_manager),
    )


def changed(estate: Estate, live: Live, changes: Iterable[DefinitionChange]) -> Estate:
    """The estate with the changes made to it; its status stays as it is."""
    queues, topics = dict(estate.queues), dict(estate.topics)
    manager = estate.queue_manager_attributes or Definition("QMGR", live.name, {})
    for change in changes:
        if change.kind == "QMGR":
            values = {**manager.attributes, **change.attributes}
            manager = Definition("QMGR", manager.name, values)
            continue
        objects = topics if change.kind == "TOPIC" else queues
        if change.verb == "delete":
            objects.pop(change.name, None)
        else:
            there = objects.get(change.name)
            base = there.attributes if there else default_object(change.kind, live)
            values = {**base, **change.attributes}
            objects[change.name] = Definition(change.kind, change.name, values)
    return replace(estate, queues=queues, topics=topics, queue_manager_attributes=manager)
