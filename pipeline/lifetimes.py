"""From rows, one a message and snapshot, to lifetimes, one a message and queue.

A *look* is a snapshot that read a queue. A message was put before the look that saw it first and
left after the look that saw it last; full snapshots show that by its absence, incremental ones by
a row that says so: what they have no row for is as it was. What an archive has no row for may be
there all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from mqtriage.pipeline.snapshots.schema import Mode, Seen

EXACT_UP_TO: Final = 10_000
"""Different values of a group up to which percentiles are exact."""
KEY = ("qmgr", "queue", "message_key")


class Observations(NamedTuple):
    """When queues were looked at.

    Attributes:
        times: one row a look at a queue, with the looks around it that tell more: ``qmgr,
            look_queue, look_time``; null where there is none: ``whole_time`` (the look itself, null
            for an archive), ``before_time`` (the snapshot before), ``full_time`` (the next full
            one), ``end_time`` (the queue's last).
        same: of `looked_at_alike`, where *times* has one queue alone of those looked at alike;
            None where it has each.
    """

    times: DataFrame
    same: DataFrame | None = None

    def of(self, frame: DataFrame) -> DataFrame:
        """*frame*, of ``qmgr, queue``, with the queue whose *times* are its own in ``look_queue``.

        It is null for a queue that was never looked at.
        """
        if self.same is None:
            return frame.withColumn("look_queue", F.col("queue"))
        return frame.join(self.same, ["qmgr", "queue"], "left")


def looked_at_alike(queues: DataFrame) -> DataFrame:
    """Which queues of a queue manager the same snapshots read, as nearly all are.

    Args:
        queues: ``qmgr, queue, snapshot_id, snap_time, browsed``.

    Returns:
        A row a queue that was read: ``qmgr, queue, look_queue``, the first by name of its like.
    """
    snapshot = F.xxhash64("snapshot_id", "snap_time")
    snapshots = ("qmgr", "number", "sum")
    return (
        queues.filter("browsed")
        .groupBy("qmgr", "queue")
        # 44 bits of each: the sum of half a million has no more than a number has
        .agg(F.count(F.lit(1)).alias("number"), F.sum(F.shiftright(snapshot, 20)).alias("sum"))
        .withColumn("look_queue", F.min("queue").over(Window.partitionBy(*snapshots)))
        .select("qmgr", "queue", "look_queue")
    )


def observations(
    queues: DataFrame, snapshots: DataFrame, same: DataFrame | None = None
) -> Observations:
    """The looks at queues.

    Args:
        queues: ``qmgr, queue, snapshot_id, snap_time, browsed``.
        snapshots: ``qmgr, snapshot_id, mode``.
        same: of `looked_at_alike`, for the looks at one of them alone; None for those at each.
    """
    if same is not None:
        firsts = same.filter(F.col("queue") == F.col("look_queue")).select("qmgr", "queue")
        queues = queues.join(firsts, ["qmgr", "queue"], "left_semi")
    modes = snapshots.select("qmgr", "snapshot_id", "mode").dropDuplicates(["qmgr", "snapshot_id"])
    of_queue = Window.partitionBy("qmgr", "queue")
    before = of_queue.orderBy("look_time").rowsBetween(Window.unboundedPreceding, -1)
    # what follows is what precedes in the other order: a frame that ends with the last row is gone
    # through anew for each row, 4,320 times for a month of looks
    after = of_queue.orderBy(F.desc("look_time")).rowsBetween(Window.unboundedPreceding, -1)
    whole_at = F.when(F.col("whole"), F.col("look_time"))
    times = (
        queues.filter("browsed")
        .join(modes, ["qmgr", "snapshot_id"])
        .groupBy("qmgr", "queue", F.col("snap_time").alias("look_time"))
        .agg(
            F.bool_or(F.col("mode") == Mode.FULL.value).alias("full"),
            F.bool_or(F.col("mode") != Mode.ARCHIVE.value).alias("whole"),
        )
        .select(
            "qmgr",
            F.col("queue").alias("look_queue"),
            "look_time",
            whole_at.alias("whole_time"),
            F.max(whole_at).over(before).alias("before_time"),
            F.min(F.when(F.col("full"), F.col("look_time"))).over(after).alias("full_time"),
            F.max(whole_at).over(of_queue).alias("end_time"),
        )
    )
    return Observations(times, same)


def lifetimes(messages: DataFrame, looked: Observations, carried: Iterable[str] = ()) -> DataFrame:
    """One row a message and queue, however often snapshots saw it or files repeat it.

    Args:
        messages: rows of the table messages with `KEY`, ``snap_time``, ``seen``,
            ``first_seen_time`` and the columns *carried*.
        carried: columns that stay the same over a lifetime; the greatest is kept.

    Returns:
        `KEY`, *carried*, and ``first_seen``, ``last_seen`` (seen, or known from
        incremental snapshots to be there), ``before_time`` (the look before the first, null for
        none), ``gone_by`` (the look by which it had left, null while it is there).
    """
    is_there = F.col("seen") != Seen.GONE.value
    seen_at = F.when(is_there, F.col("snap_time"))
    # the key that tells most apart first: Spark sorts by the first bytes of it
    merged = messages.groupBy(*reversed(KEY)).agg(
        F.min(F.when(is_there, F.coalesce("first_seen_time", "snap_time"))).alias("first_seen"),
        F.max(seen_at).alias("last_seen"),
        F.max(F.when(~is_there, F.col("snap_time"))).alias("gone_row_time"),
        *(F.max(name).alias(name) for name in carried),
    )
    of_queue = ("qmgr", "look_queue")
    first = looked.times.select(*of_queue, F.col("look_time").alias("first_seen"), "before_time")
    seen = looked.of(merged.filter(F.col("last_seen").isNotNull()))
    return ends(seen.join(first, [*of_queue, "first_seen"], "left"), looked).select(
        *KEY, *carried, "first_seen", "last_seen", "before_time", "gone_by"
    )


def ends(seen: DataFrame, looked: Observations) -> DataFrame:
    """When messages were there last, and by when they had left.

    Args:
        seen: with ``qmgr, look_queue``, ``last_seen`` (a row has it then) and ``gone_row_time``.

    Returns:
        As *seen*, ``last_seen`` as of `lifetimes`, with ``gone_by`` and ``gone_look``: the same,
        null where an archive says so and no look.
    """
    of_queue = ("qmgr", "look_queue")
    last = looked.times.select(
        *of_queue, F.col("look_time").alias("last_seen"), "full_time", "end_time"
    )
    gone = looked.times.select(
        *of_queue,
        F.col("look_time").alias("gone_by"),
        F.col("before_time").alias("there_at"),
        F.col("whole_time").alias("gone_look"),
    )
    gone_at = F.when(F.col("gone_row_time") > F.col("last_seen"), F.col("gone_row_time"))
    there = F.when(F.col("gone_by").isNull(), F.col("end_time"))
    return (
        seen.join(last, [*of_queue, "last_seen"], "left")
        .withColumn("gone_by", F.least(gone_at, "full_time"))
        .join(gone, [*of_queue, "gone_by"], "left")
        .withColumn("last_seen", F.greatest("last_seen", there, "there_at"))
    )


def micros(column: str | Column) -> Column:
    """A moment as whole microseconds since 1970."""
    return F.unix_micros(F.col(column) if isinstance(column, str) else column)


def nearest_rank(value: str | Column, percent: float) -> Column:
    """The least value that at least *percent* of the values do not exceed.

    Exact up to `EXACT_UP_TO` different values of a group, then to one in so many of the ranks.
    """
    return F.percentile_approx(value, percent / 100, EXACT_UP_TO)


def queues_named(frame: DataFrame, column: str) -> DataFrame:
    """``qmgr, queue``: the queues that a column with names of queues has."""
    return frame.filter(f"{column} <> ''").select("qmgr", F.col(column).alias("queue")).distinct()


def ranks_apart(frame: DataFrame, ranks: str, *names: str) -> DataFrame:
    """A column for each percentile in the array *ranks* of `nearest_ranks`, in its place."""
    apart = (F.get(ranks, at).alias(name) for at, name in enumerate(names))
    return frame.select("*", *apart).drop(ranks)


def has_expired(end: str, last_seen: str, gone_by: str) -> Column:
    """Whether a lifetime was over when it was seen last, or while it left unseen; never null."""
    after, before = F.col(end) <= F.col(gone_by), F.col(last_seen) < F.col(end)
    return F.coalesce((F.col(end) <= F.col(last_seen)) | (before & after), F.lit(False))


def last_known(column: str) -> Column:
    """The value of the last snapshot that has one: an archive says nothing of its queue."""
    return F.max_by(column, F.when(F.col(column).isNotNull(), F.col("snap_time")))


def nearest_ranks(value: str | Column, *percents: float) -> Column:
    """`nearest_rank` for several percents at once: an array, to be taken apart afterwards.

    Each percentile by itself would keep the values of its own.
    """
    return F.percentile_approx(value, [percent / 100 for percent in percents], EXACT_UP_TO)
