"""The log of MQI calls: who opened or inquired what, with which options.

Off unless the switch `call_log` is on; then every MQOPEN, MQPUT1, MQINQ and MQCLOSE of an emulated
program, and every MQOPEN of the queue manager itself, is one row of the file (DD-40, DD-50).
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core.manager import Manager
from mqtriage.mq.records import NamedTuple

SWITCH: Final = "call_log"
QUEUE_MANAGER: Final = "(queue manager)"
"""The user of a call that the queue manager makes for itself."""


class Call(NamedTuple):
    """One MQI call.

    Attributes:
        at_us: when, microseconds since 1970 UTC.
        user: who; `QUEUE_MANAGER` for a call of its own.
        options: MQOO_* or MQPMO_* bits.
        detail: what the options do not say: the attributes inquired.
    """

    at_us: int
    user: str
    application: str
    verb: str
    object: str
    options: int
    detail: str


def is_on(manager: Manager) -> bool:
    """Whether calls are written down; callers ask before they build the row."""
    return manager.switches.get(SWITCH) == "on"


def note(
    manager: Manager,
    user: str,
    application: str,
    verb: str,
    name: str,
    options: int = 0,
    detail: str = "",
    *,
    now_us: int | None = None,
) -> None:
    """Write a call down.

    Args:
        now_us: the time of the transaction that is open; None begins one for this row alone.
    """
    if now_us is not None:
        _insert(manager, Call(now_us, user, application, verb, name, options, detail))
        return
    with manager.writing() as now:
        _insert(manager, Call(now, user, application, verb, name, options, detail))


def _insert(manager: Manager, call: Call) -> None:
    manager.store.execute(
        "INSERT INTO call (at_us, user, application, verb, object, options, detail)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        call,
    )


def calls(manager: Manager, name: str = "") -> list[Call]:
    """What was written down, oldest first; of one object where *name* is given."""
    where, values = ("WHERE object = ? ", (name,)) if name else ("", ())
    rows = manager.store.execute(
        "SELECT at_us, user, application, verb, object, options, detail FROM call"
        f" {where}ORDER BY id",
        values,
    )
    return [Call(*row) for row in rows]


def clear(manager: Manager) -> None:
    """Forget the calls so far."""
    with manager.writing():
        manager.store.execute("DELETE FROM call")
