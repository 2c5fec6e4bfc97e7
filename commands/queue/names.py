"""The queues that names and generic names on a command line mean."""

from __future__ import annotations

from collections.abc import Iterable

from mqtriage.backends.name_resolution import in_capitals, local_queue
from mqtriage.backends.port import Backend
from mqtriage.mq.errors import NotFound
from mqtriage.mq.names import check_generic_name, is_listed, matches


def existing(backend: Backend, pattern: str, doing: str) -> str:
    """A generic name as it stands; a name as that of the local queue it means.

    Raises:
        UsageError: Not a name.
        ObjectNotFound: 2085: there is no such queue; 2082: it is an alias that leads nowhere.
        MQIError: 2001 for an alias of an alias; 2057 for a type without messages of its own.
    """
    check_generic_name(pattern)
    if pattern.endswith("*"):
        return pattern
    return local_queue(backend, pattern, f"{doing} {pattern}")[0].name


def none_named(queue_manager: str, pattern: str) -> str:
    """The error of a generic name that no queue has."""
    return f"no local queue on {queue_manager} is named {pattern}"


def not_found(backend: Backend, pattern: str) -> NotFound:
    """The error of a generic name that no local queue has, with what was meant."""
    meant = in_capitals(backend, pattern)
    return NotFound(
        none_named(backend.queue_manager, pattern),
        hint=f"did you mean '{meant}'?" if meant else "mqtriage queue ls shows all",
        object_name=pattern,
    )


def named_queues(backend: Backend, names: Iterable[str], *, holding: bool = False) -> list[str]:
    """Each queue once: a name as it stands, a generic name as the local queues it names.

    The generic name that is * alone leaves out the queues of the system.

    Args:
        holding: of a generic name, those that hold messages alone.

    Raises:
        UsageError: Not a name.
        NotFound: No local queue has such a name.
    """
    queues: dict[str, None] = {}
    for name in names:
        check_generic_name(name)
        if not name.endswith("*"):
            queues[name] = None
            continue
        meant = [
            queue.name
            for queue in backend.queues(name)
            if queue.kind == "QLOCAL" and matches(name, queue.name) and is_listed(queue.name, name)
        ]
        if not meant:
            raise not_found(backend, name)
        if holding:
            meant = [queue for queue in meant if backend.status(queue).curdepth]
        queues |= dict.fromkeys(meant)
    return list(queues)
