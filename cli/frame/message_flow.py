"""What every verb that takes messages has in common: its guards, its journal, its progress.

There is one way from a plan to an act: `choosing.run_act` and its two siblings (`dlq run`,
`backout requeue --to origin`) all come through here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mqtriage.cli.frame.act_flow import Severity
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Guards, Safety
from mqtriage.mq.errors import Refused, UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.model.plan import Plan
    from mqtriage.model.result import Report
    from mqtriage.operations.act_context import Conduct
    from mqtriage.operations.grouped_requeue import GroupedPlan
    from mqtriage.operations.journal import Journal
    from mqtriage.operations.load import LoadRequest
    from mqtriage.operations.plan import ActRequest


def journal_of(app: AppContext) -> Journal:
    """The journal, in MQTRIAGE_HOME."""
    from mqtriage.operations.journal import Journal

    return Journal(app.home() / "journal")


def guarded(
    app: AppContext, safety: Guards, request: ActRequest, *, requeues: bool = False
) -> ActRequest:
    """The request with what its guards say.

    Args:
        requeues: messages go back to be processed again, so that loops are watched for.

    Raises:
        UsageError: A guard does not fit the act, or is no number.
        Refused: The archive cannot be off in a protected context, or without message data for
            what is removed.
    """
    from mqtriage.model.units import parse_rate
    from mqtriage.operations.requeue_counts import DEFAULT_MOST

    if safety.no_backup and request.takes and app.settings.flag("protected"):
        raise Refused(
            "--no-backup: not in a protected context", hint="what is removed is archived there"
        )
    puts = requeues or request.target is not None or request.when is not None or request.rules
    if safety.no_archive_bodies and (request.rules or not puts):
        raise Refused(
            f"--no-archive-bodies: {request.action} removes messages, and without their data "
            "nothing could bring them back",
            hint="leave it out; mqtriage archive redact makes a copy without data later",
        )
    if safety.park is not None and not (puts and request.takes):
        raise UsageError(f"--park: {request.action} puts nothing that could be set aside")
    if safety.max_requeues is not None and not requeues:
        raise UsageError(f"--max-requeues: {request.action} is no requeue")
    rate = safety.rate if safety.rate is not None else app.settings.text("defaults.rate")
    return replace(
        request,
        batch=safety.batch,
        archive=app.archive_folder() if request.takes and not safety.no_backup else None,
        archive_bodies=not safety.no_archive_bodies,
        allow_reports=safety.allow_reports,
        park=safety.park,
        max_requeues=(safety.max_requeues or DEFAULT_MOST) if requeues else None,
        rate_per_s=parse_rate(rate, what="--rate") if rate else None,
        max_errors=1 if safety.fail_fast else safety.max_errors,
    )


@contextmanager
def conduct_of(app: AppContext) -> Iterator[Conduct]:
    """How acts are carried out here: journal, signals, progress on standard error."""
    from mqtriage.formatters.progress import progress_on
    from mqtriage.operations.act_context import Conduct

    with progress_on(
        app.stderr, is_tty=app.terminals.stderr, colour=app.colour_stderr, quiet=app.output.quiet
    ) as show:
        yield Conduct(journal_of(app), app.should_stop, lambda op: tell_op(app, op), show)


@contextmanager
def planning(app: AppContext) -> Iterator[Callable[[int], None]]:
    """Show how a plan grows, on standard error."""
    from mqtriage.formatters.progress import browsed_text, progress_on
    from mqtriage.operations.act_context import Progress

    with progress_on(
        app.stderr,
        is_tty=app.terminals.stderr,
        colour=app.colour_stderr,
        quiet=app.output.quiet,
        text=browsed_text,
    ) as show:
        yield lambda chosen: show(Progress(chosen, 0, 0))


def tell_op(app: AppContext, op: str) -> None:
    """Name the operation, so that it can be resumed or undone whatever happens."""
    app.say(f"operation {op}")


def note_loops(app: AppContext, plan: Plan, request: ActRequest) -> None:
    """Say in *plan* which messages the loop guard leaves."""
    if request.max_requeues is None:
        return
    from contextlib import closing

    from mqtriage.operations import requeue_counts

    with closing(requeue_counts.RequeueCounts(journal_of(app))) as counts:
        requeue_counts.note_loops(plan, counts, request.max_requeues, request.park)


def run(
    app: AppContext,
    backend: Backend,
    safety: Guards,
    request: ActRequest,
    plan: Plan,
    severity: Severity = Severity.ASK,
) -> None:
    """Show a plan, ask, act through the journal, report."""
    from mqtriage.cli.frame.act_flow import act
    from mqtriage.operations.carry_out import act as carry_out

    def execute() -> Report:
        with conduct_of(app) as conduct:
            return carry_out(backend, request, plan, conduct)

    act(app, plan, safety, execute, severity=severity, save=saver(backend, request, [plan]))


def run_groups(
    app: AppContext, backend: Backend, safety: Guards, request: ActRequest, plan: GroupedPlan
) -> None:
    """The same for messages that each have a queue of their own to go to."""
    from mqtriage.cli.frame.act_flow import act
    from mqtriage.operations.grouped_requeue import carry_out_groups

    note_loops(app, plan.whole, request)

    def execute() -> Report:
        with conduct_of(app) as conduct:
            return carry_out_groups(backend, request, plan, conduct)

    act(app, plan.whole, safety, execute, save=saver(backend, request, plan.parts))


def saver(backend: Backend, request: ActRequest, parts: Sequence[Plan]) -> Callable[[str], None]:
    """Writes the plan to the file that `--plan` names."""

    def save(file: str) -> None:
        from mqtriage.operations.carry_out import stored_plan
        from mqtriage.operations.plan_file import write_plan

        write_plan(Path(file), stored_plan(backend, request, parts))

    return save


def load(app: AppContext, backend: Backend, safety: Safety, request: LoadRequest) -> None:
    """Plan the puts of a file, show, ask, put through the journal, report."""
    from mqtriage.cli.frame.act_flow import act
    from mqtriage.operations import load_puts
    from mqtriage.operations.load import plan_load

    planned = plan_load(backend, request)

    def execute() -> Report:
        with conduct_of(app) as conduct:
            return load_puts.load(backend, request, planned, conduct)

    act(app, planned.plan, safety, execute)
