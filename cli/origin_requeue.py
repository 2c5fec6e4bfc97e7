"""`mqtriage backout requeue --to origin`; the work is in commands/origin_requeue.py."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mqtriage.cli import choosing, journalled
from mqtriage.cli.context import AppContext
from mqtriage.cli.options import Guards, SelectionOptions

if TYPE_CHECKING:
    from mqtriage.model.result import Report


def requeue_to_origin(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str,
    *,
    new_msgid: bool,
    expiry: str,
    headers: str,
    message_context: str,
) -> None:
    """Plan each message's way back over a read-only connection, show, ask, act, report."""
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.acting import act
    from mqtriage.commands.act_copies import read_copy_options
    from mqtriage.commands.act_plan import ActRequest
    from mqtriage.commands.origin_requeue import plan_origins, requeue_to_origins
    from mqtriage.commands.selecting import refuse_expiry_effects

    options = read_copy_options(
        new_msg_id=new_msgid,
        expiry=expiry,
        headers=headers,
        reports=safety.reports,
        message_context=message_context,
    )
    which = choosing.chosen(app, selection, writes=True)
    refuse_expiry_effects(queue, safety.no_expiry_effects)
    request = journalled.guarded(
        app, safety, ActRequest("requeue", queue, copy=options, target=queue), requeues=True
    )
    request = replace(request, target=None)
    with app.open_backend() as backend:
        plan = plan_origins(readonly(backend), request, which)
        journalled.note_loops(app, plan.whole, request)

        def execute() -> Report:
            with journalled.conduct_of(app) as conduct:
                return requeue_to_origins(backend, request, plan, conduct)

        act(
            app,
            plan.whole,
            safety,
            execute,
            save=journalled.saver(backend, request, plan.parts),
        )
