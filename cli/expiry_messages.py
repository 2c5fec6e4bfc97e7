"""`mqtriage expiry browse|extend|purge`: what time the messages of a queue have left."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Guards, Output, SelectionOptions
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError

Queue = Annotated[str, typer.Argument(metavar="QUEUE", help="Name of the queue.")]


@takes(SelectionOptions, Connection, Output)
def browse(
    app: AppContext,
    selection: SelectionOptions,
    queue: Queue,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """List messages with the time they have left.

    What has expired is never listed: no get and no browse returns it. REPORT says whether an
    expiration report was asked for, and how much of the message it carries.

    Examples:
        mqtriage expiry browse ORDERS.REPLY --expires-within 10m
        mqtriage expiry browse ORDERS.REPLY --sort expiry_tenths --limit 20
    """
    from mqtriage.commands.expiry.messages import browse as browse_lifetimes

    choosing.browse(app, selection, queue, no_expiry_effects, browse_lifetimes)


@takes(SelectionOptions, Guards, Connection, Output)
def extend(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: Queue,
    expiry: Annotated[
        str,
        typer.Option(
            "--expiry", metavar="1h|unlimited", help="New lifetime, from now.", show_default=False
        ),
    ] = "",
) -> None:
    """Give messages a longer lifetime.

    Expiry of a message cannot be changed where it is: each is put back and the original taken, in
    one unit of work, so it goes to the end of the queue. What has as long left already, or no
    lifetime at all, is left alone.

    Examples:
        mqtriage expiry extend ORDERS.REPLY --expires-within 10m --expiry 1h --yes
        mqtriage expiry extend ORDERS.REPLY --expiry unlimited --dry-run
    """
    from mqtriage.model.units import parse_expiry_tenths
    from mqtriage.operations.copies import read_copy_options
    from mqtriage.operations.lifetime_acts import with_less_than
    from mqtriage.operations.plan import ActRequest

    if not expiry:
        raise UsageError("--expiry is needed", hint="for example --expiry 1h, or unlimited")
    tenths = parse_expiry_tenths(expiry, what="--expiry")
    copy = replace(read_copy_options(reports=safety.reports), expiry_tenths=tenths)
    which = with_less_than(choosing.chosen(app, selection, writes=True), tenths)
    request = ActRequest(
        "extend",
        queue,
        queue,
        copy,
        puts_back=True,
    )
    with app.open_backend() as backend:
        choosing.run_act(app, backend, safety, request, which)


@takes(SelectionOptions, Guards, Connection, Output)
def purge(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: Queue,
    unlimited_older_than: Annotated[
        str | None,
        typer.Option(
            "--unlimited-older-than", metavar="30d", help="Without a lifetime, put longer ago."
        ),
    ] = None,
) -> None:
    """Remove messages by their lifetime, kept in an archive.

    Either those about to expire (--expires-within), or old ones that never will. Where a message
    with a lifetime asks for an expiration report, it is sent in the same unit of work; a message
    whose report cannot be put stays. What has expired already is for expiry sweep.

    Examples:
        mqtriage expiry purge ORDERS.REPLY --expires-within 10m --yes
        mqtriage expiry purge ORDERS.REPLY --unlimited-older-than 30d --dry-run
    """
    from mqtriage.model.units import parse_duration_ms
    from mqtriage.operations import lifetime_acts
    from mqtriage.operations.plan import ActRequest

    if bool(selection.expires_within) == (unlimited_older_than is not None):
        raise UsageError("give --expires-within or --unlimited-older-than, one of them")
    if safety.reports is not None:
        raise UsageError("--reports: a purge makes no copies")
    which = choosing.chosen(app, selection, writes=True, purges=True, safety=safety)
    if unlimited_older_than is not None:
        age_ms = parse_duration_ms(unlimited_older_than, what="--unlimited-older-than")
        which = lifetime_acts.unlimited_older_than(which, age_ms)
    request = ActRequest(
        "purge",
        queue,
        expires=True,
    )
    with app.open_backend() as backend:
        choosing.run_act(app, backend, safety, request, which)
