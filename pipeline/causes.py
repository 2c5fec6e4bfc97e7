"""What poison messages have in common and healthy ones of the same queue have not.

Poison is what was given up, and what is still there with a BackoutCount. Given up is what came to
the backout queue, or to the dead-letter queue because of its BackoutCount, and what had one before
it expired or an operator took it away. What was rolled back and taken in the end is neither poison
nor healthy: retried. The messages of an input queue and of its backout queue are judged together,
each once by its MsgId; input queues that share a backout queue are judged as one. Every condition
counts messages exactly; a condition of two terms is looked for among the best single ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from mqtriage.mq import cmqc
from mqtriage.pipeline.lifetimes import Observations, ends, has_expired, last_known
from mqtriage.pipeline.reading import GONE, KIND, SOUND
from mqtriage.pipeline.snapshots.schema import Seen, column_of_field

TEXTS: Final = ("format", "put_appl", "user", "reply_to", "appl_identity", "dest")
NUMBERS: Final = (
    "msg_type", "ccsid", "encoding", "put_appl_type", "priority", "persistence", "reason",
)  # fmt: skip
GREATEST_TEXT: Final = 100
PAIRED: Final = 8
"""Single conditions of a queue among which pairs are looked for."""
WORTH_A_TERM: Final = 0.02
"""What a second term must add to how well a condition separates (0 to 1)."""
SPARED: Final = 4
"""Or it leaves one of so many of the healthy messages that fulfil the one, if they are as many."""
_COLUMN: Final = {
    field: column.name
    for field in (*TEXTS, *NUMBERS, "length")
    if (column := column_of_field(field)) is not None
}
COLUMNS: Final = (
    "qmgr", "queue", "snap_time", "seen", "msg_id", "put_time", "expiry_time", "backout_count",
    "properties", *_COLUMN.values(),
)  # fmt: skip
OF_FAMILY: Final = ("qmgr", "family")
LENGTH_FROM: Final = "length_from_bytes"
"""The power of two that a length begins its class with; 0 for no bytes."""
_TEXTS, _NUMBERS = ([_COLUMN[field] for field in fields] for fields in (TEXTS, NUMBERS))
_DESCRIPTION: Final = (*_TEXTS, *_NUMBERS, _COLUMN["length"], "properties")
"""What describes a message, as it was read."""
DESCRIBED: Final = (*_TEXTS, *_NUMBERS, LENGTH_FROM, "properties")
"""What conditions are made of."""
COUNTS: Final = ("messages", "healthy_count", "retried")
"""How many sick messages, how many healthy ones, and how many rolled back and taken."""
TOTALS: Final = ("n_sick", "n_healthy", "n_retried")
"""Likewise of a whole family."""
OPEN: Final = ("open_queue", "open_time", "gone_row_time", "open_expiry_time")
"""Of messages that were rolled back and not given up: where and when they were seen last, the row
that says that they are gone, and when they expire. Null of others."""
_SORTED: Final = "sorted_by"
_MOVED: Final = "is_moved"
"""Column: a copy on the dead-letter queue, of a message that was rolled back too often."""


def families(queues: DataFrame) -> DataFrame:
    """Which queues are judged together.

    Args:
        queues: ``qmgr, queue, snap_time, boqname``.

    Returns:
        ``qmgr, queue, family`` (the backout queue's name), ``is_backout``; queues without one and
        that are none are their own family.
    """
    known = queues.groupBy("qmgr", "queue").agg(last_known("boqname").alias("boqname"))
    own = "struct(queue, coalesce(nullif(boqname, ''), queue) AS family, false AS is_backout)"
    backout = "struct(boqname AS queue, boqname AS family, true AS is_backout)"
    # a backout queue is that first, whatever BOQNAME of its own it has
    return (
        known.selectExpr("qmgr", f"inline(array({own}, {backout}))")
        .filter("queue <> ''")
        .groupBy("qmgr", "queue")
        .agg(F.max(F.struct("is_backout", "family")).alias("f"))
        .select("qmgr", "queue", "f.family", "f.is_backout")
    )


def judged(
    lines: DataFrame, family_of: DataFrame, dead_letters: DataFrame | None = None
) -> DataFrame:
    """The messages of each family, those that are described alike as one row.

    Returns:
        ``qmgr, family``, ``conditions`` that they fulfil (each a `--where`), ``messages`` (sick, or
        with `OPEN`, which is to be settled), ``healthy_count``, ``first_put_time, last_put_time,
        sample_msg_id`` (of the sick), `OPEN`.
    """
    once = (
        _at_home(lines.filter(F.col("msg_id").isNotNull()), dead_letters)
        .join(family_of.withColumnRenamed("queue", "home"), ["qmgr", "home"], "left")
        .withColumn("family", F.coalesce("family", "home"))
        .repartition(*OF_FAMILY, "msg_id")  # else they are sorted on both sides of it
        .groupBy(*_sorted_by(*OF_FAMILY, "msg_id"))
        .agg(
            F.bool_or(F.col(_MOVED) | F.coalesce("is_backout", F.lit(False))).alias("given_up"),
            F.bool_or("rolled_back").alias("rolled_back"),
            F.min("put_time").alias("put_time"),
            F.max("gone_row_time").alias("gone_row_time"),
            # as it was seen last: a backout queue's copy may have got a header of its own
            F.max(F.struct("last_time", "queue", "expiry_time", *_DESCRIPTION)).alias("last"),
        )
        .filter("last.last_time IS NOT NULL")  # what no look chose, and one says is gone
        .select(*OF_FAMILY, "msg_id", "given_up", "put_time", "gone_row_time", "last.*",
                (F.col("rolled_back") & ~F.col("given_up")).alias("is_open"))
    )  # fmt: skip
    opened = zip(OPEN, ("queue", "last_time", "gone_row_time", "expiry_time"), strict=True)
    once = once.select(
        *OF_FAMILY, "msg_id", "put_time", (F.col("given_up") | F.col("is_open")).alias("sick"),
        *(F.when(F.col("is_open"), F.col(name)).alias(open_name) for open_name, name in opened),
        *_classed(),
    )  # fmt: skip
    sick = F.col("sick")
    return (
        once.groupBy(*_sorted_by(*OF_FAMILY, *DESCRIBED, *OPEN))
        .agg(
            F.count_if(sick).alias("messages"),
            F.count_if(~sick).alias("healthy_count"),
            F.min(F.when(sick, F.col("put_time"))).alias("first_put_time"),
            F.max(F.when(sick, F.col("put_time"))).alias("last_put_time"),
            F.min(F.when(sick, F.col("msg_id"))).alias("sample_msg_id"),
        )
        .withColumn("conditions", F.array_compact(F.concat(_fixed(), _properties())))
        .drop(_SORTED, *DESCRIBED)
    )


def _at_home(lines: DataFrame, dead_letters: DataFrame | None) -> DataFrame:
    """*lines* with the queue that they are judged with, ``home``.

    A copy on the dead-letter queue that says that its message was rolled back too often counts for
    the queue that its header names; what that header and the descriptor before it say is of no
    other message.
    """
    if dead_letters is None:
        return lines.withColumns({"home": F.col("queue"), _MOVED: F.lit(False)})
    is_moved = (
        F.coalesce("is_dead", F.lit(False))
        & (F.col(_COLUMN["reason"]) == cmqc.MQRC_BACKOUT_THRESHOLD_REACHED)
        & (F.coalesce(F.col(_COLUMN["dest"]), F.lit("")) != "")
    )
    of_header = ("format", "dest", "reason", "encoding", "ccsid", "length")
    return (
        lines.join(dead_letters.withColumn("is_dead", F.lit(True)), ["qmgr", "queue"], "left")
        .withColumn(_MOVED, F.coalesce(is_moved, F.lit(False)))
        .withColumns({
            "home": F.when(F.col(_MOVED), F.col(_COLUMN["dest"])).otherwise(F.col("queue")),
            **{
                name: F.when(~F.col(_MOVED), F.col(name))
                for name in (_COLUMN[field] for field in of_header)
            },
        })
    )  # fmt: skip


def settled(described: DataFrame, looked: Observations) -> DataFrame:
    """What became of those that were rolled back and not given up.

    Still there, expired, or taken by an operator as an archive says, they are sick; else retried.

    Returns:
        As *described*, without `OPEN` and with `COUNTS`.
    """
    is_open = F.col("open_queue").isNotNull()
    seen = described.filter(is_open).withColumn("queue", F.col("open_queue"))
    ended = ends(looked.of(seen.withColumn("last_seen", F.col("open_time"))), looked)
    by_operator = F.col("gone_by").isNotNull() & F.col("gone_look").isNull()
    expired = has_expired("open_expiry_time", "last_seen", "gone_by")
    is_sick = F.col("gone_by").isNull() | by_operator | expired
    columns = (*OF_FAMILY, "conditions", "healthy_count")
    of_sick = ("first_put_time", "last_put_time", "sample_msg_id")
    known = described.filter(~is_open).selectExpr(*columns, "messages", "0L AS retried", *of_sick)
    return known.unionByName(
        ended.withColumn("is_sick", is_sick).selectExpr(
            *columns,
            "if(is_sick, messages, 0L) AS messages",
            "if(is_sick, 0L, messages) AS retried",
            *(f"if(is_sick, {name}, null) AS {name}" for name in of_sick),
        )
    )


def lifelines(messages: DataFrame) -> DataFrame:
    """A row a message, queue and description: when it was so last; and one that it is gone.

    What is kept of the rows are numbers, so that Spark groups them by hashes and sorts nothing.

    Args:
        messages: rows of the table messages with `COLUMNS`; also with their `KIND`, which is kept.

    Returns:
        ``msg_id`` (null of rows that are not of use, and say nothing else), ``qmgr, queue``, what
        describes it, ``last_time, gone_row_time, put_time, expiry_time, rolled_back, sightings``
        (how many rows it was).
    """
    kind_columns = [KIND] if KIND in messages.columns else []
    is_of_use = F.col(KIND).isin(SOUND, GONE) if kind_columns else F.lit(True)
    msg_id = F.when(is_of_use, F.col("msg_id")).alias("msg_id")
    is_gone = F.col("seen") == Seen.GONE.value
    return messages.groupBy(msg_id, "qmgr", "queue", *_DESCRIPTION, *kind_columns).agg(
        F.max(F.when(~is_gone, F.col("snap_time"))).alias("last_time"),
        F.max(F.when(is_gone, F.col("snap_time"))).alias("gone_row_time"),
        F.min("put_time").alias("put_time"),
        F.max("expiry_time").alias("expiry_time"),
        F.bool_or(F.coalesce("backout_count", F.lit(0)) > 0).alias("rolled_back"),
        F.count(F.lit(1)).alias("sightings"),
    )


def _classed() -> list[Column]:
    """`DESCRIBED` of a description: without long texts, and lengths by their class."""
    length = F.col(_COLUMN["length"])
    low = F.pow(F.lit(2.0), F.length(F.bin(length)) - 1).cast("long")
    return [
        *(F.when(F.length(name) <= GREATEST_TEXT, F.col(name)).alias(name) for name in _TEXTS),
        *map(F.col, _NUMBERS),
        F.when(length == 0, F.lit(0)).otherwise(low).alias(LENGTH_FROM),
        F.col("properties"),
    ]


def _sorted_by(*keys: str) -> list[Column]:
    """*keys* behind a number of them: Spark sorts by the first eight bytes, and names are alike."""
    return [F.xxhash64(*keys).alias(_SORTED), *map(F.col, keys)]


def _fixed() -> Column:
    """The conditions that a description fulfils by descriptor and headers."""
    texts = [F.concat(F.lit(f"{field} = "), quoted(F.col(_COLUMN[field]))) for field in TEXTS]
    numbers = [
        F.concat(F.lit(f"{field} = "), F.col(_COLUMN[field]).cast("string")) for field in NUMBERS
    ]
    low = F.col(LENGTH_FROM)
    between = F.format_string("length BETWEEN %d AND %d", low, 2 * low - 1)
    classed = F.when(low == 0, "length = 0").when(low.isNotNull(), between)
    return F.array(*texts, *numbers, classed)


def _properties() -> Column:
    """Those that it fulfils by message properties, where snapshots kept them."""
    pairs = F.map_entries(F.from_json("properties", "map<string,variant>"))

    def condition(pair: Column) -> Column:
        kind = F.schema_of_variant(pair["value"])
        text = F.try_variant_get(pair["value"], "$", "string")
        name = F.concat(
            F.lit('prop."'), F.replace(pair["key"], F.lit('"'), F.lit('""')), F.lit('" = ')
        )
        value = (
            F.when(kind == "STRING", quoted(text))
            .when(kind == "BOOLEAN", F.upper(text))
            .when(kind.rlike("^(BIGINT|DOUBLE|DECIMAL)"), text)
        )
        return F.when(F.length(text) <= GREATEST_TEXT, F.concat(name, value))

    return F.coalesce(F.transform(pairs, condition), F.array().cast("array<string>"))


def quoted(text: Column) -> Column:
    """A text as `--where` reads it."""
    return F.concat(F.lit("'"), F.replace(text, F.lit("'"), F.lit("''")), F.lit("'"))


def causes(described: DataFrame, *, top: int = 5) -> DataFrame:
    """The conditions that separate the sick from the healthy best.

    Args:
        top: at most so many of a family.

    Returns:
        A row for each ``qmgr, family, rank``: ``where``, ``messages`` (sick ones that fulfil it),
        ``sick``, ``healthy``, ``retried`` (in all), ``support`` (0 to 1), ``healthy_count``
        (healthy ones that fulfil it), ``lift`` (how many times as common among the sick as among
        all), ``score`` (support less the part of the healthy), ``first_put_time, last_put_time,
        sample_msg_id``. Of two that do as well the one with fewer terms comes first.
    """
    totals = (
        described.groupBy(*OF_FAMILY)
        .agg(*(F.sum(name).alias(total) for name, total in zip(COUNTS, TOTALS, strict=True)))
        .filter("n_sick > 0")
    )
    best = _best_single(described, totals)
    terms = F.array_sort(F.array_intersect("conditions", "best")).alias("terms")
    # what is alike in the best conditions is one row before these are paired
    alike = _added_up(described.join(best, list(OF_FAMILY)), terms)
    asked = alike.select("*", F.inline(F.concat(_singles("terms"), _pairs("terms"))))
    return _best(_rated(_added_up(asked, F.col("where"), F.col("is_one"))), top)


def _best_single(described: DataFrame, totals: DataFrame) -> DataFrame:
    """The `PAIRED` single conditions of each family that separate best, as ``best``.

    Beside them what `_rated` needs of *totals*.
    """
    asked = described.withColumn("where", F.explode("conditions"))
    counted = asked.groupBy(*OF_FAMILY, "where").agg(*_sums())
    ranked = Window.partitionBy(*OF_FAMILY).orderBy(F.desc("score"), "where")
    return (
        _rated(counted.join(totals, list(OF_FAMILY)))
        .filter("score > 0")
        .withColumn("rank", F.row_number().over(ranked))  # cut before rows are sent about
        .filter(F.col("rank") <= PAIRED)
        .groupBy(*OF_FAMILY, *TOTALS)
        .agg(F.collect_list("where").alias("best"))
    )


def _asked(where: Column, *, is_one: bool) -> Column:
    """A condition, and whether it is a single one: a value in it may contain `` AND ``."""
    return F.struct(where.alias("where"), F.lit(is_one).alias("is_one"))


def _singles(terms: str) -> Column:
    """Each of *terms*."""
    return F.transform(terms, lambda one: _asked(one, is_one=True))


def _pairs(terms: str) -> Column:
    """Each of *terms* with those behind it."""
    return F.flatten(
        F.transform(
            terms,
            lambda one, at: F.transform(
                F.slice(terms, at + 2, F.size(terms)),  # which counts from 1
                lambda other: _asked(F.concat(one, F.lit(" AND "), other), is_one=False),
            ),
        )
    )


def _sums() -> Iterator[Column]:
    return (F.sum(name).alias(name) for name in COUNTS)


def _added_up(rows: DataFrame, *keys: Column) -> DataFrame:
    """The rows of a family that are alike in *keys* as one."""
    return rows.groupBy(*OF_FAMILY, *TOTALS, *keys).agg(
        *_sums(),
        F.min("first_put_time").alias("first_put_time"),
        F.max("last_put_time").alias("last_put_time"),
        F.min("sample_msg_id").alias("sample_msg_id"),
    )


def _rated(counted: DataFrame) -> DataFrame:
    """How well each condition separates, where a sick message fulfils it."""
    support = F.col("messages") / F.col("n_sick")
    healthy_part = F.coalesce(F.try_divide("healthy_count", "n_healthy"), F.lit(0.0))
    rated = {"support": support, "score": support - healthy_part}
    return counted.filter("messages > 0").withColumns(rated)


def _best(rated: DataFrame, top: int) -> DataFrame:
    is_one = F.col("is_one")
    best = F.max(F.when(is_one, F.struct("score", "healthy_count")))
    one = best.over(Window.partitionBy(*OF_FAMILY))
    spares = (F.col("score") > one["score"]) & (one["healthy_count"] >= SPARED)
    spares &= F.col("healthy_count") * SPARED <= one["healthy_count"]
    worth = is_one | (F.col("score") >= one["score"] + WORTH_A_TERM) | spares
    in_order = Window.partitionBy(*OF_FAMILY).orderBy(
        F.desc("score"), F.desc(is_one), F.length("where"), "where"
    )
    return (
        rated.withColumn("worth", worth)
        .filter("worth and score > 0")
        .withColumn("rank", F.row_number().over(in_order))
        .filter(F.col("rank") <= top)
        .selectExpr(
            *OF_FAMILY,
            "rank",
            "where",
            "messages",
            "n_sick AS sick",
            "n_healthy AS healthy",
            "n_retried AS retried",
            "round(support, 4) AS support",
            "healthy_count",
            "round(support / ((messages + healthy_count) / (n_sick + n_healthy)), 3) AS lift",
            "round(score, 4) AS score",
            "first_put_time",
            "last_put_time",
            "sample_msg_id",
        )
    )
