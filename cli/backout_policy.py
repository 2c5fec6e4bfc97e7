"""`mqtriage backout ls|show|set|unset`: options, help and examples.

The work is in definitions/backout_policy.py and commands/backout/changes.py.
"""

from __future__ import annotations

from typing import Annotated

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Consent, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError

Name = Annotated[str, typer.Argument(metavar="QUEUE", help="Local queue, or an alias of one.")]


@takes(Connection, Output)
def ls(
    app: AppContext,
    pattern: Annotated[
        str | None,
        typer.Argument(metavar="PATTERN", help="Name or generic name; default: all but SYSTEM.*"),
    ] = None,
    problems: Annotated[
        bool, typer.Option("--problems", help="Only those that are neither ok nor off.")
    ] = False,
) -> None:
    """List queues with their backout settings.

    STATE is ok, off (neither is set), half (one of BOTHRESH and BOQNAME), broken (the put to the
    backout queue fails), shared (another queue uses it) or loop. Nothing is browsed.

    Examples:
        mqtriage backout ls
        mqtriage backout ls 'ORDERS.*' --problems --wide
    """
    from mqtriage.definitions.backout_policy import ls as list_settings

    with app.open_backend(read_only=True) as backend:
        app.emit(list_settings(backend, pattern, problems=problems))


@takes(Connection, Output)
def show(app: AppContext, name: Name) -> None:
    """Show the backout settings of one queue.

    Examples:
        mqtriage backout show ORDERS.IN
        mqtriage backout show ORDERS.IN -o json
    """
    from mqtriage.definitions.backout_policy import show as show_setting

    with app.open_backend(read_only=True) as backend:
        app.emit(show_setting(backend, name))


@takes(Consent, Connection, Output)
def set_policy(
    app: AppContext,
    safety: Consent,
    name: Name,
    threshold: Annotated[
        str | None,
        typer.Option("--threshold", metavar="N", help="BOTHRESH: rollbacks; 0 turns it off."),
    ] = None,
    boq: Annotated[
        str | None, typer.Option("--boq", metavar="QUEUE", help="BOQNAME; '' clears it.")
    ] = None,
    create_boq: Annotated[
        bool, typer.Option("--create-boq", help="Define the backout queue if it is not there.")
    ] = False,
    like: Annotated[
        str | None,
        typer.Option("--like", metavar="QUEUE", help="Define it like this one; default: QUEUE."),
    ] = None,
    from_analysis: Annotated[
        str | None,
        typer.Option(
            "--from-analysis", metavar="FILE", help="Take BOTHRESH from analyze cohort -o json."
        ),
    ] = None,
    mqsc: Annotated[bool, typer.Option("--mqsc", help="Print the MQSC and do nothing.")] = False,
) -> None:
    """Set BOTHRESH and BOQNAME of a queue.

    An alias is followed to the queue that holds the messages. Warns of a backout queue that is
    missing, closed for puts, too small, the dead-letter queue or the queue itself.

    Examples:
        mqtriage backout set ORDERS.IN --threshold 3 --boq ORDERS.BO --create-boq --yes
        mqtriage backout set ORDERS.IN --threshold 5 -n
        mqtriage backout set ORDERS.IN --from-analysis cohort.json -n
        mqtriage backout set ORDERS.IN --threshold 3 --boq ORDERS.BO --mqsc
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.frame.definition_flow import change_definition, print_mqsc
    from mqtriage.commands.backout.changes import plan_set
    from mqtriage.definitions.change import carry_out

    with app.open_backend() as backend:
        if from_analysis is not None:
            from mqtriage.commands.backout.measured import threshold_from

            if threshold is not None:
                raise UsageError("--from-analysis does what --threshold does; give one")
            threshold = threshold_from(from_analysis, backend.queue_manager, name)
        change = plan_set(
            readonly(backend),
            name,
            threshold=threshold,
            boq=boq,
            create_boq=create_boq,
            like=like or "",
        )
        if mqsc:
            nothing = f"* unchanged: {change.plan.queue} already is as asked"
            print_mqsc(app, change, "\n".join(change.plan.mqsc) or nothing)
            return
        change_definition(app, change, safety, lambda: carry_out(backend, change))


@takes(Consent, Connection, Output)
def unset(app: AppContext, safety: Consent, name: Name) -> None:
    """Turn poison handling of a queue off.

    Sets BOTHRESH(0) BOQNAME(' ').

    Examples:
        mqtriage backout unset ORDERS.IN --yes
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.frame.definition_flow import change_definition
    from mqtriage.commands.backout.changes import plan_unset
    from mqtriage.definitions.change import carry_out

    with app.open_backend() as backend:
        change = plan_unset(readonly(backend), name)
        change_definition(app, change, safety, lambda: carry_out(backend, change))
