"""`journal resume` of a change of definitions that was cut: what of it was done, and the rest."""

from __future__ import annotations

from mqtriage.backends.port import Backend
from mqtriage.definitions.plan import DefinitionPlan, plan_definitions
from mqtriage.definitions.way_back import observe
from mqtriage.model.units import count_text
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.parse import parse
from mqtriage.operations.ledger.changes import StoredChange, settle
from mqtriage.operations.ledger.entries import entry_record
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.units import DONE
from mqtriage.operations.recovery.resume import refuse_elsewhere


def plan_resume_change(
    backend: Backend, journal: Journal, op: str, change: StoredChange
) -> DefinitionPlan:
    """Plan what of its commands is still to be done, as the queue manager is now.

    Raises:
        UsageError: It is done, is none that can be resumed, or is about another queue manager.
    """
    refuse_elsewhere(backend, change, f"operation {op}")
    record = entry_record(journal, op)
    if not change.backs or record["state"] == DONE:
        why = "is done" if record["state"] == DONE else "has no commands that the journal counts"
        raise UsageError(
            f"operation {op} ({change.action}) {why}: there is nothing to resume",
            hint=f"mqtriage journal show {op}",
        )
    plan = plan_definitions(backend, [parse("\n".join(change.mqsc), file=f"operation {op}")])
    planned = count_text(record["planned"], "command")
    notes = [f"operation {op}: carried out: {record['done']} of {planned}"]
    if record["in_doubt"]:
        notes.append(
            f"whether this one was, the queue manager shows: {change.mqsc[record['done']]}"
        )
    plan.difference.notes[:0] = notes
    return plan


def settle_change(backend: Backend, journal: Journal, op: str, change: StoredChange) -> None:
    """Note that all of its commands are done; it can be undone as one that came to its end."""
    settle(journal, op, change, observe(backend, change.touched))
