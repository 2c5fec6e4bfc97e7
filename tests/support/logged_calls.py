"""The log of MQI calls as it stands in the file of an emulated queue manager."""

from __future__ import annotations

from typing import NamedTuple

from mqtriage.emulator.core.manager import Manager


class Call(NamedTuple):
    """One MQI call that was written down."""

    user: str
    verb: str
    object: str
    options: int
    detail: str


def calls(manager: Manager, name: str = "") -> list[Call]:
    """What was written down, oldest first; of one object where *name* is given."""
    rows = manager.store.execute("SELECT user, verb, object, options, detail FROM call ORDER BY id")
    return [call for call in (Call(*row) for row in rows) if name in ("", call.object)]


def clear(manager: Manager) -> None:
    """Forget the calls so far."""
    with manager.writing():
        manager.store.execute("DELETE FROM call")
