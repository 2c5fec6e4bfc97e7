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
        unit: of the numbers: ``messages``, ``ms``, ``percent``, or ``share`` (0 to 1).
        finding: what its greatest point says, as a format of ``value``, ``series``, ``place``.
    """

    title: str
    table: str
    kind: str
    unit: str
    series: tuple[Series, ...]
    finding: str = ""

    @property
    def greatest(self) -> tuple[str, Point]:
        """The series and the point whose number is the greatest, the first of several."""
        return max(
            ((series.name, point) for series in self.series for point in series.points),
            key=lambda pair: pair[1][1],
        )


class ChartPlan(NamedTuple):
    """Which columns of a table make a chart.

    Attributes:
        by: columns whose values name a series.
        across: column of a point's place.
        value: column of its number.
        least: points below it are left out; of lines, those that never reach it.
        finding: of `Chart`.
        panel: columns for each of whose values there is a chart of its own.
        points: series with fewer are left out.
    """

    title: str
    table: str
    kind: str
    by: tuple[str, ...]
    across: tuple[str, ...]
    value: str
    unit: str
    least: float = 0.0
    finding: str = ""
    panel: tuple[str, ...] = ()
    points: int = 1


PLANS: Final[dict[str, tuple[ChartPlan, ...]]] = {
    "profile": (
        ChartPlan(
            "Messages by day", "profile", "line", ("qmgr",), ("day",), "messages", "messages",
            finding="The most in a day were {value}: {series} on {place}",
        ),
    ),
    "delay": (
        ChartPlan(
            "Staged at once", "delay_hours", "line", ("qmgr",), ("hour_time",), "peak_count",
            "messages", finding="The most seen staged at once is {value}: {series} at {place}",
        ),
        ChartPlan(
            "MAXDEPTH that holds it", "delay", "bar", (), ("qmgr",), "maxdepth", "messages",
            finding="The largest MAXDEPTH that is needed is {value}: {place}",
        ),
        ChartPlan(
            "Longest delay by target", "delay_targets", "bar", ("qmgr",), ("target",),
            "delay_max_ms", "ms",
            finding="The longest delay asked for is {value}: {series} to {place}",
        ),
    ),
    "depth": (
        ChartPlan(
            "Depth", "depth_hours", "line", ("queue",), ("hour_time",), "curdepth", "messages", 1,
            "The deepest queue held {value}: {series} at {place}", ("qmgr",),
        ),
    ),
    "expiry": (
        ChartPlan(
            "Expired", "expiry", "bar", ("qmgr",), ("queue",), "expired", "messages", 1,
            "The most expired on {place} of {series}: {value} at most",
        ),
    ),
    "causes": (
        ChartPlan(
            "Share of the poison messages", "causes", "bar", ("qmgr", "family"), ("where",),
            "support", "share", finding="{value} of the poison of {series} has {place}",
        ),
    ),
    "cohort": (
        ChartPlan(
            "Rolled back", "cohort", "bar", ("qmgr",), ("queue",), "rolled_back", "messages", 1,
            "The most rolled back were of {place} on {series}: {value}",
        ),
        ChartPlan(
            "Taken in the end, of those seen after so many rollbacks", "cohort_survival", "bar",
            ("qmgr", "queue"), ("attempt",), "taken_percent", "percent", points=2,
        ),
    ),
    "definitions": (),
}  # fmt: skip


def tables_for_charts(job: str) -> tuple[str, ...]:
    """The tables that the charts of *job* are drawn from."""
    return tuple(dict.fromkeys(plan.table for plan in PLANS.get(job, ())))


def charts_of(job: str, tables: Mapping[str, Sequence[Record]], cut_day: str = "") -> list[Chart]:
    """The charts of a job; one without a point is left out.

    Args:
        cut_day: the last day, where it is not over: no line falls to it.
    """
    charts = []
    for plan in PLANS.get(job, ()):
        panels: dict[str, list[Record]] = {}
        for record in tables.get(plan.table, ()):
            if plan.across == ("day",) and record["day"] == cut_day:
                continue
            panels.setdefault(_joined(record, plan.panel), []).append(record)
        charts += [chart_of(plan, records, name) for name, records in panels.items()]
    return [chart for chart in charts if chart.series]


def chart_of(plan: ChartPlan, records: Sequence[Record], panel: str = "") -> Chart:
    """One chart; numbers that stand at the same place of a series are added up."""
    series: dict[str, dict[str, float]] = {}
    for record in records:
        value = record.get(plan.value)
        if value is None or (plan.kind == "bar" and value < plan.least):
            continue
        points = series.setdefault(_joined(record, plan.by), {})
        place = _joined(record, plan.across)
        points[place] = points.get(place, 0) + value
    return Chart(
        f"{plan.title}, {panel}" if panel else plan.title,
        plan.table,
        plan.kind,
        plan.unit,
        tuple(
            # a line goes on in time, whatever its table is ordered by
            Series(name, tuple(sorted(points.items()) if plan.kind == "line" else points.items()))
            for name, points in series.items()
            if max(points.values()) >= plan.least and len(points) >= plan.points
        ),
        plan.finding,
    )


def _joined(record: Record, keys: Sequence[str]) -> str:
    return " ".join("" if record[key] is None else str(record[key]) for key in keys)
