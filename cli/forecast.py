"""`mqtriage delay forecast`: options, help and examples; see commands/delay/forecast.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, NoExpiryEffects, Output
from mqtriage.cli.frame.selection import AssumeDdh, read_note
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.model.result import Listing, Record

_TAKEN_BY_COLUMNS = 60
_LEAST = 10


@takes(Connection, Output)
def forecast(
    app: AppContext,
    bucket: Annotated[
        str, typer.Option("--bucket", metavar="1m|1h", help="Span of time of one record.")
    ] = "1h",
    horizon: Annotated[
        str, typer.Option("--horizon", metavar="24h", help="How far to look from now.")
    ] = "24h",
    target: Annotated[
        str | None,
        typer.Option("--target", metavar="QUEUE", help="Only what goes to this queue."),
    ] = None,
    heat: Annotated[
        bool, typer.Option("--heat", help="A line of characters for each target instead.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw it to an .svg file as well."),
    ] = None,
    assume_ddh: AssumeDdh = None,
    no_expiry_effects: NoExpiryEffects = False,
) -> None:
    """Show what becomes due where and when, and what will not fit.

    DOOMED messages expire before they are due. REFUSED ones do not fit their target: it is full by
    then, takes no message so long, has PUT(DISABLED), or is not there. TARGET_DEPTH grows by what
    lands: nobody is assumed to read the target. On a real queue manager the due time is not known,
    so the command refuses there without --assume-ddh due.

    Examples:
        mqtriage delay forecast
        mqtriage delay forecast --bucket 1m --horizon 2h --target ORDERS.IN -o json
        mqtriage delay forecast --heat --horizon 7d
        mqtriage delay forecast --bucket 1m --plot forecast.svg
    """
    from mqtriage.commands.delay import forecast as told
    from mqtriage.model.units import parse_duration_ms
    from mqtriage.mq.delay import STAGING_QUEUE

    if assume_ddh not in (None, "due"):
        raise UsageError(f"--assume-ddh {assume_ddh}: due is expected")
    bucket_ms = parse_duration_ms(bucket, what="--bucket", least_ms=1000)
    horizon_ms = parse_duration_ms(horizon, what="--horizon", least_ms=1000)
    if plot is not None:
        from mqtriage.formatters.charts.forecast_plot import check_file

        if heat:
            raise UsageError("--plot and --heat: give one of them")
        check_file(plot)
    read_note(app, STAGING_QUEUE, no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        make = told.heat if heat else told.forecast
        listing = make(
            backend,
            bucket_ms=bucket_ms,
            horizon_ms=horizon_ms,
            target=target,
            assume_due=assume_ddh == "due",
        )
        if plot is not None:
            _draw(app, listing, bucket_ms, plot)
        app.emit(_with_lines(listing, app.width) if heat else listing)


def _draw(app: AppContext, listing: Listing, bucket_ms: int, path: Path) -> None:
    from mqtriage.formatters.charts.forecast_plot import MOST_TARGETS, by_target, draw

    records = list(listing.items)
    listing.items = records
    title = f"{app.queue_manager}: what becomes due"
    shown = draw(records, bucket_ms, title, path)
    left = len(by_target(records)) - shown
    app.say(
        f"drawn to {path}" + (f"; {left} targets beyond {MOST_TARGETS} left out" if left else "")
    )


def _with_lines(listing: Listing, width: int) -> Listing:
    """The listing with the line of each record drawn to fit."""
    from mqtriage.formatters.charts.heat import heat_line

    room = max(_LEAST, width - _TAKEN_BY_COLUMNS)

    def records() -> Iterator[Record]:
        for record in listing.items:
            yield {**record, "heat": heat_line(record["counts"], room)}

    # the summary and the warnings stay the same objects: they are filled in while it is read
    return replace(listing, items=records())
