"""Units of work: rows that carry the number of a connection until it commits or backs out.

What `message.unit_act` says of a row that carries a unit's number:

    put     put under syncpoint: counted in CURDEPTH, seen by this unit alone
    get     got under syncpoint: counted, seen by nobody
    both    put and got in the same unit
    stage   a delayed message: neither counted nor seen until the commit (DD-34, C-16)
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.manager import Manager
from mqtriage.emulator.store import QUEUE_SHIFT

PUT: Final = "put"
GET: Final = "get"
BOTH: Final = "both"
STAGE: Final = "stage"


class Unit:
    """What one connection has under syncpoint.

    Attributes:
        count: messages put and got so far, for MAXUMSGS.
        persistent: whether a persistent message is among them, so that the commit must be durable.
        put_to: ids of queues that hold messages put by this unit, which only it can see.
    """

    __slots__ = ("count", "persistent", "put_to")

    def __init__(self) -> None:
        self.count = 0
        self.persistent = False
        self.put_to: set[int] = set()

    def add(self, *, persistent: bool) -> None:
        self.count += 1
        self.persistent = self.persistent or persistent


def finish(manager: Manager, unit: int, *, committed: bool, now_us: int) -> None:
    """Make final or undo what carries the number *unit*; inside a transaction of *manager*.

    Committing lets the puts be seen and removes what was got. Backing out removes the puts and
    gives back what was got, with one more in BackoutCount (PM-08; z/OS stops counting at 255).
    """
    execute = manager.store.execute
    acts = execute(
        f"SELECT position >> {QUEUE_SHIFT}, unit_act, count(*) FROM message"
        " WHERE unit = ? GROUP BY 1, 2",
        (unit,),
    ).fetchall()
    if not acts:
        return
    leaving = (GET, BOTH) if committed else (PUT, BOTH, STAGE)
    _remove(manager, unit, {act for _, act, _ in acts}.intersection(leaving))
    if committed:
        execute("UPDATE message SET unit = NULL, unit_act = NULL WHERE unit = ?", (unit,))
    else:
        most = 255 if manager.is_zos else 2**31 - 1
        execute(
            "UPDATE message SET unit = NULL, unit_act = NULL, backouts = min(backouts + 1, ?)"
            " WHERE unit = ?",
            (most, unit),
        )
    staged = False
    for queue, act, count in acts:
        if act == STAGE:
            staged = True
            change = count if committed else 0
        else:
            change = -count if act in leaving else 0
        got = now_us if committed and act in (GET, BOTH) else None
        if change or got:
            execute(
                "UPDATE counter SET depth = depth + ?, get_us = coalesce(?, get_us)"
                " WHERE queue = ?",
                (change, got, queue),
            )
    if staged and committed:
        refresh_next_event(manager)


def _remove(manager: Manager, unit: int, acts: set[str]) -> None:
    if not acts:
        return
    execute = manager.store.execute
    marks = ", ".join("?" for _ in acts)
    which = f"SELECT position FROM message WHERE unit = ? AND unit_act IN ({marks})"
    execute(f"DELETE FROM body WHERE position IN ({which})", (unit, *acts))
    execute(f"DELETE FROM message WHERE unit = ? AND unit_act IN ({marks})", (unit, *acts))


def refresh_next_event(manager: Manager) -> None:
    """Work out anew when something happens next; inside a transaction of *manager*."""
    manager.store.execute(
        "UPDATE state SET next_event_us = (SELECT min(event_us) FROM message"
        " WHERE event_us IS NOT NULL AND unit IS NULL)"
    )
