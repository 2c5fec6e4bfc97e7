"""Message flows of IBM Integration Bus and App Connect Enterprise that start at a queue.

MQInput handles failures by itself (C-14): attempts down the Out terminal, then in this order the
Failure terminal, the backout queue, the dead-letter queue, and if all of them refuse it, the Out
terminal again, without end (BO-42 to BO-48). Nothing is discarded, whatever the report options.
JMSInput follows the rules of JMS: it is `jms_applications.AsyncApplication` (BO-34).

Sources: IBM Integration Bus documentation, "Handling errors in the MQInput node", messages BIP2648
to BIP2650; BO-34, BO-35, BO-41 to BO-49; C-14, C-15.
"""

from __future__ import annotations

from enum import StrEnum

from mqtriage.emulator.clients.events import Consumer
from mqtriage.emulator.clients.handlers import Handler, HandlerFailed
from mqtriage.emulator.clients.inquiry import inquire_policy
from mqtriage.emulator.clients.poison_move import put_away
from mqtriage.emulator.clients.source import Source
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq import cmqc
from mqtriage.mq.errors import UsageError
from mqtriage.mq.flow import ONCE, TWICE, attempts, failure_end
from mqtriage.mq.message import Message


class FailureTerminal(StrEnum):
    """What is behind the Failure terminal of the node."""

    NONE = "none"
    """It is not wired."""
    OK = "ok"
    """A subflow that succeeds."""
    FAIL = "fail"
    """A subflow that fails as well."""


class MQInputFlow(Consumer):
    """A flow with an MQInput node; one message a step.

    Args:
        node_retry: attempts, where the node is to have a setting of its own; None: BOTHRESH.
        failure_limit: 2: the Failure terminal is tried until BackoutCount is twice the attempts,
            as message BIP2650 says; 1: it is tried once (BO-46).
        automatic: off, the node does nothing of the kind and only rolls back (BO-35).
    """

    def __init__(
        self,
        connection: Connection,
        queue: str,
        main: Handler,
        *,
        node_retry: int | None = None,
        failure_terminal: FailureTerminal = FailureTerminal.NONE,
        failure_limit: int = ONCE,
        automatic: bool = True,
    ) -> None:
        if node_retry is not None and node_retry < 0:
            raise UsageError(f"node-retry {node_retry}: 0 or more is expected")
        if failure_limit not in (ONCE, TWICE):
            raise UsageError(f"failure-limit {failure_limit}x: expected 1x or 2x")
        super().__init__(connection, Source(connection, queue))
        self._main = main
        self._terminal = failure_terminal
        self._automatic = automatic
        self._policy = inquire_policy(connection, self._queue)
        self._attempts = attempts(self._policy, node_retry)
        self._failure_end = failure_end(self._policy, node_retry, failure_limit)

    def step(self) -> bool:
        """Take one message through one attempt or one part of the sequence; False when none."""
        message = self._source.take()
        if message is None:
            return False
        count = message.md.backout_count
        if not self._automatic or count < self._attempts:
            most = self._attempts if self._automatic else "endless"
            self._propagate(message, self._main, f"Out, attempt {count + 1} of {most}")
        elif self._terminal is not FailureTerminal.NONE and count < self._failure_end:
            self._propagate(message, self._failure, f"Failure, BackoutCount {count}")
        else:
            self._put_away(message)
        return True

    def _failure(self, message: Message) -> None:
        if self._terminal is FailureTerminal.FAIL:
            raise HandlerFailed("the flow behind the Failure terminal failed too")

    def _propagate(self, message: Message, flow: Handler, terminal: str, why: str = "") -> None:
        succeeded = f"the flow behind {terminal} succeeded"
        self._attempt(message, flow, f"propagated to {terminal}{why}", succeeded)

    def _put_away(self, message: Message) -> None:
        """Backout queue, then dead-letter queue; where both refuse, Out again (BO-48).

        IBM's page has the flow back the message out again and again, the comment has it processed
        again, which is followed: so it ends as soon as the flow can process it.
        """
        why = f"BackoutCount {message.md.backout_count}, {self._attempts} attempt(s) are used up"
        away = put_away(self._connection, message, self._policy, self._queue, cmqc.MQAT_BROKER)
        why = f"{why}; {away.refused}" if away.refused else why
        if away.error is None:
            self._connection.commit()
            self.log.add(away.happened, message, away.queue, why)
            return
        # puts that failed have left nothing in the unit of work
        self._propagate(message, self._main, "Out again", f": {why}; {away.error.text}")
