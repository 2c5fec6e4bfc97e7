"""Charts of an analysis, as data: which numbers of which table are drawn against which.

Drawn as SVG for the report and as characters for a terminal; every point is one of a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from mqtriage.model.result import Record
from mqtriage.records import NamedTuple

Point = tuple[str, float]
"""(what stands on the axis: a time or a name, the number)."""


class Series(NamedTuple):
    """A line, or one group of bars."""

    name: str
    points: tuple[Point, ...]


MOST_LINES: Final = 8
"""Lines that can be told apart in one chart; the others are a band."""
MOST_BARS: Final = 40
MOST_PANELS: Final = 12
"""Charts of one kind on a page, a queue manager each."""


class Band(NamedTuple):
    """Lines that are not drawn one by one: how many, and between what they lie."""

    lines: int
    low: tuple[Point, ...]
    high: tuple[Point, ...]


class Rest(NamedTuple):
    """What the charts of a table do not show, where its rows were cut to those that they do.

    Attributes:
        panels: how many charts there would be.
        bands: of each that is shown and has more lines than it shows, by the name of its panel.
    """

    panels: int
    bands: dict[str, Band]


class Chart(NamedTuple):
    """One chart.

    Attributes:
        table: the table whose records the points are.
        kind: ``line`` over time, or ``bar``.
        unit: of the numbers: ``messages``, ``ms``, ``percent``, or ``share`` (0 to 1).
        finding: what its greatest point says, as a format of ``value``, ``series``, ``place``.
        band: the lines below those of *series*, None for none.
        note: what is not drawn, "" when everything is.
    """

    title: str
    table: str
    kind: str
    unit: str
    series: tuple[Series, ...]
    finding: str = ""
    band: Band | None = None
    note: str = ""

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

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that say which point of which line of which chart a record is."""
        return (*self.panel, *self.by, *self.across)

    def has_point(self, record: Record) -> bool:
        """Whether a record has a number that counts."""
        value = record.get(self.value)
        return value is not None and (self.kind != "bar" or value >= self.least)


PLANS: Final[dict[str, tuple[ChartPlan, ...]]] = {
    "profile": (
        ChartPlan(
            "Messages by day", "profile", "line", ("qmgr",), ("day",), "messages", "messages",
            finding="Most messages seen in a day: {value}, {series} on {place}",
        ),
    ),
    "delay": (
        ChartPlan(
            "Staged at once", "delay_hours", "line", ("qmgr",), ("hour_time",), "peak_count",
            "messages", finding="Most messages seen staged at once: {value}, {series} at {place}",
        ),
        ChartPlan(
            "MAXDEPTH that holds it", "delay", "bar", (), ("qmgr",), "maxdepth", "messages",
            finding="Largest MAXDEPTH required for the messages seen: {value}, {place}",
        ),
        ChartPlan(
            "Longest delay by target", "delay_targets", "bar", ("qmgr",), ("target",),
            "delay_max_ms", "ms",
            finding="Longest delay seen: {value}, {series} to {place}",
        ),
    ),
    "depth": (
        ChartPlan(
            "Depth", "depth_hours", "line", ("queue",), ("hour_time",), "curdepth", "messages", 1,
            "Greatest depth seen: {value}, {series} at {place}", ("qmgr",),
        ),
    ),
    "expiry": (
        ChartPlan(
            "Expired", "expiry", "bar", ("qmgr",), ("queue",), "expired", "messages", 1,
            "Most expired messages seen: at most {value}, {place} of {series}",
        ),
    ),
    "causes": (
        ChartPlan(
            "Share of the poison messages", "causes", "bar", ("qmgr", "family"), ("where",),
            "support", "share", finding="{value} of the poison messages seen of {series} match"
            " {place}",
        ),
    ),
    "cohort": (
        ChartPlan(
            "Rolled back", "cohort", "bar", ("qmgr",), ("queue",), "rolled_back", "messages", 1,
            "Most rolled-back messages seen: {value}, {place} on {series}",
        ),
        ChartPlan(
            "Eventually consumed, by number of rollbacks", "cohort_survival", "bar",
            ("qmgr", "queue"), ("attempt",), "taken_percent", "percent", points=2,
        ),
    ),
    "definitions": (),
}  # fmt: skip


SERIES: Final[frozenset[str]] = frozenset({"delay_hours", "depth_hours"})
"""Tables that are drawn and not listed: a row for each hour of each of their lines."""


def plan_of(job: str, table: str) -> ChartPlan | None:
    """What is drawn of a table, None for nothing."""
    return next((plan for plan in PLANS.get(job, ()) if plan.table == table), None)


def tables_for_charts(job: str) -> tuple[str, ...]:
    """The tables that the charts of *job* are drawn from."""
    return tuple(dict.fromkeys(plan.table for plan in PLANS.get(job, ())))


def charts_of(
    job: str,
    tables: Mapping[str, Sequence[Record]],
    cut_days: Mapping[str, str] = MappingProxyType({}),
    *,
    spreads: bool = False,
    rests: Mapping[str, Rest] | None = None,
) -> list[Chart]:
    """The charts of a job; one without a point is left out.

    Args:
        cut_days: queue manager to its last day, where that is not over: no line falls to it.
        spreads: what is too much for one chart goes on in further ones, as far as they go.
        rests: of each table whose rows are those of the lines that are shown, what is not.
    """
    charts = []
    for plan in PLANS.get(job, ()):
        panels: dict[str, list[Record]] = {}
        for record in tables.get(plan.table, ()):
            if plan.across == ("day",) and record["day"] == cut_days.get(record["qmgr"]):
                continue
            panels.setdefault(_joined(record, plan.panel), []).append(record)
        drawn: list[Chart] = []
        rest = (rests or {}).get(plan.table, Rest(0, {}))
        for name, records in panels.items():
            whole = chart_of(plan, records, name)
            if whole.series:
                drawn += _spread(whole) if spreads else [_capped(whole, rest.bands.get(name))]
        charts += _worst(drawn, max(len(drawn), rest.panels))
    return charts


def _worst(panels: list[Chart], count: int) -> list[Chart]:
    """The charts of `MOST_PANELS` panels, those with the greatest points, in their order.

    Args:
        count: of all panels.
    """
    if count <= MOST_PANELS:
        return panels
    places = sorted(range(len(panels)), key=lambda at: -panels[at].greatest[1][1])[:MOST_PANELS]
    of_all = f"one of the {MOST_PANELS} charts with the greatest values, of {count:,}"
    return [
        panels[at]._replace(note="; ".join(filter(None, (of_all, panels[at].note))))
        for at in sorted(places)
    ]


def chart_of(plan: ChartPlan, records: Sequence[Record], panel: str = "") -> Chart:
    """All of one chart; numbers that stand at the same place of a series are added up."""
    series: dict[str, dict[str, float]] = {}
    for record in records:
        if not plan.has_point(record):
            continue
        points = series.setdefault(_joined(record, plan.by), {})
        place = _joined(record, plan.across)
        points[place] = points.get(place, 0) + record[plan.value]
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


def _capped(whole: Chart, band: Band | None) -> Chart:
    """As much of a chart as a person can tell apart.

    Args:
        band: its other lines, where they were left out before.
    """
    if band is not None:
        return _with_band(whole, band)
    return _few_lines(whole) if whole.kind == "line" else _few_bars(whole, MOST_BARS)


def _spread(whole: Chart) -> list[Chart]:
    """All lines, the highest first, as many in a chart as can be told apart; bars in one chart."""
    if whole.kind != "line":
        return [_few_bars(whole, MOST_BARS * MOST_PANELS)]
    if len(whole.series) <= MOST_LINES:
        return [whole]
    in_order = sorted(whole.series, key=_reach)
    parts = [in_order[at : at + MOST_LINES] for at in range(0, len(in_order), MOST_LINES)]
    return [
        whole._replace(
            title=f"{whole.title} ({number} of {len(parts)})",
            series=tuple(part),
            finding=whole.finding if number == 1 else "",
        )
        for number, part in enumerate(parts, 1)
    ]


def _reach(series: Series) -> float:
    """What lines are ordered by, the one that reaches highest first."""
    return -max(value for _, value in series.points)


def _few_lines(chart: Chart) -> Chart:
    """The lines that reach highest, in their order, and the others as a band."""
    if len(chart.series) <= MOST_LINES:
        return chart
    in_order = sorted(chart.series, key=_reach)
    highest = {series.name for series in in_order[:MOST_LINES]}
    low: dict[str, float] = {}
    high: dict[str, float] = {}
    for series in in_order[MOST_LINES:]:
        for place, value in series.points:
            low[place] = min(value, low.get(place, value))
            high[place] = max(value, high.get(place, value))
    others = len(in_order) - MOST_LINES
    band = Band(others, tuple(sorted(low.items())), tuple(sorted(high.items())))
    shown = tuple(series for series in chart.series if series.name in highest)
    return _with_band(chart._replace(series=shown), band)


def _with_band(chart: Chart, band: Band) -> Chart:
    """A chart of the lines that reach highest, with the others as a band."""
    count = len(chart.series) + band.lines
    return chart._replace(
        band=band,
        note=f"the {MOST_LINES} that reach highest, of {count:,}; the others are the band",
    )


def _few_bars(chart: Chart, most: int) -> Chart:
    """The *most* longest bars, in their order."""
    values = sorted((value for series in chart.series for _, value in series.points), reverse=True)
    if len(values) <= most:
        return chart
    room = most - sum(value > values[most - 1] for value in values[:most])
    kept = []
    for series in chart.series:
        points = []
        for point in series.points:
            as_long = point[1] == values[most - 1]
            if point[1] > values[most - 1] or (as_long and room > 0):
                points.append(point)
                room -= as_long
        kept.append(Series(series.name, tuple(points)))
    return chart._replace(
        series=tuple(series for series in kept if series.points),
        note=f"the {most} greatest of {len(values):,}",
    )


def _joined(record: Record, keys: Sequence[str]) -> str:
    return " ".join("" if record[key] is None else str(record[key]) for key in keys)
