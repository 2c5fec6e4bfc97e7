"""The load of the staging queue over time, and the sizes that hold it.

A staged message is there from its put to its due time: that interval is known from one sight of
it, so that the load between snapshots is known too. What corrects it:

- Seen after its due time, it stayed at least until it was seen last.
- Missing before its due time (cancelled, expired), it had left by the first look without it.
- A message whose whole stay falls between two looks is never seen. Of messages that stay d in a
  gap of g, one in g/d is seen, so each one seen stands for n = g/d - 1 that were not. By Little's
  law n*d/g of them lay there at once: their sum over a gap, and twice its standard deviation (of
  the estimate, and of a Poisson process), bounds what may be missing from the peak.
- A gap that is longer than `LONG_GAP` usual ones is an outage of the snapshots: what may be missing
  there is told, and raises no size by itself.

Only the span from the first look to the last is told.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from mqtriage.mq.attributes.catalogue import bounds_of, outside_bounds
from mqtriage.mq.delay import BLOCK_BYTES, STAGING_QUEUE
from mqtriage.pipeline.lifetimes import (
    KEY,
    Observations,
    last_known,
    lifetimes,
    micros,
    nearest_rank,
    nearest_ranks,
    ranks_apart,
)

COLUMNS: Final = (
    *KEY, "snap_time", "seen", "first_seen_time", "put_time", "due_time", "expiry_time",
    "length_bytes", "delay_ms", "target",
)  # fmt: skip
CARRIED: Final = ("put_time", "due_time", "expiry_time", "length_bytes", "delay_ms", "target")
MINUTE_US: Final = 60_000_000
HOUR_US: Final = 60 * MINUTE_US
MEASURES: Final = ("count", "bytes", "blocks")
LONG_GAP: Final = 3
ODD_FACTOR: Final = 100
"""A delay this many times the median of its queue manager's delays is shown as odd."""


def staged(messages: DataFrame, looked: Observations) -> DataFrame:
    """One row a staged message: when it came and went, as far as the looks tell.

    Returns:
        Of each life on the staging queue ``qmgr, target, length_bytes, delay_ms, start_us,
        end_us`` (half open), ``late_ms`` (null when it was not seen after its due time),
        ``is_doomed``, ``left_early``, ``unseen`` and ``unseen_variance`` (how many messages like
        it lay there at once and were never seen), ``gap_us`` (the look before it was first seen,
        that look itself for the first), ``gap_length_us``.
    """
    on_queue = messages.filter(F.col("queue") == STAGING_QUEUE)
    moments = ("first_seen", "last_seen", "before_time", "gone_by")
    stays = lifetimes(on_queue, looked, CARRIED).select(
        "qmgr",
        "target",
        F.coalesce("length_bytes", F.lit(0)).alias("length_bytes"),
        "delay_ms",
        *(micros(name).alias(f"{name}_us") for name in ("put_time", "due_time", "expiry_time")),
        *(micros(name).alias(name) for name in moments),
    )
    due, last, gone = F.col("due_time_us"), F.col("last_seen"), F.col("gone_by")
    left_early = F.coalesce(gone < due, F.lit(False))
    end = (
        F.when(due.isNull(), F.coalesce(gone, last + 1))
        .when(last >= due, last + 1)
        .when(left_early, gone)
        .otherwise(due)
    )
    start = F.least(F.coalesce("put_time_us", "first_seen"), F.col("first_seen"))
    stay, gap = F.col("end_us") - F.col("start_us"), F.col("first_seen") - F.col("before_time")
    hidden = F.coalesce((stay < gap) & (stay > 0), F.lit(False))
    ratio = gap / stay
    # n*d/g of n = ratio - 1; the variance of n is ratio * (ratio - 1), that of a Poisson its mean
    at_once = (ratio - 1) / ratio
    return (
        stays.withColumn("start_us", start)
        .withColumn("end_us", end)
        .select(
            "qmgr",
            "target",
            "length_bytes",
            "delay_ms",
            "start_us",
            "end_us",
            F.when(last > due, F.expr("(last_seen - due_time_us) div 1000")).alias("late_ms"),
            F.coalesce(F.col("expiry_time_us") <= due, F.lit(False)).alias("is_doomed"),
            left_early.alias("left_early"),
            F.when(hidden, at_once).otherwise(0.0).alias("unseen"),
            F.when(hidden, 2 * at_once).otherwise(0.0).alias("unseen_variance"),
            F.coalesce("before_time", "first_seen").alias("gap_us"),
            F.coalesce(gap, F.lit(0)).alias("gap_length_us"),
        )
    )


def span(looked: Observations) -> DataFrame:
    """When each queue manager's staging queue was looked at first and last, and how often.

    Returns:
        ``qmgr, from_us, until_us, looks, gap_ms`` (the longest time between two looks),
        ``usual_gap_us`` (the median).
    """
    gap_us = F.expr("unix_micros(look_time) - unix_micros(before_time)")
    return (
        looked.times.filter(F.col("look_queue") == STAGING_QUEUE)
        .groupBy("qmgr")
        .agg(
            F.min(micros("look_time")).alias("from_us"),
            F.max(micros("look_time")).alias("until_us"),
            F.count(F.lit(1)).alias("looks"),
            (F.max(gap_us) / 1000).cast("long").alias("gap_ms"),
            nearest_rank(gap_us, 50).alias("usual_gap_us"),
        )
    )


def load(came_and_went: DataFrame, spans: DataFrame) -> DataFrame:
    """The staging queue minute by minute; a minute in which nothing happened has no row.

    Two levels of running sums, within a minute and over the minutes, so that one queue manager's
    messages are not all sorted by one task.

    Returns:
        ``qmgr, minute_us, arrivals, releases``, for each of `MEASURES` ``peak_<m>`` (greatest
        within the minute) and ``end_<m>``, ``minutes`` (until the next row, this one included).
    """
    minute = F.expr(f"at_us div {MINUTE_US} * {MINUTE_US}")
    # a running sum over a range, not rows: what happens in one microsecond happens at once
    in_minute = (
        Window.partitionBy("qmgr", "minute_us")
        .orderBy("at_us")
        .rangeBetween(Window.unboundedPreceding, Window.currentRow)
    )
    over_minutes = Window.partitionBy("qmgr").orderBy("minute_us")
    before = over_minutes.rowsBetween(Window.unboundedPreceding, -1)
    summed = (
        _events(came_and_went, spans)
        .withColumn("minute_us", minute)
        .select(
            "*", *(F.sum(f"d_{name}").over(in_minute).alias(f"run_{name}") for name in MEASURES)
        )
        .groupBy("qmgr", "from_us", "until_us", "minute_us")
        .agg(
            F.sum("arrivals").alias("arrivals"),
            F.sum("releases").alias("releases"),
            *(F.sum(f"d_{name}").alias(f"net_{name}") for name in MEASURES),
            *(F.max(f"run_{name}").alias(f"most_{name}") for name in MEASURES),
        )
        .select(
            "*",
            *(
                F.coalesce(F.sum(f"net_{name}").over(before), F.lit(0)).alias(f"base_{name}")
                for name in MEASURES
            ),
            F.coalesce(F.lead("minute_us").over(over_minutes), F.col("until_us") + 1).alias("next"),
        )
    )
    return summed.selectExpr(
        "qmgr",
        "minute_us",
        "arrivals",
        "releases",
        *(f"greatest(base_{n}, base_{n} + most_{n}) AS peak_{n}" for n in MEASURES),
        *(f"base_{n} + net_{n} AS end_{n}" for n in MEASURES),
        f"greatest(1, cast(ceil((next - minute_us) / {MINUTE_US}) as bigint)) AS minutes",
    )


def _events(came_and_went: DataFrame, spans: DataFrame) -> DataFrame:
    """Each message's coming and its going, within the span; what was there before comes first.

    Returns:
        ``qmgr, from_us, until_us, at_us``, for each of `MEASURES` ``d_<m>`` (what changes then),
        ``arrivals, releases`` (0 or 1).
    """
    sizes = {"count": F.lit(1), "bytes": F.col("length_bytes"), "blocks": blocks("length_bytes")}

    def event(at: str, sign: int, arrivals: str, releases: str) -> Column:
        return F.struct(
            F.expr(at).alias("at_us"),
            *((sizes[name] * sign).cast("long").alias(f"d_{name}") for name in MEASURES),
            F.expr(arrivals).cast("long").alias("arrivals"),
            F.expr(releases).cast("long").alias("releases"),
        )

    both = F.array(
        event("greatest(start_us, from_us)", 1, "start_us > from_us", "0"),
        event("end_us", -1, "0", "1"),
    )
    return (
        came_and_went.join(spans, "qmgr")
        .filter("end_us > from_us AND end_us > start_us")
        .select("qmgr", "from_us", "until_us", F.explode(both).alias("e"))
        .select("qmgr", "from_us", "until_us", "e.*")
        .filter("at_us <= until_us")
    )


def hourly(loaded: DataFrame, spans: DataFrame) -> DataFrame:
    """The load by the hour, for a chart; an hour in which nothing happened has a row as well.

    Returns:
        ``qmgr, hour_time, arrivals, releases, peak_count, peak_bytes``.
    """
    hour = F.expr(f"minute_us div {HOUR_US} * {HOUR_US}").alias("hour_us")
    busy = loaded.groupBy("qmgr", hour).agg(
        F.sum("arrivals").alias("arrivals"),
        F.sum("releases").alias("releases"),
        *(F.max(f"peak_{name}").alias(f"peak_{name}") for name in ("count", "bytes")),
        *(F.max_by(f"end_{name}", "minute_us").alias(f"end_{name}") for name in ("count", "bytes")),
    )
    begins = f"sequence(from_us div {HOUR_US} * {HOUR_US}, until_us, {HOUR_US}L)"
    every = spans.selectExpr("qmgr", f"explode({begins}) AS hour_us")
    before = (
        Window.partitionBy("qmgr").orderBy("hour_us").rowsBetween(Window.unboundedPreceding, -1)
    )
    return every.join(busy, ["qmgr", "hour_us"], "left").select(
        "qmgr",
        F.timestamp_micros("hour_us").alias("hour_time"),
        *(F.coalesce(name, F.lit(0)).alias(name) for name in ("arrivals", "releases")),
        *(
            F.greatest(  # what lay there when the hour began counts as well
                F.coalesce(f"peak_{name}", F.lit(0)),
                F.coalesce(F.last(f"end_{name}", ignorenulls=True).over(before), F.lit(0)),
            ).alias(f"peak_{name}")
            for name in ("count", "bytes")
        ),
    )


def blocks(length: str | Column) -> Column:
    """Blocks of a queue file that a message takes."""
    column = F.col(length) if isinstance(length, str) else length
    return F.greatest(F.ceil(column / BLOCK_BYTES).cast("long"), F.lit(1))


def held(loaded: DataFrame, percentile: float) -> DataFrame:
    """For each measure the load that *percentile* of the minutes do not exceed, by nearest rank.

    A minute counts with the greatest load in it.

    Returns:
        ``qmgr``, and ``held_<m>`` for each of `MEASURES`.
    """
    if percentile >= 100:
        return loaded.groupBy("qmgr").agg(*_held_peaks())
    quiet = F.greatest(F.col("minutes") - 1, F.lit(0))
    weighed = [
        F.struct(
            F.lit(name).alias("measure"),
            F.col(f"{kind}_{name}").alias("level"),
            weight.alias("weight"),
        )
        for name in MEASURES
        for kind, weight in (("peak", F.lit(1).cast("long")), ("end", quiet))
    ]
    levels = loaded.select("qmgr", F.explode(F.array(*weighed)).alias("l")).select("qmgr", "l.*")
    by_level = levels.groupBy("qmgr", "measure", "level").agg(F.sum("weight").alias("weight"))
    all_of_it = Window.partitionBy("qmgr", "measure")
    below = all_of_it.orderBy("level").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    part = F.sum("weight").over(below) * 100 >= F.sum("weight").over(all_of_it) * percentile
    enough = by_level.filter("weight > 0").withColumn("holds", part).filter("holds")
    return enough.groupBy("qmgr").agg(
        *(F.expr(f"min(level) FILTER (WHERE measure = '{n}') AS held_{n}") for n in MEASURES)
    )


def _held_peaks() -> list[Column]:
    """What `held` is for 100 percent: no minute ends above its own peak."""
    return [F.max(f"peak_{name}").alias(f"held_{name}") for name in MEASURES]


def unseen(came_and_went: DataFrame, spans: DataFrame) -> DataFrame:
    """How far the peak may be from what was seen, in messages and bytes.

    Returns:
        ``qmgr``, ``unseen`` (in the gap where that is most), ``unseen_bytes``; of gaps longer than
        `LONG_GAP` usual ones ``outage_unseen, outage_unseen_bytes``, null where there is none.
    """
    of_gap = (
        came_and_went.groupBy("qmgr", "gap_us")
        .agg(
            F.max("gap_length_us").alias("gap_length_us"),
            (
                F.sum("unseen") + 2 * F.sqrt(F.sum("unseen_variance")) + F.count_if("left_early")
            ).alias("count"),
            F.expr(
                "sum(unseen * length_bytes) + 2 * sqrt(sum(unseen_variance * pow(length_bytes, 2)))"
                " + sum(if(left_early, length_bytes, 0))"
            ).alias("bytes"),
        )
        .join(spans.select("qmgr", "usual_gap_us"), "qmgr")
    )
    is_long = F.col("gap_length_us") > LONG_GAP * F.col("usual_gap_us")
    is_usual = ~F.coalesce(is_long, F.lit(False))
    zero = F.lit(0).cast("long")

    def most(which: Column, measure: str) -> Column:
        return F.ceil(F.max(F.when(which, F.col(measure)))).cast("long")

    return of_gap.groupBy("qmgr").agg(
        F.coalesce(most(is_usual, "count"), zero).alias("unseen"),
        F.coalesce(most(is_usual, "bytes"), zero).alias("unseen_bytes"),
        most(is_long, "count").alias("outage_unseen"),
        most(is_long, "bytes").alias("outage_unseen_bytes"),
    )


def facts(queues: DataFrame) -> DataFrame:
    """What the staging queue's own status says.

    Args:
        queues: ``qmgr, queue, snap_time, curdepth, maxdepth, maxmsgl_bytes``.

    Returns:
        ``qmgr, greatest_curdepth, maxdepth_now, maxmsgl_now_bytes, full_looks``.
    """
    # a row that is there twice counts once
    full_at = F.when(F.col("curdepth") >= F.col("maxdepth"), F.col("snap_time"))
    return (
        queues.filter(F.col("queue") == STAGING_QUEUE)
        .groupBy("qmgr")
        .agg(
            F.max("curdepth").alias("greatest_curdepth"),
            last_known("maxdepth").alias("maxdepth_now"),
            last_known("maxmsgl_bytes").alias("maxmsgl_now_bytes"),
            F.size(F.collect_set(full_at)).cast("long").alias("full_looks"),
        )
    )


def usual_delays(came_and_went: DataFrame) -> DataFrame:
    """The usual delay of each queue manager; delays far from it are odd.

    Returns:
        ``qmgr, usual_ms``.
    """
    return came_and_went.groupBy("qmgr").agg(nearest_rank("delay_ms", 50).alias("usual_ms"))


def sizes(
    came_and_went: DataFrame,
    usual: DataFrame,
    loaded: DataFrame,
    spans: DataFrame,
    queue_facts: DataFrame,
    percentile: float = 100.0,
    headroom_percent: int = 50,
) -> DataFrame:
    """What each queue manager's staging queue went through, and what would hold it.

    Args:
        percentile: of the minutes, by their greatest load, that the sizes hold; 100 is the peak.
        headroom_percent: added on top.

    Returns:
        A row a queue manager, `FIELDS` of `mqtriage.pipeline.jobs` has the columns. The sizes
        are ``maxdepth``, ``maxmsgl_bytes`` and ``maxfsize_mb``, each with its sum as text.
    """
    lived = (
        came_and_went.join(usual, "qmgr")
        .groupBy("qmgr")
        .agg(
            F.count(F.lit(1)).alias("messages"),
            nearest_rank("length_bytes", percentile).alias("held_length"),
            F.max("length_bytes").alias("largest_bytes"),
            nearest_ranks("delay_ms", 50, 95).alias("delays"),
            F.max("delay_ms").alias("delay_max_ms"),
            F.count_if(F.col("delay_ms") > ODD_FACTOR * F.col("usual_ms")).alias("odd_delays"),
            F.max(F.when(F.col("delay_ms").isNotNull(), F.struct("delay_ms", "target")))[
                "target"
            ].alias("delay_max_target"),
            F.count("late_ms").alias("late"),
            nearest_rank("late_ms", 95).alias("late_p95_ms"),
            F.max("late_ms").alias("late_max_ms"),
            F.count_if("is_doomed").alias("doomed"),
            F.count_if("left_early").alias("left_early"),
        )
        .transform(ranks_apart, "delays", "delay_p50_ms", "delay_p95_ms")
    )
    peaks = loaded.groupBy("qmgr").agg(
        F.max("peak_count").alias("peak_count"),
        F.max_by("minute_us", F.struct("peak_count", -F.col("minute_us"))).alias("peak_minute"),
        F.max("peak_bytes").alias("peak_bytes"),
        F.max("arrivals").alias("arrivals_a_minute"),
        F.max("releases").alias("releases_a_minute"),
        *(_held_peaks() if percentile >= 100 else ()),
    )
    parts = [lived, peaks, unseen(came_and_went, spans), queue_facts]
    if percentile < 100:
        parts.append(held(loaded, percentile))
    joined = _beside(spans, *parts).filter("messages > 0 and looks > 0 and held_count is not null")
    return sized(joined, percentile, headroom_percent)


def _beside(*of_managers: DataFrame) -> DataFrame:
    """The columns of frames of one row a queue manager, side by side; null where one has no row.

    One grouping of a few rows in place of a join with each, whose stages would take longer than
    what they do.
    """
    rows = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), of_managers)
    names = [name for name in rows.columns if name != "qmgr"]
    return rows.groupBy("qmgr").agg(*(F.first(n, ignorenulls=True).alias(n) for n in names))


def sized(joined: DataFrame, percentile: float, headroom_percent: int) -> DataFrame:
    """Add the sizes and their sums to what `sizes` has put together."""
    part = f"p{percentile:g} of the minutes" if percentile < 100 else "the peak"
    more = f"+ {headroom_percent}%%"  # two: it is a format

    def with_headroom(value: Column) -> Column:
        return F.ceil(value * F.lit(100 + headroom_percent) / 100).cast("long")

    counted = (
        F.greatest("held_count", "greatest_curdepth") if percentile >= 100 else F.col("held_count")
    )
    outage = F.when(
        F.col("outage_unseen") > F.col("unseen"),
        F.format_string(
            "; in a gap of up to %s minutes between two snapshots %d may have been unseen, which"
            " is not added",
            F.round(F.col("gap_ms") / 60_000, 1).cast("string"),
            F.col("outage_unseen"),
        ),
    ).otherwise("")
    depth = F.greatest(with_headroom(counted + F.col("unseen")), F.lit(1))
    length = with_headroom(F.col("held_length"))
    room = F.col("held_blocks") * BLOCK_BYTES
    room_mb = F.ceil(with_headroom(room + F.col("unseen_bytes")) / 2**20).cast("long")
    return joined.withColumns(
        {
            "from_time": F.timestamp_micros("from_us"),
            "until_time": F.timestamp_micros("until_us"),
            "peak_time": F.timestamp_micros("peak_minute"),
            "peak_count_error": F.greatest("unseen", "outage_unseen"),
            "peak_bytes_error": F.greatest("unseen_bytes", "outage_unseen_bytes"),
            "maxdepth": _allowed("MAXDEPTH", depth),
            "maxdepth_sum": F.format_string(
                f"(%d {part} + %d unseen at most) {more} = %d%s%s",
                counted,
                F.col("unseen"),
                depth,
                _outside("MAXDEPTH", depth),
                outage,
            ),
            "maxmsgl_bytes": _allowed("MAXMSGL", length),
            "maxmsgl_sum": F.format_string(
                f"%d bytes, p{percentile:g} of the lengths with their delay header, {more} = %d%s",
                F.col("held_length"),
                length,
                _outside("MAXMSGL", length),
            ),
            "maxfsize_mb": _allowed("MAXFSIZE", room_mb),
            "maxfsize_sum": F.format_string(
                f"(%d bytes in blocks of {BLOCK_BYTES} at {part} + %d unseen at most) {more}"
                " = %d MB%s",
                room,
                F.col("unseen_bytes"),
                room_mb,
                _outside("MAXFSIZE", room_mb),
            ),
        }
    )


def _allowed(keyword: str, number: Column) -> Column:
    """The number that the attribute can have which is nearest."""
    least, most = bounds_of("QLOCAL", keyword)
    return F.greatest(F.lit(least), F.least(F.lit(most), number))


def _outside(keyword: str, number: Column) -> Column:
    """What stands behind a sum that comes to another number than the attribute can have."""
    text = outside_bounds("QLOCAL", keyword)
    return F.when(number == _allowed(keyword, number), "").otherwise(text)


def targets(came_and_went: DataFrame) -> DataFrame:
    """The delays asked for, by the queue that the messages were for.

    Returns:
        A row for each ``qmgr, target``: ``messages``, ``delay_p50|p95|max_ms``, ``odd_delays``
        (`ODD_FACTOR` times the median of the target), ``late``, ``late_max_ms``,
        ``doomed``.
    """
    usual = came_and_went.groupBy(
        F.col("qmgr").alias("of"), F.col("target").alias("usual_target")
    ).agg(nearest_rank("delay_ms", 50).alias("usual_ms"))
    same = (F.col("of") == F.col("qmgr")) & F.col("usual_target").eqNullSafe(F.col("target"))
    return (
        came_and_went.join(usual, same)
        .groupBy("qmgr", "target")
        .agg(
            F.count(F.lit(1)).alias("messages"),
            nearest_ranks("delay_ms", 50, 95).alias("delays"),
            F.max("delay_ms").alias("delay_max_ms"),
            F.count_if(F.col("delay_ms") > ODD_FACTOR * F.col("usual_ms")).alias("odd_delays"),
            F.count("late_ms").alias("late"),
            F.max("late_ms").alias("late_max_ms"),
            F.count_if("is_doomed").alias("doomed"),
        )
        .transform(ranks_apart, "delays", "delay_p50_ms", "delay_p95_ms")
    )
