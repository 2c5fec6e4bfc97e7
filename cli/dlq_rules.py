"""`mqtriage dlq run|lint-rules`: IBM's rules table on the dead-letter queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mqtriage.cli import choosing, journalled
from mqtriage.cli.context import AppContext
from mqtriage.cli.exit_codes import ExitCode
from mqtriage.cli.options import Connection, Guards, Output, SelectionOptions, takes

if TYPE_CHECKING:
    from mqtriage.commands.dead_letter_rules import Rehearsal
    from mqtriage.model.result import Report
    from mqtriage.mq.rules_table_parser import RulesTable


@takes(SelectionOptions, Guards, Connection, Output)
def run(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    rules: Annotated[
        str, typer.Option("-f", "--rules", metavar="FILE", help="The rules table; - is stdin.")
    ],
    queue: Annotated[
        str | None,
        typer.Option("--queue", metavar="QUEUE", help="Default: INPUTQ of the table, then DEADQ."),
    ] = None,
) -> None:
    """Run a rules table of runmqdlq on the dead-letter queue.

    The first rule whose patterns match takes a message: RETRY puts it on the queue it was meant
    for, FWD on FWDQ, DISCARD keeps it in the archive only, IGNORE leaves it. Get and put are one
    unit of work. -n shows the rule of each message and the hits of each rule. Messages without an
    MQDLH stay.

    This is one pass, as with WAIT(NO): RETRY(n) makes its attempts at once, 10 at most, and does
    not wait for RETRYINT; then the next matching rule is tried. Other queue managers (FWDQM,
    DestQMgrName) and PUTAUT(CTX) are not supported: such a message stays, and no later rule is
    tried on it.

    Examples:
        mqtriage dlq run -f dlq.rules -n
        mqtriage dlq run -f dlq.rules --limit 10 --yes
        mqtriage dlq run -f dlq.rules --queue ORDERS.DLQ --expect 4 --yes
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.acting import act
    from mqtriage.commands.act_copies import read_copy_options
    from mqtriage.commands.act_plan import ActRequest
    from mqtriage.commands.act_rules import run_rules
    from mqtriage.commands.dead_letter_rules import ACTION, plan_rules, queue_of, runnable
    from mqtriage.commands.selecting import refuse_expiry_effects
    from mqtriage.mq.rules_table_parser import parse

    text = read_text(app, rules)
    table = runnable(parse(text), rules)
    for problem in table.problems:
        app.warn(f"{rules}: {problem}")
    which = choosing.chosen(app, selection, writes=True)
    copy = read_copy_options(reports=safety.reports)
    with app.open_backend() as backend:
        name = queue_of(backend, table, queue)
        refuse_expiry_effects(name, safety.no_expiry_effects)
        request = journalled.guarded(app, safety, ActRequest(ACTION, name, copy=copy, rules=text))
        made = plan_rules(readonly(backend), request, table, which)
        if safety.dry_run:
            rehearse(app, safety, made)
            return

        def execute() -> Report:
            with journalled.conduct_of(app) as conduct:
                return run_rules(backend, request, made, conduct)

        act(
            app,
            made.plan,
            safety,
            execute,
            save=journalled.saver(backend, request, [made.plan]),
        )


def rehearse(app: AppContext, safety: Guards, made: Rehearsal) -> None:
    """Print what each rule would take; nothing is changed."""
    from mqtriage.commands.dead_letter_rules import fate_listing, rehearsal_document

    count = made.plan.count
    if safety.expect not in (None, count):
        app.warn(f"--expect {safety.expect} would refuse: {count} would be touched")
    if app.form in {"csv", "ndjson", "ids"}:
        app.emit(fate_listing(made))
    else:
        app.emit(rehearsal_document(made))
    if not count and app.output.fail_empty:
        app.note(ExitCode.NOTHING_MATCHED)


@takes(Output)
def lint_rules(
    app: AppContext,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The rules table; - is standard input.")
    ],
) -> None:
    """Check a rules table of runmqdlq, without running it.

    Tells what IBM's handler would not take, with line and column, what is not looked at, and rules
    that can never be hit because an earlier one takes all they would take. Exit 4 when there is
    something to tell.

    Examples:
        mqtriage dlq lint-rules dlq.rules
        mqtriage dlq lint-rules dlq.rules -o json
    """
    from mqtriage.commands.lint_rules_table import problem_listing

    table = read_table(app, file)
    app.emit(problem_listing(table, file))
    if table.problems:
        app.note(ExitCode.FINDINGS)


def read_table(app: AppContext, file: str) -> RulesTable:
    """Read and parse a rules table; what is wrong is part of it.

    Raises:
        NotFound, UsageError, StorageError: It cannot be read.
    """
    from mqtriage.mq.rules_table_parser import parse

    return parse(read_text(app, file))


def read_text(app: AppContext, file: str) -> str:
    """The text of a file, or of standard input.

    Raises:
        NotFound, UsageError, StorageError: It cannot be read.
    """
    from mqtriage.cli.mqsc import standard_input
    from mqtriage.commands.script_files import read_bytes
    from mqtriage.mq.mqsc import decode_script

    return decode_script(read_bytes(file, lambda: standard_input(app)))
