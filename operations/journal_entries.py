"""`journal ls|show|prune`: the operations that there are, and what became of one."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from mqtriage.model.ids import format_id
from mqtriage.model.op_ids import began_ms
from mqtriage.model.plan import Plan
from mqtriage.model.result import Document, Field, Listing, Show
from mqtriage.mq.errors import MQTriageError, StorageError
from mqtriage.mq.times import rfc3339
from mqtriage.operations.journal import PLAN, Journal
from mqtriage.operations.journal_lines import Left, Unit
from mqtriage.operations.journal_state import Fate, Standing, standing, standing_of
from mqtriage.operations.plan_file import read_head, request_record
from mqtriage.operations.requeue_counts import RequeueCounts

FIELDS: Final = (
    Field("op", "OP", Show.NAME, 26),
    Field("began", "BEGAN", Show.TIME, 22, yields=2),
    Field("qmgr", "QMGR", Show.NAME, 8, yields=8),
    Field("action", "ACT", Show.TEXT, 8),
    Field("queue", "QUEUE", Show.NAME, 20, yields=1),
    Field("target", "TARGET", Show.NAME, 20, yields=7),
    Field("planned", "PLANNED", Show.NUMBER, 7, yields=5),
    Field("done", "DONE", Show.NUMBER, 7, yields=4),
    Field("left", "LEFT", Show.NUMBER, 7, yields=6),
    Field("in_doubt", "IN_DOUBT", Show.NUMBER, 7, yields=9),
    Field("state", "STATE", Show.TEXT, 11),
    Field("undoes", "UNDOES", Show.NAME, 26, wide=True),
)
MESSAGES: Final = (
    Field("number", "NUMBER", Show.NUMBER, 7),
    Field("msg_id", "MSGID", Show.ID),
    Field("correl_id", "CORRELID", Show.ID, wide=True),
    Field("length_bytes", "LENGTH", Show.BYTES),
    Field("sha256", "SHA256", Show.TEXT, wide=True),
    Field("state", "STATE", Show.TEXT, 12),
    Field("target", "TARGET", Show.NAME, 20),
    Field("new_msg_id", "NEW_MSGID", Show.ID, wide=True),
    Field("reason", "REASON", Show.TEXT, 30),
)
CUT: Final = "cut"
"""No last line: the process was ended, or is still at work."""
NOTHING_DONE: Final = "nothing done"
DAMAGED: Final = "damaged"
_STATES: Final = {
    Fate.PENDING: "pending",
    Fate.COMMITTED: "done",
    Fate.IN_DOUBT: "in doubt",
    Fate.UNKNOWN: "unknown",
    Fate.LEFT: "left",
}
_UNFINISHED: Final = frozenset({CUT, "interrupted", "stopped"})


def ls(journal: Journal) -> Listing:
    """The operations, the newest first."""
    items = (entry_record(journal, op) for op in reversed(journal.ops()))
    return Listing("JournalList", FIELDS, items, id_key="op")


def entry_record(journal: Journal, op: str) -> dict[str, Any]:
    """One operation as a line of the listing; what cannot be read is its state."""
    record: dict[str, Any] = dict.fromkeys(field.key for field in FIELDS)
    record |= {"op": op, "began": rfc3339(began_ms(op) * 1000)}
    try:
        plan = read_head(journal.folder / op / PLAN)
        known = standing_of(journal, op, plan, sum(part.messages for part in plan.parts))
    except FileNotFoundError:
        return record | {"state": NOTHING_DONE}
    except (OSError, MQTriageError, IndexError):
        return record | {"state": DAMAGED}
    return record | _told(known)


def _told(known: Standing) -> dict[str, Any]:
    request, parts = known.plan.request, known.plan.parts
    targets = {part.target for part in parts if part.target}
    return {
        "qmgr": known.plan.queue_manager,
        "action": request.action,
        "queue": request.queue,
        "target": next(iter(targets)) if len(targets) == 1 else request.target,
        "planned": len(known.fates) - 1,
        "done": known.count(Fate.COMMITTED),
        "left": known.count(Fate.LEFT) + known.count(Fate.PENDING),
        "in_doubt": known.count(Fate.IN_DOUBT) + known.count(Fate.UNKNOWN),
        "state": known.how or (CUT if known.runs else NOTHING_DONE),
        "undoes": known.plan.undoes or None,
    }


def show(journal: Journal, op: str) -> Document:
    """One operation: what was asked, what became of it, and why messages were left.

    Raises:
        StorageError: It cannot be read.
    """
    known = standing(journal, op)
    reasons: Counter[str] = Counter()
    for line in journal.log(op):
        if isinstance(line, Left) and known.fates[line.number] == Fate.LEFT:
            reasons[f"{line.outcome}: {line.reason}"] += 1
    data = {
        "op": op,
        "began": rfc3339(began_ms(op) * 1000),
        "ended": known.ended or None,
        **_told(known),
        "units": known.units,
        "runs": known.runs,
        "file": known.plan.file or None,
        "archives": [str(path) for path in dict.fromkeys(known.archives)],
        "reasons": dict(reasons),
        "undone_by": _undone_by(journal, op),
        "request": request_record(known.plan.request),
    }
    return Document("JournalEntry", data)


def _undone_by(journal: Journal, op: str) -> list[str]:
    return [each for each in journal.ops() if _undone(journal, each) == op]


def _undone(journal: Journal, op: str) -> str:
    """The operation that *op* takes back, "" for none."""
    try:
        return read_head(journal.folder / op / PLAN).undoes
    except (OSError, MQTriageError):
        return ""


def messages(journal: Journal, op: str) -> Listing:
    """The planned messages of an operation and what became of each, in plan order."""
    known = standing(journal, op)
    puts: dict[int, tuple[str, str]] = {}
    reasons: dict[int, str] = {}
    for line in journal.log(op):
        if isinstance(line, Left):
            reasons[line.number] = line.reason
        elif isinstance(line, Unit):
            for taken in line.messages:
                if taken.put is not None:
                    puts[taken.number] = (taken.put.queue, format_id(taken.put.msg_id))

    def records() -> Iterator[dict[str, Any]]:
        for number, marks in enumerate(known.plan.messages, 1):
            fate = Fate(known.fates[number])
            queue, new = puts.get(number, (None, None)) if fate is Fate.COMMITTED else (None, None)
            yield {
                "number": number,
                "msg_id": format_id(marks.msg_id),
                "correl_id": format_id(marks.correl_id),
                "length_bytes": marks.length_bytes,
                "sha256": marks.digest.hex(),
                "state": _STATES[fate],
                "target": queue,
                "new_msg_id": new if new != format_id(marks.msg_id) else None,
                "reason": reasons.get(number) if fate is Fate.LEFT else None,
            }

    return Listing("JournalMessageList", MESSAGES, records())


def plan_prune(
    journal: Journal, ops: Sequence[str], older_than_ms: int | None, *, unfinished: bool
) -> tuple[Plan, Listing]:
    """What would be removed; what can be resumed stays unless *unfinished*."""
    limit = None if older_than_ms is None else time.time_ns() // 1_000_000 - older_than_ms
    chosen = [op for op in ops or journal.ops() if limit is None or began_ms(op) < limit]
    records = [entry_record(journal, op) for op in chosen]
    gone = [
        each
        for each in records
        if unfinished or not (each["state"] in _UNFINISHED or each["in_doubt"])
    ]
    left = len(records) - len(gone)
    gone, tied = _untied(journal, gone)
    plan = Plan("prune", str(journal.folder), count=len(gone), noun="operation")
    plan.facts = {"operations": [each["op"] for each in gone[:10]]}
    plan.notes.append("what is removed cannot be undone, resumed or proven; archives stay")
    if left:
        plan.notes.append(f"{left} stay: they can be resumed; --unfinished removes them too")
    if tied:
        plan.notes.append(
            f"{tied} stay: an undo goes with the operation that it takes back, not before it"
        )
    listing = Listing("PrunedJournalList", FIELDS, gone, {"left": left + tied}, id_key="op")
    return plan, listing


def _untied(journal: Journal, gone: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """What of *gone* may be removed, and how much of it is tied to something that stays.

    Without the operation, an undo of it that was cut cannot be resumed; without its undo, an
    operation would be taken back once more.
    """
    chosen = {record["op"] for record in gone}
    there = set(journal.ops())
    undos = {op: undone for op in there if (undone := _undone(journal, op))}
    kept = {op for op, undone in undos.items() if op in chosen and undone in there - chosen}
    for op, undone in undos.items():
        waits = op not in chosen or op in kept
        if undone in chosen and waits and entry_record(journal, op)["state"] in _UNFINISHED:
            kept.add(undone)
    kept |= {op for op, undone in undos.items() if op in chosen and undone in kept}
    return [record for record in gone if record["op"] not in kept], len(kept)


def prune(journal: Journal, listing: Listing) -> Listing:
    """Remove what is listed, count requeues anew, and list what was removed."""

    def removed() -> Iterator[dict[str, Any]]:
        for record in list(listing.items):
            folder = journal.folder / record["op"]
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise StorageError(f"journal {folder}: {error.strerror}") from error
            yield dict(record)
        counts = RequeueCounts(journal)
        counts.rebuild()
        counts.close()

    return Listing(listing.kind, listing.fields, removed(), listing.summary, id_key="op")
