"""Two small applications over the JMS classes: one that calls receive, one with a listener."""

from __future__ import annotations

from mqtriage.emulator.clients.events import Happened
from mqtriage.emulator.clients.handlers import Handler, HandlerFailed, NotMoved, Unreadable
from mqtriage.emulator.clients.jms import Acknowledge, JmsSession, MessageListener, Receiver
from mqtriage.mq.message import Message


class SyncApplication:
    """receiveNoWait, process, commit; a failure rolls back where there is something to roll back.

    In a session that is not transacted a message is acknowledged when receive returns it, so that
    one whose processing fails is lost. Where no queue takes a poison message it goes on, as a loop
    does that logs what receive throws: the next commit loses that message.
    """

    blocked = False

    def __init__(self, session: JmsSession, queue: str, handler: Handler) -> None:
        self.log = session.log
        self._session = session
        self._consumer = Receiver(session, queue)
        self._handler = handler

    def step(self) -> bool:
        """Receive and process one message; False when there is none for the application."""
        session = self._session
        transacted = session.mode is Acknowledge.TRANSACTED
        try:
            message = self._consumer.receive_no_wait()
        except NotMoved:
            return True
        except Unreadable as error:
            if transacted:
                session.rollback(error.reason)
            return True
        if message is None:
            session.commit()  # moves of poison messages are final with the commit alone
            return False
        try:
            self._handler(message)
        except HandlerFailed as error:
            if transacted:
                session.rollback(error.reason)
            else:
                detail = f"{error.reason}; it was acknowledged before it was processed"
                session.log.add(Happened.LOST, message, "", detail)
            return True
        session.commit()
        return True

    def close(self) -> None:
        self._consumer.close()


class AsyncApplication(MessageListener):
    """A MessageListener; in a transacted session it commits or rolls back by itself.

    So does a message flow with a JMSInput node (BO-34).
    """

    def __init__(self, session: JmsSession, queue: str, handler: Handler) -> None:
        super().__init__(session, queue, self._process)
        self._handler = handler

    def _process(self, message: Message) -> None:
        if self._session.mode is not Acknowledge.TRANSACTED:
            self._handler(message)
            return
        try:
            self._handler(message)
        except HandlerFailed as error:
            self._session.rollback(error.reason)
        else:
            self._session.commit()
