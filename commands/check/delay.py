"""`mqtriage check delay`: the staging queue, its processor, and what is overdue."""

from __future__ import annotations

from contextlib import closing
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.commands.check.queues import fill, thresholds_of
from mqtriage.messages.decoded import target_and_due
from mqtriage.model.check_result import CheckedObject, Measure, Metric, Status
from mqtriage.model.thresholds import MeasureUnit, Thresholds
from mqtriage.model.units import humane_duration
from mqtriage.mq.delay import OVERDUE_AFTER_US, STAGING_QUEUE
from mqtriage.mq.errors import ObjectNotFound
from mqtriage.operations.selection.due_reading import (
    ENOUGH_BYTES,
    due_reading,
    refuse_unknown_due,
)
from mqtriage.operations.selection.selected import open_to_browse

DELAY_THRESHOLDS: Final = thresholds_of("70%", "90%")
OVERDUE_UNITS: Final = (MeasureUnit.COUNT, MeasureUnit.DURATION)
OVERDUE_THRESHOLDS: Final = thresholds_of("", "1")


def check_delay(
    backend: Backend,
    thresholds: Thresholds,
    overdue: Thresholds | None,
    *,
    assume_due: bool = False,
) -> list[CheckedObject]:
    """Fill of the staging queue, and messages past their due time.

    Args:
        overdue: None where no mark was given: then one overdue message is critical where due times
            are known, and nothing is said of them elsewhere.
        assume_due: on a real queue manager, take the header's time field for the due time.

    Raises:
        Refused: A mark was given, and no message says when it is due.
    """
    checked = CheckedObject("delay", STAGING_QUEUE)
    try:
        queue = backend.queue(STAGING_QUEUE)
    except ObjectNotFound:
        text = f"{STAGING_QUEUE} is not defined: sends with a delivery delay fail"
        checked.add(Status.CRITICAL, text)
        return [checked]
    for keyword, what in (("PUT", "sends with a delay fail"), ("GET", "nothing is delivered")):
        if queue.attributes.get(keyword) == "DISABLED":
            checked.add(Status.CRITICAL, f"{keyword}(DISABLED): {what}")
    problem = backend.insight.processor_problem() if backend.insight is not None else ""
    if problem:
        checked.add(Status.CRITICAL, f"the processor is not delivering messages: {problem}")
    fill(checked, queue, backend.status(STAGING_QUEUE), thresholds, backend.now_us())
    _overdue(backend, checked, overdue, assume_due=assume_due)
    return [checked]


def _overdue(
    backend: Backend, checked: CheckedObject, thresholds: Thresholds | None, *, assume_due: bool
) -> None:
    """What is overdue; on a real queue manager only where that was asked for, by a browse.

    Raises:
        Refused: Nobody knows a due time here.
    """
    if backend.insight is not None:
        load, by = backend.insight.staging_load(), ""
        number, oldest_us = load.overdue, load.oldest_due_us if load.overdue else None
    elif assume_due or thresholds is not None:
        number, oldest_us, by = _browsed(backend, checked, assume_due=assume_due)
    else:
        return
    thresholds, text = thresholds or OVERDUE_THRESHOLDS, f"{number} overdue{by}"
    age_ms = 0 if oldest_us is None else max(0, backend.now_us() - oldest_us) // 1000
    longest = f"{text}, the longest for {humane_duration(age_ms)}" if number else text
    checked.facts.append(longest)
    checked.measure(Metric("overdue", number), thresholds, MeasureUnit.COUNT, longest)
    metric = Metric("overdue_age", age_ms / 1000, Measure.SECONDS)
    checked.measure(metric, thresholds, MeasureUnit.DURATION, longest)


def _browsed(
    backend: Backend, checked: CheckedObject, *, assume_due: bool
) -> tuple[int, int | None, str]:
    """How many are overdue, when the oldest of them was due, and by whose word, in words."""
    reading = due_reading(backend, assume=assume_due)
    refuse_unknown_due(reading, "and overdue thresholds need due times")
    checked.facts += reading.notes()
    number, oldest = 0, None
    end_us = backend.now_us() - OVERDUE_AFTER_US
    with closing(open_to_browse(backend, STAGING_QUEUE)) as handle:
        for message in handle.browse(max_length=ENOUGH_BYTES):
            facts = target_and_due(message, reading)
            due_us = facts.due_time_us if facts is not None else None
            if due_us is not None and due_us <= end_us:
                number += 1
                oldest = due_us if oldest is None else min(oldest, due_us)
    senders = reading.evidence is not None and reading.evidence.senders
    return number, oldest, " by the senders' own times" if senders else ""
