"""Options that say what load the staging queue has: `delay define` and `delay advise`."""

from __future__ import annotations

from typing import Annotated

import typer

Rate = Annotated[
    str | None,
    typer.Option("--rate", metavar="N/s", help="Delayed messages at peak: 20/s, 1000/h."),
]
MaxDelay = Annotated[
    str | None, typer.Option("--max-delay", metavar="DURATION", help="Longest delay: 15m.")
]
Subscribers = Annotated[
    int,
    typer.Option("--subscribers", metavar="N", min=1, max=999_999, help="Copies of each send."),
]
HeaderAllowance = Annotated[
    str,
    typer.Option("--header-allowance", metavar="SIZE", help="Room for the delay header (assumed)."),
]
