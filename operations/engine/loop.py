"""The loop over units of work: one batch goes to its destination whole, or not at all.

Archive and put come before the get: a full disk or a target that refuses a message has then cost
no rollback, and no BackoutCount rises. What a rollback undoes is tried once more, one by one.

Only where context is passed on, not set, the get comes before the put: MQ passes that of the
message that was got last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate, chain, islice
from typing import Any, Final

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.model.ids import format_id
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.mq import cmqc
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQIError,
    MQTriageError,
    NotAuthorized,
    QueueFull,
    Refused,
    StorageError,
)
from mqtriage.mq.message import Message
from mqtriage.operations.copies.lifetimes import lasts_longer
from mqtriage.operations.copies.request import ActRequest, Expire
from mqtriage.operations.engine.act_context import ActContext, Pace, Progress
from mqtriage.operations.engine.destinations import Delivered, Destination, Numbered, Stays
from mqtriage.operations.engine.stay import too_often, unfit, would_poison
from mqtriage.operations.engine.unit_of_work import Member, Spoiled, UnitOfWork, item_of
from mqtriage.operations.ledger.journal import JournalEntry
from mqtriage.operations.ledger.rebuild import Key
from mqtriage.operations.ledger.requeue_counts import key_of
from mqtriage.operations.ledger.units import GONE, Put, TakenMessage
from mqtriage.records import NamedTuple

_ABOUT_THE_MESSAGE: Final = frozenset(
    {
        cmqc.MQRC_MSG_TOO_BIG_FOR_Q,
        cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR,
        cmqc.MQRC_EXPIRY_ERROR,
        cmqc.MQRC_MISSING_REPLY_TO_Q,
        cmqc.MQRC_REPORT_OPTIONS_ERROR,
        cmqc.MQRC_MSG_TYPE_ERROR,
        cmqc.MQRC_PRIORITY_ERROR,
        cmqc.MQRC_PERSISTENCE_ERROR,
        cmqc.MQRC_PERSISTENT_NOT_ALLOWED,
        cmqc.MQRC_MD_ERROR,
        cmqc.MQRC_FEEDBACK_ERROR,
        cmqc.MQRC_FORMAT_ERROR,
    }
)
"""Why a put can fail for this message while the next one may go."""


class _Batch(NamedTuple):
    """What came of a batch.

    Attributes:
        items: one for each message that was reached.
        stop: why no further message is to be tried.
    """

    items: list[ItemOutcome]
    stop: MQTriageError | None = None


UNIT_BYTES: Final = 8 << 20
"""Message data in a unit of work, where `--batch` does not say how many messages it has: its
records stay active in the log of the queue manager until it ends, and 80 MB is all that one is made
with (LOGPRIMARY(3), LOGSECONDARY(2), LOGFILEPAGES(4096))."""

_Reached = tuple[ItemOutcome, MQTriageError | None]
"""What became of a message, and why no further one is to be tried."""


class Engine:
    """Hands planned messages to a destination, batch by batch."""

    def __init__(
        self,
        backend: Backend,
        request: ActRequest,
        threshold: int,
        entry: JournalEntry,
        destination: Destination,
    ) -> None:
        """Args: threshold: BOTHRESH of the queue."""
        self.backend = backend
        self.request = request
        self.threshold = threshold
        self.destination = destination
        may_pass = destination.may_pass and request.passes_context
        self.work = UnitOfWork(backend, request, entry, may_pass=may_pass)
        self.too_often: dict[Key, str] = {}
        self.quarantine: QueueHandle | None = None
        self.tally = destination.tally
        self.pace = self.tally.pace = self.tally.pace or Pace(request.rate_per_s)

    def start(self) -> None:
        """Open queues and destination, then make the archive file."""
        if not self.destination.finds:
            self.work.open_source()
        self.destination.open(self.work)
        if self.request.park is not None:
            self.quarantine = self.work.open_outlet(self.request.park)
        self.work.open_archive()

    def end(self) -> None:
        """Close what is open; a connection that is lost has closed it."""
        self.destination.close()
        if self.quarantine is not None:
            with suppress(MQIError):
                self.quarantine.close()
        self.work.close()

    def details(self) -> dict[str, Any]:
        """What the report says beside the outcomes."""
        work = self.work
        details = {
            "archive": str(work.archive.path) if work.archive else None,
            "removed_bytes": work.removed_bytes,
            "backout_counts_raised": dict(work.raised),
        }
        if isinstance(self.request.to, Expire):
            details["expiration_reports"] = work.reports_sent
        return details

    # batch by batch --------------------------------------------------------------------------

    def run(
        self, messages: Iterable[Numbered], size: int, report: Report, context: ActContext
    ) -> MQTriageError | None:
        """Work through *messages* batch by batch; returns why it ended early, if it did."""
        size = self.pace.batch(self.destination.batch(size))
        stop: MQTriageError | None = None
        for numbered in self.destination.rounds(messages, report, context):
            stop = self._round(numbered, size, report, context)
            if stop is not None:
                break
        return self.destination.ended(stop, report)

    def _round(
        self, messages: Iterable[Numbered], size: int, report: Report, context: ActContext
    ) -> MQTriageError | None:
        pace = self.pace
        pending = iter(messages)
        batch: list[Numbered] = []
        stop: MQTriageError | None = None
        while stop is None:
            batch += islice(pending, size - len(batch))
            if not batch:
                return None
            pace.wait(context.should_stop)
            if context.should_stop():
                report.interrupted = True
                return None
            try:
                room = self.destination.room()
            except QueueFull as error:
                stop = error
                break
            done = self._unit_of_work(self._fitting(batch[:room]))
            for (number, planned), item in zip(batch, done.items, strict=False):
                self.destination.reached(number, planned, item, report)
            del batch[: len(done.items)]
            stop = done.stop
            pace.done(len(done.items))
            reached, failures = len(report.items), self.tally.failures
            wait_s = self.destination.wait_s()
            context.progress(Progress(reached, report.planned, failures, wait_s=wait_s))
        why = f"not tried: {stop.text}"
        for _, planned in chain(batch, pending):
            report.items.append(item_of(planned, Outcome.SKIPPED, why))
        return stop

    def _fitting(self, batch: Sequence[Numbered]) -> Sequence[Numbered]:
        """The first of them whose data a unit of work has room for, at least one."""
        if self.request.batch is not None:
            return batch
        sums = accumulate(planned.length_bytes for _, planned in batch)
        return batch[: max(1, sum(size <= UNIT_BYTES for size in sums))]

    def _unit_of_work(self, batch: Sequence[Numbered]) -> _Batch:
        """One batch, committed; after a rollback each of its messages by itself."""
        try:
            return self._one_unit(batch)
        except ConnectionFailed as error:
            why = f"{error.text}; mqtriage journal resume checks whether it is still there"
            return _failed(batch, why, error)
        except StorageError as error:  # a disk that is full is full for the next one too
            self.work.back_out()
            return _failed(batch, error.text, error)
        except Spoiled as spoiled:
            self.work.back_out(spoiled.got)
            if len(batch) == 1:
                return _Batch([spoiled.item], spoiled.stop or self._too_many([spoiled.item]))
        items: list[ItemOutcome] = []
        for numbered in batch:
            one = self._unit_of_work((numbered,))
            items += one.items
            stop = one.stop or self._too_many(items)
            if stop is not None:
                return _Batch(items, stop)
        return _Batch(items)

    def _one_unit(self, batch: Sequence[Numbered]) -> _Batch:
        self.work.members = []
        planned_messages = (planned for _, planned in batch)
        self.too_often = too_often(self.request, planned_messages, self.work.entry.ledger)
        items: list[ItemOutcome] = []
        stop: MQTriageError | None = None
        for number, planned in batch:
            item, stop = self._one(number, planned)
            items.append(item)
            stop = stop or self._too_many(items)
            if stop is not None:
                break
        if self.work.members:
            self.work.commit()
            self.destination.committed(self.work.members)
        return _Batch(items, stop)

    def _too_many(self, items: list[ItemOutcome]) -> MQTriageError | None:
        """Why to stop after these items more, where `--max-errors` says so."""
        most = self.request.max_errors
        if most is None or items[-1].outcome is not Outcome.FAILED:
            return None
        failed = self.tally.failures + sum(item.outcome is Outcome.FAILED for item in items)
        if failed < most:
            return None
        option = f"--max-errors {most}"
        return MQTriageError(f"stopped by {option}: {items[-1].reason}")

    # one message -----------------------------------------------------------------------------

    def _one(self, number: int, planned: PlannedMessage) -> _Reached:
        """Hand over one message within the unit of work; an error stops the operation."""
        work, request, destination = self.work, self.request, self.destination
        work.was_got = False
        try:
            message = destination.refusal(number, planned) or destination.find(number, planned)
        except ConnectionFailed:
            raise
        except MQIError as error:
            return item_of(planned, Outcome.FAILED, error.text), error
        if isinstance(message, str):
            return item_of(planned, Outcome.SKIPPED, message), None
        if message is None or (request.extends_lifetime and lasts_longer(planned, message)):
            return item_of(planned, Outcome.SKIPPED, GONE), None
        why = would_poison(request, message.md.backout_count, self.threshold)
        if why:
            return item_of(planned, Outcome.SKIPPED, why), None
        why = self.too_often.get(key_of(planned), "")
        if why and self.quarantine is None:
            return item_of(planned, Outcome.SKIPPED, why), None
        seen_us = self.backend.now_us() if message.md.expiry_tenths != cmqc.MQEI_UNLIMITED else 0
        taken = TakenMessage(number)
        if not destination.archives_late:
            try:
                taken = TakenMessage(number, work.archived(message, planned))
            except StorageError as error:
                return item_of(planned, Outcome.FAILED, error.text), error
        why = why or unfit(self.backend, request, message)
        if why and self.quarantine is None:
            return item_of(planned, Outcome.SKIPPED, why), None
        if work.passing:
            missed = self._get(planned)
            if missed is not None:
                return missed
        if why:
            return self._aside(planned, message, taken, item_of(planned, Outcome.SKIPPED, why))
        return self._delivered(planned, message, taken, seen_us)

    def _delivered(
        self, planned: PlannedMessage, message: Message, taken: TakenMessage, seen_us: int
    ) -> _Reached:
        """Put what is to be put, then take the message."""
        try:
            delivered = self.destination.put(taken.number, planned, message, seen_us)
        except ConnectionFailed:
            raise
        except (MQIError, Refused) as error:
            item = item_of(planned, Outcome.FAILED, error.text)
            if isinstance(error, MQIError) and error.reason in _ABOUT_THE_MESSAGE:
                return self._aside(planned, message, taken, item, error)
            ends = self.destination.ends_with_a_put or isinstance(error, NotAuthorized | Refused)
            return self._leave(planned, item, error, error if ends else None)
        if isinstance(delivered, Stays):
            item = item_of(planned, delivered.outcome, delivered.why)
            return (item, None) if delivered.waits else self._aside(planned, message, taken, item)
        if not self.request.takes:
            return self._done(planned, message, taken, delivered), None
        return self._take(planned, message, taken, delivered)

    def _aside(
        self,
        planned: PlannedMessage,
        message: Message,
        taken: TakenMessage,
        item: ItemOutcome,
        why: MQIError | None = None,
    ) -> _Reached:
        """Put a message that cannot go on into quarantine as it is, where there is one."""
        queue = self.request.park
        if self.quarantine is None or queue is None or not self.request.takes:
            return self._leave(planned, item, why)
        options = replace(self.request.copy, new_msg_id=False)
        try:
            md = self.work.put(self.quarantine, message.md, message.body, options)
        except ConnectionFailed:
            raise
        except MQIError as error:
            text = f"{item.reason}; not parked: {error.text}"
            return self._leave(planned, item_of(planned, Outcome.FAILED, text), error)
        put = Put(queue, md.msg_id, planned.digest)
        parked = taken._replace(parked=True)
        return self._take(planned, message, parked, Delivered(put, item.reason))

    def _leave(
        self,
        planned: PlannedMessage,
        item: ItemOutcome,
        why: MQTriageError | None = None,
        stop: MQTriageError | None = None,
    ) -> _Reached:
        """Leave the message where it is; once it was got, only a rollback does that.

        Raises:
            Spoiled: It was got.
        """
        if not self.work.was_got:
            return item, stop
        # its BackoutCount rises with those of the others
        raise Spoiled(item, why or MQTriageError(item.reason), stop, planned) from why

    def _take(
        self, planned: PlannedMessage, message: Message, taken: TakenMessage, delivered: Delivered
    ) -> _Reached:
        """Get the message under the cursor; its copy or report is in the unit already."""
        if not taken.archived:
            taken = taken._replace(archived=self.work.archived(message, planned))
        if not self.work.was_got:
            missed = self._get(planned, spoils=delivered.put is not None or delivered.reported)
            if missed is not None:
                return missed
        return self._done(planned, message, taken, delivered), None

    def _get(self, planned: PlannedMessage, *, spoils: bool = False) -> _Reached | None:
        """Get the message under the cursor; None when it was got, else what became of it.

        Raises:
            Spoiled: It was not, and something in the unit of work goes with it.
        """
        try:
            self.work.take()
        except ConnectionFailed:
            raise
        except MQIError as error:
            item = item_of(planned, Outcome.FAILED, error.text)
            if spoils:
                raise Spoiled(item, error) from error
            if error.reason == cmqc.MQRC_NO_MSG_UNDER_CURSOR:
                return item_of(planned, Outcome.SKIPPED, GONE), None
            return item, error
        return None

    def _done(
        self, planned: PlannedMessage, message: Message, taken: TakenMessage, delivered: Delivered
    ) -> ItemOutcome:
        """Note a message as part of the unit of work."""
        put = delivered.put
        size = message.length_bytes if self.request.takes else 0
        member = Member(planned, taken._replace(put=put), size, delivered.reported, delivered.rule)
        self.work.members.append(member)
        new_id = format_id(put.msg_id) if put is not None and put.msg_id != planned.msg_id else ""
        outcome = Outcome.PARKED if taken.parked else Outcome.DONE
        return item_of(planned, outcome, delivered.why, new_id)


def _failed(batch: Sequence[Numbered], why: str, error: MQTriageError) -> _Batch:
    """A batch of which nothing became final, and after which nothing is tried."""
    return _Batch([item_of(planned, Outcome.FAILED, why) for _, planned in batch], error)
