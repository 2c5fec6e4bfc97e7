"""The rows of a job's tables, as records in the order of the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from mqtriage.model.analysis_tables import AnalysisTable
from mqtriage.model.result import Record
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.lifetimes import EXACT_UP_TO

MOST_HELD: Final = 20_000
"""Rows of a table that `TableRows` holds: some 30 MB."""
ROWS_A_PART: Final = 50_000
"""Rows that Java has at once of a table that is handed over in parts."""


class TableRows:
    """The rows of a table that is kept, in its order, as often as they are asked for.

    Attributes:
        count: how many there are.
    """

    def __init__(self, frame: DataFrame, table: AnalysisTable) -> None:
        self.frame, self.table = frame, table
        messages = F.max("messages") if "messages" in frame.columns else F.lit(None)
        (row,) = frame.agg(F.count(F.lit(1)).alias("n"), messages.alias("messages")).collect()
        self.count: int = row["n"]
        most = {**dict.fromkeys(frame.columns), "messages": row["messages"]}
        self.is_approximate = is_approximate(most)
        self._held: list[Record] | None = None

    def __iter__(self) -> Iterator[Record]:
        if self.count > MOST_HELD:
            parts = 1 + self.count // ROWS_A_PART
            return records(self.frame, self.table, parts=parts)
        if self._held is None:
            self._held = list(records(self.frame, self.table))
        return iter(self._held)


def records(
    frame: DataFrame, table: AnalysisTable, limit: int | None = None, *, parts: int = 0
) -> Iterator[Record]:
    """The rows of a table in its order, times as RFC 3339; the first *limit* of them."""
    there = set(frame.columns)
    # what Spark does not know is left out
    promised = [field.key for field in table.fields if field.key in there]
    return in_order(frame, table.order, limit, parts=parts, columns=promised)


def in_order(
    frame: DataFrame,
    order: Sequence[str],
    limit: int | None = None,
    *,
    parts: int = 0,
    columns: Sequence[str] = (),
) -> Iterator[Record]:
    """Rows by the columns of *order*, times as RFC 3339; the first *limit* of them.

    All of them are put in order here, where they are held anyway: Spark would work out the last
    step twice, once to see where to cut. The first few are chosen by Spark, each task its own.

    Args:
        parts: they are more than are to be held here: Spark puts them in order, and hands over one
            of so many parts after the other; 0 where they are held.
        columns: in their order; all of *frame* when empty.
    """
    types = {field.name: field.dataType for field in frame.schema.fields}
    names = columns or list(types)
    times = [name for name in names if isinstance(types[name], T.TimestampType)]
    days = [name for name in names if isinstance(types[name], T.DateType)]
    # a TimestampType would come back in the time zone of this process
    chosen = frame.select(
        *(F.unix_micros(name).alias(name) if name in times else name for name in names)
    )
    ascending = [F.col(key).asc_nulls_first() for key in order]
    if parts:
        # as many as are asked for: it would make few of what has few bytes, and hold one in Java
        chosen = chosen.repartitionByRange(parts, *ascending).sortWithinPartitions(*ascending)
    elif limit is not None:
        chosen = chosen.orderBy(*ascending).limit(limit)
    rows: Iterable[Row]
    if parts:
        rows = rows_by_part(chosen)
    else:
        rows = sorted(chosen.collect(), key=lambda row: _place(row, order))
    for row in rows:
        record: dict[str, Any] = row.asDict()
        for name in times:
            record[name] = None if record[name] is None else rfc3339(record[name])
        for name in days:
            record[name] = None if record[name] is None else record[name].isoformat()
        yield record


def rows_by_part(frame: DataFrame) -> Iterator[Row]:
    """The rows of *frame*; what hands them over has one part of them at once.

    Spark 4.3 keeps what `DataFrame.toLocalIterator` handed over until the session ends: its jobs
    are still listed under a query that was over before they began. Those of an RDD have no query.
    """
    is_here = isinstance(frame, ClassicDataFrame)  # Spark Connect has no RDDs
    return frame.rdd.toLocalIterator() if is_here else frame.toLocalIterator()


def _place(row: Row, order: Iterable[str]) -> list[tuple[bool, Any]]:
    """What a row is sorted by; a missing value comes first."""
    return [(row[key] is not None, row[key]) for key in order]


def is_approximate(record: Record) -> bool:
    """Whether Spark may have rounded the ranks of percentiles in a record."""
    is_ranked = any("_p50_" in key or "_p95_" in key for key in record)
    return is_ranked and (record.get("messages") or 0) > EXACT_UP_TO
