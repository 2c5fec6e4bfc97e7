"""Units of work of an act: one batch is moved or removed whole, or not at all.

Archive and put come before the get: a full disk or a target that refuses a message has then cost
no rollback, and no BackoutCount rises. What a rollback undoes is tried once more, one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import chain, islice
from typing import Any, Final, NamedTuple, TypeAlias

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.commands.act_copies import copy_of
from mqtriage.commands.act_marks import locate
from mqtriage.commands.act_plan import (
    ActRequest,
    would_poison,
)
from mqtriage.commands.archive import Archive, create
from mqtriage.commands.conduct import Conduct, Meanwhile, Pace, Progress
from mqtriage.commands.journal import Entry
from mqtriage.commands.journal_lines import Put, Taken
from mqtriage.commands.lifetime_acts import OwedReport, lasts_longer, owed_report
from mqtriage.commands.requeue_counts import RequeueCounts as Counts
from mqtriage.commands.requeue_counts import over_limit
from mqtriage.commands.staged_acts import When, put_again
from mqtriage.model.ids import format_id
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.mq import codes
from mqtriage.mq.constants import (
    MQEI_UNLIMITED,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQOO_SET_ALL_CONTEXT,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQIError,
    MQTriageError,
    NotAuthorized,
    Refused,
    StorageError,
    mqi_error,
)
from mqtriage.mq.message import Message

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


class _Spoiled(Exception):
    """A message was put and could not be taken: the unit of work must be backed out."""

    def __init__(self, item: ItemOutcome, error: MQTriageError) -> None:
        super().__init__(error.text)
        self.item = item
        self.error = error


class _Batch(NamedTuple):
    """What came of a batch.

    Attributes:
        items: one for each message that was reached.
        stop: why no further message is to be tried.
    """

    items: list[ItemOutcome]
    stop: MQTriageError | None = None


class Worker:
    """The open handles, the archive, the journal entry, and the count of what was done.

    Attributes:
        unit: the messages of the open unit of work.
        raised: MsgId to how often a rollback of ours raised its BackoutCount.
        in_doubt: a commit of which nobody can tell whether it became final.
        failures: messages that failed so far, for `--max-errors`.
    """

    def __init__(
        self, backend: Backend, request: ActRequest, threshold: int, entry: Entry, counts: Counts
    ) -> None:
        self.backend = backend
        self.request = request
        self.threshold = threshold
        self.entry = entry
        self.counts = counts
        self.raised: dict[str, int] = {}
        self.removed_bytes = 0
        self.source: QueueHandle | None = None
        self.target: QueueHandle | None = None
        self.quarantine: QueueHandle | None = None
        self.archive: Archive | None = None
        self.unit: list[Taken] = []
        self.unit_marks: list[PlannedMessage] = []
        self.unit_bytes = 0
        self.in_doubt = False
        self.reports_put = 0
        self.reports_sent = 0
        self.failures = 0

    def start(self) -> None:
        """Open queue and target, then make the archive file."""
        request = self.request
        take = MQOO_INPUT_SHARED if request.takes else 0
        self.source = self.backend.open(request.queue, MQOO_BROWSE | take | MQOO_FAIL_IF_QUIESCING)
        if request.target is not None:
            self.target = self._open_target(request.target)
        if request.park is not None:
            self.quarantine = self._open_target(request.park)
        if request.archive is not None:
            from mqtriage.mq.times import rfc3339

            self.archive = create(
                request.archive,
                action=request.action,
                queue=request.queue,
                queue_manager=self.backend.queue_manager,
                at=rfc3339(self.backend.now_us()),
                more=None if request.archive_bodies else {"bodies": False},
            )
            self.entry.archive(self.archive.path)

    def _archived(
        self, archive: Archive, source: QueueHandle, message: Message, marks: PlannedMessage
    ) -> int:
        """Write the message down; returns its number there."""
        whole = self.request.archive_bodies
        return archive.add(source.resolved_name, message, marks.digest, body=whole)

    def _open_target(self, target: str) -> QueueHandle:
        context = 0 if self.request.copy.default_context else MQOO_SET_ALL_CONTEXT
        try:
            return self.backend.open(target, MQOO_OUTPUT | context | MQOO_FAIL_IF_QUIESCING)
        except NotAuthorized as error:
            if context:
                error.hint = "--message-context default does without the authority to set context"
            raise

    def end(self) -> None:
        """Close what is open; a connection that is lost has closed it."""
        for handle in (self.source, self.target, self.quarantine):
            if handle is not None:
                with suppress(MQIError):
                    handle.close()
        if self.archive is not None:
            self.archive.close()

    def discard_empty_archive(self) -> None:
        """Take the archive file away when nothing was removed, as far as can be known."""
        if self.archive is not None and not self.archive.committed and not self.in_doubt:
            self.archive.remove()
            self.archive = None

    def details(self) -> dict[str, Any]:
        """What the report says beside the outcomes."""
        told = {
            "archive": str(self.archive.path) if self.archive else None,
            "removed_bytes": self.removed_bytes,
            "backout_counts_raised": dict(self.raised),
        }
        return told | ({"expiration_reports": self.reports_sent} if self.request.expires else {})

    def run(
        self, messages: Iterable[Numbered], size: int, report: Report, conduct: Conduct
    ) -> MQTriageError | None:
        """Work through *messages* batch by batch; returns why it ended early, if it did."""
        pace = Pace(self.request.rate_per_s)
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
            for (number, _), item in zip(batch, done.items, strict=False):
                report.items.append(item)
                self.failures += item.outcome is Outcome.FAILED
                if item.outcome in (Outcome.SKIPPED, Outcome.FAILED):
                    self.entry.left(number, item)
            del batch[: len(done.items)]
            stop = done.stop
            pace.done(len(done.items))
            conduct.progress(Progress(len(report.items), report.planned, self.failures))
        why = f"not tried: {stop.text}"
        for _, marks in chain(batch, pending):
            report.items.append(_item(marks, Outcome.SKIPPED, why))
        return stop

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
        except _Spoiled as spoiled:
            self._back_out()
            if len(batch) == 1:
                return _Batch([spoiled.item], self._too_many([spoiled.item]))
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
        try:
            message = locate(source, marks, lock=self.request.takes)
        except ConnectionFailed:
            raise
        except MQIError as error:
            return _item(marks, Outcome.FAILED, error.text), error
        if message is None or (self.request.puts_back and lasts_longer(marks, message)):
            return _item(marks, Outcome.SKIPPED, GONE), None
        if self.request.takes and would_poison(message.md.backout_count, self.threshold):
            why = f"one rollback more would reach BOTHRESH({self.threshold})"
            return _item(marks, Outcome.SKIPPED, why), None
        most = self.request.max_requeues
        looped = most is not None and over_limit(marks, self.counts, most)
        if looped and self.request.park is None:
            return _item(marks, Outcome.SKIPPED, _often(most)), None
        seen_us = self.backend.now_us() if message.md.expiry_tenths != MQEI_UNLIMITED else 0
        taken = Taken(number)
        if self.archive is not None:
            try:
                taken = Taken(number, self._archived(self.archive, source, message, marks))
            except StorageError as error:
                return _item(marks, Outcome.FAILED, error.text), error
        if looped:
            return self._aside(marks, message, taken, _item(marks, Outcome.SKIPPED, _often(most)))
        put: Put | str | MQIError | None = None
        if self.target is not None:
            put = self._put_copy(self.target, message, marks, seen_us)
        elif self.request.when is not None:
            put = self._put_again(message, self.request.when, seen_us)
        if isinstance(put, str):
            return self._aside(marks, message, taken, _item(marks, Outcome.SKIPPED, put))
        if isinstance(put, MQIError):
            failed = _item(marks, Outcome.FAILED, put.text)
            if put.reason in _ABOUT_THE_MESSAGE:
                return self._aside(marks, message, taken, failed)
            return failed, put if self._ends(put) else None
        taken = taken._replace(put=put)
        if not self.request.takes:
            return self._done(marks, message, taken), None
        reported = False
        if self.request.expires:
            report = owed_report(message, self.backend.queue_manager, self.backend.now_us())
            if isinstance(report, str):
                return _item(marks, Outcome.SKIPPED, report), None
            if report is not None:
                unsent = self._put_report(report)
                if unsent is not None:
                    ends = unsent if isinstance(unsent, Refused) else None
                    return _item(marks, Outcome.FAILED, unsent.text), ends
                reported = True
        return self._take(marks, message, taken, reported=reported)

    def _ends(self, error: MQIError) -> bool:
        """Whether a put that failed so need not be tried for the next message."""
        return self.request.when is None or isinstance(error, NotAuthorized)

    def _aside(
        self, marks: PlannedMessage, message: Message, taken: Taken, item: ItemOutcome
    ) -> tuple[ItemOutcome, MQTriageError | None]:
        """Put a message that cannot go on into quarantine as it is, where there is one."""
        queue = self.request.park
        if self.quarantine is None or queue is None or not self.request.takes:
            return item, None
        try:
            put = self.quarantine.put(
                message.md, message.body, MQPMO_SYNCPOINT | MQPMO_SET_ALL_CONTEXT
            )
        except ConnectionFailed:
            raise
        except MQIError as error:
            why = f"{item.reason}; not parked: {error.text}"
            return _item(marks, Outcome.FAILED, why), None
        parked = taken._replace(put=Put(queue, put.msg_id, marks.digest), parked=True)
        return self._take(marks, message, parked, why=item.reason)

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
        try:
            self._source.get(MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT)
        except ConnectionFailed:
            raise
        except MQIError as error:
            item = _item(marks, Outcome.FAILED, error.text)
            if taken.put is not None or reported:
                raise _Spoiled(item, error) from error
            if error.reason == codes.MQRC_NO_MSG_UNDER_CURSOR:
                return _item(marks, Outcome.SKIPPED, GONE), None
            return item, error
        self.reports_put += reported
        return self._done(marks, message, taken, why), None

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
        return _item(marks, Outcome.PARKED if taken.parked else Outcome.DONE, why, new_id)

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
            msg_id = target.put(copy.md, copy.body, options.put_options).msg_id
        except ConnectionFailed:
            raise
        except MQIError as error:
            return error
        same = copy.body is message.body
        return Put(target.name, msg_id, marks.digest if same else sha256(copy.body).digest())

    def _commit(self) -> None:
        """Make the unit final once archive and journal are on disk."""
        if self.archive is None:
            self.entry.intend(self.backend.now_us(), self.unit)
        else:  # a disk takes both in little more time than one
            synced = Meanwhile(self.archive.sync)
            try:
                self.entry.intend(self.backend.now_us(), self.unit)
            finally:
                synced.join()
        try:
            self.backend.commit()
        except ConnectionFailed:
            raise
        except StorageError as error:  # final or not: nobody can tell from here
            self.in_doubt = True
            why = f"{error.text}; mqtriage journal resume looks whether it is still there"
            raise StorageError(why, hint=error.hint, object_name=error.object_name) from error
        except MQTriageError as error:
            failed = _item(self.unit_marks[0], Outcome.FAILED, error.text)
            raise _Spoiled(failed, error) from error
        self.entry.committed()
        self.removed_bytes += self.unit_bytes
        self.reports_sent += self.reports_put
        self._count_requeues()
        if self.archive is not None:
            numbers = [taken.archived for taken in self.unit]
            self.archive.end_batch(committed=True, numbers=numbers)

    def _count_requeues(self) -> None:
        """Count what was requeued; the journal has it too, so that nothing is lost by a failure."""
        if self.request.max_requeues is None:
            return
        moves = [
            [(marks.msg_id, marks.digest), (taken.put.msg_id, taken.put.digest)]
            for marks, taken in zip(self.unit_marks, self.unit, strict=True)
            if taken.put is not None and not taken.parked
        ]
        with suppress(StorageError):
            self.counts.add(moves)

    def _back_out(self) -> None:
        """Undo the unit, and remember whose BackoutCount that raised."""
        with suppress(StorageError):  # then the unit ends with the connection
            self.backend.backout()
        if self.in_doubt:
            return
        self.entry.backed_out()
        for marks in self.unit_marks if self.request.takes else ():
            ident = format_id(marks.msg_id)
            self.raised[ident] = self.raised.get(ident, 0) + 1
        if self.archive is not None:
            numbers = [taken.archived for taken in self.unit]
            self.archive.end_batch(committed=False, numbers=numbers)
        self.unit, self.unit_marks = [], []

    @property
    def _source(self) -> QueueHandle:
        if self.source is None:
            raise AssertionError("start() opens the queue")
        return self.source

    def _greatest_batch(self) -> int:
        """Half of MAXUMSGS where a get comes with a put."""
        most = int(self.backend.queue_manager_attributes().get("MAXUMSGS", 10_000))
        two = self._puts or self.request.expires
        return max(1, most // 2 if two else most)

    @property
    def _puts(self) -> bool:
        """Whether something is put for each message that is taken."""
        return self.target is not None or self.request.when is not None

    def _room(self) -> int:
        """How many messages the target can take now."""
        if self.target is None:
            return 1 << 31
        local = self.target.resolved_name
        most = self.backend.queue(local).attributes.get("MAXDEPTH")
        return 1 << 31 if most is None else int(most) - self.backend.status(local).curdepth

    def _full(self) -> MQIError:
        name = self.target.resolved_name if self.target is not None else ""
        return mqi_error(
            codes.MQRC_Q_FULL,
            f"put to {name}",
            hint=f"make room on {name}, then run the command again for the rest",
            object_name=name,
        )


def _often(most: int | None) -> str:
    return f"requeued {most} times already (--max-requeues {most})"


def _failed(batch: Sequence[Numbered], why: str, error: MQTriageError) -> _Batch:
    """A batch of which nothing became final, and after which nothing is tried."""
    return _Batch([_item(marks, Outcome.FAILED, why) for _, marks in batch], error)


def _item(
    marks: PlannedMessage, outcome: Outcome, reason: str = "", new_msg_id: str = ""
) -> ItemOutcome:
    return ItemOutcome(format_id(marks.msg_id), outcome, reason, new_msg_id)
