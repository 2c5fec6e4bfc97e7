"""`mqtriage check delay`: the staging queue, its processor, and what is overdue."""

from __future__ import annotations

from typing import Final, NamedTuple

from mqtriage.backends.port import Backend
from mqtriage.commands.check.queues import fill, marks_of
from mqtriage.commands.delay.messages import group_by_target
from mqtriage.messages.selection import Selection
from mqtriage.model.check_result import Checked, Measure, Metric, Status
from mqtriage.model.thresholds import MeasureUnit, Thresholds
from mqtriage.model.times import parse_time_us
from mqtriage.model.units import humane_duration
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import ObjectNotFound, Refused

DELAY_MARKS: Final = marks_of("70%", "90%")
OVERDUE_UNITS: Final = (MeasureUnit.COUNT, MeasureUnit.DURATION)
OVERDUE_MARKS: Final = marks_of("", "1")


class Late(NamedTuple):
    """What is overdue.

    Attributes:
        oldest_due_us: due time of the one that waits longest past it.
    """

    number: int
    oldest_due_us: int | None


def check_delay(
    backend: Backend, marks: Thresholds, overdue: Thresholds | None, *, assume_due: bool = False
) -> list[Checked]:
    """Fill of the staging queue, and messages past their due time.

    Args:
        overdue: None where no mark was given: then one overdue message is critical where due times
            are known, and nothing is said of them elsewhere.
        assume_due: on a real queue manager, take the header's time field for the due time.

    Raises:
        Refused: A mark was given, and due times are not known.
    """
    checked = Checked("delay", STAGING_QUEUE)
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
        checked.add(Status.CRITICAL, f"the processor does not deliver: {problem}")
    fill(checked, queue, backend.status(STAGING_QUEUE), marks, backend.now_us())
    late = _late(backend, assume_due=assume_due)
    if late is None and overdue is not None:
        raise Refused(
            "overdue marks need due times, and those of a real queue manager are not documented",
            hint="--assume-ddh due takes the header's time field for the due time",
        )
    if late is not None:
        _overdue(checked, late, overdue or OVERDUE_MARKS, backend.now_us())
    return [checked]


def _late(backend: Backend, *, assume_due: bool) -> Late | None:
    if backend.insight is not None:
        load = backend.insight.staging_load()
        return Late(load.overdue, load.oldest_due_us if load.overdue else None)
    if not assume_due:
        return None
    now_us = backend.now_us()
    groups = group_by_target(backend, Selection(), assume_due=True).items
    late = [group for group in groups if group["overdue"]]
    due = [parse_time_us(group["next_due_time"], now_us) for group in late]
    return Late(sum(group["overdue"] for group in late), min(due, default=None))


def _overdue(checked: Checked, late: Late, marks: Thresholds, now_us: int) -> None:
    text = f"{late.number} overdue"
    age_ms = 0 if late.oldest_due_us is None else max(0, now_us - late.oldest_due_us) // 1000
    longest = f"{text}, the longest for {humane_duration(age_ms)}" if late.number else text
    checked.facts.append(longest)
    checked.measure(Metric("overdue", late.number), marks, MeasureUnit.COUNT, longest)
    metric = Metric("overdue_age", age_ms / 1000, Measure.SECONDS)
    checked.measure(metric, marks, MeasureUnit.DURATION, longest)
