"""`backout move`: poison messages from an input queue to where they belong.

BOTHRESH and BOQNAME are those of the very queue that the messages are on (BO-21). The queue manager
itself never moves a poison message (BO-16); a JMS client does, and any other program must.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from mqtriage.backends.port import Backend
from mqtriage.messages.filters.expression import Compare, all_of
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.shell_words import shell_word
from mqtriage.mq import cmqc
from mqtriage.mq.errors import Refused
from mqtriage.operations.copies.copy import CopyOptions, DeadLetter
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.selection.selected import selected


def threshold_of(backend: Backend, queue: str, least: int | None) -> int:
    """The BackoutCount from which a message is poison: *least*, else BOTHRESH.

    Raises:
        Refused: BOTHRESH is 0, by which no message can be judged (BO-18).
    """
    if least is not None:
        return least
    threshold = int(local_attributes(backend, queue).get("BOTHRESH", 0))
    if threshold == 0:
        raise Refused(
            f"BOTHRESH of {queue} is 0, so it does not define poison messages",
            hint="--min-backout N defines it",
            object_name=queue,
        )
    return threshold


def poison_only(selection: Selection, threshold: int) -> Selection:
    """What *selection* chooses of the messages at or over the threshold (BO-17); 0 takes all."""
    if threshold == 0:
        return selection
    poison = Compare("backout", ">=", threshold)
    parts = [poison] if selection.tree is None else [selection.tree, poison]
    return replace(selection, tree=all_of(parts))


def finds(backend: Backend, queue: str, selection: Selection) -> bool:
    """Whether any message of *queue* is chosen."""
    with closing(selected(backend, queue, selection)) as messages:
        return next(messages, None) is not None


def move_of(
    backend: Backend, queue: str, copy: CopyOptions, threshold: int
) -> tuple[str, CopyOptions]:
    """BOQNAME, or else the dead-letter queue with an MQDLH, Reason 2362 (BO-22); and the copy.

    A JMS client discards the second kind where MQRO_DISCARD_MSG is set (C-11); this never does.
    With a threshold of 0 nobody says that the messages are poison, so that reason would be wrong.
    """
    attributes = local_attributes(backend, queue)
    local = str(attributes["QNAME"])
    name = str(attributes.get("BOQNAME", "")).strip()
    if name:
        return name, copy
    if threshold == 0:
        raise Refused(
            f"{local} has no backout queue (BOQNAME is blank)",
            hint=f"mqtriage backout set {shell_word(local)} --threshold N --boq NAME,"
            f" or mqtriage msg move {shell_word(local)} --to QUEUE",
            object_name=local,
        )
    dead = str(backend.queue_manager_attributes().get("DEADQ", "")).strip()
    if not dead:
        raise Refused(
            f"{local} has no backout queue and {backend.queue_manager} no dead-letter queue "
            "(BOQNAME and DEADQ are blank): the messages stay",
            hint=f"mqtriage backout set {shell_word(local)} --threshold N --boq NAME",
            object_name=local,
        )
    letter = DeadLetter(cmqc.MQRC_BACKOUT_THRESHOLD_REACHED, local, backend.queue_manager)
    return dead, replace(copy, dead_letter=letter)
