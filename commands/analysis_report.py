"""`mqtriage analyze report`: every job over the same snapshots, on one page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mqtriage.commands.analyze import (
    AnalyzeRequest,
    Tell,
    pipeline_request,
    settings_for,
    with_rules,
)
from mqtriage.model.analysis_charts import Chart, charts_of, tables_for_charts
from mqtriage.model.analysis_tables import TABLES_OF, AnalysisTable
from mqtriage.model.result import Record
from mqtriage.mq.errors import StorageError

SERIES: frozenset[str] = frozenset({"delay_load", "depth_hours"})
"""Tables that are drawn and not listed: thousands of rows."""
LEFT_OUT: frozenset[str] = frozenset({"cohort_lives"})
MOST_ROWS = 500
"""Rows of a table on the page; `--out` has all."""


@dataclass(slots=True)
class JobReport:
    """One job's part of the page."""

    job: str
    tables: list[tuple[AnalysisTable, list[Record]]] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    is_partial: bool = False
    snapshots: int = 0
    message_rows: int = 0


def reports(request: AnalyzeRequest, environ: Mapping[str, str], tell: Tell) -> list[JobReport]:
    """Run all jobs in one session.

    Raises:
        NotFound: A folder is not there.
        UsageError: `--where` asks for what no snapshot holds.
        MQTriageError: Spark or Java is missing, or failed.
    """
    to_run = pipeline_request(request)
    from mqtriage.pipeline.progress import watched
    from mqtriage.pipeline.runner import run
    from mqtriage.pipeline.session import spark_session

    made = []
    tell("report: starting Spark")
    with (
        spark_session(settings_for(request, environ), environ) as session,
        watched(session, tell) as say,
    ):
        for job, tables in TABLES_OF.items():
            wanted = [n for n in tables if n not in LEFT_OUT]
            found = run(session, job, to_run, wanted, tell=say)
            part = JobReport(job, is_partial=bool(found.rejected.counts))
            part.charts = charts_of(
                job, {name: found.tables[name] for name in tables_for_charts(job)}
            )
            part.warnings = [f"not read: {text}" for text in found.rejected.warnings()]
            part.warnings += found.notes
            for name in wanted:
                if name in SERIES:
                    continue
                rows = found.tables[name]
                listed = (
                    list(with_rules(rows[:MOST_ROWS])) if name == "causes" else rows[:MOST_ROWS]
                )
                part.tables.append((tables[name], listed))
                if len(rows) > MOST_ROWS:
                    part.warnings.append(
                        f"{name}: the first {MOST_ROWS} of {len(rows)} rows; --out has all"
                    )
            part.snapshots, part.message_rows = found.snapshots, found.message_rows
            made.append(part)
    return made


def write_page(path: Path, pieces: Iterable[str]) -> None:
    """Write the page, whole or not at all; mode 0600.

    Raises:
        StorageError: It cannot be written.
    """
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.writelines(pieces)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise StorageError(f"{path}: {error.strerror}") from error
