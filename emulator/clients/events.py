"""A simulated consumer, and what it did, step by step, each with the reason."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from mqtriage.emulator.clients.handlers import Handler, HandlerFailed
from mqtriage.emulator.clients.source import Source
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq.message import Message


class Happened(StrEnum):
    """One thing that happened to a message, or to the consumer."""

    DELIVERED = "delivered"
    """Given to the application, or propagated down a terminal."""
    CONSUMED = "consumed"
    """Processed, and off the queue for good."""
    ROLLED_BACK = "rolled-back"
    """On the input queue again, with one more in BackoutCount; a move of it is undone."""
    REQUEUED = "requeued"
    """Put to the backout queue."""
    DEAD_LETTERED = "dead-lettered"
    """Put to the dead-letter queue."""
    DISCARDED = "discarded"
    """Gone because a report option, or nobody's interest, says so."""
    HELD = "held"
    """In a unit of work that is still open: a commit loses it, a rollback returns it."""
    LOST = "lost"
    """Gone although nobody asked for that."""
    KEPT = "kept"
    """Still on the input queue because it could go nowhere else."""
    REPORT_SENT = "report-sent"
    REPORT_LOST = "report-lost"
    NOT_INQUIRED = "not-inquired"
    """BOTHRESH and BOQNAME could not be inquired."""


class Event(NamedTuple):
    """One entry.

    Attributes:
        msg_id: of the message as it stood on the input queue.
        queue: where the message is after it: the input queue, or the one it was moved to; "" where
            it is nowhere.
        reason: one sentence without a full stop.
    """

    happened: Happened
    msg_id: bytes
    backout_count: int
    queue: str
    reason: str


class EventLog(list[Event]):
    """Events in their order."""

    def add(self, happened: Happened, message: Message, queue: str, reason: str) -> None:
        """Note what happened to *message*."""
        md = message.md
        self.append(Event(happened, md.msg_id, md.backout_count, queue, reason))


class Consumer:
    """A consumer of one queue, which goes on message by message.

    Attributes:
        blocked: it gave up, since the next get would return the same message.
    """

    def __init__(self, connection: Connection, source: Source, log: EventLog | None = None) -> None:
        self.log = EventLog() if log is None else log
        self.blocked = False
        self._connection = connection
        self._source = source
        self._queue = source.local

    def step(self) -> bool:
        """Deliver, move or remove one message; False when there is none."""
        raise NotImplementedError

    def _attempt(
        self, message: Message, work: Handler, how: str, consumed: str = "committed"
    ) -> None:
        """Deliver a message: what *work* does with it is committed, or backed out if it fails."""
        self.log.add(Happened.DELIVERED, message, self._queue, how)
        try:
            work(message)
        except HandlerFailed as error:
            self._connection.back_out()
            self.log.add(Happened.ROLLED_BACK, message, self._queue, error.reason)
            return
        self._connection.commit()
        self.log.add(Happened.CONSUMED, message, "", consumed)

    def run(self, limit: int | None = None) -> int:
        """Go on until nothing is left, or *limit* steps; returns how many steps were made."""
        self._source.passed_over.clear()
        steps = 0
        while (limit is None or steps < limit) and self.step():
            steps += 1
        return steps

    def close(self) -> None:
        self._source.close()
