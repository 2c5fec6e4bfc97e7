"""`mqtriage emulator lab rollback|consume|...|switch`: poison, faults and data to try things on."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

from mqtriage.cli.emulator.administration import chosen
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import FORMAT, ConnectionOptions, Consent, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.emulator.requests import ConsumeRequest
from mqtriage.model.options import (
    REQUIRED,
    argument,
    arguments,
    decimal,
    duration,
    flag,
    number,
    text,
)
from mqtriage.model.output_forms import IDS, MQSC


@takes(ConnectionOptions, Output, name="lab rollback")
def rollback(
    app: AppContext,
    queue: str = argument(help="Queue to get from.", completes="queue"),
    times: int = number(help="Number of rollbacks.", default=1, minimum=None),
    msgid: str | None = text(metavar="ID", help="Roll back this message. Default: the first one."),
) -> None:
    """Roll back a message to turn it into a poison message.

    Examples:
        mqtriage emulator lab rollback ORDERS.IN --times 3
        mqtriage emulator lab rollback ORDERS.IN --times 3 -m QM1
    """
    from mqtriage.commands.emulator import admin as emulator_admin
    from mqtriage.commands.emulator import content as emulator_content
    from mqtriage.operations.selection.whole_ids import whole_msg_id

    app.output.refuse_forms(MQSC)
    qmgr = chosen(app, None)
    app.target.refuse_guarded("rolling back a message on")
    with emulator_admin.connected(app.target.home(), qmgr, app.run.say) as backend:
        msg_id = None if msgid is None else whole_msg_id(backend, queue, msgid)
        app.output.emit(emulator_content.roll_back(backend, queue, times, msg_id))


@takes(Consent, ConnectionOptions, Output, name="lab consume")
def consume(
    app: AppContext,
    safety: Consent,
    *,
    queue: str = argument(help="Queue to consume from.", completes="queue"),
    request: ConsumeRequest,
) -> None:
    """Run a simulated consumer, to see where messages go.

    The consumer gets messages in the same way as a JMS client, an application server (asf), an MQI
    program or a message flow (flow is MQInput, flow-jms is JMSInput). It fails on the messages that
    you choose, and lists each delivery, rollback and move with its reason. It actually consumes and
    moves messages, but only on an emulated queue manager. Without --fail-when and --rollback, it
    processes every message successfully.

    --as also accepts keys. The JMS classes accept transacted and client-version=9.1.0.1.
    poison-discard=any or np-only sets which messages are lost if they cannot be put on either
    queue. handling=off makes an mqi program or a flow ignore BackoutCount. A flow also accepts
    node-retry=N (default: BOTHRESH) and failure-terminal=ok, fail or none. failure-limit=1x or 2x
    sets how many times it tries the Failure terminal.

    Examples:
        mqtriage emulator lab consume ORDERS.IN --as jms-sync,transacted --rollback 9 --yes
        mqtriage emulator lab consume ORDERS.IN --as flow --fail-when "format = 'MQHRF2'" --yes
        mqtriage emulator lab consume ORDERS.IN --as asf --fail-when "body.amount < 0" -n
    """
    from mqtriage.cli.frame.act_flow import act
    from mqtriage.cli.frame.recording import unrecorded
    from mqtriage.commands.emulator import consume as command
    from mqtriage.commands.emulator.admin import connected

    qmgr = chosen(app, None)
    if not safety.dry_run:
        app.target.refuse_guarded("consuming messages on")
    with connected(app.target.home(), qmgr, app.run.say) as backend:
        plan = command.plan(backend, queue, request)
        work = partial(command.consume, backend, queue, request, app.run.should_stop)
        act(app, plan, safety, work, record=unrecorded)


@takes(Output, name="lab simulate")
def simulate(
    app: AppContext,
    out: str = text(
        metavar="DIR",
        help="A new folder for snapshots and truth.json.",
        default=REQUIRED,
        completes="file",
        reads="place",
    ),
    days: float = decimal(metavar="N", help="Length of the simulation.", default=30),
    qmgrs: int = number(
        help="Number of queue managers: SIM01, SIM02 ...", default=20, minimum=None
    ),
    seed: int = number(help="The same seed produces the same month.", default=1, minimum=None),
    rate: int = number(help="Messages per queue manager and day.", default=1700, minimum=None),
    interval: int = duration(help="Time between snapshots.", default="10m"),
    start: str = text(
        metavar="T", help="Start of the month; preferably a Monday.", default="2026-01-05T00:00:00Z"
    ),
    full: bool = flag(help="Take full snapshots, not incremental ones."),
    file_format: str = FORMAT,
    jobs: int | None = number(
        help="Queue managers to simulate in parallel. Default: the number of processors.",
        minimum=None,
    ),
) -> None:
    """Simulate a month of load, and record what happened.

    Applications put, delay and consume messages on emulated queue managers. The load depends on the
    hour and weekday, and has bursts. At some point, a software release causes poison messages, a
    consumer is stuck, a staging queue is too small, and a batch job uses a delay of 30 days.
    truth.json records where and when this happens, the peak number of staged messages, and the
    expired messages.

    Examples:
        mqtriage emulator lab simulate --days 2 --qmgrs 3 --seed 7 --out /tmp/sim
        mqtriage emulator lab simulate --days 30 --qmgrs 20 --interval 10m --out /tmp/month
    """
    from mqtriage.commands.emulator import simulate as simulation
    from mqtriage.model.times import parse_time_us
    from mqtriage.pipeline.snapshots.files import form_of

    app.output.refuse_forms(IDS, MQSC)
    request = simulation.SimulateRequest(
        days=days,
        queue_managers=qmgrs,
        seed=seed,
        rate=rate,
        every_us=interval * 1000,
        start_us=parse_time_us(start, time.time_ns() // 1000, what="--start", say=app.run.remark),
        out=Path(out),
        form=form_of(file_format),
        incremental=not full,
        processes=jobs if jobs is not None else os.cpu_count() or 1,
    )
    simulation.check(request)
    app.output.emit(simulation.simulate(request, app.run.say))


@takes(ConnectionOptions, Output, name="lab switch")
def switch(
    app: AppContext,
    assignments: tuple[str, ...] = arguments(
        "[NAME=VALUE]...", help="Switches to set. Default: show all."
    ),
) -> None:
    """Show or set the switches of an emulated queue manager.

    Switches select an interpretation of IBM's documentation, or deliberately cause faults: in puts
    to a queue, in the dead-letter queue, or in the delivery delay processor. An empty value ends a
    fault.

    Examples:
        mqtriage emulator lab switch -m QM1
        mqtriage emulator lab switch -m QM1 fault.put.ORDERS.BO=2053
        mqtriage emulator lab switch -m QM1 fault.put.ORDERS.BO= expirer_interval_s=off
        mqtriage emulator lab switch -m QM1 mq_version=7.1
    """
    from mqtriage.commands.emulator import admin as emulator_admin
    from mqtriage.commands.emulator import switches as emulator_switches

    qmgr = chosen(app, None)
    if assignments:
        app.target.refuse_guarded("setting switches of")
    with emulator_admin.opened(app.target.home(), qmgr, app.run.say) as manager:
        if assignments:
            app.output.emit_done(emulator_switches.set_switches(manager, assignments))
        else:
            app.output.emit(emulator_switches.listing(manager))
