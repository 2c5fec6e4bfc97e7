"""`backout requeue --to origin`: each message back to the queue that it was backed out from.

A message is moved only where its origin is sure: its JMS destination is a queue whose BOQNAME
leads to this one.
"""

from __future__ import annotations

from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.messages.selection import Selection
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.grouped import GroupedPlan, Groups, plan_groups
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.rules.origin import candidates, destination_of, origin_name
from mqtriage.operations.selection.due_reading import with_due_reading
from mqtriage.operations.selection.selected import selected

ORIGIN: Final = "origin"
"""What stands for the target of the whole act."""


def plan_origins(backend: Backend, request: ActRequest, selection: Selection) -> GroupedPlan:
    """Browse the backout queue and plan each message's way back; nothing is changed.

    Args:
        backend: read-only.
        request: its target is not looked at.

    Raises:
        UsageError: Not a name.
        ObjectNotFound: No such queue.
    """
    selection = with_due_reading(backend, selection)
    base = str(local_attributes(backend, request.queue)["QNAME"])
    queues = {queue.name: queue for queue in backend.queues("*")}
    known = candidates(queues, base)
    groups = Groups(backend, request)
    for message in selected(backend, request.queue, selection):
        sent_to = destination_of(message)
        origin = origin_name(queues, known, sent_to)
        if origin is not None:
            groups.add(message, origin)
            continue
        why = (
            "origin unknown: no JMS destination in the message"
            if sent_to is None
            else f"origin unknown: BOQNAME of its destination {sent_to} does not lead here"
        )
        groups.leave(message, why)
    hint = f"mqtriage backout origin {request.queue} shows what is known; --to QUEUE names it"
    return plan_groups(groups, word=ORIGIN, hint=hint)
