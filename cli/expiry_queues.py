"""`mqtriage expiry status|sweep`: options, help and examples; see commands/expiry/queues.py."""

from __future__ import annotations

from typing import Annotated

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Output, Safety
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import Refused, UsageError


@takes(Connection, Output)
def status(
    app: AppContext,
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="Name or generic name: 'ORDERS.*'.")
    ] = "*",
    scan: Annotated[
        bool, typer.Option("--scan", help="Count by browsing, which discards what has expired.")
    ] = False,
) -> None:
    """Show what will expire on which queue.

    CURDEPTH is VISIBLE + UNCOMMITTED + COUNTED_NOT_VISIBLE: what has expired counts until a get or
    a browse meets it. Without --scan nothing is browsed.

    Examples:
        mqtriage expiry status 'ORDERS.*'
        mqtriage expiry status PAYMENTS.REPLY --scan
    """
    from mqtriage.commands.expiry.queues import status as expiry_status

    with app.open_backend(read_only=True) as backend:
        app.emit(expiry_status(backend, pattern, scan=scan))


@takes(Safety, Connection, Output)
def sweep(
    app: AppContext,
    safety: Safety,
    queue: Annotated[str, typer.Argument(metavar="QUEUE", help="Queue to walk through.")],
    expect_max: Annotated[
        int | None,
        typer.Option(
            "--expect-max", metavar="N", min=0, help="Refuse if more than N might be discarded."
        ),
    ] = None,
) -> None:
    """Make the queue manager discard what expired.

    Walks the whole queue by browse. What has expired can be neither seen nor archived, so this is
    planned from CURDEPTH alone and cannot be undone; the queue manager sends the expiration
    reports that were asked for. -n changes nothing at all.

    Examples:
        mqtriage expiry sweep ORDERS.REPLY -n
        mqtriage expiry sweep ORDERS.REPLY --expect-max 500 --yes
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.frame.act_flow import Nothing, act, decide
    from mqtriage.commands.expiry import queues as expiry_queues

    if safety.expect is not None:
        raise UsageError(
            "expiry sweep cannot know how many have expired", hint="--expect-max N is its guard"
        )
    if safety.no_expiry_effects:
        raise Refused("expiry sweep is a browse, which --no-expiry-effects refuses")
    with app.open_backend() as backend:
        reader = readonly(backend)
        plan = expiry_queues.plan_sweep(reader, queue, expect_max=expect_max)
        if isinstance(decide(plan, safety, is_tty=app.interactive), Nothing):
            app.emit(expiry_queues.swept_nothing(plan))
            return
        if expect_max is None and not safety.dry_run and app.settings.flag("protected"):
            raise Refused(
                f"sweep {plan.queue} in a protected context needs --confirm {plan.queue} and "
                f"--expect-max {plan.facts['discards_at_most']}",
                hint="look with --dry-run first",
                object_name=plan.queue,
            )
        act(app, plan, safety, lambda: expiry_queues.sweep(reader, plan, app.should_stop))
