"""`journal ls|show|resume|prune`: the operations that there are, and what became of one."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from mqtriage.model.ids import format_id
from mqtriage.model.op_ids import began_ms
from mqtriage.model.plan import Plan, PlannedMessage
from mqtriage.model.result import Document, Field, Listing, Show, column, columns_of, keys_of
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.errors import MQTriageError, NotFound
from mqtriage.mq.names import matches
from mqtriage.mq.times import rfc3339
from mqtriage.operations.copies.request import request_record
from mqtriage.operations.ledger.changes import StoredChange, loss_texts, read_change
from mqtriage.operations.ledger.journal import ChosenOperations, Journal
from mqtriage.operations.ledger.plan_file import plan_from
from mqtriage.operations.ledger.rebuild import recount
from mqtriage.operations.ledger.tables import Ledger
from mqtriage.operations.ledger.units import COMMITTED, DONE, FAILED, LEFT
from mqtriage.records import dataclass

CUT: Final = "cut"
"""No last line: the process was ended, or is still at work."""
NOTHING_DONE: Final = "nothing done"
DAMAGED: Final = "damaged"
UNDONE: Final = "undone"
PARTLY_UNDONE: Final = "partly undone"
"""Some of what it did was put back, or may have been."""
SUPERSEDED: Final = "superseded"
"""An undo that was cut, and a later one did the rest."""
_AT_ONCE: Final = 500
"""Operations that one transaction removes: a wait for the disk each would be most of the time."""
_STATES: Final = {COMMITTED: "done", "": "in doubt"}
"""What people read of how a unit of work ended, where that is another word."""
UNFINISHED: Final = frozenset({CUT, "interrupted", "stopped"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRecord:
    """One operation; what is not known, or does not apply to it, is None.

    *done* includes what was *parked*; where nothing else was done, *target* is where it is parked.
    *left* is what is still to do, and a finished operation has *skipped* the rest.
    """

    op: str = column("OP", Show.ID, 26)
    began: str = column("BEGAN", Show.TIME, 22, yields=1)
    queue_manager: str = column("QMGR", Show.NAME, 8, yields=9)
    user: str | None = column("USER", Show.NAME, 8, yields=2, default=None)
    action: str = column("ACTION", Show.TEXT, 8)
    queue: str | None = column("QUEUE", Show.NAME, 20, yields=3, default=None)
    target: str | None = column("TARGET", Show.NAME, 20, yields=5, default=None)
    planned: int | None = column("PLANNED", Show.NUMBER, 7, yields=7, default=None)
    done: int | None = column("DONE", Show.NUMBER, 7, yields=4, default=None)
    parked: int | None = column("PARKED", Show.NUMBER, 6, yields=6, default=None)
    skipped: int | None = column("SKIPPED", Show.NUMBER, 7, yields=8, default=None)
    left: int | None = column("LEFT", Show.NUMBER, 7, yields=8, default=None)
    in_doubt: int | None = column("IN_DOUBT", Show.NUMBER, 7, yields=10, default=None)
    state: str = column("STATE", Show.TEXT, 11)
    undoes: str | None = column("UNDOES", Show.NAME, 26, wide=True)
    context: str | None = column("CONTEXT", Show.NAME, 8, wide=True)
    reason: int | None = column("REASON", Show.NUMBER, 6, wide=True)
    error: str | None = column("ERROR", Show.TEXT, 40, wide=True)
    command: str | None = column("COMMAND", Show.TEXT, 40, wide=True)
    ticket: str | None = column("TICKET", Show.TEXT, 20, wide=True)


@dataclass(slots=True, kw_only=True)
class OperationMessage:
    """One planned message, and what became of it."""

    number: int = column("NUMBER", Show.NUMBER, 7)
    msg_id: str = column("MSGID", Show.ID)
    correl_id: str = column("CORRELID", Show.ID, wide=True)
    length_bytes: int = column("LENGTH", Show.BYTES)
    sha256: str = column("SHA256", Show.TEXT, wide=True)
    state: str = column("STATE", Show.TEXT, 12)
    target: str | None = column("TARGET", Show.NAME, 20)
    new_msg_id: str | None = column("NEW_MSGID", Show.ID, wide=True)
    reason: str | None = column("REASON", Show.TEXT, 30)


_UNDOS_OF: Final = "FROM operation WHERE undoes = entry.op AND undoes <> ''"
_SUMMARY: Final = f"""
SELECT op, queue_manager, context, user, reason, error, command,
    json_extract(connection, '$.ticket'), undoes, action,
    changes, done, plan, messages, runs, how,
    (SELECT coalesce(sum(messages), 0) FROM unit WHERE operation = number AND ended = 'committed'),
    (SELECT coalesce(sum(messages), 0) FROM unit
        WHERE operation = number AND ended IN ('', 'unknown')),
    (SELECT coalesce(sum(messages), 0) FROM unit
        WHERE ended = 'committed' AND operation IN (SELECT number {_UNDOS_OF})),
    (SELECT count(*) FROM unit
        WHERE ended IN ('', 'unknown') AND operation IN (SELECT number {_UNDOS_OF})),
    (SELECT json_group_array(how) {_UNDOS_OF}),
    (SELECT coalesce(sum(messages), 0) FROM unit
        WHERE ended <> 'backed out' AND operation IN (
            SELECT number FROM operation WHERE op = entry.undoes)),
    (SELECT coalesce(sum(messages), 0) FROM unit
        WHERE ended = 'committed' AND operation IN (
            SELECT number FROM operation WHERE undoes = entry.undoes AND undoes <> '')),
    CASE WHEN plan LIKE '%"park":"%' THEN (
        SELECT count(*) FROM taken JOIN unit USING (operation, unit)
        WHERE operation = entry.number AND parked AND ended = 'committed') END,
    (SELECT count(*) FROM stayed WHERE operation = entry.number AND outcome = 'skipped')
FROM operation AS entry
"""
_WAITING: Final = """
WHERE (?1 = '' OR queue_manager = ?1) AND messages IS NOT NULL AND CASE
    WHEN changes IS NULL THEN how <> 'done' OR EXISTS (
        SELECT 1 FROM unit WHERE operation = number AND ended = '')
    ELSE how IN ('', 'interrupted', 'partly done') AND action <> 'resume'
        AND plan LIKE '%"backs":["%' END
ORDER BY op DESC
"""
"""What can be resumed: a resume of a change is not, as the change that it continues is."""


def ls(journal: Journal, chosen: ChosenOperations, *, several: bool = False) -> Listing:
    """The chosen operations, the newest first.

    Args:
        several: they may be of several queue managers, which a narrow table then tells apart.
    """
    where, values = chosen.condition()
    rows = journal.rows(f"{_SUMMARY} {where} ORDER BY op DESC LIMIT ?", *values)
    entries = map(keys_of, map(_entry, rows))
    fields = columns_of(OperationRecord)
    if several:
        fields = telling_apart(journal, fields)
    return Listing("JournalList", fields, entries, id_key="op")


def telling_apart(journal: Journal, fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """The columns of a table that has QMGR where the journal has several queue managers."""
    if len(list(journal.rows("SELECT DISTINCT queue_manager FROM operation"))) < 2:
        return fields
    return tuple(
        field._replace(yields=0, wide=False) if field.key == "queue_manager" else field
        for field in fields
    )


def has_word(record: Mapping[str, Any], word: str, names: Collection[str] = ()) -> bool:
    """Whether *word* is an operation's action, state, user or (generic) object, or in its ticket.

    Args:
        names: objects that it changed.
    """
    exact = (record["action"], record["state"], record["user"])
    if word.lower() in exact or word == record["user"]:
        return True
    if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", record["ticket"] or ""):
        return True
    return any(name and matches(word, name) for name in (record["queue"], record["target"], *names))


def changed_names(journal: Journal, op: str) -> list[str]:
    """The objects that a change of definitions names; none of another operation."""
    row = journal.row("SELECT plan FROM operation WHERE op = ? AND changes IS NOT NULL", op)
    try:
        if row is None:
            return []
        record = json.loads(row[0])
        return [*(str(name) for _, name in record["touched"]), str(record["name"])]
    except (KeyError, TypeError, ValueError, RecursionError):
        return []


def waiting(journal: Journal, queue_manager: str | None) -> list[OperationRecord]:
    """The operations that wait to be resumed, the newest first; at one queue manager, or at all.

    What a process is at is not waiting, but it is named where nothing else is.
    """
    rows = journal.rows(f"{_SUMMARY} {_WAITING}", queue_manager or "")
    over = (UNDONE, PARTLY_UNDONE, SUPERSEDED)
    entries = [entry for entry in map(_entry, rows) if entry.state not in over]
    at_work = [entry for entry in entries if journal.is_carried_out(entry.op)]
    return [entry for entry in entries if entry not in at_work] or at_work[:1]


def entry_record(journal: Journal, op: str) -> OperationRecord:
    """One operation as a line of the listing; what cannot be read is its state."""
    row = journal.row(f"{_SUMMARY} WHERE op = ?", op)
    if row is None:
        raise NotFound(f"no operation {op}", hint="mqtriage journal ls", object_name=op)
    return _entry(row)


def _entry(row: tuple[Any, ...]) -> OperationRecord:
    op, queue_manager, context, user, reason, error, command, ticket, undoes, action = row[:10]
    changes, changes_done, text, planned, runs, how, done, in_doubt = row[10:18]
    put_back, doubtful, undos, to_undo, undone_by_all, parked, skipped = row[18:]
    entry = OperationRecord(
        op=op,
        began=rfc3339(began_ms(op) * 1000),
        queue_manager=queue_manager,
        action=action,
        state=NOTHING_DONE,
        undoes=undoes or None,
        context=context or None,
        user=user or None,
        reason=reason or None,
        error=error or None,
        command=command or None,
        ticket=ticket,
    )
    if changes is not None:
        queue, target, counted = _change_head(text)
        state = how or CUT
        planned, done = changes, changes_done
        in_doubt = 0 if how else min(1, planned - done) if counted else planned - done
        ends = [end for end in json.loads(undos) if end != FAILED]
        undone = _undone(partly=bool(ends), whole=DONE in ends)
    elif planned is None:
        return entry
    else:
        try:
            plan = plan_from(f"operation {op}", json.loads(text))
        except (ValueError, RecursionError, MQTriageError):
            return replace(entry, state=DAMAGED)
        targets = {part.target for part in plan.parts if part.target}
        queue = plan.request.queue
        if undoes:  # that is the queue whose messages come back; these are where they come from
            sources = {part.queue for part in plan.parts if part.queue}
            queue = next(iter(sources), "") if len(sources) < 2 else queue
        target = next(iter(targets)) if len(targets) == 1 else plan.request.target
        if parked and parked == done:
            target = plan.request.park
        state = how or (CUT if runs else NOTHING_DONE)
        whole = put_back >= done + in_doubt and not doubtful
        undone = _undone(partly=bool(put_back or doubtful), whole=whole)
        if state in UNFINISHED and done < to_undo <= undone_by_all:
            undone = SUPERSEDED
    rest = 0 if action == "sweep" and how == DONE else planned - done - in_doubt
    # a resume would try skipped messages again, unless the operation is finished
    skipped = min(skipped, rest) if how == DONE else 0
    return replace(
        entry,
        queue=queue or None,
        target=target,
        planned=planned,
        done=done,
        parked=parked,
        skipped=skipped if changes is None else None,
        left=rest - skipped,
        in_doubt=in_doubt,
        state=undone or state,
    )


def _undone(*, partly: bool, whole: bool) -> str:
    """The state of an operation that was undone, "" of one that was not."""
    return "" if not partly else UNDONE if whole else PARTLY_UNDONE


def _change_head(text: str) -> tuple[str | None, str | None, bool]:
    """What a change is about, the target of delayed puts, and whether each command was noted.

    None where there is none, or it is damaged.
    """
    try:
        record = json.loads(text)
        target = str(record.get("target", "")) or None
        touched = record.get("touched") or ()
        queues = {str(name) for kind, name in touched if kind in QUEUE_KINDS}
        is_of_one = len(queues) == 1 and len({str(name) for _, name in touched}) == 1
        # if a script changes only one queue, that name says more than the queue manager's
        name = queues.pop() if is_of_one else str(record["name"])
        return name or None, target, bool(record.get("backs"))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None, None, False


def show(journal: Journal, op: str) -> Document:
    """One operation: what was asked, what became of it, and why messages were left."""
    change = read_change(journal, op)
    plan = journal.head(op) if change is None else None
    progress = journal.progress(op)
    entry = entry_record(journal, op)
    digests = {str(path): digest for path, digest in journal.seals(op).items()}
    data = {
        **keys_of(entry),
        "ended": progress.ended or None,
        "units": progress.units,
        "runs": progress.runs,
        "file": (plan.file or None) if plan else None,
        "made": ((plan.maker if plan else change.origin_text if change else "") or None),
        "archives": list(digests),
        "archive_digests": digests,
        "destinations": dict(journal.rows(_DESTINATIONS, op, 0)),
        "parked_on": dict(journal.rows(_DESTINATIONS, op, 1)),
        "reasons": dict(journal.rows(_REASONS, op)),
        "undone_by": journal.undos(op),
        "request": request_record(plan.request) if plan else None,
        "mqsc": list(change.mqsc) if change else [],
        "changes": change.records if change else [],
        "back": _way_back(change, entry) if change else [],
        "commands": _commands(change, entry) if change else [],
        "not_taken_back": list(change.final) if change else [],
        "lost": loss_texts(change.losses(progress.how)) if change else [],
    }
    order = ("op", "began", "ended")
    back = "\n".join(data["back"]) if change else None
    return Document(
        "JournalEntry", {key: data[key] for key in (*order, *data)}, mqsc=back, is_brief=True
    )


def _way_back(change: StoredChange, entry: OperationRecord) -> list[str]:
    """What takes back what is known to be done."""
    return change.back if change.after is not None else [*reversed(change.backs[: entry.done])]


def _commands(change: StoredChange, entry: OperationRecord) -> list[dict[str, str]]:
    """Each command with what became of it, where the journal has each."""
    numbers = {"done": entry.done, "in doubt": entry.in_doubt, "not run": entry.left}
    states = [state for state, number in numbers.items() for _ in range(number or 0)]
    return [
        {"mqsc": mqsc, "state": state, "back": back}
        for mqsc, state, back in zip(change.mqsc, states, change.backs, strict=False)
    ]


_REASONS: Final = """
SELECT outcome || ': ' || reason, count(*) FROM stayed
WHERE operation = (SELECT number FROM operation WHERE op = ?1) AND number NOT IN (
    SELECT number FROM unit JOIN taken USING (operation, unit)
    WHERE operation = (SELECT number FROM operation WHERE op = ?1) AND ended IN ('', 'unknown')
    AND number BETWEEN least AND greatest)
GROUP BY outcome, reason ORDER BY min(number)
"""
_DESTINATIONS: Final = """
SELECT queue, count(*) FROM taken JOIN unit USING (operation, unit)
WHERE operation = (SELECT number FROM operation WHERE op = ?) AND parked = ?
    AND queue IS NOT NULL AND ended = 'committed'
GROUP BY queue ORDER BY queue
"""
OUTCOME: Final = """
    coalesce(unit.ended, CASE WHEN stayed.reason IS NULL THEN 'pending' ELSE 'left' END),
    taken.queue, taken.msg_id, stayed.reason"""
"""What became of a planned message, from `OUTCOME_TABLES`; `outcome_of` reads these columns."""
OUTCOME_TABLES: Final = """
LEFT JOIN taken ON taken.operation = planned.operation AND taken.number = planned.number
    AND taken.unit = (
        SELECT max(unit) FROM taken JOIN unit USING (operation, unit)
        WHERE operation = planned.operation AND number = planned.number AND ended <> 'backed out')
LEFT JOIN unit ON unit.operation = taken.operation AND unit.unit = taken.unit
LEFT JOIN stayed ON stayed.operation = planned.operation AND stayed.number = planned.number"""
_MESSAGES: Final = f"""
SELECT planned.*, {OUTCOME}
FROM planned {OUTCOME_TABLES}
WHERE planned.operation = (SELECT number FROM operation WHERE op = ?) ORDER BY planned.number
"""


def messages(journal: Journal, op: str) -> Listing:
    """The planned messages of an operation and what became of each, in plan order."""
    if journal.is_on_messages(op):
        journal.head(op)  # says what is wrong with it

    def records() -> Iterator[OperationMessage]:
        for row in journal.rows(_MESSAGES, op):
            number, message = row[1], PlannedMessage._make(row[2:12])
            yield OperationMessage(
                number=number,
                msg_id=format_id(message.msg_id),
                correl_id=format_id(message.correl_id),
                length_bytes=message.length_bytes,
                sha256=message.digest.hex(),
                **outcome_of(message.msg_id, *row[13:]),
            )

    return Listing("JournalMessageList", columns_of(OperationMessage), map(keys_of, records()))


def outcome_of(
    msg_id: bytes, fate: str, queue: str | None, new_id: bytes | None, reason: str | None
) -> dict[str, Any]:
    """The fields state, target, new_msg_id and reason of a planned message, from `OUTCOME`."""
    done = fate == COMMITTED
    return {
        "state": _STATES.get(fate, fate),
        "target": queue if done else None,
        "new_msg_id": format_id(new_id) if done and new_id not in (None, msg_id) else None,
        "reason": reason if fate == LEFT else None,
    }


def plan_prune(
    journal: Journal, ops: Sequence[str], older_than_ms: int | None, *, unfinished: bool
) -> tuple[Plan, list[str], int]:
    """What would be removed; what can be resumed stays unless *unfinished*.

    Returns:
        The plan, the operations to remove, and how many of those chosen stay.
    """
    limit = None if older_than_ms is None else time.time_ns() // 1_000_000 - older_than_ms
    chosen = [
        op for op in dict.fromkeys(ops or journal.ops()) if limit is None or began_ms(op) < limit
    ]
    with journal.kept_open():
        ended = [
            op for op in chosen if unfinished or not _resumable(journal, entry_record(journal, op))
        ]
    stay = len(chosen) - len(ended)
    gone, tied = _untied(journal, ended)
    plan = Plan("prune", str(journal.folder), count=len(gone), noun="operation")
    plan.facts = {"operations": gone[:10]}
    plan.notes.append("removed operations cannot be undone, resumed or proven; archives are kept")
    if len(gone) > 10:
        plan.notes.append(f"operations: the first 10 of {len(gone)}")
    if stay:
        plan.notes.append(
            f"{stay} kept, which can be resumed;"
            f" --unfinished removes {'it' if stay == 1 else 'them'} too"
        )
    if tied:
        plan.notes.append(
            f"{tied} kept: an undo is removed with the operation that it reverses, not before it"
        )
    return plan, gone, stay + tied


def _resumable(journal: Journal, entry: OperationRecord) -> bool:
    """Whether something of it is still to be done, or to be found out."""
    if not (entry.state in UNFINISHED or entry.in_doubt):
        return False
    row = journal.row("SELECT changes FROM operation WHERE op = ?", entry.op)
    return row is None or row[0] is None


def _untied(journal: Journal, gone: list[str]) -> tuple[list[str], int]:
    """What of *gone* may be removed, and how much of it is tied to something that stays.

    Without the operation, an undo of it that was cut cannot be resumed; without its undo, an
    operation would be taken back once more.
    """
    chosen = set(gone)
    undos = list(journal.rows(_UNDOS))
    kept = {op for op, undone, _ in undos if op in chosen and undone not in chosen}
    for op, undone, finished in undos:
        if undone in chosen and (op not in chosen or op in kept) and not finished:
            kept.add(undone)
    kept |= {op for op, undone, _ in undos if op in chosen and undone in kept}
    return [op for op in gone if op not in kept], len(kept)


_UNDOS: Final = """
SELECT op, undoes, how = 'done' OR runs = 0 FROM operation AS back
WHERE undoes <> '' AND EXISTS (SELECT 1 FROM operation WHERE op = back.undoes)
"""


def prune(journal: Journal, ops: list[str], stay: int) -> Listing:
    """Remove what is planned, some at once, count requeues anew, and list what was removed."""

    def removed() -> Iterator[OperationRecord]:
        waiting = iter(ops)
        with journal.kept_open():
            while some := list(islice(waiting, _AT_ONCE)):
                entries = [entry_record(journal, op) for op in some]
                journal.remove(*some)
                yield from entries
        with Ledger.open_or_create(journal.path) as ledger, ledger.change("requeues") as database:
            recount(database)

    entries = map(keys_of, removed())
    return Listing(
        "PrunedJournalList", columns_of(OperationRecord), entries, {"left": stay}, id_key="op"
    )
