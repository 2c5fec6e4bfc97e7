"""What lies on the queues: how many messages, how long and how old, by day, format and program.

A message counts once for each day on which a snapshot saw it, however many did; its age is the
one at the last of them.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from mqtriage.pipeline.lifetimes import KEY, micros, nearest_ranks
from mqtriage.pipeline.snapshots.schema import Seen

COLUMNS: Final = (
    *KEY, "snap_date", "snap_time", "seen", "format", "put_appl_name", "length_bytes", "put_time",
    "backout_count",
)  # fmt: skip
GROUP: Final = ("qmgr", "queue", "day", "format", "put_appl_name")


def profile(messages: DataFrame) -> DataFrame:
    """Count and measure the messages.

    Args:
        messages: rows of the table messages with `COLUMNS`.

    Returns:
        A row for each of `GROUP`: ``messages``, ``length_bytes`` in all,
        ``length_p50|p95|max_bytes``, ``age_p50|p95|max_ms`` (null without a put time),
        ``backed_out`` (BackoutCount above 0) and ``put_after_look`` (the put time is later than
        the snapshot: clocks disagree; their age is 0). Percentiles are nearest ranks.
    """
    once = (
        messages.filter(F.col("seen") != Seen.GONE.value)
        .groupBy(
            *KEY,
            F.col("snap_date").alias("day"),
            F.coalesce("format", F.lit("")).alias("format"),
            F.coalesce("put_appl_name", F.lit("")).alias("put_appl_name"),
        )
        .agg(
            F.max("length_bytes").alias("length"),
            F.max(micros("snap_time") - micros("put_time")).alias("age_us"),
            F.max("backout_count").alias("backout_count"),
        )
    )
    age_ms = F.greatest(F.expr("age_us div 1000"), F.lit(0))
    measured = once.groupBy(*GROUP).agg(
        F.count(F.lit(1)).alias("messages"),
        F.sum("length").alias("length_bytes"),
        nearest_ranks("length", 50, 95).alias("length_ranks"),
        F.max("length").alias("length_max_bytes"),
        nearest_ranks(age_ms, 50, 95).alias("age_ranks"),
        F.max(age_ms).alias("age_max_ms"),
        F.count_if(F.col("backout_count") > 0).alias("backed_out"),
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
