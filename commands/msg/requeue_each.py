"""A requeue that takes each message to a queue of its own: `dlq requeue`, `backout requeue`.

A dead letter goes to the queue that its MQDLH says it was meant for: the header is taken off, and
Format, CCSID and Encoding become those that it holds. A poison message goes back to where it was
backed out from, and only where that is sure: its JMS destination is a queue whose BOQNAME leads to
this one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mqtriage.backends.port import Backend
from mqtriage.messages.decoded import dead_letter_facts
from mqtriage.messages.selection import Selection
from mqtriage.mq.message import Message
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.grouped import GroupedPlan, Groups, plan_groups
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.rules.origin import candidates, destination_of, origin_name
from mqtriage.operations.selection.due_reading import with_due_reading
from mqtriage.operations.selection.selected import selected
from mqtriage.operations.selection.whole_ids import with_whole_ids

Place: TypeAlias = Callable[[Message], tuple[str, str]]
"""The queue for a message, or "" and why there is none to put it to here."""


def plan_dead_letters(backend: Backend, request: ActRequest, selection: Selection) -> GroupedPlan:
    """Browse the dead-letter queue and plan each message's way; nothing is changed.

    Args:
        backend: read-only.
        request: its target is not looked at.

    Raises:
        ObjectNotFound: No such queue.
    """
    selection, id_notes = with_whole_ids(backend, request.queue, selection)
    groups = _placed(backend, request, selection, _meant_for(backend.queue_manager))
    hint = f"mqtriage dlq browse {request.queue} shows them; --to QUEUE names one for all"
    return _noted(plan_groups(groups, word="destination", hint=hint), id_notes)


def plan_origins(backend: Backend, request: ActRequest, selection: Selection) -> GroupedPlan:
    """Browse the backout queue and plan each message's way back, as `plan_dead_letters` does.

    Raises:
        UsageError: Not a name.
        ObjectNotFound: No such queue.
    """
    selection, id_notes = with_whole_ids(backend, request.queue, selection)
    groups = _placed(backend, request, selection, _came_from(backend, request.queue))
    hint = f"mqtriage backout origin {request.queue} shows what is known; --to QUEUE names it"
    return _noted(plan_groups(groups, word="origin", hint=hint), id_notes)


def _noted(grouped: GroupedPlan, notes: list[str]) -> GroupedPlan:
    grouped.whole.notes += notes
    return grouped


def _placed(backend: Backend, request: ActRequest, selection: Selection, place: Place) -> Groups:
    groups = Groups(backend, request)
    for message in selected(backend, request.queue, with_due_reading(backend, selection)):
        queue, why = place(message)
        if queue:
            groups.add(message, queue)
        else:
            groups.leave(message, why)
    return groups


def _meant_for(queue_manager: str) -> Place:
    def place(message: Message) -> tuple[str, str]:
        facts = dead_letter_facts(message)
        if facts is None:
            return "", "it has no MQDLH"
        name, manager = facts.dest_queue.strip(), facts.dest_queue_manager.strip()
        if not name:
            return "", "its MQDLH names no queue"
        if manager not in ("", queue_manager):
            return "", f"it was meant for {name} on {manager}, not here"
        return name, ""

    return place


def _came_from(backend: Backend, backout_queue: str) -> Place:
    base = str(local_attributes(backend, backout_queue)["QNAME"])
    queues = {queue.name: queue for queue in backend.queues("*")}
    known = candidates(queues, base)

    def place(message: Message) -> tuple[str, str]:
        sent_to = destination_of(message)
        if sent_to is None:
            return "", "origin unknown: no JMS destination in the message"
        why = f"origin unknown: BOQNAME of its destination {sent_to} does not lead here"
        return origin_name(queues, known, sent_to) or "", why

    return place
