"""`mqtriage qmgr`: options, help and examples; the work is in commands/queue_manager.py."""

from __future__ import annotations

from mqtriage.cli.context import AppContext
from mqtriage.cli.options import Connection, Output, takes


@takes(Connection, Output)
def show(app: AppContext) -> None:
    """Show the queue manager's attributes.

    Examples:
        mqtriage qmgr show
        mqtriage qmgr show -m QM1 -o json
        mqtriage qmgr show -o mqsc
    """
    from mqtriage.commands.queue_manager import show as show_queue_manager

    with app.open_backend(read_only=True) as backend:
        app.emit(show_queue_manager(backend))
