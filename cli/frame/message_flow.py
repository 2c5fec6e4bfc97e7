"""What every verb that takes messages has in common: its guards, its journal, its progress.

There is one way from a plan to an act: `run_act` and its two siblings (`dlq run`,
`backout requeue --to origin`) all come through here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Consent, Guards, Safety
from mqtriage.cli.frame.recording import as_change, by_itself, caller_of, journal_of
from mqtriage.cli.frame.selection import Copies, read_selection
from mqtriage.cli.frame.target import suggest_room
from mqtriage.commands.context.settings import because_protected
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.output_forms import IDS, JSON, YAML
from mqtriage.mq.errors import QueueFull, Refused, StorageError, UsageError
from mqtriage.mq.times import rfc3339

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.messages.filters.selection import Selection
    from mqtriage.model.plan import Plan
    from mqtriage.model.result import Report
    from mqtriage.operations.copies.copy import CopyOptions
    from mqtriage.operations.copies.request import ActRequest
    from mqtriage.operations.engine.act_context import ActContext
    from mqtriage.operations.engine.grouped import GroupedPlan
    from mqtriage.operations.ledger.journal import Journal
    from mqtriage.operations.load.plan import LoadRequest


def operation_of(app: AppContext, journal: Journal, op: str | None) -> str:
    """The operation that is meant, and from now on the connection that it was begun with.

    Where the command says itself how to connect, that counts. Where anything chooses a queue
    manager, the last operation is the last one of that.

    Raises:
        NotFound: There is none.
        UsageError: Several begin so.
        StorageError: What the journal keeps of it is damaged.
    """
    import json

    op = journal.find(op, app.target.settings.text("qmgr"))
    asked = app.target.connection
    if app.target.given_settings().keys() - {"archive_dir"} or asked.context or asked.no_context:
        return op
    queue_manager, caller = journal.called(op)
    try:
        settings = {**json.loads(caller.connection), "qmgr": queue_manager}
    except (TypeError, ValueError, RecursionError) as error:
        raise StorageError(
            f"operation {op}: its connection settings are damaged in the journal",
            hint="name the queue manager: -m NAME",
        ) from error
    app.target.recall(caller.context, settings, f"operation {op}")
    return op


def guarded(
    app: AppContext,
    backend: Backend,
    safety: Guards,
    request: ActRequest,
    *,
    requeues: bool = False,
) -> ActRequest:
    """The request with what its guards say, once `ask_guards` has agreed to it.

    Args:
        requeues: messages go back to be processed again, so that loops are watched for.

    Raises:
        UsageError: A guard does not fit the act, or is no number.
        Refused: A guard said no.
    """
    from mqtriage.backends.registry import refuse_acts
    from mqtriage.model.units import parse_rate
    from mqtriage.operations.ledger.requeue_counts import DEFAULT_MOST

    refuse_acts(backend, f"{request.action} {request.queue}", takes=request.takes)
    if safety.max_requeues is not None and not requeues:
        raise UsageError(f"--max-requeues: {request.action} is not a requeue")
    request = replace(
        request,
        batch=safety.batch,
        archive=None if safety.no_backup or not request.takes else app.target.archive_folder(),
        archive_bodies=not safety.no_archive_bodies,
        allow_reports=safety.allow_reports,
        park=safety.park,
        max_requeues=(safety.max_requeues or DEFAULT_MOST) if requeues else None,
        rate_per_s=parse_rate(safety.rate, what="--rate") if safety.rate else None,
        max_errors=safety.max_errors,
    )
    return ask_guards(app, backend, request)


def ask_guards(app: AppContext, backend: Backend, request: ActRequest) -> ActRequest:
    """The request of a verb or of a saved plan as it is carried out here, if every guard agrees.

    Its archive is in the folder of this context, and where it names no rate that of the context
    counts.

    Raises:
        UsageError: A guard does not fit the act.
        Refused: The archive cannot be off of a protected queue manager, or without message data for
            what is removed; or the delay header is another one here.
    """
    from mqtriage.model.units import parse_rate
    from mqtriage.operations.copies.request import ByRulesText
    from mqtriage.operations.copies.staged import refuse_other_layout

    refuse_unarchived(app, request)
    puts = request.max_requeues is not None or not request.discards
    if not request.archive_bodies and (isinstance(request.to, ByRulesText) or not puts):
        raise Refused(
            f"--no-bodies: {request.action} removes messages, and without their data they could "
            f"not be restored",
            hint="omit it; later, mqtriage archive copy can make a copy without data",
        )
    if request.park is not None and not (puts and request.takes):
        raise UsageError(f"--park: {request.action} does not put messages, so it cannot park any")
    _refuse_past_end(backend, request.copy)
    refuse_other_layout(backend, request)
    usual = app.target.settings.text("defaults.rate")
    rate = request.rate_per_s or (parse_rate(usual, what="defaults.rate") if usual else None)
    archive = None if request.archive is None else app.target.writable_archive_folder()
    return replace(request, archive=archive, rate_per_s=rate)


def _refuse_past_end(backend: Backend, copy: CopyOptions) -> None:
    """Refuse a lifetime that ends before it begins."""
    ends_us = copy.expires_at_us
    if ends_us is not None and ends_us <= backend.now_us():
        raise UsageError(f"--expiry {rfc3339(ends_us)}: this time is in the past")


def refuse_unarchived(app: AppContext, request: ActRequest) -> None:
    """Refuse to take messages of a protected queue manager without an archive."""
    if request.takes and request.archive is None and (protected := app.target.protected_by()):
        raise Refused(
            f"--no-backup is not allowed {because_protected(app.target.queue_manager, protected)}",
            hint="removed messages must be archived there",
        )


@contextmanager
def act_context(app: AppContext) -> Iterator[ActContext]:
    """How acts are carried out here: journal, signals, progress on standard error."""
    from mqtriage.formatters.progress import progress_on
    from mqtriage.operations.engine.act_context import ActContext

    with progress_on(
        app.run.stderr,
        is_tty=app.run.terminals.stderr,
        colour=app.run.colour_stderr,
        quiet=app.output.options.quiet,
    ) as show:
        journal = journal_of(app, caller_of(app))
        yield ActContext(
            journal, app.run.should_stop, lambda op: app.run.say(f"operation {op}"), show
        )


@contextmanager
def planning(app: AppContext) -> Iterator[Callable[[int], None]]:
    """Show how a plan grows, on standard error."""
    from mqtriage.formatters.progress import browsed_text, progress_on
    from mqtriage.operations.engine.act_context import Progress

    with progress_on(
        app.run.stderr,
        is_tty=app.run.terminals.stderr,
        colour=app.run.colour_stderr,
        quiet=app.output.options.quiet,
        text=browsed_text,
    ) as show:
        yield lambda chosen: show(Progress(chosen, 0, 0))


def note_loops(app: AppContext, plan: Plan, request: ActRequest, passed_over: int = 0) -> None:
    """Say in *plan* which messages the loop guard leaves; *passed_over* of them are not in it."""
    if request.max_requeues is None:
        return
    from mqtriage.operations.ledger.requeue_counts import note_loops

    journal = journal_of(app)
    with journal.kept_open():
        note_loops(plan, journal, request.max_requeues, request.park, passed_over)


@contextmanager
def _limited(
    app: AppContext, request: ActRequest, selection: Selection
) -> Iterator[tuple[Selection, Callable[[], int]]]:
    """*selection* whose `--limit` passes over what the loop guard leaves, and how many it did."""
    most = request.max_requeues
    if most is None or request.park is not None or selection.limit is None:
        yield selection, lambda: 0
        return
    from mqtriage.operations.ledger.requeue_counts import PassedOver

    journal = journal_of(app)
    with journal.kept_open():
        over = PassedOver(journal, most)
        yield replace(selection, passed_over=over), lambda: over.count


def act_on_messages(
    app: AppContext,
    plan: Plan,
    safety: Consent,
    execute: Callable[[ActContext], Report],
    *,
    save: Callable[[str], None] | None = None,
    reviewed: bool = False,
) -> None:
    """Show a plan, ask, act through the journal, report: the one way to an act on messages.

    Args:
        save, reviewed: see `act`.
    """
    from mqtriage.cli.frame.act_flow import act

    def journalled() -> Report:
        with act_context(app) as context:
            return execute(context)

    act(app, plan, safety, journalled, record=by_itself, save=save, reviewed=reviewed)


def apply_messages(
    app: AppContext,
    backend: Backend,
    path: Path,
    safety: Consent,
    *,
    content: bytes | None = None,
    signer: str = "",
) -> None:
    """Carry out a plan file of an act on messages, exactly; *content* is what *signer* signed.

    Raises:
        Refused: One of its messages is not as it was planned, or a guard said no.
    """
    from mqtriage.backends.registry import readonly, refuse_acts
    from mqtriage.model.plan import Refusal
    from mqtriage.operations.recovery import apply as recovery

    refuse_acts(backend, f"apply {path}")
    what = recovery.plan_apply(
        readonly(backend),
        path,
        lambda request: ask_guards(app, backend, request),
        content=content,
        signer=signer,
    )
    note_loops(app, what.plan, what.stored.request)
    recovery.note_as_planned(what)
    if op := journal_of(app).applied(what.stored):
        already = f"operation {op} already applied this plan"
        if what.plan.refusals:
            hint = f"mqtriage journal show {op}; journal undo {op} reverses it"
            what.plan.refusals.insert(0, Refusal(already, hint))
        else:  # undone, or of a copy
            what.plan.notes.insert(0, f"{already}: this repeats it")
    act_on_messages(
        app,
        what.plan,
        safety,
        lambda context: recovery.apply(backend, what, context),
        reviewed=True,
    )


def _note_repeated_ids(plan: Plan, request: ActRequest, selection: Selection) -> None:
    """Warn where several messages to be taken have one of the MsgIds that were given."""
    from mqtriage.operations.selection.absent_ids import repeated_ids

    if request.takes and (text := repeated_ids(plan.messages, selection)):
        plan.repeated = text
        plan.warnings.append(text)


def carry_out_plan(
    app: AppContext, backend: Backend, safety: Guards, request: ActRequest, plan: Plan
) -> None:
    """Carry out the plan of *request*, which `--plan` can save."""
    from mqtriage.operations.engine.carry_out import act as carry_out

    act_on_messages(
        app,
        plan,
        safety,
        lambda context: carry_out(backend, request, plan, context),
        save=plan_saver(app, backend, request, plan, [plan]),
    )


def carry_out_groups(
    app: AppContext,
    backend: Backend,
    safety: Guards,
    request: ActRequest,
    selection: Selection,
    make: Callable[[Backend, ActRequest, Selection], GroupedPlan],
) -> None:
    """Requeue messages that each have a queue of their own to go to, by the plan of *make*."""
    from mqtriage.backends.registry import readonly
    from mqtriage.operations.engine.grouped import carry_out_groups
    from mqtriage.operations.selection.selected import refuse_expiry_effects

    refuse_expiry_effects(request.queue, safety.no_expiry_effects)
    app.target.puts_to = (safety.park,)
    request = guarded(app, backend, safety, request, requeues=True)
    with _limited(app, request, selection) as (chosen, passed_over):
        plan = make(readonly(backend), request, chosen)
    note_loops(app, plan.whole, request, passed_over())
    _note_repeated_ids(plan.whole, request, chosen)
    act_on_messages(
        app,
        plan.whole,
        safety,
        lambda context: carry_out_groups(backend, request, plan, context),
        save=plan_saver(app, backend, request, plan.whole, plan.parts),
    )


def plan_saver(
    app: AppContext, backend: Backend, request: ActRequest, whole: Plan, parts: Sequence[Plan]
) -> Callable[[str], None]:
    """Writes the plan to the file that `--plan` names, with what *whole* says to its reader."""

    def save(file: str) -> None:
        from mqtriage.cli.frame.recording import caller_of
        from mqtriage.operations.engine.carry_out import stored_plan
        from mqtriage.operations.ledger.plan_file import write_plan

        stored = stored_plan(backend, request, parts)
        caller = caller_of(app)
        stored.maker, stored.command = caller.user, caller.command
        stored.notes = [*whole.warnings, *whole.notes]
        write_plan(Path(file), stored)

    return save


def load_file(app: AppContext, backend: Backend, safety: Safety, request: LoadRequest) -> None:
    """Plan the puts of a file, show, ask, put through the journal, report."""
    from mqtriage.backends.registry import refuse_acts
    from mqtriage.operations.load.plan import plan_load
    from mqtriage.operations.load.puts import load

    refuse_acts(backend, f"load to {request.target}", takes=False)
    _refuse_past_end(backend, request.copy)
    planned = plan_load(backend, request)
    act_on_messages(
        app, planned.plan, safety, lambda context: load(backend, request, planned, context)
    )


def put_messages(
    app: AppContext,
    backend: Backend,
    safety: Consent,
    plan: Plan,
    execute: Callable[[], Report],
    withheld: Collection[str],
) -> None:
    """Carry out a put, which prints MsgIds and nothing else, unless another form was asked for.

    Of several messages a person at a terminal sees how many they are.

    Args:
        withheld: arguments that are message data, which the journal does not get.
    """
    from mqtriage.cli.frame.act_flow import act
    from mqtriage.commands.msg.put import not_sent
    from mqtriage.mq.code_texts import hint_of

    counts = plan.count > 1 and app.run.terminals.stdout  # nobody wants to read 500 ids
    if app.output.options.form is None and not safety.dry_run and not counts:
        app.output.options = replace(app.output.options, form=IDS)

    def put() -> Report:
        try:
            report = execute()
        except QueueFull as error:
            suggest_room(error, backend)
            if plan.count > 1:
                rest = not_sent(plan.count, plan.count, whole=False)
                error.hint = f"{rest}; {hint_of(error)}"
            raise
        if staged_on := plan.facts.get("staged_on"):
            report.details["staged_on"] = staged_on
        if isinstance(report.failure, QueueFull):
            suggest_room(report.failure, backend)
        return report

    act(app, plan, safety, put, record=as_change(app, backend, withheld=withheld))


def requeue_as(
    action: str,
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str,
    to: str,
    copies: Copies,
    *,
    letter: str | None = None,
) -> None:
    """What the verbs `msg move|copy` and `backout requeue` do.

    Args:
        letter: the reason of an MQDLH that the copies get.
    """
    from mqtriage.commands.msg.letter import read_reason, with_letter
    from mqtriage.operations.copies.request import ActRequest, CopyTo, Move

    options = copies.options(safety.reports, app.run.remark)
    which = read_selection(app, selection, writes=True)
    request = ActRequest(action, queue, to, options, to=CopyTo() if action == "copy" else Move())
    reason = None if letter is None else read_reason(letter)
    with app.target.open_backend() as backend:
        if reason is not None:
            request = replace(request, copy=with_letter(backend, queue, options, reason))
        requeues = action == "requeue" or (
            action == "move"
            and (safety.max_requeues is not None or not _is_set_aside(backend, queue, to))
        )
        run_act(app, backend, safety, request, which, requeues=requeues)


def _is_set_aside(backend: Backend, queue: str, to: str) -> bool:
    """Whether a move goes the other way of a requeue: to BOQNAME of its queue, or to DEADQ."""
    from mqtriage.mq.errors import MQTriageError
    from mqtriage.operations.engine.plan import local_attributes

    try:
        names = (
            local_attributes(backend, queue).get("BOQNAME", ""),
            backend.queue_manager_attributes().get("DEADQ", ""),
        )
    except MQTriageError:  # the plan tells of it; what is not known counts
        return False
    return to in {str(name).strip() for name in names}


def remove(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str,
    *,
    dead_letters: bool = False,
) -> None:
    """What the verbs `purge` do; for *dead_letters* see `read_selection`."""
    from mqtriage.operations.copies.request import ActRequest

    if safety.reports is not None:
        raise UsageError("--reports: a purge does not make copies")
    which = read_selection(
        app, selection, writes=True, purges=True, safety=safety, dead_letters=dead_letters
    )
    if queue.endswith("*"):
        _remove_from_each(app, safety, queue, replace(which, lenient=True))
        return
    request = ActRequest("purge", queue)
    with app.target.open_backend() as backend:
        run_act(app, backend, safety, request, which)


def _remove_from_each(app: AppContext, safety: Guards, pattern: str, which: Selection) -> None:
    """A purge of each queue of a generic name that holds messages, with a plan of its own.

    Raises:
        UsageError: It names every queue, or a guard or a form is of one plan.
        Refused: A plan was not agreed to; the queues after it are as they were.
    """
    from mqtriage.commands.queue.names import named_queues
    from mqtriage.operations.copies.request import ActRequest

    if pattern == "*":
        raise UsageError(
            "purge *: refused for all queues at once", hint="give the beginning of the queue names"
        )
    for option, value in (("--expect", safety.expect), ("--plan", safety.plan)):
        if value is not None:
            raise UsageError(
                f"{option}: {pattern} has a separate plan for each queue; give one queue"
            )
    if app.output.form in (JSON, YAML):
        raise UsageError(
            f"-o {app.output.form}: {pattern} has a separate report for each queue",
            hint="-o ndjson",
        )
    with app.target.open_backend() as backend:
        queues = named_queues(backend, [pattern], holding=True)
        for queue in queues:
            run_act(app, backend, safety, ActRequest("purge", queue), which, pattern=pattern)
    if not queues:
        app.run.say(f"{pattern}: no queue contains messages")
        app.run.note_empty(0)


def run_act(
    app: AppContext,
    backend: Backend,
    safety: Guards,
    request: ActRequest,
    selection: Selection,
    *,
    requeues: bool = False,
    assume_due: bool = False,
    if_nothing: Callable[[], list[str]] = list,
    note: str = "",
    pattern: str = "",
) -> None:
    """Plan over a read-only connection, show, ask, act through the journal, report.

    Args:
        requeues: messages go back to be processed again, so that loops are watched for.
        assume_due: take an undocumented time in the delay header for the due time.
        if_nothing: what to say where no message is selected.
        note: what the plan says of its selection.
        pattern: the generic name of which the queue is one.
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.operations.engine.plan import plan_act
    from mqtriage.operations.selection.selected import refuse_expiry_effects

    refuse_expiry_effects(request.queue, safety.no_expiry_effects)
    app.target.puts_to = (request.target, safety.park)
    request = guarded(app, backend, safety, request, requeues=requeues)
    with planning(app) as watch, _limited(app, request, selection) as (chosen, passed_over):
        plan = plan_act(readonly(backend), request, chosen, watch, assume_due=assume_due)
    note_loops(app, plan, request, passed_over())
    _note_repeated_ids(plan, request, chosen)
    if note:
        plan.notes.append(note)
    if not plan.count:
        plan.notes += if_nothing()
    selects = selection.tree is not None or selection.selector is not None
    selects = selects or selection.limit is not None or bool(selection.skip)
    if request.discards and not selects:
        plan.confirm = plan.queue
    plan.pattern = pattern
    carry_out_plan(app, backend, safety, request, plan)
