"""What the journal says of each message of an operation, and what the queues say of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import field, replace
from enum import IntEnum
from pathlib import Path
from typing import Final

from mqtriage.backends.port import Backend, Match, QueueHandle
from mqtriage.model.plan import PlannedMessage
from mqtriage.mq.errors import StorageError
from mqtriage.operations.copies.lifetimes import lasts_longer
from mqtriage.operations.copies.request import ActRequest, CopyTo
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.plan_file import PlanPart, StoredPlan
from mqtriage.operations.ledger.units import BACKED_OUT, COMMITTED, LEFT, UNKNOWN, LedgerUnit, Put
from mqtriage.operations.selection.arrived import Arrived, open_arrived
from mqtriage.operations.selection.planned import count_same, is_same, to_planned
from mqtriage.records import dataclass


class MessageState(IntEnum):
    """What the journal says of a message."""

    PENDING = 0
    """Not in a unit of work that became final: it should be where it was."""
    COMMITTED = 1
    IN_DOUBT = 2
    """In a unit of work at whose commit the process ended."""
    UNKNOWN = 3
    """A resume found it neither where it was nor where it was to go."""
    LEFT = 4
    """It was reached and stayed, or was gone."""


@dataclass(slots=True)
class OperationState:
    """An operation as its journal has it.

    Attributes:
        fates: a byte a message, by number; the first one is not used.
        doubtful: the units in doubt.
        how: how it ended; "" while it has not, or was cut off.
        units: number of the last unit.
    """

    op: str
    plan: StoredPlan
    fates: bytearray
    doubtful: dict[int, LedgerUnit] = field(default_factory=dict)
    archives: list[Path] = field(default_factory=list)
    how: str = ""
    units: int = 0

    def count(self, fate: MessageState) -> int:
        """How many messages ended so."""
        return self.fates.count(fate) - (fate is MessageState.PENDING)

    def numbers(self, *fates: MessageState) -> Iterator[int]:
        """The messages that ended so, in order."""
        return (at for at in range(1, len(self.fates)) if self.fates[at] in fates)


def read_state(journal: Journal, op: str) -> OperationState:
    """Read what the ledger has of an operation; refused where its plan was not finished."""
    plan = journal.plan(op)
    return state_of(journal, op, plan, len(plan.messages))


def state_of(journal: Journal, op: str, plan: StoredPlan, messages: int) -> OperationState:
    """The same for a plan that was read already."""
    fates = bytearray(messages + 1)
    for number, ended in journal.fates(op):
        if number <= messages:
            fates[number] = FATES[ended]
    progress = journal.progress(op)
    doubtful = {unit.unit: unit for unit in journal.units(op, "")}
    archives = journal.archives(op)
    return OperationState(op, plan, fates, doubtful, archives, progress.how, progress.units)


FATES: Final = {
    COMMITTED: MessageState.COMMITTED,
    UNKNOWN: MessageState.UNKNOWN,
    "": MessageState.IN_DOUBT,
    LEFT: MessageState.LEFT,
}
"""What became of a message, by how its last unit of work ended."""


# what the queues say ----------------------------------------------------------------------------


def part_of(plan: StoredPlan, number: int) -> PlanPart:
    """Which part of the plan a message belongs to."""
    for part in plan.parts:
        if number <= part.messages:
            return part
        number -= part.messages
    raise StorageError(f"the plan has no message {number}")


def request_of(plan: StoredPlan, part: PlanPart) -> ActRequest:
    """The request for one part; what comes out of an archive or a file is taken from no queue."""
    request = replace(plan.request, queue=part.queue, target=part.target)
    return request if part.queue else replace(request, to=CopyTo(), archive=None)


class Evidence:
    """Looks on the queues for what became of a unit of work in doubt.

    A unit is committed whole or not at all, so what is known of one message holds for all: one that
    is where it was proves that the unit was backed out, one that is gone from there and is found
    where it was to go proves the commit. Twins (same ids, same data) are counted.
    """

    def __init__(self, backend: Backend, known: OperationState) -> None:
        self.backend = backend
        self.known = known
        self._arrived: dict[str, Arrived | None] = {}

    def close(self) -> None:
        for arrived in self._arrived.values():
            if arrived is not None:
                arrived.handle.close()
        self._arrived.clear()

    def settle(self, unit: LedgerUnit) -> str | None:
        """COMMITTED, BACKED_OUT or UNKNOWN; None while another unit of work may hold them."""
        if unit.before is not None:
            return self._by_count(unit.messages[0].put, unit.before)
        alike = self._alike(unit)
        there = False
        for taken in unit.messages:
            planned = self.known.plan.messages[taken.number - 1]
            request = request_of(self.known.plan, part_of(self.known.plan, taken.number))
            pending, committed = alike[_key(planned)]
            if request.extends_lifetime:
                kept, longer = self._with_lifetimes(request.queue, planned)
                if kept:
                    there = True
                elif longer:
                    return COMMITTED
                continue
            taken_from = request.queue if request.takes else ""
            if taken_from and self._same(taken_from, planned) > pending:
                there = True
                continue
            if taken.put is None:
                continue
            own = committed if taken.put.msg_id == planned.msg_id else 0  # a new MsgId has no twin
            if self._copies(taken.put, planned) > own:
                return COMMITTED
        if there:
            return BACKED_OUT
        return self._without_a_trace(unit)

    def _by_count(self, put: Put | None, before: int) -> str | None:
        """What became of a unit that takes nothing: is its first copy there, beside those before?

        Where readers may have taken it, or others that were there, nobody knows.
        """
        arrived = self._looked_at(put.queue) if put is not None else None
        if put is None or arrived is None:
            return UNKNOWN
        now = arrived.count(put.msg_id)
        if now > before:
            return COMMITTED
        if self._held(put.queue):
            return None
        return BACKED_OUT if now == before and self._unread(put.queue) else UNKNOWN

    def _without_a_trace(self, unit: LedgerUnit) -> str | None:
        """Neither here nor there: who else could have them?"""
        request = request_of(self.known.plan, part_of(self.known.plan, unit.messages[0].number))
        put = unit.messages[0].put
        if not request.takes or not request.queue:  # a copy, or a message out of an archive
            target = put.queue if put is not None else ""
            return BACKED_OUT if self._unread(target) else UNKNOWN
        return None if self._held(request.queue) else UNKNOWN

    def _alike(self, unit: LedgerUnit) -> dict[tuple[bytes, ...], tuple[int, int]]:
        """Of each message of the unit, how many just like it are pending, and are committed."""
        plan, fates = self.known.plan, self.known.fates
        keys = {_key(plan.messages[taken.number - 1]) for taken in unit.messages}
        pending: Counter[tuple[bytes, ...]] = Counter()
        committed: Counter[tuple[bytes, ...]] = Counter()
        for number, planned in enumerate(plan.messages, 1):
            key = _key(planned)
            if key in keys:
                pending[key] += fates[number] in (MessageState.PENDING, MessageState.LEFT)
                committed[key] += fates[number] == MessageState.COMMITTED
        return {key: (pending[key], committed[key]) for key in keys}

    def _same(self, queue: str, planned: PlannedMessage) -> int:
        handle = self._browsed(queue)
        return 0 if handle is None else count_same(handle, planned)

    def _with_lifetimes(self, queue: str, planned: PlannedMessage) -> tuple[int, int]:
        """How many are there as they were, and how many with a longer lifetime."""
        handle = self._browsed(queue)
        kept = longer = 0
        match = Match(msg_id=planned.msg_id, correl_id=planned.correl_id)
        for message in handle.browse(match) if handle is not None else ():
            if is_same(planned, message):
                if lasts_longer(planned, message):
                    longer += 1
                else:
                    kept += 1
        return kept, longer

    def _copies(self, put: Put, planned: PlannedMessage) -> int:
        if put.is_elsewhere:
            return 0
        arrived = self._looked_at(put.queue)
        if arrived is None:
            return 0
        if arrived.leaves:
            return arrived.count_copies(put.msg_id, put.digest)
        return sum(1 for _ in copies(arrived.handle, put, planned))

    def _looked_at(self, queue: str) -> Arrived | None:
        """Where what is put to the queue can be seen; None where it cannot be."""
        if queue not in self._arrived:
            self._arrived[queue] = open_arrived(self.backend, queue)
        return self._arrived[queue]

    def _browsed(self, queue: str) -> QueueHandle | None:
        arrived = self._looked_at(queue)
        return None if arrived is None else arrived.handle

    def _held(self, queue: str) -> bool:
        """Whether a unit of work that has not ended may still hold the messages."""
        handle = self._browsed(queue)
        return handle is not None and self.backend.status(handle.resolved_name).uncommitted > 0

    def _unread(self, queue: str) -> bool:
        """Whether nobody has the queue open for input, so that nobody took what is not there."""
        handle = self._browsed(queue) if queue else None
        return handle is not None and self.backend.status(handle.resolved_name).ipprocs == 0


def copies(handle: QueueHandle, put: Put, original: PlannedMessage) -> Iterator[PlannedMessage]:
    """What was put for a message, where it is still there.

    Of a message that was staged once more only the sender's MsgId is known, which is the CorrelId.
    """
    staged = not put.digest
    match = Match(correl_id=put.msg_id) if staged else Match(msg_id=put.msg_id)
    for message in handle.browse(match):
        copy = to_planned(message)
        if (staged and copy.msg_id != original.msg_id) or copy.digest == put.digest:
            yield copy


def _key(planned: PlannedMessage) -> tuple[bytes, ...]:
    return planned.msg_id, planned.correl_id, planned.digest
