"""Whether a put to a queue would work now, without putting: for what is told before it happens.

Only what a definition and DISPLAY QSTATUS tell is looked at; authority is not.
"""

from __future__ import annotations

from mqtriage.backends.name_resolution import alias_base, find_queue
from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, reason_name
from mqtriage.records import NamedTuple


class PutProblem(NamedTuple):
    """The reason code a put would end with, and a sentence that says it of which queue."""

    reason: int
    text: str


class Resolved(NamedTuple):
    """Where a name leads.

    Attributes:
        base: the queue that messages land on, None where the name leads nowhere.
        problem: why an open for output or a put fails whatever the message.
    """

    base: ObjectDefinition | None
    problem: PutProblem | None


def resolve_for_put(backend: Backend, name: str) -> Resolved:
    """Follow *name* as MQOPEN for output would."""
    named = find_queue(backend, name)
    if named is None:
        text = f"{name or '(blank)'} does not exist"
        return Resolved(None, _problem(cmqc.MQRC_UNKNOWN_OBJECT_NAME, text))
    if named.kind == "QMODEL":
        return Resolved(None, _problem(cmqc.MQRC_Q_TYPE_ERROR, f"{name} is a model queue"))
    base = named
    if named.kind == "QALIAS":
        try:
            base = alias_base(backend, named, f"put to {name}")
        except MQIError as error:
            return Resolved(None, _problem(error.reason, error.detail))
    for queue in (named, base):
        if queue.attributes.get("PUT") == "DISABLED":
            text = f"{queue.name} has PUT(DISABLED)"
            return Resolved(base, _problem(cmqc.MQRC_PUT_INHIBITED, text))
    return Resolved(base, None)


def put_problem(backend: Backend, name: str, length_bytes: int | None = None) -> PutProblem | None:
    """Why a put to *name* would fail now, None when nothing speaks against it.

    Args:
        length_bytes: of the message data with its headers; None where it is not known.
    """
    resolved = resolve_for_put(backend, name)
    if resolved.problem is not None or resolved.base is None or resolved.base.kind != "QLOCAL":
        return resolved.problem
    return full(backend, resolved.base) or too_long(backend, resolved.base, length_bytes)


def full(backend: Backend, queue: ObjectDefinition) -> PutProblem | None:
    """2053 where CURDEPTH has reached MAXDEPTH."""
    most, depth = queue.attributes.get("MAXDEPTH"), backend.status(queue.name).curdepth
    if not isinstance(most, int) or depth < most:
        return None
    return _problem(cmqc.MQRC_Q_FULL, f"{queue.name} is full, {depth} of {most}")


def too_long(
    backend: Backend, queue: ObjectDefinition, length_bytes: int | None
) -> PutProblem | None:
    """2030 where the message is longer than the queue takes, 2031 for the queue manager's limit."""
    if length_bytes is None:
        return None
    limits = (
        (queue.name, queue.attributes.get("MAXMSGL"), cmqc.MQRC_MSG_TOO_BIG_FOR_Q),
        (
            f"queue manager {backend.queue_manager}",
            backend.queue_manager_attributes().get("MAXMSGL"),
            cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR,
        ),
    )
    for name, most, reason in limits:
        if isinstance(most, int) and length_bytes > most:
            return _problem(reason, f"{name} takes {most} of {length_bytes} bytes")
    return None


def _problem(reason: int, text: str) -> PutProblem:
    return PutProblem(reason, f"{text}: {reason_name(reason)} ({reason})")
