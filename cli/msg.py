"""`mqtriage msg`: messages on any queue; the work is in commands/msg."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from mqtriage.cli.frame import put_options
from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Consent, Guards, Output, SelectionOptions
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError

Queue = Annotated[str, typer.Argument(metavar="QUEUE", help="Name of the queue.")]
To = Annotated[str, typer.Option("--to", metavar="QUEUE", help="Queue that gets the messages.")]
Nth = Annotated[int, typer.Option("--nth", metavar="N", min=1, help="Of several with one id.")]


@takes(SelectionOptions, Connection, Output)
def browse(
    app: AppContext,
    selection: SelectionOptions,
    queue: Queue,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """List the messages on a queue.

    Messages stay where they are. JSON forms have every field of the descriptor, the headers and
    the body: in body when it is text, else in body_hex; --hex and --text choose one of them.
    Message properties are in properties, whichever way --properties-as asks for them.

    Examples:
        mqtriage msg browse ORDERS.IN --older-than 2h
        mqtriage msg browse ORDERS.IN -o ndjson
        mqtriage msg browse ORDERS.IN --where "backout >= 3"
    """
    from mqtriage.commands.msg.messages import browse as browse_messages

    choosing.browse(
        app, selection, queue, no_expiry_effects, browse_messages, properties_as_asked=True
    )


@takes(Connection, Output)
def show(
    app: AppContext,
    msgid: Annotated[str, typer.Argument(metavar="MSGID", help="48 hex digits, ID:HEX or HEX*.")],
    queue: Annotated[
        str, typer.Option("-q", "--queue", metavar="QUEUE", help="Queue that it is on.")
    ],
    body: choosing.Body = None,
    decode: choosing.Decode = True,
    nth: Nth = 1,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Show one message in full.

    The descriptor, every header of the chain with its fields, and the body. What is damaged is
    said in a line of its own.

    Examples:
        mqtriage msg show 414D5120514D31202020202020202020A1B2C3D4E5F60708 -q ORDERS.IN
        mqtriage msg show 'ID:414D51*' -q ORDERS.IN -o json
        mqtriage msg show 'ID:414D51*' -q ORDERS.IN --body json
        mqtriage msg show 'ID:414D51*' -q ORDERS.IN --no-decode --hex
    """
    from mqtriage.commands.msg.messages import show as show_message
    from mqtriage.messages.body_forms import check_form

    form = check_form(body) if body is not None else None
    which = choosing.chosen(app, SelectionOptions(msgid=(msgid,)))
    choosing.read_note(app, queue, no_expiry_effects)
    with app.open_backend(read_only=True, shows_messages=True) as backend:
        document = show_message(
            backend,
            queue,
            which,
            nth=nth,
            form=choosing.body_form(app),
            body=form,
            decode=decode,
        )
        app.emit(document)


@takes(SelectionOptions, Connection, Output)
def count(
    app: AppContext,
    selection: SelectionOptions,
    queue: Queue,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Count the messages that match.

    They are browsed: messages that have expired, or that another program holds uncommitted, are
    in CURDEPTH but not in this count.

    Examples:
        mqtriage msg count ORDERS.IN --backout '>=3'
        mqtriage msg count ORDERS.IN --older-than 1d -o json
    """
    from mqtriage.cli.frame.exit_codes import ExitCode
    from mqtriage.commands.msg.messages import count as count_messages

    which = choosing.chosen(app, selection)
    choosing.read_note(app, queue, no_expiry_effects)
    with app.open_backend(read_only=True, shows_messages=True) as backend:
        document = count_messages(backend, queue, which)
    app.emit(document)
    if app.output.fail_empty and not document.data["count"]:
        app.note(ExitCode.NOTHING_MATCHED)


@takes(Consent, Connection, Output)
def put(
    app: AppContext,
    safety: Consent,
    queue: Queue,
    body: put_options.Body = None,
    file: put_options.File = None,
    count: put_options.Count = 1,
    correlid: put_options.CorrelId = None,
    expiry: put_options.Expiry = None,
    priority: put_options.Priority = None,
    persistent: put_options.Persistent = None,
    format: put_options.Format = None,
    prop: put_options.Prop = None,
    ccsid: put_options.Ccsid = None,
    encoding: put_options.Encoding = None,
    reply_to: put_options.ReplyTo = None,
    report: put_options.Report = None,
) -> None:
    """Put messages on a queue.

    The MsgId of each is printed, one a line. Properties make an MQRFH2 in front of the data:
    Format of the message is then MQHRF2, and the header holds the Format that was asked for.

    Examples:
        mqtriage msg put ORDERS.IN 'hello' --yes
        mqtriage msg put ORDERS.IN --file order.xml --format MQSTR --persistent --yes
        mqtriage msg put ORDERS.IN - --prop Color=red --yes < order.txt
    """
    from mqtriage.cli.frame.act_flow import act
    from mqtriage.operations import putting

    data = choosing.body_of(app, body, file)
    options = putting.PutOptions(
        correlid, expiry, priority, persistent, format, tuple(prop or ()), ccsid, encoding,
        reply_to, report,
    )  # fmt: skip
    md, made = putting.made(data, options)
    with app.open_backend() as backend:
        plan = putting.plan_put(backend, queue, md, made, count)
        ids_by_default(app, safety)
        act(
            app,
            plan,
            safety,
            lambda: putting.put(backend, queue, md, made, count, app.should_stop),
        )


def ids_by_default(app: AppContext, safety: Consent) -> None:
    """A put prints MsgIds and nothing else, unless another form was asked for."""
    if app.output.form is None and not safety.dry_run:
        app.output = replace(app.output, form="ids")


From = Annotated[str, typer.Argument(metavar="FROM", help="Queue that they are on.")]
Target = Annotated[str, typer.Argument(metavar="TO", help="Queue that gets them.")]


@takes(SelectionOptions, Guards, Connection, Output)
def copy(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: From,
    to: Target,
    copies: choosing.Copies,
) -> None:
    """Copy messages to another queue.

    The originals stay where they are, and FROM is opened for browse alone. The copies keep ids,
    context and the lifetime that is left; --new-msgid gives them MsgIds of their own.

    Examples:
        mqtriage msg copy ORDERS.IN ORDERS.TEST --limit 10 --yes
        mqtriage msg copy ORDERS.BO ORDERS.TEST --new-msgid --headers strip --dry-run
    """
    requeue_as(
        "copy",
        app,
        selection,
        safety,
        queue,
        to,
        copies,
    )


@takes(SelectionOptions, Guards, Connection, Output)
def move(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: From,
    to: Target,
    copies: choosing.Copies,
) -> None:
    """Move messages from one queue to another.

    The same as msg requeue FROM --to TO: taken and put in one unit of work, archived first.

    Examples:
        mqtriage msg move ORDERS.IN ORDERS.HOLD --where "format = 'MQSTR'" --yes
    """
    requeue_as(
        "move",
        app,
        selection,
        safety,
        queue,
        to,
        copies,
    )


@takes(SelectionOptions, Guards, Connection, Output)
def requeue(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: Queue,
    to: To,
    copies: choosing.Copies,
) -> None:
    """Move messages to another queue.

    Each is taken and its copy put in one unit of work, with ids, context and the lifetime that is
    left. What is removed is written to the archive first.

    Examples:
        mqtriage msg requeue ORDERS.OLD --to ORDERS.IN --limit 10 --yes
        mqtriage msg requeue ORDERS.OLD --to ORDERS.IN --older-than 2h --dry-run
    """
    requeue_as(
        "requeue",
        app,
        selection,
        safety,
        queue,
        to,
        copies,
    )


def requeue_as(
    action: str,
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str,
    to: str,
    copies: choosing.Copies,
) -> None:
    """What the verbs `msg requeue|move|copy` and `backout requeue` do."""
    from mqtriage.operations.plan import ActRequest

    options = copies.options(safety.reports)
    which = choosing.chosen(app, selection, writes=True)
    request = ActRequest(
        action,
        queue,
        to,
        options,
        takes=action != "copy",
    )
    with app.open_backend() as backend:
        choosing.run_act(app, backend, safety, request, which, requeues=action != "copy")


@takes(SelectionOptions, Guards, Connection, Output)
def purge(app: AppContext, selection: SelectionOptions, safety: Guards, queue: Queue) -> None:
    """Remove messages, kept in an archive.

    Without a selection the whole queue is meant: its name must then be typed, or given with
    --confirm.

    Examples:
        mqtriage msg purge ORDERS.IN --older-than 30d --expect 412 --yes
        mqtriage msg purge ORDERS.IN --confirm ORDERS.IN
    """
    remove(app, selection, safety, queue)


def remove(app: AppContext, selection: SelectionOptions, safety: Guards, queue: str) -> None:
    """What the verbs `msg purge` and `backout purge` do."""
    from mqtriage.operations.plan import ActRequest

    if safety.reports is not None:
        raise UsageError("--reports: a purge makes no copies")
    which = choosing.chosen(app, selection, writes=True, purges=True, safety=safety)
    request = ActRequest(
        "purge",
        queue,
    )
    with app.open_backend() as backend:
        choosing.run_act(app, backend, safety, request, which)
