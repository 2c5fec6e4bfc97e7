"""What came to a folder of snapshots or a topic since the last look, by Structured Streaming.

`availableNow` makes a run that takes the files not yet in the checkpoint and ends; a file counts
as read when the run that printed it ended. Broken rows are counted as in a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Final, TypeAlias

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from mqtriage.messages.filters.expression import Expression
from mqtriage.model.result import Record
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.columns import condition
from mqtriage.pipeline.folders import OTHER_VERSION, Rejected, sources, unmoved
from mqtriage.pipeline.reading import BROKEN, damaged_file, marked_rows
from mqtriage.pipeline.snapshots.schema import FORMATS, MESSAGES, QUEUES, Seen, Table
from mqtriage.pipeline.sources.amqsevt import events_of, lines
from mqtriage.pipeline.sources.pieces import BROKEN as BROKEN_EVENT

KAFKA_PACKAGE: Final = "org.apache.spark:spark-sql-kafka-0-10_2.13"
GROUP: Final = ("qmgr", "queue", "snapshot_id", "snap_time")
Row: TypeAlias = dict[str, Any]
Take: TypeAlias = Callable[[str, int, list[Row]], None]
"""Is given the name of a stream, the number of a batch and its rows; after a kill perhaps again,
with the same name, number and rows."""


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

    def take(batch: DataFrame, _: int) -> None:
        for row in counted(batch, where).collect():
            record: Row = row.asDict()
            time_us = record["snap_time"]
            record["snap_time"] = None if time_us is None else rfc3339(time_us)
            rejected.add("invalid rows of messages", "", record.pop("unsound"))
            if record["messages"] or record["gone"]:
                records.append(record)

    def read(form: str, *, forgiving: bool) -> None:
        stream = _stream(session, folder, MESSAGES, form, forgiving=forgiving)
        _run(stream, f"{checkpoint}/{form}", take)

    _each_form(folder, MESSAGES, rejected, read)
    return sorted(records, key=lambda row: tuple(row[key] or "" for key in GROUP))


def read_queues(
    session: SparkSession, folder: str, checkpoint: str, rejected: Rejected, take: Take
) -> None:
    """Hand over what the newest of the snapshots that came since the last call says of each queue.

    Rows have ``qmgr, queue, time_us, curdepth, maxdepth, oldest_us, problem``.
    """

    def read(form: str, *, forgiving: bool) -> None:
        name = f"queues.{form}"

        def take_batch(batch: DataFrame, number: int) -> None:
            rows = [row.asDict() for row in newest(batch).collect()]
            for row in rows:
                rejected.add("invalid rows of queues", "", row.pop("unsound"))
            take(name, number, [row for row in rows if row["time_us"] is not None])

        stream = _stream(session, folder, QUEUES, form, forgiving=forgiving)
        _run(stream, f"{checkpoint}/{name}", take_batch)

    _each_form(folder, QUEUES, rejected, read)


def appended_lines(session: SparkSession, folder: str) -> DataFrame:
    """The lines of the files in a folder, each of them complete, as they come."""
    return lines(session.readStream, [folder])


def kafka_lines(session: SparkSession, servers: str, topic: str) -> DataFrame:
    """The lines in the messages of a topic from its begin on, as they come; see `lines`.

    Raises:
        MQTriageError: Spark lacks the jar for Kafka.
    """
    reader = session.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    reader = reader.option("subscribe", topic).option("startingOffsets", "earliest")
    try:
        read = reader.load()
    except AnalysisException as error:
        if "data source" not in str(error):
            raise
        raise MQTriageError(
            f"analyze watch kafka://{servers}/{topic}: Spark lacks the jar for Kafka",
            hint=f"--conf spark.jars.packages={KAFKA_PACKAGE}:{session.version}, or the last"
            " version before it",
        ) from error
    where = F.concat_ws(" ", "topic", "partition", "offset")
    text = F.explode(F.split(F.col("value").cast("string"), r"\r?\n"))
    return read.select(text.alias("text"), where.alias("file")).filter(F.trim("text") != "")


def read_events(
    cut: DataFrame,
    name: str,
    checkpoint: str,
    reasons: Mapping[int, tuple[str, int]],
    rejected: Rejected,
    take: Take,
) -> None:
    """Hand over the last event of each object and subject in lines that came since the last call.

    Args:
        cut: a stream of lines as ``amqsevt -o json_compact`` writes them.
        name: of that stream.
        reasons: reason code of an event to its subject, and to what decides between events of one
            moment, the higher; other events are left out.

    Rows have ``qmgr, object, subject, reason, user, time_us, events``: how many there were of that
    reason.
    """

    def take_batch(batch: DataFrame, number: int) -> None:
        kept = batch.persist()
        try:
            broken = kept.filter(F.col(BROKEN_EVENT).isNotNull()).count()
            rejected.add("lines that are not from amqsevt -o json_compact", "", broken)
            rows = [row.asDict() for row in last_events(kept, reasons).collect()]
        finally:
            kept.unpersist()
        take(name, number, rows)

    _run(events_of(cut), f"{checkpoint}/{name}", take_batch)


def _each_form(folder: str, table: Table, rejected: Rejected, read: Callable[..., None]) -> None:
    """Read each form that a table has files of, once more and forgivingly where one breaks."""
    known = Rejected()
    there = (source for source in sources([folder], table.name, known) if not source.of_many)
    forms = {source.form for source in there}
    for form in [form for form in FORMATS if form in forms]:
        try:
            with unmoved([folder]):
                read(form, forgiving=False)
        except Exception as error:
            damaged = damaged_file(error)
            if damaged is None:
                raise
            if not known.names(damaged):
                what = f"files of {table.name} that cannot be read, at least this one"
                rejected.add(what, damaged)
            with unmoved([folder]):
                read(form, forgiving=True)  # what was not ticked off, this one among them
    rejected.include(known)


def _stream(
    session: SparkSession, folder: str, table: Table, form: str, *, forgiving: bool
) -> DataFrame:
    """The rows of a table in files of one form, as they come."""
    reader = session.readStream.option("pathGlobFilter", f"*.{form}")
    reader = reader.option("ignoreCorruptFiles", str(forgiving).lower())
    reader = reader.option("maxFilesPerTrigger", "100000")
    stream = marked_rows(reader, table, form, [f"{folder.rstrip('/')}/{table.name}"])
    return stream.filter(~F.rlike(F.col("_metadata.file_name"), F.lit(OTHER_VERSION)))


def _run(stream: DataFrame, checkpoint: str, take: Callable[[DataFrame, int], None]) -> None:
    """Hand over in batches what is not in the checkpoint, and end."""
    writer = stream.writeStream.foreachBatch(take).option("checkpointLocation", checkpoint)
    writer.trigger(availableNow=True).start().awaitTermination()


def _sound(table: Table) -> Column:
    """Whether a row is one of the table."""
    required: Sequence[str] = [column.name for column in table.columns if column.required]
    missing = reduce(Column.__or__, (F.col(name).isNull() for name in required))
    return F.col(BROKEN).isNull() & ~missing


def counted(batch: DataFrame, where: Expression | None) -> DataFrame:
    """The numbers of one batch by `GROUP`, those that are not sound apart."""
    sound = _sound(MESSAGES)
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


def newest(batch: DataFrame) -> DataFrame:
    """The newest sound row of each queue, and how many were not sound."""
    row = F.struct(
        F.unix_micros("snap_time").alias("time_us"),
        "curdepth",
        "maxdepth",
        F.unix_micros("oldest_put_time").alias("oldest_us"),
        "problem",
    )
    sound_row = F.when(_sound(QUEUES), row)
    return (
        batch.groupBy("qmgr", "queue")
        .agg(F.max(sound_row).alias("row"), F.count_if(~_sound(QUEUES)).alias("unsound"))
        .select("qmgr", "queue", "row.*", "unsound")
    )


def _meaning(subject: str, rank: int) -> Column:
    return F.struct(F.lit(subject).alias("subject"), F.lit(rank).alias("rank"))


def last_events(events: DataFrame, reasons: Mapping[int, tuple[str, int]]) -> DataFrame:
    """The last event of each object and subject, and how many there were of its reason."""
    meant = F.create_map(
        *(
            part
            for reason, (subject, rank) in reasons.items()
            for part in (F.lit(reason), _meaning(subject, rank))
        )
    )
    of_reason = (
        events.filter(F.col(BROKEN_EVENT).isNull() & F.col("snap_time").isNotNull())
        .withColumn("meant", F.try_element_at(meant, "reason"))
        .filter(F.col("meant").isNotNull())
        .groupBy("qmgr", "object", "meant", "reason")
        .agg(
            F.max(F.struct(F.unix_micros("snap_time").alias("time_us"), "user")).alias("last"),
            F.count(F.lit(1)).alias("events"),
        )
    )
    last = F.struct("last.time_us", "meant.rank", "reason", "last.user", "events")
    return (
        of_reason.groupBy("qmgr", "object", F.col("meant.subject").alias("subject"))
        .agg(F.max(last).alias("event"))
        .select("qmgr", "object", "subject", "event.*")
    )
