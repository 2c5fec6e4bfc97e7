"""`mqtriage backout requeue --to origin`; the work is in commands/origin_requeue.py."""

from __future__ import annotations

from mqtriage.cli import choosing
from mqtriage.cli.context import AppContext
from mqtriage.cli.options import Safety, SelectionOptions


def requeue_to_origin(
    app: AppContext,
    selection: SelectionOptions,
    safety: Safety,
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
    request = ActRequest(
        "requeue",
        queue,
        copy=options,
        batch=safety.batch,
        archive=choosing.archive_folder(app, safety),
        allow_reports=safety.allow_reports,
    )
    with app.open_backend() as backend:
        plan = plan_origins(readonly(backend), request, which)
        act(
            app,
            plan.whole,
            safety,
            lambda: requeue_to_origins(backend, request, plan, app.should_stop),
        )
