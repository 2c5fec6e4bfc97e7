"""Error logs of queue managers, as rows of the table events: AMQERR01.LOG, AMQERR01.json, consoles.

Only messages of MQ (AMQ....) are events: the lines of a web server or of a container beside them
are neither read nor counted as broken.
Source: IBM MQ documentation, "QMErrorLog service", "Diagnostic message services in mqs.ini", and
recordings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from mqtriage.pipeline.sources.pieces import (
    BROKEN,
    CORRUPT,
    FILE,
    NOWHERE,
    columns_of,
    from_json,
    part,
    texts,
)
from mqtriage.pipeline.sources.recognition import LogForm
from mqtriage.pipeline.sources.tables import LOG_TABLES

KIND: Final = "error log"
_JSON: Final = (
    "ibm_messageId string,ibm_datetime string,ibm_serverName string,ibm_processName string,"
    "message string,type string"
)
_SHOWN: Final = 60
_ID: Final = "^AMQ[0-9]{4,5}[A-Z]?"
_LINE: Final = r"^(\S+)\s+(AMQ[0-9]{4,5}[A-Z]?):\s*(.*?)\s*$"
_BLOCK: Final = r"(?m)^(AMQ[0-9]{4,5}[A-Z]?):\s*((?s:.*?))\s*(?:^\s*$|^EXPLANATION:|\z)"


def json_lines(session: SparkSession, paths: Sequence[str], form: LogForm) -> DataFrame:
    """The lines of AMQERR01.json and of consoles in that form."""
    written = texts(session, paths).filter(F.trim("value") != "")
    parsed = written.select(from_json("value", _JSON).alias("e"), "file", "value")
    broken = F.col(f"e.{CORRUPT}").isNotNull()
    identifier = F.col("e.ibm_messageId")
    of_mq = parsed.filter(broken | F.rlike(F.coalesce(identifier, F.lit("")), F.lit(_ID)))
    text = F.regexp_replace("e.message", r"^AMQ[0-9A-Z]+:\s*", "")
    return _rows(
        of_mq,
        broken=broken,
        fault="not JSON",
        time=F.col("e.ibm_datetime"),
        identifier=identifier,
        text=text,
        program=F.col("e.ibm_processName"),
        qmgr=F.col("e.ibm_serverName"),
    )


def console(session: SparkSession, paths: Sequence[str], form: LogForm) -> DataFrame:
    """The lines ``TIME AMQ....: text`` of a console in its basic form, which names no manager."""
    lines = texts(session, paths).filter(F.rlike("value", F.lit(_LINE)))
    nothing = F.lit(None).cast("string")
    return _rows(
        lines,
        broken=F.lit(False),
        fault="",
        time=part("value", _LINE, 1),
        identifier=part("value", _LINE, 2),
        text=part("value", _LINE, 3),
        program=nothing,
        qmgr=nothing,
    )


def blocks(session: SparkSession, paths: Sequence[str], form: LogForm) -> DataFrame:
    """The blocks of AMQERR01.LOG, which have the line Time(...): of releases before 9.1 from us."""
    read = texts(session, paths, "\n-----")
    # a block begins with what is left of the line that ends the one before
    inside = F.trim(F.regexp_replace("value", r"\A[^\n]*-----\s*", ""))
    read = read.select(F.regexp_replace(inside, "\r", "").alias("value"), "file")
    written = read.filter(F.rlike("value", F.lit(r"\S")))
    identifier = part("value", _BLOCK, 1)
    return _rows(
        written,
        broken=identifier.isNull(),
        fault="no AMQ message",
        time=part("value", r"\bTime\(([^)]*)\)", 1),
        identifier=identifier,
        text=F.regexp_replace(part("value", _BLOCK, 2), r"\s+", " "),
        program=part("value", r"\bProgram\(([^)]*)\)", 1),
        qmgr=part("value", r"\bQMgr\(([^)]*)\)", 1),
    )


def _rows(
    frame: DataFrame,
    *,
    broken: Column,
    fault: str,
    time: Column,
    identifier: Column,
    text: Column,
    program: Column,
    qmgr: Column,
) -> DataFrame:
    """The rows of the table events, as `mqtriage.pipeline.sources.readers` describes them.

    Args:
        fault: what is wrong with those that are broken.
    """
    # Spark reads +00:00, and no +0000
    moment = F.regexp_replace(time, r"([+-]\d\d)(\d\d)$", "$1:$2").try_cast("timestamp")
    known = {
        "snapshot_id": F.lit("log"),
        "snap_time": moment,
        "event_kind": F.lit(KIND),
        "event": identifier,
        "application": program,
        "text": text,
        "qmgr": F.coalesce(qmgr, F.lit(NOWHERE)),
        "snap_date": F.to_date(moment),
    }
    begins = F.concat(F.lit(' in "'), F.substring(F.regexp_extract("value", r".*", 0), 1, _SHOWN))
    why = F.when(broken, F.lit(fault)).otherwise(F.lit("no valid time"))
    why = F.concat(why, begins, F.lit('"'))
    return frame.select(
        *columns_of(LOG_TABLES["events"], known),
        F.col("file").alias(FILE),
        F.when(broken | moment.isNull(), F.concat("file", F.lit("\n"), why)).alias(BROKEN),
    )
