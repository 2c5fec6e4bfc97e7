"""`mqtriage backout requeue --to origin`; the work is in commands/backout/origin_requeue.py."""

from __future__ import annotations

from mqtriage.cli.frame import message_flow as journalled
from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Guards, SelectionOptions


def requeue_to_origin(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str,
    copies: choosing.Copies,
) -> None:
    """Plan each message's way back over a read-only connection, show, ask, act, report."""
    from mqtriage.backends.registry import readonly
    from mqtriage.commands.backout.origin_requeue import plan_origins
    from mqtriage.operations.plan import ActRequest
    from mqtriage.operations.selection import refuse_expiry_effects

    options = copies.options(safety.reports)
    which = choosing.chosen(app, selection, writes=True)
    refuse_expiry_effects(queue, safety.no_expiry_effects)
    request = ActRequest("requeue", queue, copy=options)
    request = journalled.guarded(app, safety, request, requeues=True)
    with app.open_backend() as backend:
        plan = plan_origins(readonly(backend), request, which)
        journalled.run_groups(app, backend, safety, request, plan)
