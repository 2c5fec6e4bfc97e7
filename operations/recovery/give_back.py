"""`journal undo`: messages go back where an operation took them.

Copies are taken from where they were put; what was purged comes out of the operation's archive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mqtriage.backends.port import Backend, Capability, QueueHandle
from mqtriage.messages.decoded import target_and_due
from mqtriage.model.plan import PlannedMessage
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.due_time import uncompared
from mqtriage.mq.message import Message
from mqtriage.operations.copies.copy import CopyOptions
from mqtriage.operations.copies.request import ActRequest, GiveBack, Restage
from mqtriage.operations.engine.destinations import (
    Delivered,
    Destination,
    Stays,
    ToQueue,
    delivery,
    put_again,
)
from mqtriage.operations.engine.unit_of_work import UnitOfWork
from mqtriage.operations.ledger.plan_file import PlanPart
from mqtriage.operations.ledger.state import OperationState
from mqtriage.operations.ledger.units import Put
from mqtriage.operations.recovery.originals import Originals
from mqtriage.operations.selection.duplicates import duplicate_key
from mqtriage.operations.selection.planned import count_same

DUPLICATE = "a message with the same ids and data is on {queue} already"
CHANGED = "the copy was changed on the way, and {why}"
_PUT = cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_SET_ALL_CONTEXT


def only_taken_off(parts: Sequence[PlanPart]) -> tuple[str, ...]:
    """The queues of an undo that puts nothing back."""
    if any(part.target is not None for part in parts):
        return ()
    return tuple(dict.fromkeys(part.queue for part in parts))


def needs_archive(
    copy: PlannedMessage, original: PlannedMessage, options: CopyOptions, *, as_taken: bool
) -> bool:
    """Whether an original cannot be made of its copy, so that it comes out of the archive.

    Args:
        copy: as it is where it was put.
        options: how the operation made it.
        as_taken: the original is to have the lifetime that it had when it was taken.
    """
    altered = options.expiry_tenths is not None or options.strip_reports
    altered = altered or options.context == "default" or as_taken
    return altered or (copy.msg_id, copy.digest) != (original.msg_id, original.digest)


class ToOrigin(ToQueue):
    """Back to the queue that it was taken from, unless such a message is there already.

    Attributes:
        home: that queue, open for browse; None where copies with another lifetime were put back.
        restored: how many of each kind of message this undo put there itself.
    """

    may_pass = False  # an original may come out of the archive
    home: QueueHandle | None = None

    def __init__(self, target: str, undo: OperationState, originals: Originals) -> None:
        super().__init__(target)
        self.undo = undo
        self.originals = originals
        to = undo.plan.request.to
        self.as_taken = isinstance(to, GiveBack) and to.as_taken
        self.restored: Counter[bytes] = Counter()

    def open(self, work: UnitOfWork) -> None:
        super().open(work)
        if not work.request.extends_lifetime:
            self.home = work.backend.open(
                self.target, cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING
            )
            self.closes(self.home)

    def refusal(self, number: int, planned: PlannedMessage) -> str:
        original = self._original(number)
        if self.home is None:
            return ""
        if count_same(self.home, original) > self.restored[duplicate_key(original)]:
            return DUPLICATE.format(queue=self.target)
        return ""

    def put(
        self, number: int, planned: PlannedMessage, message: Message, seen_us: int
    ) -> Delivered | Stays:
        original = self._original(number)
        options = self.originals.plan.request.copy
        if self.finds:
            delivered = self._put_original(message, planned)
        elif not needs_archive(planned, original, options, as_taken=self.as_taken):
            delivered = super().put(number, planned, message, seen_us)
        elif isinstance(archived := self._archived(number), str):
            return Stays(CHANGED.format(why=archived))
        else:
            delivered = self._put_original(archived, original)
        if isinstance(delivered, Delivered):
            self.originals.count_duplicate(original, self.restored)
        return delivered

    def _put_original(self, message: Message, planned: PlannedMessage) -> Delivered | Stays:
        return delivery(put_original(self.work.backend, self.outlet, message, planned))

    def _original(self, number: int) -> PlannedMessage:
        return self.originals.plan.messages[self.undo.plan.origin[number - 1] - 1]

    def _archived(self, number: int) -> Message | str:
        origin, now_us = self.undo.plan.origin[number - 1], self.work.backend.now_us()
        return self.originals.message(origin, now_us, as_taken=self.as_taken)


class FromArchive(ToOrigin):
    """Out of the archive, back to the queue that it was taken from."""

    finds = True

    def find(self, number: int, planned: PlannedMessage) -> Message | str | None:
        return self._archived(number)


def put_original(
    backend: Backend, target: QueueHandle, message: Message, planned: PlannedMessage
) -> Put | str:
    """Put a message out of the archive with its MsgId, CorrelId and context.

    One that was delayed is staged again for the time it had, by a send with a delay: only so does
    the queue manager know of it.
    """
    if target.resolved_name == STAGING_QUEUE and Capability.DELAYED_PUT in backend.capabilities:
        known = Capability.DUE_TIME_KNOWN in backend.capabilities
        facts = target_and_due(message, uncompared(known))
        due_us = facts.due_time_us if facts is not None else None
        when = Restage(at_us=due_us or 0)
        return put_again(backend, message, when, CopyOptions(strip="staged"), 0)
    stored = target.put(message.md, message.body, _PUT)
    return Put(target.name, stored.msg_id, planned.digest)


def undo_destination(
    undo: OperationState, originals: Originals, request: ActRequest
) -> Destination:
    """Where the messages of one part of an undo go; nowhere where the operation put copies."""
    if request.target is None:
        return Destination()
    kind = ToOrigin if request.queue else FromArchive
    return kind(request.target, undo, originals)
