"""`mqtriage emulator simulate`: options, help and examples; see commands/emulator/simulate.py."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes


@takes(Output)
def simulate(
    app: AppContext,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="A new folder for snapshots and truth.json.")
    ],
    days: Annotated[float, typer.Option("--days", metavar="N", help="How long.")] = 30,
    qmgrs: Annotated[
        int, typer.Option("--qmgrs", metavar="N", help="Queue managers: SIM01, SIM02 ...")
    ] = 20,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="The same seed gives the same month.")
    ] = 1,
    rate: Annotated[
        int, typer.Option("--rate", metavar="N", help="Messages a queue manager and day.")
    ] = 1_700,
    snapshot_every: Annotated[
        str, typer.Option("--snapshot-every", metavar="DURATION", help="Between two snapshots.")
    ] = "10m",
    start: Annotated[
        str, typer.Option("--start", metavar="T", help="When it begins; a Monday looks best.")
    ] = "2026-01-05T00:00:00Z",
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Every snapshot has all messages, not what changed.", show_default=False
        ),
    ] = False,
    file_format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="parquet|ndjson",
            help="Of the files. Default: parquet where pyarrow is installed.",
            show_default=False,
        ),
    ] = "auto",
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            help="Queue managers at once. Default: as many as there are processors.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Simulate a month of an estate: snapshots and truth.

    Applications put, send with a delay and consume on real emulated queue managers, by hour and
    weekday, with bursts. Somewhere a release makes poison messages, a consumer is stuck, a staging
    queue is too small and a batch job sends with a delay of 30 days; truth.json says where and
    when, how much was staged at most and what expired.

    Examples:
        mqtriage emulator simulate --days 2 --qmgrs 3 --seed 7 --out /tmp/sim
        mqtriage emulator simulate --days 30 --qmgrs 20 --snapshot-every 10m --out /tmp/month
    """
    import os
    import time

    from mqtriage.commands.emulator import simulate as simulation
    from mqtriage.model.times import parse_time_us
    from mqtriage.model.units import parse_duration_ms
    from mqtriage.pipeline.snapshots.files import form_of

    app.refuse_forms("ids", "mqsc")
    request = simulation.SimulateRequest(
        days=days,
        queue_managers=qmgrs,
        seed=seed,
        rate=rate,
        every_us=parse_duration_ms(snapshot_every, what="--snapshot-every") * 1000,
        start_us=parse_time_us(start, time.time_ns() // 1000, what="--start"),
        out=Path(out),
        form=form_of(file_format),
        incremental=not full,
        processes=jobs if jobs is not None else os.cpu_count() or 1,
    )
    simulation.check(request)
    app.emit(simulation.simulate(request, app.say))
