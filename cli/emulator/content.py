"""`mqtriage emulator seed|load-mqsc|dump`: messages and definitions in, everything out."""

from __future__ import annotations

from dataclasses import replace

from mqtriage.cli.emulator.administration import NAME, SOME_NAME, chosen
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.options import ConnectionOptions, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.emulator.requests import SeedOptions
from mqtriage.model.options import REQUIRED, arguments, flag, text
from mqtriage.model.output_forms import IDS, MQSC, NDJSON


@takes(ConnectionOptions, Output)
def seed(
    app: AppContext,
    *,
    name: str = NAME,
    files: tuple[str, ...] = arguments(
        help="Message data, one message a file.", default=REQUIRED, completes="file"
    ),
    to: str = text(help="Queue to put on.", default=REQUIRED, completes="queue"),
    options: SeedOptions,
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

    md = emulator_content.descriptor(options)
    app.refuse_forms(MQSC)
    paths = emulator_content.file_list(files)
    with emulator_admin.connected(app.home(), chosen(app, name), app.say) as backend:
        app.emit(emulator_content.seed(backend, to, paths, md))


@takes(ConnectionOptions, Output)
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


@takes(ConnectionOptions, Output)
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
