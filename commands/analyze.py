"""`mqtriage analyze`: run a job of the pipeline and hand its table on.

Spark is imported here alone, and only when a job runs.
"""

from __future__ import annotations

import importlib.util
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mqtriage.model.analysis_charts import Chart, charts_of, tables_for_charts
from mqtriage.model.analysis_tables import TABLES_OF, AnalysisTable
from mqtriage.model.expression import Expression
from mqtriage.model.result import Document, Listing, Record
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.pipeline.runner import Analysis, Request
    from mqtriage.pipeline.session import SparkSettings

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class AnalyzeRequest:
    """What was asked for.

    Attributes:
        paths: folders of snapshots, or addresses.
        where: only these messages; *where_text* is how it was typed.
        master, memory: where Spark runs; None for SPARK_REMOTE or here.
        out: folder for Parquet, "" for none.
        options: of `mqtriage.pipeline.jobs.Options`, by name.
    """

    paths: tuple[str, ...]
    where: Expression | None = None
    where_text: str = ""
    since_us: int | None = None
    until_us: int | None = None
    master: str | None = None
    memory: str = "2g"
    out: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Found:
    """What a job found.

    Attributes:
        is_partial: something could not be read.
        charts: where they were asked for.
    """

    listing: Listing
    is_partial: bool
    charts: list[Chart] = field(default_factory=list)


def table_of(job: str, name: str | None) -> AnalysisTable:
    """The table of a job to print.

    Raises:
        UsageError: The job has no such table.
    """
    tables = TABLES_OF[job]
    if name is None:
        return next(iter(tables.values()))
    if name not in tables:
        raise UsageError(f"--table {name}: analyze {job} has {', '.join(tables)}")
    return tables[name]


def analyze(
    job: str,
    request: AnalyzeRequest,
    table_name: str | None,
    environ: Mapping[str, str],
    tell: Tell,
    *,
    plot: bool = False,
) -> Found:
    """Run one job.

    Raises:
        UsageError: A table, a condition or a memory size that there is not.
        NotFound: A folder that is not there.
        MQTriageError: Spark or Java is missing, or failed.
    """
    table = table_of(job, table_name)
    from mqtriage.pipeline.session import spark_session

    to_run = pipeline_request(request)
    settings = settings_for(request, environ)
    tell(f"{job}: starting Spark")
    with spark_session(settings, environ) as session:
        from mqtriage.pipeline.progress import watched
        from mqtriage.pipeline.runner import run

        wanted = tables_for_charts(job) if plot else (table.name,)
        with watched(session, tell) as say:
            done = run(session, job, to_run, wanted, tell=say)
    listing = listing_of(done, table) if not plot else listing_of(done, None)
    return Found(listing, bool(done.rejected.counts), charts_of(job, done.tables) if plot else [])


def settings_for(request: AnalyzeRequest, environ: Mapping[str, str]) -> SparkSettings:
    """Where Spark is to run, and how for as much as there is to read."""
    from mqtriage.pipeline.folders import is_small
    from mqtriage.pipeline.session import settings_from

    settings = settings_from(environ, request.master, request.memory)
    return replace(settings, is_small=is_small(request.paths))


def pipeline_request(request: AnalyzeRequest) -> Request:
    """The request as the pipeline takes it.

    Raises:
        UsageError: `--where` asks for what no snapshot holds.
    """
    from mqtriage.pipeline.session import require_pyspark

    require_pyspark()
    from mqtriage.pipeline.columns import columns_of
    from mqtriage.pipeline.folders import is_address, local_folder
    from mqtriage.pipeline.jobs import Options
    from mqtriage.pipeline.runner import Request

    columns_of(request.where)
    for path in request.paths:
        if not is_address(path):
            local_folder(path)
    return Request(
        roots=request.paths,
        options=Options(where=request.where, **request.options),
        since_us=request.since_us,
        until_us=request.until_us,
        out=request.out,
    )


def listing_of(found: Analysis, table: AnalysisTable | None) -> Listing:
    """The records of *table* with what was read and what could not be."""
    rows = found.tables.get(table.name, []) if table is not None else []
    listing = Listing(
        table.kind if table else "Charts",
        table.fields if table else (),
        with_rules(rows) if table is not None and table.name == "causes" else rows,
        id_key="original_msg_id" if table is not None and table.name == "cohort_lives" else "queue",
    )
    listing.summary.update(
        snapshots=found.snapshots,
        message_rows=found.message_rows,
        rejected=dict(found.rejected.counts),
    )
    listing.warnings += [f"not read: {text}" for text in found.rejected.warnings()]
    listing.warnings += found.notes
    return listing


def with_rules(rows: Sequence[Record]) -> Iterator[Record]:
    """The causes with the rule of a rules table that says the same, where one can."""
    from mqtriage.model.rule_text import rule_text
    from mqtriage.model.where import parse_where

    for row in rows:
        try:
            rule = rule_text(parse_where(row["where"]))
        except UsageError:  # a value that the language cannot spell, a control character say
            rule = None
        yield {**row, "rule": rule}


def emitted(listing: Listing, key: str) -> Listing:
    """The conditions or rules alone, one a line, each once."""
    from mqtriage.commands.causes import emitted as as_lines

    return as_lines(listing, key)


def submission(
    job: str, request: AnalyzeRequest, table_name: str | None, environ: Mapping[str, str]
) -> Document:
    """The spark-submit line for *job*, and the zip that it sends along; nothing is run.

    Raises:
        UsageError: The job has no such table.
        StorageError: The zip cannot be written.
    """
    from mqtriage.pipeline.java import cache_folder
    from mqtriage.pipeline.submitted import build_zip, request_json

    if table_name is not None:
        table_of(job, table_name)
    script, archive = build_zip(cache_folder(environ) / "submit")
    asked = {
        "paths": list(request.paths),
        "where": request.where_text,
        "since_us": request.since_us,
        "until_us": request.until_us,
        "out": request.out,
        "table": table_name,
        "options": dict(request.options),
    }
    words = [
        *submit_program(),
        *("--master", request.master or "local[*]"),
        *("--driver-memory", request.memory),
        *("--py-files", str(archive)),
        str(script),
        request_json(job, asked),
    ]
    data = {"command": shlex.join(words), "script": str(script), "py_files": str(archive)}
    return Document("SparkSubmit", data)


def submit_program() -> list[str]:
    """spark-submit of the pyspark that is installed, which needs its home told; else by name."""
    spec = importlib.util.find_spec("pyspark")
    home = Path(spec.origin).parent if spec is not None and spec.origin else None
    program = home / "bin" / "spark-submit" if home is not None else None
    if home is None or program is None or not program.exists():
        return ["spark-submit"]
    return ["env", f"SPARK_HOME={home}", f"PYSPARK_PYTHON={sys.executable}", str(program)]
