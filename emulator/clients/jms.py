"""The IBM MQ classes for JMS as consumers: synchronous receive, and listeners.

    JmsSession      acknowledgement or transactions, over one connection (a JMSContext is the same)
    Receiver        what the 15 synchronous calls of IBM's page have in common (PM-38)
    MessageListener delivers to a callback; poison messages move outside its units of work (PM-50)

Source: IBM MQ documentation, "Handling poison messages in IBM MQ classes for JMS"; PM-01 to PM-68.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from mqtriage.emulator.clients.events import Consumer, EventLog, Happened
from mqtriage.emulator.clients.handlers import (
    Handler,
    HandlerFailed,
    NotMoved,
    Unreadable,
    check_readable,
)
from mqtriage.emulator.clients.inquiry import CURRENT_VERSION
from mqtriage.emulator.clients.poison import PoisonHandler
from mqtriage.emulator.clients.source import Outside, Source
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq import cmqc
from mqtriage.mq.backout import (
    Decision,
    Disposition,
    PoisonDiscard,
    ReceivedBy,
    UnitEnding,
    disposition_after_failed_requeue,
)
from mqtriage.mq.errors import MQIError
from mqtriage.mq.message import Message


class Acknowledge(StrEnum):
    """Session modes of JMS."""

    TRANSACTED = "transacted"
    AUTO = "auto"
    CLIENT = "client"
    """Messages stay in a unit of work until Message.acknowledge(), which is a commit, or
    Session.recover(), which is a rollback."""
    DUPS_OK = "dups-ok"


class _Pending(NamedTuple):
    """A message in the session's open unit of work."""

    message: Message
    queue: str
    became: Disposition


@dataclass(eq=False)
class JmsSession:
    """A JMS session or context over one connection.

    Attributes:
        log: what happened so far, in all its consumers.
    """

    connection: Connection
    mode: Acknowledge = Acknowledge.AUTO
    client_version: str = CURRENT_VERSION
    poison_discard: PoisonDiscard = PoisonDiscard.ANY
    log: EventLog = field(default_factory=EventLog)
    _pending: list[_Pending] = field(default_factory=list)

    @property
    def keeps_unit_open(self) -> bool:
        """Whether received messages wait in a unit of work for the application's word.

        So they do in CLIENT_ACKNOWLEDGE as well, which is why it is decided like a transaction
        here; IBM's page speaks of transacted and non-transacted only.
        """
        return self.mode in (Acknowledge.TRANSACTED, Acknowledge.CLIENT)

    @property
    def delivery(self) -> ReceivedBy:
        """How a synchronous receive of this session counts for the rules."""
        return (
            ReceivedBy.SYNC_TRANSACTED if self.keeps_unit_open else ReceivedBy.SYNC_NON_TRANSACTED
        )

    def poison_handler(self, queue: str) -> PoisonHandler:
        """What a new consumer of *queue* handles poison messages with."""
        return PoisonHandler(
            self.connection,
            queue,
            self.log,
            client_version=self.client_version,
            poison_discard=self.poison_discard,
        )

    # -- units of work ------------------------------------------------------------------------

    def commit(self) -> None:
        """Session.commit(): what was received is gone, moves are final (PM-40, PM-46)."""
        self.connection.commit()
        pending, self._pending = self._pending, []
        for entry in pending:
            if entry.became is Disposition.DELIVER:
                self.log.add(Happened.CONSUMED, entry.message, "", "committed")
            elif entry.became is Disposition.HOLD:
                reason = self._ending_of_held(entry.message, UnitEnding.COMMIT)
                self.log.add(Happened.LOST, entry.message, "", reason)

    def rollback(self, reason: str = "the session was rolled back") -> None:
        """Session.rollback(): all is on the input queue again, moves are undone (PM-41, PM-47)."""
        self.connection.back_out()
        pending, self._pending = self._pending, []
        for entry in pending:
            detail = reason
            if entry.became is Disposition.HOLD:
                detail = self._ending_of_held(entry.message, UnitEnding.ROLLBACK)
            elif entry.became is not Disposition.DELIVER:
                detail = f"{reason}; its move is undone"
            self.log.add(Happened.ROLLED_BACK, entry.message, entry.queue, detail)

    @property
    def has_work(self) -> bool:
        """Whether the open unit of work holds anything."""
        return bool(self._pending) or self.connection.unit.count > 0

    def note(self, message: Message, queue: str, became: Disposition) -> None:
        """Remember what the open unit of work holds."""
        self._pending.append(_Pending(message, queue, became))

    def _ending_of_held(self, message: Message, ending: UnitEnding) -> str:
        """What becomes of a message that could go nowhere, once its unit of work ends."""
        return disposition_after_failed_requeue(
            message.md.report, self.delivery, dead_letter_failed=True, ending=ending
        ).reason


class Receiver:
    """A synchronous consumer of one queue.

    The move of a poison message joins the unit of work that is open (PM-37). Where that holds
    nothing else, IBM's client commits the move at once, so that no rollback undoes it.
    """

    def __init__(self, session: JmsSession, queue: str) -> None:
        self._session = session
        # np-only must be able to leave a message where it is: it looks at it before it gets it
        self._looks_first = session.poison_discard is PoisonDiscard.NP_ONLY
        self._source = Source(session.connection, queue, browse=self._looks_first)
        self._poison = session.poison_handler(self._source.local)
        self._joins_work = False

    def receive_no_wait(self) -> Message | None:
        """The next message for the application; poison ones are moved on the way (PM-39).

        Raises:
            Unreadable: The client cannot read the message. In a session with a unit of work it
                stays in that; otherwise it is on the queue again.
            NotMoved: No queue took a poison message. A unit of work holds it, and loses it with
                the commit alone; without one it is lost. IBM's client throws JMSWMQ1080.
        """
        session = self._session
        self._source.passed_over.clear()
        while True:
            self._joins_work = session.has_work
            next_one = self._next()
            if next_one is None:
                return None
            message, decision = next_one
            if decision.action is Disposition.DELIVER:
                return self._deliver(message, decision)
            moved = self._poison.move(session.connection, message, decision, session.delivery)
            self._finish_move(message, moved)

    def _next(self) -> tuple[Message, Decision] | None:
        """Get the next message, and what to do with it."""
        if not self._looks_first:
            message = self._source.take()
            return None if message is None else (message, self._poison.decide(message))
        while (seen := self._source.peek(lock=True)) is not None:
            decision = self._poison.decide(seen)
            if self._is_settled(seen, decision):
                continue
            message = self._source.take_locked()
            if message is not None:
                return message, decision
        return None

    def _is_settled(self, seen: Message, decision: Decision) -> bool:
        """With np-only: move a persistent poison message, or leave it where it is.

        The puts are tried while it is locked; those that work are part of the unit of work, and
        the get that follows joins it.
        """
        puts = decision.action in (Disposition.REQUEUE, Disposition.DEAD_LETTER)
        if seen.md.persistence != cmqc.MQPER_PERSISTENT or not puts:
            return False
        session = self._session
        moved = self._poison.move(session.connection, seen, decision, session.delivery, got=False)
        if moved.action is Disposition.RETURN:
            self._source.passed_over.add(seen.token)
            self._source.unlock()
            return True
        self._source.take_locked()
        self._finish_move(seen, moved)
        return True

    def _deliver(self, message: Message, decision: Decision) -> Message:
        session, queue = self._session, self._source.local
        try:
            check_readable(message)
        except Unreadable as error:
            session.note(message, queue, Disposition.DELIVER)
            if not session.keeps_unit_open:
                session.rollback(error.reason)
            raise
        session.log.add(Happened.DELIVERED, message, queue, decision.reason)
        session.note(message, queue, Disposition.DELIVER)
        if not session.keeps_unit_open:
            session.commit()
        return message

    def _finish_move(self, message: Message, decision: Decision) -> None:
        session, queue = self._session, self._source.local
        session.note(message, queue, decision.action)
        alone = session.mode is Acknowledge.TRANSACTED and not self._joins_work
        if not session.keeps_unit_open or (alone and decision.action is not Disposition.HOLD):
            session.commit()
        if self._poison.refusal:
            raise NotMoved(self._poison.refusal)

    def close(self) -> None:
        self._source.close()


class MessageListener(Consumer):
    """Asynchronous delivery to a callback.

    A message is looked at before it is got, so that a poison one can be moved while the session's
    unit of work goes on untouched (PM-49, PM-50). One that could not be moved returns to the input
    queue (PM-54), and nothing behind it is delivered until the next `run`: so IBM's client does,
    which meets it again and again.

    Args:
        on_message: the callback. It may call the session's commit and rollback where that is
            transacted; an exception rolls back in the other modes and does nothing in this one.
    """

    def __init__(self, session: JmsSession, queue: str, on_message: Handler) -> None:
        source = Source(session.connection, queue, browse=True)
        super().__init__(session.connection, source, session.log)
        self._session = session
        self._outside = Outside(session.connection, source)
        self._poison = session.poison_handler(source.local)
        self._on_message = on_message

    def run(self, limit: int | None = None) -> int:
        self.blocked = False
        return super().run(limit)

    def step(self) -> bool:
        seen = None if self.blocked else self._source.peek()
        if seen is None:
            return False
        decision = self._poison.decide(seen)
        if decision.action is not Disposition.DELIVER:
            self._move(seen, decision)
            return True
        try:
            check_readable(seen)
        except Unreadable as error:
            self._give_back(seen, error.reason)
            return True
        message = self._source.take_this(seen)
        if message is not None:
            self._deliver(message, decision)
        return True

    def _deliver(self, message: Message, decision: Decision) -> None:
        session = self._session
        self.log.add(Happened.DELIVERED, message, self._queue, decision.reason)
        session.note(message, self._queue, Disposition.DELIVER)
        transacted = session.mode is Acknowledge.TRANSACTED
        try:
            self._on_message(message)
        except HandlerFailed as error:
            if not transacted:
                session.rollback(error.reason)
            return
        if session.mode in (Acknowledge.AUTO, Acknowledge.DUPS_OK):
            session.commit()

    def _move(self, seen: Message, decision: Decision) -> None:
        message = self._take_aside(seen)
        if message is None:
            return
        connection = self._outside.connection
        moved = self._poison.move(connection, message, decision, ReceivedBy.ASYNC)
        if moved.action is not Disposition.RETURN:
            self._outside.commit()
            return
        self._outside.back_out()
        self.blocked = True
        self._keep(message, moved.reason)

    def _give_back(self, seen: Message, reason: str) -> None:
        message = self._take_aside(seen)
        if message is not None:
            self._outside.back_out()
            self.log.add(Happened.ROLLED_BACK, message, self._queue, reason)

    def _take_aside(self, seen: Message) -> Message | None:
        try:
            return self._outside.take(seen)
        except MQIError as error:
            if error.reason != cmqc.MQRC_OBJECT_IN_USE:
                raise
            self._keep(seen, f"{error.text}; it waits until the unit of work has ended")
            return None

    def _keep(self, message: Message, reason: str) -> None:
        self._source.passed_over.add(message.token)
        self.log.add(Happened.KEPT, message, self._queue, reason)

    def close(self) -> None:
        self._outside.close()
        super().close()
