"""`journal resume` and `journal undo` of a change of definitions: the rest, or the reverse."""

from __future__ import annotations

from mqtriage.backends.port import Backend
from mqtriage.definitions.plan import DefinitionPlan, plan_definitions
from mqtriage.definitions.way_back import observe, plan_back
from mqtriage.model.plan import Refusal
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.mqsc.parse import parse
from mqtriage.operations.ledger.changes import StoredChange, settle
from mqtriage.operations.ledger.entries import entry_record
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.units import DONE
from mqtriage.operations.recovery.resume import refuse_elsewhere, refuse_undone


def plan_resume_change(
    backend: Backend, journal: Journal, op: str, change: StoredChange
) -> DefinitionPlan:
    """Plan what of its commands is still to be done, as the queue manager is now.

    Raises:
        Refused: It was undone.
        UsageError: It is done, is none that can be resumed, or is about another queue manager.
    """
    refuse_elsewhere(backend, change, f"operation {op}")
    is_done = journal.progress(op).how == DONE
    if not change.backs or is_done:
        why = "is done" if is_done else "has no commands in the journal"
        raise UsageError(
            f"operation {op} ({change.action}) {why}: there is nothing to resume",
            hint=f"mqtriage journal show {op}",
        )
    refuse_undone(journal, op)
    entry = entry_record(journal, op)
    plan = plan_definitions(backend, [parse("\n".join(change.mqsc), file=f"operation {op}")])
    planned = count_text(entry.planned or 0, "command")
    notes = [f"operation {op}: carried out: {entry.done} of {planned}"]
    if entry.in_doubt:
        notes.append(
            f"check on the queue manager whether this one was carried out:"
            f" {change.mqsc[entry.done or 0]}"
        )
    plan.difference.notes[:0] = notes
    return plan


def settle_change(backend: Backend, journal: Journal, op: str, change: StoredChange) -> None:
    """Note that all of its commands are done; it can be undone as one that came to its end."""
    settle(journal, op, change, observe(backend, change.touched))


CUT_NOTE = "its result is not recorded: everything that differs from before is reversed"


def plan_undo_change(backend: Backend, op: str, change: StoredChange) -> DefinitionPlan:
    """Plan the reverse script of definitions; nothing is changed.

    Raises:
        Refused: There is none, or what it changed was changed again since.
        UsageError: It is about another queue manager.
    """
    refuse_elsewhere(backend, change, f"operation {op}")
    refuse_final(op, change)
    if change.before is None:
        raise Refused(
            f"operation {op}: the definitions before {change.action} are not known",
            hint=f"mqtriage journal show {op} has its commands",
            object_name=op,
        )
    plan = plan_back(backend, change.touched, change.before, change.after)
    if plan.difference.refusals:
        hint = f"mqtriage journal show {op} -o mqsc prints the reverse script, for mqtriage apply"
        plan.difference.refusals = [
            Refusal(refusal.text, refusal.hint or hint) for refusal in plan.difference.refusals
        ]
    if change.after is None:
        plan.difference.notes.append(CUT_NOTE)
    for command in change.final:
        plan.difference.notes.append(f"{command}: it cannot be reversed")
    return plan


def refuse_final(op: str, change: StoredChange) -> None:
    """Refuse what has no way back: messages put or discarded, a command without a reverse."""
    why = hint = ""
    if change.action == "put" and change.target:
        why = f"put messages for {change.target} on {change.name}, and a put cannot be undone"
        hint = (
            f"until it is due, mqtriage delay cancel --target {shell_word(change.target)} "
            f"--correlid ID removes one and keeps it in an archive"
        )
    elif change.action == "put":
        why = f"put messages on {change.name}, and a put cannot be undone"
        hint = (
            f"mqtriage msg purge {shell_word(change.name)} --msgid ID "
            f"removes one and keeps it in an archive"
        )
    elif change.action == "sweep":
        why = f"discarded expired messages of {change.name}: they are gone"
    elif change.lost:
        gone = ", ".join(f"{name} with {depth}" for name, depth in change.lost.items())
        why = f"deleted queues with messages that are not in an archive: {gone}"
        hint = f"mqtriage journal show {op} -o mqsc prints the definitions, for mqtriage apply"
    elif not change.touched or change.count <= len(change.final):
        why = f"cannot be reversed: {', '.join(change.final)}"
    if why:
        raise Refused(f"operation {op} {why}", hint=hint or None, object_name=op)
