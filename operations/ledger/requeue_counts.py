"""How often each message was requeued: the loop guard of `--max-requeues`.

A message that is requeued and fails again comes back with the same MsgId and the same data, so it
is known by both. Where the copy differs (a new MsgId, a header taken off) the count goes on with
the copy, and both stand for the message from then on.

The counts are a table of the ledger, made again from its operations after a prune.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final, TypeAlias

from mqtriage.model.plan import Plan, PlannedMessage
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.tables import Database, Ledger
from mqtriage.operations.ledger.units import COMMITTED

DEFAULT_MOST: Final = 3
"""Requeues after which a message is left, where `--max-requeues` does not say."""

Key: TypeAlias = tuple[bytes, bytes]
"""MsgId, and SHA-256 of the data."""


class RequeueCounts:
    """The counts of one journal.

    Raises:
        StorageError: By all its methods: the file cannot be read or written.
    """

    def __init__(self, journal: Journal) -> None:
        self.path = journal.path
        self._ledger: Ledger | None = None

    def of(self, key: Key) -> int:
        """How often the message was requeued; looking makes no file."""
        if self._ledger is None and not self.path.exists():
            return 0
        row = self._opened().row("SELECT times FROM requeue WHERE message = ?", _number(key))
        return row[0] if row else 0

    def add(self, moves: Iterable[Sequence[Key]]) -> None:
        """Count one requeue of each message: its own key, and that of its copy."""
        with self._opened().change("requeues", durable=False) as database:
            _add(database, moves)

    def rebuild(self) -> None:
        """Count anew what the operations of the journal say."""
        with self._opened().change("requeues") as database:
            database.execute("DELETE FROM requeue")
            moves = database.execute(_MOVES, (COMMITTED,))
            _add(database, ([keys[:2], keys[2:]] for keys in moves))

    def close(self) -> None:
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def _opened(self) -> Ledger:
        if self._ledger is None:
            self._ledger = Ledger.made(self.path)
        return self._ledger


_MOVES: Final = """
SELECT planned.msg_id, planned.digest, taken.msg_id, taken.digest
FROM operation JOIN unit ON unit.operation = operation.number
JOIN taken ON taken.operation = unit.operation AND taken.unit = unit.unit
    AND taken.number BETWEEN least AND greatest
JOIN planned ON planned.operation = taken.operation AND planned.number = taken.number
WHERE unit.ended = ? AND json_extract(plan, '$.request.max_requeues') IS NOT NULL
    AND queue IS NOT NULL AND NOT parked
ORDER BY op, unit.unit, taken.number
"""


def _add(database: Database, moves: Iterable[Sequence[Key]]) -> None:
    for keys in moves:
        numbers = {_number(key) for key in set(keys)}
        times = [
            database.execute("SELECT times FROM requeue WHERE message = ?", (number,)).fetchone()
            for number in numbers
        ]
        count = 1 + max(row[0] if row else 0 for row in times)
        database.executemany(
            "INSERT OR REPLACE INTO requeue VALUES (?, ?)", ((number, count) for number in numbers)
        )


def _number(key: Key) -> int:
    """64 bits for a message."""
    return int.from_bytes(sha256(key[0] + key[1]).digest()[:8], "big", signed=True)


def note_loops(plan: Plan, counts: RequeueCounts, most: int, park: str | None) -> None:
    """Say in *plan* which messages have been requeued too often to go once more."""
    over = sum(over_limit(message, counts, most) for message in plan.messages)
    if not over:
        return
    often = f"requeued {most} times already (--max-requeues {most})"
    if park:
        plan.notes.append(f"{over} will be parked on {park}: {often}")
        return
    plan.notes.append(f"{over} will be left: {often}")
    if over == len(plan.messages):
        plan.refusals.append(
            (
                f"{plan.count} of {plan.count} were {often}",
                "find out why they come back: backout causes; --park QUEUE sets them aside",
            )
        )


def over_limit(message: PlannedMessage, counts: RequeueCounts, most: int) -> bool:
    """Whether the message was requeued as often as it may be."""
    return counts.of((message.msg_id, message.digest)) >= most
