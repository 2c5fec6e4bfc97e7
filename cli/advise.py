"""`mqtriage delay advise`: options, help and examples; the work is in commands/delay/advise.py."""

from __future__ import annotations

from typing import Annotated

import typer

from mqtriage.cli.frame import sizing_options
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError


@takes(Connection, Output)
def advise(
    app: AppContext,
    rate: sizing_options.Rate = None,
    max_delay: sizing_options.MaxDelay = None,
    largest_message: Annotated[
        str | None, typer.Option("--largest-message", metavar="SIZE", help="Longest message.")
    ] = None,
    subscribers: sizing_options.Subscribers = 1,
    headroom: Annotated[
        str, typer.Option("--headroom", metavar="PERCENT", help="Added on top.")
    ] = "50%",
    header_allowance: sizing_options.HeaderAllowance = "4KiB",
    snapshots: Annotated[
        str | None,
        typer.Option("--from", metavar="SNAPSHOTS", help="Folder of snapshots; needs Spark."),
    ] = None,
    from_analysis: Annotated[
        str | None,
        typer.Option("--from-analysis", metavar="FILE", help="Of analyze delay -o json."),
    ] = None,
    percentile: Annotated[
        float,
        typer.Option(
            "--percentile", metavar="P", min=1, max=100, help="With --from: minutes to hold."
        ),
    ] = 100.0,
) -> None:
    """Work out MAXDEPTH, MAXMSGL and MAXFSIZE.

    Prints each value with the sum that it comes from; nothing is changed and no queue manager is
    asked. With --from the load is taken from snapshots, a block of rows for each queue manager;
    -m chooses one.

    Examples:
        mqtriage delay advise --rate 20/s --max-delay 2h --largest-message 64KiB
        mqtriage delay advise --from /var/mq/snapshots --percentile 99.9
        mqtriage delay advise --from-analysis load.json -m QM1
    """
    from mqtriage.cli.frame.exit_codes import ExitCode
    from mqtriage.cli.frame.progress import telling
    from mqtriage.commands.delay import advise as advising
    from mqtriage.commands.delay import sizing as staging
    from mqtriage.model.units import parse_duration_ms, parse_size_bytes

    by_load = rate is not None or max_delay is not None or largest_message is not None
    if sum((by_load, snapshots is not None, from_analysis is not None)) != 1:
        raise UsageError(
            "give the load, --from or --from-analysis",
            hint="for example --rate 20/s --max-delay 15m --largest-message 64KiB",
        )
    headroom_percent = staging.percent(headroom)
    if from_analysis is not None:
        app.emit(advising.by_analysis(from_analysis, app.connection.qmgr))
    elif snapshots is not None:
        with telling(app) as tell:
            listing, is_partial = advising.by_snapshots(
                snapshots, app.connection.qmgr, percentile, headroom_percent, app.environ, tell
            )
        app.emit(listing)
        if is_partial:
            app.note(ExitCode.PARTLY_DONE)
    else:
        if rate is None or max_delay is None or largest_message is None:
            raise UsageError("--rate, --max-delay and --largest-message belong together: give all")
        app.emit(
            advising.by_load(
                rate_per_s=staging.exact_rate(rate),
                rate_text=rate,
                max_delay_ms=parse_duration_ms(max_delay, what="--max-delay"),
                largest_bytes=parse_size_bytes(largest_message, what="--largest-message"),
                subscribers=subscribers,
                headroom_percent=headroom_percent,
                header_allowance_bytes=parse_size_bytes(
                    header_allowance, what="--header-allowance"
                ),
            )
        )
