"""Units of work of an act: one batch is moved or removed whole, or not at all.

Archive and put come before the get: a full disk or a target that refuses a message has then cost
no rollback, and no BackoutCount rises. What a rollback undoes is tried once more, one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.commands.act_copies import copy_of
from mqtriage.commands.act_marks import locate
from mqtriage.commands.act_plan import (
    ActRequest,
    would_poison,
)
from mqtriage.commands.archive import Archive, create
from mqtriage.commands.lifetime_acts import OwedReport, lasts_longer, owed_report
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
    """The open handles, the archive, and the count of what was done."""

    def __init__(self, backend: Backend, request: ActRequest, threshold: int) -> None:
        self.backend = backend
        self.request = request
        self.threshold = threshold
        self.raised: dict[str, int] = {}
        self.removed_bytes = 0
        self.source: QueueHandle | None = None
        self.target: QueueHandle | None = None
        self.archive: Archive | None = None
        self.taken: list[str] = []
        self.numbers: list[int] = []
        self.taken_bytes = 0
        self.in_doubt = False
        self.reports_put = 0
        self.reports_sent = 0

    def start(self) -> None:
        """Open queue and target, then make the archive file."""
        request = self.request
        take = MQOO_INPUT_SHARED if request.takes else 0
        self.source = self.backend.open(request.queue, MQOO_BROWSE | take | MQOO_FAIL_IF_QUIESCING)
        if request.target is not None:
            self.target = self._open_target(request.target)
        if request.archive is not None:
            from mqtriage.mq.times import rfc3339

            self.archive = create(
                request.archive,
                action=request.action,
                queue=request.queue,
                queue_manager=self.backend.queue_manager,
                at=rfc3339(self.backend.now_us()),
            )

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
        for handle in (self.source, self.target):
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
        self,
        messages: Sequence[PlannedMessage],
        size: int,
        report: Report,
        should_stop: Callable[[], bool],
    ) -> MQTriageError | None:
        """Work through *messages* batch by batch; returns why it ended early, if it did."""
        size = min(size, self._greatest_batch())
        at = 0
        stop: MQTriageError | None = None
        while at < len(messages) and stop is None:
            if should_stop():
                report.interrupted = True
                return None
            batch = messages[at : at + size]
            room = self._room()
            if room <= 0:
                stop = self._full()
                break
            done = self._unit_of_work(batch[:room])
            report.items += done.items
            at += len(done.items)
            stop = done.stop
        if stop is not None:
            left = messages[at:]
            why = f"not tried: {stop.text}"
            report.items += [_item(each, Outcome.SKIPPED, why) for each in left]
        return stop

    def _unit_of_work(self, batch: Sequence[PlannedMessage]) -> _Batch:
        """One batch, committed; after a rollback each of its messages by itself."""
        try:
            return self._one_unit(batch)
        except ConnectionFailed as error:
            return _failed(batch, f"{error.text}; look whether it is still there", error)
        except StorageError as error:  # a disk that is full is full for the next one too
            self._back_out()
            return _failed(batch, error.text, error)
        except _Spoiled as spoiled:
            self._back_out()
            if len(batch) == 1:
                return _Batch([spoiled.item])
        items: list[ItemOutcome] = []
        for each in batch:
            one = self._unit_of_work((each,))
            items += one.items
            if one.stop is not None:
                return _Batch(items, one.stop)
        return _Batch(items)

    def _one_unit(self, batch: Sequence[PlannedMessage]) -> _Batch:
        self.taken, self.numbers, self.taken_bytes, self.reports_put = [], [], 0, 0
        items: list[ItemOutcome] = []
        stop: MQTriageError | None = None
        for each in batch:
            item, stop = self._one(each)
            items.append(item)
            if stop is not None:
                break
        if self.taken:
            self._commit()
        return _Batch(items, stop)

    def _one(self, marks: PlannedMessage) -> tuple[ItemOutcome, MQTriageError | None]:
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
        seen_us = self.backend.now_us() if message.md.expiry_tenths != MQEI_UNLIMITED else 0
        number = 0
        if self.archive is not None:
            try:
                number = self.archive.add(source.resolved_name, message, marks.digest)
            except StorageError as error:
                return _item(marks, Outcome.FAILED, error.text), error
        new_id = ""
        if self.target is not None:
            put = self._put_copy(self.target, message, seen_us)
            if isinstance(put, str):
                return _item(marks, Outcome.SKIPPED, put), None
            if isinstance(put, MQIError):
                stop = None if put.reason in _ABOUT_THE_MESSAGE else put
                return _item(marks, Outcome.FAILED, put.text), stop
            new_id = format_id(put) if put != marks.msg_id else ""
        if not self.request.takes:
            self.taken.append(format_id(marks.msg_id))
            return _item(marks, Outcome.DONE, new_msg_id=new_id), None
        reported = False
        if self.request.when is not None:
            failed = self._put_again(marks, message, self.request.when, seen_us)
            if failed is not None:
                return failed
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
        return self._take(marks, message, number, new_id, reported=reported)

    def _put_again(
        self, marks: PlannedMessage, message: Message, when: When, seen_us: int
    ) -> tuple[ItemOutcome, MQTriageError | None] | None:
        """Put the original of a staged message; None when that was done."""
        held_us = self.backend.now_us() - seen_us if seen_us else 0
        try:
            left = put_again(self.backend, message, when, self.request.copy, held_us)
        except ConnectionFailed:
            raise
        except MQIError as error:
            stop = error if isinstance(error, NotAuthorized) else None
            return _item(marks, Outcome.FAILED, error.text), stop
        return (_item(marks, Outcome.SKIPPED, left), None) if left else None

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
        number: int,
        new_id: str,
        *,
        reported: bool = False,
    ) -> tuple[ItemOutcome, MQTriageError | None]:
        """Get the message under the cursor; its copy or report is in the unit already."""
        try:
            self._source.get(MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT)
        except ConnectionFailed:
            raise
        except MQIError as error:
            item = _item(marks, Outcome.FAILED, error.text)
            if self._puts or reported:
                raise _Spoiled(item, error) from error
            if error.reason == codes.MQRC_NO_MSG_UNDER_CURSOR:
                return _item(marks, Outcome.SKIPPED, GONE), None
            return item, error
        self.taken.append(format_id(marks.msg_id))
        self.numbers.append(number)
        self.taken_bytes += message.length_bytes
        self.reports_put += reported
        return _item(marks, Outcome.DONE, new_msg_id=new_id), None

    def _put_copy(
        self, target: QueueHandle, message: Message, seen_us: int
    ) -> bytes | str | MQIError:
        """Put the copy; returns its MsgId, or why there is none, or the error of the put."""
        options = self.request.copy
        now_us = self.backend.now_us() if seen_us or options.dead_letter else 0
        copy = copy_of(message, options, now_us - seen_us if seen_us else 0, now_us)
        if isinstance(copy, str):
            return copy
        try:
            return target.put(copy.md, copy.body, options.put_options).msg_id
        except ConnectionFailed:
            raise
        except MQIError as error:
            return error

    def _commit(self) -> None:
        """Make the unit final once the archive is on disk."""
        if self.archive is not None:
            self.archive.sync()
        try:
            self.backend.commit()
        except ConnectionFailed:
            raise
        except StorageError as error:  # final or not: nobody can tell from here
            self.in_doubt = True
            why = f"{error.text}; look whether it is still there"
            raise StorageError(why, hint=error.hint, object_name=error.object_name) from error
        except MQTriageError as error:
            failed = ItemOutcome(self.taken[0], Outcome.FAILED, error.text)
            raise _Spoiled(failed, error) from error
        self.removed_bytes += self.taken_bytes
        self.reports_sent += self.reports_put
        if self.archive is not None:
            self.archive.end_batch(committed=True, numbers=self.numbers)

    def _back_out(self) -> None:
        """Undo the unit, and remember whose BackoutCount that raised."""
        with suppress(StorageError):  # then the unit ends with the connection
            self.backend.backout()
        if self.in_doubt:
            return
        for ident in self.taken if self.request.takes else ():
            self.raised[ident] = self.raised.get(ident, 0) + 1
        if self.archive is not None:
            self.archive.end_batch(committed=False, numbers=self.numbers)
        self.taken = []

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


def _failed(batch: Sequence[PlannedMessage], why: str, error: MQTriageError) -> _Batch:
    """A batch of which nothing became final, and after which nothing is tried."""
    return _Batch([_item(each, Outcome.FAILED, why) for each in batch], error)


def _item(
    marks: PlannedMessage, outcome: Outcome, reason: str = "", new_msg_id: str = ""
) -> ItemOutcome:
    return ItemOutcome(format_id(marks.msg_id), outcome, reason, new_msg_id)
