"""What event logs say: which events there were, who changed what when, which queues were full.

Queue Full is reported once, and again only after the depth fell to QDEPTHLO (Queue Depth Low) or
rose to QDEPTHHI: from it to the next Queue Depth Low the queue was full, or at least not yet down,
so that time is the most that it can have been full. Likewise for service intervals.
Source: IBM MQ documentation, "Queue depth events" and "Queue service interval events".
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from mqtriage.mq import cmqc

COLUMNS: Final = (
    "qmgr", "snap_time", "event_kind", "event", "reason", "object_kind", "object", "user",
    "application", "origin", "command", "change_id", "state", "data", "given", "text",
)  # fmt: skip
_MAP: Final = "map<string,string>"
CHANGE_COLUMNS: Final = (
    "time", "qmgr", "user", "application", "origin", "event_kind", "command", "object_kind",
    "object", "change", "attribute", "old_value", "new_value",
)  # fmt: skip
_CHANGES: Final = (
    cmqc.MQRC_CONFIG_CREATE_OBJECT, cmqc.MQRC_CONFIG_CHANGE_OBJECT, cmqc.MQRC_CONFIG_DELETE_OBJECT,
)  # fmt: skip
_READING: Final = "^(Inquire|Ping|Display|Escape)"
"""Commands that change nothing."""
_CONTEXT: Final = "^(event.*|objectState|objectType|alterationDate|alterationTime|altDate|altTime)$"
"""Parameters that are no attributes of the object, or only say that another changed."""


def counts(events: DataFrame) -> DataFrame:
    """How often each event was, of what and of whom; each is in *events* once.

    Returns:
        ``qmgr, event_kind, event, reason, object, user, application, events, first_event_time,
        last_event_time, text`` (of the last one, where it is a message of an error log).
    """
    return events.groupBy(
        "qmgr", "event_kind", "event", "reason", "object", "user", "application"
    ).agg(
        F.count(F.lit(1)).alias("events"),
        F.min("snap_time").alias("first_event_time"),
        F.max("snap_time").alias("last_event_time"),
        F.max_by("text", "snap_time").alias("text"),
    )


def changes(events: DataFrame) -> DataFrame:
    """Who changed what when: a row an attribute, or one where no attribute is known.

    Configuration events have the object before and after a change; a command event has what the
    command was given.

    Returns:
        `CHANGE_COLUMNS`; change is new, changed or gone, and null of a command.
    """
    return _configured(events).unionByName(_commanded(events))


def _configured(events: DataFrame) -> DataFrame:
    """The changes of configuration events, before and after joined by their CorrelId."""
    reason = F.col("reason")
    alone = F.concat_ws(" ", F.col("snap_time").cast("string"), "data")
    pair = F.coalesce("change_id", alone).alias("pair")
    of_object = ("qmgr", "event_kind", "reason", "object_kind", "object", pair)
    pairs = events.filter(reason.isin(*_CHANGES)).groupBy(*of_object).agg(
        F.max("snap_time").alias("time"),
        F.max("user").alias("user"),
        F.max("application").alias("application"),
        F.max("origin").alias("origin"),
        F.max("event").alias("command"),
        _attributes(F.max(F.when(F.col("state") == "before", F.col("data")))).alias("old"),
        _attributes(F.max(F.when(F.col("state") == "after", F.col("data")))).alias("new"),
    )  # fmt: skip
    old, new = F.col("old"), F.col("new")
    names = F.array_union(F.map_keys(old), F.map_keys(new))
    differing = F.filter(
        names, lambda name: ~F.try_element_at(old, name).eqNullSafe(F.try_element_at(new, name))
    )
    change = F.when(reason == cmqc.MQRC_CONFIG_CREATE_OBJECT, "new").when(
        reason == cmqc.MQRC_CONFIG_DELETE_OBJECT, "gone"
    )
    return (
        pairs.withColumn("change", change.otherwise("changed"))
        .withColumn("attribute", F.explode_outer(F.when(F.col("change") == "changed", differing)))
        .withColumn("old_value", F.try_element_at(old, F.col("attribute")))
        .withColumn("new_value", F.try_element_at(new, F.col("attribute")))
        .select(*CHANGE_COLUMNS)
    )


def _attributes(data: Column) -> Column:
    """The parameters of a configuration event that are attributes of its object."""
    return F.map_filter(F.from_json(data, _MAP), lambda key, _: ~F.rlike(key, F.lit(_CONTEXT)))


def _commanded(events: DataFrame) -> DataFrame:
    """The commands that change something, with what they were given."""
    commands = events.filter(
        (F.col("event_kind") == "command")
        & ~F.rlike(F.coalesce("command", F.lit("")), F.lit(_READING))
    )
    given = F.map_filter(
        F.from_json("given", _MAP), lambda key, value: value != F.coalesce("object", F.lit(""))
    )
    nothing = F.lit(None).cast("string")
    return commands.select(
        *(column for column in CHANGE_COLUMNS if column in commands.columns),
        F.col("snap_time").alias("time"),
        nothing.alias("change"),
        nothing.alias("old_value"),
        F.explode_outer(given).alias("attribute", "new_value"),
    ).select(*CHANGE_COLUMNS)


def queues(events: DataFrame) -> DataFrame:
    """Which queues were full, or served too slowly: how often, and for how long at most.

    Returns:
        A row a queue with such events: ``qmgr, queue, full_count, full_ms`` (added up, without
        what is open), ``full_longest_ms, full_since`` (of what no Queue Depth Low ended),
        ``last_full_time, high_count, slow_count, slow_ms, slow_longest_ms, slow_since``.
    """
    full = _spans(events, "full", cmqc.MQRC_Q_FULL, cmqc.MQRC_Q_DEPTH_LOW)
    slow = _spans(
        events, "slow", cmqc.MQRC_Q_SERVICE_INTERVAL_HIGH, cmqc.MQRC_Q_SERVICE_INTERVAL_OK
    )
    high = (
        events.filter(F.col("reason") == cmqc.MQRC_Q_DEPTH_HIGH)
        .groupBy("qmgr", F.col("object").alias("queue"))
        .agg(F.count(F.lit(1)).alias("high_count"))
    )
    of_queue = ["qmgr", "queue"]
    joined = full.join(slow, of_queue, "full").join(high, of_queue, "full")
    return joined.fillna(0, ["full_count", "slow_count", "high_count"])


def _spans(events: DataFrame, word: str, begins: int, ends: int) -> DataFrame:
    """The times from one event of a queue to the next of another, added up.

    Several beginnings before one end are one span from the first of them on.
    """
    us = F.unix_micros("snap_time")
    later = (
        Window.partitionBy("qmgr", "object")
        .orderBy(F.desc("snap_time"), F.desc("reason"))  # see `lifetimes.observations`
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    begun = (
        events.filter(F.col("reason").isin(begins, ends) & F.col("object").isNotNull())
        .withColumn("ended", F.min(F.when(F.col("reason") == ends, us)).over(later))
        .filter(F.col("reason") == begins)
    )
    spans = begun.groupBy("qmgr", F.col("object").alias("queue"), "ended").agg(
        F.count(F.lit(1)).alias("times"), F.min(us).alias("from_us"), F.max(us).alias("last_us")
    )
    lasted_ms = F.expr("(ended - from_us) div 1000")
    return spans.groupBy("qmgr", "queue").agg(
        F.sum("times").alias(f"{word}_count"),
        F.sum(lasted_ms).alias(f"{word}_ms"),
        F.max(lasted_ms).alias(f"{word}_longest_ms"),
        F.timestamp_micros(F.max(F.when(F.col("ended").isNull(), F.col("from_us")))).alias(
            f"{word}_since"
        ),
        F.timestamp_micros(F.max("last_us")).alias(f"last_{word}_time"),
    )
