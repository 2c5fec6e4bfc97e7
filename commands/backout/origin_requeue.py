"""`backout requeue --to origin`: each message back to the queue that it was backed out from.

A message is moved only where its origin is sure: its JMS destination is a queue whose BOQNAME
leads to this one.
"""

from __future__ import annotations

from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.messages.selection import Selection
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.grouped import GroupedPlan, plan_groups, skipped
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.rules.origin import candidates, destination_of, origin_name
from mqtriage.operations.selection.planned import planned
from mqtriage.operations.selection.selected import refuse_unknown_due, selected
from mqtriage.operations.selection.spool import Spool, planned_messages

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
    refuse_unknown_due(backend, selection)
    base = str(local_attributes(backend, request.queue)["QNAME"])
    queues = {queue.name: queue for queue in backend.queues("*")}
    known = candidates(queues, base)
    groups: dict[str, Spool[PlannedMessage]] = {}
    stay: list[ItemOutcome] = []
    for message in selected(backend, request.queue, selection):
        sent_to = destination_of(message)
        origin = origin_name(queues, known, sent_to)
        if origin is not None:
            groups.setdefault(origin, planned_messages()).append(planned(message))
            continue
        why = (
            "origin unknown: no JMS destination in the message"
            if sent_to is None
            else f"origin unknown: BOQNAME of its destination {sent_to} does not lead here"
        )
        stay.append(skipped(planned(message), why))
    hint = f"mqtriage backout origin {request.queue} shows what is known; --to QUEUE names it"
    return plan_groups(backend, request, groups, stay, word=ORIGIN, hint=hint)
