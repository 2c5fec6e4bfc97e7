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
from mqtriage.operations.ledger.rebuild import Key, count_moves, number_of
from mqtriage.operations.ledger.tables import Ledger

_AT_ONCE: Final = 1_000
DEFAULT_MOST: Final = 3
"""Requeues after which a message is left, where `--max-requeues` does not say."""


def times_requeued(source: Journal | Ledger, key: Key) -> int:
    """How often the message was requeued; looking makes no file."""
    row = source.row("SELECT times FROM requeue WHERE message = ?", number_of(key))
    return row[0] if row else 0


def requeued_often(source: Journal | Ledger, keys: Iterable[Key], most: int) -> set[Key]:
    """Those of many messages that were requeued so often, or more often; makes no file."""
    by_number = {number_of(key): key for key in keys}
    rows = source.rows(
        "SELECT message FROM requeue"
        " WHERE message IN (SELECT value FROM json_each(?)) AND times >= ?",
        json.dumps([*by_number]), most,
    )  # fmt: skip
    return {by_number[number] for (number,) in rows}


def count_requeues(ledger: Ledger, moves: Iterable[Sequence[Key]]) -> None:
    """Count one requeue of each message: its own key, and that of its copy."""
    with ledger.change("requeues", durable=False) as database:
        count_moves(database, moves)


def note_loops(plan: Plan, journal: Journal, most: int, park: str | None) -> None:
    """Say in *plan* which messages have been requeued too often to go once more."""
    messages = iter(plan.messages)
    over = 0
    while some := [*islice(messages, _AT_ONCE)]:
        reached = requeued_often(journal, map(key_of, some), most)
        over += sum(key_of(message) in reached for message in some)
    if not over:
        return
    often = (
        f"requeued {count_text(most, 'time')} already (--max-requeues {most}; undone ones count)"
    )
    if park:
        plan.notes.append(f"{over} will be parked on {park}: {often}")
        return
    plan.notes.append(f"{over} will stay: {often}")
    if over == len(plan.messages):
        plan.refusals.append(
            (
                f"{plan.count} of {plan.count} were {often}",
                "find out why they return: backout causes; --park QUEUE moves them to another"
                f" queue; --skip {plan.count} leaves them and looks behind them",
            )
        )


def key_of(message: PlannedMessage) -> Key:
    return message.msg_id, message.digest
