"""The state of the delivery delay processor: whether it runs, why not, and what starts it again.

On z/OS it is part of the queue manager's MSTR address space. It shuts down when the staging queue
is not defined, is GET(DISABLED) or PUT(DISABLED), or after any other error; defining the queue or
enabling it starts it again, and after an error PUT has to go from ENABLED to DISABLED and back
(DD-81 to DD-90). On distributed platforms it starts with the queue manager and again by itself
after a failure that can be recovered from (DD-91, DD-92); PUT(DISABLED) does not stop it (DD-93).

What follows from the definitions is read off them at every look; only an error has to be
remembered, in `state.processor`. A queue manager below 8.0 has no processor: what is staged stays
there until it is back at 8.0 (DD-62).
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.switches import FAULT_PROCESSOR
from mqtriage.emulator.core.tables import state
from mqtriage.mq.delay import FIRST_LEVEL, STAGING_QUEUE

RECOVERABLE: Final = "recoverable"
_STOPPED: Final = "stopped: "
_RESTARTED: Final = "running: restarted automatically after a failure"


class ProcessorFault(Exception):
    """The processor fails as the switch `fault.processor` says; never seen outside `delay`."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def problem(manager: Manager) -> str:
    """Why the processor does not deliver, or "" while it does."""
    staging = manager.queues.get(STAGING_QUEUE)
    level = manager.command_level
    if not manager.state.running:
        return "the queue manager is stopped"
    if level < FIRST_LEVEL:
        return (
            f"CMDLEVEL {level} has no delivery delay processor, {FIRST_LEVEL} is the first with one"
        )
    if staging is None or not staging.is_local:
        return f"{STAGING_QUEUE} is not defined"
    if not staging.get_enabled:
        return f"{STAGING_QUEUE} has GET(DISABLED)"
    if manager.is_zos and not staging.put_enabled:
        return f"{STAGING_QUEUE} has PUT(DISABLED)"
    if manager.state.processor.startswith(_STOPPED):
        return manager.state.processor.removeprefix(_STOPPED)
    return ""


def strike(manager: Manager) -> None:
    """Fail where a fault was asked for; in a transaction that is then undone."""
    if kind := manager.switches.get(FAULT_PROCESSOR):
        raise ProcessorFault(kind)


def failed(manager: Manager, fault: ProcessorFault) -> None:
    """Note the failure, and that the fault has struck; inside a transaction of its own."""
    if fault.kind == RECOVERABLE and not manager.is_zos:
        text = _RESTARTED
    elif manager.is_zos:
        text = (
            f"{_STOPPED}it ended with an error; ALTER QLOCAL({STAGING_QUEUE}) PUT(DISABLED), then"
            " PUT(ENABLED) starts it again"
        )
    else:
        text = f"{_STOPPED}it ended with an error; it starts again with the queue manager"
    switches = {name: value for name, value in manager.switches.items() if name != FAULT_PROCESSOR}
    state.update(manager.store, processor=text, switches=switches)


def start_again(manager: Manager, queue: str) -> None:
    """A queue was defined (DD-87), or its PUT went from DISABLED to ENABLED (DD-89).

    On z/OS the processor starts then, where that is the staging queue.
    """
    if queue == STAGING_QUEUE and manager.is_zos:
        state.update(manager.store, processor=state.PROCESSOR_RUNNING)
