"""What came to a folder of snapshots since the last look, by Structured Streaming.

`availableNow` makes a run that takes the files not yet in the checkpoint and ends; a file counts
as read when the run that printed it ended. Broken rows are counted as in a batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from mqtriage.messages.filters.expression import Expression
from mqtriage.model.result import Record
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.columns import condition
from mqtriage.pipeline.folders import OTHER_VERSION, Rejected, sources
from mqtriage.pipeline.reading import BROKEN, damaged_file, marked_rows
from mqtriage.pipeline.snapshots.schema import FORMATS, MESSAGES, Seen

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
    records: list[Record] = []

    def read(form: str, *, forgiving: bool) -> None:
        for row in _read_form(session, folder, form, f"{checkpoint}/{form}", where, forgiving):
            rejected.add("rows of messages that are not sound", "", row.pop("unsound"))
            if row["messages"] or row["gone"]:
                records.append(row)

    known = Rejected()
    forms = {source.form for source in sources([folder], MESSAGES.name, known)}
    for form in [form for form in FORMATS if form in forms]:
        try:
            read(form, forgiving=False)
        except Exception as error:
            damaged = damaged_file(error)
            if damaged is None:
                raise
            if not known.names(damaged):
                rejected.add("files of messages that cannot be read, this one at least", damaged)
            read(form, forgiving=True)  # those that were not ticked off, this one among them
    rejected.include(known)
    return sorted(records, key=lambda row: tuple(row[key] or "" for key in GROUP))


def _read_form(
    session: SparkSession,
    folder: str,
    form: str,
    checkpoint: str,
    where: Expression | None,
    forgiving: bool,
) -> Iterator[dict[str, Any]]:
    """The rows of `counted` for each batch of new files of one form."""
    reader = session.readStream.option("pathGlobFilter", f"*.{form}")
    reader = reader.option("ignoreCorruptFiles", str(forgiving).lower())
    reader = reader.option("maxFilesPerTrigger", "100000")
    stream = marked_rows(reader, MESSAGES, form, [f"{folder.rstrip('/')}/{MESSAGES.name}"])
    stream = stream.filter(~F.rlike(F.col("_metadata.file_name"), F.lit(OTHER_VERSION)))
    records: list[dict[str, Any]] = []

    def take(batch: DataFrame, _: int) -> None:
        for row in counted(batch, where).collect():
            record: dict[str, Any] = row.asDict()
            time_us = record["snap_time"]
            record["snap_time"] = None if time_us is None else rfc3339(time_us)
            records.append(record)

    query = (
        stream.writeStream.foreachBatch(take)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    try:
        query.awaitTermination()
    finally:
        yield from records  # of the batches that are ticked off, whatever became of the last


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
