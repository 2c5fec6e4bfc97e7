"""`mqtriage emulator consume`: options, help and examples."""

from __future__ import annotations

from typing import Annotated

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Consent, Output
from mqtriage.cli.frame.verb import takes


@takes(Consent, Connection, Output)
def consume(
    app: AppContext,
    safety: Consent,
    queue: Annotated[str, typer.Argument(metavar="QUEUE", help="Queue to consume from.")],
    profile: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="KIND",
            help="jms-sync, jms-async, asf, mqi, flow (MQInput) or flow-jms (JMSInput).",
        ),
    ],
    transacted: Annotated[
        bool, typer.Option("--transacted", help="A transacted JMS session.")
    ] = False,
    fail_when: Annotated[
        str | None,
        typer.Option(
            "--fail-when",
            metavar="EXPR",
            help="Fail on messages that this is true of; the language of --where.",
        ),
    ] = None,
    rollback: Annotated[
        int | None,
        typer.Option("--rollback", metavar="N", help="Fail N times on a message, then process it."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", help="Deliveries and moves at most.")
    ] = 100,
    client_version: Annotated[
        str,
        typer.Option(
            "--client-version", metavar="V.R.M.F", help="Of the JMS classes: 9.1.0.1, 9.1.2."
        ),
    ] = "9.4",
    poison_discard: Annotated[
        str | None,
        typer.Option(
            "--poison-discard",
            metavar="any|np-only",
            help="What is lost when both queues refuse. Default: any; asf: np-only.",
        ),
    ] = None,
    handling: Annotated[
        str,
        typer.Option(
            "--handling",
            metavar="on|off",
            help="off: an mqi program or flow that ignores BackoutCount.",
        ),
    ] = "on",
    node_retry: Annotated[
        int | None,
        typer.Option(
            "--node-retry", metavar="N", help="Attempts of the flow. Default: BOTHRESH, 0 as 1."
        ),
    ] = None,
    failure_terminal: Annotated[
        str,
        typer.Option(
            "--failure-terminal", metavar="ok|fail|none", help="What the flow's Failure leads to."
        ),
    ] = "none",
    failure_limit: Annotated[
        str,
        typer.Option(
            "--failure-limit",
            metavar="1x|2x",
            help="Until how many times the attempts Failure is tried.",
        ),
    ] = "1x",
) -> None:
    """Run a simulated consumer, to see where messages end.

    It gets messages as a JMS client, an application server (asf), an MQI program or a message flow
    does, fails where you say, and lists each delivery, rollback and move with its reason. Messages
    are really consumed and moved, on the emulated queue manager alone.
    Without --fail-when and --rollback every message is processed.

    Examples:
        mqtriage emulator consume ORDERS.IN --as jms-sync --transacted --rollback 9 --yes
        mqtriage emulator consume ORDERS.IN --as flow --fail-when "format = 'MQHRF2'" --yes
        mqtriage emulator consume ORDERS.IN --as asf --fail-when "body.amount < 0" -n
    """
    from mqtriage.cli.emulator import chosen
    from mqtriage.cli.frame.act_flow import act
    from mqtriage.commands.emulator import consume as command
    from mqtriage.commands.emulator.admin import connected
    from mqtriage.mq.errors import UsageError

    if handling not in ("on", "off"):
        raise UsageError(f"--handling {handling[:40]}: expected on, off")
    request = command.ConsumeRequest(
        profile=profile,
        transacted=transacted,
        fail_when=fail_when,
        rollback=rollback,
        limit=limit,
        client_version=client_version,
        handling=handling == "on",
        node_retry=node_retry,
        failure_terminal=failure_terminal,
        failure_limit=failure_limit,
        poison_discard=poison_discard,
    )
    with connected(app.home(), chosen(app, None), app.say) as backend:
        plan = command.plan(backend, queue, request)
        act(
            app,
            plan,
            safety,
            lambda: command.consume(backend, queue, request, app.should_stop),
        )
