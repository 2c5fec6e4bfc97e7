"""How often each message was requeued: the loop guard of `--max-requeues`.

A message that is requeued and fails again comes back with the same MsgId and the same data, so it
is known by both. Where the copy differs (a new MsgId, a header taken off) the count goes on with
the copy, and both stand for the message from then on.

The counts are a table of the ledger, made again from its operations after a prune.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from mqtriage.model.plan import Plan, PlannedMessage
from mqtriage.model.units import count_text
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.rebuild import Key, count_moves, number_of, recount
from mqtriage.operations.ledger.tables import Ledger

_AT_ONCE: Final = 1_000
DEFAULT_MOST: Final = 3
"""Requeues after which a message is left, where `--max-requeues` does not say."""


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
        row = self._opened().row("SELECT times FROM requeue WHERE message = ?", number_of(key))
        return row[0] if row else 0

    def reached(self, keys: Iterable[Key], most: int) -> set[Key]:
        """Those of many messages that were requeued so often, or more often; makes no file."""
        if self._ledger is None and not self.path.exists():
            return set()
        by_number = {number_of(key): key for key in keys}
        rows = self._opened().rows(
            "SELECT message FROM requeue"
            " WHERE message IN (SELECT value FROM json_each(?)) AND times >= ?",
            json.dumps([*by_number]), most,
        )  # fmt: skip
        return {by_number[number] for (number,) in rows}

    def add(self, moves: Iterable[Sequence[Key]]) -> None:
        """Count one requeue of each message: its own key, and that of its copy."""
        with self._opened().change("requeues", durable=False) as database:
            count_moves(database, moves)

    def rebuild(self) -> None:
        """Count anew what the operations of the journal say."""
        with self._opened().change("requeues") as database:
            recount(database)

    def close(self) -> None:
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def _opened(self) -> Ledger:
        if self._ledger is None:
            self._ledger = Ledger.made(self.path)
        return self._ledger


def note_loops(plan: Plan, counts: RequeueCounts, most: int, park: str | None) -> None:
    """Say in *plan* which messages have been requeued too often to go once more."""
    messages = iter(plan.messages)
    over = 0
    while some := [*islice(messages, _AT_ONCE)]:
        reached = counts.reached(map(key_of, some), most)
        over += sum(key_of(message) in reached for message in some)
    if not over:
        return
    often = f"requeued {count_text(most, 'time')} already (--max-requeues {most})"
    if park:
        plan.notes.append(f"{over} will be parked on {park}: {often}")
        return
    plan.notes.append(f"{over} will be left: {often}")
    if over == len(plan.messages):
        plan.refusals.append(
            (
                f"{plan.count} of {plan.count} were {often}",
                "find out why they come back: backout causes; --park QUEUE moves them aside",
            )
        )


def key_of(message: PlannedMessage) -> Key:
    return message.msg_id, message.digest
