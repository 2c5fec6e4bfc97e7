"""Carry out a plan on messages: requeue, move, copy, park, purge, cancel.

Each message is found again by its marks and locked, archived, its copy is put, and then it is
taken; all in one unit of work a batch, with the archive on disk before the commit. Archive and put
come before the get: a full disk or a target that refuses a message has then cost no rollback, and
no BackoutCount rises. What a rollback undoes is tried once more, one by one.

Sources: ARCHITECTURE.md, "The act takes the very message that was planned"; EX-08, CARD-23.
"""

from __future__ import annotations

from collections.abc import Callable

from mqtriage.backends.port import Backend
from mqtriage.commands.act_plan import (
    ActRequest,
    batch_size,
    local_attributes,
)
from mqtriage.commands.act_units import Worker
from mqtriage.model.plan import Plan
from mqtriage.model.result import Outcome, Report
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQTriageError,
)


def act(
    backend: Backend,
    request: ActRequest,
    plan: Plan,
    should_stop: Callable[[], bool] = lambda: False,
    make_worker: Callable[[Backend, ActRequest, int], Worker] = Worker,
) -> Report:
    """Do what *plan* says to exactly its messages, and read the queues again.

    Args:
        should_stop: asked between two batches.
        make_worker: who does it, from connection, request and BOTHRESH of the queue.

    Returns:
        The report: one item a message that was reached, in plan order.

    Raises:
        MQTriageError: Nothing was done, and this is why.
    """
    attributes = local_attributes(backend, request.queue)
    depths = _depths(backend, request)
    worker = make_worker(backend, request, int(attributes.get("BOTHRESH", 0)))
    report = Report(
        f"{request.action.capitalize()}Report",
        request.action,
        request.queue,
        request.target,
        planned=plan.count,
        before=depths,
    )
    try:
        worker.start()
        stop = worker.run(plan.messages, batch_size(request, attributes), report, should_stop)
    finally:
        worker.end()
    if not isinstance(stop, ConnectionFailed):
        worker.discard_empty_archive()
    if stop is not None and not any(item.outcome is Outcome.DONE for item in report.items):
        raise stop
    _finish(backend, request, report, worker, stop)
    return report


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
    report.changed = any(item.outcome is Outcome.DONE for item in report.items)
    if stop is not None:
        report.warnings.append(stop.text)
    if worker.raised:
        ids = ", ".join(f"{ident} (+{times})" for ident, times in worker.raised.items())
        report.warnings.append(f"BackoutCount was raised by our rollback of: {ids}")


def _depths(backend: Backend, request: ActRequest) -> dict[str, int]:
    """CURDEPTH of the local queues concerned, as the queue manager says it now."""
    found = {}
    for name in (request.queue, request.target):
        if name is not None:
            local = str(local_attributes(backend, name)["QNAME"])
            found[local] = backend.status(local).curdepth
    return found
