"""Tables of snapshots as DataFrames: sound rows only, the others counted in the same reading.

A row is not sound when its line is not JSON of the schema, or when a column that is never null is
null. Nothing of it ends the run. A Parquet file that breaks in the middle or holds another type
than the schema makes Spark stop and name it; a reader that is forgiving then gets no rows of it,
and keeps what was asked for, so that every such file can be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from threading import Thread
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from mqtriage.pipeline.folders import OTHER_VERSION, Rejected, TableSource, sources
from mqtriage.pipeline.snapshots.schema import MESSAGES, PARTITIONS, TABLES, ColumnType, Seen, Table
from mqtriage.pipeline.sources.pieces import FILE
from mqtriage.pipeline.sources.readers import rows_of_logs
from mqtriage.pipeline.sources.recognition import Log
from mqtriage.pipeline.sources.tables import LOG_TABLES

BROKEN: Final = "_broken"
"""Column for a line that is not JSON of the schema."""
KIND: Final = "_kind"
"""Column of `Reader.marked`: what a row is."""
SOUND, GONE, _BROKEN, _MISSING = range(4)

ONE_TASK_BYTES: Final = 32_000_000
_PATIENCE_SECONDS: Final = 5.0
_UNREADABLE_FILE: Final = re.compile(
    r"\[FAILED_READ_FILE[.\w]*\] Encountered error while reading file (\S+?)[.]?\s"
)

_TYPES: Final[dict[ColumnType, T.DataType]] = {
    ColumnType.STRING: T.StringType(),
    ColumnType.INT: T.IntegerType(),
    ColumnType.LONG: T.LongType(),
    ColumnType.BOOLEAN: T.BooleanType(),
    ColumnType.TIMESTAMP: T.TimestampType(),
    ColumnType.DATE: T.DateType(),
}


def schema_of(table: Table) -> T.StructType:
    """Spark's schema of a table, the columns of its folders at the end."""
    return T.StructType(
        [T.StructField(c.name, _TYPES[c.type]) for c in (*table.columns, *PARTITIONS)]
    )


def marked_rows(reader: Any, table: Table, form: str, paths: list[str]) -> DataFrame:
    """All rows of files of one form, a line that is not JSON of the schema in `BROKEN`.

    Args:
        reader: of a batch, or of a stream, which takes one path.
    """
    schema = schema_of(table)
    frame: DataFrame
    if form == "parquet":
        frame = reader.schema(schema).parquet(*paths)
        frame = frame.withColumn(BROKEN, F.lit(None).cast("string"))
    else:
        marked = T.StructType([*schema.fields, T.StructField(BROKEN, T.StringType())])
        reader = reader.schema(marked).option("mode", "PERMISSIVE")
        reader = reader.option("columnNameOfCorruptRecord", BROKEN)
        frame = reader.json(paths if len(paths) > 1 else paths[0])
    return frame


@dataclass(slots=True)
class Reader:
    """Reads the tables of some folders of snapshots, and keeps count of what could not be.

    Attributes:
        roots: folders of snapshots, or addresses of them.
        logs: files of other forms, which give rows as well.
        since_us, until_us: only snapshots from the first up to, not including, the second.
        forgiving: a Parquet file that breaks gives no rows; else it ends the reading. So it is
            with a table of which a file is known that cannot be read.
        rejected: what was not read.
        forgiven: tables that were read so, with their columns.
        in_one_task: tables that are so small that one task reads them.
        gone: how many of the rows of messages that were read say that one is gone; after `counts`.
        log_times_us: moments of logs, the first and the last of each; after `counts`.
    """

    session: SparkSession
    roots: tuple[str, ...]
    since_us: int | None = None
    until_us: int | None = None
    forgiving: bool = False
    logs: tuple[Log, ...] = ()
    rejected: Rejected = field(default_factory=Rejected)
    forgiven: dict[str, set[str]] = field(default_factory=dict)
    in_one_task: set[str] = field(default_factory=set)
    gone: int = 0
    log_times_us: list[int] = field(default_factory=list)
    _watched: list[tuple[str, str, Observation]] = field(default_factory=list)

    def table(self, name: str, columns: Iterable[str], *, only: Column | None = None) -> DataFrame:
        """The sound rows of a table with *columns*, those of its folders among them.

        Args:
            only: what else is not even read, so not counted.
        """
        whole, columns_read, known_sources = self._rows(name, columns)
        if not known_sources:
            return whole.select(*columns_read)
        if only is not None:
            whole = whole.filter(only | F.col(BROKEN).isNotNull())
        table = TABLES[name]
        sound = self._sound(whole, table, columns_read)
        if table is MESSAGES or not fit_one_task(known_sources):
            return sound
        self.in_one_task.add(name)
        return sound.coalesce(1)

    def marked(self, name: str, columns: Iterable[str]) -> DataFrame:
        """All rows of a table, each with its `KIND`, for `counted` to count once they are fewer.

        Counting each row on its way takes a tenth of a job's time. `KIND` is `SOUND`, or tells why
        a row is of no use.
        """
        whole, columns_read, _ = self._rows(name, columns)
        missing, broken, gone = _faults(TABLES[name], columns_read)
        kind = F.when(broken, _BROKEN).when(missing, _MISSING).when(gone, GONE).otherwise(SOUND)
        return whole.select(*columns_read, kind.alias(KIND))

    def counted(self, frame: DataFrame, name: str, number: str) -> DataFrame:
        """The rows of *frame* that are sound or say that one is gone; the others are counted.

        *frame* is made of `marked` rows.

        Args:
            frame: with `KIND`, and for how many rows each of its own stands in the column *number*.
        """
        watch = Observation()
        self._watched.append((name, "", watch))

        def rows(kind: int | None = None) -> Column:
            of_kind = F.col(number) if kind is None else F.when(F.col(KIND) == kind, F.col(number))
            return F.coalesce(F.sum(of_kind), F.lit(0))

        observed = frame.observe(
            watch,
            rows().alias("rows"),
            rows(_BROKEN).alias("broken"),
            rows(_MISSING).alias("missing"),
            F.lit("").alias("example"),
            F.lit("").alias("another"),
            rows(GONE).alias("gone"),
        )
        return observed.filter(F.col(KIND).isin(SOUND, GONE)).drop(KIND, number)

    def _rows(
        self, name: str, columns: Iterable[str]
    ) -> tuple[DataFrame, list[str], list[TableSource]]:
        """All rows of a table, which of *columns* it has, and where they are read from."""
        table = TABLES[name]
        columns_read = [
            c for c in (*table.names, *(p.name for p in PARTITIONS)) if c in set(columns)
        ]
        known = Rejected()
        known_sources = sources(self.roots, name, known)
        self.rejected.include(known)
        forgiving = self.forgiving or bool(known.counts)
        read = (self._read(source, table, forgiving=forgiving) for source in known_sources)
        frames = [frame for frame in read if frame is not None]
        if not frames:
            empty = self.session.createDataFrame([], schema_of(table))
            return empty.withColumn(BROKEN, F.lit(None).cast("string")), columns_read, []
        if forgiving:
            self.forgiven.setdefault(name, set()).update(columns_read)
        whole = within(reduce(DataFrame.unionByName, frames), self.since_us, self.until_us)
        return whole, columns_read, known_sources

    def logged(self, name: str, columns: Iterable[str]) -> DataFrame:
        """The sound rows that logs have of a table, with *columns*, those of folders among them.

        Of tables that only logs have, `FILE` too where *columns* names it.
        """
        table = LOG_TABLES.get(name) or TABLES[name]
        names = (*table.names, *(p.name for p in PARTITIONS), FILE)
        columns_read = [c for c in names if c in columns]
        frames = [
            self._sound(within(rows, self.since_us, self.until_us), table, columns_read, form)
            for form, rows in rows_of_logs(self.session, self.logs, name)
        ]
        if not frames:
            empty = self.session.createDataFrame([], schema_of(table)).withColumn(FILE, F.lit(""))
            return empty.select(*columns_read)
        return reduce(DataFrame.unionByName, frames)

    def files_with_rows(self, name: str, columns: Iterable[str]) -> DataFrame:
        """The addresses of the Parquet files that give rows of a table, all read forgivingly.

        The one column is ``file_path``.
        """
        table = TABLES[name]
        asked = sorted({*columns, table.columns[0].name})
        files = (
            candidate
            for candidate in sources(self.roots, name, Rejected())
            if candidate.form == "parquet"
        )
        frames = [
            frame.select(F.col("_metadata.file_path").alias("file_path"), *asked)
            for source in files
            if (frame := self._read(source, table, forgiving=True)) is not None
        ]
        if not frames:
            return self.session.createDataFrame([], "file_path string")
        whole = reduce(DataFrame.unionByName, frames)
        sound = whole.filter(F.col(table.columns[0].name).isNotNull())
        # of all columns, so that none is left unread
        return sound.groupBy("file_path").agg(F.max(F.hash(*asked)).alias("read"))

    def _read(self, source: TableSource, table: Table, *, forgiving: bool) -> DataFrame | None:
        """All rows of one source, the broken ones marked."""
        reader = (
            self.session.read.option("basePath", source.base)
            .option("pathGlobFilter", f"*.{source.form}")
            .option("ignoreCorruptFiles", str(forgiving).lower())
            .option("ignoreMissingFiles", "true")
        )
        try:
            frame = marked_rows(reader, table, source.form, list(source.paths))
            if not source.checked:
                frame.schema  # noqa: B018  # Spark Connect looks for the path when this is asked
            return _of_this_version(frame, source) if source.has_others else frame
        except AnalysisException as error:
            if source.checked or "PATH_NOT_FOUND" not in str(error):
                raise
            return None  # a bucket without this table

    def _sound(
        self, frame: DataFrame, table: Table, columns_read: list[str], form: str = ""
    ) -> DataFrame:
        """The rows that are sound; the others are counted.

        Args:
            form: of logs, whose broken rows name their file.
        """
        missing, broken, gone = _faults(table, columns_read)
        watch = Observation()
        self._watched.append((table.name, form, watch))
        observed = frame.observe(
            watch,
            F.count(F.lit(1)).alias("rows"),
            F.count_if(broken).alias("broken"),
            F.count_if(~broken & missing).alias("missing"),
            F.min(F.col(BROKEN) if form else F.lit("")).alias("example"),
            F.max(F.col(BROKEN) if form else F.lit("")).alias("another"),
            F.count_if(gone).alias("gone"),
            F.unix_micros(F.min("snap_time") if form else F.lit(None)).alias("first_us"),
            F.unix_micros(F.max("snap_time") if form else F.lit(None)).alias("last_us"),
        )
        return observed.filter(~broken & ~missing).select(*columns_read)

    def counts(self) -> dict[str, int]:
        """Rows seen of each table that was read, broken ones among them; after the run.

        Rows that are not sound are added to `rejected`.
        """
        rows: dict[str, int] = {}
        for name, form, watch in self._watched:
            counts = observed_by(watch)
            rows[name] = rows.get(name, 0) + counts["rows"]
            self.gone += counts["gone"]
            times_us = (counts.get("first_us"), counts.get("last_us"))
            self.log_times_us += (time_us for time_us in times_us if time_us is not None)
            what = f"{form} that cannot be read" if form else ""
            self.rejected.add(
                what or f"rows of {name} that are not JSON of the schema",
                ", ".join({_example(counts[of] or ""): 0 for of in ("example", "another")}),
                counts["broken"],
            )
            self.rejected.add(
                f"rows of {name} without a value that is never missing", "", counts["missing"]
            )
        self._watched.clear()
        return rows


def _faults(table: Table, columns_read: list[str]) -> tuple[Column, Column, Column]:
    """Whether a row lacks a value, is not JSON of the schema, says that a message is gone."""
    required = [
        c.name for c in (*table.columns, *PARTITIONS) if c.required and c.name in columns_read
    ]
    missing = reduce(Column.__or__, (F.col(name).isNull() for name in required), F.lit(False))
    counts_gone = table is MESSAGES and "seen" in columns_read
    gone = F.col("seen") == Seen.GONE.value if counts_gone else F.lit(False)
    return missing, F.col(BROKEN).isNotNull(), gone


def _of_this_version(frame: DataFrame, source: TableSource) -> DataFrame:
    """Without the rows of files of another version; they are marked where nobody counted files."""
    is_other = F.rlike(F.col("_metadata.file_name"), F.lit(OTHER_VERSION))
    if source.checked:
        return frame.filter(~is_other)
    marked = F.when(is_other, F.lit("another version")).otherwise(F.col(BROKEN))
    return frame.withColumn(BROKEN, marked)


def fit_one_task(files: Iterable[TableSource]) -> bool:
    """Whether one task reads it all sooner than rows are sent about between several.

    What is in one task is together by any key: Spark groups and sorts it without a stage more.
    Files that were compacted have a hundred times as many rows in a byte as those of one snapshot.
    """
    return all(source.checked and not source.of_many for source in files) and (
        sum(source.cost_bytes for source in files) <= ONE_TASK_BYTES
    )


def observed_by(watch: Observation) -> dict[str, Any]:
    """What was counted; zeros when Spark saw that it need not read at all.

    A filter that is false lets the optimizer drop the reading, and the counting with it:
    `Observation.get` waits for ever then, or Java has no row to give.
    """
    counts: dict[str, Any] = {
        "rows": 0,
        "broken": 0,
        "missing": 0,
        "gone": 0,
        "example": "",
        "another": "",
    }

    def ask() -> None:
        with suppress(Py4JError):
            counts.update(watch.get)

    waiting = Thread(target=ask, daemon=True)
    waiting.start()
    waiting.join(_PATIENCE_SECONDS)
    return dict(counts)


def within(frame: DataFrame, since_us: int | None, until_us: int | None) -> DataFrame:
    """The rows of snapshots in a span of time; whole folders of days are left out unread."""
    if since_us is not None:
        since = F.timestamp_micros(F.lit(since_us))
        keep = F.col("snap_time").isNull() | (F.col("snap_time") >= since)
        frame = frame.filter(F.col("snap_date") >= F.to_date(since)).filter(keep)
    if until_us is not None:
        until = F.timestamp_micros(F.lit(until_us))
        keep = F.col("snap_time").isNull() | (F.col("snap_time") < until)
        frame = frame.filter(F.col("snap_date") <= F.to_date(until)).filter(keep)
    return frame


def damaged_file(error: BaseException) -> str | None:
    """The file that Spark could not read, where that is what *error* says."""
    match = _UNREADABLE_FILE.search(str(error))
    return None if match is None else path_of(match[1])


def path_of(address: str) -> str:
    """The path on this machine that Spark writes as ``file:/a%20b`` or ``file:///a%20b``."""
    return unquote(urlsplit(address).path) if address.startswith("file:") else address


def _example(broken: str) -> str:
    """The name of the file of a broken row of a log, and after a line end what is wrong."""
    path, _, why = broken.partition("\n")
    name = unquote(path).rpartition("/")[2]
    return f"{name} ({why})" if why else name
