"""`mqtriage delay browse|show|put|cancel|release|reschedule`: the messages on the staging queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mqtriage.cli.frame import put_options
from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Consent, Guards, Output, SelectionOptions
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.messages.selection import Selection
    from mqtriage.operations.plan import ActRequest
    from mqtriage.operations.staged_acts import When


@takes(SelectionOptions, Connection, Output)
def browse(
    app: AppContext,
    selection: SelectionOptions,
    by: Annotated[
        str, typer.Option("--by", metavar="put|due|target", help="Order. Default: put.",
                          show_default=False)
    ] = "put",
    group: Annotated[
        str | None, typer.Option("--group", metavar="target", help="One line for each target.")
    ] = None,
    assume_ddh: choosing.AssumeDdh = None,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:  # fmt: skip
    """List the messages that wait for their time.

    A staged message has a MsgId of its own; the MsgId that its sender got is its CorrelId, and
    --correlid finds it. The due time is known on the emulator alone: the header is not documented.

    Examples:
        mqtriage delay browse --correlid ID:414D5120514D31202020202020202020A1B2C3D4E5F60708
        mqtriage delay browse --overdue -o json
        mqtriage delay browse --by due --limit 20
    """
    from mqtriage.commands.delay import messages as delay_messages

    if group not in (None, "target"):
        raise UsageError(f"--group {group}: target is expected")
    which = choosing.chosen(app, selection)
    assume = choosing.assumes_due(assume_ddh)
    choosing.read_note(app, STAGING_QUEUE, no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        wanted = choosing.unlimited_if_sorted(app, which)
        if group is not None:
            listing = delay_messages.group_by_target(backend, wanted, assume_due=assume)
        else:
            listing = delay_messages.browse(
                backend,
                wanted,
                by=by,
                form=choosing.body_form(app),
                detail=choosing.wants_detail(app),
                assume_due=assume,
            )
        choosing.emit(app, listing, which)


@takes(Connection, Output)
def show(
    app: AppContext,
    msgid: Annotated[
        str | None, typer.Argument(metavar="[MSGID]", help="MsgId of the staged message.")
    ] = None,
    original_msgid: Annotated[
        str | None,
        typer.Option("--original-msgid", metavar="ID", help="MsgId that the sender got."),
    ] = None,
    body: choosing.Body = None,
    decode: choosing.Decode = True,
    nth: Annotated[
        int, typer.Option("--nth", metavar="N", min=1, help="Of several with one id.")
    ] = 1,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Show one delayed message in full.

    Where it goes and when, the descriptor, the delay header with the original's descriptor, every
    other header, and the body.

    Examples:
        mqtriage delay show --original-msgid 414D5120514D31202020202020202020A1B2C3D4E5F60708
        mqtriage delay show 'ID:414D51*' -o json
        mqtriage delay show 'ID:414D51*' --body json
    """
    from mqtriage.backends.port import Capability
    from mqtriage.commands.delay.messages import staged_keys
    from mqtriage.commands.msg.messages import find_one
    from mqtriage.messages.body_forms import check_form
    from mqtriage.messages.decoded import target_and_due
    from mqtriage.messages.document import message_document

    if (msgid is None) == (original_msgid is None):
        raise UsageError("give MSGID or --original-msgid, one of them")
    given = SelectionOptions(
        msgid=() if msgid is None else (msgid,),
        correlid=() if original_msgid is None else (original_msgid,),
    )
    form = check_form(body) if body is not None else None
    which = choosing.chosen(app, given)
    choosing.read_note(app, STAGING_QUEUE, no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        message, warnings = find_one(backend, STAGING_QUEUE, which, nth)
        facts = target_and_due(message, Capability.DUE_TIME_KNOWN in backend.capabilities)
        document = message_document(
            message,
            STAGING_QUEUE,
            form=choosing.body_form(app),
            body=form,
            decode=decode,
            kind="StagedMessage",
            extra=staged_keys(message, facts, backend.now_us()),
        )
        document.warnings += warnings
        app.emit(document)


@takes(Consent, Connection, Output)
def put(
    app: AppContext,
    safety: Consent,
    queue: Annotated[str, typer.Argument(metavar="QUEUE", help="Queue it is for.")],
    body: put_options.Body = None,
    delay: Annotated[
        str, typer.Option("--delay", metavar="30s", help="Delivery delay.", show_default=False)
    ] = "",
    file: put_options.File = None,
    count: put_options.Count = 1,
    correlid: put_options.CorrelId = None,
    expiry: put_options.Expiry = None,
    priority: put_options.Priority = None,
    persistent: put_options.Persistent = None,
    format: put_options.Format = None,
    prop: put_options.Prop = None,
    reply_to: put_options.ReplyTo = None,
    report: put_options.Report = None,
) -> None:
    """Put a message with a delivery delay.

    The MsgId that the sender sees is printed; on the staging queue it is the CorrelId. Only the
    emulator can do this: the MQI has no delivery delay, JMS clients alone can ask for one.

    Examples:
        mqtriage delay put ORDERS.IN 'hello' --delay 1h --yes
    """
    from mqtriage.cli.frame.act_flow import act
    from mqtriage.cli.msg import ids_by_default
    from mqtriage.model.units import parse_duration_ms
    from mqtriage.operations import putting

    if not delay:
        raise UsageError("--delay is needed", hint="for example --delay 30s")
    delay_ms = parse_duration_ms(delay, what="--delay", least_ms=1)
    data = choosing.body_of(app, body, file)
    options = putting.PutOptions(
        correlid, expiry, priority, persistent, format, tuple(prop or ()),
        reply_to=reply_to, report=report,
    )  # fmt: skip
    md, made = putting.made(data, options)
    with app.open_backend() as backend:
        putting.refuse_delay(backend)
        plan = putting.plan_put(backend, queue, md, made, count, facts={"delay_ms": delay_ms})
        ids_by_default(app, safety)
        act(
            app,
            plan,
            safety,
            lambda: putting.put_delayed(backend, queue, md, made, delay_ms, count, app.should_stop),
        )


Experimental = Annotated[
    bool,
    typer.Option(
        "--experimental",
        help="On a real queue manager, go by assumed bytes of the delay header.",
        show_default=False,
    ),
]


@takes(SelectionOptions, Guards, Connection, Output)
def cancel(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="QUEUE", help="Park them there instead of discarding them."),
    ] = None,
    strip: Annotated[
        bool,
        typer.Option("--strip", help="With --to: rebuild the message that the sender put.",
                     show_default=False),
    ] = False,
    assume_ddh: choosing.AssumeDdh = None,
    experimental: Experimental = False,
) -> None:  # fmt: skip
    """Take delayed messages off before they go.

    This is the use that IBM names for the correlation id. Without --to a message is discarded,
    kept in the archive; with --to it is parked untouched, delay header and all. --strip rebuilds
    the original; on a real queue manager, whose delay header is not documented, only with
    --experimental.

    Examples:
        mqtriage delay cancel --correlid ID:414D51... --to OPS.PARKED --yes
        mqtriage delay cancel --where "target = 'ORDERS.IN'" --dry-run
    """
    from mqtriage.operations.copies import read_copy_options
    from mqtriage.operations.plan import ActRequest

    if strip and to is None:
        raise UsageError("--strip rebuilds a message for another queue: give --to as well")
    copy = read_copy_options(reports=safety.reports)
    which = choosing.chosen(app, selection, writes=True, purges=to is None, safety=safety)
    request = ActRequest("cancel", STAGING_QUEUE, to, copy)
    rebuilds = "cancel --strip" if strip else ""
    with app.open_backend() as backend:
        _run(app, backend, safety, request, which, assume_ddh, experimental, rebuilds)


@takes(SelectionOptions, Guards, Connection, Output)
def release(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    assume_ddh: choosing.AssumeDdh = None,
    experimental: Experimental = False,
) -> None:
    """Put delayed messages to their targets now.

    The original is rebuilt from the delay header: ids, context and the lifetime that is left. The
    delay header of IBM MQ is not documented: on a real queue manager that takes --experimental,
    and the plan says which bytes are assumed to be what.

    Examples:
        mqtriage delay release --correlid ID:414D51... --yes
        mqtriage delay release --dest ORDERS.IN --limit 10 --dry-run
    """
    from mqtriage.operations.staged_acts import NOW

    request = _put_again("release", safety, NOW)
    which = choosing.chosen(app, selection, writes=True)
    with app.open_backend() as backend:
        _run(app, backend, safety, request, which, assume_ddh, experimental, "release")


@takes(SelectionOptions, Guards, Connection, Output)
def reschedule(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    delay: Annotated[
        str | None, typer.Option("--delay", metavar="30m", help="New delay, from now.")
    ] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="New due time.")] = None,
    shift: Annotated[
        str | None, typer.Option("--shift", metavar="+1h|-10m", help="Later or earlier by that.")
    ] = None,
    assume_ddh: choosing.AssumeDdh = None,
    experimental: Experimental = False,
) -> None:
    """Give delayed messages another due time.

    Each is staged again and the old one taken, in one unit of work; a message that would expire
    before its new time is left. The MQI has no delivery delay: on a real queue manager that takes
    --experimental, which puts the staged message back with another time in its header.

    Examples:
        mqtriage delay reschedule --dest ORDERS.IN --delay 30m --yes
        mqtriage delay reschedule --correlid ID:414D51... --shift +1h --dry-run
    """
    from mqtriage.operations.staged_acts import read_when

    which = choosing.chosen(app, selection, writes=True)
    with app.open_backend() as backend:
        when = read_when(backend.now_us(), delay, at, shift)
        request = _put_again("reschedule", safety, when)
        _run(app, backend, safety, request, which, assume_ddh, experimental, "reschedule")


def _put_again(action: str, safety: Guards, when: When) -> ActRequest:
    from mqtriage.operations.copies import read_copy_options
    from mqtriage.operations.plan import ActRequest

    copy = read_copy_options(reports=safety.reports)
    return ActRequest(action, STAGING_QUEUE, copy=copy, when=when)


def _run(
    app: AppContext,
    backend: Backend,
    safety: Guards,
    request: ActRequest,
    selection: Selection,
    assume_ddh: str | None,
    experimental: bool,
    rebuilds: str,
) -> None:
    """Act on staged messages; *rebuilds* says for what the original is needed, "" for nothing.

    Raises:
        Refused: On a real queue manager without --experimental.
    """
    from dataclasses import replace

    from mqtriage.operations.staged_acts import how_rebuilt, refuse_assumed_due

    assume = choosing.assumes_due(assume_ddh)
    refuse_assumed_due(backend, selection, assume=assume, experimental=experimental)
    if rebuilds:
        how = how_rebuilt(
            backend,
            f"delay {rebuilds}",
            experimental=experimental,
            archived=not safety.no_backup,
        )
        request = replace(request, copy=replace(request.copy, strip=how))
    choosing.run_act(app, backend, safety, request, selection, assume_due=assume)
