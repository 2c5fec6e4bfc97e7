"""`mqtriage qmgr`: options, help and examples; the work is in commands/qmgr/queue_manager.py."""

from __future__ import annotations

import time

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import duration


@takes(Connections, Output)
def show(app: AppContext) -> None:
    """Show the queue manager's attributes.

    Examples:
        mqtriage qmgr show
        mqtriage qmgr show -m QM1 -o json
        mqtriage qmgr show -o mqsc
    """
    from mqtriage.commands.qmgr.queue_manager import show as show_queue_manager

    app.emit_from(show_queue_manager)


@takes(ConnectionOptions, Output)
def ping(
    app: AppContext,
    wait: int = duration(help="How long the command server may take.", default="5s", least_ms=1),
) -> None:
    """Ask whether the queue manager answers.

    Connects, has the command server carry out PING QMGR, and reports how long each took. Exit
    codes: 0 it answers, 6 not authorised, 7 it cannot be reached, 1 it says something else or
    its command server does not answer in time.

    Examples:
        mqtriage qmgr ping
        mqtriage qmgr ping -m QM1 --backend mq -o json
        mqtriage qmgr ping --backend mq --wait 500ms
    """
    from mqtriage.commands.qmgr.queue_manager import ping as ping_queue_manager

    began_ns = time.monotonic_ns()
    app.emit_from(ping_queue_manager, began_ns, wait)
