"""The flow of verbs that change definitions: `act_flow.act`, and "unchanged" the second time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mqtriage.backends.registry import readonly
from mqtriage.cli.frame.act_flow import Nothing, act, agreed, decide, guard_words
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.options import Consent
from mqtriage.cli.frame.recording import as_change, change_entry
from mqtriage.definitions.change import carry_out, unchanged
from mqtriage.definitions.way_back import Touched
from mqtriage.model.output_forms import MQSC
from mqtriage.model.result import Document, Report
from mqtriage.mq.errors import Refused

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.cli.frame.context import AppContext
    from mqtriage.definitions.change import Change
    from mqtriage.definitions.plan import DefinitionPlan


def change_definition(
    app: AppContext,
    safety: Consent,
    plan: Callable[[Backend], Change],
    *,
    execute: Callable[[Backend, Change], Report] = carry_out,
    mqsc: Callable[[Change], str] | None = None,
) -> None:
    """Plan, show the plan, ask, enter it in the journal, carry it out and report.

    Where nothing differs it says "unchanged".

    Args:
        plan: makes the change from a backend that can only be read.
        mqsc: for `--mqsc`: the text that is printed, and nothing is done.

    Raises:
        Refused: A guard or the user said no (exit 8).
    """
    with app.target.open_backend() as backend:
        change = plan(readonly(backend))
        if mqsc is not None:
            for text, hint, _ in change.plan.refusals:
                raise Refused(text, hint=hint or None, object_name=change.plan.queue)
            if app.output.options.form is None:
                app.output.options = replace(app.output.options, form=MQSC)
            text = mqsc(change)
            data = {"action": change.plan.action, "queue": change.plan.queue, "mqsc": text}
            app.output.emit(Document("Mqsc", data, warnings=list(change.plan.warnings), mqsc=text))
            return
        if isinstance(decide(change.plan, safety, is_tty=app.run.interactive), Nothing):
            app.output.emit(unchanged(change))
            return
        touched = tuple(Touched(step.kind, step.name) for step in change.steps)
        record = as_change(app, backend, touched)
        act(app, change.plan, safety, partial(execute, backend, change), record=record)


def apply_plan(
    app: AppContext,
    backend: Backend,
    planned: DefinitionPlan,
    safety: Consent,
    *,
    undoes: str = "",
    act_name: str = "",
    resumes: str = "",
    origin_text: str | None = None,
    maker: str | None = None,
    file: str = "",
) -> bool:
    """Show a plan of definitions, ask, enter it in the journal, carry it out and report.

    Each command is in the journal as soon as it is done.

    Args:
        undoes: the operation that it takes back, and *act_name* what that did.
        resumes: the operation that it goes on with.
        origin_text: what a plan *file* says of who made it and from what, and *maker* who that is;
            None where it is not from a file.

    Returns:
        Whether all is as planned now.

    Raises:
        Refused: A guard or the user said no, or somebody changed what the plan is about while the
            question was asked (exit 8).
        MQTriageError: Nothing was done, and this is why.
    """
    from mqtriage.definitions import plan as work
    from mqtriage.definitions.saved_plan import changed_since, stale_text, touched

    if not planned.changes and not planned.difference.refusals:
        for text in planned.difference.notes:
            app.run.say(text)
        app.output.emit(work.unchanged(planned))
        return not safety.dry_run
    doing = "undo changes of" if undoes else "apply"
    plan = work.consent_plan(planned, doing)
    if undoes:
        plan.facts = {"operation": undoes, "act": act_name, **plan.facts}
    if resumes:
        plan.facts |= {"operation": resumes}
    plan.maker, plan.file, plan.is_released = maker, file, bool(undoes or resumes)
    if origin_text is not None:
        plan.facts |= {"made": origin_text}
    if not agreed(app, plan, safety):
        return False
    action = "undo" if undoes else "resume" if resumes else ""
    backs = tuple(change.back for change in planned.changes)
    recorded = change_entry(
        app,
        backend,
        plan,
        touched(planned),
        action=action,
        undoes=undoes,
        backs=backs,
        origin_text=origin_text or "",
    )
    with app.run.finishing_batches(), recorded as entry:
        now = entry.change.before
        moved = changed_since(planned.live, now, planned.changes) if now is not None else []
        if moved:
            raise Refused(stale_text(moved), hint="check it, and try again")
        report = work.apply(backend, planned, doing, entry.advance)
        entry.error, entry.in_doubt = report.failure, report.in_doubt
        if report.failure is not None and not report.details["mqsc"]:
            raise report.failure
        report.op = entry.op
    app.output.emit(report, shown=plan.warnings)
    if report.failure is not None:
        from mqtriage.formatters.errors import error_text

        op = f"{report.op}{guard_words(app, None)}"
        hint = f"mqtriage journal undo {op} reverses the others, journal resume {op} continues"
        report.failure.hint = hint
        text = error_text(report.failure, colour=app.run.colour_stderr)
        app.run.tell_error(report.failure, ExitCode.PARTLY_DONE, "", text)
        app.run.note(ExitCode.PARTLY_DONE)
    return report.failure is None
