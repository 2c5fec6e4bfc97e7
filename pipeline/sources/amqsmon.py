"""What ``amqsmon`` printed of statistics and accounting messages, as rows of the table statistics.

A message begins with the line ``MonitoringType: ...`` and ends with an empty one; each queue of it
has a line ``QueueStatistics: N`` or ``QueueAccounting: N`` and its own lines behind it, two blanks
further to the right. Channel statistics are left out.
Source: IBM MQ documentation, "amqsmon (Display formatted monitoring information)"; what its sample
source amqsmon0.c prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from mqtriage.pipeline.sources.pieces import BROKEN, FILE, measured, moment, part, texts
from mqtriage.pipeline.sources.recognition import LogForm

_OF_MQI: Final = ("MQIStatistics", "MQIAccounting")
_OF_QUEUES: Final = ("QueueStatistics", "QueueAccounting")
_OF_CHANNELS: Final = "ChannelStatistics"
_COUNTS: Final = {
    "puts": ("PutCount", "Put1Count"),
    "puts_failed": ("PutFailCount", "Put1FailCount"),
    "put_bytes": ("PutBytes",),
    "gets": ("GetCount",),
    "gets_failed": ("GetFailCount",),
    "get_bytes": ("GetBytes",),
    "browses": ("BrowseCount",),
    "expired": ("ExpiredMsgCount",),
    "purged": ("PurgeCount",),
    "depth_max": ("QMaxDepth",),
    "commits": ("CommitCount",),
    "backouts": ("BackCount",),
}
"""Columns to the counts that they add up."""
_QUEUE: Final = rf"\n(?=(?:{'|'.join(_OF_QUEUES)}): \d)"
_NO_LINE: Final = r"^(?!\s*$| *[\w()]+: |\d+ Records Processed)"
_NO_COUNT: Final = r"^ *\w*(?:Count|Bytes|Depth): (?!(?:-?\d+|\[-?\d+(?:, -?\d+)*\])\s*$)"
_DAMAGE: Final = f"(?m){_NO_LINE}|{_NO_COUNT}"
_END: Final = r"\n[ \r]*\n|\d Records Processed"


def statistics(session: SparkSession, paths: Sequence[str], form: LogForm) -> DataFrame:
    """Every record as a row of the table; in `BROKEN` the file of one that cannot be read.

    The time of a record is the end of its interval, a local time that is taken for UTC: amqsmon
    does not print when the message was put.
    """
    read = texts(session, paths, "MonitoringType:")
    messages = read.filter(F.startswith("value", F.lit(" "))).select(  # else before the first
        "file",
        F.regexp_extract("value", r"\A *(\w*)", 1).alias("type"),
        F.split(F.regexp_replace("value", r"\A.*", ""), _QUEUE).alias("parts"),
        (~F.rlike("value", F.lit(_END))).alias("is_cut"),
    )
    records = messages.filter(F.col("type") != _OF_CHANNELS).select(
        "*", F.element_at("parts", 1).alias("head"), F.posexplode("parts").alias("place", "record")
    )
    began, ended = (
        moment(_value("head", f"Interval{word}Date"), _value("head", f"Interval{word}Time"))
        for word in ("Start", "End")
    )
    is_unknown = ~F.col("type").isin(*_OF_MQI, *_OF_QUEUES) | ended.isNull()
    is_last = F.col("place") == F.size("parts") - 1
    is_broken = is_unknown | (is_last & F.col("is_cut")) | F.rlike("record", F.lit(_DAMAGE))
    is_head = F.col("place") == 0
    # a head that tells no time has no records; that of queues is none itself
    rows = records.filter(
        F.when(is_head, F.col("type").isin(*_OF_MQI) | is_broken).otherwise(~is_unknown)
    )
    return rows.select(
        *measured(
            time=ended,
            is_accounting=F.endswith("type", F.lit("Accounting")),
            queue=_value("record", "QueueName"),
            application=_value("head", "ApplicationName"),
            user=_value("head", "UserId"),
            connection=_value("head", "ConnectionId"),
            interval=(began, ended),
            counts={
                column: [_value("record", name) for name in names]
                for column, names in _COUNTS.items()
            },
            qmgr=_value("head", "QueueManager"),
        ),
        F.col("file").alias(FILE),
        F.when(is_broken, F.col("file")).alias(BROKEN),
    )


def _value(column: str, name: str) -> Column:
    """What stands behind a name, without quotes; null where that is nothing."""
    return part(column, rf"(?m)^ *{name}: '?(.*?)'?\s*$")
