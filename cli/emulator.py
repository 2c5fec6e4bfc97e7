"""`mqtriage emulator`: options, help and examples.

The work is in commands/emulator/admin.py and commands/emulator/content.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Consent, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError

Name = Annotated[str, typer.Argument(metavar="QMGR", help="Queue manager; case matters.")]
SomeName = Annotated[
    str | None, typer.Argument(metavar="QMGR", help="Queue manager; the only one when left out.")
]
ClientsReconnect = Annotated[
    bool,
    typer.Option(
        "-r", "--clients-reconnect", help="Reconnectable clients connect again once it is started."
    ),
]
_GREATEST = 2**31 - 1


def chosen(app: AppContext, name: str | None) -> str:
    """The queue manager meant: the argument, else -m or MQTRIAGE_QMGR, else the only one.

    Raises:
        UsageError: Argument and -m differ, --backend mq, or several and none chosen.
        NotFound: There is none.
    """
    from mqtriage.backends.registry import chosen_name

    settings = app.settings
    backend = settings.values.get("backend")
    is_mq = backend is not None and backend.value == "mq"
    if backend is not None and is_mq and backend.origin == "--backend":
        raise UsageError("--backend mq: this group is about emulated queue managers")
    option = app.connection.qmgr
    if name and option not in {None, name}:
        raise UsageError(
            f"queue manager is given twice and differs: {name} and {option}",
            hint="give it once",
        )
    # the queue manager of settings for a real one is no emulated one
    in_force = option if is_mq else settings.text("qmgr")
    found = name or in_force or chosen_name(app.home(), app.say)
    app.queue_manager = found
    return found


@takes(Connection, Output)
def create(
    app: AppContext,
    name: Name,
    platform: Annotated[
        str, typer.Option("--platform", metavar="dist|zos", help="Whose behaviour it has.")
    ] = "dist",
    mq_version: Annotated[
        str, typer.Option("--mq-version", metavar="V.R", help="Level it answers with.")
    ] = "9.4",
    clock: Annotated[
        str,
        typer.Option(
            "--clock", metavar="running|frozen", help="A frozen clock moves by advance only."
        ),
    ] = "running",
    sample: Annotated[
        bool, typer.Option("--sample", help="Fill it with sample queues and messages.")
    ] = False,
    developer: Annotated[
        bool,
        typer.Option("--developer", help="Define what IBM's developer image has: DEV.QUEUE.1 ..."),
    ] = False,
) -> None:
    """Create an emulated queue manager.

    It is one file below MQTRIAGE_HOME and runs at once; nothing of IBM's is needed. The sample has
    ordinary, delayed, poison, expired and dead-lettered messages.

    Examples:
        mqtriage emulator create QM1
        mqtriage emulator create QM1 --sample
        mqtriage emulator create QM1 --developer
        mqtriage emulator create QMZ --platform zos --clock frozen
    """
    from mqtriage.commands.emulator.admin import create as create_qmgr

    found = chosen(app, name)
    app.refuse_forms("ids", "mqsc")
    app.emit(
        create_qmgr(
            app.home(),
            found,
            platform=platform,
            version=mq_version,
            clock=clock,
            sample=sample,
            developer=developer,
        )
    )


@takes(Connection, Output)
def ls(app: AppContext) -> None:
    """List the emulated queue managers.

    Examples:
        mqtriage emulator ls
        mqtriage emulator ls -o json
    """
    from mqtriage.commands.emulator.admin import ls as list_qmgrs

    app.emit(list_qmgrs(app.home()))


@takes(Connection, Output)
def start(app: AppContext, name: SomeName = None) -> None:
    """Start a stopped queue manager.

    What fell due meanwhile is delivered.

    Examples:
        mqtriage emulator start QM1
    """
    from mqtriage.commands.emulator.admin import start as start_qmgr

    app.refuse_forms("ids", "mqsc")
    app.emit(start_qmgr(app.home(), chosen(app, name)))


@takes(Connection, Output)
def stop(
    app: AppContext,
    name: SomeName = None,
    wait: Annotated[
        str | None,
        typer.Option("--wait", metavar="SPAN", help="Quiesce first: so long programs may go on."),
    ] = None,
    clients_reconnect: ClientsReconnect = False,
) -> None:
    """Stop a running queue manager.

    Units of work are backed out, and non-persistent messages are lost unless their queue has
    NPMCLASS(HIGH), as on a real one. While it quiesces, new programs get 2161
    (MQRC_Q_MGR_QUIESCING), and so do calls with FAIL_IF_QUIESCING; it ends as soon as all
    programs have disconnected. A wait that it cuts short ends with 2203.

    Examples:
        mqtriage emulator stop QM1
        mqtriage emulator stop QM1 --wait 30s
        mqtriage emulator stop QM1 --clients-reconnect
    """
    from mqtriage.commands.emulator.admin import stop as stop_qmgr

    app.refuse_forms("ids", "mqsc")
    found = app.home(), chosen(app, name)
    app.emit(stop_qmgr(*found, wait, clients_reconnect=clients_reconnect))


@takes(Connection, Output)
def restart(
    app: AppContext, name: SomeName = None, clients_reconnect: ClientsReconnect = False
) -> None:
    """Stop a queue manager and start it.

    Examples:
        mqtriage emulator restart QM1
        mqtriage emulator restart QM1 --clients-reconnect
    """
    from mqtriage.commands.emulator.admin import restart as restart_qmgr

    app.refuse_forms("ids", "mqsc")
    found = app.home(), chosen(app, name)
    app.emit(restart_qmgr(*found, clients_reconnect=clients_reconnect))


@takes(Consent, Connection, Output)
def rm(app: AppContext, safety: Consent, name: Name) -> None:
    """Remove an emulated queue manager for good.

    Its messages go with it and nothing is archived, so it takes the name, typed or with --confirm.

    Examples:
        mqtriage emulator rm QM1
        mqtriage emulator rm QM1 --confirm QM1
    """
    from mqtriage.cli.frame.act_flow import Severity, act
    from mqtriage.commands.emulator import admin as emulator_admin

    folder = app.home()
    plan = emulator_admin.plan_rm(folder, chosen(app, name))
    act(app, plan, safety, lambda: emulator_admin.rm(folder, plan), severity=Severity.NAME)


@takes(Connection, Output)
def advance(
    app: AppContext,
    span: Annotated[
        str, typer.Argument(metavar="DURATION", help="How far: 500ms 30s 5m 2h 30d, 1h30m.")
    ],
    name: SomeName = None,
) -> None:
    """Move the clock of a queue manager on.

    What falls due on the way happens in order: delays end, lifetimes end.

    Examples:
        mqtriage emulator advance 15m
        mqtriage emulator advance 1h30m QM1
    """
    from mqtriage.commands.emulator.admin import advance as advance_clock

    app.refuse_forms("ids", "mqsc")
    app.emit(advance_clock(app.home(), chosen(app, name), span, app.say))


@takes(Connection, Output)
def clock(
    app: AppContext,
    name: SomeName = None,
    freeze: Annotated[bool, typer.Option("--freeze", help="Stop it where it stands.")] = False,
    run: Annotated[bool, typer.Option("--run", help="Let it go on from there.")] = False,
) -> None:
    """Show or set the clock of a queue manager.

    Examples:
        mqtriage emulator clock
        mqtriage emulator clock QM1 --freeze
    """
    from mqtriage.commands.emulator.admin import show_clock

    app.refuse_forms("ids", "mqsc")
    app.emit(show_clock(app.home(), chosen(app, name), freeze=freeze, run=run))


@takes(Connection, Output)
def rollback(
    app: AppContext,
    queue: Annotated[str, typer.Argument(metavar="QUEUE", help="Queue to get from.")],
    times: Annotated[int, typer.Option("--times", metavar="N", help="How often.")] = 1,
    msgid: Annotated[
        str | None,
        typer.Option("--msgid", metavar="ID", help="This message; the first when left out."),
    ] = None,
) -> None:
    """Get a message and roll back, which makes it poison.

    Examples:
        mqtriage emulator rollback ORDERS.IN --times 3
        mqtriage emulator rollback ORDERS.IN --times 3 -m QM1
    """
    from mqtriage.commands.emulator import admin as emulator_admin
    from mqtriage.commands.emulator import content as emulator_content
    from mqtriage.model.ids import parse_id

    app.refuse_forms("mqsc")
    msg_id = None
    if msgid is not None:
        match = parse_id(msgid, for_write=True, what="--msgid")
        app.say(match.describe("message id"))
        msg_id = match.value
    with emulator_admin.connected(app.home(), chosen(app, None), app.say) as backend:
        app.emit(emulator_content.roll_back(backend, queue, times, msg_id))


@takes(Connection, Output)
def seed(
    app: AppContext,
    name: Name,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Message data, one message a file.")
    ],
    to: Annotated[str, typer.Option("--to", metavar="QUEUE", help="Queue to put on.")],
    format: Annotated[
        str, typer.Option("--format", metavar="F", help="MQMD.Format: MQSTR, MQHRF2, MQDEAD ...")
    ] = "",
    ccsid: Annotated[
        int | None,
        typer.Option("--ccsid", metavar="N", min=-2, max=65535, help="MQMD.CodedCharSetId."),
    ] = None,
    encoding: Annotated[
        int | None,
        typer.Option("--encoding", metavar="N", min=0, max=_GREATEST, help="MQMD.Encoding."),
    ] = None,
    persistent: Annotated[
        bool | None,
        typer.Option("--persistent/--not-persistent", help="Default: as the queue says."),
    ] = None,
    priority: Annotated[
        int | None,
        typer.Option("--priority", metavar="N", min=0, max=9, help="Default: as the queue says."),
    ] = None,
    correlid: Annotated[
        str | None, typer.Option("--correlid", metavar="ID", help="MQMD.CorrelId.")
    ] = None,
    expiry: Annotated[
        str | None, typer.Option("--expiry", metavar="DURATION", help="Lifetime: 30s, 5m.")
    ] = None,
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="OPTIONS", help="COD,EXPIRATION ... or a number."),
    ] = None,
    reply_to: Annotated[
        str, typer.Option("--reply-to", metavar="QUEUE", help="MQMD.ReplyToQ.")
    ] = "",
) -> None:
    """Put saved message bytes on a queue.

    The bytes of each file become one message as they are; all files in one unit of work, so that
    all are put or none. Prints the MsgIds.

    Examples:
        mqtriage emulator seed QM1 --to ORDERS.IN order.bin --format MQHRF2 --ccsid 1208
        mqtriage emulator seed QM1 --to DEAD.LETTER.QUEUE dead/*.bin --format MQDEAD --persistent
    """
    from mqtriage.commands.emulator import admin as emulator_admin
    from mqtriage.commands.emulator import content as emulator_content
    from mqtriage.model.ids import parse_id
    from mqtriage.model.units import parse_expiry_tenths

    md = emulator_content.descriptor(
        format=format,
        ccsid=ccsid,
        encoding=encoding,
        persistent=persistent,
        priority=priority,
        correl_id=(
            parse_id(correlid, for_write=False, prefix_allowed=False, what="--correlid").value
            if correlid
            else bytes(24)
        ),
        expiry_tenths=parse_expiry_tenths(expiry, what="--expiry") if expiry else -1,
        report=emulator_content.report_bits(report) if report else 0,
        reply_to=reply_to,
    )
    app.refuse_forms("mqsc")
    paths = emulator_content.file_list(files)
    with emulator_admin.connected(app.home(), chosen(app, name), app.say) as backend:
        app.emit(emulator_content.seed(backend, to, paths, md))


@takes(Connection, Output)
def load_mqsc(
    app: AppContext,
    name: Name,
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="MQSC files, in this order.")],
) -> None:
    """Run the definitions of MQSC files.

    DEFINE and ALTER of queues, topics, subscriptions and the queue manager, and SET AUTHREC. Every
    other command is told in one line, and so is a wrong one, with file, line and column; the rest
    is run all the same (exit 3). `mqtriage mqsc` runs the others too.

    Examples:
        mqtriage emulator load-mqsc QM1 definitions.mqsc
        mqtriage emulator load-mqsc QM1 base.mqsc orders.mqsc -o json
    """
    from mqtriage.cli.frame.exit_codes import ExitCode
    from mqtriage.commands.emulator import admin as emulator_admin
    from mqtriage.commands.emulator import content as emulator_content
    from mqtriage.formatters.cells import visible

    app.refuse_forms("ids", "mqsc")
    paths = emulator_content.file_list(files)
    with emulator_admin.connected(app.home(), chosen(app, name), app.say) as backend:
        loaded, document = emulator_content.load_mqsc(
            backend, paths, lambda line: app.tell(visible(line))
        )
        if loaded.left_out:
            all_wrong = not loaded.done and not loaded.counts["not_emulated"]
            app.note(ExitCode.FAILED if all_wrong else ExitCode.PARTLY_DONE)
        app.emit(document)


@takes(Connection, Output)
def dump(
    app: AppContext,
    name: SomeName = None,
    definitions: Annotated[
        bool, typer.Option("--definitions", help="Leave the messages out.")
    ] = False,
) -> None:
    """Write a queue manager's content as text.

    One JSON object a line: the queue manager, then each queue by name with its messages. The same
    content gives the same text, so that two dumps can be compared.

    Examples:
        mqtriage emulator dump QM1 > before.ndjson
        mqtriage emulator dump --definitions
    """
    from mqtriage.commands.emulator import admin as emulator_admin
    from mqtriage.commands.emulator import content as emulator_content

    if app.output.form is None:
        app.output = replace(app.output, form="ndjson")
    with emulator_admin.opened(app.home(), chosen(app, name), app.say) as manager:
        app.now_us = manager.look()
        app.emit(emulator_content.dump(manager, messages=not definitions))
