"""`mqtriage analyze`: run a job of the pipeline and hand its table on.

Spark is imported here alone, and only when a job runs.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from datetime import UTC, tzinfo
from errno import EACCES
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mqtriage.commands.analyze.archives import files_of, readable
from mqtriage.files.failures import storage_errors
from mqtriage.messages.filters.expression import Expression
from mqtriage.model.analysis_charts import Chart, charts_of, tables_for_charts
from mqtriage.model.analysis_tables import TABLES_OF, AnalysisTable, as_printed, record_as_printed
from mqtriage.model.result import Document, Listing, Record
from mqtriage.model.units import count_text, humane_duration
from mqtriage.mq.errors import MQTriageError, StorageError, UsageError
from mqtriage.pipeline.report.gathered import is_shown, wrong_system_queues
from mqtriage.pipeline.snapshots.columns import columns_of
from mqtriage.records import NamedTuple, dataclass

if TYPE_CHECKING:
    from mqtriage.pipeline.folders import Rejected
    from mqtriage.pipeline.report.gathered import GatherRequest
    from mqtriage.pipeline.runner import Analysis, JobRequest
    from mqtriage.pipeline.session import SparkSettings

Tell = Callable[[str], None]
_NAMING = ("original_msg_id", "sample_msg_id", "queue", "name", "target", "queue_manager")


@dataclass(frozen=True, slots=True)
class AnalyzeRequest:
    """What was asked for.

    Attributes:
        paths: folders of snapshots, addresses, archives, or folders of archives.
        where: only these messages; *where_text* is how it was typed.
        master, memory: where Spark runs; None for SPARK_REMOTE or here.
        conf: further settings of Spark, which win over ours.
        zone: of local times in logs; None for UTC.
        out: folder for Parquet, "" for none.
        period: the day or month whose rows there are replaced; "" for a run of its own.
        form: of what is written: parquet, or delta by periods.
        limit: records of the table that are asked for; None for all.
        options: of `mqtriage.pipeline.jobs.Options`, by name.
    """

    paths: tuple[str, ...]
    where: Expression | None = None
    where_text: str = ""
    since_us: int | None = None
    until_us: int | None = None
    master: str | None = None
    memory: str = "2g"
    conf: Mapping[str, str] = field(default_factory=dict)
    zone: tzinfo | None = None
    out: str = ""
    period: str = ""
    form: str = "parquet"
    limit: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


_OWN_OPTIONS: Final = {"spark.master": "--master", "spark.driver.memory": "--memory"}


def spark_settings(conf: Sequence[str]) -> dict[str, str]:
    """The settings of Spark in *conf*, KEY=VALUE each."""
    settings: dict[str, str] = {}
    for text in conf:
        key, equals, value = text.partition("=")
        if not equals or not key.startswith("spark."):
            raise UsageError(
                f"--conf {key}: expected KEY=VALUE with a key that begins with spark.",
                hint="--conf spark.sql.shuffle.partitions=64",
            )
        if key in _OWN_OPTIONS:
            raise UsageError(f"--conf {key}: give {_OWN_OPTIONS[key]}")
        if key in settings:
            raise UsageError(f"--conf {key}: it is set twice")
        settings[key] = value
    return settings


def table_of(job: str, name: str | None) -> AnalysisTable:
    """The table of a job to print."""
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
) -> tuple[Listing, bool, list[Chart]]:
    """Run one job.

    Returns:
        Its table, whether something could not be read, and charts where they were asked for.

    Raises:
        UsageError: A table, a condition or a memory size that there is not.
        NotFound: A folder that is not there.
        MQTriageError: Spark or Java is missing, or failed.
    """
    table = table_of(job, table_name)
    # the job's first table says of which queues something is wrong
    names = {*tables_for_charts(job), next(iter(TABLES_OF[job]))} if plot else {table.name}
    with at_work(job, request, environ, tell) as work:
        done = work.run(job, sorted(names))
    charts = []
    if plot:
        wrong = wrong_system_queues(done.tables)
        shown = {
            name: [row for row in rows if is_shown(row, wrong)]
            for name, rows in done.tables.items()
        }
        charts = charts_of(job, shown, done.cut_days)
    return listing_of(done, None if plot else table), bool(done.rejected.counts), charts


class SparkRun(NamedTuple):
    """Spark at work on what was asked for, in a session of `mqtriage.pipeline.session`."""

    session: Any
    request: JobRequest
    rejected: Rejected
    say: Tell

    def run(
        self, job: str, tables: Sequence[str], gathering: GatherRequest | None = None
    ) -> Analysis:
        """Run a job; what was not read of archives is told with it."""
        from mqtriage.pipeline.runner import run

        done = run(self.session, job, self.request, tables, tell=self.say, gathering=gathering)
        done.rejected.include(self.rejected)
        return done


@contextmanager
def at_work(
    what: str, request: AnalyzeRequest, environ: Mapping[str, str], tell: Tell
) -> Iterator[SparkRun]:
    """Start Spark over the request's paths, its archives made into tables first.

    Args:
        what: the job, or what is made of several.

    Raises:
        UsageError: `--where` asks for what no snapshot holds.
        NotFound: A path is not there.
        StorageError: A path is a file and no archive, or nothing can be written below *out*.
        MQTriageError: Spark or Java is missing.
    """
    asked = pipeline_request(request, what)
    from mqtriage.pipeline.folders import Rejected
    from mqtriage.pipeline.progress import watched
    from mqtriage.pipeline.session import spark_session

    rejected = Rejected()
    make_room(request.out)
    reading = readable(request.paths, rejected, tell, f"analyze {what}", request.zone or UTC)
    with reading as (roots, logs):
        to_run = replace(asked, roots=roots, logs=logs)
        settings = settings_for(request, environ)
        tell(f"{what}: starting Spark")
        with spark_session(settings, environ) as session, watched(session, tell) as say:
            yield SparkRun(session, to_run, rejected, say)


def settings_for(request: AnalyzeRequest, environ: Mapping[str, str]) -> SparkSettings:
    """Where Spark is to run."""
    from mqtriage.pipeline.session import settings_from

    return replace(settings_from(environ, request.master, request.memory), more=request.conf)


def pipeline_request(request: AnalyzeRequest, job: str = "") -> JobRequest:
    """The request as the pipeline takes it.

    Raises:
        UsageError: `--where` asks for what no snapshot holds.
        NotFound: A path is not there.
        Refused: A table of *job* is in the folder for results already.
    """
    from mqtriage.pipeline.session import require_pyspark

    require_pyspark()
    from mqtriage.pipeline.folders import is_address, local_folder, refuse_to_write_over
    from mqtriage.pipeline.jobs import Options
    from mqtriage.pipeline.runner import JobRequest

    columns_of(request.where)
    refuse_to_write_over(request.out, TABLES_OF.get(job, ()), request.period, request.form)
    for path in request.paths:
        if not is_address(path) and not files_of(path):
            local_folder(path)
    return JobRequest(
        roots=request.paths,
        options=Options(where=request.where, **request.options),
        since_us=request.since_us,
        until_us=request.until_us,
        out=placed(request.out),
        period=request.period,
        form=request.form,
        limit=request.limit,
    )


def placed(path: str) -> str:
    """A path on this machine from the root on, for a process that runs in another folder."""
    from mqtriage.pipeline.folders import is_address, plain_path

    return path if not path or is_address(path) else str(plain_path(path).absolute())


def make_room(out: str) -> None:
    """Make the folder for results before the work; what is behind an address is Spark's."""
    from mqtriage.files.private import private_folder
    from mqtriage.pipeline.folders import is_address, plain_path

    if not out or is_address(out):
        return
    with storage_errors(f"--out {out}"):
        private_folder(plain_path(out))
    if not os.access(plain_path(out), os.W_OK | os.X_OK):
        raise StorageError(f"--out {out}: {os.strerror(EACCES)}")


def listing_of(analysis: Analysis, table: AnalysisTable | None) -> Listing:
    """The records of *table* with what was read and what could not be."""
    rows = analysis.tables.get(table.name, []) if table is not None else []
    printed = [record_as_printed(row) for row in rows]
    listing = Listing(
        table.kind if table else "Charts",
        as_printed(table.fields) if table else (),
        with_rules(printed) if table is not None and table.name == "causes" else printed,
        id_key=id_key_of(table),
    )
    listing.summary.update(
        snapshots=analysis.snapshots,
        message_rows=analysis.message_rows,
        rejected=dict(analysis.rejected.counts),
    )
    if analysis.job == "depth":
        listing.summary["unused_queues"] = analysis.unused_queues
        listing.summary["without_forecast"] = _without_forecast(analysis)
    listing.warnings += [f"not read: {text}" for text in analysis.rejected.warnings()]
    listing.warnings += analysis.notes
    if analysis.job == "activity" and table is not None:
        listing.warnings += _without_queues(table.name, rows)
    if table is not None and table.name == "cohort":
        listing.warnings += _without_bothresh(rows)
    return listing


def _without_bothresh(rows: Sequence[Record]) -> list[str]:
    """A note where no row has a BOTHRESH: what was seen, and what is needed for one."""
    if not rows or any(row["bothresh"] is not None for row in rows):
        return []
    from mqtriage.pipeline.cohort import LEAST_SEEN

    rolled_back = count_text(sum(row["rolled_back"] for row in rows), "rolled-back message")
    if not any(row["bothresh_sum"] for row in rows):  # the sum is there where one was given up
        return [
            f"no advice on BOTHRESH: {rolled_back}, none of them requeued or dead-lettered"
            f" afterwards; at least {LEAST_SEEN} of one queue are needed"
        ]
    return [
        f"no advice on BOTHRESH: {rolled_back} on {count_text(len(rows), 'queue')}; at least"
        f" {LEAST_SEEN} of one queue are needed that were seen after more rollbacks than helped any"
        " message, for each rollback that BOTHRESH is lowered by; BOTHRESH_SUM in --wide counts"
        " them"
    ]


def _without_queues(table: str, rows: Sequence[Record]) -> list[str]:
    """A note where nothing is of a queue, since the queue manager did not collect that."""
    if any(row["queue"] is not None for row in rows):
        return []
    enables = "on the queue manager enables"
    if table == "activity":
        return [f"no counts for queues in these files; STATQ(ON) or ACCTQ(ON) {enables} them"]
    if not rows:
        return [
            f"no accounting of applications in these files; ACCTMQI(ON) {enables} it, and it is"
            " written every ACCTINT seconds (mqtriage emulator clock advances an emulated one)"
        ]
    return [f"no queue accounting in these files; ACCTQ(ON) {enables} it"]


def _without_forecast(analysis: Analysis) -> dict[str, int | None]:
    """How many queues have no forecast, the most samples of one, and how far they reach."""
    rows = [row for row in analysis.tables.get("depth", []) if row["growth_a_day"] is None]
    span_ms = None
    if analysis.first_us is not None and analysis.last_us is not None:
        span_ms = (analysis.last_us - analysis.first_us) // 1_000
    samples = max((int(row["looks"]) for row in rows), default=0)
    return {"queues": len(rows), "samples": samples, "span_ms": span_ms}


def no_forecast_text(queues: int, samples: int, span_ms: int | None) -> str:
    """Why these queues have no forecast."""
    over = "" if span_ms is None else f" over {humane_duration(span_ms)}"
    return (
        f"no forecast for {count_text(queues, 'queue')}: {count_text(samples, 'sample')}{over}; it"
        " needs 3 days of samples, or 6 hours in which the depth only grew, and reaches no further"
        " ahead than the samples reach back"
    )


def id_key_of(table: AnalysisTable | None) -> str:
    """The column that `-o ids` prints: what a row is about."""
    keys = {field.key for field in as_printed(table.fields)} if table is not None else set()
    return next((key for key in _NAMING if key in keys), "")


def with_rules(rows: Sequence[Record]) -> Iterator[Record]:
    """The causes with the rule of a rules table that says the same, where one can."""
    from mqtriage.messages.filters.rule_text import rule_text
    from mqtriage.messages.filters.where import parse_where

    for row in rows:
        try:
            rule = rule_text(parse_where(row["where"]))
        except UsageError:  # a value that the language cannot spell, a control character say
            rule = None
        yield {**row, "rule": rule}


def submission(
    job: str, request: AnalyzeRequest, table_name: str | None, environ: Mapping[str, str]
) -> Document:
    """The spark-submit line for *job*, and the zip that it sends along; nothing is run.

    Raises:
        UsageError: The job has no such table, a path is an archive, `--where` asks for what no
            snapshot holds, or spark-submit would not take the master or the memory.
        StorageError: The zip cannot be written.
    """
    from mqtriage.pipeline.java import cache_folder
    from mqtriage.pipeline.session import settings_from
    from mqtriage.pipeline.submitted import build_zip, request_json

    if table_name is not None:
        table_of(job, table_name)
    columns_of(request.where)
    if settings_from({}, request.master, request.memory).remote:
        raise UsageError(
            f"--submit with --master {request.master}: spark-submit does not support Spark Connect",
            hint="omit --submit: the job then runs on that server",
        )
    for path in request.paths:
        if files_of(path):
            raise UsageError(
                f"analyze {job} --submit {path}: archives and logs are read where mqtriage"
                " analyze runs",
                hint="to run the job here, omit --submit",
            )
    script, archive = build_zip(cache_folder(environ) / "submit")
    asked = {
        "paths": [placed(path) for path in request.paths],
        "where": request.where_text,
        "since_us": request.since_us,
        "until_us": request.until_us,
        "out": placed(request.out),
        "period": request.period,
        "form": "" if request.form == "parquet" else request.form,
        "table": table_name,
        "limit": request.limit,
        "options": dict(request.options),
    }
    words = [
        *submit_program(environ),
        *("--master", request.master or "local[*]"),
        *("--driver-memory", request.memory),
        *(word for key, value in request.conf.items() for word in ("--conf", f"{key}={value}")),
        *("--py-files", str(archive)),
        str(script),
        request_json(job, asked),
    ]
    data = {"command": shlex.join(words), "script": str(script), "py_files": str(archive)}
    return Document("SparkSubmit", data)


def submit_program(environ: Mapping[str, str]) -> list[str]:
    """spark-submit of the pyspark that is installed, which needs its home told; else by name."""
    from mqtriage.pipeline.java import cache_folder, java_home

    spec = importlib.util.find_spec("pyspark")
    home = Path(spec.origin).parent if spec is not None and spec.origin else None
    program = home / "bin" / "spark-submit" if home is not None else None
    if home is None or program is None or not program.exists():
        return ["spark-submit"]
    words = ["env", f"SPARK_HOME={home}", f"PYSPARK_PYTHON={sys.executable}"]
    with suppress(MQTriageError):  # without any Java the line is for another machine
        java = java_home(environ, cache_folder(environ))
        words += [f"JAVA_HOME={java}"] if java is not None else []
    return [*words, str(program)]
