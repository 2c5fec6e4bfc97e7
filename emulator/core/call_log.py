"""The log of MQI calls: who opened or inquired what, with which options.

Off unless the switch `call_log` is on; then every MQOPEN, MQPUT1, MQINQ and MQCLOSE of an emulated
program, and every MQOPEN of the queue manager itself, is one row of the file (DD-40, DD-50).
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core.manager import Manager

SWITCH: Final = "call_log"
QUEUE_MANAGER: Final = "(queue manager)"
"""The user of a call that the queue manager makes for itself."""


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
        user: who; `QUEUE_MANAGER` for a call of its own.
        options: MQOO_* or MQPMO_* bits.
        detail: what the options do not say: the attributes inquired.
        now_us: the time of the transaction that is open; None begins one for this row alone.
    """
    if now_us is None:
        with manager.writing() as now:
            note(manager, user, application, verb, name, options, detail, now_us=now)
        return
    manager.store.execute(
        "INSERT INTO call (at_us, user, application, verb, object, options, detail)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (now_us, user, application, verb, name, options, detail),
    )
