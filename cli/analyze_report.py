"""`mqtriage analyze report|watch`: options, help and examples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mqtriage.cli.analyze import Paths, request_of
from mqtriage.cli.frame.analysis_options import SparkSpan, SparkWork
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes


@takes(SparkSpan, Output)
def report(
    app: AppContext,
    analysis: SparkSpan,
    html: Annotated[
        str, typer.Option("--html", metavar="FILE", help="The page to write.", show_default=False)
    ],
    paths: Paths = None,
    job: Annotated[
        list[str] | None,
        typer.Option("--job", metavar="JOB", help="Only this job; repeatable. Default: all."),
    ] = None,
) -> None:
    """Write charts and tables of all jobs as a web page.

    The page begins with what to do: sizes, causes, thresholds. It holds everything that it shows:
    it can be mailed, and opens without a network. It prints the path of the page. Spark is started
    once, however many jobs there are.

    Examples:
        mqtriage analyze report --html report.html
        mqtriage analyze report /var/mq/snapshots --since now-30d --html month.html
        mqtriage analyze report --job profile --job delay --html sizes.html
    """
    import time

    from mqtriage import __version__
    from mqtriage.cli.frame.exit_codes import ExitCode
    from mqtriage.cli.frame.progress import telling
    from mqtriage.commands.analyze.report import (
        files_for_advice,
        jobs_of,
        page_can_be_written,
        page_document,
        reports,
        write_page,
    )
    from mqtriage.formatters.charts.analysis_html import Part, page
    from mqtriage.mq.times import rfc3339
    from mqtriage.pipeline.snapshots.advice import advice

    app.refuse_forms("mqsc")
    jobs_of(job or ())
    page_can_be_written(Path(html))
    request = request_of(app, paths, analysis)
    with telling(app) as tell:
        made = reports(request, app.environ, tell, job or ())
    written = page_document(html, made)
    facts = {
        "Snapshots": written.data["snapshots"],
        "Rows of messages": written.data["message_rows"],
        "Read from": ", ".join(request.paths),
        "Messages": analysis.where or "all",
        "Since": analysis.since or "the first snapshot",
        "Until": analysis.until or "the last snapshot",
        "Made": f"{rfc3339(time.time_ns() // 1_000_000_000 * 1_000_000)} by mqtriage {__version__}",
    }
    parts = [Part(p.job, p.tables, p.charts, p.warnings) for p in made]
    to_do = advice({table.name: rows for part in made for table, rows in part.all_rows})
    pieces = page(
        parts,
        to_do,
        title="What the queue managers went through",
        facts=facts,
        files=files_for_advice(request),
    )
    write_page(Path(html), pieces)
    if app.form in ("json", "ndjson"):
        app.emit(written)
    else:
        app.stdout.write(f"{html}\n")
        for text in written.warnings:
            app.warn(text)
    if any(part.is_partial for part in made):
        app.note(ExitCode.PARTLY_DONE)


@takes(SparkWork, Output)
def watch(
    app: AppContext,
    analysis: SparkWork,
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Folder of snapshots.")],
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            metavar="DIR",
            help="Where is kept what was read. Default: .mqtriage-watch in the folder.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", help="Print N records at most.", min=1, show_default=False),
    ] = None,
) -> None:
    """Count what is new in a folder of snapshots.

    Each call reads the files that came since the call before, by Structured Streaming with
    availableNow and a checkpoint, and prints a row a queue manager, queue and snapshot. Run it
    from cron; a second call with nothing new prints nothing.

    Examples:
        mqtriage analyze watch /var/mq/snapshots -o ndjson
        mqtriage analyze watch /var/mq/snapshots --where "backout > 0" --fail-empty
    """
    from mqtriage.cli.frame.exit_codes import ExitCode
    from mqtriage.cli.frame.progress import telling
    from mqtriage.commands.analyze.watch import watch as read_new

    request = request_of(app, [folder], analysis)
    with telling(app) as tell:
        listing, is_partial = read_new(request, checkpoint, app.environ, tell)
    app.emit(listing, limit=limit)
    if is_partial:
        app.note(ExitCode.PARTLY_DONE)
