"""What became of each message, by its original MsgId, over queues and queue managers.

Staged, due, landed, backed out n times, requeued to a backout queue, dead-lettered, expired: what
became of it, and after which number of rollbacks another try was never seen to help.

A look sees a BackoutCount only while the message lies there, so what is tried again and taken
between two looks is never seen with a rollback. What speaks for a lower BOTHRESH is therefore only
what looks did see: messages after so many rollbacks that were all given up. By the rule of three,
none of n taken leaves up to 3 in n open, 95 percent sure. A message that was taken after so many
rollbacks lay there with that count for one retry alone, one that was given up for as many as there
are until BOTHRESH: it was that much less likely to be seen, if retries are evenly apart.

What speaks for a higher BOTHRESH is another matter: a single message that was taken after as many
rollbacks as BOTHRESH allows shows that today's would have moved it, and a higher one moves nothing
that today's does not. What that may cost at worst is more rollbacks of what is given up all the
same. What part is moved too early one message does not tell: the interval says so.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from mqtriage.mq.attributes.catalogue import bounds_of
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.pipeline.lifetimes import (
    KEY,
    Observations,
    has_expired,
    last_known,
    lifetimes,
    micros,
    nearest_rank,
    queues_named,
)

COLUMNS: Final = (
    *KEY, "snap_time", "seen", "first_seen_time", "msg_id", "original_msg_id", "put_time",
    "due_time", "target", "expiry_time", "backout_count", "reason",
)  # fmt: skip
CARRIED: Final = (
    "msg_id", "original_msg_id", "put_time", "due_time", "target", "expiry_time", "backout_count",
    "reason",
)  # fmt: skip


LEAST_SEEN: Final = 30
"""Messages, for each rollback that the threshold is lowered by, that must be seen to be given up:
then at worst a tenth of what is given up would have been taken."""
MOST_ATTEMPTS: Final = 100
"""Rollbacks that the survival table goes to: one that loops at BOTHRESH(0) has millions."""
MOST_TOLD: Final = 10
"""Numbers of rollbacks that a sum names one by one; the survival table has them all."""
MARGIN: Final = 1
"""Rollbacks added to the threshold for what no look saw."""
SURE: Final = 1.96
"""Standard deviations to both sides that 95 percent of a normal distribution lie within."""


class LifeEnd(StrEnum):
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
    backout = queues_named(known, "boqname").withColumn("is_backout", F.lit(True))
    dead = queues_named(managers, "deadq").withColumn("is_dead", F.lit(True))
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


def lifelines(messages: DataFrame, looked: Observations, placed: DataFrame) -> DataFrame:
    """One row for each original MsgId, over all queues and queue managers.

    Returns:
        ``original_msg_id, qmgr, queue`` (where it landed, else where it was to, else where it
        was seen), ``put_time, due_time, landed_time`` (first seen there), ``staged, tries``
        (rollbacks: the greatest BackoutCount seen; at least BOTHRESH of its queue when it came to
        a backout queue), ``tries_seen`` (of them those that a look saw before it was given up),
        ``end`` (`LifeEnd`), ``end_time`` (seen last).
    """
    lived = lifetimes(messages, looked, CARRIED).join(placed, ["qmgr", "queue"], "left")
    role = F.coalesce("role", F.lit("application"))
    marked = lived.select(
        "*",
        F.coalesce("original_msg_id", "msg_id").alias("id"),
        has_expired("expiry_time", "last_seen", "gone_by").alias("expired"),
    ).withColumn("role", role)

    def when(role: str, value: str | Column) -> Column:
        return F.when(F.col("role") == role, F.col(value) if isinstance(value, str) else value)

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
        F.coalesce(F.max(when("application", "backout_count")), F.lit(0)).alias("tries_seen"),
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
        F.when(F.col("dead"), LifeEnd.DEAD.value)
        .when(F.col("requeued"), LifeEnd.REQUEUED.value)
        .when(F.col("last.expired"), LifeEnd.EXPIRED.value)
        .when(cancelled, LifeEnd.CANCELLED.value)
        .when(F.col("last.by").isNull(), LifeEnd.OPEN.value)
        .otherwise(LifeEnd.TAKEN.value)
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
        "tries_seen",
        end.alias("end"),
        "end_time",
    )


def survival(lines: DataFrame) -> DataFrame:
    """How many messages reached each number of rollbacks, and how many of them were taken later.

    Returns:
        A row for each ``qmgr, queue, attempt`` (from 0 to `MOST_ATTEMPTS`): ``reached``, ``seen``
        (by a look with so many rollbacks, before they were given up), ``taken``,
        ``taken_percent`` of those seen.
    """
    counted = lines.filter(
        F.col("end").isin(LifeEnd.TAKEN.value, LifeEnd.REQUEUED.value, LifeEnd.DEAD.value)
    )
    return (
        counted.select(
            "qmgr",
            "queue",
            "end",
            "tries_seen",
            F.explode(F.sequence(F.lit(0), F.least("tries", F.lit(MOST_ATTEMPTS)))).alias(
                "attempt"
            ),
        )
        .groupBy("qmgr", "queue", "attempt")
        .agg(
            F.count(F.lit(1)).alias("reached"),
            F.count_if(F.col("attempt") <= F.col("tries_seen")).alias("seen"),
            F.count_if(F.col("end") == LifeEnd.TAKEN.value).alias("taken"),
        )
        .withColumn("taken_percent", F.round(F.try_divide(100 * F.col("taken"), F.col("seen")), 1))
    )


def cohort(lines: DataFrame, placed: DataFrame, looked: Observations) -> DataFrame:
    """What became of the messages of each queue, and the BOTHRESH that would do.

    Returns:
        A row a queue: ``messages, staged, landed, rolled_back``, one column for each `LifeEnd`,
        ``tries_max``, ``helped_max`` (the most rollbacks after which a message was still taken;
        null when none was), ``bothresh_now``, and of `_advised` ``bothresh, bothresh_worst,
        bothresh_sum``.
    """
    rolled = F.col("tries") > 0
    failed = rolled & F.col("end").isin(LifeEnd.REQUEUED.value, LifeEnd.DEAD.value)
    helped = F.max(F.when(F.col("end") == LifeEnd.TAKEN.value, F.col("tries")))
    counted = lines.groupBy("qmgr", "queue").agg(
        F.count(F.lit(1)).alias("messages"),
        F.count_if("staged").alias("staged"),
        F.count("landed_time").alias("landed"),
        F.count_if(rolled).alias("rolled_back"),
        *(
            F.count_if(F.col("end") == end.value).alias(end.value.replace("-", "_"))
            for end in LifeEnd
        ),
        F.max("tries").alias("tries_max"),
        helped.alias("helped_max"),
        F.count_if(failed).alias("given_up"),
    )
    attempts = (
        survival(lines)
        .groupBy("qmgr", "queue")
        .agg(F.array_sort(F.collect_list(F.struct("attempt", "seen", "taken"))).alias("attempts"))
    )
    gap_us = micros("look_time") - micros("before_time")
    every = looked.times.groupBy("qmgr", "look_queue").agg(
        nearest_rank(gap_us, 50).alias("every_us")
    )
    now = placed.select("qmgr", "queue", F.col("bothresh").alias("bothresh_now"))
    joined = (
        looked.of(counted)
        .join(now, ["qmgr", "queue"], "left")
        .join(attempts, ["qmgr", "queue"], "left")
        .join(every, ["qmgr", "look_queue"], "left")
    )
    return _advised(joined)


def _advised(counted: DataFrame) -> DataFrame:
    """Add the BOTHRESH that what was seen speaks for, and the sum.

    Args:
        counted: what `cohort` counted, with ``given_up`` (after a rollback), ``attempts`` (an
            array of ``attempt, seen, taken`` in order), ``every_us`` (between two looks).

    Returns:
        ``bothresh``: `MARGIN` more than the first threshold at which no message was seen to be
        taken, that of today where it is one of the two; null where nothing was given up, or where
        too few were seen to be for a lower one. ``bothresh_worst``: the messages that would have
        been taken and are moved, at worst; null where none was seen to tell by. ``bothresh_sum``:
        how that comes about, or what is missing.
    """
    # the greatest BOTHRESH leaves room for the margin
    most = bounds_of("QLOCAL", "BOTHRESH")[1] - MARGIN
    first = F.least(F.coalesce("helped_max", F.lit(0)).cast("long") + 1, F.lit(most))
    now = F.coalesce("bothresh_now", F.lit(0))
    lowered_by = F.greatest(F.col("now") - F.col("first"), F.lit(1))
    # few steps: Spark looks through the whole plan at each
    of_first = {
        "is_raised": (F.col("now") > 0) & (F.col("first") > F.col("now")),
        "lowered_by": lowered_by,
        "needed": LEAST_SEEN * lowered_by,
        "n": _count_at(F.col("first"), "seen"),
    }
    value, n = _bothresh(), F.col("n")
    worst = F.ceil(3 * F.col("given_up") * F.col("lowered_by") / n).cast("long")
    has_worst = value.isNotNull() & (n > 0)
    return (
        counted.withColumns({"first": first, "now": now})
        .withColumns(of_first)
        .withColumns(
            {"bothresh": value, "bothresh_worst": F.when(has_worst, F.least(worst, "taken"))}
        )
        .withColumn("bothresh_sum", _bothresh_sum())
        .drop("first", "now", *of_first, "given_up", "attempts", "every_us", "look_queue")
    )


def _bothresh() -> Column:
    """The value that `_advised` gives."""
    first, now = F.col("first"), F.col("now")
    return (
        F.when(F.col("given_up") == 0, None)
        .when(F.col("is_raised"), first + MARGIN)
        .when(F.col("n") < F.col("needed"), None)
        .when(now.between(first, first + MARGIN), now)
        .otherwise(first + MARGIN)
    )


def _bothresh_sum() -> Column:
    """How the value comes about, or what is missing; null where nothing was given up."""
    every = F.coalesce(
        F.concat(F.round(F.col("every_us") / 60_000_000, 1).cast("string"), F.lit(" minutes")),
        F.lit("some time"),
    )
    missing = F.format_string(
        "%s; too few for a threshold: %d seen after %d rollbacks or more, all given up,"
        " but %d are needed. Snapshots %s apart miss messages that are retried and taken"
        " in between: take snapshots every minute, or for longer",
        _by_attempt(), F.col("n"), F.col("first"), F.col("needed"), every,
    )  # fmt: skip
    lowered = F.format_string(
        f"%s; %s; {MARGIN} more for rollbacks that snapshots %s apart miss = %d",
        _by_attempt(), _still_open(), every, F.col("first") + MARGIN,
    )  # fmt: skip
    return (
        F.when(F.col("given_up") == 0, None)
        .when(F.col("is_raised"), _raised(every))
        .when(F.col("bothresh").isNull(), missing)
        .otherwise(lowered)
    )


def _raised(every: Column) -> Column:
    """The sum of a value above that of today, with the part of messages that shows it."""
    counted_from = F.least("now", F.lit(MOST_ATTEMPTS))
    helped = F.greatest(_count_at(counted_from, "taken"), F.lit(1))
    asked = F.greatest(_count_at(counted_from, "seen"), helped)
    low, high = _share_percent(helped, asked)
    return F.format_string(
        "%s; one that was consumed after %d shows that BOTHRESH(%d) is too low, and %d of"
        " %d seen after %d or more were consumed: from %s to %s percent (95 percent"
        " confidence) of the messages in snapshots. Snapshots %s apart miss messages that"
        " are retried and consumed in between; at worst, messages that are given up are"
        " rolled back %d more times without success; %s;"
        f" {MARGIN} more for rollbacks between snapshots = %d",
        _by_attempt(), F.col("first") - 1, F.col("now"), helped, asked, counted_from, low, high,
        every, F.col("bothresh") - F.col("now"), _still_open(), F.col("bothresh"),
    )  # fmt: skip


def _by_attempt() -> Column:
    """After which number of rollbacks how many of those seen were taken in the end."""
    counts = F.transform(
        F.filter("attempts", lambda a: (a["attempt"] > 0) & (a["seen"] > 0)),
        lambda a: F.format_string("%d of %d seen after %d", a["taken"], a["seen"], a["attempt"]),
    )
    first_ones, last_one = F.slice(counts, 1, MOST_TOLD - 1), F.slice(counts, -1, 1)
    cut = F.concat(first_ones, F.array(F.lit("...")), last_one)
    text = F.array_join(F.when(F.size(counts) > MOST_TOLD, cut).otherwise(counts), ", ")
    return F.concat(
        F.lit("eventually consumed: "),
        F.when(text == "", "no message was seen after a rollback").otherwise(
            F.concat(text, F.lit(" rollbacks"))
        ),
    )


def _still_open() -> Column:
    """What part may be taken after more rollbacks for all that was seen."""
    return F.when(
        F.col("n") > 0,
        F.format_string(
            "none of %d after %d or more: up to %s percent are possible (95 percent confidence);"
            " at worst, %d messages that would have been consumed are moved, if retries are evenly"
            " spaced",
            F.col("n"),
            F.col("first"),
            F.round(300 / F.col("n"), 1).cast("string"),
            F.col("bothresh_worst"),
        ),
    ).otherwise(
        F.format_string(
            "none was seen after %d or more, so there is no data about more rollbacks",
            F.col("first"),
        )
    )


def _count_at(attempt: Column, count: str) -> Column:
    """What ``attempts`` counts of a number of rollbacks; 0 where none had so many."""
    there = F.filter("attempts", lambda a: a["attempt"] == attempt)
    return F.coalesce(F.get(there, F.lit(0))[count], F.lit(0))


def _share_percent(count: Column, of: Column) -> tuple[Column, Column]:
    """From what to what percent *count* of *of* may be, 95 percent sure: Wilson's interval."""
    share, spread = count / of, SURE**2 / of
    middle = share + spread / 2
    half = F.sqrt(spread * (share * (1 - share) + spread / 4))
    low, high = ((100 * (middle + side * half) / (1 + spread)) for side in (-1, 1))
    return F.round(low, 1).cast("string"), F.round(high, 1).cast("string")
