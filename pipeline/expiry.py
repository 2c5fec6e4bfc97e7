"""What expired, how much was carried for nothing, and which lifetime would have sufficed.

Nobody sees a message expire. It is taken to have expired when it was still there at the last look
before its lifetime ended and not at the next one; read within that gap of two looks it would look
the same: what expired is an upper bound, and snapshots closer together tell better.

Nor does anybody see what came and went between two looks. Of messages that stay d in a gap of g,
one in g/d is seen, so each one seen stands for g/d - 1 that were not: their sum, and twice its
standard deviation, bounds how many more there were that stayed as those did. What is taken at once
is not among those seen, and nothing here tells of it.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from mqtriage.pipeline.lifetimes import (
    KEY,
    Observations,
    has_expired,
    lifetimes,
    micros,
    nearest_rank,
    nearest_ranks,
    ranks_apart,
)

COLUMNS: Final = (
    *KEY, "snap_time", "seen", "first_seen_time", "put_time", "expiry_time", "length_bytes",
)  # fmt: skip
CARRIED: Final = ("put_time", "expiry_time", "length_bytes")
SECOND_US: Final = 1_000_000
HOUR_US: Final = 3_600_000_000
COUNTS: Final = [
    "messages", "with_expiry", "expired", "expired_bytes", "carried_message_hours",
    "carried_mb_hours", "taken", "still_there",
]  # fmt: skip
SUFFICES: Final = 99
"""Percent of the messages that were taken for which a lifetime is to suffice."""


def expiry(messages: DataFrame, looked: Observations) -> DataFrame:
    """Sum up the lifetimes of each queue.

    Returns:
        A row a queue: ``messages, with_expiry, expired, expired_bytes, carried_message_hours,
        carried_mb_hours`` (of what expired, from its put to its end; MB are 1,000,000 bytes),
        ``taken`` (gone before their end, or without one), ``still_there``, ``lifetime_p50_ms``
        (as given), ``wait_p50|p95_ms`` and ``sufficient_ms`` (the wait of `SUFFICES` percent of
        those seen that were taken, up to the look that missed them; null where none was),
        ``unseen`` (how many more there may have been that stayed as those seen did).
    """
    lived = lifetimes(messages, looked, CARRIED).select(
        "qmgr",
        "queue",
        F.coalesce("length_bytes", F.lit(0)).alias("length"),
        micros("put_time").alias("put"),
        micros("expiry_time").alias("end"),
        micros("last_seen").alias("last"),
        micros("gone_by").alias("gone"),
        (micros("first_seen") - micros("before_time")).alias("gap"),
    )
    marked = lived.withColumn("expired", has_expired("end", "last", "gone")).withColumn(
        "taken", F.col("gone").isNotNull() & ~F.col("expired")
    )
    # the shortest that it can have stayed, and a second at least
    over = F.when(F.col("expired"), F.col("end")).otherwise(F.col("last"))
    stay = F.greatest(over - F.col("put"), F.lit(SECOND_US))
    is_short = F.coalesce(stay < F.col("gap"), F.lit(False))
    ratio = F.when(is_short, F.col("gap") / stay).otherwise(1.0)
    hours = F.when(F.col("expired"), F.greatest(F.col("end") - F.col("put"), F.lit(0)) / HOUR_US)
    waited_ms = F.when(F.col("taken"), F.expr("greatest(gone - put, 0) div 1000"))
    summed = marked.groupBy("qmgr", "queue").agg(
        F.count(F.lit(1)).alias("messages"),
        F.count("end").alias("with_expiry"),
        F.count_if("expired").alias("expired"),
        F.coalesce(F.sum(F.when(F.col("expired"), F.col("length"))), F.lit(0)).alias(
            "expired_bytes"
        ),
        F.round(F.coalesce(F.sum(hours), F.lit(0.0)), 3).alias("carried_message_hours"),
        F.round(F.coalesce(F.sum(hours * F.col("length")), F.lit(0.0)) / 1_000_000, 3).alias(
            "carried_mb_hours"
        ),
        F.count_if("taken").alias("taken"),
        F.count_if(F.col("gone").isNull() & ~F.col("expired")).alias("still_there"),
        nearest_rank(F.expr("(end - put) div 1000"), 50).alias("lifetime_p50_ms"),
        nearest_ranks(waited_ms, 50, 95, SUFFICES).alias("waits"),
        F.ceil(F.sum(ratio - 1) + 2 * F.sqrt(F.sum(ratio * (ratio - 1))))
        .cast("long")
        .alias("unseen"),
    )
    return ranks_apart(summed, "waits", "wait_p50_ms", "wait_p95_ms", "sufficient_ms")


def with_counts(seen: DataFrame, counted: DataFrame) -> DataFrame:
    """What snapshots saw beside what statistics messages count.

    Args:
        seen: of `expiry`.
        counted: of `mqtriage.pipeline.activity.expired`. A queue of which no snapshot saw a
            message has a row where messages of it expired.
    """
    joined = seen.join(counted, ["qmgr", "queue"], "full")
    return joined.filter("messages is not null or counted_expired > 0").fillna(0, COUNTS)
