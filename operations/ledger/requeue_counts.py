"""How often each message was requeued: the loop guard of `--max-requeues`.

A message that is requeued and fails again comes back with the same MsgId and the same data, so it
is known by both. Where the copy differs (a new MsgId, a header taken off) the count goes on with
the copy, and both stand for the message from then on.

The counts are a table of the ledger, made again from its operations after a prune.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import islice
from typing import Final

from mqtriage.model.plan import Plan, PlannedMessage, Refusal
from mqtriage.model.units import agreeing, count_text
from mqtriage.mq.message import Message
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


def key_of_message(message: Message) -> Key:
    """What a message is known by: its MsgId, and the digest of its data."""
    return message.md.msg_id, sha256(message.body).digest()


def count_requeues(ledger: Ledger, moves: Iterable[Sequence[Key]], change: int = 1) -> None:
    """Count one requeue of each message, by its own key and that of its copy; -1 undoes one."""
    with ledger.change("requeues", durable=False) as database:
        count_moves(database, moves, change)


def is_counted(ledger: Ledger, op: str) -> bool:
    """Whether the requeues of an operation count."""
    sql = "SELECT json_extract(plan, '$.request.max_requeues') FROM operation WHERE op = ?"
    row = ledger.row(sql, op)
    return row is not None and row[0] is not None


class PassedOver:
    """Messages that were requeued *most* times, and so are none of those that `--limit` counts.

    Attributes:
        count: how many of those that were asked about.
    """

    def __init__(self, journal: Journal, most: int) -> None:
        self._journal, self._most = journal, most
        self.count = 0

    def __call__(self, message: Message) -> bool:
        """Whether the message is one of them."""
        often = times_requeued(self._journal, key_of_message(message)) >= self._most
        self.count += often
        return often


def note_loops(
    plan: Plan, journal: Journal, most: int, park: str | None, passed_over: int = 0
) -> None:
    """Say in *plan* which messages have been requeued too often to go once more.

    Args:
        passed_over: how many were left out of it for that.
    """
    messages = iter(plan.messages)
    over = 0
    while some := [*islice(messages, _AT_ONCE)]:
        reached = requeued_often(journal, map(key_of, some), most)
        over += sum(key_of(message) in reached for message in some)
    over += passed_over
    if not over:
        return
    plan.staying += over - passed_over
    often = f"moved or requeued at least {count_text(most, 'time')} (--max-requeues {most})"
    if park:
        plan.notes.append(f"{over} will be parked on {park}: {often}")
        return
    uncounted = ", which --limit does not count" if passed_over else ""
    plan.notes.append(f"{over} will stay{uncounted}: {often}")
    if over == len(plan.messages) + passed_over:
        plan.refusals.append(
            Refusal(
                f"{over} of {over} {agreeing(over, 'were')} {often}",
                "find out why they return: backout causes; to move them to another queue, add"
                " --park QUEUE",
            )
        )


def key_of(message: PlannedMessage) -> Key:
    return message.msg_id, message.digest
