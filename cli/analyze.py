"""`mqtriage analyze`: options, help and examples; the work is in commands/analyze."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mqtriage.cli.check import PATTERNS, Marking
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.repeat import Repetition, record_writer, refuse_form
from mqtriage.cli.frame.verb import takes
from mqtriage.messages.filters.where import parse_where
from mqtriage.model.options import (
    REQUIRED,
    OptionGroup,
    argument,
    arguments,
    decimal,
    duration,
    flag,
    number,
    repeated,
    text,
)
from mqtriage.model.output_forms import FOR_SCRIPTS, IDS, MQSC, PLAIN, TABLE
from mqtriage.model.times import parse_period_us, parse_since_us
from mqtriage.model.units import count_text
from mqtriage.mq.errors import UsageError
from mqtriage.records import dataclass

if TYPE_CHECKING:
    from datetime import tzinfo

    from mqtriage.commands.analyze.pages import ManagerRows
    from mqtriage.commands.analyze.report import JobReport
    from mqtriage.commands.analyze.run import AnalyzeRequest
    from mqtriage.commands.analyze.watch import AlertRequest
    from mqtriage.model.result import Document
    from mqtriage.pipeline.snapshots.advice import Advice

_HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class SparkWork(OptionGroup):
    """Which messages count, and where Spark runs."""

    TITLE = "Analysis"
    where: str | None = text(
        metavar="CONDITION",
        help="Use only messages that match this condition, with the same syntax as in msg browse.",
    )
    master: str | None = text(
        metavar="MASTER",
        help="Spark's master, or sc://HOST:PORT. Default: SPARK_REMOTE, or else local[*].",
    )
    memory: str | None = text(
        metavar="SIZE", help="Memory for the driver's Java process. Default: 2g."
    )
    conf: tuple[str, ...] = repeated(
        metavar="KEY=VALUE",
        help="A setting of Spark: spark.executor.memory=4g, spark.jars.packages=ORG:NAME:VERSION.",
        advanced=True,
    )


@dataclass(frozen=True, slots=True)
class SparkSpan(SparkWork):
    """Likewise, and of which time."""

    since: str | None = text(
        metavar="7d|TIME",
        help="Use only snapshots taken at or after this time: 7d, yesterday, 2026-01-31T10:00:00Z.",
    )
    until: str | None = text(
        metavar="TIME", help="Use only snapshots taken before this time. See --since."
    )
    timezone: str | None = text(
        metavar="ZONE",
        help="Time zone of error logs before 9.1, such as Europe/Berlin. Default: UTC.",
        advanced=True,
    )


@dataclass(frozen=True, slots=True)
class JobOptions(SparkSpan):
    """Likewise, and where the results of one job go."""

    out: str | None = text(
        metavar="DIR",
        help="Write all of the job's tables as Parquet under DIR.",
        completes="file",
        reads="place",
    )
    period: str | None = text(
        metavar="DAY|MONTH",
        help="Period whose rows --out replaces, such as 2026-11-23 or 2026-11 (UTC).",
    )
    format: str | None = text(
        help="Format of --out. Default: parquet.", choices=("parquet", "delta"), advanced=True
    )
    table: str | None = text(
        metavar="NAME", help="Print this table instead of the job's first one."
    )
    plot: bool = flag(
        help="Draw a text chart instead of the table. SYSTEM.* queues appear only if they have a "
        "problem."
    )
    limit: int | None = number(help="Print at most N records.", minimum=1)
    submit: bool = flag(
        help="Write a zip file and print the spark-submit command, without running the job."
    )


PATHS = arguments(
    "[PATH]...",
    help="Folders of snapshots, addresses such as s3a://bucket/snapshots, archives, dumps, logs, "
    "or folders of these. Default: snapshots under MQTRIAGE_HOME.",
    completes="file",
)


@takes(JobOptions, Output)
def profile(app: AppContext, analysis: JobOptions, paths: tuple[str, ...] = PATHS) -> None:
    """Count and measure messages by day and program.

    A message is counted once for each day on which it appears in a snapshot. Ages are measured at
    the last snapshot of the day.

    Examples:
        mqtriage analyze profile
        mqtriage analyze profile /var/mq/snapshots --since now-7d --where "backout > 0" -o csv
    """
    _run(app, "profile", paths, analysis)


@takes(JobOptions, Output)
def delay(
    app: AppContext,
    analysis: JobOptions,
    paths: tuple[str, ...] = PATHS,
    percentile: float = decimal(
        metavar="P",
        help="Percentage of minutes that the sizes must cover; 100 is the peak.",
        default=100.0,
        minimum=1,
        maximum=100,
    ),
    headroom: int = number(
        metavar="PERCENT", help="Percentage to add as headroom.", default=50, maximum=1000
    ),
) -> None:
    """Show the staging queue's load, and the sizes it needs.

    The load is calculated from the put times and due times of messages, so it is known between
    snapshots too. PEAK_COUNT is the highest number of messages seen at once. +AT_MOST is an upper
    limit on the number of messages that came and went between two snapshots. It warns if there are
    fewer than 3 snapshots, or if they cover less time than the longest delay. --wide shows each
    calculation. --table delay_load shows the load per minute, and delay_hours the load per hour.
    delay_targets shows the delays by target queue.

    Examples:
        mqtriage analyze delay
        mqtriage analyze delay /var/mq/snapshots --percentile 99.9 --headroom 30 -o json > load.json
        mqtriage analyze delay --plot
    """
    _run(app, "delay", paths, analysis, percentile=percentile, headroom_percent=headroom)


@takes(JobOptions, Output)
def depth(
    app: AppContext,
    analysis: JobOptions,
    paths: tuple[str, ...] = PATHS,
    trend: int = duration(
        metavar="30d",
        help="Period of history to use for the forecast.",
        default="30d",
        least_ms=_HOUR_MS,
    ),
    stuck: int = duration(
        metavar="2h",
        help="Report a queue as stuck if its depth only increased for this long.",
        default="2h",
        least_ms=_HOUR_MS,
    ),
    queue: tuple[str, ...] = repeated(
        metavar="QUEUE",
        help="Show only this queue, or all queues that match PAY.*. You can repeat this option.",
    ),
) -> None:
    """Forecast when queues will fill up; find stuck consumers.

    FULL_TIME is the time at which the fullest hour of a day reaches MAXDEPTH. FULL_EARLY_TIME is
    the same for the upper end of the interval, which should contain the depth in four out of five
    cases. A forecast never reaches further ahead than the samples reach back, and needs three days
    of samples, or six hours in which the depth only grew. A note says for how many queues there is
    none, and why. WEEK_LOW and WEEK_HIGH are the ends of that interval a week ahead. --wide shows
    how many past forecasts of this kind were correct. --table depth_ahead forecasts 1, 2, 4, 7 and
    14 days. STEP_TIME is the time of a sudden, lasting change. STUCK_FROM is the start of the
    period of greatest growth during which no program got messages from the queue. Metrics from
    IBM's exporter, saved from Prometheus or Grafana, count as samples too. SYSTEM.* queues that
    have never contained a message are left out, unless --queue names them. The -o json summary
    includes their number.

    Examples:
        mqtriage analyze depth
        mqtriage analyze depth /var/mq/snapshots week.json
        mqtriage analyze depth --trend 14d --columns queue_manager,queue,full_time,full_late_time
        mqtriage analyze depth --queue "SYSTEM.*" --queue ORDERS.IN
    """
    hours, stuck_hours = trend // _HOUR_MS, stuck // _HOUR_MS
    _run(app, "depth", paths, analysis, trend_hours=hours, stuck_hours=stuck_hours, queues=queue)


@takes(JobOptions, Output)
def expiry(app: AppContext, analysis: JobOptions, paths: tuple[str, ...] = PATHS) -> None:
    """Show expired messages, and which lifetime would be enough.

    CARRIED_MESSAGE_HOURS is the total lifetime of the messages that expired between snapshots.
    SUFFICIENT is a lifetime that would have been long enough for 99 percent of the messages that
    programs consumed. COUNTED is the number of expired messages according to any statistics
    messages in the paths. It includes messages that do not appear in any snapshot.

    Examples:
        mqtriage analyze expiry
        mqtriage analyze expiry --since now-30d -o json
    """
    _run(app, "expiry", paths, analysis)


@takes(JobOptions, Output)
def causes(
    app: AppContext,
    analysis: JobOptions,
    paths: tuple[str, ...] = PATHS,
    top: int = number(help="Show at most N causes per queue.", default=5, minimum=1, maximum=100),
    emit: str | None = text(
        help="Print only conditions, or rules for runmqdlq.", choices=("where", "rules")
    ),
) -> None:
    """Show what poison messages have in common.

    A message counts as a poison message if it had a BackoutCount above 0 or was moved to a backout
    queue. The command compares poison messages with the other messages on the queues that use that
    backout queue. WHAT_THEY_SHARE is a condition that you can paste after --where. LIFT shows how
    much more common the condition is among poison messages. It is not necessarily the cause.

    Examples:
        mqtriage analyze causes
        mqtriage analyze causes --top 1 --emit where
    """
    key = {None: "", "where": "where", "rules": "rule"}[emit]
    _run(app, "causes", paths, analysis, emit=key, top=top)


@takes(JobOptions, Output)
def cohort(app: AppContext, analysis: JobOptions, paths: tuple[str, ...] = PATHS) -> None:
    """Show what happened to messages, and suggest a BOTHRESH.

    Tracks messages by their original MsgId across queues and queue managers. HELPED_MAX is the
    highest number of rollbacks after which a message was still processed successfully. BOTHRESH is
    the value that these messages suggest, plus a margin of one. --wide shows the number of
    messages, and the confidence. --table cohort_survival counts messages by attempt, and --table
    cohort_messages lists each message.

    Examples:
        mqtriage analyze cohort
        mqtriage analyze cohort --table cohort_messages --where "msg_id = '414D5120...'"
    """
    _run(app, "cohort", paths, analysis)


@takes(JobOptions, Output)
def definitions(app: AppContext, analysis: JobOptions, paths: tuple[str, ...] = PATHS) -> None:
    """Show what changed in definitions and lint findings.

    Prints one row for each attribute that changed from one snapshot to the next. The paths can also
    be the output of dmpmqcfg -m QM1 -a, or of DISPLAY with ALL in runmqsc, from different times, or
    folders of such files. --table definition_findings shows the findings of mqtriage lint that
    appeared or disappeared.

    Examples:
        mqtriage analyze definitions --since now-24h
        mqtriage analyze definitions /var/mq/snapshots /var/backup/mq
        mqtriage analyze definitions --table definition_findings
    """
    _run(app, "definitions", paths, analysis)


@takes(JobOptions, Output)
def events(app: AppContext, analysis: JobOptions, paths: tuple[str, ...] = PATHS) -> None:
    """Show who changed what and when, and which queues were full.

    The paths are output files of amqsevt -o json, or folders of them. FULL_AT_MOST is the time from
    each Queue Full event to the next Queue Depth Low event.

    Examples:
        mqtriage analyze events /var/mq/events
        mqtriage analyze events events.json --table event_changes --since now-24h
        mqtriage analyze events events.json --table event_queues
    """
    _run(app, "events", paths, analysis)


@takes(JobOptions, Output)
def activity(app: AppContext, analysis: JobOptions, paths: tuple[str, ...] = PATHS) -> None:
    """Show the traffic of each queue, from statistics messages.

    Statistics messages count every message, even those that came and went between two snapshots.
    The paths are archives of SYSTEM.ADMIN.STATISTICS.QUEUE and SYSTEM.ADMIN.ACCOUNTING.QUEUE, or
    the output of amqsevt -o json or amqsmon for these queues. --table activity_applications shows
    puts, gets and rollbacks by application.

    Examples:
        mqtriage analyze activity statistics.ndjson
        mqtriage analyze activity amqsmon.txt
        mqtriage analyze activity accounting.json --table activity_applications
    """
    _run(app, "activity", paths, analysis)


@takes(SparkSpan, Output)
def report(
    app: AppContext,
    analysis: SparkSpan,
    html: str = text(
        metavar="FILE|DIR/",
        help="The page to write, or a folder for several pages.",
        default=REQUIRED,
        completes="file",
    ),
    paths: tuple[str, ...] = PATHS,
    only: tuple[str, ...] = repeated(
        metavar="JOB", help="Run only this job. You can repeat this option."
    ),
    textfile: str | None = text(
        metavar="FILE",
        help="Write the advice to this file in OpenMetrics format.",
        completes="file",
    ),
    tickets: str | None = text(
        metavar="FILE", help="Write the advice as NDJSON to this file.", completes="file"
    ),
) -> None:
    """Write charts and tables of all jobs as web pages.

    Each page begins with advice on sizes, causes and thresholds. A page loads nothing from the
    network, so you can email it. If you give a folder (DIR/, or an existing one), the command
    writes index.html for all queue managers, and a page for each queue manager. It replaces the
    whole folder, but only if the folder contains nothing else. It prints the path of the page.
    Spark starts only once, no matter how many jobs there are.

    Examples:
        mqtriage analyze report --html report.html
        mqtriage analyze report --html report/
        mqtriage analyze report /var/mq/snapshots --since now-30d --html month.html
        mqtriage analyze report --only profile --only delay --html sizes.html
        mqtriage analyze report --html report.html --textfile /var/lib/node_exporter/advice.prom
        mqtriage analyze report --html report.html --tickets tickets.ndjson
    """
    from mqtriage.commands.analyze import pages
    from mqtriage.commands.analyze.report import jobs_of, page_can_be_written, reports
    from mqtriage.formatters.reports.prometheus import advice_lines
    from mqtriage.formatters.reports.tickets import ticket_lines
    from mqtriage.pipeline.snapshots.advice import advice

    app.output.refuse_forms(MQSC)
    jobs_of(only)
    in_folder = pages.is_folder_of_pages(html)
    if in_folder:
        pages.pages_can_be_written(Path(html))
    for file in filter(None, ("" if in_folder else html, textfile, tickets)):
        page_can_be_written(Path(file))
    request = request_of(app, paths, analysis)
    begun_us = time.time_ns() // 1_000
    with closing(pages.ManagerRows()) if in_folder else nullcontext() as rows:
        keep = None if rows is None else rows.keep
        with app.run.telling() as tell:
            parts = reports(request, app.run.environ, tell, only, keep)
        to_do = advice({name: ones for part in parts for name, ones in part.advised.items()})
        written = _write_report(html, request, parts, to_do, rows, begun_us)
    last_us = max((part.last_us for part in parts if part.last_us is not None), default=None)
    if textfile is not None:
        _write_lines(textfile, advice_lines(to_do, last_us), mode=0o644)
    if tickets is not None:
        _write_lines(tickets, ticket_lines(to_do, last_us))
    if app.output.form in FOR_SCRIPTS:
        app.output.emit(written)
    else:
        app.output.stdout.write(f"{written.data['html']}\n")
        for text in written.warnings:
            app.run.warn(text)
    app.run.note_partly(any(part.is_partial for part in parts))


def _write_report(
    html: str,
    request: AnalyzeRequest,
    parts: list[JobReport],
    to_do: list[Advice],
    rows: ManagerRows | None,
    begun_us: int,
) -> Document:
    """Write the page, or with *rows* of queue managers a folder of pages; what there is to say."""
    from mqtriage.commands.analyze import pages
    from mqtriage.commands.analyze.report import (
        facts_of,
        files_for_advice,
        listed,
        page_document,
        write_page,
    )
    from mqtriage.formatters.charts.analysis_html import estate_pages, page

    title = "What happened on the queue managers"
    if rows is not None:  # a queue manager's page has its tables
        facts = facts_of(parts, request, begun_us)
        of_all = estate_pages(parts, to_do, request, rows, title=title, facts=facts)
        pages.write_pages(Path(html), of_all)
        return page_document(str(Path(html, pages.INDEX)), parts)
    parts = [listed(part, request) for part in parts]
    facts, files = facts_of(parts, request, begun_us), files_for_advice(request)
    write_page(Path(html), page(parts, to_do, title=title, facts=facts, files=files))
    return page_document(html, parts)


@takes(SparkWork, Output)
def watch(
    app: AppContext,
    analysis: SparkWork,
    marking: Marking,
    folder: str = argument(
        "DIR", help="Folder of snapshots or event logs, or kafka://...", completes="file"
    ),
    patterns: tuple[str, ...] = PATTERNS,
    checkpoint: str | None = text(
        metavar="DIR",
        help="Folder that records what has been read. Default: .mqtriage-watch in DIR.",
        completes="file",
        reads="place",
    ),
    interval: int | None = duration(
        metavar="1m", help="Repeat at this interval, until the command is stopped.", least_ms=100
    ),
    until: int | None = duration(
        "--for", metavar="10m", help="With --interval: stop after this time."
    ),
    textfile: str | None = text(
        metavar="FILE",
        help="Write the current status to this file, for Prometheus's textfile collector.",
        completes="file",
    ),
    run: str | None = text(
        metavar="COMMAND",
        help="Run this command for each alert, with the alert as JSON on standard input.",
    ),
    limit: int | None = number(help="Print at most N records.", minimum=1),
) -> None:
    """Count or alert on new data in a folder of snapshots.

    Each run reads the files that have arrived since the previous run, using Structured Streaming
    with a checkpoint. Run it from cron, or as a service with --interval. It prints a row for each
    queue manager, queue and snapshot. With thresholds, names, --interval, --textfile or --run, it
    prints alerts instead: one when a queue reaches a threshold (80% and 95% by default), and one
    when it is OK again. It also prints alerts for events that amqsevt -o json or json_compact
    appends to files in DIR. If the command is killed, no alerts are lost. Alerts that may not have
    been printed are repeated, with the same number. Exit code 4 means that a threshold has been
    reached.

    Instead of DIR, you can give kafka://HOST:PORT/TOPIC. Each message in the topic contains one or
    more event lines. This needs --checkpoint, and Spark's jar for Kafka (docs/alerts.md).

    Examples:
        mqtriage analyze watch /var/mq/snapshots -o ndjson
        mqtriage analyze watch /var/mq/snapshots --where "backout > 0" --fail-empty
        mqtriage analyze watch /var/mq/snapshots --warn 70% --crit 90%
        mqtriage analyze watch /var/mq/snapshots PAY.BO --warn 1 --interval 1m --run notify-ops
        mqtriage analyze watch /var/mq/events --textfile /var/lib/node_exporter/mq.prom
    """
    from mqtriage.commands.analyze import watch as watching
    from mqtriage.commands.check.queues import FILL_UNITS, QUEUE_THRESHOLDS

    alerts = watching.AlertRequest(
        thresholds=marking.thresholds(FILL_UNITS, QUEUE_THRESHOLDS),
        patterns=patterns,
        command=watching.command_words(run),
    )
    if until is not None and interval is None:
        raise UsageError("--for needs --interval")
    request = request_of(app, (folder,), analysis)
    is_topic = watching.is_kafka(folder)
    if any((marking.warn, marking.crit, patterns, interval, textfile, run, is_topic)):
        pace = None if interval is None else Repetition(interval, until)
        _alert(app, request, alerts, checkpoint, pace, textfile, limit)
        return
    with app.run.telling() as tell:
        listing, is_partial = watching.watch(request, checkpoint, app.run.environ, tell)
    app.output.emit(listing, limit=limit)
    app.run.note_partly(is_partial)


def request_of(
    app: AppContext, paths: tuple[str, ...], analysis: SparkWork, **options: Any
) -> AnalyzeRequest:
    """The request that the options add up to."""
    from mqtriage.commands.analyze.run import AnalyzeRequest, spark_settings

    def moment(text: str | None, option: str) -> int | None:
        now_us = time.time_ns() // 1000
        return (
            None if text is None else parse_since_us(text, now_us, what=option, say=app.run.remark)
        )

    span = analysis if isinstance(analysis, SparkSpan) else SparkSpan()
    job = analysis if isinstance(analysis, JobOptions) else JobOptions()
    since, until = moment(span.since, "--since"), moment(span.until, "--until")
    if since is not None and until is not None and since >= until:
        raise UsageError("--since is not before --until, so there are no snapshots between them")
    if job.period is not None and (since, until) != (None, None):
        raise UsageError("--period sets the period: omit --since and --until")
    if job.format == "delta" and (job.period is None or not job.out):
        raise UsageError("--format delta needs --out and --period")
    if job.period is not None:
        since, until = parse_period_us(job.period, what="--period")
    # a chart is of all, and `--sort` comes before `--limit`
    limit = None if job.plot or app.output.options.sort is not None else job.limit
    return AnalyzeRequest(
        paths=paths or (str(app.target.snapshot_folder()),),
        where=None if analysis.where is None else parse_where(analysis.where),
        where_text=analysis.where or "",
        since_us=since,
        until_us=until,
        zone=_zone(span.timezone),
        master=analysis.master,
        memory=analysis.memory or "2g",
        conf=spark_settings(analysis.conf),
        out=job.out or "",
        period=job.period or "",
        form=job.format or "parquet",
        limit=limit,
        options=options,
    )


def _zone(name: str | None) -> tzinfo | None:
    """The time zone of that name, None where there is none to be."""
    if name is None:
        return None
    from zoneinfo import ZoneInfo  # only who asks for one waits for it

    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError) as error:
        raise UsageError(
            f"--timezone {name}: no such time zone",
            hint="use a name from the IANA database, such as Europe/Berlin",
        ) from error


def _run(
    app: AppContext,
    job: str,
    paths: tuple[str, ...],
    analysis: JobOptions,
    *,
    emit: str = "",
    **options: Any,
) -> None:
    from mqtriage.commands.analyze import run as analyze

    app.output.refuse_forms(MQSC)
    _refuse_idle_options(app, analysis, emit)
    request = request_of(app, paths, analysis, **options)
    if analysis.submit:
        submission = analyze.submission(job, request, analysis.table, app.run.environ)
        if app.output.form in FOR_SCRIPTS:
            app.output.emit(submission)
        else:  # the line alone, to be pasted or given to eval
            app.output.stdout.write(submission.data["command"] + "\n")
        return
    with app.run.telling() as tell:
        listing, is_partial, charts = analyze.analyze(
            job, request, analysis.table, app.run.environ, tell, plot=analysis.plot
        )
    if top := options.get("top"):
        listing.items = list(listing.items)
        ranked = Counter(f"{row['family']} on {row['queue_manager']}" for row in listing.items)
        listing.warnings += [
            f"{family}: the first {top}; --top shows whether there are more"
            for family, count in sorted(ranked.items())
            if count == top
        ]
    if emit:
        from mqtriage.commands.backout.causes import emitted

        app.output.options = replace(app.output.options, form=IDS)
        listing = emitted(listing, emit)
    if analysis.plot:
        from mqtriage.formatters.charts.text_chart import chart_lines

        lines = chart_lines(charts, app.output.width)
        app.output.stdout.writelines(f"{line}\n" for line in lines)
        for warning in listing.warnings:
            app.run.warn(warning)
    else:
        app.output.emit(listing, limit=analysis.limit)
    if unused := listing.summary.get("unused_queues"):
        queues = count_text(unused, "SYSTEM queue")
        app.run.remark(
            f"{queues} left out, because no snapshot contains a message on them; to list them:"
            " --queue 'SYSTEM.*'"
        )
    missing = listing.summary.get("without_forecast")
    if missing and missing["queues"] and not analysis.plot:
        app.run.remark(analyze.no_forecast_text(**missing))
    app.run.note_partly(is_partial)


def _refuse_idle_options(app: AppContext, analysis: JobOptions, emit: str) -> None:
    """Refuse what would be without effect beside --plot or --submit."""
    emitted = "--emit" if emit else ""
    form = "" if app.output.form in (TABLE, PLAIN) else f"-o {app.output.form}"
    table = "" if analysis.table is None else "--table"
    plot = "--plot" * analysis.plot
    for one, is_given, others, why in (
        ("--submit", analysis.submit, (plot, emitted), "the job does not run here"),
        ("--plot", analysis.plot, (emitted, table, form), "charts replace the table"),
    ):
        for other in filter(None, others if is_given else ()):
            raise UsageError(f"{one} and {other}: {why}", hint="omit one of them")


def _alert(
    app: AppContext,
    request: AnalyzeRequest,
    alerts: AlertRequest,
    checkpoint: str | None,
    pace: Repetition | None,
    textfile: str | None,
    limit: int | None,
) -> None:
    """Look once, or again and again; print each alert, and note the exit code."""
    from mqtriage.commands.analyze.alerts import AlertRecord
    from mqtriage.commands.analyze.watch import watcher
    from mqtriage.formatters.reports.prometheus import prometheus_lines
    from mqtriage.model.result import Listing, columns_of

    if pace is not None:
        refuse_form(app)
    columns = columns_of(AlertRecord)
    write = record_writer(app, columns)
    count, warned = 0, set[str]()
    with ExitStack() as stack:
        with app.run.telling() as tell:
            opening = watcher(request, alerts, checkpoint, app.run.environ, tell)
            watching = stack.enter_context(opening)
        while True:
            records, problems = watching.look(None if limit is None else limit - count)
            new = [problem for problem in problems if problem not in warned]
            warned.update(new)
            if pace is None:
                listing = Listing("AlertList", columns, records, id_key="object")
                listing.warnings += new
                app.output.emit(listing)
            else:
                for record in records:
                    write(record)
                for problem in new:
                    app.run.warn(problem)
            watching.handed_over(len(records))
            count += len(records)
            if textfile is not None:
                lines = prometheus_lines(watching.store.checks())
                _write_lines(textfile, lines, mode=0o644)
            if count == limit or pace is None or not pace.wait():
                break
    app.run.note_empty(count)
    app.run.note_findings(watching.store.is_alarming)
    app.run.note_partly(warned)


def _write_lines(name: str, lines: Iterable[str], *, mode: int = 0o600) -> None:
    """Replace a file, whole or not at all; that of a textfile collector is for others to read."""
    from mqtriage.files.durable import replace_file
    from mqtriage.files.failures import storage_errors

    with storage_errors(name, file_first=True):
        replace_file(Path(name), (f"{line}\n".encode() for line in lines), mode=mode)
