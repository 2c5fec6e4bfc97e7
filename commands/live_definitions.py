"""The definitions of a live queue manager, through the port."""

from __future__ import annotations

from mqtriage.backends.port import Backend
from mqtriage.model.desired import Live, LiveObject
from mqtriage.mq.attributes import platform_of
from mqtriage.mq.names import matches


def read_live(backend: Backend, pattern: str = "*", *, depths: bool = True) -> Live:
    """Every queue that *pattern* names, and the queue manager; nothing is browsed.

    Args:
        depths: ask for CURDEPTH of local queues too.

    Raises:
        UsageError: No generic name.
    """
    attributes = dict(backend.queue_manager_attributes())
    queues = {
        found.name: LiveObject(found.kind, found.name, dict(found.attributes))
        for found in backend.queues("*")
        if matches(pattern, found.name)
    }
    held = {
        name: backend.status(name).curdepth
        for name, queue in queues.items()
        if depths and queue.kind == "QLOCAL"
    }
    platform = platform_of(attributes.get("PLATFORM", "UNIX"))
    return Live(backend.queue_manager, platform, queues, attributes, held)
