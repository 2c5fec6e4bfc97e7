"""`mqtriage analyze report`: every job over the same snapshots, on one page."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from errno import EISDIR
from pathlib import Path

from mqtriage import __version__
from mqtriage.commands.analyze.archives import logs_of
from mqtriage.commands.analyze.run import AnalyzeRequest, Tell, at_work, with_rules
from mqtriage.files.durable import replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import create_private
from mqtriage.model.analysis_charts import SERIES, Chart
from mqtriage.model.analysis_tables import OF_LOGS, TABLES_OF, AnalysisTable
from mqtriage.model.result import Document, Record
from mqtriage.mq.errors import UsageError
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.report.gathered import GatherRequest, Keep
from mqtriage.pipeline.sources.recognition import OF_QUEUES
from mqtriage.records import dataclass

LEFT_OUT: frozenset[str] = frozenset({"delay_load", "cohort_messages"})
MOST_ROWS = 500
"""Rows of a table on the page; the job's own command prints all."""


@dataclass(slots=True)
class JobReport:
    """One job's part of a page.

    Attributes:
        rows: of each of its tables, at least those that are listed.
        counts: of each table that has more rows than these.
        advised: of each table the rows that advice comes of.
        tables: those that are listed, with as many rows as are.
        command: prints the first of them whole.
        first_us, last_us, log_times_us, cut_days: of `mqtriage.pipeline.runner.Analysis`.
    """

    job: str
    rows: dict[str, list[Record]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    advised: dict[str, list[Record]] = field(default_factory=dict)
    tables: list[tuple[AnalysisTable, list[Record]]] = field(default_factory=list)
    command: str = ""
    charts: list[Chart] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    is_partial: bool = False
    snapshots: int = 0
    message_rows: int = 0
    first_us: int | None = None
    last_us: int | None = None
    log_times_us: list[int] = field(default_factory=list)
    cut_days: Mapping[str, str] = field(default_factory=dict)


def facts_of(
    parts: Sequence[JobReport], request: AnalyzeRequest, begun_us: int
) -> dict[str, str | int]:
    """What stands at the top of a page: what was read, and when."""
    return {
        "Snapshots": max((part.snapshots for part in parts), default=0),
        "Rows of messages": max((part.message_rows for part in parts), default=0),
        "Read from": ", ".join(request.paths),
        "Messages": request.where_text or "all",
        **span_of(parts),
        "Queues": "SYSTEM.* queues appear only if they have a problem; the job's own command shows"
        " more",
        "Made": f"{rfc3339(begun_us // 1_000_000 * 1_000_000)} by mqtriage {__version__}",
    }


def span_of(parts: Sequence[JobReport]) -> dict[str, str]:
    """The first snapshot and the last, and likewise of logs where they were read, as RFC 3339."""
    snapshots = [us for part in parts for us in (part.first_us, part.last_us) if us is not None]
    logged = [us for part in parts for us in part.log_times_us]
    span = {}
    if snapshots or not logged:
        span["First snapshot"] = rfc3339(min(snapshots)) if snapshots else "none"
        span["Last snapshot"] = rfc3339(max(snapshots)) if snapshots else "none"
    if logged:
        span["First record of logs"] = rfc3339(min(logged))
        span["Last record of logs"] = rfc3339(max(logged))
    return span


def jobs_of(names: Sequence[str], *, with_logs: bool = True) -> list[str]:
    """The jobs to run, in the order of the page: when none is named, all that there is data for.

    Args:
        with_logs: there are logs to read.
    """
    for name in names:
        if name not in TABLES_OF:
            raise UsageError(f"--only {name}: the jobs are {', '.join(TABLES_OF)}")
    fitting = [job for job in TABLES_OF if with_logs or job not in OF_LOGS]
    return [job for job in TABLES_OF if job in (names or fitting)]


def reports(
    request: AnalyzeRequest,
    environ: Mapping[str, str],
    tell: Tell,
    jobs: Sequence[str] = (),
    keep: Keep | None = None,
) -> list[JobReport]:
    """Run *jobs* in one session, all of them when none is named.

    Args:
        keep: is given all rows that count, of which the parts have only those of one page.

    Raises:
        NotFound: A folder is not there.
        UsageError: `--where` asks for what no snapshot holds, or there is no such job.
        MQTriageError: Spark or Java is missing, or failed.
    """
    parts = []
    logs = (log for path in request.paths for log in logs_of(path))
    chosen = jobs_of(jobs, with_logs=any(log.form not in OF_QUEUES for log in logs))
    with at_work("report", request, environ, tell) as work:
        for job in chosen:
            asked = [name for name in TABLES_OF[job] if name not in LEFT_OUT]
            analysis = work.run(job, asked, GatherRequest(MOST_ROWS, keep))
            gathered = analysis.gathered
            assert gathered is not None  # it was asked for
            part = JobReport(
                job, gathered.rows, gathered.counts, gathered.advised,
                charts=gathered.charts(analysis.cut_days),
                is_partial=bool(analysis.rejected.counts), cut_days=analysis.cut_days,
            )  # fmt: skip
            part.first_us, part.last_us = analysis.first_us, analysis.last_us
            part.log_times_us = analysis.log_times_us
            part.warnings = [f"not read: {text}" for text in analysis.rejected.warnings()]
            part.warnings += analysis.notes
            part.snapshots, part.message_rows = analysis.snapshots, analysis.message_rows
            parts.append(part)
    return parts


def listed(part: JobReport, request: AnalyzeRequest) -> JobReport:
    """A part with its tables, as many rows of each as a page has."""
    tables, cuts = [], []
    for name, rows in part.rows.items():
        if name in SERIES:
            continue
        table, shown = TABLES_OF[part.job][name], rows[:MOST_ROWS]
        count = part.counts.get(name, len(rows))
        tables.append((table, list(with_rules(shown)) if name == "causes" else shown))
        if count > MOST_ROWS:
            every = [*command_of(part.job, request), "--table", name]
            cuts.append(
                f"{table.title}: the first {MOST_ROWS} of {count} rows; all of"
                f" them: {shlex.join(every)}"
            )
    command = shlex.join(command_of(part.job, request))
    return replace(part, tables=tables, command=command, warnings=[*part.warnings, *cuts])


def page_document(path: str, parts: Sequence[JobReport]) -> Document:
    """What `analyze report` says of the page that it wrote."""
    data = {
        "html": path,
        "jobs": [part.job for part in parts],
        "snapshots": max((part.snapshots for part in parts), default=0),
        "message_rows": max((part.message_rows for part in parts), default=0),
    }
    document = Document("AnalysisReport", data)
    document.warnings += dict.fromkeys(text for part in parts for text in part.warnings)
    return document


def files_for_advice(request: AnalyzeRequest) -> list[tuple[str, str]]:
    """The files that commands of `mqtriage.pipeline.snapshots.advice` read, and their writers."""
    return [
        (f"{job}.json", f"{shlex.join((*command_of(job, request), '-o', 'json'))} > {job}.json")
        for job in ("delay", "cohort")
    ]


def command_of(job: str, request: AnalyzeRequest) -> list[str]:
    """The command that runs one job over what the page is made from."""
    words = ["mqtriage", "analyze", job, *request.paths]
    for option, moment in (("--since", request.since_us), ("--until", request.until_us)):
        words += [] if moment is None else [option, rfc3339(moment)]
    return [*words, "--where", request.where_text] if request.where_text else words


def page_can_be_written(path: Path) -> None:
    """See before the work of minutes that the page can be written."""
    probe = path.with_name(f".{path.name}.{os.getpid()}")
    with storage_errors(path):
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        os.close(create_private(probe))
        probe.unlink()


def write_page(path: Path, pieces: Iterable[str]) -> None:
    """Write the page, whole or not at all; mode 0600."""
    with storage_errors(path):
        replace_file(path, (piece.encode() for piece in pieces))
