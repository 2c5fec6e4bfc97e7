"""A program written to the MQI by hand: what it does about poison messages is what it was told.

The queue manager counts rollbacks and does nothing else (BO-16). With `handling` the program does
what the documentation asks of its developer (BO-20): it inquired BOTHRESH and BOQNAME when it
opened the queue (C-13), compares them with BackoutCount after each get, and moves the message
itself, in the unit of work of the get.

Sources: BO-06 to BO-22; C-09, C-11, C-13.
"""

from __future__ import annotations

from enum import StrEnum

from mqtriage.emulator.clients.events import EventLog, Happened
from mqtriage.emulator.clients.handlers import Handler, HandlerFailed
from mqtriage.emulator.clients.inquiry import inquire_policy
from mqtriage.emulator.clients.poison_move import (
    dead_letter,
    dead_letter_queue,
    requeue_as_is,
)
from mqtriage.emulator.clients.source import Source
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq.backout import OFF, BackoutPolicy, is_poison
from mqtriage.mq.constants import MQAT_UNIX, MQOO_FAIL_IF_QUIESCING, MQOO_INQUIRE
from mqtriage.mq.message import Message


class Unit(StrEnum):
    """What the program does with units of work."""

    WHOLE = "whole"
    """Get and processing in one unit of work, as they should be."""
    NONE = "none"
    """Get without syncpoint: a message that fails is lost (BO-08)."""
    COMMIT_FIRST = "commit-first"
    """Commits before it processes: the same (BO-09)."""


class OnError(StrEnum):
    """What the program does when its handler raises."""

    RETHROW = "rethrow"
    """Lets it reach the place that backs out."""
    SWALLOW = "swallow"
    """Catches it and goes on to the commit (BO-10)."""


class MqiProgram:
    """Gets, processes, commits; one message a step.

    Args:
        handling: whether it looks at BackoutCount at all.
    """

    def __init__(
        self,
        connection: Connection,
        queue: str,
        handler: Handler,
        *,
        handling: bool = True,
        unit: Unit = Unit.WHOLE,
        on_error: OnError = OnError.RETHROW,
        log: EventLog | None = None,
    ) -> None:
        self.log = EventLog() if log is None else log
        self.blocked = False
        self._connection = connection
        self._source = Source(connection, queue)
        self._queue = self._source.local
        self._handler = handler
        self._unit = unit
        self._on_error = on_error
        self._policy: BackoutPolicy = OFF
        if handling:
            options = MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING
            self._policy = inquire_policy(connection, self._queue, options)

    def run(self, limit: int | None = None) -> int:
        """Process until nothing is left, a message could not be moved, or *limit* steps."""
        steps = 0
        while (limit is None or steps < limit) and self.step():
            steps += 1
        return steps

    def step(self) -> bool:
        """Process or move one message; False when there is none or the program gave up.

        A poison message that can go nowhere is backed out and reported, and the program ends
        (`blocked`): the next get would return the same message.
        """
        message = self._source.take(syncpoint=self._unit is not Unit.NONE)
        if message is None:
            return False
        md = message.md
        if is_poison(md.backout_count, self._policy.threshold):
            return self._move(message)
        self.log.add(Happened.DELIVERED, message, self._queue, f"BackoutCount {md.backout_count}")
        if self._unit is Unit.COMMIT_FIRST:
            self._connection.commit()
        try:
            self._handler(message)
        except HandlerFailed as error:
            self._failed(message, error.reason)
        else:
            self._connection.commit()
            self.log.add(Happened.CONSUMED, message, "", "committed")
        return True

    def _failed(self, message: Message, reason: str) -> None:
        if self._on_error is OnError.SWALLOW:
            self._connection.commit()
            detail = f"{reason}; the exception was caught and the unit of work committed"
            self.log.add(Happened.CONSUMED, message, "", detail)
            return
        self._connection.back_out()
        if self._unit is Unit.WHOLE:
            self.log.add(Happened.ROLLED_BACK, message, self._queue, reason)
            return
        missed = (
            "it was got without syncpoint"
            if self._unit is Unit.NONE
            else "the get was committed before"
        )
        detail = f"{reason}; {missed}, so the backout does not bring it back"
        self.log.add(Happened.LOST, message, "", detail)

    def _move(self, message: Message) -> bool:
        """To BOQNAME, else to the dead-letter queue whatever the report options (C-11)."""
        policy, connection = self._policy, self._connection
        why = (
            f"rolled back {message.md.backout_count} times, BOTHRESH is {policy.threshold};"
            " moved by the program in the unit of work of the get"
        )
        if policy.requeue_queue:
            error = requeue_as_is(connection, message, policy.requeue_queue)
            if error is None:
                connection.commit()
                self.log.add(Happened.REQUEUED, message, policy.requeue_queue, why)
                return True
            why = f"{error.text}; {why}"
        else:
            why = f"BOQNAME is blank; {why}"
        target = dead_letter_queue(connection)
        error = dead_letter(connection, message, self._queue, put_appl_type=MQAT_UNIX)
        if error is None:
            connection.commit()
            self.log.add(Happened.DEAD_LETTERED, message, target, why)
            return True
        connection.back_out()
        self.blocked = True
        self.log.add(Happened.KEPT, message, self._queue, f"{error.text}; left in place")
        return False

    def close(self) -> None:
        self._source.close()
