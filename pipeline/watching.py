"""What came to a folder of snapshots since the last look, by Structured Streaming.

`availableNow` makes a run that takes the files not yet in the checkpoint and ends; a file counts
as read when the run that printed it ended. Broken rows are counted as in a batch.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from mqtriage.model.expression import Expression
from mqtriage.model.result import Record
from mqtriage.model.snapshot_schema import FORMATS, MESSAGES, Seen
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.columns import condition
from mqtriage.pipeline.folders import Rejected, sources
from mqtriage.pipeline.reading import BROKEN, schema_of

GROUP: Final = ("qmgr", "queue", "snapshot_id", "snap_time")


def read_new(
    session: SparkSession,
    folder: str,
    checkpoint: str,
    where: Expression | None,
    rejected: Rejected,
) -> list[Record]:
    """Count the messages of snapshots that came since the last call with that checkpoint.

    Returns:
        A row for each of `GROUP`, in that order: ``messages, length_bytes, backed_out, gone``.
    """
    found: list[Record] = []
    for form in FORMATS:
        if any(source.form == form for source in sources([folder], MESSAGES.name, rejected)):
            found += _read_form(session, folder, form, f"{checkpoint}/{form}", where, rejected)
    return sorted(found, key=lambda row: tuple(row[key] or "" for key in GROUP))


def _read_form(
    session: SparkSession,
    folder: str,
    form: str,
    checkpoint: str,
    where: Expression | None,
    rejected: Rejected,
) -> list[Record]:
    schema = schema_of(MESSAGES)
    reader = session.readStream.option("pathGlobFilter", f"*.{form}")
    reader = reader.option("ignoreCorruptFiles", "true").option("maxFilesPerTrigger", "100000")
    path = f"{folder.rstrip('/')}/{MESSAGES.name}"
    if form == "parquet":
        stream = reader.schema(schema).parquet(path).withColumn(BROKEN, F.lit(None).cast("string"))
    else:
        marked = T.StructType([*schema.fields, T.StructField(BROKEN, T.StringType())])
        stream = (
            reader.schema(marked)
            .option("mode", "PERMISSIVE")
            .option("columnNameOfCorruptRecord", BROKEN)
            .json(path)
        )
    found: list[Record] = []

    def take(batch: DataFrame, _: int) -> None:
        for row in counted(batch, where).collect():
            record: dict[str, Any] = row.asDict()
            rejected.add("rows of messages that are not sound", "", record.pop("unsound"))
            if record["messages"] or record["gone"]:
                time_us = record["snap_time"]
                record["snap_time"] = None if time_us is None else rfc3339(time_us)
                found.append(record)

    query = (
        stream.writeStream.foreachBatch(take)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return found


def counted(batch: DataFrame, where: Expression | None) -> DataFrame:
    """The numbers of one batch by `GROUP`, those that are not sound apart."""
    required = [column.name for column in MESSAGES.columns if column.required]
    missing = reduce(Column.__or__, (F.col(name).isNull() for name in required))
    sound = F.col(BROKEN).isNull() & ~missing
    chosen = sound & (F.lit(True) if where is None else F.coalesce(condition(where), F.lit(False)))
    there = chosen & (F.col("seen") != Seen.GONE.value)
    return batch.groupBy(
        "qmgr", "queue", "snapshot_id", F.unix_micros("snap_time").alias("snap_time")
    ).agg(
        F.count_if(there).alias("messages"),
        F.coalesce(F.sum(F.when(there, F.col("length_bytes"))), F.lit(0)).alias("length_bytes"),
        F.count_if(there & (F.col("backout_count") > 0)).alias("backed_out"),
        F.count_if(sound & (F.col("seen") == Seen.GONE.value)).alias("gone"),
        F.count_if(~sound).alias("unsound"),
    )
