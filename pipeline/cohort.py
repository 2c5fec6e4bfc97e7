"""The life of each message by its original MsgId, over queues and queue managers.

Staged, due, landed, backed out n times, requeued to a backout queue, dead-lettered, expired: what
became of it, and after which number of rollbacks another try never helped.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.pipeline.lifetimes import KEY, has_expired, last_known, lifetimes

COLUMNS: Final = (
    *KEY, "snap_time", "seen", "first_seen_time", "msg_id", "original_msg_id", "put_time",
    "due_time", "target", "expiry_time", "backout_count", "reason",
)  # fmt: skip
CARRIED: Final = (
    "msg_id", "original_msg_id", "put_time", "due_time", "target", "expiry_time", "backout_count",
    "reason",
)  # fmt: skip


class End(StrEnum):
    """What became of a message, as far as the snapshots tell."""

    DEAD = "dead-lettered"
    REQUEUED = "requeued"
    """It came to a backout queue."""
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    """It left the staging queue before it was due."""
    OPEN = "open"
    """It is still there."""
    TAKEN = "taken"


def places(queues: DataFrame, managers: DataFrame) -> DataFrame:
    """What each queue is to messages: ``qmgr, queue, role, bothresh``.

    Args:
        queues: ``qmgr, queue, snap_time, bothresh, boqname``.
        managers: ``qmgr, deadq``; may be empty.

    Returns:
        *role* is staging, dead, backout or application; *bothresh* the last one seen.
    """
    known = queues.groupBy("qmgr", "queue").agg(
        last_known("bothresh").alias("bothresh"),
        last_known("boqname").alias("boqname"),
    )
    backout = (
        known.filter("boqname <> ''")
        .select("qmgr", F.col("boqname").alias("queue"))
        .distinct()
        .withColumn("is_backout", F.lit(True))
    )
    dead = (
        managers.filter("deadq <> ''")
        .select("qmgr", F.col("deadq").alias("queue"))
        .distinct()
        .withColumn("is_dead", F.lit(True))
    )
    role = (
        F.when(F.col("queue") == STAGING_QUEUE, "staging")
        .when(F.col("is_dead"), "dead")
        .when(F.col("is_backout"), "backout")
        .otherwise("application")
    )
    return (
        known.join(dead, ["qmgr", "queue"], "left")
        .join(backout, ["qmgr", "queue"], "left")
        .select("qmgr", "queue", role.alias("role"), "bothresh")
    )


def lifelines(messages: DataFrame, looked: DataFrame, placed: DataFrame) -> DataFrame:
    """One row for each original MsgId, over all queues and queue managers.

    Args:
        messages: rows of the table messages with `COLUMNS`.
        looked: of `mqtriage.pipeline.lifetimes.observations`.
        placed: of `places`.

    Returns:
        ``original_msg_id, qmgr, queue`` (where it landed, else where it was to, else where it
        was seen), ``put_time, due_time, landed_time`` (first seen there), ``staged, tries``
        (rollbacks: the greatest BackoutCount seen; at least BOTHRESH of its queue when it came to
        a backout queue), ``end`` (`End`), ``end_time`` (seen last).
    """
    lived = lifetimes(messages, looked, CARRIED).join(
        F.broadcast(placed), ["qmgr", "queue"], "left"
    )
    role = F.coalesce("role", F.lit("application"))
    marked = lived.select(
        "*",
        F.coalesce("original_msg_id", "msg_id").alias("id"),
        has_expired("expiry_time", "last_seen", "gone_by").alias("expired"),
    ).withColumn("role", role)

    def when(reason: str, value: str | Column) -> Column:
        column = F.col(value) if isinstance(value, str) else value
        return F.when(F.col("role") == reason, column)

    here = F.struct("qmgr", "queue", "bothresh")
    # one id may be seen on two queues at one look: the same of them is chosen each time
    first_there = F.struct("first_seen", "qmgr", "queue")
    later = (F.col("role") != "staging").cast("int")
    merged = marked.groupBy("id").agg(
        F.min_by(when("application", here), when("application", first_there)).alias("landed"),
        F.min_by(
            when("staging", F.struct("qmgr", F.col("target").alias("queue"))),
            when("staging", first_there),
        ).alias("staged_for"),
        F.min_by(F.struct("qmgr", "queue"), first_there).alias("first"),
        F.min("put_time").alias("put_time"),
        F.max("due_time").alias("due_time"),
        F.min(when("application", "first_seen")).alias("landed_time"),
        F.bool_or(F.col("role") == "staging").alias("staged"),
        F.bool_or(F.col("role") == "backout").alias("requeued"),
        F.bool_or((F.col("role") == "dead") | F.col("reason").isNotNull()).alias("dead"),
        F.max(F.coalesce("backout_count", F.lit(0))).alias("backout_count"),
        F.max_by(
            F.struct("expired", F.col("gone_by").alias("by"), F.col("role").alias("of")),
            F.struct("last_seen", later.alias("later"), "qmgr", "queue"),
        ).alias("last"),
        F.max("last_seen").alias("end_time"),
    )
    cancelled = (F.col("last.of") == "staging") & F.coalesce(
        F.col("last.by") < F.col("due_time"), F.lit(False)
    )
    end = (
        F.when(F.col("dead"), End.DEAD.value)
        .when(F.col("requeued"), End.REQUEUED.value)
        .when(F.col("last.expired"), End.EXPIRED.value)
        .when(cancelled, End.CANCELLED.value)
        .when(F.col("last.by").isNull(), End.OPEN.value)
        .otherwise(End.TAKEN.value)
    )
    tries = F.when(
        F.col("requeued"), F.greatest("backout_count", F.coalesce("landed.bothresh", F.lit(0)))
    ).otherwise(F.col("backout_count"))
    return merged.select(
        F.col("id").alias("original_msg_id"),
        F.coalesce("landed.qmgr", "staged_for.qmgr", "first.qmgr").alias("qmgr"),
        F.coalesce("landed.queue", "staged_for.queue", "first.queue").alias("queue"),
        "put_time",
        "due_time",
        "landed_time",
        "staged",
        tries.alias("tries"),
        end.alias("end"),
        "end_time",
    )


def survival(lines: DataFrame) -> DataFrame:
    """How many messages reached each number of rollbacks, and how many of them were taken later.

    Returns:
        A row for each ``qmgr, queue, attempt`` (from 0): ``reached``, ``taken``,
        ``taken_percent`` of those that reached it.
    """
    counted = lines.filter(F.col("end").isin(End.TAKEN.value, End.REQUEUED.value, End.DEAD.value))
    return (
        counted.select(
            "qmgr",
            "queue",
            "end",
            F.explode(F.sequence(F.lit(0), F.col("tries"))).alias("attempt"),
        )
        .groupBy("qmgr", "queue", "attempt")
        .agg(
            F.count(F.lit(1)).alias("reached"),
            F.count_if(F.col("end") == End.TAKEN.value).alias("taken"),
        )
        .withColumn("taken_percent", F.round(100 * F.col("taken") / F.col("reached"), 1))
    )


def cohort(lines: DataFrame, placed: DataFrame) -> DataFrame:
    """What became of the messages of each queue, and the BOTHRESH that would do.

    Args:
        lines: of `lifelines`.
        placed: of `places`.

    Returns:
        A row a queue: ``messages, staged, landed, rolled_back``, one column for each `End`,
        ``tries_max``, ``helped_max`` (the most rollbacks after which a message was still taken;
        null when none was), ``bothresh_now``, ``bothresh`` (one more than helped_max; null where
        no message rolled back ended on a backout or dead-letter queue).
    """
    rolled = F.col("tries") > 0
    failed = rolled & F.col("end").isin(End.REQUEUED.value, End.DEAD.value)
    helped = F.max(F.when(F.col("end") == End.TAKEN.value, F.col("tries")))
    counted = lines.groupBy("qmgr", "queue").agg(
        F.count(F.lit(1)).alias("messages"),
        F.count_if("staged").alias("staged"),
        F.count("landed_time").alias("landed"),
        F.count_if(rolled).alias("rolled_back"),
        *(F.count_if(F.col("end") == end.value).alias(end.value.replace("-", "_")) for end in End),
        F.max("tries").alias("tries_max"),
        helped.alias("helped_max"),
        F.when(F.count_if(failed) > 0, F.coalesce(helped, F.lit(0)) + 1).alias("bothresh"),
    )
    now = placed.select("qmgr", "queue", F.col("bothresh").alias("bothresh_now"))
    return counted.join(now, ["qmgr", "queue"], "left")
