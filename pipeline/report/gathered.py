"""What a report keeps of the rows of a job's tables, which go by one after the other.

A report lists the first rows of a table, counts them, draws sums of them and advises from some: it
never needs all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from mqtriage.model.analysis_charts import Chart, Rest, charts_of, plan_of
from mqtriage.model.result import Record
from mqtriage.pipeline.snapshots.advice import Weight, advice, can_advise, is_needed

COUNTS_OF_TROUBLE: Final = ("full_looks", "full_count", "high_count", "slow_count")
"""Columns that say that something was wrong with a queue where they are above 0."""
Place = tuple[Any, ...]
Keep = Callable[[str, str, Iterable[Record]], None]
"""Is given a job, one of its tables, and all rows of that which count, in its order."""


class GatherRequest(NamedTuple):
    """What of a job's tables a report needs.

    Attributes:
        most: rows of a table that are listed.
        keep: is given all rows as well, again where a damaged file ended the first attempt.
    """

    most: int
    keep: Keep | None = None


@dataclass(slots=True)
class Gathered:
    """What is kept of a job's tables, by their names.

    Attributes:
        most: rows of a table to keep.
        rows: the first ones of each table that is listed; of one that is only drawn, those of the
            lines that are shown.
        counts: of all rows of each table that is listed.
        drawn: of each table that is listed and drawn, one record for each point.
        rests: of each table that is only drawn.
        advised: the rows that advice comes of.
    """

    job: str
    most: int
    rows: dict[str, list[Record]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    drawn: dict[str, list[Record]] = field(default_factory=dict)
    rests: dict[str, Rest] = field(default_factory=dict)
    advised: dict[str, list[Record]] = field(default_factory=dict)

    def take(self, table: str, rows: Iterable[Record]) -> None:
        """Keep what is needed of a table that is listed.

        Args:
            rows: all of them, in the order of the table.
        """
        plan, points = plan_of(self.job, table), dict[Place, dict[str, Any]]()
        first, advised, count = list[Record](), list[Record](), 0
        advises = can_advise(table)
        for row in rows:
            count += 1
            if count <= self.most:
                first.append(row)
            if advises and is_needed(table, row):
                advised.append(row)
            if plan is not None and plan.has_point(row):
                point = {key: row[key] for key in plan.keys}
                there = points.setdefault(tuple(point.values()), {**point, plan.value: 0})
                there[plan.value] += row[plan.value]
        self.rows[table], self.counts[table], self.advised[table] = first, count, advised
        self.drawn[table] = list(points.values())

    def charts(self, cut_days: Mapping[str, str]) -> list[Chart]:
        """The charts of the job, as `charts_of` makes them of all rows."""
        return charts_of(self.job, {**self.rows, **self.drawn}, cut_days, rests=self.rests)


def _is_of_system(row: Record) -> bool:
    """Whether a row is of a queue whose name begins with SYSTEM."""
    return str(row.get("queue") or "").startswith("SYSTEM.") and "qmgr" in row


def wrong_system_queues(tables: Mapping[str, Iterable[Record]]) -> set[tuple[str, str]]:
    """(queue manager, queue) of each SYSTEM.* queue with which something is wrong.

    Something is where there is advice, where messages lie on a dead-letter queue, and where a queue
    was full or served slowly, by looks at it or by events.
    """
    return {
        (row["qmgr"], row["queue"])
        for name, rows in tables.items()
        for row in rows
        if _is_of_system(row)
        and (
            ("DEAD.LETTER" in row["queue"] and row.get("curdepth"))
            or any(row.get(count) for count in COUNTS_OF_TROUBLE)
            or any(one.weight < Weight.KNOW for one in advice({name: [row]}))
        )
    }


def is_shown(row: Record, wrong: set[tuple[str, str]]) -> bool:
    """Whether a row is none of a SYSTEM.* queue, or of one of those with which something is."""
    return not _is_of_system(row) or (row["qmgr"], row["queue"]) in wrong
