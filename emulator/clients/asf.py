"""ConnectionConsumer of the Application Server Facilities: WAS listener ports and the like.

The ConnectionConsumer, not the session it hands messages to, looks at BackoutCount, and it does so
outside the session's unit of work (BO-33). It removes a message in three cases:

    2362    poison, and the requeue failed or BOQNAME is blank
    2363    no consumer is interested in it
    2364    badly formed

What is removed goes to the dead-letter queue with that Reason, or is discarded where
MQRO_DISCARD_MSG is set; an exception report follows where the message asks for one.
If the dead-letter queue refuses, the stored copies of IBM's page break off: nonpersistent messages
are discarded; that persistent ones stay is our reading (`poison_discard`, np-only here by default).

Sources: IBM MQ documentation, "Removing messages from the queue in ASF", "Handling poison messages
in ASF"; BO-24, BO-30 to BO-33, PM-55.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mqtriage.emulator.clients import poison_move
from mqtriage.emulator.clients.events import Consumer, Happened
from mqtriage.emulator.clients.handlers import Handler, Unreadable, check_readable
from mqtriage.emulator.clients.inquiry import CURRENT_VERSION
from mqtriage.emulator.clients.poison import OUTSIDE, PoisonHandler
from mqtriage.emulator.clients.source import Outside, Source
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.put.arrival import make_report
from mqtriage.mq import cmqc
from mqtriage.mq.backout import Decision, Disposition, PoisonDiscard
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.message import Message
from mqtriage.mq.reports import ReportKind, ReportMessage, kinds_requested

Interest: TypeAlias = Callable[[Message], bool]


class ConnectionConsumer(Consumer):
    """Hands messages to a server session, one at a time.

    Args:
        connection: the session's connection; messages are got in its unit of work.
        on_message: what the application does; when it fails its session is rolled back.
        poison_discard: ANY loses persistent messages as well where both queues refuse.
    """

    def __init__(
        self,
        connection: Connection,
        queue: str,
        on_message: Handler,
        *,
        interested: Interest | None = None,
        client_version: str = CURRENT_VERSION,
        poison_discard: PoisonDiscard = PoisonDiscard.NP_ONLY,
    ) -> None:
        super().__init__(connection, Source(connection, queue, browse=True))
        self._outside = Outside(connection, self._source)
        self._on_message = on_message
        self._interested = interested
        self._discard = poison_discard
        self._poison = PoisonHandler(
            connection,
            self._queue,
            self.log,
            client_version=client_version,
            poison_discard=poison_discard,
        )

    def step(self) -> bool:
        seen = self._source.peek()
        if seen is None:
            return False
        decision = self._poison.decide(seen)
        if decision.action is Disposition.REQUEUE:
            self._aside(seen, lambda message: self._requeue(message, decision))
        elif decision.action is not Disposition.DELIVER:
            poison = cmqc.MQRC_BACKOUT_THRESHOLD_REACHED, decision.reason
            self._aside(seen, lambda message: self._remove(message, *poison))
        elif (removal := self._removal(seen)) is not None:
            self._aside(seen, lambda message: self._remove(message, *removal))
        elif (message := self._source.take_this(seen)) is not None:
            self._attempt(message, self._on_message, decision.reason)
        return True

    def _removal(self, message: Message) -> tuple[int, str] | None:
        """Why a message is removed that is no poison message: reason code and sentence."""
        try:
            check_readable(message)
        except Unreadable as error:
            return cmqc.MQRC_JMS_FORMAT_ERROR, error.reason
        if self._interested is not None and not self._interested(message):
            return cmqc.MQRC_MSG_NOT_MATCHED, "no consumer is interested in it"
        return None

    # -- outside the delivery -----------------------------------------------------------------

    def _aside(self, seen: Message, move: Callable[[Message], str]) -> None:
        """Get *seen* by the second connection and move it; what *move* returns keeps it."""
        message = self._outside.take(seen)
        if message is None:
            return
        before = len(self.log)
        kept = move(message)
        if not kept:
            self._outside.commit()
            return
        self._outside.back_out()
        del self.log[before:]
        self._source.passed_over.add(seen.token)
        self.log.add(Happened.KEPT, message, self._queue, kept)

    def _requeue(self, message: Message, decision: Decision) -> str:
        connection = self._outside.connection
        error = poison_move.requeue_jms(connection, message, decision.queue)
        if error is None:
            why = f"{decision.reason}; moved {OUTSIDE}"
            self.log.add(Happened.REQUEUED, message, decision.queue, why)
            return ""
        return self._remove(message, cmqc.MQRC_BACKOUT_THRESHOLD_REACHED, error.text)

    def _remove(self, message: Message, reason: int, why: str) -> str:
        """Follow the disposition; "" when it is done, else why the message must stay."""
        if message.md.report & cmqc.MQRO_DISCARD_MSG:
            self.log.add(Happened.DISCARDED, message, "", f"{why}; MQRO_DISCARD_MSG is set")
            return self._report(message, reason)
        connection = self._outside.connection
        target = poison_move.dead_letter_queue(connection)
        error = poison_move.dead_letter_jms(connection, message, self._queue, reason)
        if error is None:
            detail = f"{why}; MQRO_DISCARD_MSG is not set, MQDLH Reason {reason}"
            self.log.add(Happened.DEAD_LETTERED, message, target, detail)
            return self._report(message, reason)
        persistent = message.md.persistence == cmqc.MQPER_PERSISTENT
        failed = f"{why}; {error.text}"
        if persistent and self._discard is PoisonDiscard.NP_ONLY:
            return f"{failed}; persistent, so it stays"
        lost = "persistent, but poison_discard is any" if persistent else "not persistent"
        self.log.add(Happened.LOST, message, "", f"{failed}; {lost}, so it is discarded")
        return ""

    def _report(self, message: Message, reason: int) -> str:
        """Send the exception report, if one is asked for; to DEADQ if ReplyToQ refuses it.

        Where that refuses too a persistent message stays, all being backed out; of another one
        only the report is lost (as the delay processor does; IBM's page on ASF does not say).
        """
        md = message.md
        if ReportKind.EXCEPTION not in kinds_requested(md.report):
            return ""
        connection = self._outside.connection
        report = _exception_report(connection, message, reason)
        error = self._send(connection, report)
        if error is None:
            detail = f"exception report, Feedback {reason}"
            self.log.add(Happened.REPORT_SENT, message, report.queue, detail)
            return ""
        dead = Message(report.md, report.body, len(report.body))
        last = poison_move.dead_letter(connection, dead, report.queue, error.reason, cmqc.MQAT_JAVA)
        if last is None:
            detail = f"{error.text}; the report is dead-lettered"
            self.log.add(
                Happened.REPORT_SENT, message, poison_move.dead_letter_queue(connection), detail
            )
            return ""
        failed = f"the exception report could not be sent: {error.text}; {last.text}"
        if md.persistence == cmqc.MQPER_PERSISTENT:
            return f"{failed}; persistent, so all is backed out"
        self.log.add(Happened.REPORT_LOST, message, "", failed)
        return ""

    def _send(self, connection: Connection, report: ReportMessage) -> MQIError | None:
        if report.queue_manager not in ("", connection.manager.identity.name):
            doing = f"put to {report.queue} at {report.queue_manager}"
            return mqi_error(cmqc.MQRC_UNKNOWN_REMOTE_Q_MGR, doing)
        return poison_move.put_in_unit(connection, report.queue, report.md, report.body, report.md)

    def close(self) -> None:
        self._outside.close()
        super().close()


def _exception_report(connection: Connection, message: Message, reason: int) -> ReportMessage:
    """The exception report about a removed message: made by this client, Feedback *reason*."""
    manager = connection.manager
    with manager.writing() as now:
        report = make_report(
            manager, ReportKind.EXCEPTION, message.md, message.body, now, reason=reason
        )
    md = report.md._replace(put_appl_type=cmqc.MQAT_JAVA, put_appl_name=connection.application[:28])
    return report._replace(md=md)
