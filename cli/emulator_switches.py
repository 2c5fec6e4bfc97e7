"""`mqtriage emulator switch`: options, help and examples."""

from __future__ import annotations

from typing import Annotated

import typer

from mqtriage.cli.emulator import chosen
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Output
from mqtriage.cli.frame.verb import takes


@takes(Connection, Output)
def switch(
    app: AppContext,
    assignments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=VALUE]...", help="Switches to set; none: show them."),
    ] = None,
) -> None:
    """Show or set the switches of an emulated queue manager.

    Switches choose between readings of the documents and make things fail on purpose: puts to a
    queue, the dead-letter queue, the delivery delay processor. An empty value ends a fault.

    Examples:
        mqtriage emulator switch -m QM1
        mqtriage emulator switch -m QM1 fault.put.ORDERS.BO=2053
        mqtriage emulator switch -m QM1 fault.put.ORDERS.BO= expirer_interval_s=off
        mqtriage emulator switch -m QM1 mq_version=7.1
    """
    from mqtriage.commands.emulator import admin as emulator_admin
    from mqtriage.commands.emulator import switches as emulator_switches

    with emulator_admin.opened(app.home(), chosen(app, None), app.say) as manager:
        if assignments:
            app.emit(emulator_switches.set_switches(manager, assignments))
        else:
            app.emit(emulator_switches.listing(manager))
