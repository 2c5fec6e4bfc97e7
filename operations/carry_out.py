"""Carry out a plan on messages: requeue, move, copy, park, purge, cancel, release, extend.

This is the one way by which messages are taken. The plan is in the journal first. Each message is
found again by its marks and locked, archived, its copy is put, and then it is taken; all in one
unit of work a batch, with archive and journal on disk before the commit (`act_worker`).

Sources: ARCHITECTURE.md, "The act takes the very message that was planned"; EX-08, CARD-23.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

from mqtriage.backends.port import Backend
from mqtriage.model.plan import Plan
from mqtriage.model.result import Outcome, Report
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQTriageError,
)
from mqtriage.mq.times import rfc3339
from mqtriage.operations.act_context import Conduct
from mqtriage.operations.journal import Entry
from mqtriage.operations.journal_lines import INTERRUPTED, STOPPED
from mqtriage.operations.plan import ActRequest, batch_size, local_attributes
from mqtriage.operations.plan_file import Part, StoredPlan
from mqtriage.operations.requeue_counts import RequeueCounts
from mqtriage.operations.spool import outcomes
from mqtriage.operations.worker import Numbered, Worker

MakeWorker = Callable[[Backend, ActRequest, int, Entry, RequeueCounts], Worker]
"""Who does it, from connection, request, BOTHRESH of the queue, journal entry and loop guard."""


def act(
    backend: Backend,
    request: ActRequest,
    plan: Plan,
    conduct: Conduct,
    make_worker: MakeWorker = Worker,
) -> Report:
    """Do what *plan* says to exactly its messages, and read the queues again.

    Returns:
        The report: one item a message that was reached, in plan order.

    Raises:
        MQTriageError: Nothing was done, and this is why.
    """
    stored = stored_plan(backend, request, [plan])
    with journalled(conduct, stored) as entry:
        numbered = enumerate(plan.messages, 1)
        return carry_out(backend, request, entry, numbered, plan.count, conduct, make_worker)


def stored_plan(backend: Backend, request: ActRequest, parts: Sequence[Plan]) -> StoredPlan:
    """The plan as the journal and a plan file keep it."""
    from mqtriage.operations.spool import planned_messages

    messages = parts[0].messages
    if len(parts) > 1:
        messages = planned_messages(message for part in parts for message in part.messages)
    return StoredPlan(
        backend.queue_manager,
        rfc3339(backend.now_us()),
        request,
        [Part(part.queue, part.target, len(part.messages)) for part in parts],
        messages,
    )


@contextmanager
def journalled(conduct: Conduct, plan: StoredPlan) -> Iterator[Entry]:
    """A new operation in the journal.

    Raises:
        StorageError: The plan cannot be written; nothing was changed.
    """
    with closing(conduct.journal.begin(plan)) as entry, working(entry, conduct):
        yield entry


@contextmanager
def working(entry: Entry, conduct: Conduct) -> Iterator[None]:
    """Note begin and end of work on an operation; an error that ends it gets its id."""
    try:
        entry.run()
        conduct.begun(entry.op)
        yield
    except MQTriageError as error:
        error.op = entry.op
        entry.ended = STOPPED
        entry.end()
        raise
    entry.end()


def carry_out(
    backend: Backend,
    request: ActRequest,
    entry: Entry,
    messages: Iterable[Numbered],
    count: int,
    conduct: Conduct,
    make_worker: MakeWorker = Worker,
) -> Report:
    """Do what is asked to planned messages of one queue, under an operation of the journal.

    Args:
        messages: with their numbers in the plan; *count* of them.

    Raises:
        MQTriageError: Nothing was done, and this is why.
    """
    attributes = local_attributes(backend, request.queue) if request.queue else {}
    depths = _depths(backend, request)
    with closing(RequeueCounts(conduct.journal)) as counts:
        worker = make_worker(backend, request, int(attributes.get("BOTHRESH", 0)), entry, counts)
        report = Report(
            f"{request.action.capitalize()}Report",
            request.action,
            request.queue,
            request.target,
            planned=count,
            items=outcomes(),
            before=depths,
            op=entry.op,
        )
        try:
            worker.start()
            stop = worker.run(messages, batch_size(request, attributes), report, conduct)
        finally:
            worker.end()
    if stop is not None:
        entry.ended = STOPPED
    elif report.interrupted:
        entry.ended = INTERRUPTED
    if not isinstance(stop, ConnectionFailed):
        worker.discard_empty_archive()
    if stop is not None and not _changed(report):
        raise stop
    _finish(backend, request, report, worker, stop)
    return report


def _changed(report: Report) -> bool:
    return any(item.outcome in (Outcome.DONE, Outcome.PARKED) for item in report.items)


def _finish(
    backend: Backend,
    request: ActRequest,
    report: Report,
    worker: Worker,
    stop: MQTriageError | None,
) -> None:
    """Read the state again and say what must be known."""
    if not isinstance(stop, ConnectionFailed):
        report.after = _depths(backend, request)
    report.details = worker.details()
    report.changed = _changed(report)
    if stop is not None:
        report.warnings.append(stop.text)
    if worker.passing and request.copy.context == "keep":
        report.warnings.append(
            "without the authority to set context it was passed on: each message was got before"
            " its copy was put"
        )
    if worker.raised:
        ids = ", ".join(f"{ident} (+{times})" for ident, times in worker.raised.items())
        report.warnings.append(f"BackoutCount was raised by our rollback of: {ids}")


def _depths(backend: Backend, request: ActRequest) -> dict[str, int]:
    """CURDEPTH of the local queues concerned, as the queue manager says it now."""
    found = {}
    for name in (request.queue, request.target):
        if name:
            local = str(local_attributes(backend, name)["QNAME"])
            found[local] = backend.status(local).curdepth
    return found
