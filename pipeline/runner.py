"""Runs one job: reads, works out its tables, writes them, and counts what was rejected."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from py4j.protocol import Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from mqtriage.model.analysis_tables import TABLES_OF, doubts_about_sizes
from mqtriage.model.result import Record
from mqtriage.model.units import count_text
from mqtriage.mq.errors import MQTriageError, NotFound
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.folders import (
    PARQUET,
    Rejected,
    is_address,
    is_snapshot_folder,
    place_of,
    unmoved,
    whole_parquet,
)
from mqtriage.pipeline.jobs import JOBS, Inputs, Options
from mqtriage.pipeline.lifetimes import EXACT_UP_TO
from mqtriage.pipeline.reading import Reader, damaged_file, path_of
from mqtriage.pipeline.report.gathered import Gathered, GatherRequest
from mqtriage.pipeline.report.gathering import gather
from mqtriage.pipeline.report.table_rows import TableRows, is_approximate, records
from mqtriage.pipeline.results import Results
from mqtriage.pipeline.session import is_of_spark
from mqtriage.pipeline.snapshots.columns import asks_the_time
from mqtriage.pipeline.snapshots.schema import MESSAGES, Mode
from mqtriage.pipeline.sources.recognition import Log

DAY_US: Final = 86_400_000_000
CLOCKS_AGREE_US: Final = 60_000_000
"""How far a queue manager's clock may be from that of the machine without being mentioned."""


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What to read and what to make of it.

    Attributes:
        roots: folders of snapshots, or addresses of them.
        logs: files of other forms.
        out: folder or address for Parquet of every table; "" writes none.
        period: the day or month whose rows of *out* this run replaces; "" for a run of its own.
        form: of what is written: parquet, or delta by periods.
        limit: records to return of a table, the first in its order; None for all.
    """

    roots: tuple[str, ...]
    options: Options = field(default_factory=Options)
    since_us: int | None = None
    until_us: int | None = None
    out: str = ""
    period: str = ""
    form: str = PARQUET
    logs: tuple[Log, ...] = ()
    limit: int | None = None


@dataclass(slots=True)
class Analysis:
    """What a job found.

    Attributes:
        tables: name to records, of the tables that were asked for.
        rejected: what could not be read.
        notes: what is worth knowing beside that.
        snapshots, message_rows: how many were read.
        lost_rows: of messages, that snapshots promise and no file gives.
        is_empty: nothing at all was read.
        first_us, last_us: the first snapshot and the last; None where none was read.
        log_times_us: moments of logs, the first and the last among them.
        cut_days: queue manager to its last day, where its snapshots end before that does.
        is_approximate: Spark may have rounded the ranks of percentiles in a table.
        unused_queues: of the system, left out, as no snapshot saw a message on one.
        gathered: what was gathered of the tables in place of all their records.
    """

    job: str
    tables: dict[str, list[Record]] = field(default_factory=dict)
    rejected: Rejected = field(default_factory=Rejected)
    notes: list[str] = field(default_factory=list)
    snapshots: int = 0
    message_rows: int = 0
    lost_rows: int = 0
    is_empty: bool = True
    first_us: int | None = None
    last_us: int | None = None
    log_times_us: list[int] = field(default_factory=list)
    cut_days: dict[str, str] = field(default_factory=dict)
    is_approximate: bool = False
    unused_queues: int = 0
    gathered: Gathered | None = None


def run(
    session: SparkSession,
    job: str,
    request: JobRequest,
    tables: Iterable[str] = (),
    *,
    tell: Callable[[str], None] = lambda text: None,
    gathering: GatherRequest | None = None,
) -> Analysis:
    """Run *job* over the snapshots.

    Args:
        tables: tables to return records of; the job's first when empty.
        tell: hears what is being done.
        gathering: gather of the tables what a report needs; None for all their records.

    Raises:
        Refused: A table of *request.out* is there already, or somebody writes there.
        MQTriageError: Spark failed.
    """
    results = Results(request.out, request.period, request.form)
    results.open(job)
    attempt = partial(_attempt, session, job, request, tuple(tables), tell, results, gathering)
    damaged = ""
    try:
        with spark_failures(f"analyze {job}"), unmoved(request.roots):
            try:
                analysis = attempt()
            except Exception as error:
                damaged = damaged_file(error) or ""
                if not damaged:
                    raise
                tell(f"{job}: {damaged} is damaged: running once more without unreadable files")
                analysis = attempt(damaged)
            short = _short_snapshots(session, request) if analysis.lost_rows else []
            if short and not results.in_place:
                tell(f"{job}: {len(short)} snapshots lack rows: running once more without them")
                results.begin_anew()
                analysis = attempt(damaged, short)
        if request.period and analysis.is_empty:
            raise nothing_of(request.period)
        results.put_in_place()
    finally:
        results.close()
        # py4j's objects are circles: they keep the plans of Java, and all rows that those were sent
        gc.collect()
    analysis.notes += [
        f"{root}: no snapshots in it" for root in request.roots if not is_snapshot_folder(root)
    ]
    if not analysis.snapshots and (request.since_us, request.until_us) != (None, None):
        analysis.notes.append("no snapshot from that time: mqtriage snapshot ls shows their times")
    return analysis


def _attempt(
    session: SparkSession,
    job: str,
    request: JobRequest,
    tables: tuple[str, ...],
    tell: Callable[[str], None],
    results: Results,
    gathering: GatherRequest | None,
    damaged: str = "",
    short: Sequence[Row] = (),
) -> Analysis:
    """Run *job*, once *damaged* is known with a reader that goes on where a file breaks."""
    reader = Reader(
        session,
        request.roots,
        request.since_us,
        request.until_us,
        forgiving=bool(damaged),
        logs=request.logs,
    )
    analysis = Analysis(job, rejected=reader.rejected)
    names = tables or tuple(TABLES_OF[job])[:1]
    tell(f"{job}: reading the snapshots")
    inputs = Inputs(reader, request.options, () if request.out else names, short=short)
    try:
        frames: Mapping[str, DataFrame] = JOBS[job](inputs)
        if request.out:
            if results.in_place and request.period:
                _refuse_nothing(inputs, frames, request)
            frames = _written(frames, job, results, tell)
        kept = {}
        for name in names:
            tell(f"{job}: calculating {name}")
            table = TABLES_OF[job][name]
            if gathering is not None:
                kept[name] = TableRows(inputs.keep(frames[name]), table)
                analysis.is_approximate |= kept[name].is_approximate
                continue
            rows = analysis.tables[name] = list(records(frames[name], table, request.limit))
            analysis.is_approximate |= any(is_approximate(record) for record in rows)
        if gathering is not None:
            analysis.gathered = gather(job, kept, gathering)
            analysis.tables = analysis.gathered.rows
        analysis.notes += doubts_about_sizes(analysis.tables.get("delay", []))
        _take_stock(analysis, inputs, damaged)
    finally:
        inputs.release()
    return analysis


def _short_snapshots(session: SparkSession, request: JobRequest) -> list[Row]:
    """The snapshots of which no file gives as many rows of messages as they promise.

    ``qmgr, snapshot_id``. Read once more, only where rows are missing.
    """
    reader = Reader(session, request.roots, request.since_us, request.until_us, forgiving=True)
    key = ["qmgr", "snapshot_id"]
    promised = reader.table("snapshots", (*key, "message_rows")).dropDuplicates(key)
    there = reader.table("messages", key).groupBy(*key).agg(F.count(F.lit(1)).alias("rows"))
    rows = F.coalesce("rows", F.lit(0))
    short = promised.join(there, key, "left").filter(F.col("message_rows") > rows)
    return short.select(*key).collect()


def nothing_of(period: str) -> NotFound:
    """The error for a period whose rows would be replaced by none."""
    return NotFound(
        f"--period {period}: it has no input; --out does not change",
        hint="mqtriage snapshot ls shows the times of snapshots",
    )


def _refuse_nothing(inputs: Inputs, frames: Mapping[str, DataFrame], request: JobRequest) -> None:
    """See before rows are replaced in place that there are others."""
    has_logs = bool(request.logs) and not all(frame.isEmpty() for frame in frames.values())
    if not has_logs and inputs.snapshots.isEmpty():
        raise nothing_of(request.period)


def _written(
    frames: Mapping[str, DataFrame], job: str, results: Results, tell: Callable[[str], None]
) -> dict[str, DataFrame]:
    """Write each table, and give it as it lies there.

    What is printed of a table that was written is not worked out a second time.
    """
    there = {}
    for name, frame in frames.items():
        table = TABLES_OF[job][name]
        tell(f"{job}: writing {place_of(results.out, name, results.period)}")
        results.write(frame, table)
        there[name] = results.written(frame, table)
    return there


def _take_stock(analysis: Analysis, inputs: Inputs, damaged: str) -> None:
    """Count what was read against what the snapshots promise, and clocks that disagree."""
    managers = _counted(inputs)
    promises = managers if inputs.promised is None else inputs.promised.collect()
    known = [one["promised"] for one in promises if one["promised"] is not None]
    promised = sum(known) if known and inputs.are_messages_read else None
    apart, incremental = (sum(one[name] for one in managers) for name in ("apart", "incremental"))
    rows = inputs.reader.counts()
    analysis.snapshots = sum(manager["looks"] for manager in managers)
    analysis.message_rows = rows.get("messages", 0)
    analysis.is_empty = not any(rows.values())
    analysis.unused_queues = inputs.unused_queues
    analysis.log_times_us = inputs.reader.log_times_us
    if managers:
        analysis.first_us = min(manager["first_us"] for manager in managers)
        analysis.last_us = max(manager["last_us"] for manager in managers)
    for qmgr, first_us, last_us, looks, *_ in managers:
        if day := cut_day(first_us, last_us, looks):
            analysis.cut_days[qmgr] = day
    if analysis.is_approximate:
        analysis.notes.append(
            f"percentiles of more than {EXACT_UP_TO:,} messages are approximate (by rank, to one in"
            f" {EXACT_UP_TO:,})"
        )
    if apart:
        analysis.notes.append(
            f"{count_text(apart, 'snapshot')} of queue managers whose clock differed from the"
            " machine's by more than a minute"
        )
    if incremental and asks_the_time(inputs.options.where):
        analysis.notes.append(
            "--where depends on values that change with time: in"
            f" {count_text(incremental, 'incremental snapshot')}, it applies only to new or changed"
            " messages"
        )
    if promised is not None and "messages" in rows:
        lost = promised - rows["messages"] + (0 if inputs.promises_gone else inputs.reader.gone)
        analysis.lost_rows = max(0, lost)
        if lost < 0:
            analysis.notes.append(
                f"{count_text(-lost, 'row')} of messages more than the snapshots recorded: files"
                " are duplicated, or snapshots were interrupted or cannot be read; no message"
                " counts twice"
            )
    _reject(analysis, inputs.reader, damaged)


def _counted(inputs: Inputs) -> list[Row]:
    """A row of each queue manager, of what its snapshots say."""
    apart = F.abs(F.unix_micros("host_time") - F.unix_micros("snap_time")) > CLOCKS_AGREE_US
    counted = inputs.snapshots.groupBy("qmgr").agg(
        F.unix_micros(F.min("snap_time")).alias("first_us"),
        F.unix_micros(F.max("snap_time")).alias("last_us"),
        F.count(F.lit(1)).alias("looks"),
        F.count_if(apart).alias("apart"),
        F.count_if(F.col("mode") == Mode.INCREMENTAL.value).alias("incremental"),
        F.sum("message_rows").alias("promised"),
    )
    return counted.collect()


def _reject(analysis: Analysis, reader: Reader, damaged: str) -> None:
    """Note the rows that are missing, and the files that may be why."""
    to_look_through = dict(reader.forgiven)
    if analysis.lost_rows:
        analysis.rejected.add(
            "rows of messages that snapshots recorded but no file contains: files are damaged,"
            " have wrong types or are missing",
            "",
            analysis.lost_rows,
        )
        to_look_through.setdefault("messages", {MESSAGES.columns[0].name})
    silent: set[str] = set()
    for name, columns in to_look_through.items():
        for path in silent_files(reader, name, columns):
            analysis.rejected.add(f"files of {name} without a valid row", path)
            silent.add(path)
    if damaged and damaged not in silent:
        analysis.rejected.add("files damaged in the middle; the part before is read", damaged)


def cut_day(first_us: int, last_us: int, looks: int) -> str:
    """The day of the last snapshot, where another one of that day is to come; "" where none is.

    Args:
        looks: snapshots of one queue manager, which are taken to be evenly apart.
    """
    gap_us = (last_us - first_us) / max(looks - 1, 1)
    is_over = (last_us % DAY_US) + gap_us >= DAY_US
    return "" if is_over or looks <= 1 else rfc3339(last_us)[:10]


def silent_files(reader: Reader, table: str, columns: Iterable[str]) -> list[str]:
    """Parquet files of a table on this machine that look whole and gave no row with *columns*.

    Of lines of NDJSON each broken one is counted. Read once more, only where something is known
    to be missing or damaged.
    """
    local = [root for root in reader.roots if not is_address(root)]
    whole = [path for root in local for path in sorted(whole_parquet(root, table))]
    if not whole:
        return []
    again = Reader(reader.session, tuple(local))
    files = again.files_with_rows(table, columns).collect()
    gave = {path_of(row["file_path"]) for row in files}
    return [path for path in whole if path not in gave]


@contextmanager
def spark_failures(doing: str) -> Iterator[None]:
    """Turn what Spark raises into our error, its first sentence kept."""
    try:
        yield
    except (PySparkException, OSError, EOFError) as error:
        raise failure(doing, error) from error
    except Exception as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None  # Spark lost the call that a signal ended
        if not is_of_spark(error):
            raise
        raise failure(doing, error) from error


def failure(doing: str, error: BaseException) -> MQTriageError:
    """What Spark said, in one sentence, and what to do where that is known."""
    if isinstance(error, ConnectionError | EOFError | Py4JNetworkError):
        return MQTriageError(
            f"{doing}: Spark failed: its Java has ended",
            hint="its memory is probably too small: --memory 4g",
        )
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith("[") or "Exception:" in line] or lines
    text = telling[0] if telling else type(error).__name__
    hint = None
    if "OutOfMemoryError" in str(error):
        hint = "give Java more memory: --memory 4g"
    elif "DATA_SOURCE_NOT_FOUND" in str(error):
        hint = "Spark needs the format's jar: --conf spark.jars.packages=..., docs/results.md"
    elif "ClassNotFoundException" in str(error) and "FileSystem" in str(error):
        hint = "Spark needs the file system's jar: --conf spark.jars.packages=..., docs/cluster.md"
    elif "kafka.common.errors.TimeoutException" in str(error):
        hint = "no broker responds there, or at the address that it advertises"
    return MQTriageError(f"{doing}: Spark failed: {text[:300]}", hint=hint)
