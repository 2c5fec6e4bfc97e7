"""The queue that a name leads to, as MQOPEN follows it: local, alias and remote queues.

Also what to say of a generic name that would match in capitals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.model.shell_words import shell_word
from mqtriage.mq import cmqc
from mqtriage.mq.errors import NotAuthorized, ObjectNotFound, mqi_error
from mqtriage.mq.names import check_queue_name
from mqtriage.mq.transmission import (
    NO_BASE,
    Unresolved,
    alias_problem,
    remote_problem,
    topic_alias_problem,
    transmission_queue,
)


def case_notes(backend: Backend, patterns: Iterable[str]) -> list[str]:
    """What to say of generic names that would name local queues if they were in capitals."""
    return [note for pattern in patterns if (note := _case_note(backend, pattern))]


def _case_note(backend: Backend, pattern: str) -> str:
    if not (meant := in_capitals(backend, pattern)) or list(backend.queues(pattern)):
        return ""
    return f"no queue is named {pattern}; did you mean '{meant}'?"


def in_capitals(backend: Backend, pattern: str) -> str:
    """A generic name in capitals, where it names local queues only so; else ""."""
    capitals = pattern.upper()
    if pattern == capitals or not pattern.endswith("*"):
        return ""
    named = backend.queues(capitals)
    return capitals if any(queue.kind == "QLOCAL" for queue in named) else ""


def local_queue(backend: Backend, name: str, doing: str) -> tuple[ObjectDefinition, str]:
    """The local queue that *name* means, and a sentence where it is an alias of it (PM-19).

    Raises:
        ObjectNotFound: 2085; 2082 where the alias leads nowhere.
        MQIError: 2001 for an alias of an alias; 2057 for a type without messages of its own.
    """
    definition = backend.queue(check_queue_name(name))
    note = ""
    if definition.kind == "QALIAS":
        definition = alias_base(backend, definition, doing)
        note = f"{name} is an alias of {definition.name}: this is about {definition.name}"
    if definition.kind != "QLOCAL":
        raise mqi_error(
            cmqc.MQRC_Q_TYPE_ERROR,
            doing,
            detail=f"{definition.name} is a {definition.kind}, not a local queue",
            object_name=definition.name,
        )
    return definition, note


def alias_base(backend: Backend, alias: ObjectDefinition, doing: str) -> ObjectDefinition:
    """The queue that an alias names.

    Raises:
        ObjectNotFound: 2082: it does not exist.
        MQIError: 2001: it is an alias itself, or a model queue; 2045: it is a topic.
    """
    target = str(alias.attributes.get("TARGET", ""))
    if alias.attributes.get("TARGTYPE") == "TOPIC":
        raise topic_alias_problem(alias.name, target).error(doing)
    base = find_queue(backend, target)
    if base is not None and base.kind not in NO_BASE:
        return base
    problem = alias_problem(alias.name, target, base.kind if base is not None else "")
    hint = f"mqtriage queue set {shell_word(alias.name)} TARGET=QUEUE"
    raise problem._replace(hint=hint).error(doing)


def is_topic_alias(queue: ObjectDefinition) -> bool:
    """Whether what is put there is published."""
    return queue.kind == "QALIAS" and queue.attributes.get("TARGTYPE") == "TOPIC"


def put_path(backend: Backend, name: str, doing: str) -> tuple[ObjectDefinition, ...]:
    """The definitions from *name* to the queue that a put lands on, as MQOPEN follows them.

    An alias of a topic is its own end: what is put there is published. For a remote queue that is
    its transmission queue; the remote queue itself where we may not look at that, as a put needs no
    authority to.

    Raises:
        ObjectNotFound: 2085, 2082, 2087.
        MQIError: 2001, 2091, 2092, 2184, 2196 to 2199.
    """
    path = [backend.queue(check_queue_name(name))]
    if is_topic_alias(path[-1]):
        return tuple(path)
    if path[-1].kind == "QALIAS":
        path.append(alias_base(backend, path[-1], doing))
    remote = path[-1]
    if remote.kind != "QREMOTE":
        return tuple(path)
    problem = remote_problem(remote.name, remote.attributes, backend.queue_manager)
    if problem is not None:
        raise problem.error(doing)

    def kind_of(queue: str) -> str:
        definition = find_queue(backend, queue)
        if definition is None:
            return ""
        is_transmission = definition.attributes.get("USAGE") == "XMITQ"
        return "XMITQ" if is_transmission else definition.kind

    attributes = remote.attributes
    with suppress(NotAuthorized):
        default = str(backend.queue_manager_attributes().get("DEFXMITQ", ""))
        named = str(attributes.get("XMITQ", ""))
        transmission = transmission_queue(str(attributes["RQMNAME"]), named, default, kind_of)
        if isinstance(transmission, Unresolved):
            raise transmission.error(doing)
        path.append(backend.queue(transmission))
    return tuple(path)


def leaves(path: Sequence[ObjectDefinition]) -> bool:
    """Whether what is put by *path* (`put_path`) lands on a transmission queue, behind an MQXQH."""
    return len(path) > 1 and path[-2].kind == "QREMOTE"


def find_queue(backend: Backend, name: str) -> ObjectDefinition | None:
    """The definition, or None when there is none."""
    if not name:
        return None
    try:
        return backend.queue(name)
    except ObjectNotFound:
        return None
