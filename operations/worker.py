"""Units of work of an act: one batch is moved or removed whole, or not at all.

Archive and put come before the get: a full disk or a target that refuses a message has then cost
no rollback, and no BackoutCount rises. What a rollback undoes is tried once more, one by one.

Only where context is passed on, not set, the get comes before the put: MQ passes that of the
message that was got last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain, islice
from typing import Final, NamedTuple, TypeAlias

from mqtriage.backends.port import QueueHandle
from mqtriage.model.ids import format_id
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.mq import codes
from mqtriage.mq.constants import (
    MQEI_UNLIMITED,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
)
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQIError,
    MQTriageError,
    NotAuthorized,
    Refused,
    StorageError,
)
from mqtriage.mq.message import Message
from mqtriage.operations.act_context import Conduct, Progress
from mqtriage.operations.archive import Archive
from mqtriage.operations.copies import CopyOptions, copy_of
from mqtriage.operations.journal_lines import Put, Taken
from mqtriage.operations.lifetime_acts import OwedReport, lasts_longer, owed_report
from mqtriage.operations.plan import would_poison
from mqtriage.operations.planned import locate
from mqtriage.operations.requeue_counts import over_limit
from mqtriage.operations.staged_acts import When, put_again
from mqtriage.operations.units import Spoiled, Units, item_of

Numbered: TypeAlias = tuple[int, PlannedMessage]
"""A message with its number in the plan, from 1."""

GONE: Final = "gone"
"""Reason of a planned message that is no longer there: taken, expired or locked by another."""

_ABOUT_THE_MESSAGE: Final = frozenset(
    {
        codes.MQRC_MSG_TOO_BIG_FOR_Q,
        codes.MQRC_MSG_TOO_BIG_FOR_Q_MGR,
        codes.MQRC_EXPIRY_ERROR,
        codes.MQRC_MISSING_REPLY_TO_Q,
        codes.MQRC_REPORT_OPTIONS_ERROR,
        codes.MQRC_MSG_TYPE_ERROR,
        codes.MQRC_PRIORITY_ERROR,
        codes.MQRC_PERSISTENCE_ERROR,
        codes.MQRC_PERSISTENT_NOT_ALLOWED,
        codes.MQRC_MD_ERROR,
        codes.MQRC_FEEDBACK_ERROR,
        codes.MQRC_FORMAT_ERROR,
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


class Worker(Units):
    """Works through planned messages, batch by batch."""

    def _archived(
        self, archive: Archive, source: QueueHandle, message: Message, marks: PlannedMessage
    ) -> int:
        """Write the message down; returns its number there."""
        whole = self.request.archive_bodies
        return archive.add(source.resolved_name, message, marks.digest, body=whole)

    def run(
        self, messages: Iterable[Numbered], size: int, report: Report, conduct: Conduct
    ) -> MQTriageError | None:
        """Work through *messages* batch by batch; returns why it ended early, if it did."""
        pace = self.pace
        size = pace.batch(min(size, self._greatest_batch()))
        pending = iter(messages)
        batch: list[Numbered] = []
        stop: MQTriageError | None = None
        while stop is None:
            batch += islice(pending, size - len(batch))
            if not batch:
                return None
            pace.wait(conduct.should_stop)
            if conduct.should_stop():
                report.interrupted = True
                return None
            room = self._room()
            if room <= 0:
                stop = self._full()
                break
            done = self._unit_of_work(batch[:room])
            for (number, marks), item in zip(batch, done.items, strict=False):
                self._reached(number, marks, item, report)
            del batch[: len(done.items)]
            stop = done.stop
            pace.done(len(done.items))
            conduct.progress(Progress(len(report.items), report.planned, self.failures))
        why = f"not tried: {stop.text}"
        for _, marks in chain(batch, pending):
            report.items.append(item_of(marks, Outcome.SKIPPED, why))
        return stop

    def _reached(
        self, number: int, marks: PlannedMessage, item: ItemOutcome, report: Report
    ) -> None:
        """Note what became of a message."""
        report.items.append(item)
        self.failures += item.outcome is Outcome.FAILED
        if item.outcome in (Outcome.SKIPPED, Outcome.FAILED):
            self.entry.left(number, item)

    def _unit_of_work(self, batch: Sequence[Numbered]) -> _Batch:
        """One batch, committed; after a rollback each of its messages by itself."""
        try:
            return self._one_unit(batch)
        except ConnectionFailed as error:
            why = f"{error.text}; mqtriage journal resume looks whether it is still there"
            return _failed(batch, why, error)
        except StorageError as error:  # a disk that is full is full for the next one too
            self._back_out()
            return _failed(batch, error.text, error)
        except Spoiled as spoiled:
            self._back_out()
            if len(batch) == 1:
                return _Batch([spoiled.item], spoiled.stop or self._too_many([spoiled.item]))
        items: list[ItemOutcome] = []
        for each in batch:
            one = self._unit_of_work((each,))
            items += one.items
            stop = one.stop or self._too_many(items)
            if stop is not None:
                return _Batch(items, stop)
        return _Batch(items)

    def _one_unit(self, batch: Sequence[Numbered]) -> _Batch:
        self.unit, self.unit_marks, self.unit_bytes, self.reports_put = [], [], 0, 0
        items: list[ItemOutcome] = []
        stop: MQTriageError | None = None
        for number, marks in batch:
            item, stop = self._one(number, marks)
            items.append(item)
            stop = stop or self._too_many(items)
            if stop is not None:
                break
        if self.unit:
            self._commit()
        return _Batch(items, stop)

    def _too_many(self, items: list[ItemOutcome]) -> MQTriageError | None:
        """Why to stop after these items more, where `--max-errors` says so."""
        most = self.request.max_errors
        if most is None or items[-1].outcome is not Outcome.FAILED:
            return None
        failed = self.failures + sum(item.outcome is Outcome.FAILED for item in items)
        if failed < most:
            return None
        option = "--fail-fast" if most == 1 else f"--max-errors {most}"
        return MQTriageError(f"stopped by {option}: {items[-1].reason}")

    def _one(self, number: int, marks: PlannedMessage) -> tuple[ItemOutcome, MQTriageError | None]:
        """Move or remove one message within the unit of work; an error stops the act."""
        source = self._source
        self.was_got = False
        try:
            message = locate(source, marks, lock=self.request.takes)
        except ConnectionFailed:
            raise
        except MQIError as error:
            return item_of(marks, Outcome.FAILED, error.text), error
        if message is None or (self.request.puts_back and lasts_longer(marks, message)):
            return item_of(marks, Outcome.SKIPPED, GONE), None
        if self.request.takes and would_poison(message.md.backout_count, self.threshold):
            why = f"one rollback more would reach BOTHRESH({self.threshold})"
            return item_of(marks, Outcome.SKIPPED, why), None
        most = self.request.max_requeues
        looped = most is not None and over_limit(marks, self.counts, most)
        if looped and self.request.park is None:
            return item_of(marks, Outcome.SKIPPED, _often(most)), None
        seen_us = self.backend.now_us() if message.md.expiry_tenths != MQEI_UNLIMITED else 0
        taken = Taken(number)
        if self.archive is not None:
            try:
                taken = Taken(number, self._archived(self.archive, source, message, marks))
            except StorageError as error:
                return item_of(marks, Outcome.FAILED, error.text), error
        if self.passing:
            left = self._get_first(marks, message, seen_us, copies=not looped)
            if left is not None:
                return left
        if looped:
            return self._aside(marks, message, taken, item_of(marks, Outcome.SKIPPED, _often(most)))
        put: Put | str | MQIError | None = None
        if self.target is not None:
            self._count_before(message)
            put = self._put_copy(self.target, message, marks, seen_us)
        elif self.request.when is not None:
            put = self._put_again(message, self.request.when, seen_us)
        if isinstance(put, str):
            return self._aside(marks, message, taken, item_of(marks, Outcome.SKIPPED, put))
        if isinstance(put, MQIError):
            failed = item_of(marks, Outcome.FAILED, put.text)
            if put.reason in _ABOUT_THE_MESSAGE:
                return self._aside(marks, message, taken, failed, put)
            return self._leave(marks, failed, put, put if self._ends(put) else None)
        taken = taken._replace(put=put)
        if not self.request.takes:
            return self._done(marks, message, taken), None
        reported = False
        if self.request.expires:
            report = owed_report(message, self.backend.queue_manager, self.backend.now_us())
            if isinstance(report, str):
                return item_of(marks, Outcome.SKIPPED, report), None
            if report is not None:
                unsent = self._put_report(report)
                if unsent is not None:
                    ends = unsent if isinstance(unsent, Refused) else None
                    return item_of(marks, Outcome.FAILED, unsent.text), ends
                reported = True
        return self._take(marks, message, taken, reported=reported)

    def _get_first(
        self, marks: PlannedMessage, message: Message, seen_us: int, *, copies: bool
    ) -> tuple[ItemOutcome, MQTriageError | None] | None:
        """Get a message whose context is passed on; None when it was got.

        One of which no copy can be made is not got, for only a rollback would put it back.

        Args:
            copies: a copy goes to the target; else the message itself goes into quarantine.
        """
        if copies and self.quarantine is None:
            held_us = self.backend.now_us() - seen_us if seen_us else 0
            copy = copy_of(message, self.request.copy, held_us)
            if isinstance(copy, str):
                return item_of(marks, Outcome.SKIPPED, copy), None
        return self._get(marks)

    def _ends(self, error: MQIError) -> bool:
        """Whether a put that failed so need not be tried for the next message."""
        return self.request.when is None or isinstance(error, NotAuthorized)

    def _aside(
        self,
        marks: PlannedMessage,
        message: Message,
        taken: Taken,
        item: ItemOutcome,
        why: MQIError | None = None,
    ) -> tuple[ItemOutcome, MQTriageError | None]:
        """Put a message that cannot go on into quarantine as it is, where there is one."""
        queue = self.request.park
        if self.quarantine is None or queue is None or not self.request.takes:
            return self._leave(marks, item, why)
        how = replace(self.request.copy, new_msg_id=False)
        try:
            put = self._put(self.quarantine, message.md, message.body, how)
        except ConnectionFailed:
            raise
        except MQIError as error:
            text = f"{item.reason}; not parked: {error.text}"
            return self._leave(marks, item_of(marks, Outcome.FAILED, text), error)
        parked = taken._replace(put=Put(queue, put.msg_id, marks.digest), parked=True)
        return self._take(marks, message, parked, why=item.reason)

    def _leave(
        self,
        marks: PlannedMessage,
        item: ItemOutcome,
        why: MQTriageError | None = None,
        stop: MQTriageError | None = None,
    ) -> tuple[ItemOutcome, MQTriageError | None]:
        """Leave the message where it is; once it was got, only a rollback does that.

        Raises:
            Spoiled: It was got.
        """
        if not self.was_got:
            return item, stop
        self.unit_marks.append(marks)  # its BackoutCount rises with those of the others
        raise Spoiled(item, why or MQTriageError(item.reason), stop) from why

    def _put(self, outlet: QueueHandle, md: MQMD, body: bytes, options: CopyOptions) -> MQMD:
        """MQPUT with the context that *outlet* is open for."""
        if not self._passes(outlet):
            return outlet.put(md, body, options.put_options())
        return outlet.put(md, body, options.put_options(passes=True), self._source.context)

    def _put_again(self, message: Message, when: When, seen_us: int) -> Put | str | MQIError:
        """Put the original of a staged message to its target, or stage it once more."""
        held_us = self.backend.now_us() - seen_us if seen_us else 0
        try:
            return put_again(self.backend, message, when, self.request.copy, held_us)
        except ConnectionFailed:
            raise
        except MQIError as error:
            return error

    def _put_report(self, report: OwedReport) -> MQTriageError | None:
        """Put the report that is owed; where that cannot be, the message stays."""
        queue = report.message.queue
        try:
            self.backend.put1(queue, report.message.md, report.message.body, report.put_options)
        except ConnectionFailed:
            raise
        except NotAuthorized as error:
            return Refused(f"expiration report: {error.text}", hint=error.hint, object_name=queue)
        except MQIError as error:
            return error
        return None

    def _take(
        self,
        marks: PlannedMessage,
        message: Message,
        taken: Taken,
        *,
        reported: bool = False,
        why: str = "",
    ) -> tuple[ItemOutcome, MQTriageError | None]:
        """Get the message under the cursor; its copy or report is in the unit already."""
        if not self.was_got:
            missed = self._get(marks, spoils=taken.put is not None or reported)
            if missed is not None:
                return missed
        self.reports_put += reported
        return self._done(marks, message, taken, why), None

    def _get(
        self, marks: PlannedMessage, *, spoils: bool = False
    ) -> tuple[ItemOutcome, MQTriageError | None] | None:
        """Get the message under the cursor; None when it was got, else what became of it.

        Raises:
            Spoiled: It was not, and something in the unit of work goes with it.
        """
        try:
            self._source.get(MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT)
        except ConnectionFailed:
            raise
        except MQIError as error:
            item = item_of(marks, Outcome.FAILED, error.text)
            if spoils:
                raise Spoiled(item, error) from error
            if error.reason == codes.MQRC_NO_MSG_UNDER_CURSOR:
                return item_of(marks, Outcome.SKIPPED, GONE), None
            return item, error
        self.was_got = True
        return None

    def _done(
        self, marks: PlannedMessage, message: Message, taken: Taken, why: str = ""
    ) -> ItemOutcome:
        """Note a message as part of the unit of work."""
        self.unit.append(taken)
        self.unit_marks.append(marks)
        if self.request.takes:
            self.unit_bytes += message.length_bytes
        new = taken.put.msg_id if taken.put is not None else marks.msg_id
        new_id = format_id(new) if new != marks.msg_id else ""
        return item_of(marks, Outcome.PARKED if taken.parked else Outcome.DONE, why, new_id)

    def _put_copy(
        self, target: QueueHandle, message: Message, marks: PlannedMessage, seen_us: int
    ) -> Put | str | MQIError | None:
        """Put the copy; returns what was put, None for nothing, why there is none, or its error."""
        options = self.request.copy
        now_us = self.backend.now_us() if seen_us or options.dead_letter else 0
        copy = copy_of(message, options, now_us - seen_us if seen_us else 0, now_us)
        if isinstance(copy, str):
            return copy
        try:
            msg_id = self._put(target, copy.md, copy.body, options).msg_id
        except ConnectionFailed:
            raise
        except MQIError as error:
            return error
        same = copy.body is message.body
        return Put(target.name, msg_id, marks.digest if same else sha256(copy.body).digest())


def _often(most: int | None) -> str:
    return f"requeued {most} times already (--max-requeues {most})"


def _failed(batch: Sequence[Numbered], why: str, error: MQTriageError) -> _Batch:
    """A batch of which nothing became final, and after which nothing is tried."""
    return _Batch([item_of(marks, Outcome.FAILED, why) for _, marks in batch], error)
