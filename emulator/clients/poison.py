"""How the IBM MQ classes for JMS handle a poison message: decide, move, and what if that fails.

The rules are those of `mqtriage.mq.backout`; here they meet a queue. `PoisonHandler` belongs to one
consumer, since it keeps what it inquired.
"""

from __future__ import annotations

from mqtriage.emulator.clients.events import EventLog, Happened
from mqtriage.emulator.clients.inquiry import LazyPolicy
from mqtriage.emulator.clients.poison_move import dead_letter_jms, dead_letter_queue, requeue_jms
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq import cmqc
from mqtriage.mq.backout import (
    OFF,
    Decision,
    Disposition,
    PoisonDiscard,
    ReceivedBy,
    decide,
    disposition_after_failed_requeue,
)
from mqtriage.mq.errors import MQIError
from mqtriage.mq.message import Message

IN_UNIT = "in the unit of work of the get"
OUTSIDE = "outside any unit of work of the delivery"


class PoisonHandler:
    """One consumer's poison handling.

    Args:
        poison_discard: whether persistent messages may be lost when both queues refuse (C-10).

    Attributes:
        refusal: why the last move took its message nowhere; "" where it did.
    """

    def __init__(
        self,
        connection: Connection,
        queue: str,
        log: EventLog,
        *,
        client_version: str,
        poison_discard: PoisonDiscard,
    ) -> None:
        self._policy = LazyPolicy(connection, queue, client_version)
        self._queue = queue
        self._log = log
        self._discard = poison_discard
        self.refusal = ""

    def decide(self, message: Message) -> Decision:
        """What to do with a message at hand; inquires at the first one with BackoutCount > 0.

        Where the inquiry fails (2035 without +inq) the message is delivered as if BOTHRESH were 0:
        IBM's page does not say, see the gaps table of the requirements (PM-34).
        """
        md = message.md
        if md.backout_count == 0:
            return decide(0, md.report, OFF)
        policy = self._policy.get()
        if isinstance(policy, MQIError):
            why = f"BOTHRESH is not known: {policy.text}; delivered as if it were 0"
            self._log.add(Happened.NOT_INQUIRED, message, self._queue, why)
            return Decision(Disposition.DELIVER, why)
        return decide(md.backout_count, md.report, policy)

    def move(
        self,
        connection: Connection,
        message: Message,
        decision: Decision,
        delivery: ReceivedBy,
        *,
        got: bool = True,
    ) -> Decision:
        """Carry a decision out by puts under syncpoint of *connection*; nothing is committed here.

        Args:
            got: the message is out of the queue already; False while it is only locked.

        Returns:
            What became of it: REQUEUE, DEAD_LETTER, DISCARD, RETURN or HOLD.

        Raises:
            ConnectionFailed: The connection is gone.
        """
        moved = self._carried_out(connection, message, decision, delivery)
        if moved.action is Disposition.HOLD:
            self._log.add(Happened.HELD, message, "", moved.reason)
        elif moved.action is Disposition.RETURN and not got:
            self._log.add(Happened.KEPT, message, self._queue, moved.reason)
        return moved

    def _carried_out(
        self, connection: Connection, message: Message, decision: Decision, delivery: ReceivedBy
    ) -> Decision:
        """Try BOQNAME, then what the rules say, then the dead-letter queue; log what worked."""
        how = f"moved {OUTSIDE if delivery is ReceivedBy.ASYNC else IN_UNIT}"
        failed, reason, refused = "", cmqc.MQRC_BACKOUT_THRESHOLD_REACHED, ""
        self.refusal = ""
        if decision.action is Disposition.REQUEUE:
            error = requeue_jms(connection, message, decision.queue)
            if error is None:
                why = f"{decision.reason}; {how}"
                self._log.add(Happened.REQUEUED, message, decision.queue, why)
                return decision
            failed, reason, refused = f"{error.text}; ", error.reason, decision.queue
            decision = self._after_failure(message, delivery, dead_letter_failed=False)
        if decision.action is Disposition.DEAD_LETTER:
            target = dead_letter_queue(connection)
            error = dead_letter_jms(connection, message, self._queue, reason, refused)
            if error is None:
                why = f"{failed}{decision.reason}; {how}"
                self._log.add(Happened.DEAD_LETTERED, message, target, why)
                return Decision(Disposition.DEAD_LETTER, decision.reason, target)
            self.refusal = f"{failed}{error.text}"
            lost = self._after_failure(message, delivery, dead_letter_failed=True)
            decision = Decision(lost.action, f"{failed}{error.text}; {lost.reason}")
            if decision.action is Disposition.DISCARD:
                self._log.add(Happened.LOST, message, "", decision.reason)
        elif decision.action is Disposition.DISCARD:
            decision = Decision(Disposition.DISCARD, failed + decision.reason)
            self._log.add(Happened.DISCARDED, message, "", decision.reason)
        return decision

    def _after_failure(
        self, message: Message, delivery: ReceivedBy, *, dead_letter_failed: bool
    ) -> Decision:
        """The rule for a message whose backout queue refused, while its unit of work is open."""
        return disposition_after_failed_requeue(
            message.md.report,
            delivery,
            dead_letter_failed=dead_letter_failed,
            persistent=message.md.persistence == cmqc.MQPER_PERSISTENT,
            poison_discard=self._discard,
        )
