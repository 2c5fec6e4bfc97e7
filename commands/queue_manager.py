"""`mqtriage qmgr show`: the queue manager's own attributes."""

from __future__ import annotations

from typing import Any

from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.commands.definition_change import platform
from mqtriage.commands.queues import in_display_order
from mqtriage.model.result import Document
from mqtriage.mq.attributes import attributes_of
from mqtriage.mq.mqsc_format import alter_text
from mqtriage.mq.times import rfc3339


def show(backend: Backend) -> Document:
    """Every attribute, in the order of DISPLAY QMGR; `-o mqsc` writes those that can be set."""
    given = backend.queue_manager_attributes()
    name = backend.queue_manager
    values = in_display_order(ObjectDefinition(name, "QMGR", given))
    here = platform(backend)
    settable = {
        entry.keyword: given[entry.keyword]
        for entry in attributes_of("QMGR", here)
        if not entry.read_only and entry.alterable and entry.keyword in given
    }
    data: dict[str, Any] = {
        "queue_manager": name,
        "backend": backend.kind,
        "time": rfc3339(backend.now_us()),
        "attributes": values,
    }
    head = tuple((key.replace("_", " "), str(value)) for key, value in data.items())[:3]
    pairs = tuple((key, "' '" if value == "" else str(value)) for key, value in values.items())
    return Document(
        "QueueManager",
        data,
        sections=(("", head), (f"QMGR({name})", pairs)),
        mqsc=alter_text("QMGR", "", settable),
    )
