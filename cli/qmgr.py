"""`mqtriage qmgr`: options, help and examples; the work is in commands/qmgr/queue_manager.py."""

from __future__ import annotations

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connections, Output
from mqtriage.cli.frame.verb import takes


@takes(Connections, Output)
def show(app: AppContext) -> None:
    """Show the queue manager's attributes.

    Examples:
        mqtriage qmgr show
        mqtriage qmgr show -m QM1 -o json
        mqtriage qmgr show -o mqsc
    """
    from mqtriage.commands.qmgr.queue_manager import show as show_queue_manager

    app.emit_read(show_queue_manager)
