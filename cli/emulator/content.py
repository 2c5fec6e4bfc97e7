"""`mqtriage emulator seed|load-mqsc|dump`: messages and definitions in, everything out."""

from __future__ import annotations

from dataclasses import replace

from mqtriage.cli.emulator.administration import NAME, SOME_NAME, chosen
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.options import Connection, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import REQUIRED, arguments, flag, number, pair, text
from mqtriage.model.output_forms import IDS, MQSC, NDJSON
from mqtriage.mq.descriptor import NO_ID

_GREATEST = 2**31 - 1


@takes(Connection, Output)
def seed(
    app: AppContext,
    name: str = NAME,
    files: tuple[str, ...] = arguments(
        help="Message data, one message a file.", default=REQUIRED, completes="file"
    ),
    to: str = text(help="Queue to put on.", default=REQUIRED, completes="queue"),
    format: str = text(metavar="F", help="MQMD.Format: MQSTR, MQHRF2, MQDEAD ...", default=""),
    ccsid: int | None = number(help="MQMD.CodedCharSetId.", minimum=-2, maximum=65535),
    encoding: int | None = number(help="MQMD.Encoding.", maximum=_GREATEST),
    persistent: bool | None = pair(
        "--persistent/--not-persistent", help="Default: as the queue says."
    ),
    priority: int | None = number(help="Default: as the queue says.", maximum=9),
    correlid: str | None = text(metavar="ID", help="MQMD.CorrelId."),
    expiry: int | None = text(metavar="DURATION", help="Lifetime: 30s, 5m.", reads="expiry"),
    report: str | None = text(metavar="OPTIONS", help="COD,EXPIRATION ... or a number."),
    reply_to: str = text(help="MQMD.ReplyToQ.", default="", completes="queue"),
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

    md = emulator_content.descriptor(
        format=format,
        ccsid=ccsid,
        encoding=encoding,
        persistent=persistent,
        priority=priority,
        correl_id=(
            parse_id(correlid, for_write=False, prefix_allowed=False, what="--correlid").value
            if correlid
            else NO_ID
        ),
        expiry_tenths=-1 if expiry is None else expiry,
        report=emulator_content.report_bits(report) if report else 0,
        reply_to=reply_to,
    )
    app.refuse_forms(MQSC)
    paths = emulator_content.file_list(files)
    with emulator_admin.connected(app.home(), chosen(app, name), app.say) as backend:
        app.emit(emulator_content.seed(backend, to, paths, md))


@takes(Connection, Output)
def load_mqsc(
    app: AppContext,
    name: str = NAME,
    files: tuple[str, ...] = arguments(
        help="MQSC files, in this order.", default=REQUIRED, completes="file"
    ),
) -> None:
    """Run the definitions of MQSC files.

    DEFINE and ALTER of queues, topics, subscriptions and the queue manager, and SET AUTHREC. Every
    other command is told in one line, and so is a wrong one, with file, line and column; the rest
    is run all the same (exit 3). `mqtriage mqsc` runs the others too.

    Examples:
        mqtriage emulator load-mqsc QM1 definitions.mqsc
        mqtriage emulator load-mqsc QM1 base.mqsc orders.mqsc -o json
    """
    from mqtriage.commands.emulator import admin as emulator_admin
    from mqtriage.commands.emulator import content as emulator_content
    from mqtriage.formatters.cells import visible

    app.refuse_forms(IDS, MQSC)
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
    name: str | None = SOME_NAME,
    definitions: bool = flag(help="Leave the messages out."),
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
        app.output = replace(app.output, form=NDJSON)
    with emulator_admin.opened(app.home(), chosen(app, name), app.say) as manager:
        app.now_us = manager.look()
        app.emit(emulator_content.dump(manager, messages=not definitions))
