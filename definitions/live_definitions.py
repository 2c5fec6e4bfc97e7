"""The definitions of a live queue manager, through the port."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from mqtriage.backends.name_resolution import find_queue
from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.definitions.desired import CLIENT_CHANNELS, MANAGED, Live, kinds_on
from mqtriage.definitions.desired_records import RECORDS, displayed_record, record_name
from mqtriage.definitions.estate import Definition
from mqtriage.definitions.estates import displayed
from mqtriage.mq.attributes.catalogue import platform_of
from mqtriage.mq.names import matches

_FEW: Final = 20
"""Queues that are asked for one by one; of more, all are read at once."""


def read_live(
    backend: Backend,
    queues: str | Collection[str] = "*",
    *,
    depths: bool = True,
    kinds: Collection[str] = (),
) -> Live:
    """Every queue that is named, and the queue manager; nothing is browsed.

    Args:
        queues: a generic name, or names.
        depths: ask for CURDEPTH and handles of local queues too.
        kinds: other kinds to read, all objects of each; one that its platform does not have, or
            its command server does not tell, is left out.
    """
    attributes = dict(backend.queue_manager_attributes())
    there = {
        definition.name: Definition(definition.kind, definition.name, dict(definition.attributes))
        for definition in _queues(backend, queues)
    }
    status = {
        name: backend.status(name)
        for name, queue in there.items()
        if depths and queue.kind == "QLOCAL"
    }
    held = {name: numbers.curdepth for name, numbers in status.items()}
    handles = {name: (numbers.ipprocs, numbers.opprocs) for name, numbers in status.items()}
    platform = platform_of(attributes.get("PLATFORM", "UNIX"))
    others: dict[str, dict[str, Definition]] = {}
    for kind in (kind for kind in kinds_on(platform) if kind in kinds):
        others |= _others(backend, kind)
    return Live(backend.queue_manager, platform, there, attributes, held, others, handles)


def _queues(backend: Backend, names: str | Collection[str]) -> Iterator[ObjectDefinition]:
    if isinstance(names, str):
        yield from (queue for queue in backend.queues("*") if matches(names, queue.name))
    elif len(names) > _FEW:
        yield from (queue for queue in backend.queues("*") if queue.name in names)
    else:
        for name in names:
            queue = find_queue(backend, name)
            if queue is not None:
                yield queue


def _others(backend: Backend, kind: str) -> dict[str, dict[str, Definition]]:
    """Objects of *kind* by name; client-connection channels are a kind of their own."""
    shown = displayed(backend, "DISPLAY AUTHREC" if kind == "AUTHREC" else f"DISPLAY {kind}(*) ALL")
    if shown is None:
        return {}
    objects: dict[str, dict[str, Definition]] = {kind: {}}
    for values in shown:
        if kind in RECORDS:
            values = displayed_record(kind, values)
        name = record_name(kind, values) if kind in RECORDS else str(values.pop(kind, ""))
        group = CLIENT_CHANNELS if values.get("CHLTYPE") == CLIENT_CHANNELS else kind
        if kind == "SUB":
            chosen = {"TOPICOBJ", *(MANAGED if values.get("DESTCLAS") == "MANAGED" else ())}
            if values.get("DESTQMGR") == backend.queue_manager:
                values["DESTQMGR"] = ""
            values = {key: value for key, value in values.items() if key not in chosen}
        if name and values.get("DURABLE") != "NO":
            objects.setdefault(group, {})[name] = Definition(kind, name, values)
    return objects
