"""The lint rules on the definitions as a plan would leave them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mqtriage.definitions.desired import OTHER_KINDS, Live, default_object
from mqtriage.definitions.diff import DefinitionChange
from mqtriage.definitions.estate import Definition, Estate
from mqtriage.definitions.rules.finding import Finding
from mqtriage.definitions.rules.registry import lint
from mqtriage.mq.attributes.system_objects import subtype_of


def new_findings(live: Live, changes: Iterable[DefinitionChange]) -> list[Finding]:
    """What the rules say afterwards and do not say now, in their order.

    Queues, topics, channels and the queue manager; authority is not looked at.
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
        queues=live.queues,
        topics=live.objects("TOPIC"),
        channels=live.objects("CHANNEL"),
        queue_manager_attributes=Definition("QMGR", live.name, live.queue_manager),
    )


def changed(estate: Estate, live: Live, changes: Iterable[DefinitionChange]) -> Estate:
    """The estate with the changes made to it; its status stays as it is."""
    queues = dict(estate.queues)
    others = {"TOPIC": dict(estate.topics), "CHANNEL": dict(estate.channels)}
    manager = estate.queue_manager_attributes or Definition("QMGR", live.name, {})
    for change in changes:
        if change.kind == "QMGR":
            values = {**manager.attributes, **change.attributes}
            manager = Definition("QMGR", manager.name, values)
            continue
        if change.kind in OTHER_KINDS and change.kind not in others:
            continue  # no rule looks at these as they would be
        objects = others.get(change.kind, queues)
        if change.verb == "delete":
            objects.pop(change.name, None)
        else:
            there = objects.get(change.name)
            subtype = subtype_of(change.kind, change.identity)
            base = there.attributes if there else default_object(change.kind, live, subtype)
            values = {**base, **change.identity, **change.attributes}
            objects[change.name] = Definition(change.kind, change.name, values)
    return replace(
        estate,
        queues=queues,
        topics=others["TOPIC"],
        channels=others["CHANNEL"],
        queue_manager_attributes=manager,
    )
