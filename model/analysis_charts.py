"""Charts of an analysis, as data: which numbers of which table are drawn against which.

Drawn as SVG for the report and as characters for a terminal; every point is one of a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from mqtriage.model.result import Record

Point = tuple[str, float]
"""(what stands on the axis: a time or a name, the number)."""


class Series(NamedTuple):
    """A line, or one group of bars."""

    name: str
    points: tuple[Point, ...]


class Chart(NamedTuple):
    """One chart.

    Attributes:
        table: the table whose records the points are.
        kind: ``line`` over time, or ``bar``.
        unit: of the numbers.
    """

    title: str
    table: str
    kind: str
    unit: str
    series: tuple[Series, ...]


class Plan(NamedTuple):
    """Which columns of a table make a chart.

    Attributes:
        by: columns whose values name a series.
        across: column of a point's place.
        value: column of its number.
        least: points below it are left out.
    """

    title: str
    table: str
    kind: str
    by: tuple[str, ...]
    across: tuple[str, ...]
    value: str
    unit: str
    least: float = 0.0


PLANS: Final[dict[str, tuple[Plan, ...]]] = {
    "profile": (
        Plan("Messages by day", "profile", "bar", ("qmgr",), ("day",), "messages", "messages"),
    ),
    "delay": (
        Plan(
            "Staged at once", "delay_load", "line", ("qmgr",), ("minute_time",), "peak_count",
            "messages",
        ),
        Plan("MAXDEPTH that holds it", "delay", "bar", (), ("qmgr",), "maxdepth", "messages"),
        Plan(
            "Longest delay by target", "delay_targets", "bar", ("qmgr",), ("target",),
            "delay_max_ms", "ms",
        ),
    ),
    "depth": (
        Plan(
            "Depth", "depth_hours", "line", ("qmgr", "queue"), ("hour_time",), "curdepth",
            "messages",
        ),
    ),
    "expiry": (
        Plan("Expired", "expiry", "bar", ("qmgr",), ("queue",), "expired", "messages", 1),
    ),
    "causes": (
        Plan(
            "Share of the poison messages", "causes", "bar", ("qmgr", "family"), ("where",),
            "support", "of 1",
        ),
    ),
    "cohort": (
        Plan("Rolled back", "cohort", "bar", ("qmgr",), ("queue",), "rolled_back", "messages", 1),
        Plan(
            "Reached so many rollbacks", "cohort_survival", "bar", ("qmgr", "queue"),
            ("attempt",), "reached", "messages", 1,
        ),
    ),
    "definitions": (),
}  # fmt: skip


def tables_for_charts(job: str) -> tuple[str, ...]:
    """The tables that the charts of *job* are drawn from."""
    return tuple(dict.fromkeys(plan.table for plan in PLANS[job]))


def charts_of(job: str, tables: Mapping[str, Sequence[Record]]) -> list[Chart]:
    """The charts of a job; one without a point is left out."""
    made = [chart_of(plan, tables.get(plan.table, ())) for plan in PLANS[job]]
    return [chart for chart in made if chart.series]


def chart_of(plan: Plan, records: Sequence[Record]) -> Chart:
    """One chart; numbers that stand at the same place of a series are added up."""
    series: dict[str, dict[str, float]] = {}
    for record in records:
        value = record.get(plan.value)
        if value is None or value < plan.least:
            continue
        points = series.setdefault(_joined(record, plan.by), {})
        place = _joined(record, plan.across)
        points[place] = points.get(place, 0) + value
    return Chart(
        plan.title,
        plan.table,
        plan.kind,
        plan.unit,
        tuple(Series(name, tuple(points.items())) for name, points in series.items()),
    )


def _joined(record: Record, keys: Sequence[str]) -> str:
    return " ".join("" if record[key] is None else str(record[key]) for key in keys)
