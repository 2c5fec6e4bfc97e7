"""What statistics and accounting messages count: every message, not only those that were seen.

Temporary dynamic queues, of which a program opens a new one each time, are one row by what their
names begin with.

Queue statistics know all programs; where there are none of a queue, accounting messages are added
up, which know those applications alone that were accounted.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

COLUMNS: Final = (
    "qmgr", "snap_time", "basis", "queue", "application", "user", "connection", "interval_ms",
    "puts", "puts_failed", "put_bytes", "gets", "gets_failed", "get_bytes", "browses", "expired",
    "purged", "depth_max", "commits", "backouts",
)  # fmt: skip
_SUMS: Final = (
    "puts", "puts_failed", "put_bytes", "gets", "gets_failed", "get_bytes", "expired", "purged",
)  # fmt: skip
_OF_APPLICATION: Final = (
    "puts", "gets", "puts_failed", "gets_failed", "browses", "commits", "backouts",
)  # fmt: skip
_TEMPORARY: Final = r"^(?:(AMQ\.(?:.*[^0-9A-F])?)[0-9A-F]{8,16}|(.*[^0-9A-F])[0-9A-F]{16})$"
"""The name that a queue manager makes of DynamicQName; AMQ. begins no other."""


def _named() -> Column:
    """The queue, of a temporary one what its name begins with and ``*``."""
    return F.regexp_replace("queue", _TEMPORARY, "$1$2*")


def queues(statistics: DataFrame) -> DataFrame:
    """What went through each queue.

    Args:
        statistics: rows of the table statistics with `COLUMNS`, each record once.

    Returns:
        A row a queue: ``qmgr, queue`` (`_named`), ``basis, puts, gets, expired, expired_percent``
        (of the puts), ``purged, puts_failed, gets_failed, put_bytes, get_bytes, depth_max``,
        ``busiest_puts`` and
        ``busiest_time`` (of the interval with most puts), ``intervals, from_time, until_time``.
    """
    counted = statistics.filter(F.col("queue").isNotNull()).withColumn("queue", _named())
    summed = counted.groupBy("qmgr", "queue", "basis").agg(
        *(F.sum(name).alias(name) for name in _SUMS),
        F.max("depth_max").alias("depth_max"),
        F.max(F.struct("puts", "snap_time")).alias("busiest"),
        F.count_distinct("snap_time").alias("intervals"),
        F.min(_begin()).alias("first_time"),
        F.max("snap_time").alias("until_time"),
    )
    # "statistics" sorts behind "accounting"
    rows = summed.groupBy("qmgr", "queue").agg(
        F.max_by(
            F.struct(*(c for c in summed.columns if c not in ("qmgr", "queue"))), "basis"
        ).alias("r")
    )
    percent = F.round(100 * F.col("r.expired") / F.col("r.puts"), 1)
    return rows.select(
        "qmgr",
        "queue",
        "r.*",
        F.when(F.col("r.puts") > 0, percent).alias("expired_percent"),
        F.col("r.busiest.puts").alias("busiest_puts"),
        F.col("r.busiest.snap_time").alias("busiest_time"),
        F.col("r.first_time").alias("from_time"),
    )


def applications(statistics: DataFrame) -> DataFrame:
    """What each application did, in all (queue null) and on each queue.

    Returns:
        ``qmgr, application, user, queue, puts, gets, puts_failed, gets_failed, browses, commits,
        backouts, backout_percent`` (of the units of work), ``from_time, until_time``.
    """
    units = F.col("commits") + F.col("backouts")
    return (
        statistics.filter(F.col("basis") == "accounting")
        .withColumn("queue", _named())
        .groupBy("qmgr", "application", "user", "queue")
        .agg(
            *(F.sum(name).alias(name) for name in _OF_APPLICATION),
            F.min(_begin()).alias("from_time"),
            F.max("snap_time").alias("until_time"),
        )
        .withColumn(
            "backout_percent", F.when(units > 0, F.round(100 * F.col("backouts") / units, 1))
        )
    )


def expired(statistics: DataFrame) -> DataFrame:
    """The messages of each queue that expired, and within which time that was counted.

    Returns:
        ``qmgr, queue, counted_expired, counted_from_time, counted_until_time``.
    """
    return (
        statistics.filter((F.col("basis") == "statistics") & F.col("expired").isNotNull())
        .groupBy("qmgr", "queue")
        .agg(
            F.sum("expired").alias("counted_expired"),
            F.min(_begin()).alias("counted_from_time"),
            F.max("snap_time").alias("counted_until_time"),
        )
    )


def _begin() -> Column:
    """When the interval of a record began; its end where that is not known."""
    span_us = F.coalesce("interval_ms", F.lit(0).cast("long")) * 1000
    return F.timestamp_micros(F.unix_micros("snap_time") - span_us)
