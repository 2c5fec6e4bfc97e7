"""Checks of several queue managers at once, and their results as records."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from mqtriage.model.check_result import CheckedObject, Status, worst
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.model.units import humane_duration
from mqtriage.mq.errors import ConnectionFailed, MQTriageError, Unreachable

FIELDS: Final = (
    Field("status", "STATUS"),
    Field("check", "CHECK", yields=2),
    Field("queue_manager", "QMGR", Show.NAME, yields=1),
    Field("object", "OBJECT", Show.NAME),
    Field("message", "MESSAGE"),
    Field("status_code", "CODE", Show.NUMBER, wide=True),
    Field("metrics", "METRICS", wide=True),
)


def listing_of(results: Sequence[CheckedObject]) -> Listing:
    summary: dict[str, Any] = {"status": worst(r.status for r in results).value}
    for status in Status:
        summary[status.value.lower()] = sum(result.status is status for result in results)
    records: list[Record] = [result.record() for result in results]
    return Listing("CheckResultList", FIELDS, records, summary, id_key="object")


def not_checked(
    check: str, queue_manager: str, error: Exception, deadline_ms: int
) -> CheckedObject:
    """The result for a queue manager that could not be checked.

    That a queue manager cannot be reached is what `check qmgr` is there to find: critical. For the
    other checks it leaves their question open.
    """
    checked = CheckedObject(check, queue_manager=queue_manager)
    if isinstance(error, TimeoutError):
        checked.add(Status.UNKNOWN, f"no response within {humane_duration(deadline_ms)}")
    elif check == "qmgr" and isinstance(error, ConnectionFailed | Unreachable):
        checked.add(Status.CRITICAL, str(error))
    elif isinstance(error, MQTriageError):
        checked.add(Status.UNKNOWN, str(error))
    else:
        checked.add(Status.UNKNOWN, f"internal error: {type(error).__name__}")
    return checked


T = TypeVar("T")

_AT_ONCE: Final = 32


def run_all(works: Sequence[Callable[[], T]], deadline_s: float) -> list[T | Exception]:
    """The result of each job in order, or the error it ended with; TimeoutError at its deadline.

    Raises:
        BaseException: What is no `Exception`, such as an interrupt.
    """
    outcomes: list[T | Exception] = []
    for first in range(0, len(works), _AT_ONCE):
        jobs = [_started(work) for work in works[first : first + _AT_ONCE]]
        ends = time.monotonic() + deadline_s
        for job in jobs:
            try:
                outcomes.append(job.result(max(0.0, ends - time.monotonic())))
            except Exception as error:  # kept: the caller tells what became of each
                outcomes.append(error)
    return outcomes


def _started(work: Callable[[], T]) -> Future[T]:
    """A job on a thread that the process does not wait for when it ends, as executors do.

    An MQI call that never returns cannot be ended from outside; it can only be left alone.
    """
    job: Future[T] = Future()

    def run() -> None:
        try:
            job.set_result(work())
        except BaseException as error:  # told by the thread that asks
            job.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return job
