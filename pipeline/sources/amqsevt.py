"""What ``amqsevt -o json`` or ``-o json_compact`` printed, as rows of the tables of logs.

Releases and builds word the same parameter differently: queueName or qName, eventQueueMgr or
eventQMgr. Names are compared without case and with ``queue`` as ``q``.
Source: IBM MQ documentation, "Sample program to monitor instrumentation events on Multiplatforms",
and recordings of its output.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from mqtriage.mq import cmqcfc
from mqtriage.pipeline.sources.pieces import (
    BROKEN,
    CORRUPT,
    FILE,
    NOWHERE,
    from_json,
    measured,
    moment,
)
from mqtriage.pipeline.sources.recognition import LogForm

_SCHEMA: Final = (
    "eventSource struct<objectName:string,queueMgr:string>,"
    "eventType struct<name:string,value:int>,"
    "eventReason struct<name:string,value:int>,"
    "eventCreation struct<timeStamp:string,epoch:long>,"
    "correlationID string,objectState string,eventData string"
)
_MAP: Final = "map<string,string>"
_PART: Final = {"context": "context", "given": "data"}
"""Columns to what follows "command" in the names of the two groups of a command event."""
_KINDS: Final = {
    43: "configuration", 44: "queue manager", 45: "performance", 46: "channel", 91: "logger",
    99: "command",
}  # fmt: skip
"""MQCMD_*_EVENT to what people call it; statistics and accounting are no events."""
_STATISTICS: Final = {cmqcfc.MQCMD_STATISTICS_MQI: "", cmqcfc.MQCMD_STATISTICS_Q: "qstatisticsdata"}
_ACCOUNTING: Final = {cmqcfc.MQCMD_ACCOUNTING_MQI: "", cmqcfc.MQCMD_ACCOUNTING_Q: "qaccountingdata"}
"""Commands to the list that has one record a queue; "" where the message is the record."""
_MEASUREMENTS: Final = (*_STATISTICS, *_ACCOUNTING, cmqcfc.MQCMD_STATISTICS_CHANNEL)
"""What is counted, and no event."""
_COUNTS: Final = {
    "puts": ("puts", "put1s"),
    "puts_failed": ("putsfailed", "put1sfailed"),
    "put_bytes": ("putbytes",),
    "gets": ("gets",),
    "gets_failed": ("getsfailed",),
    "get_bytes": ("getbytes",),
    "browses": ("browses",),
    "expired": ("msgsexpired",),
    "purged": ("msgspurged",),
    "depth_max": ("qmaxdepth",),
    "commits": ("commits",),
    "backouts": ("backouts",),
}
"""Columns to the counts that they add up."""
_OBJECTS: Final = (
    "baseobjectname", "qname", "channelname", "topicname", "namelistname", "processname",
    "listenername", "servicename", "subname", "authinfoname", "commobjectname", "profilename",
    "objectname", "toqname", "remotequeuename", "eventqmgr",
)  # fmt: skip
"""Parameters that name what an event is about, the most telling first."""


def lines(reader: Any, paths: Sequence[str]) -> DataFrame:
    """The logs cut into events: ``text``, ``file``; of other layouts as `rewriting` wrote them.

    An event that was broken off ends where the next one begins, so it costs no other.

    Args:
        reader: of a batch, or of a stream, which takes one path.
    """
    frame: DataFrame = reader.text(list(paths) if len(paths) > 1 else paths[0])
    pieces = F.split(F.regexp_replace("value", "^\ufeff", ""), r'(?=\{\s*"eventSource")')
    cut = frame.select(F.explode(pieces).alias("text"), F.col("_metadata.file_path").alias("file"))
    return cut.filter(F.trim("text") != "")


def events(session: SparkSession, paths: Sequence[str], form: LogForm) -> DataFrame:
    """Every event of the logs as a row of `events_of`."""
    return events_of(lines(session.read, paths))


def events_of(cut: DataFrame) -> DataFrame:
    """Every event as a row of the table, in `BROKEN` the file of one that is not JSON of an event.

    Args:
        cut: what `lines` gives; a stream of it as well.

    Returns:
        The columns of the table, those of its folders, `FILE` and `BROKEN`.
    """
    parsed = _parsed(cut)
    parsed = parsed.filter(
        F.col(BROKEN).isNotNull() | ~F.coalesce(F.col("type"), F.lit(0)).isin(*_MEASUREMENTS)
    )
    kinds = F.create_map(*(F.lit(one) for pair in _KINDS.items() for one in pair))
    before_or_after = F.lower(F.coalesce("object_state", _value("data", "objectstate")))
    time = F.coalesce("creation_time", F.timestamp_seconds("epoch"))
    return parsed.select(
        F.lit("log").alias("snapshot_id"),
        time.alias("snap_time"),
        F.coalesce(F.try_element_at(kinds, "type"), "type_name").alias("event_kind"),
        F.col("event"),
        F.col("reason"),
        _value("data", "objecttype").alias("object_kind"),
        F.coalesce(_first("given", _OBJECTS), _first("data", _OBJECTS)).alias("object"),
        F.coalesce(
            _value("context", "eventuserid"),
            _first("data", ("eventuserid", "useridentifier", "mcauseridentifier", "clientuserid")),
        ).alias("user"),
        F.coalesce(
            _value("context", "eventapplname"), _first("data", ("eventapplname", "applname"))
        ).alias("application"),
        F.coalesce(_value("context", "eventorigin"), _value("data", "eventorigin")).alias("origin"),
        F.coalesce(_value("context", "command"), _value("data", "command")).alias("command"),
        F.col("change_id"),
        F.when(F.startswith(before_or_after, F.lit("before")), "before")
        .when(F.startswith(before_or_after, F.lit("after")), "after")
        .alias("state"),
        F.col("eventData").alias("data"),
        F.to_json("given").alias("given"),
        F.lit(None).cast("string").alias("text"),
        F.coalesce(
            "source_qmgr",
            _value("context", "eventqmgr"),
            _first("data", ("eventqmgr", "qmgrname")),
            F.lit(NOWHERE),
        ).alias("qmgr"),
        F.to_date(time).alias("snap_date"),
        FILE,
        BROKEN,
    )


def statistics(session: SparkSession, paths: Sequence[str], form: LogForm) -> DataFrame:
    """Every record of statistics and accounting messages as a row of the table; else as `events`.

    The interval ends when the message was put; its own dates are local times of the queue manager.
    """
    parsed = _parsed(lines(session.read, paths))
    counted = {**_STATISTICS, **_ACCOUNTING}
    listed = {type_: name for type_, name in counted.items() if name}
    lists = F.coalesce(
        *(F.when(F.col("type") == type_, _value("data", name)) for type_, name in listed.items())
    )
    alone = ~F.col("type").isin(*listed)
    records = F.when(alone, F.array("data")).otherwise(F.from_json(lists, f"array<{_MAP}>"))
    taken = parsed.filter(F.col(BROKEN).isNotNull() | F.col("type").isin(*counted))
    record = _named(taken.withColumn("record", F.explode_outer(records)), "record")
    began, ended = (
        moment(_value("data", f"{word}date"), _value("data", f"{word}time"))
        for word in ("start", "end")
    )
    return record.select(
        *measured(
            time=F.coalesce("creation_time", F.timestamp_seconds("epoch")),
            is_accounting=F.col("type").isin(*_ACCOUNTING),
            queue=_value("record", "qname"),
            application=_value("data", "applname"),
            user=_value("data", "useridentifier"),
            connection=_value("data", "connectionid"),
            interval=(began, ended),
            counts={
                column: [_value("record", name) for name in names]
                for column, names in _COUNTS.items()
            },
            qmgr=F.coalesce("source_qmgr", _value("data", "qmgrname")),
        ),
        FILE,
        BROKEN,
    )


def _parsed(cut: DataFrame) -> DataFrame:
    """What is common to all events, and the parameters of each as maps."""
    # what a value holds is printed as it is: tabs, paths of Windows
    lenient = {"allowUnquotedControlChars": "true", "allowBackslashEscapingAnyCharacter": "true"}
    event = cut.select(from_json("text", _SCHEMA, **lenient).alias("e"), "file")
    event = event.select("e.*", "file")
    # JSON that is something else has none of the parts
    broken = F.col(CORRUPT).isNotNull() | F.col("eventType.value").isNull()
    mapped = event.select(
        F.col("file").alias(FILE),
        F.when(broken, F.col("file")).alias(BROKEN),
        F.col("eventType.value").alias("type"),
        F.col("eventType.name").alias("type_name"),
        F.col("eventReason.name").alias("event"),
        F.col("eventReason.value").alias("reason"),
        F.col("eventCreation.timeStamp").try_cast("timestamp").alias("creation_time"),
        F.col("eventCreation.epoch").alias("epoch"),
        F.col("eventSource.queueMgr").alias("source_qmgr"),
        F.col("correlationID").alias("change_id"),
        F.col("objectState").alias("object_state"),
        "eventData",
        F.from_json("eventData", _MAP).alias("data"),
    )
    mapped = _named(mapped, "data")
    for part in ("context", "given"):
        mapped = mapped.withColumn(part, F.from_json(_value("data", f"command{_PART[part]}"), _MAP))
        mapped = _named(mapped, part)
    return mapped


def canonical(name: Column) -> Column:
    """The name of a parameter as all releases would word it."""
    return F.replace(F.lower(name), F.lit("queue"), F.lit("q"))


def _named(frame: DataFrame, parameters: str) -> DataFrame:
    """With the canonical names of a map of parameters, worked out once, beside it."""
    names = F.transform(F.map_keys(parameters), canonical)
    return frame.withColumn(f"{parameters}_names", names)


def _value(parameters: str, name: str) -> Column:
    """The first parameter of that canonical name, null where there is none or it is blank."""
    place = F.nullif(F.array_position(f"{parameters}_names", name), F.lit(0)).cast("int")
    text = F.trim(F.try_element_at(F.map_values(parameters), place))
    return F.when(text != "", text)


def _first(parameters: str, names: Sequence[str]) -> Column:
    return F.coalesce(*(_value(parameters, name) for name in names))
