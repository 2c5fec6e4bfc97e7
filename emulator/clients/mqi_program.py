"""A program written to the MQI by hand: what it does about poison messages is what it was told.

The queue manager counts rollbacks and does nothing else (BO-16). With `handling` the program does
what the documentation asks of its developer (BO-20): it inquired BOTHRESH and BOQNAME when it
opened the queue (C-13), compares them with BackoutCount after each get, and moves the message
itself, in the unit of work of the get.

Sources: BO-06 to BO-22; C-09, C-11, C-13.
"""

from __future__ import annotations

from mqtriage.emulator.clients.events import Consumer, Happened
from mqtriage.emulator.clients.handlers import Handler
from mqtriage.emulator.clients.inquiry import inquire_policy
from mqtriage.emulator.clients.poison_move import put_away
from mqtriage.emulator.clients.source import Source
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq import cmqc
from mqtriage.mq.backout import OFF, is_poison
from mqtriage.mq.message import Message


class MqiProgram(Consumer):
    """Gets, processes, commits; one message a step."""

    def __init__(
        self, connection: Connection, queue: str, handler: Handler, *, handling: bool = True
    ) -> None:
        super().__init__(connection, Source(connection, queue))
        self._handler = handler
        self._policy = inquire_policy(connection, self._queue) if handling else OFF

    def step(self) -> bool:
        """Process or move one message; False when there is none or the program gave up.

        A poison message that can go nowhere is backed out and reported, and the program ends
        (`blocked`): the next get would return the same message.
        """
        message = self._source.take()
        if message is None:
            return False
        md = message.md
        if is_poison(md.backout_count, self._policy.threshold):
            return self._move(message)
        self._attempt(message, self._handler, f"BackoutCount {md.backout_count}")
        return True

    def _move(self, message: Message) -> bool:
        """To BOQNAME, else to the dead-letter queue whatever the report options (C-11)."""
        policy = self._policy
        away = put_away(self._connection, message, policy, self._queue, cmqc.MQAT_UNIX)
        if away.error is None:
            self._connection.commit()
            why = (
                f"rolled back {message.md.backout_count} times, BOTHRESH is {policy.threshold};"
                " moved by the program in the unit of work of the get"
            )
            why = f"{away.refused}; {why}" if away.refused else why
            self.log.add(away.happened, message, away.queue, why)
            return True
        self._connection.back_out()
        self.blocked = True
        self.log.add(Happened.KEPT, message, self._queue, f"{away.error.text}; left in place")
        return False
