"""The schema of snapshots, as data: tables, columns, types, units, meanings, and where files lie.

One source for all who write and read them: the NDJSON and Parquet writers, the readers of the
commands, and the Spark schema of `mqtriage.pipeline`. `docs/snapshots.md` is held to it by a test.

A folder of snapshots:

    FOLDER/<table>/qmgr=<queue manager>/snap_date=<YYYY-MM-DD>/<name>.v1.parquet   (or .v1.ndjson)

Partition values stand in the folder names alone, characters that a path cannot hold as %XX. A file
holds rows of one or more snapshots. Names that begin with a dot are being written, or are ours,
and no data. A snapshot is whole when it has a row in the table `snapshots`, which is written last.

`snapshot compact` puts days of many queue managers together, their names in a column qmgr:

    FOLDER/compacted/<table>/snap_date=<YYYY-MM-DD>/<name>.v1.parquet
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from pkgutil import get_data
from typing import Final, NamedTuple

VERSION: Final = 1
"""Counted up when what a column means or holds changes. A column that is added is no new version:
readers take a missing column as null and leave one that they do not know."""
SCHEMA: Final = f"mqtriage-snapshot/{VERSION}"


class ColumnType(StrEnum):
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
        selects: the field of `messages.filters.fields` that this column answers, "" for none.
        required: never null, else the row is damaged.
    """

    name: str
    type: ColumnType
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
    """Some of what was there: an archive or a dump that `analyze` reads as it does a snapshot."""


class BodyPart(StrEnum):
    """How much of the message data a snapshot keeps."""

    NONE = "none"
    DIGEST = "digest"
    REDACTED = "redacted"
    FULL = "full"


PARTITIONS: Final = (
    Column("qmgr", ColumnType.STRING, "name of the queue manager", required=True),
    Column("snap_date", ColumnType.DATE, "UTC day of snap_time", required=True),
)
"""Columns of every table that the folders hold and the files do not."""
QMGR: Final = PARTITIONS[0]
"""Files of many queue managers do hold this one, as their last column."""
MANY: Final = ""
"""Stands for the queue manager of such files."""
COMPACTED: Final = "compacted"
"""The folder that they are in."""

_OF_SNAPSHOT: Final = (
    Column(
        "snapshot_id",
        ColumnType.STRING,
        "identifies the snapshot; ids sort in time order",
        required=True,
    ),
    Column(
        "snap_time",
        ColumnType.TIMESTAMP,
        "when the snapshot began, by the queue manager's clock; in logs, when the event occurred",
        required=True,
    ),
)
"""The first columns of every file."""


def _column(name: str, kind: str, about: str, *options: str) -> Column:
    more = dict(option.partition("=")[::2] for option in options)
    required = "required" in more
    return Column(
        name, ColumnType(kind), about, more.get("unit", ""), more.get("selects", ""), required
    )


def read_tables(package: str | None, file: str) -> Iterator[Table]:
    """The tables of a file of *package*; how it is written stands at its begin."""
    text = (get_data(package or "", file) or b"").decode()
    for block in text.split("\n\n")[1:]:
        (heading, about), *rows = (line.split("\t") for line in block.splitlines())
        yield Table(heading[1:-1], about, (*_OF_SNAPSHOT, *(_column(*row) for row in rows)))


TABLES: Final = {table.name: table for table in read_tables(__package__, "tables.tsv")}
"""By name, as tables.tsv has them."""
SNAPSHOTS: Final = TABLES["snapshots"]
MESSAGES: Final = TABLES["messages"]
QUEUES: Final = TABLES["queues"]
DEFINITIONS: Final = TABLES["definitions"]

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
    of_age = {"age": "put_time", "dlq_age": "dlq_put_time"}
    source_column = of_age.get(field, field).removeprefix("mqmd_")
    return next((column for column in MESSAGES.columns if column.selects == source_column), None)
