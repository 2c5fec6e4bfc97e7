"""Faults on demand: puts to a queue, the dead-letter queue or the delay processor fail.

Set with `lifecycle.switch`, see `switches`; asked only where any switch is set at all.
"""

from __future__ import annotations

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.switches import FAULT_DLQ, FAULT_PROCESSOR, FAULT_PUT


def put_fault(manager: Manager, queue: str) -> int:
    """The reason that a put to *queue* is to fail with, or 0."""
    switches = manager.switches
    reason = switches.get(FAULT_PUT + queue, "")
    if not reason and FAULT_DLQ in switches and queue == manager.attributes.get("DEADQ"):
        reason = switches[FAULT_DLQ]
    return int(reason) if reason else 0


def processor_fault(manager: Manager) -> str:
    """How the delay processor fails: "recoverable", "unrecoverable", or "" while it does not."""
    return manager.switches.get(FAULT_PROCESSOR, "")
