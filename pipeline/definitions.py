"""What changed in the definitions, and when: from one snapshot to the next."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from mqtriage.pipeline.snapshots.schema import Mode, Seen

COLUMNS: Final = (
    "qmgr", "snapshot_id", "snap_time", "seen", "kind", "name", "attributes", "digest",
)  # fmt: skip
STAMPS: Final = ("ALTDATE", "ALTTIME")
"""Attributes that only say that another changed."""
OBJECT: Final = ("qmgr", "kind", "name")
FILES: Final = ("dmpmqcfg", "runmqsc")
"""Backends of looks that are files of programs, each with attributes of its own."""


def states(definitions: DataFrame, snapshots: DataFrame) -> DataFrame:
    """Each object's states: from when on it was so, null attributes for not there.

    Args:
        definitions: rows of the table definitions with `COLUMNS`.
        snapshots: ``qmgr, snapshot_id, snap_time, mode, backend``.

    Returns:
        ``qmgr, kind, name, time, attributes, digest, before`` (attributes of the state before it;
        null where there was none), ``is_first`` (found when nobody had looked at the whole queue
        manager before), ``is_mixed`` (of dump, output of runmqsc and snapshot the
        two states are not from the same). The same object seen twice in one snapshot counts once.
    """
    of_manager = Window.partitionBy("qmgr")
    after = Window.partitionBy("qmgr").orderBy(F.desc("snap_time"))
    after = after.rowsBetween(Window.unboundedPreceding, -1)  # see `lifetimes.observations`
    is_full = F.col("mode") == Mode.FULL.value
    whole_time = F.when(F.col("mode") != Mode.ARCHIVE.value, F.col("snap_time"))
    listed = (
        snapshots.dropDuplicates(["qmgr", "snapshot_id"])
        .withColumn("first_whole", F.min(whole_time).over(of_manager))
        .withColumn("next_full", F.min(F.when(is_full, F.col("snap_time"))).over(after))
        .withColumn("told_by", F.when(F.col("backend").isin(*FILES), F.col("backend")))
        .select("qmgr", "snapshot_id", "first_whole", "next_full", "told_by")
    )
    in_time = Window.partitionBy(*OBJECT).orderBy("snap_time")
    rows = (
        definitions.groupBy(*OBJECT, "snapshot_id", "snap_time", "seen", "digest", "attributes")
        .agg(F.lit(1).alias("once"))
        .join(listed, ["qmgr", "snapshot_id"])
        .withColumn("later", F.lead("snap_time").over(in_time))
    )
    there = F.col("seen") != Seen.GONE.value
    missed = (
        there
        & F.col("next_full").isNotNull()
        & (F.col("later").isNull() | (F.col("later") > F.col("next_full")))
    )
    gone = F.struct(
        F.col("next_full").alias("time"),
        F.lit(None).cast("string").alias("attributes"),
        F.lit(None).cast("string").alias("digest"),
        F.lit(False).alias("is_first"),
        F.lit(None).cast("string").alias("told_by"),
    )
    own = F.struct(
        F.col("snap_time").alias("time"),
        F.when(there, F.col("attributes")).alias("attributes"),
        F.when(there, F.col("digest")).alias("digest"),
        F.coalesce(F.col("snap_time") <= F.col("first_whole"), F.lit(True)).alias("is_first"),
        "told_by",
    )
    reported = rows.select(
        *OBJECT, F.explode(F.when(missed, F.array(own, gone)).otherwise(F.array(own))).alias("s")
    ).select(*OBJECT, "s.*")
    by_time = Window.partitionBy(*OBJECT).orderBy("time")
    before = F.lag("attributes").over(by_time)
    last_by = F.lag("told_by").over(by_time)
    is_mixed = ~F.col("told_by").eqNullSafe(last_by)
    number = F.row_number().over(by_time)
    changed = ~F.col("digest").eqNullSafe(F.lag("digest").over(by_time))
    return (
        reported.withColumn("before", before)
        .withColumn("is_mixed", is_mixed)
        .withColumn("changed", changed | ((number == 1) & F.col("digest").isNotNull()))
        .filter("changed")
        .drop("changed", "told_by")
    )


def definitions(object_states: DataFrame) -> DataFrame:
    """The changes, one row an attribute; an object that came or went has one row.

    Returns:
        ``time, qmgr, kind, name, change`` (new, changed, gone), ``attribute, old_value,
        new_value`` (null for new and gone).
    """
    old, new = (F.from_json(column, "map<string,string>") for column in ("before", "attributes"))
    change = (
        F.when(F.col("attributes").isNull(), "gone")
        .when(F.col("before").isNull(), "new")
        .otherwise("changed")
    )
    return (
        object_states.filter(~F.col("is_first") | F.col("before").isNotNull())
        .select(
            "time", *OBJECT, "is_mixed", change.alias("change"), old.alias("old"), new.alias("new")
        )
        .select("time", *OBJECT, "change", F.explode(_differences()).alias("d"))
        .select("time", *OBJECT, "change", "d.attribute", "d.old_value", "d.new_value")
    )


def _differences() -> Column:
    nothing = F.lit(None).cast("string")
    one = F.array(
        F.struct(nothing.alias("attribute"), nothing.alias("old_value"), nothing.alias("new_value"))
    )
    words = F.array_sort(F.array_union(F.map_keys("old"), F.map_keys("new")))
    both = F.array_intersect(F.map_keys("old"), F.map_keys("new"))
    differing = F.filter(
        F.when(F.col("is_mixed"), F.array_sort(both)).otherwise(words),
        lambda word: (
            ~word.isin(*STAMPS) & ~F.element_at("old", word).eqNullSafe(F.element_at("new", word))
        ),
    )
    entry = F.transform(
        differing,
        lambda word: F.struct(
            word.alias("attribute"),
            F.element_at("old", word).alias("old_value"),
            F.element_at("new", word).alias("new_value"),
        ),
    )
    return F.when(F.col("change") == "changed", entry).otherwise(one)
