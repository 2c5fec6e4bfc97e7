"""`mqtriage backout causes|origin` and `dlq causes`: why messages are where they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.model.result import Listing

Top = Annotated[
    int, typer.Option("--top", metavar="N", min=1, max=1000, help="At most N causes a queue.")
]
EmitWhere = Annotated[
    bool, typer.Option("--emit-where", help="Print the conditions alone.", show_default=False)
]
EmitRules = Annotated[
    bool, typer.Option("--emit-rules", help="Print rules for runmqdlq alone.", show_default=False)
]
EmitToml = Annotated[
    bool, typer.Option("--emit-toml", help="Print rules in our TOML form.", show_default=False)
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
    emit_where: EmitWhere = False,
    emit_rules: EmitRules = False,
    emit_selectors: Annotated[
        bool,
        typer.Option("--emit-selectors", help="Print selection strings.", show_default=False),
    ] = False,
    emit_toml: EmitToml = False,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Show what poison messages share and others do not.

    Looked at are descriptor, headers, properties, and values inside JSON and XML bodies.
    WHAT_THEY_SHARE can be pasted behind --where and selects exactly COUNT messages; a message can
    have several causes. --against leaves out what healthy messages have about as often. Each
    queue is browsed twice.

    Examples:
        mqtriage backout causes ORDERS.BO --against ORDERS.IN
        mqtriage backout causes 'ORDERS.*' --top 3 --emit-where
        mqtriage backout causes ORDERS.BO --against ORDERS.IN --emit-toml > poison.toml
    """
    from mqtriage.commands.backout import causes

    key = _emitted_key(
        where=emit_where, rule=emit_rules, selector=emit_selectors, rule_toml=emit_toml
    )
    choosing.read_note(app, queue, no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        listing = causes.causes(backend, queue, against=against, top=top)
        _emit(app, listing, key)


@takes(Connection, Output)
def dead_letters(
    app: AppContext,
    queue: Annotated[
        str | None,
        typer.Argument(metavar="[QUEUE]", help="Default: DEADQ of the queue manager."),
    ] = None,
    top: Top = 20,
    emit_where: EmitWhere = False,
    emit_rules: EmitRules = False,
    emit_toml: EmitToml = False,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Group dead letters by reason, destination and program.

    PUT_APPL is the program that put the message here, a channel for example. HINT says what to
    do about the reason. Each group has a --where that selects exactly its messages, and is told
    as a rule; what an MQDLH says no selection string can.

    Examples:
        mqtriage dlq causes
        mqtriage dlq causes --emit-where
        mqtriage dlq causes --emit-toml > dlq.toml
    """
    from mqtriage.commands.dlq.causes import causes

    key = _emitted_key(where=emit_where, rule=emit_rules, rule_toml=emit_toml)
    choosing.read_note(app, queue or "the dead-letter queue", no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        _emit(app, causes(backend, queue, top=top), key)


def _emitted_key(**wanted: bool) -> str | None:
    """The one key that is to be printed alone; None for the listing as it is.

    Raises:
        UsageError: There are several.
    """
    keys = [key for key, given in wanted.items() if given]
    if len(keys) > 1:
        raise UsageError("--emit-where, -rules, -selectors and -toml: give one of them")
    return keys[0] if keys else None


def _emit(app: AppContext, listing: Listing, key: str | None) -> None:
    from mqtriage.commands.backout.causes import emitted

    if key is None:
        app.emit(listing)
    elif key == "rule_toml":
        for item in emitted(listing, key).items:
            app.stdout.write(f"{item['text']}\n\n")
    else:
        app.output = replace(app.output, form="ids")
        app.emit(emitted(listing, key))


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
    from mqtriage.operations.backout_origin import origins

    choosing.read_note(app, queue, no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        app.emit(origins(backend, queue))
