"""Carry out a plan on messages: requeue, move, copy, purge, cancel, release, extend.

This is the one way by which messages are taken. The plan is in the journal first. Each message is
found again by its marks and locked, archived, its copy is put, and then it is taken; all in one
unit of work a batch, with archive and journal on disk before the commit (`loop`).

Sources: EX-08, CARD-23.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress

from mqtriage.backends.name_resolution import put_path
from mqtriage.backends.port import Backend
from mqtriage.model.plan import Plan
from mqtriage.model.result import Outcome, Report
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQTriageError,
)
from mqtriage.operations.copies.request import NOW, ActRequest
from mqtriage.operations.engine.act_context import ActContext, act_report
from mqtriage.operations.engine.destinations import Destination, Numbered, destination_of
from mqtriage.operations.engine.loop import Engine
from mqtriage.operations.engine.plan import batch_size, local_attributes
from mqtriage.operations.ledger.journal import JournalEntry, now_text
from mqtriage.operations.ledger.plan_file import PlanPart, StoredPlan
from mqtriage.operations.ledger.units import INTERRUPTED
from mqtriage.operations.selection.spool import planned_messages


def act(
    backend: Backend,
    request: ActRequest,
    plan: Plan,
    context: ActContext,
    destination: Destination | None = None,
    beside: Iterable[str] = (),
) -> Report:
    """Do what *plan* says to exactly its messages, and read the queues again.

    Args:
        beside: other queues whose depths the report has.

    Returns:
        The report: one item a message that was reached, in plan order.
    """
    stored = stored_plan(backend, request, [plan])
    with journalled(context, stored) as entry:
        numbered = enumerate(plan.messages, 1)
        released = plan.facts.get("targets", ()) if request.to == NOW else ()
        names = [*beside, *(target["target"] for target in released)]
        before = _depths_of(backend, names)
        report = carry_out(backend, request, entry, numbered, plan.count, context, destination)
        if any(target["new_first_due_time"] for target in plan.facts.get("targets", ())):
            done = report.count(Outcome.DONE) == plan.count
            report.details["targets"] = plan.facts["targets"] if done else []
        if report.after:
            report.before |= before
            report.after |= _depths_of(backend, names)
        return report


def stored_plan(backend: Backend, request: ActRequest, parts: Sequence[Plan]) -> StoredPlan:
    """The plan as the journal and a plan file keep it."""
    messages = parts[0].messages
    if len(parts) > 1:
        messages = planned_messages(message for part in parts for message in part.messages)
    return StoredPlan(
        backend.queue_manager,
        now_text(),
        request,
        [PlanPart(part.queue, part.target, len(part.messages)) for part in parts],
        messages,
    )


@contextmanager
def journalled(context: ActContext, plan: StoredPlan) -> Iterator[JournalEntry]:
    """A new operation in the journal."""
    with closing(context.journal.begin(plan)) as entry, working(entry, context):
        yield entry


@contextmanager
def working(entry: JournalEntry, context: ActContext) -> Iterator[None]:
    """Note begin and end of work on an operation; an error that ends it gets its id."""
    try:
        entry.run()
        context.begun(entry.op)
        yield
    except MQTriageError as error:
        error.op = entry.op
        entry.stopped(error)
        entry.end()
        raise
    entry.end()


def carry_out(
    backend: Backend,
    request: ActRequest,
    entry: JournalEntry,
    messages: Iterable[Numbered],
    count: int,
    context: ActContext,
    destination: Destination | None = None,
) -> Report:
    """Do what is asked to planned messages of one queue, under an operation of the journal.

    Args:
        destination: where they go, where the request alone does not say.
        messages: with their numbers in the plan; *count* of them.
    """
    attributes = local_attributes(backend, request.queue) if request.queue else {}
    depths = _depths(backend, request)
    threshold = int(attributes.get("BOTHRESH", 0))
    destination = destination or destination_of(request)
    destination.tally.pace = destination.tally.pace or context.pace
    engine = Engine(backend, request, threshold, entry, destination)
    report = act_report(request, count)
    report.before, report.op = depths, entry.op
    try:
        engine.start()
        stop = engine.run(messages, batch_size(request, attributes), report, context)
    finally:
        engine.end()
    if stop is not None:
        entry.stopped(stop)
    elif report.interrupted:
        entry.ended = INTERRUPTED
    if not isinstance(stop, ConnectionFailed):
        engine.work.discard_empty_archive()
    report.changed = report.count(Outcome.DONE) + report.count(Outcome.PARKED) > 0
    if stop is not None and not report.changed:
        raise stop
    _finish(backend, request, report, engine, stop)
    return report


def _finish(
    backend: Backend,
    request: ActRequest,
    report: Report,
    engine: Engine,
    stop: MQTriageError | None,
) -> None:
    """Read the state again and say what must be known."""
    if not isinstance(stop, ConnectionFailed):
        report.after = _depths(backend, request)
    report.details = engine.details()
    if stop is not None:
        report.warnings.append(stop.text)
    if engine.work.archive_lacks_end and engine.work.archive is not None:
        report.warnings.append(
            f"{engine.work.archive.path.name} lacks its closing line:"
            f" mqtriage journal resume writes it (operation {report.op})"
        )
    if engine.work.passing and request.copy.context == "keep":
        report.warnings.append(
            "without authority to set the context, it was passed: each message was got before its"
            " copy was put"
        )
    if engine.work.raised:
        ids = ", ".join(f"{ident} (+{times})" for ident, times in engine.work.raised.items())
        report.warnings.append(f"mqtriage's rollback increased BackoutCount of: {ids}")


def add_course(report: Report, done: Report) -> None:
    """Take the report of one part into that of the whole act, but for its items and archive."""
    report.interrupted = done.interrupted
    for queue, depth in done.before.items():
        report.before.setdefault(queue, depth)
    report.after |= done.after
    report.warnings += done.warnings
    report.details["removed_bytes"] += done.details.get("removed_bytes", 0)
    raised = done.details.get("backout_counts_raised", {})
    report.details["backout_counts_raised"].update(raised)


def _depths(backend: Backend, request: ActRequest) -> dict[str, int]:
    """CURDEPTH of the queues concerned, transmission queues too, as it is now."""
    depths = {}
    for name in (request.queue, request.target):
        if name:
            last = put_path(backend, name, f"open {name}")[-1]
            if last.kind == "QLOCAL":
                depths[last.name] = backend.status(last.name).curdepth
    return depths


def _depths_of(backend: Backend, targets: Iterable[str]) -> dict[str, int]:
    """CURDEPTH of the targets of delayed messages; not of those that are not there."""
    depths: dict[str, int] = {}
    for name in targets:
        with suppress(MQTriageError):
            depths |= _depths(backend, ActRequest("", name))
    return depths
