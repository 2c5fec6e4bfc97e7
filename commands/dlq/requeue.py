"""`dlq requeue`: each dead letter to the queue that its MQDLH says it was meant for.

The header is taken off; Format, CCSID and Encoding of the message become those that it holds.
"""

from __future__ import annotations

from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.messages.decoded import dead_letter_facts
from mqtriage.messages.selection import Selection
from mqtriage.mq.message import Message
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.grouped import GroupedPlan, Groups, plan_groups
from mqtriage.operations.selection.due_reading import with_due_reading
from mqtriage.operations.selection.selected import selected

DESTINATION: Final = "destination"
"""What stands for the target of the whole act."""


def plan_dead_letters(backend: Backend, request: ActRequest, selection: Selection) -> GroupedPlan:
    """Browse the dead-letter queue and plan each message's way; nothing is changed.

    Args:
        backend: read-only.
        request: its target is not looked at.

    Raises:
        ObjectNotFound: No such queue.
    """
    selection = with_due_reading(backend, selection)
    groups = Groups(backend, request)
    for message in selected(backend, request.queue, selection):
        queue, why = destination(message, backend.queue_manager)
        if queue:
            groups.add(message, queue)
        else:
            groups.leave(message, why)
    hint = f"mqtriage dlq browse {request.queue} shows them; --to QUEUE names one for all"
    return plan_groups(groups, word=DESTINATION, hint=hint)


def destination(message: Message, queue_manager: str) -> tuple[str, str]:
    """The queue that the message was meant for, or "" and why there is none to put it to here."""
    facts = dead_letter_facts(message)
    if facts is None:
        return "", "it has no MQDLH"
    name, manager = facts.dest_queue.strip(), facts.dest_queue_manager.strip()
    if not name:
        return "", "its MQDLH names no queue"
    if manager not in ("", queue_manager):
        return "", f"it was meant for {name} on {manager}, not here"
    return name, ""
