"""`mqtriage dlq`: the dead-letter queue; the work is in commands/dead_letters.py."""

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
    queue: Annotated[
        str | None,
        typer.Argument(metavar="[QUEUE]", help="Default: DEADQ of the queue manager."),
    ] = None,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """List dead-lettered messages with the reason.

    REASON, destination, program and time are those of the dead-letter header. The header is not
    part of the body that is shown; JSON has it in headers.

    Examples:
        mqtriage dlq browse --reason MQRC_Q_FULL
        mqtriage dlq browse --dest ORDERS.IN -o ndjson
    """
    from mqtriage.commands.dead_letters import browse as browse_dead

    which = choosing.chosen(app, selection)
    choosing.read_note(app, queue or "the dead-letter queue", no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        listing = browse_dead(
            backend,
            queue,
            choosing.unlimited_if_sorted(app, which),
            form=choosing.body_form(app),
            detail=choosing.wants_detail(app),
        )
        choosing.emit(app, listing, which)
