"""Units of work: rows that carry the number of a connection until it commits or backs out.

Those of a branch of a global transaction carry the branch's number, below zero: it may outlive its
connection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mqtriage.emulator.core import timetable
from mqtriage.emulator.core.holder import BOTH, GET, PUT, STAGE, TRIGGER
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import COMMANDS, TRANSMISSION
from mqtriage.emulator.core.tables import branches, counters, messages

if TYPE_CHECKING:
    from mqtriage.emulator.core.group_positions import GroupPositions
    from mqtriage.emulator.core.handle import Handle


class Unit:
    """What one connection has under syncpoint.

    Attributes:
        branch: number of the branch of a global transaction that it is; 0 for none (`branches`).
        count: messages put and got so far, for MAXUMSGS.
        persistent: whether a persistent message is among them, so that the commit must be durable.
        put_to: ids of queues that hold messages put by this unit, which only it can see.
        before: for handles that went on in a group, how they stood when the unit began.
        at_commit: what publications of the unit do in the transaction that commits it.
        begins: called before the first message is added.
    """

    __slots__ = ("at_commit", "before", "begins", "branch", "count", "persistent", "put_to")

    def __init__(self, branch: int = 0, begins: Callable[[], None] | None = None) -> None:
        self.branch = branch
        self.begins = begins
        self.at_commit: list[Callable[[Manager, int], None]] = []
        self.count = 0
        self.persistent = False
        self.put_to: set[int] = set()
        self.before: dict[Handle, GroupPositions | None] | None = None

    def add(self, *, persistent: bool) -> None:
        if not self.count and self.begins is not None:
            self.begins()
        self.count += 1
        self.persistent = self.persistent or persistent

    def move(self, handle: Handle, positions: GroupPositions, *, in_unit: bool) -> None:
        """Set a handle's place in groups, and remember the old one for a backout."""
        if in_unit:
            if self.before is None:
                self.before = {}
            self.before.setdefault(handle, handle.groups)
        handle.groups = positions

    def restore_positions(self) -> None:
        """Let handles that went on in a group stand where they stood, after a backout."""
        for handle, positions in (self.before or {}).items():
            handle.groups = positions


def finish(manager: Manager, unit: int, *, committed: bool, now_us: int) -> None:
    """Make final or undo what carries the number *unit*; inside a transaction of *manager*.

    Committing lets the puts be seen and removes what was got. Backing out removes the puts and
    gives back what was got, with one more in BackoutCount (PM-08).
    """
    store = manager.store
    acts = messages.acts_of_unit(store, unit)
    if not acts:
        return
    leaving = (GET, BOTH) if committed else (PUT, BOTH, STAGE)
    done = {act for _, act, _, _ in acts}
    removed = done.intersection(leaving)
    if removed:
        messages.remove_acts(store, unit, removed)
    if committed:
        if any(act == STAGE for _, act, _, _ in acts):  # the processor cannot meet it before now
            messages.delay_unit(store, unit, STAGE, now_us)
        if removed != done:
            messages.free_unit(store, unit)
    elif removed != done:
        messages.back_out_unit(store, unit, TRIGGER, manager.greatest_backout_count)
    timed = any(_is_served(manager, queue) for queue, *_ in acts)
    for queue, act, count, expires_us in acts:
        timed = timed or expires_us is not None
        if act == STAGE:
            timed = True
            change = count if committed else 0
        else:
            change = -count if act in leaving else 0
        got = now_us if committed and act in (GET, BOTH) else None
        if change or got:
            counters.change_depth(store, queue, change, got)
    if timed:
        timetable.refresh_next_event(manager, now_us)


def back_out_branches(manager: Manager, connection_id: int, now_us: int) -> None:
    """Roll back the branches that end with a connection; inside a transaction."""
    for number in branches.of_connection(manager.store, connection_id):
        finish(manager, -number, committed=False, now_us=now_us)
        branches.delete(manager.store, number)


def _is_served(manager: Manager, queue_id: int) -> bool:
    """Whether a queue is one that the command server or a channel gets from."""
    queue = manager.by_id.get(queue_id)
    return queue is not None and bool(queue.special & (COMMANDS | TRANSMISSION))
