"""The puts of `msg load`, `archive restore` and `expiry revive --from`, through the journal.

A batch is one unit of work: all of it is on the queue, or nothing. The journal has the plan first,
by marks and lines of the file, and each batch before its commit. So a load that was cut goes on,
from the same file, and puts no message twice.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from typing import IO

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.model.ids import format_id
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.mq import cmqc
from mqtriage.mq.dumps.entry import Entry
from mqtriage.mq.errors import MQIError, MQTriageError, StorageError, UsageError
from mqtriage.mq.message import Message
from mqtriage.operations.copies.copy import Copy, copy_of
from mqtriage.operations.copies.request import ActRequest, CopyTo
from mqtriage.operations.engine.act_context import ActContext, Progress
from mqtriage.operations.engine.carry_out import journalled
from mqtriage.operations.engine.outlets import open_with_context
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.ledger.journal import JournalEntry, now_text
from mqtriage.operations.ledger.plan_file import PlanPart, StoredPlan
from mqtriage.operations.ledger.state import MessageState, OperationState
from mqtriage.operations.ledger.units import INTERRUPTED, Put, TakenMessage
from mqtriage.operations.load.plan import BATCH, LoadPlan, LoadRequest, messages_of
from mqtriage.operations.selection.arrived import CopiesBefore
from mqtriage.operations.selection.spool import planned_messages
from mqtriage.records import dataclass


def load(backend: Backend, request: LoadRequest, planned: LoadPlan, context: ActContext) -> Report:
    """Put what *planned* says, a batch at a time; the first failure ends it."""
    stored = stored_load(backend, request, planned)
    action = request.action
    report = Report(
        f"{action.capitalize()}Report", action, request.target, planned=planned.plan.count
    )
    with journalled(context, stored) as entry:
        report.op = entry.op
        numbers = bytearray(b"\1") * (len(stored.messages) + 1)
        put_chosen(backend, request, stored, numbers, entry, report, context, planned.scan.held)
    return report


def stored_load(backend: Backend, request: LoadRequest, planned: LoadPlan) -> StoredPlan:
    """The plan as the journal keeps it: the marks of what is to be put, and its lines."""
    messages, lines = planned_messages(), array("Q")
    scan = planned.scan
    for line, message in zip(scan.lines, scan.planned, strict=True):
        if line not in scan.held and line not in planned.duplicates:
            messages.append(message)
            lines.append(line)
    act = ActRequest(request.action, "", request.target, request.copy, request.batch, to=CopyTo())
    return StoredPlan(
        backend.queue_manager,
        now_text(),
        act,
        [PlanPart("", request.target, len(messages))],
        messages,
        origin=lines,
        file=request.path,
    )


def is_left(known: OperationState, numbers: bytearray) -> bool:
    """Take what is not to be put any more out of *numbers*; returns whether something is left."""
    for number in range(1, len(numbers)):
        numbers[number] &= known.fates[number] in (MessageState.PENDING, MessageState.LEFT)
    return any(numbers)


def go_on(
    backend: Backend,
    known: OperationState,
    file: IO[bytes],
    numbers: bytearray,
    entry: JournalEntry,
    report: Report,
    context: ActContext,
) -> None:
    """Put what is left of a load that was cut; adds to *report*.

    Args:
        file: the same file, open and seekable.
        numbers: a byte a message, by number in the plan: 1 where it is still to be put.
    """
    plan = known.plan
    request = LoadRequest(
        file, plan.file or "", plan.request.target or "", plan.request.copy, plan.request.batch
    )
    put_chosen(backend, request, plan, numbers, entry, report, context, {})


def put_chosen(
    backend: Backend,
    request: LoadRequest,
    plan: StoredPlan,
    numbers: bytearray,
    entry: JournalEntry,
    report: Report,
    context: ActContext,
    held: Mapping[int, str],
) -> None:
    """Put the wanted messages of a plan a batch at a time, and say why others stay out."""
    local = str(local_attributes(backend, request.target)["QNAME"])
    report.before = _depth(backend, local)
    handle = _open(backend, request)
    before = CopiesBefore(backend, request.target, new_ids=request.copy.new_msg_id)
    loader = _Loader(backend, handle, request, plan, entry, report, before)
    entries = _numbered(request, plan, numbers, held)
    stopped: MQTriageError | None = None
    pending = bool(report.items)
    try:
        while stopped is None and (batch := list(islice(entries, request.batch or BATCH))):
            if context.should_stop():
                report.interrupted = True
                entry.ended = INTERRUPTED
                break
            stopped = loader.put(batch, held)
            context.progress(Progress(len(report.items), report.planned, 0))
    except UsageError as error:  # the file ends before the plan does
        stopped = error
    finally:
        with suppress(MQIError):
            handle.close()
        before.close()
    if stopped is not None:
        entry.stopped(stopped)
        if len(report.items) == 0 and not pending:
            raise stopped
        report.warnings.append(f"stopped: {stopped.text}")
    with suppress(MQTriageError):
        report.after = _depth(backend, local)
    report.changed = report.count(Outcome.DONE) > 0
    report.details["file"] = request.name


def _numbered(
    request: LoadRequest, plan: StoredPlan, numbers: bytearray, held: Mapping[int, str]
) -> Iterator[tuple[int, Entry]]:
    """The messages of the file that are wanted, with their numbers in the plan; 0 for one held."""
    at, lines = 0, plan.origin
    for entry in messages_of(request):
        if at < len(lines) and entry.line == lines[at]:
            at += 1
            if numbers[at]:
                yield at, entry
        elif entry.line in held:
            yield 0, entry
    for number in range(at + 1, len(lines) + 1):
        if numbers[number]:
            raise UsageError(
                f"{request.name} is not the file that was planned: line {lines[number - 1]} of it "
                "holds no message",
                hint="--file names its current location",
            )


def _open(backend: Backend, request: LoadRequest) -> QueueHandle:
    target = request.target
    handle, _ = open_with_context(
        lambda options: backend.open(target, options | cmqc.MQOO_FAIL_IF_QUIESCING),
        request.copy.context,
        target,
        may_pass=False,
    )
    return handle


@dataclass(slots=True)
class _Loader:
    """Puts batches, each of them one unit of work that is in the journal before its commit."""

    backend: Backend
    handle: QueueHandle
    request: LoadRequest
    plan: StoredPlan
    entry: JournalEntry
    report: Report
    before: CopiesBefore

    def put(
        self, batch: Sequence[tuple[int, Entry]], held: Mapping[int, str]
    ) -> MQTriageError | None:
        """Put one unit of work and add what became of it; returns what ends the load."""
        items: list[ItemOutcome] = []
        taken: list[TakenMessage] = []
        before: int | None = None
        failure: MQTriageError | None = None
        for number, entry in batch:
            msg_id = format_id(entry.md.msg_id)
            copy = self._copy(number, entry) if number else held[entry.line]
            if isinstance(copy, str):
                why = f"line {entry.line}: {copy}"
                items.append(ItemOutcome(msg_id, Outcome.SKIPPED, why))
                continue
            try:
                if not taken:
                    before = self.before.count(copy.md.msg_id)
                put = self.handle.put(copy.md, copy.body, self.request.copy.put_options())
            except MQTriageError as error:
                failure = error
                break
            same = copy.body is entry.body
            digest = self.plan.messages[number - 1].digest if same else sha256(copy.body).digest()
            taken.append(TakenMessage(number, 0, Put(self.request.target, put.msg_id, digest)))
            new = format_id(put.msg_id)
            items.append(ItemOutcome(msg_id, Outcome.DONE, new_msg_id=new if new != msg_id else ""))
        if failure is None and taken:
            failure = self._commit(taken, before, items)
        elif failure is not None:
            _back_out(self.backend, items)
            if not self.report.items and not items:
                return failure  # the very first put: the error itself says it best
            number, entry = batch[len(items)]
            why = f"line {entry.line}: {failure.text}"
            items.append(ItemOutcome(format_id(entry.md.msg_id), Outcome.FAILED, why))
        self.report.items.extend(items)
        for (number, _), item in zip(batch, items, strict=False):
            if number and item.outcome is not Outcome.DONE:
                self.entry.stayed(number, item)
        return failure

    def _copy(self, number: int, entry: Entry) -> Copy | str:
        planned = self.plan.messages[number - 1]
        if (entry.md.msg_id, sha256(entry.body).digest()) != (planned.msg_id, planned.digest):
            return "the file was changed: the plan has a different message at this line"
        options = self.request.copy
        now_us = 0 if options.expires_at_us is None else self.backend.now_us()
        message = Message(entry.md, entry.body, len(entry.body))
        return copy_of(message, options, now_us=now_us)

    def _commit(
        self, taken: list[TakenMessage], before: int | None, items: list[ItemOutcome]
    ) -> MQTriageError | None:
        try:
            self.entry.intend(self.backend.now_us(), taken, before)
        except StorageError as error:
            _back_out(self.backend, items)
            return error
        try:
            self.backend.commit()
        except MQTriageError as error:
            look = "mqtriage journal resume checks this"
            _not_done(items, f"the commit failed: {error.text}; {look}")
            target = self.request.target
            self.report.warnings.append(f"a commit failed: its batch may be on {target}")
            return error
        self.entry.committed()
        return None


def _back_out(backend: Backend, items: list[ItemOutcome]) -> None:
    with suppress(MQTriageError):
        backend.backout()
    _not_done(items, "backed out with its batch")


def _not_done(items: list[ItemOutcome], why: str) -> None:
    items[:] = [
        ItemOutcome(item.msg_id, Outcome.FAILED, why) if item.outcome is Outcome.DONE else item
        for item in items
    ]


def _depth(backend: Backend, queue: str) -> dict[str, int]:
    if backend.queue(queue).kind != "QLOCAL":
        return {}
    return {queue: backend.status(queue).curdepth}
