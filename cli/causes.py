"""`mqtriage backout causes|origin` and `dlq causes`: why messages are where they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from mqtriage.cli import choosing
from mqtriage.cli.context import AppContext
from mqtriage.cli.options import Connection, Output, takes
from mqtriage.mq.errors import UsageError

Top = Annotated[
    int, typer.Option("--top", metavar="N", min=1, max=1000, help="At most N causes a queue.")
]


@takes(Connection, Output)
def backout(
    app: AppContext,
    queue: Annotated[
        str, typer.Argument(metavar="BOQ|PATTERN", help="Backout queue; * ends a pattern.")
    ],
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="QUEUE", help="Queue of healthy messages to compare."),
    ] = None,
    top: Top = 10,
    emit_where: Annotated[
        bool, typer.Option("--emit-where", help="Print the conditions alone.", show_default=False)
    ] = False,
    emit_rules: Annotated[
        bool,
        typer.Option("--emit-rules", help="Print rules for runmqdlq alone.", show_default=False),
    ] = False,
    emit_selectors: Annotated[
        bool,
        typer.Option("--emit-selectors", help="Print selection strings.", show_default=False),
    ] = False,
    emit_toml: Annotated[
        bool,
        typer.Option("--emit-toml", help="Print rules in our TOML form.", show_default=False),
    ] = False,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Show what poison messages share and others do not.

    WHAT_THEY_SHARE can be pasted behind --where and selects exactly COUNT messages; a message can
    have several causes. --against leaves out what healthy messages have too. Each queue is
    browsed twice.

    Examples:
        mqtriage backout causes ORDERS.BO --against ORDERS.IN
        mqtriage backout causes 'ORDERS.*' --top 3 --emit-where
        mqtriage backout causes ORDERS.BO --against ORDERS.IN --emit-toml > poison.toml
    """
    from mqtriage.commands import causes

    emit = {
        "where": emit_where, "rule": emit_rules, "selector": emit_selectors, "rule_toml": emit_toml,
    }  # fmt: skip
    keys = [key for key, wanted in emit.items() if wanted]
    if len(keys) > 1:
        raise UsageError("--emit-where, -rules, -selectors and -toml: give one of them")
    choosing.read_note(app, queue, no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        listing = causes.causes(backend, queue, against=against, top=top)
        if emit_toml:
            for item in causes.emitted(listing, "rule_toml").items:
                app.stdout.write(f"{item['text']}\n\n")
            return
        if keys:
            app.output = replace(app.output, form="ids")
            listing = causes.emitted(listing, keys[0])
        app.emit(listing)


@takes(Connection, Output)
def dead_letters(
    app: AppContext,
    queue: Annotated[
        str | None,
        typer.Argument(metavar="[QUEUE]", help="Default: DEADQ of the queue manager."),
    ] = None,
    top: Top = 20,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Group dead letters by reason, destination and program.

    PUT_APPL is the program that put the message here, a channel for example. HINT says what to
    do about the reason; -o json has a --where for each group.

    Examples:
        mqtriage dlq causes
        mqtriage dlq causes -o json
    """
    from mqtriage.commands.dead_letter_causes import causes

    choosing.read_note(app, queue or "the dead-letter queue", no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        app.emit(causes(backend, queue, top=top))


@takes(Connection, Output)
def origin(
    app: AppContext,
    queue: Annotated[str, typer.Argument(metavar="BOQ", help="Name of the backout queue.")],
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Show whose backout queue it is, and what proves it.

    The definitions are searched for queues whose BOQNAME leads here, through aliases too, and the
    messages for the JMS destination that they were sent to.

    Examples:
        mqtriage backout origin ORDERS.BO
    """
    from mqtriage.commands.backout_origin import origins

    choosing.read_note(app, queue, no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        app.emit(origins(backend, queue))
