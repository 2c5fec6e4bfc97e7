"""Units of work: rows that carry the number of a connection until it commits or backs out.

What `message.unit_act` says of a row that carries a unit's number:

    put     put under syncpoint: counted in CURDEPTH, seen by this unit alone
    get     got under syncpoint: counted, seen by nobody
    both    put and got in the same unit
    stage   a delayed message: neither counted nor seen until the commit (DD-34, C-16)
    trigger a trigger message that the unit caused: counted, seen by nobody until the unit ends,
            and there then also when it is backed out
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import COMMAND_QUEUE, COMMANDS
from mqtriage.emulator.core.store import QUEUE_SHIFT
from mqtriage.emulator.due.expirer import next_scan_us
from mqtriage.emulator.pubsub import subscription_expiry
from mqtriage.mq import codes
from mqtriage.mq.errors import mqi_error

if TYPE_CHECKING:
    from mqtriage.emulator.core.connections import Handle
    from mqtriage.emulator.core.groups import Places

PUT: Final = "put"
GET: Final = "get"
BOTH: Final = "both"
STAGE: Final = "stage"
TRIGGER: Final = "trigger"


class Holder:
    """The unit of work that messages made along with a put or get belong to.

    Attributes:
        id: number of the connection.
        put_to: as of its `Unit`.
        room: how many messages MAXUMSGS still allows beside the put or get itself.
        made: how many were made so far.
    """

    __slots__ = ("id", "made", "put_to", "room")

    def __init__(self, connection_id: int, put_to: set[int], room: int) -> None:
        self.id = connection_id
        self.put_to = put_to
        self.room = room
        self.made = 0

    def add(self, doing: str) -> None:
        """Count one more.

        Raises:
            MQIError: 2024.
        """
        if self.made >= self.room:
            raise mqi_error(
                codes.MQRC_SYNCPOINT_LIMIT_REACHED,
                doing,
                detail="the unit of work holds as many messages as MAXUMSGS allows",
            )
        self.made += 1


class Unit:
    """What one connection has under syncpoint.

    Attributes:
        count: messages put and got so far, for MAXUMSGS.
        persistent: whether a persistent message is among them, so that the commit must be durable.
        put_to: ids of queues that hold messages put by this unit, which only it can see.
        before: for handles that went on in a group, how they stood when the unit began.
        at_commit: what publications of the unit do in the transaction that commits it.
    """

    __slots__ = ("at_commit", "before", "count", "persistent", "put_to")

    def __init__(self) -> None:
        self.at_commit: list[Callable[[Manager, int], None]] = []
        self.count = 0
        self.persistent = False
        self.put_to: set[int] = set()
        self.before: dict[Handle, Places | None] | None = None

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
        f"SELECT position >> {QUEUE_SHIFT}, unit_act, count(*), max(expires_us) FROM message"
        " WHERE unit = ? GROUP BY 1, 2",
        (unit,),
    ).fetchall()
    if not acts:
        return
    leaving = (GET, BOTH) if committed else (PUT, BOTH, STAGE)
    _remove(manager, unit, {act for _, act, _, _ in acts}.intersection(leaving))
    if committed:
        if any(act == STAGE for _, act, _, _ in acts):  # the processor cannot meet it before now
            execute(
                "UPDATE message SET event_us = max(event_us, ?) WHERE unit = ? AND unit_act = ?",
                (now_us, unit, STAGE),
            )
        execute("UPDATE message SET unit = NULL, unit_act = NULL WHERE unit = ?", (unit,))
    else:
        most = 255 if manager.is_zos else 2**31 - 1
        execute(
            "UPDATE message SET unit = NULL, unit_act = NULL,"
            f" backouts = min(backouts + (unit_act <> '{TRIGGER}'), ?) WHERE unit = ?",
            (most, unit),
        )
    timed = any(_is_command_queue(manager, queue) for queue, *_ in acts)
    for queue, act, count, expires_us in acts:
        timed = timed or expires_us is not None
        if act == STAGE:
            timed = True
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
    if timed:
        refresh_next_event(manager, now_us)


def _remove(manager: Manager, unit: int, acts: set[str]) -> None:
    if not acts:
        return
    execute = manager.store.execute
    marks = ", ".join("?" for _ in acts)
    which = f"SELECT position FROM message WHERE unit = ? AND unit_act IN ({marks})"
    execute(f"DELETE FROM body WHERE position IN ({which})", (unit, *acts))
    execute(f"DELETE FROM message WHERE unit = ? AND unit_act IN ({marks})", (unit, *acts))


def _is_command_queue(manager: Manager, queue_id: int) -> bool:
    queue = manager.by_id.get(queue_id)
    return queue is not None and bool(queue.special & COMMANDS)


def command_waits(manager: Manager) -> bool:
    """Whether a command is there for the command server, which stops while it may not get."""
    queue = manager.queues.get(COMMAND_QUEUE)
    if queue is None or not queue.is_local or not queue.get_enabled:
        return False
    row = manager.store.execute(
        "SELECT 1 FROM message WHERE position >= ? AND position < ? AND unit IS NULL"
        " AND locked_by IS NULL LIMIT 1",
        (queue.first, queue.last),
    ).fetchone()
    return row is not None


def is_timed_event_due(manager: Manager, now_us: int) -> bool:
    """Whether it is more than a command that waits.

    A delivery, a publication, a run of the expirer, or the end of a subscription.
    """
    others = (
        next_scan_us(manager, manager.state.reached_us),
        subscription_expiry.next_us(manager),
    )
    if any(each is not None and each <= now_us for each in others):
        return True
    (found,) = manager.store.execute(
        "SELECT EXISTS (SELECT 1 FROM message WHERE event_us IS NOT NULL AND event_us <= :now"
        " AND unit IS NULL) OR EXISTS (SELECT 1 FROM outgoing WHERE event_us <= :now)",
        {"now": now_us},
    ).fetchone()
    return bool(found)


def refresh_next_event(
    manager: Manager, now_us: int | None = None, *, delivering: bool = True
) -> None:
    """Work out anew when something happens next; inside a transaction of *manager*.

    Args:
        now_us: the moment that has been reached: what could have happened before happens now.
        delivering: whether the delay processor delivers.
    """
    now = manager.now_us() if now_us is None else now_us
    due = "SELECT min(event_us) AS at FROM message WHERE event_us IS NOT NULL AND unit IS NULL"
    manager.store.execute(
        "UPDATE state SET reached_us = max(reached_us, :now),"
        f" next_event_us = (SELECT min(at) FROM (SELECT :scan AS at UNION ALL {due} AND :deliver"
        " UNION ALL SELECT min(event_us) FROM outgoing UNION ALL SELECT :command"
        " UNION ALL SELECT :ends))",
        {
            "now": now,
            "scan": next_scan_us(manager, now),
            "deliver": delivering,
            "command": now if command_waits(manager) else None,
            "ends": subscription_expiry.next_us(manager),
        },
    )
