"""`mqtriage backout explain` and `mqtriage expiry explain`: options, help and examples.

The work is in commands/backout/explain.py and commands/expiry/explain.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, NoExpiryEffects, Output
from mqtriage.cli.frame.verb import takes

if TYPE_CHECKING:
    from mqtriage.model.ids import IdMatch

Name = Annotated[
    str, typer.Argument(metavar="QUEUE", help="Local queue, or an alias of one; case matters.")
]
MsgId = Annotated[
    str | None,
    typer.Option("--msgid", metavar="ID", help="Tell it of this message: HEX, ID:HEX, text:ABC."),
]


def message_id(app: AppContext, queue: str, text: str | None, refuse: bool) -> bytes | None:
    """The MsgId of `--msgid`; says that looking for it is a browse.

    Raises:
        UsageError: Not an id.
        Refused: `--no-expiry-effects` was given.
    """
    if text is None:
        return None
    from mqtriage.cli.frame.selection import read_note
    from mqtriage.model.ids import parse_id

    found: IdMatch = parse_id(text, for_write=False, prefix_allowed=False, what="--msgid")
    read_note(app, queue, refuse)
    return found.value


@takes(Connection, Output)
def backout(
    app: AppContext,
    name: Name,
    msgid: MsgId = None,
    backout_count: Annotated[
        int | None,
        typer.Option("--backout-count", metavar="N", min=0, help="Suppose this BackoutCount."),
    ] = None,
    report_option: Annotated[
        list[str] | None,
        typer.Option(
            "--report-option", metavar="NAME", help="Suppose this report option: DISCARD_MSG."
        ),
    ] = None,
    persistent: Annotated[
        bool | None,
        typer.Option("--persistent/--not-persistent", help="Suppose this persistence."),
    ] = None,
    no_expiry_effects: NoExpiryEffects = False,
) -> None:
    """Tell what each kind of client does with a poison message.

    For JMS, XMS, MQI programs and integration nodes: what comes next, where the message ends if it
    fails each time, and which attribute or report option decides it. Without --msgid it is a
    message that was rolled back BOTHRESH times. The put to BOQNAME and to the dead-letter queue is
    judged by their definitions and depths as they are now.

    Examples:
        mqtriage backout explain ORDERS.IN
        mqtriage backout explain ORDERS.IN --msgid ID:414d5120514d31 -o json
        mqtriage backout explain ORDERS.IN --report-option DISCARD_MSG --not-persistent
    """
    from mqtriage.commands.backout.explain import Assumed, explain, head_lines

    assumed = Assumed(backout_count, tuple(report_option or ()), persistent)
    with app.open_backend(read_only=True) as backend:
        wanted = message_id(app, name, msgid, no_expiry_effects)
        listing = explain(backend, name, wanted, assumed)
        if app.form in ("table", "plain"):
            for line in head_lines(listing.summary):
                app.say(line)
        app.emit(listing)


@takes(Connection, Output)
def expiry(
    app: AppContext,
    name: Name,
    msgid: MsgId = None,
    no_expiry_effects: NoExpiryEffects = False,
) -> None:
    """Tell who discards expired messages of a queue, and when.

    Says what a browse would do now, in which order messages are discarded, what CAPEXPRY and
    reports do, and why an expired message cannot be requeued. Nothing is browsed without --msgid.

    Examples:
        mqtriage expiry explain ORDERS.REPLY
        mqtriage expiry explain ORDERS.REPLY --msgid ID:414d5120514d31 -o json
    """
    from mqtriage.commands.expiry.explain import explain

    with app.open_backend(read_only=True) as backend:
        wanted = message_id(app, name, msgid, no_expiry_effects)
        app.emit(explain(backend, name, wanted))
