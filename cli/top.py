"""`mqtriage top`: options, help and examples; the numbers come from commands."""

from __future__ import annotations

import time
from functools import partial

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import argument, duration, number

PATTERN = argument(
    "PATTERN", help="Generic name; else all but SYSTEM.*.", default=None, completes="queue"
)
INTERVAL = duration(help="Time between two samples.", default="2s")
COUNT = number(help="Leave after N samples.", minimum=1)


@takes(ConnectionOptions, Output)
def queues(
    app: AppContext,
    pattern: str | None = PATTERN,
    interval: int = INTERVAL,
    count: int | None = COUNT,
) -> None:
    """Show the queues as they fill and empty.

    The deepest first. Above them stand totals: staged, overdue, poison, expired and still counted,
    expiring within the hour, due within a minute and an hour. Nothing is browsed, so nothing is
    discarded. OLDEST is the age of the oldest message, and on the staging queue the time since the
    oldest due time that has passed. Off a terminal one sample is written, or --count of them.

    Examples:
        mqtriage top
        mqtriage top queues 'ORDERS.*' --sort -curdepth
        mqtriage top queues --count 2 --interval 10s -o ndjson
    """
    from mqtriage.cli.frame.live import live
    from mqtriage.commands import top
    from mqtriage.model.result import Listing

    before: top.Sample | None = None

    def collect(backend: Backend) -> Listing:
        nonlocal before
        listing, before = top.queues(backend, pattern, before, time.monotonic())
        return listing

    live(
        app,
        "top queues",
        collect,
        interval_s=interval / 1000,
        count=count,
        trend_of="curdepth",
        sort="curdepth",
    )


@takes(ConnectionOptions, Output)
def delay(app: AppContext, interval: int = INTERVAL, count: int | None = COUNT) -> None:
    """Show what waits on the staging queue, and what is late.

    Examples:
        mqtriage top delay
    """
    from mqtriage.cli.frame.live import live
    from mqtriage.commands.delay.status import status

    live(app, "top delay", status, interval_s=interval / 1000, count=count)


@takes(ConnectionOptions, Output)
def backout(
    app: AppContext,
    pattern: str | None = PATTERN,
    interval: int = INTERVAL,
    count: int | None = COUNT,
) -> None:
    """Show poison messages that wait, and where they would go.

    Examples:
        mqtriage top backout
        mqtriage top backout 'ORDERS.*' --interval 5s
    """
    from mqtriage.cli.frame.live import live
    from mqtriage.definitions.backout_policy import ls

    rows = partial(ls, pattern=pattern)
    live(app, "top backout", rows, interval_s=interval / 1000, count=count)
