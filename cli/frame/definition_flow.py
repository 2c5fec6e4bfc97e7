"""The flow of verbs that change definitions: `act_flow.act`, and "unchanged" the second time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from mqtriage.cli.frame.act_flow import Nothing, Severity, act, decide
from mqtriage.cli.frame.options import Consent
from mqtriage.definitions.change import unchanged
from mqtriage.model.output_forms import MQSC
from mqtriage.model.result import Document, Report

if TYPE_CHECKING:
    from mqtriage.cli.frame.context import AppContext
    from mqtriage.definitions.change import Change


def change_definition(
    app: AppContext,
    change: Change,
    safety: Consent,
    execute: Callable[[], Report],
    *,
    severity: Severity = Severity.ASK,
) -> None:
    """Show the plan, ask, carry it out and report; say "unchanged" where nothing differs.

    Raises:
        Refused: A guard or the user said no (exit 8).
    """
    decision = decide(change.plan, safety, is_tty=app.interactive, severity=severity)
    if isinstance(decision, Nothing):
        app.emit(unchanged(change))
        return
    act(app, change.plan, safety, execute, severity=severity)


def print_mqsc(app: AppContext, change: Change, mqsc: str) -> None:
    """`--mqsc`: write the commands to standard output and do nothing.

    Raises:
        Refused: What the commands would do is refused (exit 8).
    """
    from mqtriage.mq.errors import Refused

    for text, hint in change.plan.refusals:
        raise Refused(text, hint=hint or None, object_name=change.plan.queue)
    if app.output.form is None:
        app.output = replace(app.output, form=MQSC)
    data = {"action": change.plan.action, "queue": change.plan.queue, "mqsc": mqsc}
    app.emit(Document("Mqsc", data, warnings=list(change.plan.warnings), mqsc=mqsc))
