"""The schema of snapshots, as data: tables, columns, types, units, meanings, and where files lie.

One source for all who write and read them: the NDJSON and Parquet writers, the readers of the
commands, and the Spark schema of `mqtriage.pipeline`. `docs/snapshots.md` is held to it by a test.

A folder of snapshots:

    FOLDER/<table>/qmgr=<queue manager>/snap_date=<YYYY-MM-DD>/<name>.v1.parquet   (or .v1.ndjson)

Partition values stand in the folder names alone, characters that a path cannot hold as %XX. A file
holds rows of one or more snapshots. Names that begin with a dot are being written, or are ours,
and no data. A snapshot is whole when it has a row in the table `snapshots`, which is written last.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Final, NamedTuple

VERSION: Final = 1
"""Counted up when what a column means or holds changes. A column that is added is no new version:
readers take a missing column as null and leave one that they do not know."""
SCHEMA: Final = f"mqtriage-snapshot/{VERSION}"


class Type(StrEnum):
    """What a column holds. In NDJSON: text, number, true/false; times RFC 3339 in UTC."""

    STRING = "string"
    INT = "int"
    """32 bits, as MQLONG."""
    LONG = "long"
    """64 bits."""
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"
    """A moment, to the microsecond."""
    DATE = "date"


class Column(NamedTuple):
    """One column.

    Attributes:
        unit: of a number; "" where it has none.
        selects: the field of `mqtriage.messages.fields` that this column answers, "" for none.
        required: never null, else the row is damaged.
    """

    name: str
    type: Type
    about: str
    unit: str = ""
    selects: str = ""
    required: bool = False


class Table(NamedTuple):
    """One table, and so one folder below the folder of snapshots."""

    name: str
    about: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """The column of that name.

        Raises:
            KeyError: There is none.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


class Seen(StrEnum):
    """What a row says of its message or definition, against the snapshot before."""

    PRESENT = "present"
    """There, and as it was; or there, and no snapshot before it tells since when."""
    NEW = "new"
    """There, and not in the snapshot before."""
    CHANGED = "changed"
    """There, and something but the lifetime left is not as it was (BackoutCount, say)."""
    GONE = "gone"
    """No longer there. The row has the columns that name it, all others are null."""


class Mode(StrEnum):
    """Which messages and definitions a snapshot has rows for."""

    FULL = "full"
    """All that are there, and those that are gone."""
    INCREMENTAL = "incremental"
    """What is new, changed or gone."""
    ARCHIVE = "archive"
    """Some of what was there: an archive that `analyze` reads as if it were a snapshot."""


class BodyPart(StrEnum):
    """How much of the message data a snapshot keeps."""

    NONE = "none"
    DIGEST = "digest"
    REDACTED = "redacted"
    FULL = "full"


_S, _I, _L, _B, _T = Type.STRING, Type.INT, Type.LONG, Type.BOOLEAN, Type.TIMESTAMP

PARTITIONS: Final = (
    Column("qmgr", Type.STRING, "name of the queue manager", required=True),
    Column("snap_date", Type.DATE, "UTC day of snap_time", required=True),
)
"""Columns of every table that the folders hold and the files do not."""

_OF_SNAPSHOT: Final = (
    Column("snapshot_id", _S, "names the snapshot; sorts by its time", required=True),
    Column("snap_time", _T, "when it began, by the clock of the queue manager", required=True),
)

SNAPSHOTS: Final = Table(
    "snapshots",
    "one row a snapshot, written when all its other rows are in place",
    (
        *_OF_SNAPSHOT,
        Column("end_time", _T, "when its last queue was read, by the same clock"),
        Column("host_time", _T, "when it began, by the clock of the machine that took it"),
        Column("schema_version", _I, "of this schema", required=True),
        Column("tool_version", _S, "of mqtriage"),
        Column("queue_manager", _S, "its name", required=True),
        Column("backend", _S, "emulator or mq", required=True),
        Column("mode", _S, "full or incremental", required=True),
        Column(
            "base_snapshot_id",
            _S,
            "the snapshot before it, which it says the changes from; null for the first",
        ),
        Column("body", _S, "none, digest, redacted or full", required=True),
        Column("digest", _S, "sha256 or hmac-sha256, where bodies have digests"),
        Column("digest_key_id", _S, "hmac-sha256: first 16 hex digits of the key's SHA-256"),
        Column("expiry_effects", _B, "queues were browsed, which can discard expired messages"),
        Column("queue_pattern", _S, "generic names of the queues that were looked at, by commas"),
        Column("queue_count", _I, "local queues looked at", required=True),
        Column("message_count", _L, "messages seen on them", required=True),
        Column("message_rows", _L, "rows in the table messages", required=True),
        Column("length_bytes", _L, "message data seen", "bytes"),
        Column("problem_count", _I, "queues that could not be read", required=True),
    ),
)

MESSAGES: Final = Table(
    "messages",
    "one row a message and snapshot: all messages, or in an incremental snapshot what changed",
    (
        *_OF_SNAPSHOT,
        Column("seen", _S, "present, new, changed or gone", required=True),
        Column("queue", _S, "the local queue it is on", required=True),
        Column("message_key", _S, "32 hex digits that name this copy on this queue in every"
               " snapshot", required=True),
        Column("first_seen_time", _T, "snap_time of the snapshot that saw it first"),
        Column("position", _L, "its place on the queue, from 1"),
        Column("msg_id", _S, "MQMD.MsgId, 48 hex digits in upper case", "", "msg_id", True),
        Column("correl_id", _S, "MQMD.CorrelId, likewise", "", "correl_id", True),
        Column("group_id", _S, "MQMD.GroupId, likewise", "", "group_id"),
        Column("put_time", _T, "MQMD.PutDate and PutTime, to a hundredth of a second; null when"
               " they are no time", "", "put_time"),
        Column("put_stamp", _S, "PutDate and PutTime as they stand, when they are no time"),
        Column("format", _S, "MQMD.Format", "", "format"),
        Column("ccsid", _I, "MQMD.CodedCharSetId", "", "ccsid"),
        Column("encoding", _I, "MQMD.Encoding", "", "encoding"),
        Column("priority", _I, "MQMD.Priority", "", "priority"),
        Column("persistence", _I, "MQMD.Persistence: 0 or 1", "", "persistence"),
        Column("expiry_tenths", _I, "MQMD.Expiry: lifetime left at snap_time, -1 unlimited",
               "tenths of a second", "expiry"),
        Column("expiry_time", _T, "when the lifetime ends; null when unlimited"),
        Column("backout_count", _I, "MQMD.BackoutCount", "rollbacks", "backout"),
        Column("msg_type", _I, "MQMD.MsgType", "", "msg_type"),
        Column("report", _I, "MQMD.Report, all bits", "", "report"),
        Column("feedback", _I, "MQMD.Feedback", "", "feedback"),
        Column("reply_to_q", _S, "MQMD.ReplyToQ", "", "reply_to"),
        Column("reply_to_q_mgr", _S, "MQMD.ReplyToQMgr", "", "reply_to_qmgr"),
        Column("user_identifier", _S, "MQMD.UserIdentifier", "", "user"),
        Column("accounting_token", _S, "MQMD.AccountingToken, 64 hex digits"),
        Column("appl_identity_data", _S, "MQMD.ApplIdentityData", "", "appl_identity"),
        Column("put_appl_type", _I, "MQMD.PutApplType", "", "put_appl_type"),
        Column("put_appl_name", _S, "MQMD.PutApplName", "", "put_appl"),
        Column("appl_origin_data", _S, "MQMD.ApplOriginData", "", "appl_origin"),
        Column("msg_seq_number", _I, "MQMD.MsgSeqNumber", "", "sequence"),
        Column("offset", _I, "MQMD.Offset", "bytes", "offset"),
        Column("msg_flags", _I, "MQMD.MsgFlags, all bits", "", "msg_flags"),
        Column("original_length", _I, "MQMD.OriginalLength, -1 undefined", "bytes"),
        Column("version", _I, "MQMD.Version"),
        Column("length_bytes", _L, "all message data, headers and body", "bytes", "length"),
        Column("body_length_bytes", _L, "what stands behind the headers", "bytes"),
        Column("format_chain", _S, "formats from the first header to the body: MQDEAD>MQHRF2>MQSTR;"
               " a part between is empty when the Format is blank"),
        Column("header_damage", _S, "what is wrong with the headers, a sentence"),
        Column("original_msg_id", _S, "staged: the MsgId that the application put it with", "",
               "original_msg_id"),
        Column("due_time", _T, "staged: when it comes due; null where that is not known", "",
               "due_time"),
        Column("ddh_time", _T, "staged: the time in the delay header, whatever it means"),
        Column("ddh_time_basis", _S, "staged: where due_time comes from: emulator (its"
               " header), sender (its MQRFH2), assumed-due; put: not known"),
        Column("delay_ms", _L, "staged: the delay that was asked for, else due less put time", "ms",
               "delay"),
        Column("target", _S, "staged: the queue it is for", "", "target"),
        Column("target_qmgr", _S, "staged: the queue manager it is for", "", "target_qmgr"),
        Column("reason", _I, "MQDLH.Reason", "", "reason"),
        Column("reason_name", _S, "its name, MQRC_Q_FULL"),
        Column("dest", _S, "MQDLH.DestQName", "", "dest"),
        Column("dest_qmgr", _S, "MQDLH.DestQMgrName", "", "dest_qmgr"),
        Column("dlq_put_appl", _S, "MQDLH.PutApplName", "", "dlq_put_appl"),
        Column("dlq_put_time", _T, "MQDLH.PutDate and PutTime"),
        Column("origin_queue", _S, "the queue it was first sent to, as far as a header says"),
        Column("origin_qmgr", _S, "the queue manager of that queue"),
        Column("origin_basis", _S, "which header says so: MQDLH, MQXQH or MQRFH2 (jms.Dst)"),
        Column("properties", _S, "message properties as a JSON object, bytes as {\"hex\": ...};"
               " null unless they were asked for"),
        Column("body_digest", _S, "SHA-256 or HMAC-SHA-256 of the body behind the headers, 64 hex"
               " digits in lower case; so equal before and after a header is added", "",
               "body_digest"),
        Column("body_redacted", _S, "the body as text, letters as x or X, digits as 9; null when it"
               " is no text"),
        Column("data_base64", _S, "all message data, headers and body"),
    ),
)  # fmt: skip

QUEUES: Final = Table(
    "queues",
    "one row a local queue and snapshot: what it holds and how it is used",
    (
        *_OF_SNAPSHOT,
        Column("queue", _S, "its name", required=True),
        Column("curdepth", _L, "messages that count, committed or not, expired or not", "messages"),
        Column("maxdepth", _L, "MAXDEPTH", "messages"),
        Column("maxmsgl_bytes", _L, "MAXMSGL", "bytes"),
        Column("uncommitted", _I, "puts and gets not committed; 1 or 0 on a real queue manager"),
        Column("ipprocs", _I, "handles open for input"),
        Column("opprocs", _I, "handles open for output"),
        Column("put", _S, "ENABLED or DISABLED"),
        Column("get", _S, "ENABLED or DISABLED"),
        Column("usage", _S, "NORMAL or XMITQ"),
        Column("bothresh", _I, "BOTHRESH", "rollbacks"),
        Column("boqname", _S, "BOQNAME, empty when blank"),
        Column("oldest_put_time", _T, "put time of the oldest message, where known"),
        Column("last_put_time", _T, "where known"),
        Column("last_get_time", _T, "where known"),
        Column("browsed", _B, "its messages were read", required=True),
        Column("message_count", _L, "messages that the browse saw", "messages"),
        Column("length_bytes", _L, "their data", "bytes"),
        Column("largest_bytes", _L, "the longest of them", "bytes"),
        Column("expired", _L, "lifetimes that are over, still counted; emulator only", "messages"),
        Column("problem", _S, "why it could not be read, with the reason code"),
    ),
)

QUEUE_MANAGERS: Final = Table(
    "queue_managers",
    "one row a snapshot: the queue manager and its staging queue",
    (
        *_OF_SNAPSHOT,
        Column("platform", _S, "PLATFORM as DISPLAY QMGR prints it"),
        Column("command_level", _I, "CMDLEVEL"),
        Column("mq_version", _S, "VERSION"),
        Column("deadq", _S, "DEADQ, empty when blank"),
        Column("maxmsgl_bytes", _L, "MAXMSGL", "bytes"),
        Column("ccsid", _I, "CCSID"),
        Column("processor_problem", _S, "why the delay processor does not deliver, empty while it"
               " does; emulator only"),
        Column("staged_count", _L, "CURDEPTH of the staging queue", "messages"),
        Column("overdue", _L, "staged and past due; emulator only", "messages"),
        Column("next_due_time", _T, "nearest due time; emulator only"),
    ),
)  # fmt: skip

DEFINITIONS: Final = Table(
    "definitions",
    "one row an object and snapshot: all objects, or in an incremental snapshot what changed",
    (
        *_OF_SNAPSHOT,
        Column("seen", _S, "present, new, changed or gone", required=True),
        Column("kind", _S, "QLOCAL, QALIAS, QREMOTE, QMODEL or QMGR", required=True),
        Column("name", _S, "of the object", required=True),
        Column("attributes", _S, "MQSC keyword to value as a JSON object, keys sorted; null when"
               " it is gone"),
        Column("digest", _S, "SHA-256 of attributes, 64 hex digits"),
    ),
)  # fmt: skip

TABLES: Final = {
    table.name: table for table in (SNAPSHOTS, MESSAGES, QUEUES, QUEUE_MANAGERS, DEFINITIONS)
}
"""By name."""

FORMATS: Final = ("parquet", "ndjson")

_PLAIN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")


def escaped(value: str) -> str:
    """A partition value as part of a path: ``PAY/%1`` is ``PAY%2F%251``; Spark undoes it."""
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in value.encode())


def unescaped(text: str) -> str:
    """The way back of `escaped`; what is no %XX stays as it is."""
    first, *rest = text.split("%")
    data = bytearray(first.encode())
    for part in rest:
        try:
            data += bytes.fromhex(part[:2]) + part[2:].encode()
        except ValueError:
            data += b"%" + part.encode()
    return data.decode("utf-8", "replace")


def is_day(text: str) -> bool:
    """Whether a folder ``snap_date=<text>`` is that of a day: ``2026-01-31`` and no other form."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def partition_of(queue_manager: str, snap_date: str) -> str:
    """``qmgr=QM1/snap_date=2026-01-31``."""
    return f"qmgr={escaped(queue_manager)}/snap_date={snap_date}"


def file_name(stem: str, form: str) -> str:
    """``<stem>.v1.parquet``: the version can be told without a look inside."""
    return f"{stem}.v{VERSION}.{form}"


class FileName(NamedTuple):
    """What the name of a data file says; *version* None when it says none."""

    stem: str
    version: int | None
    form: str


def parse_file_name(name: str) -> FileName | None:
    """Read the name of a data file; None when it is no name of one."""
    stem, dot, form = name.rpartition(".")
    if not dot or form not in FORMATS or name.startswith("."):
        return None
    before, dot, version = stem.rpartition(".v")
    if dot and version.isascii() and version.isdecimal() and len(version) < 6:
        return FileName(before, int(version), form)
    return FileName(stem, None, form)


def column_of_field(field: str) -> Column | None:
    """The column of `MESSAGES` that answers a field of the selection language; None: none does.

    ``age`` is asked of put_time. Properties (prop.NAME) are in the column properties.
    """
    source_column = "put_time" if field == "age" else field
    return next((column for column in MESSAGES.columns if column.selects == source_column), None)
