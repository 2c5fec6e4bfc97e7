"""What the readers of all forms of logs agree on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F

BROKEN: Final = "_broken"
"""Column for the file of a piece that cannot be read; null for one that can."""
FILE: Final = "_file"
"""Column for the file that a row of events or statistics was read from."""
NOWHERE: Final = "?"
"""Queue manager of what names none: no queue manager is called so."""


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
