"""What depth queues will have, when they will be full, and which grew unread.

Spark brings each queue's looks down to one an hour; `forecasting` works on those on the driver, in
a few milliseconds a queue.

Nothing was taken off a queue between two looks when its depth did not fall and the time of its
last get is the same. Where that is not kept (MONQ(OFF)) the depth alone tells, and a queue that is
read more slowly than it is filled looks stuck.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any, Final

from pyspark.sql import Column, DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as F

from mqtriage.pipeline.forecasting import DepthForecast, forecast
from mqtriage.pipeline.lifetimes import queues_named
from mqtriage.pipeline.report.table_rows import rows_by_part

COLUMNS: Final = (
    "qmgr", "queue", "snap_time", "curdepth", "maxdepth", "ipprocs", "last_get_time", "boqname",
)  # fmt: skip
HOUR_US: Final = 3_600_000_000
DAY_US: Final = 24 * HOUR_US
UNTOUCHED_US: Final = 8 * DAY_US
"""A backout queue is untouched when nobody has taken anything off it for so long."""
LEAST_GROWTH: Final = 10
"""Messages by which a queue must grow without a fall to be shown as stuck."""
_DEPTHS: Final = 1 << 30
"""An hour and a depth are one number: MAXDEPTH is at most 999,999,999."""
_WEEK: Final = 7
_FORESEEN: Final = (
    "qmgr string, queue string, growth_a_day double, week_low double, week_high double,"
    " forecasts long, held long, full_us long, early_us long, late_us long, step_us long,"
    " step_growth long, ahead array<struct<days_ahead:long,low:double,expected:double,high:double,"
    "forecasts:long,held:long>>"
)


def looks(queues: DataFrame, *, trend_hours: int = 30 * 24, stuck_hours: int = 2) -> DataFrame:
    """What the looks at each queue say: the last one, one an hour, the longest time unread.

    Args:
        queues: rows of the table queues with `COLUMNS`.
        trend_hours: how far back the hours reach from the last look at a queue.
        stuck_hours: a queue that nothing was taken off for so long, and that grew, is stuck.

    Returns:
        A row a queue: ``qmgr, queue, looks, last`` (``at_us, curdepth, maxdepth``),
        ``greatest_curdepth, full_looks`` (looks that found it full), ``hours`` (of each the last
        look, packed), ``stuck`` (null: never) and ``taken_us`` (when something was taken last, as
        far as the looks tell).
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
        .withColumn("hour", F.expr(f"(last_us - at_us) div {HOUR_US}"))
        .withColumn("next_hour", F.expr(f"(last_us - next_us) div {HOUR_US}"))
    )
    is_last = (F.col("next_hour") < F.col("hour")) | (F.col("at_us") == F.col("last_us"))
    packed = F.when(
        is_last & (F.col("hour") <= trend_hours), F.col("hour") * _DEPTHS + F.col("curdepth")
    )
    runs = marked.groupBy("qmgr", "queue", "run").agg(
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
        F.collect_list(packed).alias("hours"),
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
        F.flatten(F.collect_list("hours")).alias("hours"),
        F.max(stuck).alias("stuck"),
        F.max_by("begun", "run").alias("taken_us"),
    )


def is_unused() -> Column:
    """Whether a row of `looks` is of a queue of the system that no look saw a message on."""
    return F.col("queue").startswith("SYSTEM.") & (F.col("greatest_curdepth") == 0)


def is_named(names: Iterable[str]) -> Column:
    """Whether a row is of a queue with one of these names, or of these generic names."""
    queue = F.col("queue")
    return reduce(
        Column.__or__,
        (queue.startswith(n[:-1]) if n.endswith("*") else queue == n for n in names),
    )


def foreseen(session: SparkSession, looked: DataFrame) -> DataFrame:
    """What `forecasting` says of each queue: a row of `_FORESEEN`, none where it says nothing."""
    rows = rows_by_part(looked.select("qmgr", "queue", "last", "hours"))
    return session.createDataFrame(list(_foreseen(rows)), _FORESEEN)


def _foreseen(rows: Iterator[Row]) -> Iterator[tuple[Any, ...]]:
    for qmgr, queue, last, packed in rows:
        known = {one // _DEPTHS: float(one % _DEPTHS) for one in packed}
        hours = [known.get(hour) for hour in range(max(known, default=-1) + 1)]
        expected = forecast(hours, last.maxdepth)
        if expected is not None:
            yield qmgr, queue, *_described(expected, last.at_us)


def _described(expected: DepthForecast, last_us: int) -> tuple[Any, ...]:
    def after(hours: float | None) -> int | None:
        return None if hours is None else last_us + round(hours * HOUR_US)

    week = next((one for one in expected.ahead if one.days == _WEEK), None)
    of_week = week and (round(week.low, 1), round(week.high, 1), week.forecasts, week.held)
    step = expected.step
    return (
        round(expected.growth_a_day, 1),
        *(of_week or (None,) * 4),
        *map(after, expected.full_hours),
        after(None if step is None else -step.hours_ago),
        None if step is None else round(step.growth),
        list(expected.ahead),
    )


def backout_queues(queues: DataFrame) -> DataFrame:
    """The queues that others name in BOQNAME.

    Args:
        queues: ``qmgr, boqname``.

    Returns:
        ``qmgr, queue, is_backout``.
    """
    return queues_named(queues, "boqname").withColumn("is_backout", F.lit(True))


def depth(looked: DataFrame, expected: DataFrame, backout: DataFrame) -> DataFrame:
    """What is known and foreseen of each queue.

    Args:
        looked: of `looks`.
        expected: of `foreseen`.
        backout: of `backout_queues`.

    Returns:
        A row a queue: ``looks, last_time, curdepth, maxdepth, greatest_curdepth, full_looks,
        growth_a_day`` (null: too few looks), ``full_time, full_early_time, full_late_time`` (null:
        not foreseen), ``week_low, week_high`` (a week ahead), ``forecasts, held`` (past ones of a
        week ahead), ``step_time, step_growth``, ``stuck_from, stuck_until, stuck_growth,
        stuck_readers`` (handles open for input then; null: never stuck), and ``untouched_from``
        (when something was taken last off a backout queue that holds messages; null for others,
        and where that is less than `UNTOUCHED_US` ago).
    """
    is_full = F.col("last.curdepth") >= F.col("last.maxdepth")
    is_untouched = F.col("is_backout") & (F.col("last.curdepth") > 0)
    is_untouched &= F.col("last.at_us") - F.col("taken_us") >= UNTOUCHED_US
    known = looked.join(expected, ["qmgr", "queue"], "left")
    return known.join(backout, ["qmgr", "queue"], "left").select(
        "qmgr",
        "queue",
        "looks",
        F.timestamp_micros("last.at_us").alias("last_time"),
        F.col("last.curdepth").alias("curdepth"),
        F.col("last.maxdepth").alias("maxdepth"),
        "greatest_curdepth",
        "full_looks",
        "growth_a_day",
        *(
            F.timestamp_micros(F.when(is_full, F.col("last.at_us")).otherwise(F.col(us))).alias(to)
            for us, to in (
                ("full_us", "full_time"),
                ("early_us", "full_early_time"),
                ("late_us", "full_late_time"),
            )
        ),
        "week_low",
        "week_high",
        "forecasts",
        "held",
        F.timestamp_micros("step_us").alias("step_time"),
        "step_growth",
        F.timestamp_micros("stuck.run_from").alias("stuck_from"),
        F.timestamp_micros("stuck.run_until").alias("stuck_until"),
        F.col("stuck.run_growth").alias("stuck_growth"),
        F.col("stuck.run_readers").alias("stuck_readers"),
        F.timestamp_micros(F.when(is_untouched, F.col("taken_us"))).alias("untouched_from"),
    )


def ahead(looked: DataFrame, expected: DataFrame) -> DataFrame:
    """The depth some days ahead: a row a queue and number of days, none beyond its looks.

    Returns:
        ``qmgr, queue, days_ahead, ahead_time, low, expected, high, forecasts, held``.
    """
    rows = looked.select("qmgr", "queue", "last").join(
        expected.select("qmgr", "queue", F.explode("ahead").alias("one")), ["qmgr", "queue"]
    )
    at_us = F.col("last.at_us") + F.col("one.days_ahead") * DAY_US
    return rows.select(
        "qmgr",
        "queue",
        F.col("one.days_ahead").alias("days_ahead"),
        F.timestamp_micros(at_us).alias("ahead_time"),
        *(F.round(f"one.{name}", 1).alias(name) for name in ("low", "expected", "high")),
        "one.forecasts",
        "one.held",
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
