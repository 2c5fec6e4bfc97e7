"""What MQSC commands take away, and so whose name has to be given before they are run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mqtriage.mq.mqsc.tree import Command

_TAKING_AWAY: Final = ("CLEAR", "DELETE")


def takes_away(command: Command) -> bool:
    """Whether it removes messages, an object or a record."""
    action = command.value("ACTION") if command.noun == "CHLAUTH" else None
    return command.verb in _TAKING_AWAY or (action or "").upper().startswith("REMOVE")


def name_to_confirm(commands: Iterable[Command], queue_manager: str) -> str:
    """The one object that something is taken from, else the queue manager; "" for a plain yes."""
    names = {(c.noun, c.named()) for c in commands if takes_away(c)}
    if len(names) == 1:
        return next(iter(names))[1] or queue_manager
    return queue_manager if names else ""
