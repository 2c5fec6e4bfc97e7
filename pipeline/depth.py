"""When queues will be full, and which grew because nobody took messages off them.

The depth is read as a line through the last days, a pattern of the hours of a day around it, and
noise around both. MAXDEPTH is reached when the line and the highest hour add up to it; twice the
noise, and twice the error of the slope, give the earliest and the latest time. A history says
nothing of a time that is further ahead than it goes back: no later time is given.

Nothing was taken off a queue between two looks when its depth did not fall and the time of its
last get is the same. Where that is not kept (MONQ(OFF)) the depth alone tells, and a queue that is
read more slowly than it is filled looks stuck.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

COLUMNS: Final = (
    "qmgr", "queue", "snap_time", "curdepth", "maxdepth", "ipprocs", "last_get_time",
)  # fmt: skip
HOUR_US: Final = 3_600_000_000
DAYS_FOR_A_PATTERN: Final = 2
LEAST_GROWTH: Final = 10
"""Messages by which a queue must grow without a fall to be shown as stuck."""


def depth(queues: DataFrame, *, trend_hours: int = 7 * 24, stuck_hours: int = 2) -> DataFrame:
    """Forecast each queue's depth, and find the longest time that nothing was taken off it.

    Args:
        queues: rows of the table queues with `COLUMNS`.
        trend_hours: how far back the line reaches from the last snapshot of a queue.
        stuck_hours: a queue that nothing was taken off for so long, and that grew, is stuck.

    Returns:
        A row a queue: ``looks, last_time, curdepth, maxdepth, greatest_curdepth, full_looks``
        (looks that found it full), ``growth_a_day``, ``swing`` (what the highest hour of the day
        adds), ``noise`` (one standard deviation), ``full_time, full_early_time,
        full_late_time`` (null: not foreseen), and ``stuck_from, stuck_until, stuck_growth,
        stuck_readers`` (handles open for input then; null: never stuck).
    """
    of_queue = Window.partitionBy("qmgr", "queue")
    in_time = of_queue.orderBy("at_us")
    looked = (
        queues.groupBy("qmgr", "queue", F.unix_micros("snap_time").alias("at_us"))
        .agg(
            F.max("curdepth").alias("curdepth"),
            F.max("maxdepth").alias("maxdepth"),
            F.max("ipprocs").alias("ipprocs"),
            F.max("last_get_time").alias("got_at"),
        )
        # metrics need not know what snapshots between them do
        .withColumns({n: F.last(n, ignorenulls=True).over(in_time) for n in ("maxdepth", "got_at")})
        .filter(F.col("curdepth").isNotNull())
    )
    fell = F.coalesce(F.col("curdepth") < F.lag("curdepth").over(in_time), F.lit(False))
    # it is blank after a restart, which is no get
    got = F.col("got_at").isNotNull() & ~F.col("got_at").eqNullSafe(F.lag("got_at").over(in_time))
    marked = (
        looked.withColumn("last_us", F.max("at_us").over(of_queue))
        .withColumn("next_us", F.coalesce(F.lead("at_us").over(in_time), "at_us"))
        .withColumn("run", F.sum((fell | got).cast("int")).over(in_time))
        .withColumn("hours", (F.col("at_us") - F.col("last_us")) / HOUR_US)
        .withColumn("recent", F.col("hours") >= -trend_hours)
    )
    y = F.when(F.col("recent"), F.col("curdepth").cast("double"))
    fitted = (
        marked.withColumn("slope", F.coalesce(F.regr_slope(y, "hours").over(of_queue), F.lit(0.0)))
        .withColumn("mean_y", F.avg(y).over(of_queue))
        .withColumn("mean_x", F.avg(F.when(F.col("recent"), F.col("hours"))).over(of_queue))
        .withColumn("level", F.col("mean_y") - F.col("slope") * F.col("mean_x"))
        .withColumn("rest", y - F.col("level") - F.col("slope") * F.col("hours"))
        .withColumn(
            "has_pattern",
            F.min(F.when(F.col("recent"), F.col("hours"))).over(of_queue)
            <= -24 * DAYS_FOR_A_PATTERN,
        )
        .withColumn("hour", F.expr(f"at_us div {HOUR_US} % 24"))
        .withColumn(
            "pattern",
            F.when(
                F.col("has_pattern"),
                F.avg("rest").over(Window.partitionBy("qmgr", "queue", "hour")),
            ).otherwise(0.0),
        )
    )
    return _forecast(_folded(fitted, stuck_hours))


def _folded(fitted: DataFrame, stuck_hours: int) -> DataFrame:
    """One row a queue, with the run that grew most of those in which nothing was taken off it."""
    recent = F.col("recent")
    runs = fitted.groupBy("qmgr", "queue", "run").agg(
        F.min(F.least("at_us", F.unix_micros("got_at"))).alias("begun"),
        # it may have been quiet before: it grew from the last look that found it at its lowest
        F.max_by("at_us", F.struct(-F.col("curdepth"), "at_us")).alias("run_from"),
        F.max("at_us").alias("run_until"),
        F.max("next_us").alias("ended"),
        (F.max("curdepth") - F.min("curdepth")).alias("run_growth"),
        F.max("ipprocs").alias("run_readers"),
        F.count(F.lit(1)).alias("n"),
        F.max(F.struct("at_us", "curdepth", "maxdepth")).alias("last"),
        F.max("curdepth").alias("greatest"),
        F.count_if(F.col("curdepth") >= F.col("maxdepth")).alias("full"),
        F.first("slope").alias("slope"),
        F.first("level").alias("level"),
        F.max(F.when(recent, F.col("pattern"))).alias("swing"),
        F.sum(F.when(recent, F.pow(F.col("rest") - F.col("pattern"), F.lit(2)))).alias("squares"),
        F.count_if(recent).alias("points"),
        F.sum(F.when(recent, F.col("hours"))).alias("sum_x"),
        F.sum(F.when(recent, F.col("hours") * F.col("hours"))).alias("sum_xx"),
        F.min(F.when(recent, F.col("hours"))).alias("oldest"),
        F.min("hours").alias("first_hours"),
    )
    long_us = stuck_hours * HOUR_US
    is_stuck = (
        (F.col("ended") - F.col("begun") >= long_us)
        & (F.col("ended") - F.col("run_from") >= long_us / 2)  # not a burst after a quiet time
        & (F.col("run_growth") >= LEAST_GROWTH)
    )
    stuck = F.when(is_stuck, F.struct("run_growth", "run_from", "run_until", "run_readers"))
    return runs.groupBy("qmgr", "queue").agg(
        F.sum("n").alias("looks"),
        F.max("last").alias("last"),
        F.max("greatest").alias("greatest_curdepth"),
        F.sum("full").alias("full_looks"),
        F.first("slope").alias("slope"),
        F.first("level").alias("level"),
        F.max("swing").alias("swing"),
        F.sqrt(F.sum("squares") / F.sum("points")).alias("noise"),
        F.sqrt(
            F.sum("sum_xx") / F.sum("points") - F.pow(F.sum("sum_x") / F.sum("points"), F.lit(2))
        ).alias("spread"),
        # looks within one hour tell the same: the error is that of one look an hour
        F.least(F.sum("points").cast("double"), 1 - F.min("oldest")).alias("worth"),
        (-F.min("first_hours")).alias("history_hours"),
        F.max(stuck).alias("stuck"),
    )


def _forecast(folded: DataFrame) -> DataFrame:
    error = F.coalesce(
        F.when(
            (F.col("spread") > 0) & (F.col("worth") > 0),
            F.col("noise") / (F.sqrt("worth") * F.col("spread")),
        ),
        F.lit(0.0),
    )
    room = F.col("last.maxdepth") - F.col("level") - F.col("swing")

    def reached(depth: Column, slope: Column) -> Column:
        hours = F.greatest(depth / slope, F.lit(0.0))
        at_us = (F.col("last.at_us") + hours * HOUR_US).cast("long")
        soon = (slope > 0) & (hours <= F.col("history_hours"))
        return F.timestamp_micros(
            F.when(F.col("last.curdepth") >= F.col("last.maxdepth"), F.col("last.at_us")).when(
                soon, at_us
            )
        )

    margin = 2 * F.col("noise")
    return folded.select(
        "qmgr",
        "queue",
        "looks",
        F.timestamp_micros("last.at_us").alias("last_time"),
        F.col("last.curdepth").alias("curdepth"),
        F.col("last.maxdepth").alias("maxdepth"),
        "greatest_curdepth",
        "full_looks",
        F.round(F.col("slope") * 24, 1).alias("growth_a_day"),
        F.round("swing", 1).alias("swing"),
        F.round("noise", 1).alias("noise"),
        reached(room, F.col("slope")).alias("full_time"),
        reached(room - margin, F.col("slope") + 2 * error).alias("full_early_time"),
        reached(room + margin, F.col("slope") - 2 * error).alias("full_late_time"),
        F.timestamp_micros("stuck.run_from").alias("stuck_from"),
        F.timestamp_micros("stuck.run_until").alias("stuck_until"),
        F.col("stuck.run_growth").alias("stuck_growth"),
        F.col("stuck.run_readers").alias("stuck_readers"),
    )


def hourly(queues: DataFrame) -> DataFrame:
    """The depth hour by hour, for a chart.

    Returns:
        ``qmgr, queue, hour_time, curdepth`` (the greatest of the hour), ``maxdepth``.
    """
    return (
        queues.groupBy("qmgr", "queue", F.date_trunc("hour", "snap_time").alias("hour_time"))
        .agg(F.max("curdepth").alias("curdepth"), F.max("maxdepth").alias("maxdepth"))
        .filter(F.col("curdepth").isNotNull())
    )
