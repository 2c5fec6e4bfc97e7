"""`mqtriage expiry browse`: what time the messages of a queue have left."""

from __future__ import annotations

from typing import Annotated

import typer

from mqtriage.cli import choosing
from mqtriage.cli.context import AppContext
from mqtriage.cli.options import Connection, Output, SelectionOptions, takes


@takes(SelectionOptions, Connection, Output)
def browse(
    app: AppContext,
    selection: SelectionOptions,
    queue: Annotated[str, typer.Argument(metavar="QUEUE", help="Name of the queue.")],
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """List messages with the time they have left.

    What has expired is never listed: no get and no browse returns it. REPORT says whether an
    expiration report was asked for, and how much of the message it carries.

    Examples:
        mqtriage expiry browse ORDERS.REPLY --expires-within 10m
        mqtriage expiry browse ORDERS.REPLY --sort expiry_tenths --limit 20
    """
    from mqtriage.commands.expiry_messages import browse as browse_lifetimes

    which = choosing.chosen(app, selection)
    choosing.read_note(app, queue, no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        listing = browse_lifetimes(
            backend,
            queue,
            choosing.unlimited_if_sorted(app, which),
            form=choosing.body_form(app),
            detail=choosing.wants_detail(app),
        )
        choosing.emit(app, listing, which)
