"""`mqtriage qmgr show`: the queue manager's attributes."""

from __future__ import annotations

from typing import Any, Final

from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.commands.queue.queues import in_display_order, settable
from mqtriage.model.result import Document
from mqtriage.mq.mqsc.format import alter_text
from mqtriage.mq.times import rfc3339

_FIRST: Final = (
    "DEADQ", "CMDLEVEL", "PLATFORM", "MAXMSGL", "DEFXMITQ", "MAXUMSGS", "MAXHANDS", "CCSID",
    "VERSION", "DESCR", "backend", "time",
)  # fmt: skip
"""What tells several queue managers apart, the most asked for first."""


def show(backend: Backend) -> Document:
    """Every attribute, in the order of DISPLAY QMGR; `-o mqsc` writes those that can be set."""
    given = backend.queue_manager_attributes()
    name = backend.queue_manager
    definition = ObjectDefinition(name, "QMGR", given)
    values = in_display_order(definition)
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
        mqsc=alter_text("QMGR", "", settable(backend, definition)),
        first=_FIRST,
    )
