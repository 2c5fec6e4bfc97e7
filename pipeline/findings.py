"""Which lint findings came and went as definitions changed.

The rules are Python over one estate; there is one estate a change, which is few, so they run
where the result is wanted and not on the workers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final, NamedTuple

from mqtriage.definitions.estate import Definition, Estate
from mqtriage.definitions.rules.registry import lint
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import platform_of

FIRST: Final = "there at first"


class ObjectState(NamedTuple):
    """An object from *time_us* on; *attributes* None for not there."""

    qmgr: str
    time_us: int
    kind: str
    name: str
    attributes: str | None


class FindingChange(NamedTuple):
    """A finding that came or went at a moment; *change* is came, went or `FIRST`."""

    time_us: int
    qmgr: str
    change: str
    code: str
    severity: str
    kind: str
    name: str
    message: str


def finding_changes(states: Iterable[ObjectState]) -> Iterator[FindingChange]:
    """Lint after each change, and tell what is not as it was.

    Args:
        states: one queue manager after the other, each in the order of time, so that those of one
            alone are held; of every queue, as snapshots hold them.
    """
    for qmgr, of_manager in groupby(states, key=lambda state: state.qmgr):
        objects: dict[tuple[str, str], Definition] = {}
        known: dict[tuple[str, str, str], FindingChange] | None = None
        for time_us, changed in groupby(of_manager, key=lambda state: state.time_us):
            for state in changed:
                if state.attributes is None:
                    objects.pop((state.kind, state.name), None)
                else:
                    objects[state.kind, state.name] = definition_of(state)
            now = _findings(qmgr, time_us, objects)
            before = {} if known is None else known
            word = FIRST if known is None else "came"
            yield from (now[key]._replace(change=word) for key in now if key not in before)
            for key in before:
                if key not in now:
                    yield before[key]._replace(change="went", time_us=time_us)
            known = now


def definition_of(state: ObjectState) -> Definition:
    """The object; attributes that are no JSON object count as none."""
    try:
        attributes: Any = json.loads(state.attributes or "{}")
    except ValueError:
        attributes = {}
    return Definition(state.kind, state.name, attributes if isinstance(attributes, dict) else {})


def _findings(
    qmgr: str, time_us: int, objects: dict[tuple[str, str], Definition]
) -> dict[tuple[str, str, str], FindingChange]:
    queues = {d.name: d for d in objects.values() if d.kind in QUEUE_KINDS}
    own = next((d for d in objects.values() if d.kind == "QMGR"), None)
    platform = None if own is None else platform_of(str(own.attributes.get("PLATFORM", "")))
    estate = Estate(
        queue_manager=qmgr,
        platform=platform,
        whole=True,
        queues=queues,
        queue_manager_attributes=own,
    )
    return {
        (f.code, f.kind, f.name): FindingChange(
            time_us, qmgr, "", f.code, f.severity.value, f.kind, f.name, f.message
        )
        for f in lint(estate)
    }
