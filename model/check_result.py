"""What a monitor check found: a status with its reason, and the numbers it was made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from enum import StrEnum
from typing import Any, Final

from mqtriage.model.thresholds import MeasureUnit, Threshold, Thresholds
from mqtriage.records import NamedTuple, dataclass


class Status(StrEnum):
    """The four words that monitors know."""

    OK = "OK"
    WARNING = "WARNING"
    CRITICAL = "CRITICAL"
    UNKNOWN = "UNKNOWN"

    @property
    def code(self) -> int:
        """The exit code of a monitoring plugin: 0 1 2 3."""
        return list(Status).index(self)

    @property
    def rank(self) -> int:
        """How bad it is: what is not known is worse than a warning, and no alarm of its own."""
        return _RANKS.index(self)


_RANKS: Final = (Status.OK, Status.WARNING, Status.UNKNOWN, Status.CRITICAL)


def worst(statuses: Iterable[Status]) -> Status:
    """The worst of some; OK for none."""
    return max(statuses, key=lambda status: status.rank, default=Status.OK)


class Measure(StrEnum):
    """The unit of a metric."""

    COUNT = ""
    PERCENT = "%"
    SECONDS = "s"
    BYTES = "B"


class Metric(NamedTuple):
    """One number.

    Attributes:
        name: snake_case, without the unit: ``depth``, ``oldest_age``.
        value: None where it cannot be told; it is then left out of performance data.
        warn, crit: the thresholds it was compared with.
        least, most: ends of its range, where it has them.
    """

    name: str
    value: float | None
    measure: Measure = Measure.COUNT
    warn: Threshold | None = None
    crit: Threshold | None = None
    least: float | None = 0
    most: float | None = None

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "value": number(self.value),
            "unit": {"": "count", "%": "percent", "s": "seconds", "B": "bytes"}[self.measure],
            "warn": self.warn.text if self.warn else None,
            "crit": self.crit.text if self.crit else None,
            "min": number(self.least),
            "max": number(self.most),
        }


def number(value: float | None) -> float | int | None:
    """A whole number without its point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(slots=True)
class CheckedObject:
    """What is known of one object.

    Attributes:
        object: queue or other thing; "" for the queue manager itself.
        cluster: CLUSTER of the queue; "" where it is in none, or in those of a namelist.
        reasons: why it is not OK, the worst first once `settle` ran.
        facts: what people want to read beside the numbers.
        next: the words of the command that shows more, where the check knows.
        shows_facts: the message has facts beside the reasons, too.
        is_unread: messages wait and no program has the queue open; no check judges that.
        rolled_back: messages that `check backout` reports; None where only a browse counts them.
    """

    check: str
    object: str = ""
    queue_manager: str = ""
    status: Status = Status.OK
    reasons: list[tuple[Status, str]] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    metrics: list[Metric] = field(default_factory=list)
    next: tuple[str, ...] = ()
    shows_facts: bool = False
    is_unread: bool = False
    rolled_back: int | None = 0
    cluster: str = ""

    def add(self, status: Status, reason: str) -> None:
        self.reasons.append((status, reason))
        self.reasons.sort(key=lambda entry: -entry[0].rank)
        self.status = worst((self.status, status))

    def measure(
        self,
        metric: Metric,
        thresholds: Thresholds,
        unit: MeasureUnit,
        text: str,
        *,
        unknown: str = "",
    ) -> None:
        """Keep a number, and compare it with the thresholds of its unit.

        Args:
            text: what people read: "depth 95 of 100".
            unknown: why it cannot be told; a mark on such a number makes the status UNKNOWN.
        """
        warn, crit = thresholds.of(unit)
        self.metrics.append(metric._replace(warn=warn, crit=crit))
        if metric.value is None:
            if warn or crit:
                self.add(Status.UNKNOWN, unknown or f"{metric.name} is unknown")
            return
        value = metric.value * 1000 if unit is MeasureUnit.DURATION else metric.value
        for status, threshold in ((Status.CRITICAL, crit), (Status.WARNING, warn)):
            if threshold is not None and threshold.alerts(value):
                self.add(status, f"{text} (threshold {threshold.text})")
                return

    @property
    def message(self) -> str:
        """One line: the reasons, and the facts that they do not contain or where there are none."""
        reasons = [text for _, text in self.reasons]
        facts = self.facts if self.shows_facts or not reasons else ()
        more = [
            fact
            for fact in facts
            if not any(fact.removeprefix("oldest ") in reason for reason in reasons)
        ]
        return "; ".join([*reasons, *more]) or "nothing to report"

    def record(self) -> dict[str, Any]:
        return {
            "status": self.status.value,
            "status_code": self.status.code,
            "check": self.check,
            "queue_manager": self.queue_manager or None,
            "object": self.object or None,
            "message": self.message,
            "metrics": [metric.record() for metric in self.metrics],
        }
