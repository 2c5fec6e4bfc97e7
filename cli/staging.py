"""`mqtriage delay define|status`: options, help and examples; see commands/delay/sizing.py."""

from __future__ import annotations

from typing import Annotated

import typer

from mqtriage.cli.frame import sizing_options
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Consent, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError


@takes(Consent, Connection, Output)
def define(
    app: AppContext,
    safety: Consent,
    maxdepth: Annotated[
        int | None, typer.Option("--maxdepth", metavar="N", help="MAXDEPTH, in messages.")
    ] = None,
    maxmsgl: Annotated[
        str | None, typer.Option("--maxmsgl", metavar="SIZE", help="MAXMSGL: 4194304, 4MiB, 4MB.")
    ] = None,
    rate: sizing_options.Rate = None,
    max_delay: sizing_options.MaxDelay = None,
    largest_message: Annotated[
        str | None,
        typer.Option(
            "--largest-message", metavar="SIZE", help="Longest message sent with a delay."
        ),
    ] = None,
    subscribers: sizing_options.Subscribers = 1,
    headroom: Annotated[
        str, typer.Option("--headroom", metavar="PERCENT", help="Added to the depth.")
    ] = "50%",
    header_allowance: sizing_options.HeaderAllowance = "4KiB",
    platform: Annotated[
        str | None,
        typer.Option("--platform", metavar="dist|zos", help="Default: the queue manager's."),
    ] = None,
    stgclass: Annotated[
        str | None, typer.Option("--stgclass", metavar="NAME", help="Storage class; z/OS alone.")
    ] = None,
    shrink: Annotated[
        bool, typer.Option("--shrink", help="MAXDEPTH may become less than it is.")
    ] = False,
    from_analysis: Annotated[
        str | None,
        typer.Option(
            "--from-analysis", metavar="FILE", help="Take both from analyze delay -o json."
        ),
    ] = None,
    mqsc: Annotated[bool, typer.Option("--mqsc", help="Print the MQSC and do nothing.")] = False,
) -> None:
    """Make the staging queue fit for its load.

    SYSTEM.DDELAY.LOCAL.QUEUE comes with a distributed queue manager, so there this is an ALTER; on
    z/OS it is a DEFINE with INDXTYPE(NONE) MSGDLVSQ(FIFO). MAXDEPTH is rate x longest delay x
    subscribers and headroom, MAXMSGL the longest message and room for the delay header, unless
    they are given; --from-analysis takes what snapshots showed to be needed. The second time it
    says "unchanged".

    Examples:
        mqtriage delay define --maxdepth 200000 --maxmsgl 4MB -n
        mqtriage delay define --rate 20/s --max-delay 2h --largest-message 64KiB --yes
        mqtriage delay define --from-analysis load.json -n
        mqtriage delay define --platform zos --stgclass DDLY --maxdepth 200000 --mqsc
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.frame.definition_flow import change_definition, print_mqsc
    from mqtriage.commands.delay import sizing as staging
    from mqtriage.definitions.change import carry_out
    from mqtriage.model.units import parse_duration_ms, parse_size_bytes

    if platform not in (None, "dist", "zos"):
        raise UsageError(f"--platform {platform}: expected dist or zos")
    load = staging.Load(
        maxdepth=maxdepth,
        maxmsgl_bytes=None if maxmsgl is None else parse_size_bytes(maxmsgl, what="--maxmsgl"),
        rate_per_s=None if rate is None else staging.exact_rate(rate),
        rate_text=rate or "",
        max_delay_ms=None
        if max_delay is None
        else parse_duration_ms(max_delay, what="--max-delay"),
        largest_message_bytes=(
            None
            if largest_message is None
            else parse_size_bytes(largest_message, what="--largest-message")
        ),
        subscribers=subscribers,
        headroom_percent=staging.percent(headroom),
        header_allowance_bytes=parse_size_bytes(header_allowance, what="--header-allowance"),
        platform=None if platform is None else "zos" if platform == "zos" else "dist",
        stgclass=stgclass,
        shrink=shrink,
    )
    with app.open_backend() as backend:
        if from_analysis is not None:
            load = staging.with_measured(load, from_analysis, backend.queue_manager)
        change = staging.plan_define(readonly(backend), load, only_print=mqsc)
        if mqsc:
            print_mqsc(app, change, staging.mqsc_of(change, load, backend))
            return
        change_definition(app, change, safety, lambda: carry_out(backend, change))


@takes(Connection, Output)
def status(
    app: AppContext,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on showing it; as mqtriage top delay.")
    ] = False,
) -> None:
    """Show how full and how late staging is.

    Nothing is browsed. OVERDUE counts messages whose delay ended more than five seconds ago;
    PROCESSOR says why nothing is delivered, where that is so.

    Examples:
        mqtriage delay status
        mqtriage delay status -o json
    """
    from mqtriage.commands.delay.status import status as staging_status

    if watch:
        from mqtriage.cli.frame.live import live

        live(app, "delay status", staging_status, interval_s=2.0)
        return
    with app.open_backend(read_only=True) as backend:
        app.emit(staging_status(backend))
