"""The definitions of a live queue manager, through the port."""

from __future__ import annotations

from mqtriage.backends.port import Backend
from mqtriage.model.desired import Live, LiveObject
from mqtriage.mq.attributes import platform_of
from mqtriage.mq.names import matches


def read_live(
    backend: Backend, pattern: str = "*", *, depths: bool = True, topics: bool = False
) -> Live:
    """Every queue that *pattern* names, and the queue manager; nothing is browsed.

    Args:
        depths: ask for CURDEPTH of local queues too.
        topics: read topic objects too, where the queue manager's command server can be asked.

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
    found_topics = _topics(backend) if topics else None
    return Live(backend.queue_manager, platform, queues, attributes, held, found_topics)


def _topics(backend: Backend) -> dict[str, LiveObject] | None:
    from mqtriage.commands.estates import displayed

    shown = displayed(backend, "DISPLAY TOPIC(*) ALL")
    if shown is None:
        return None
    return {
        name: LiveObject("TOPIC", name, topic)
        for topic in shown
        if (name := str(topic.pop("TOPIC", "")))
    }
