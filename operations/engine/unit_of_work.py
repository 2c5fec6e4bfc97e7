"""A unit of work of an operation: what is open, what is in it, how it becomes final or is undone.

Archive and journal are on disk before the commit; the mark in the journal comes after it.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.model.ids import format_id
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQIError,
    MQTriageError,
    StorageError,
)
from mqtriage.mq.message import Message
from mqtriage.mq.times import rfc3339
from mqtriage.operations.archive.writing import Archive, create
from mqtriage.operations.copies.copy import CopyOptions, copy_of
from mqtriage.operations.copies.request import ActRequest, GiveBack
from mqtriage.operations.engine.act_context import Meanwhile
from mqtriage.operations.engine.outlets import open_with_context
from mqtriage.operations.ledger.journal import JournalEntry
from mqtriage.operations.ledger.requeue_counts import count_requeues, is_counted
from mqtriage.operations.ledger.units import STOPPED, Put, TakenMessage, WrittenPart
from mqtriage.records import NamedTuple


class Member(NamedTuple):
    """A message of a unit of work.

    Attributes:
        length_bytes: of what leaves its queue.
        reported: a report that was owed for it is in the unit too.
        rule: number of the rule that says where it goes, 0 for none.
    """

    planned: PlannedMessage
    taken: TakenMessage
    length_bytes: int = 0
    reported: bool = False
    rule: int = 0


class Spoiled(Exception):
    """A put without its get, or a get without its put: the unit of work must be backed out.

    Attributes:
        stop: why no further message is to be tried, once this one is by itself.
        got: the message that was got and is to stay, which is no member of the unit.
    """

    def __init__(
        self,
        item: ItemOutcome,
        error: MQTriageError,
        stop: MQTriageError | None = None,
        got: PlannedMessage | None = None,
    ) -> None:
        super().__init__(error.text)
        self.item = item
        self.stop = stop
        self.got = got


class UnitOfWork:
    """The open handles, the archive, the journal entry, and the count of what was done.

    Attributes:
        members: the messages of the open unit of work.
        before: where nothing is taken, what stood on the target for its first one (`Unit`).
        raised: MsgId to how often a rollback of ours raised its BackoutCount.
        in_doubt: a commit of which nobody can tell whether it became final.
        archive_lacks_end: the last line of the archive could not be written.
        passing: the outlets to which context is passed on: they take a copy after its get.
        was_got: the message at hand has been got in the open unit of work.
    """

    def __init__(
        self,
        backend: Backend,
        request: ActRequest,
        entry: JournalEntry,
        *,
        may_pass: bool,
    ) -> None:
        self.backend = backend
        self.request = request
        self.entry = entry
        self.may_pass = may_pass
        self.handle: QueueHandle | None = None
        self.passing: list[QueueHandle] = []
        self.was_got = False
        self.archive: Archive | None = None
        self.members: list[Member] = []
        self.before: int | None = None
        self.in_doubt = False
        self.archive_lacks_end = False
        self.raised: dict[str, int] = {}
        self.removed_bytes = 0
        self.reports_sent = 0

    # what is open ----------------------------------------------------------------------------

    @property
    def source(self) -> QueueHandle:
        """The queue that the messages are on."""
        if self.handle is None:
            raise AssertionError("open_source() opens the queue")
        return self.handle

    def open_source(self) -> None:
        """Open the queue that the messages are on, for browse and as a rule for input."""
        take = cmqc.MQOO_INPUT_SHARED if self.request.takes else 0
        if self.may_pass:
            take |= cmqc.MQOO_SAVE_ALL_CONTEXT
        options = cmqc.MQOO_BROWSE | take | cmqc.MQOO_FAIL_IF_QUIESCING
        self.handle = self.backend.open(self.request.queue, options)

    def close_source(self) -> None:
        """Close that queue; nothing is held of it from then on."""
        handle, self.handle = self.handle, None
        if handle is not None:
            handle.close()

    def open_outlet(
        self, target: str, queue_manager: str = "", alternate_user: str | None = None
    ) -> QueueHandle:
        """Open for output, to set context, or to pass it on where that alone is allowed.

        Args:
            alternate_user: whose authority counts for the put, where it is not ours.
        """
        more = cmqc.MQOO_FAIL_IF_QUIESCING
        if alternate_user is not None:
            more |= cmqc.MQOO_ALTERNATE_USER_AUTHORITY
        handle, passes = open_with_context(
            lambda options: self.backend.open(
                target,
                options | more,
                queue_manager=queue_manager,
                alternate_user=alternate_user or "",
            ),
            self.request.copy.context,
            target,
            may_pass=self.may_pass,
        )
        if passes:
            self.passing.append(handle)
        return handle

    def open_archive(self) -> None:
        """Make the archive file, where there is to be one."""
        request = self.request
        if request.archive is None:
            return
        self.archive = create(
            request.archive,
            self.entry.archive,
            action=request.action,
            queue=request.queue,
            queue_manager=self.backend.queue_manager,
            at=rfc3339(self.backend.now_us()),
            more=None if request.archive_bodies else {"bodies": False},
        )

    def close(self) -> None:
        """Close what is open; a connection that is lost has closed it."""
        with suppress(MQIError):
            self.close_source()
        if self.archive is None:
            return
        if self.archive.close():
            self.entry.sealed(self.archive.path, self.archive.written[1].hex())
        else:
            self.archive_lacks_end = True
            self.entry.ended = STOPPED  # so that a resume writes it

    def discard_empty_archive(self) -> None:
        """Take the archive file away when nothing was removed, as far as can be known."""
        if self.archive is not None and not self.archive.committed and not self.in_doubt:
            self.archive.remove()
            self.archive = None

    # what is in it ---------------------------------------------------------------------------

    def archived(self, message: Message, planned: PlannedMessage) -> int:
        """Write the message down; returns its number in the archive, 0 where there is none."""
        if self.archive is None:
            return 0
        whole = self.request.archive_bodies
        return self.archive.add(self.source.resolved_name, message, planned.digest, body=whole)

    def take(self) -> None:
        """Get the message under the cursor."""
        self.source.get(cmqc.MQGMO_MSG_UNDER_CURSOR | cmqc.MQGMO_SYNCPOINT)
        self.was_got = True

    def put(self, outlet: QueueHandle, md: MQMD, body: bytes, options: CopyOptions) -> MQMD:
        """MQPUT with the context that *outlet* is open for."""
        if not any(outlet is passing for passing in self.passing):
            return outlet.put(md, body, options.put_options())
        return outlet.put(md, body, options.put_options(passes=True), self.source.context)

    def put_copy(
        self,
        outlet: QueueHandle,
        message: Message,
        planned: PlannedMessage,
        seen_us: int,
        options: CopyOptions,
    ) -> Put | str:
        """Put the copy of a message that was read at *seen_us*; a text says why there is none."""
        timed = seen_us or options.dead_letter or options.expires_at_us is not None
        now_us = self.backend.now_us() if timed else 0
        copy = copy_of(message, options, now_us - seen_us if seen_us else 0, now_us)
        if isinstance(copy, str):
            return copy
        msg_id = self.put(outlet, copy.md, copy.body, options).msg_id
        same = copy.body is message.body
        return Put(outlet.name, msg_id, planned.digest if same else sha256(copy.body).digest())

    # how it ends -----------------------------------------------------------------------------

    def commit(self) -> None:
        """Make the unit final once archive and journal are on disk.

        Raises:
            Spoiled: It was not made final, and is to be backed out.
            StorageError: Archive or journal cannot be written, or nobody can tell whether the unit
                became final (`in_doubt`).
        """
        taken = [member.taken for member in self.members]
        if self.archive is None:
            self.entry.intend(self.backend.now_us(), taken, self.before)
        else:  # a disk takes both in little more time than one
            written = WrittenPart(*self.archive.written)
            synced = Meanwhile(self.archive.sync)
            try:
                self.entry.intend(self.backend.now_us(), taken, self.before, written)
            finally:
                synced.join()
        try:
            self.backend.commit()
        except ConnectionFailed:
            raise
        except StorageError as error:  # final or not: nobody can tell from here
            self.in_doubt = True
            why = f"{error.text}; mqtriage journal resume checks whether it is still there"
            raise StorageError(why, hint=error.hint, object_name=error.object_name) from error
        except MQTriageError as error:
            item = item_of(self.members[0].planned, Outcome.FAILED, error.text)
            raise Spoiled(item, error) from error
        self.entry.committed()
        self.removed_bytes += sum(member.length_bytes for member in self.members)
        self.reports_sent += sum(member.reported for member in self.members)
        self._count_requeues()
        self._end_batch(committed=True)

    def _count_requeues(self) -> None:
        """Count what was requeued, or no more where that is undone; the journal has it, too."""
        change = 1
        if isinstance(self.request.to, GiveBack):
            change = -1 if is_counted(self.entry.ledger, self.entry.plan.undoes) else 0
        elif self.request.max_requeues is None:
            change = 0
        if not change:
            return
        moves = [
            [(planned.msg_id, planned.digest), (taken.put.msg_id, taken.put.digest)]
            for planned, taken, *_ in self.members
            if taken.put is not None and not taken.parked
        ]
        with suppress(StorageError):
            count_requeues(self.entry.ledger, moves, change)

    def back_out(self, got: PlannedMessage | None = None) -> None:
        """Undo the unit, and remember whose BackoutCount that raised.

        Args:
            got: was got in it as well, and is no member.
        """
        with suppress(StorageError):  # then the unit ends with the connection
            self.backend.backout()
        if self.in_doubt:
            return
        self.entry.backed_out()
        taken = [member.planned for member in self.members] if self.request.takes else []
        for planned in taken if got is None else [*taken, got]:
            ident = format_id(planned.msg_id)
            self.raised[ident] = self.raised.get(ident, 0) + 1
        self._end_batch(committed=False)
        self.members = []

    def _end_batch(self, *, committed: bool) -> None:
        if self.archive is not None:
            numbers = [member.taken.archived for member in self.members]
            self.archive.end_batch(committed=committed, numbers=numbers)


def item_of(
    planned: PlannedMessage, outcome: Outcome, reason: str = "", new_msg_id: str = ""
) -> ItemOutcome:
    """What became of a planned message."""
    return ItemOutcome(format_id(planned.msg_id), outcome, reason, new_msg_id)
