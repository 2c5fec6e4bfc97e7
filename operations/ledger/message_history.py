"""`journal ls --msgid`: what operations did with one message, from all that the journal has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from mqtriage.model.ids import ID_LENGTH_BYTES, IdMatch, format_id
from mqtriage.model.result import Listing, Record, Show, column, columns_of, keys_of
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.times import rfc3339
from mqtriage.operations.ledger.entries import (
    OUTCOME,
    OUTCOME_TABLES,
    UNDONE,
    entry_record,
    outcome_of,
)
from mqtriage.operations.ledger.journal import ChosenOperations, Journal
from mqtriage.operations.ledger.units import DONE
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageOperation:
    """One operation on a message: where the message was, where it went, and what became of it.

    *began* is the time of this machine, as in `journal ls`. *message_time* is that of the queue
    manager, when the unit of work was committed; where it was not reached, it is *began*.
    """

    began: str = column("BEGAN", Show.TIME, 22)
    op: str = column("OP", Show.ID, 26)
    queue_manager: str = column("QMGR", Show.NAME, 8, yields=5)
    user: str | None = column("USER", Show.NAME, 8, yields=3)
    action: str = column("ACTION", Show.TEXT, 8)
    queue: str | None = column("QUEUE", Show.NAME, 20)
    target: str | None = column("TARGET", Show.NAME, 20)
    state: str = column("STATE", Show.TEXT, 10)
    msg_id: str = column("MSGID", Show.ID, yields=1)
    correl_id: str = column("CORRELID", Show.ID, wide=True)
    new_msg_id: str | None = column("NEW_MSGID", Show.ID, wide=True)
    reason: str | None = column("REASON", Show.TEXT, 30, yields=4)
    message_time: str = column("QMGR_TIME", Show.TIME, 22, wide=True)
    ticket: str | None = column("TICKET", Show.TEXT, 20, wide=True)


_MATCHES: Final = "substr({0}, ?1, ?2) = ?3"
_ROWS: Final = f"""
SELECT operation.op, planned.number, planned.msg_id, planned.correl_id, at_us, {OUTCOME}
FROM planned JOIN operation ON operation.number = planned.operation {OUTCOME_TABLES}
WHERE {_MATCHES.format("planned.msg_id")} OR {_MATCHES.format("taken.msg_id")}
    OR ({_MATCHES.format("planned.correl_id")} AND operation.plan LIKE '%"{STAGING_QUEUE}"%')
"""


def message_history(journal: Journal, ident: IdMatch, chosen: ChosenOperations) -> Listing:
    """The operations that planned, moved or removed a message, the newest first.

    A message is found by its MsgId, by that of a copy, and by the MsgId that the sender of a
    delayed message got, which is the CorrelId of the staged one. Copies with new MsgIds are
    followed.

    Args:
        ident: the MsgId, or the first or last bytes of it.
        chosen: the operations that are looked at.
    """
    rows: dict[tuple[str, int], tuple[Any, ...]] = {}
    searched: set[bytes] = set()
    waiting = [(_span(ident), form) for form in ident.forms]
    with journal.kept_open():
        ops = set(journal.ops(chosen))
        while waiting:
            span, value = waiting.pop()
            searched.add(value)
            for op, number, *row in journal.rows(_ROWS, *span, value):
                if (op, number) not in rows:
                    rows[op, number] = (op, number, *row)
                    copies = {bytes(row[0]), bytes(row[5] or row[0])} - searched
                    waiting += [((1, ID_LENGTH_BYTES), copy) for copy in copies]
        newest_first = sorted(rows.values(), key=lambda row: (row[0], row[1]), reverse=True)
        records = [row for row in _records(journal, newest_first) if row.op in ops]
    return Listing(
        "MessageOperationList", columns_of(MessageOperation), map(keys_of, records), id_key="op"
    )


def matching_ids(history: Iterable[Record], ident: IdMatch) -> set[str]:
    """The ids in a history that *ident* fits: several where it is too short for one message."""
    keys = ("msg_id", "new_msg_id", "correl_id")
    first = (
        next((row[key] for key in keys if row[key] and ident.matches(bytes.fromhex(row[key]))), "")
        for row in history
    )
    return set(filter(None, first))


def _span(ident: IdMatch) -> tuple[int, int]:
    """Which bytes of an id are compared: from where, and how many."""
    length = len(ident.value)
    return (-length if ident.is_tail else 1), length


def _records(journal: Journal, rows: list[tuple[Any, ...]]) -> Iterator[MessageOperation]:
    undone: set[tuple[str, str]] = set()  # operations that were undone, each with the MsgId
    for op, _, msg_id, correl_id, at_us, *outcome in rows:
        entry = entry_record(journal, op)
        ident, became = format_id(msg_id), outcome_of(msg_id, *outcome)
        if became["state"] == DONE:
            if undone & {(op, ident), (op, became["new_msg_id"] or "")}:
                became["state"] = UNDONE
            elif entry.undoes:
                undone.add((entry.undoes, ident))
        yield MessageOperation(
            began=entry.began,
            message_time=entry.began if at_us is None else rfc3339(at_us),
            op=op,
            queue_manager=entry.queue_manager,
            user=entry.user,
            ticket=entry.ticket,
            action=entry.action,
            queue=entry.queue,
            msg_id=ident,
            correl_id=format_id(correl_id),
            **became,
        )
