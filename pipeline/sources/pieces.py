"""What the readers of all forms of logs agree on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from mqtriage.pipeline.snapshots.schema import PARTITIONS, Table

BROKEN: Final = "_broken"
"""Column for a piece that cannot be read: its file, a line end, and why; else null."""
FILE: Final = "_file"
"""Column for the file that a row of events or statistics was read from."""
NOWHERE: Final = "?"
"""Queue manager of what names none: no queue manager is called so."""
CORRUPT: Final = "_corrupt"
"""Member of what `from_json` gives for a text that is not JSON of its schema."""


def texts(session: SparkSession, paths: Sequence[str], separator: str | None = None) -> DataFrame:
    """Files cut at each separator, or into lines: ``value, file``."""
    read = session.read.text(list(paths), lineSep=separator)
    return read.select("value", F.col("_metadata.file_path").alias("file"))


def from_json(text: str | Column, schema: str, **more: str) -> Column:
    """JSON as a struct of *schema* and `CORRUPT`; *more* options of Spark."""
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT, **more}
    return F.from_json(text, f"{schema},{CORRUPT} string", options)


def part(column: str, pattern: str, group: int = 1) -> Column:
    """What a group of the pattern has, null where nothing matches or it is empty."""
    return F.nullif(F.regexp_extract(column, pattern, group), F.lit(""))


def columns_of(table: Table, known: Mapping[str, Column]) -> list[Column]:
    """The columns of a table and of its folders; those that are not known are null."""
    return [
        known.get(c.name, F.lit(None)).cast(c.type.value).alias(c.name)
        for c in (*table.columns, *PARTITIONS)
    ]


def moment(date: Column, time: Column) -> Column:
    """``2026-01-05`` and ``13.45.00`` as a time, null where it is none."""
    return F.try_to_timestamp(F.concat(date, F.lit(" "), F.translate(time, ".", ":")))


def measured(
    *,
    time: Column,
    is_accounting: Column,
    queue: Column,
    application: Column,
    user: Column,
    connection: Column,
    interval: tuple[Column, Column],
    counts: Mapping[str, Iterable[Column]],
    qmgr: Column,
) -> list[Column]:
    """The columns of the table statistics, and those of its folders.

    Args:
        interval: when it began and ended, by the same clock.
        counts: column to the texts that it adds up.
    """
    began, ended = interval
    return [
        F.lit("log").alias("snapshot_id"),
        time.alias("snap_time"),
        F.when(is_accounting, "accounting").otherwise("statistics").alias("basis"),
        queue.alias("queue"),
        F.when(is_accounting, application).alias("application"),
        F.when(is_accounting, user).alias("user"),
        F.when(is_accounting, connection).alias("connection"),
        ((F.unix_micros(ended) - F.unix_micros(began)) / 1000).cast("long").alias("interval_ms"),
        *(_total(texts).alias(column) for column, texts in counts.items()),
        F.coalesce(qmgr, F.lit(NOWHERE)).alias("qmgr"),
        F.to_date(time).alias("snap_date"),
    ]


def _total(texts: Iterable[Column]) -> Column:
    """The sum of some counts, each a number, or a list with one for each persistence.

    Null where there is none of them.
    """
    nothing = F.lit(0).cast("long")
    numbers = [
        F.aggregate(
            F.from_json(
                F.concat(F.lit("["), F.translate(text, "[]", ""), F.lit("]")), "array<long>"
            ),
            nothing,
            lambda total, number: total + F.coalesce(number, nothing),
        )
        for text in texts
    ]
    total = reduce(Column.__add__, (F.coalesce(number, nothing) for number in numbers))
    return F.when(F.coalesce(*numbers).isNotNull(), total)
