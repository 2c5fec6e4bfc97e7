"""A unit of work of an act: what is open, what is in it, how it becomes final or is undone.

Archive and journal are on disk before the commit; the mark in the journal comes after it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar, Final

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.model.ids import format_id
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome
from mqtriage.mq import codes
from mqtriage.mq.constants import (
    MQOO_ALTERNATE_USER_AUTHORITY,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_SAVE_ALL_CONTEXT,
    MQOO_SET_ALL_CONTEXT,
)
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQIError,
    MQTriageError,
    NotAuthorized,
    StorageError,
    mqi_error,
)
from mqtriage.mq.message import Message
from mqtriage.operations.act_context import Meanwhile, Pace
from mqtriage.operations.archive import Archive, create
from mqtriage.operations.copies_before import CopiesBefore
from mqtriage.operations.journal import Entry
from mqtriage.operations.journal_lines import Taken
from mqtriage.operations.plan import ActRequest, passes_context
from mqtriage.operations.requeue_counts import RequeueCounts as Counts

_NO_CONTEXT: Final = (
    "--message-context default does without the authority to {} context;"
    " mqtriage doctor --queue {} tells what is missing"
)


class Spoiled(Exception):
    """A put without its get, or a get without its put: the unit of work must be backed out.

    Attributes:
        stop: why no further message is to be tried, once this one is by itself.
    """

    def __init__(
        self, item: ItemOutcome, error: MQTriageError, stop: MQTriageError | None = None
    ) -> None:
        super().__init__(error.text)
        self.item = item
        self.error = error
        self.stop = stop


class Units:
    """The open handles, the archive, the journal entry, and the count of what was done.

    Attributes:
        unit: the messages of the open unit of work.
        before: where nothing is taken, what stood on the target for its first one (`Unit`).
        raised: MsgId to how often a rollback of ours raised its BackoutCount.
        in_doubt: a commit of which nobody can tell whether it became final.
        failures: messages that failed so far, for `--max-errors`.
        passing: the outlets to which context is passed on: they take a copy after its get.
        was_got: the message at hand has been got in the open unit of work.
        pace: how many messages a second, for `--rate`.
    """

    CAN_PASS: ClassVar[bool] = True
    """Whether a put belongs to the message that was got last, and to no other."""

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
        self.passing: list[QueueHandle] = []
        self.was_got = False
        self.archive: Archive | None = None
        self.unit: list[Taken] = []
        self.unit_marks: list[PlannedMessage] = []
        self.unit_bytes = 0
        self.before: int | None = None
        self.copies_before: CopiesBefore | None = None
        self.in_doubt = False
        self.reports_put = 0
        self.reports_sent = 0
        self.failures = 0
        self.pace = Pace(request.rate_per_s)

    def start(self) -> None:
        """Open queue and target, then make the archive file."""
        request = self.request
        self.source = self._opened_source()
        if request.target is not None:
            self.target = self._open_target(request.target)
            if not request.takes:
                self.copies_before = CopiesBefore(
                    self.backend, request.target, new_ids=request.copy.new_msg_id
                )
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

    @property
    def _may_pass(self) -> bool:
        request = self.request
        puts = request.target is not None or request.park is not None
        return self.CAN_PASS and puts and passes_context(request)

    def _opened_source(self) -> QueueHandle:
        take = MQOO_INPUT_SHARED if self.request.takes else 0
        if self._may_pass:
            take |= MQOO_SAVE_ALL_CONTEXT
        return self.backend.open(self.request.queue, MQOO_BROWSE | take | MQOO_FAIL_IF_QUIESCING)

    def _open_target(
        self, target: str, queue_manager: str = "", alternate_user: str | None = None
    ) -> QueueHandle:
        """Open for output, to set context, or to pass it on where that alone is allowed.

        Args:
            alternate_user: whose authority counts for the put, where it is not ours.
        """
        choice = self.request.copy.context
        where = (target, queue_manager, alternate_user)
        if choice == "default":
            return self._outlet(0, *where)
        try:
            if choice != "pass":
                return self._outlet(MQOO_SET_ALL_CONTEXT, *where)
        except NotAuthorized as error:
            if choice == "set" or not self._may_pass:
                error.hint = _NO_CONTEXT.format("set", target)
                raise
        try:
            handle = self._outlet(MQOO_PASS_ALL_CONTEXT, *where)
        except NotAuthorized as error:
            error.hint = _NO_CONTEXT.format("set or pass" if choice == "keep" else "pass", target)
            raise
        self.passing.append(handle)
        return handle

    def _outlet(
        self, context: int, target: str, queue_manager: str, alternate_user: str | None
    ) -> QueueHandle:
        options = MQOO_OUTPUT | context | MQOO_FAIL_IF_QUIESCING
        if alternate_user is not None:
            options |= MQOO_ALTERNATE_USER_AUTHORITY
        return self.backend.open(
            target, options, queue_manager, alternate_user=alternate_user or ""
        )

    def _passes(self, outlet: QueueHandle) -> bool:
        return any(outlet is each for each in self.passing)

    def end(self) -> None:
        """Close what is open; a connection that is lost has closed it."""
        for handle in (self.source, self.target, self.quarantine):
            if handle is not None:
                with suppress(MQIError):
                    handle.close()
        if self.copies_before is not None:
            self.copies_before.close()
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

    def _count_before(self, message: Message) -> None:
        """Where nothing is taken, count what a copy could be taken for once it is put."""
        if self.copies_before is not None and not self.unit:
            self.before = self.copies_before.count(message.md.msg_id)

    def _commit(self) -> None:
        """Make the unit final once archive and journal are on disk."""
        if self.archive is None:
            self.entry.intend(self.backend.now_us(), self.unit, self.before)
        else:  # a disk takes both in little more time than one
            synced = Meanwhile(self.archive.sync)
            try:
                self.entry.intend(self.backend.now_us(), self.unit, self.before)
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
            failed = item_of(self.unit_marks[0], Outcome.FAILED, error.text)
            raise Spoiled(failed, error) from error
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


def item_of(
    marks: PlannedMessage, outcome: Outcome, reason: str = "", new_msg_id: str = ""
) -> ItemOutcome:
    return ItemOutcome(format_id(marks.msg_id), outcome, reason, new_msg_id)
