"""`mqtriage backout pending|browse|requeue|purge|park|sweep`: poison messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Guards, Output, SelectionOptions
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend

Input = Annotated[str, typer.Argument(metavar="QUEUE", help="Queue that they are read from.")]
Boq = Annotated[str, typer.Argument(metavar="BOQ", help="Name of the backout queue.")]


@takes(Connection, Output)
def pending(
    app: AppContext,
    pattern: Annotated[
        str,
        typer.Argument(metavar="[PATTERN]", help="Queues; * ends it. Default: all but SYSTEM.*"),
    ] = "*",
    at_least: Annotated[
        int | None,
        typer.Option("--at-least", metavar="N", min=1, help="BackoutCount from N up, no BOTHRESH."),
    ] = None,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """List messages near or over their threshold.

    They are still on the input queue: the queue manager never moves a poison message by itself.
    Where BOTHRESH is 0 every message that was rolled back is listed. All queues that match and
    hold messages are browsed.

    Examples:
        mqtriage backout pending
        mqtriage backout pending 'ORDERS.*' --at-least 2
    """
    from mqtriage.operations.backout_messages import pending as list_pending

    choosing.read_note(app, pattern, no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        app.emit(
            list_pending(backend, pattern, at_least=at_least, detail=choosing.wants_detail(app))
        )


@takes(SelectionOptions, Connection, Output)
def browse(
    app: AppContext,
    selection: SelectionOptions,
    queue: Boq,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """List the messages on a backout queue.

    ORIGIN is the queue whose BOQNAME leads here. It is sure when the JMS destination in the
    message says the same, likely when only one queue comes into question.

    Examples:
        mqtriage backout browse ORDERS.BO
        mqtriage backout browse ORDERS.BO --older-than 1d -o json
    """
    from mqtriage.operations.backout_messages import browse as browse_backout

    choosing.browse(app, selection, queue, no_expiry_effects, browse_backout)


@takes(SelectionOptions, Guards, Connection, Output)
def requeue(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: Boq,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="QUEUE|origin", help="Queue to process them again; origin: its own."
        ),
    ],
    copies: choosing.Copies,
) -> None:
    """Move messages off a backout queue.

    The copies have BackoutCount 0 and keep ids, context and the lifetime that is left. --headers
    strip takes off the MQRFH2 that a JMS client put in front when it moved the message here.
    --to origin moves each message to the queue that its JMS destination and a BOQNAME agree on;
    where they do not it stays.

    Examples:
        mqtriage backout requeue ORDERS.BO --to origin --dry-run
        mqtriage backout requeue ORDERS.BO --to ORDERS.IN --limit 10 --yes
        mqtriage backout requeue ORDERS.BO --to ORDERS.IN --where "format = 'MQSTR'" --dry-run
    """
    from mqtriage.cli.msg import requeue_as
    from mqtriage.cli.origin_requeue import requeue_to_origin

    if to == "origin":
        requeue_to_origin(
            app,
            selection,
            safety,
            queue,
            copies,
        )
        return
    requeue_as(
        "requeue",
        app,
        selection,
        safety,
        queue,
        to,
        copies,
    )


@takes(SelectionOptions, Guards, Connection, Output)
def purge(app: AppContext, selection: SelectionOptions, safety: Guards, queue: Boq) -> None:
    """Remove messages from a backout queue.

    They are kept in the archive. Without a selection the name of the queue must be typed, or
    given with --confirm.

    Examples:
        mqtriage backout purge ORDERS.BO --older-than 30d --expect 412 --yes
    """
    from mqtriage.cli.msg import remove

    remove(app, selection, safety, queue)


@takes(SelectionOptions, Guards, Connection, Output)
def park(app: AppContext, selection: SelectionOptions, safety: Guards, queue: Input) -> None:
    """Move chosen messages to the backout queue by hand.

    The target is BOQNAME of the queue, whatever the BackoutCount. Ids, context and the lifetime
    that is left stay; what is removed is archived first.

    Examples:
        mqtriage backout park ORDERS.IN --msgid ID:414D51... --yes
        mqtriage backout park ORDERS.IN --body-contains '<bad/>' --dry-run
    """
    from mqtriage.commands.backout.park import backout_queue
    from mqtriage.operations.copies import read_copy_options
    from mqtriage.operations.plan import ActRequest

    copy = read_copy_options(reports=safety.reports)
    which = choosing.chosen(app, selection, writes=True)
    with app.open_backend() as backend:
        request = ActRequest(
            "park",
            queue,
            backout_queue(backend, queue),
            copy,
        )
        choosing.run_act(app, backend, safety, request, which)


@takes(SelectionOptions, Guards, Connection, Output)
def sweep(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: Input,
    min_backout: Annotated[
        int | None,
        typer.Option(
            "--min-backout", metavar="N", min=1, help="Poison from N rollbacks up, not BOTHRESH."
        ),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option("--every", metavar="30s", help="Do it again that often; needs --yes."),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option("--for", metavar="DURATION", help="With --every: leave after this time."),
    ] = None,
) -> None:
    """Move poison messages off an input queue.

    What a JMS client does, for queues that other programs read: messages whose BackoutCount is at
    or over BOTHRESH go to BOQNAME, or where that is blank to the dead-letter queue, with an MQDLH
    of Reason 2362. What cannot be put stays, and nothing is discarded. With --every each round
    that finds poison is an act of its own; a lost connection comes back by itself.

    Examples:
        mqtriage backout sweep ORDERS.IN --yes
        mqtriage backout sweep ORDERS.IN --min-backout 5 --dry-run
        mqtriage backout sweep ORDERS.IN --every 30s --for 8h --yes
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.commands.backout import park as poison_acts
    from mqtriage.operations.copies import read_copy_options
    from mqtriage.operations.plan import ActRequest

    copy = read_copy_options(reports=safety.reports)
    which = choosing.chosen(app, selection, writes=True)

    def once(backend: Backend, *, quietly: bool) -> None:
        threshold = poison_acts.sweep_threshold(backend, queue, min_backout)
        chosen = poison_acts.poison_only(which, threshold)
        if quietly and not poison_acts.finds(readonly(backend), queue, chosen):
            return
        way = poison_acts.sweep_way(backend, queue, copy)
        request = ActRequest("requeue", queue, way.target, way.copy)
        choosing.run_act(app, backend, safety, request, chosen)

    if every is None:
        if duration is not None:
            raise UsageError("--for: only with --every")
        with app.open_backend() as backend:
            once(backend, quietly=False)
        return
    from mqtriage.cli.frame.repeat import rounds

    if not safety.yes or safety.dry_run or safety.plan or safety.expect is not None:
        raise UsageError(
            "--every: nobody is asked, and each round finds other messages",
            hint="give --yes, and neither --dry-run, --plan nor --expect",
        )
    rounds(app, lambda backend: once(backend, quietly=True), every, duration)
