"""Gathers for a report what it needs of a job's tables, without holding them in Python.

Of a table that is only drawn (`mqtriage.model.analysis_charts.SERIES`), a row for each hour of each
line, Spark gives how high each line reaches, then the rows of those that are shown, and between
what the others lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import groupby
from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as F

from mqtriage.model.analysis_charts import (
    MOST_LINES,
    MOST_PANELS,
    SERIES,
    Band,
    ChartPlan,
    Rest,
    plan_of,
)
from mqtriage.model.result import Record
from mqtriage.pipeline.report.gathered import (
    COUNTS_OF_TROUBLE,
    Gathered,
    GatherRequest,
    is_shown,
    wrong_system_queues,
)
from mqtriage.pipeline.report.table_rows import TableRows, in_order, records
from mqtriage.pipeline.snapshots.advice import can_advise

_BETWEEN = "\0"
"""Stands between the names of a line that are compared together."""


class _Panel(NamedTuple):
    """A chart, as far as its lines go.

    Attributes:
        name: of its panel, "" where a plan has none.
        reach: its greatest number.
        lines: those that are shown, as `_named`; *others* are not.
    """

    name: str
    reach: float
    lines: Sequence[str]
    others: Sequence[str]


def gather(job: str, tables: Mapping[str, TableRows], request: GatherRequest) -> Gathered:
    """What a report needs of *tables*."""
    gathered = Gathered(job, request.most)
    lines = {}
    for name in tables.keys() & SERIES:
        plan = _plan(job, name)
        reach = F.max(plan.value).alias(plan.value)
        keys = (*plan.panel, *plan.by)
        lines[name] = list(in_order(tables[name].frame.groupBy(*keys).agg(reach), keys))
    telling = {name: rows for name, rows in tables.items() if name not in lines and _tells(rows)}
    wrong = wrong_system_queues({**telling, **lines})
    for name, rows in tables.items():
        if name in lines:
            shown = [line for line in lines[name] if is_shown(line, wrong)]
            gathered.rows[name], gathered.rests[name] = cut(rows, _plan(job, name), shown)
        else:
            gathered.take(name, (row for row in rows if is_shown(row, wrong)))
        if request.keep is not None:
            request.keep(job, name, (row for row in rows if is_shown(row, wrong)))
    return gathered


def cut(rows: TableRows, plan: ChartPlan, lines: Iterable[Record]) -> tuple[list[Record], Rest]:
    """The rows of the lines that charts show, and what they do not.

    Args:
        lines: a row for each line, with the number that it reaches, in the order of the table.
    """
    panels = list(_panels(plan, lines))
    highest = nsmallest(MOST_PANELS, panels, key=lambda panel: -panel.reach)
    name = _name_of((*plan.panel, *plan.by))
    shown = name.isin([line for panel in highest for line in panel.lines])
    bands = {panel.name: Band(len(panel.others), (), ()) for panel in highest if panel.others}
    if bands:
        others = name.isin([line for panel in highest for line in panel.others])
        between = (
            rows.frame.filter(others & F.col(plan.value).isNotNull())
            .groupBy(*plan.panel, *plan.across)
            .agg(F.min(plan.value).alias("low"), F.max(plan.value).alias("high"))
        )
        points = in_order(between, (*plan.panel, *plan.across))
        for panel, ones in groupby(points, lambda point: _named(point, plan.panel)):
            ends = [(_named(one, plan.across), one["low"], one["high"]) for one in ones]
            low = tuple((place, least) for place, least, _ in ends)
            high = tuple((place, greatest) for place, _, greatest in ends)
            bands[panel] = bands[panel]._replace(low=low, high=high)
    return list(records(rows.frame.filter(shown), rows.table)), Rest(len(panels), bands)


def _panels(plan: ChartPlan, lines: Iterable[Record]) -> Iterator[_Panel]:
    for name, of_panel in groupby(lines, lambda line: _named(line, plan.panel)):
        counting = [line for line in of_panel if plan.has_point(line)]
        drawn = [line for line in counting if line[plan.value] >= plan.least]
        if drawn:
            drawn.sort(key=lambda line: -line[plan.value])
            names = [_named(line, (*plan.panel, *plan.by)) for line in drawn]
            reach = drawn[0][plan.value]
            yield _Panel(name, reach, names[:MOST_LINES], names[MOST_LINES:])


def _plan(job: str, table: str) -> ChartPlan:
    plan = plan_of(job, table)
    assert plan is not None  # or it would be in no report
    return plan


def _tells(rows: TableRows) -> bool:
    """Whether rows of a table can say that something is wrong with a queue."""
    columns = set(rows.frame.columns)
    telling = {"curdepth", *COUNTS_OF_TROUBLE}
    return {"qmgr", "queue"} <= columns and (
        can_advise(rows.table.name) or not columns.isdisjoint(telling)
    )


def _named(record: Record, keys: Sequence[str]) -> str:
    return _BETWEEN.join(str(record[key] or "") for key in keys)


def _name_of(keys: Sequence[str]) -> Column:
    """What `_named` gives, as a column."""
    return F.concat_ws(_BETWEEN, *(F.coalesce(F.col(key), F.lit("")) for key in keys))
