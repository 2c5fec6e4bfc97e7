"""What lies on the queues: how many messages, how long and how old, by day, format and program.

A message counts once for each day on which a snapshot saw it, however many did; its age is the
one at the last of them. What an incremental snapshot has no row for is as it was: it was seen.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from mqtriage.pipeline.lifetimes import KEY, Observations, micros, nearest_ranks
from mqtriage.pipeline.snapshots.schema import Seen

COLUMNS: Final = (
    *KEY, "snap_time", "seen", "format", "put_appl_name", "length_bytes", "put_time",
    "backout_count",
)  # fmt: skip
GROUP: Final = ("qmgr", "queue", "day", "format", "put_appl_name")


def profile(messages: DataFrame, looked: Observations | None) -> DataFrame:
    """Count and measure the messages.

    Args:
        messages: rows of the table messages with `COLUMNS`.
        looked: the looks at their queues; None where every snapshot is a full one, which has a row
            for each message on each day that it saw it.

    Returns:
        A row for each of `GROUP`: ``messages``, ``length_bytes`` in all,
        ``length_p50|p95|max_bytes``, ``age_p50|p95|max_ms`` (null without a put time),
        ``backed_out`` (BackoutCount above 0) and ``put_after_look`` (the put time is later than
        the snapshot: clocks disagree; their age is 0). Percentiles are nearest ranks.
    """
    rows = _by_day(messages)
    if looked is None:
        once = rows.filter("is_there").withColumn("look_time", F.col("last_at"))
    else:
        once = days_seen(_stretches(rows), looked)
    once = once.withColumn("age_us", micros("look_time") - micros("put_time"))
    age_ms = F.greatest(F.expr("age_us div 1000"), F.lit(0))
    measured = once.groupBy(*GROUP).agg(
        F.count(F.lit(1)).alias("messages"),
        F.sum("length").alias("length_bytes"),
        nearest_ranks("length", 50, 95).alias("length_ranks"),
        F.max("length").alias("length_max_bytes"),
        nearest_ranks(age_ms, 50, 95).alias("age_ranks"),
        F.max(age_ms).alias("age_max_ms"),
        F.count_if("backed_out").alias("backed_out"),
        F.count_if(F.col("age_us") < 0).alias("put_after_look"),
    )
    return measured.select(
        *GROUP,
        "messages",
        "length_bytes",
        F.get("length_ranks", 0).alias("length_p50_bytes"),
        F.get("length_ranks", 1).alias("length_p95_bytes"),
        "length_max_bytes",
        F.get("age_ranks", 0).alias("age_p50_ms"),
        F.get("age_ranks", 1).alias("age_p95_ms"),
        "age_max_ms",
        "backed_out",
        "put_after_look",
    )


def _by_day(messages: DataFrame) -> DataFrame:
    """A row a message and day with rows of it, one for those that say that it is gone.

    Returns:
        `KEY`, ``day, is_there, format, put_appl_name, length, put_time, first_at, last_at`` (of the
        rows), ``backed_out`` (at the last of them).
    """
    is_there = F.col("seen") != Seen.GONE.value
    was_backed_out = F.coalesce((F.col("backout_count") > 0).cast("int"), F.lit(0))
    by_day = messages.groupBy(
        *KEY,
        F.to_date("snap_time").alias("day"),
        is_there.alias("is_there"),
        F.coalesce("format", F.lit("")).alias("format"),
        F.coalesce("put_appl_name", F.lit("")).alias("put_appl_name"),
    ).agg(
        F.min("snap_time").alias("first_at"),
        F.max("snap_time").alias("last_at"),
        F.max("length_bytes").alias("length"),
        F.max("put_time").alias("put_time"),
        # the last row's in one number, which Spark keeps without sorting the rows
        F.max(2 * micros("snap_time") + was_backed_out).alias("time_and_backed_out"),
    )
    return by_day.withColumn("backed_out", F.col("time_and_backed_out") % 2 == 1)


def _stretches(by_day: DataFrame) -> DataFrame:
    """Rows of `_by_day` that say that a message is there, and when another tells otherwise.

    Returns:
        Its columns, ``next_at`` (the next row of the message, on a later day or that says that it
        is gone; null for none), ``next_day`` (of the next rows that say it is there).
    """
    later = (
        Window.partitionBy(*KEY)
        .orderBy(F.desc("last_at"))
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    tells = F.when(F.col("is_there"), F.col("first_at")).otherwise(F.col("last_at"))
    return (
        by_day.withColumn("next_at", F.min(tells).over(later))
        .withColumn("next_day", F.min(F.when(F.col("is_there"), F.col("day"))).over(later))
        .filter("is_there")
    )


def days_seen(stretches: DataFrame, looked: Observations) -> DataFrame:
    """A row a message and day on which it was seen, or known from incremental snapshots to be.

    Returns:
        The columns of *stretches*, with the ``day`` and its last ``look_time`` of the message.
    """
    of_queue = ("qmgr", "look_queue")
    times = looked.times
    last = times.select(*of_queue, F.col("look_time").alias("last_at"), "full_time", "end_time")
    there_at = F.col("before_time").alias("there_at")
    stop = times.select(*of_queue, F.col("look_time").alias("stop_at"), there_at)
    ends = times.groupBy(*of_queue, F.to_date("look_time").alias("day")).agg(
        F.max("whole_time").alias("day_end")
    )
    until = F.when(F.col("stop_at").isNull(), F.col("end_time")).otherwise(F.col("there_at"))
    first_day, last_day = F.to_date("last_at"), F.to_date("until")
    return (
        looked.of(stretches.drop("day"))
        .join(last, [*of_queue, "last_at"], "left")
        .withColumn("stop_at", F.least("next_at", "full_time"))
        .join(stop, [*of_queue, "stop_at"], "left")
        .withColumn("until", F.greatest("last_at", until))
        .withColumn("day", F.explode(F.sequence(first_day, last_day)))
        .filter(F.coalesce(F.col("day") < F.col("next_day"), F.lit(True)))
        .join(ends, [*of_queue, "day"], "left")
        .withColumn(
            "look_time",
            F.when(F.col("day") == last_day, F.col("until"))
            .when(F.col("day") == first_day, F.greatest("last_at", "day_end"))
            .otherwise(F.col("day_end")),
        )
        .filter(F.col("look_time").isNotNull())
    )
