"""`mqtriage dlq run`: rules on dead-letter and backout queues; IBM's table, or ours in TOML."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mqtriage.cli.frame.act_flow import Refuse, decide, note_rehearsal, refused, say_what_is_needed
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.inputs import read_text
from mqtriage.cli.frame.message_flow import act_on_messages, guarded, plan_saver
from mqtriage.cli.frame.options import ConnectionOptions, Guards, Output
from mqtriage.cli.frame.selection import Copies, read_selection
from mqtriage.cli.frame.verb import takes
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import REQUIRED, argument, text
from mqtriage.model.output_forms import CSV, IDS, NDJSON

if TYPE_CHECKING:
    from mqtriage.operations.rules.plan import Rehearsal


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def run(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str | None = argument(
        help="Queue to process. Default: INPUTQ in the table, or else DEADQ.",
        default=None,
        completes="queue",
    ),
    rules: str = text(
        "-f",
        "--rules",
        help="Rules table, TOML rules or a z/OS job of CSQUDLQH; - is standard input.",
        default=REQUIRED,
        completes="file",
    ),
    wait: str | None = text(
        metavar="no|yes|30s", help="Wait for new messages. Default: WAIT in the table, or else no."
    ),
) -> None:
    """Run rules on a dead-letter or backout queue.

    The file is a runmqdlq rules table, or rules in TOML. In a z/OS job that runs CSQUDLQH, the
    rules are the data after SYSIN DD *, and PARM names the queue and the queue manager. The first
    rule whose patterns match a message applies. RETRY puts the message on its original queue, FWD
    puts it on FWDQ, DISCARD removes it after archiving it, and IGNORE leaves it. Each get and its
    put are in one unit of work. -n shows the number of matches of each rule, and the rule for the
    first messages, or for all with --wide. It also opens each target for output, without putting
    anything, to find out what would fail.

    On a dead-letter queue, messages without an MQDLH stay on the queue. On a backout queue,
    messages have the reason MQRC_BACKOUT_THRESHOLD_REACHED, and RETRY puts each one back on the
    queue it came from, if that is known for certain. RETRY(n) makes n attempts, RETRYINT seconds
    apart. Then the run tries the next matching rule. The run ends when no attempts are left. With
    WAIT(YES) or WAIT(n) in the table, or --wait, it waits for new messages until you stop it, or
    until none has arrived for n seconds. This needs --yes. With PUTAUT(CTX), each put uses the
    authority of the user in the message's context.

    Examples:
        mqtriage dlq run -f dlq.rules -n
        mqtriage dlq run -f dlq.rules --limit 10 --yes
        mqtriage dlq run ORDERS.DLQ -f dlq.rules --expect 4 --yes
        mqtriage dlq run ORDERS.BO -f poison.toml --yes
        mqtriage dlq run -f dlq.rules --wait yes --yes
    """
    from mqtriage.cli.dlq.waiting import rehearsed, run_waiting, wait_of, waiting_text
    from mqtriage.operations.copies.request import ActRequest, ByRulesText
    from mqtriage.operations.rules.carry_out import COUNTED, run_rules
    from mqtriage.operations.rules.plan import ACTION, queue_of, runnable
    from mqtriage.operations.rules.toml import read_rules
    from mqtriage.operations.selection.selected import refuse_expiry_effects

    text = read_text(app, rules)
    table = runnable(read_rules(text), rules)
    for problem in table.problems:
        app.run.warn(f"{rules}: {problem}")
    wait_s = wait_of(wait, table.control)
    which = read_selection(app, selection, writes=True, dead_letters=True)
    copy = Copies().options(safety.reports)
    with app.target.open_backend() as backend:
        name = queue_of(backend, table, queue)
        refuse_expiry_effects(name, safety.no_expiry_effects)
        request = ActRequest(ACTION, name, copy=copy, to=ByRulesText(text))
        app.target.puts_to = (safety.park,)
        request = guarded(app, backend, safety, request)
        if any(rule.max_retries is not None for rule in table.rules):
            request = replace(request, max_requeues=COUNTED)
        if wait_s is not None and not safety.dry_run and safety.plan is None:
            which = replace(which, lenient=True)  # a message that has the field may come yet
            run_waiting(app, backend, safety, request, table, which, wait_s)
            return
        rehearsal = rehearsed(app, backend, request, table, which)
        if safety.dry_run:
            if wait_s is not None:
                app.run.say(f"without -n, the run handles these messages, {waiting_text(wait_s)}")
            rehearse(app, safety, rehearsal)
            return
        act_on_messages(
            app,
            rehearsal.plan,
            safety,
            lambda context: run_rules(backend, request, rehearsal, context),
            save=plan_saver(app, backend, request, rehearsal.plan, [rehearsal.plan]),
        )


def rehearse(app: AppContext, safety: Guards, rehearsal: Rehearsal) -> None:
    """Print what each rule would take; nothing is changed."""
    from mqtriage.operations.rules.plan import fate_listing, rehearsal_document

    plan = rehearsal.plan
    say_what_is_needed(app, plan, safety)
    if app.output.form in {CSV, NDJSON, IDS}:
        app.output.emit(fate_listing(rehearsal))
    else:
        app.output.emit(rehearsal_document(rehearsal, wide=bool(app.output.options.wide)))
    decision = decide(plan, safety, is_tty=False)
    if isinstance(decision, Refuse):
        raise refused(app, decision, plan)
    note_rehearsal(app, plan, safety)
