"""Table `counter`: what every put and get changes of a queue, CURDEPTH first."""

from __future__ import annotations

from mqtriage.emulator.core.file.store import Store
from mqtriage.records import NamedTuple


class Counter(NamedTuple):
    """The numbers of one queue.

    Attributes:
        depth: CURDEPTH: messages, uncommitted ones too.
        arrivals: messages ever put.
        high: greatest depth since the statistics were reset.
    """

    depth: int
    arrivals: int
    put_us: int | None
    get_us: int | None
    high: int


def read(store: Store, queue_id: int) -> Counter:
    """The numbers of a queue."""
    return Counter(
        *store.execute(
            "SELECT depth, arrivals, put_us, get_us, high FROM counter WHERE queue = ?", (queue_id,)
        ).fetchone()
    )


def write(store: Store, queue_id: int, counter: Counter) -> None:
    """Write the numbers of a queue."""
    store.execute(
        "UPDATE counter SET depth = ?, arrivals = ?, put_us = ?, get_us = ?, high = ?"
        " WHERE queue = ?",
        (*counter, queue_id),
    )


def depth(store: Store, queue_id: int) -> int:
    """CURDEPTH; 0 of a queue that there is not."""
    return store.number_if_any("SELECT depth FROM counter WHERE queue = ?", (queue_id,)) or 0


def count_arrivals(store: Store, queue_id: int, put_us: int, count: int) -> int:
    """Count messages in that are put; how many had arrived before."""
    return store.number(
        "UPDATE counter SET arrivals = arrivals + ?1, depth = depth + ?1, put_us = ?2,"
        " high = max(high, depth + ?1) WHERE queue = ?3 RETURNING arrivals - ?1",
        (count, put_us, queue_id),
    )


def count_arrival(store: Store, queue_id: int, put_us: int, by: int) -> tuple[int, int]:
    """Count one message in; depth and number of its arrival.

    Args:
        by: what it adds to the depth: 0 while it is staged in a unit of work.
    """
    depth, arrivals = store.execute(
        "UPDATE counter SET depth = depth + ?1, arrivals = arrivals + 1, put_us = ?2,"
        " high = max(high, depth + ?1) WHERE queue = ?3 RETURNING depth, arrivals",
        (by, put_us, queue_id),
    ).fetchone()
    return depth, arrivals


def change_depth(store: Store, queue_id: int, by: int, got_us: int | None = None) -> None:
    """Count messages in or out that were there already.

    Args:
        got_us: when, for messages that were got; None where they went another way.
    """
    if got_us is not None:
        store.got_from.add(queue_id)
    store.execute(
        "UPDATE counter SET depth = depth + ?, get_us = coalesce(?, get_us) WHERE queue = ?",
        (by, got_us, queue_id),
    )


def clear(store: Store, queue_id: int, got_us: int | None = None) -> None:
    """Count all messages out."""
    if got_us is not None:
        store.got_from.add(queue_id)
    store.execute(
        "UPDATE counter SET depth = 0, get_us = coalesce(?, get_us) WHERE queue = ?",
        (got_us, queue_id),
    )


def reset_high(store: Store, queue_id: int) -> None:
    """Begin the statistics of the queue anew."""
    store.execute("UPDATE counter SET high = depth WHERE queue = ?", (queue_id,))


def last_trigger_us(store: Store, queue_id: int) -> int | None:
    """When the queue last triggered."""
    return store.number_if_any("SELECT trigger_us FROM counter WHERE queue = ?", (queue_id,))


def has_triggered(store: Store, queue_id: int, now_us: int) -> None:
    """Note that the queue triggered now."""
    store.execute("UPDATE counter SET trigger_us = ? WHERE queue = ?", (now_us, queue_id))


def total_depth(store: Store) -> int:
    """Messages on all queues."""
    return store.number("SELECT coalesce(sum(depth), 0) FROM counter")
