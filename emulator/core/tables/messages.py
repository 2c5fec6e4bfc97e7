"""Tables `message` and `body`: messages in the order of delivery, and their data.

What a get or browse looks for is put together in `core.get.rows`; everything else about messages
stands here. A span is the first position of a queue and the one behind its last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from mqtriage.emulator.core.file.store import QUEUE_SHIFT, Store
from mqtriage.emulator.core.tables import counters
from mqtriage.mq.delay import StagingLoad
from mqtriage.mq.descriptor import MQMD, NO_ID, pack
from mqtriage.mq.expiry import Lifetimes

Span = tuple[int, int]
Row = tuple[int | bytes | str | None, ...]
"""The values of `_INSERT`, position first."""

_PRIORITY_BYTE: Final = 41  # of MQMD.Priority in the packed descriptor, counted from 1
_IN: Final = "position >= ? AND position < ?"
_FREE: Final = "unit IS NULL AND locked_by IS NULL"


def new(
    position: int,
    md: MQMD,
    body: bytes,
    put_us: int,
    expires_us: int | None = None,
    due_us: int | None = None,
    unit: int | None = None,
    unit_act: str | None = None,
) -> Row:
    """The row of a message whose descriptor is final."""
    correl_id = None if md.correl_id == NO_ID else md.correl_id
    group_id = None if md.group_id == NO_ID else md.group_id
    return (
        position, pack(md), md.msg_id, correl_id, group_id, put_us, len(body), md.persistence,
        expires_us, due_us, due_us, unit, unit_act,
    )  # fmt: skip


_INSERT: Final = (
    "INSERT INTO message (position, md, msg_id, correl_id, group_id, put_us, length, persistent,"
    " expires_us, due_us, event_us, unit, unit_act, backouts)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"
)
_INSERT_BODY: Final = "INSERT INTO body VALUES (?, ?)"


# -- put and taken --------------------------------------------------------------------------------


def insert(store: Store, row: Row, body: bytes) -> None:
    """Write a message; the queue has counted it."""
    store.execute(_INSERT, row)
    store.execute(_INSERT_BODY, (row[0], body))


def write_backouts(store: Store, position: int, backouts: int) -> None:
    """Let a message have been rolled back so often."""
    store.execute("UPDATE message SET backouts = ? WHERE position = ?", (backouts, position))


def insert_all(store: Store, messages: Iterable[tuple[Row, bytes]]) -> None:
    """Write several; their queues have counted them."""
    rows = list(messages)
    store.execute_all(_INSERT, (row for row, _ in rows))
    store.execute_all(_INSERT_BODY, ((row[0], body) for row, body in rows))


def delete_all(store: Store, positions: Iterable[int]) -> None:
    """Take several out; their queues have counted them."""
    gone = [(position,) for position in positions]
    store.execute_all("DELETE FROM message WHERE position = ?", gone)
    store.execute_all("DELETE FROM body WHERE position = ?", gone)


def remove(store: Store, position: int, got_us: int | None = None) -> None:
    """Take one out, and count it out.

    Args:
        got_us: when, for a message that was got; None where it went another way.
    """
    store.execute("DELETE FROM message WHERE position = ?", (position,))
    remove_body(store, position, got_us)


def remove_body(store: Store, position: int, got_us: int | None = None) -> None:
    """Drop the body of a message whose row has gone, and count it out."""
    store.execute("DELETE FROM body WHERE position = ?", (position,))
    counters.change_depth(store, position >> QUEUE_SHIFT, -1, got_us)


def expire(store: Store, position: int, now_us: int) -> bytes | None:
    """Take the row out of a message that has expired; its packed descriptor, None if it is not."""
    row = store.execute(
        "DELETE FROM message WHERE position = ? AND unit IS NULL AND expires_us <= ? RETURNING md",
        (position, now_us),
    ).fetchone()
    return None if row is None else row[0]


def remove_of_unit(store: Store, position: int, unit: int) -> None:
    """Take one out that a unit of work holds, if it is still there."""
    gone = store.execute("DELETE FROM message WHERE position = ? AND unit = ?", (position, unit))
    if gone.rowcount:
        remove_body(store, position)


def body(store: Store, position: int) -> bytes:
    """The data of one."""
    (data,) = store.execute("SELECT data FROM body WHERE position = ?", (position,)).fetchone()
    return bytes(data)


def put_us(store: Store, position: int) -> int:
    """When one was put."""
    return store.number("SELECT put_us FROM message WHERE position = ?", (position,))


# -- of a queue -----------------------------------------------------------------------------------


def clear(store: Store, span: Span) -> int:
    """Take out all that is on a queue; how many, which its counter has still to be told."""
    store.execute(f"DELETE FROM body WHERE {_IN}", span)
    return store.execute(f"DELETE FROM message WHERE {_IN}", span).rowcount


def count_non_persistent(store: Store, span: Span) -> int:
    """How many are not persistent."""
    which = f"{_IN} AND persistent = 0"
    row = store.execute(f"SELECT COUNT(*) FROM message WHERE {which}", span).fetchone()
    return int(row[0])


def drop_non_persistent(store: Store, span: Span) -> int:
    """Take out what is not persistent; how many."""
    which = f"{_IN} AND persistent = 0"
    store.execute(
        f"DELETE FROM body WHERE position IN (SELECT position FROM message WHERE {which})", span
    )
    count = store.execute(f"DELETE FROM message WHERE {which}", span).rowcount
    counters.change_depth(store, span[0] >> QUEUE_SHIFT, -count)
    return count


def is_any(store: Store, span: Span, *, in_unit: bool = False) -> bool:
    """Whether there is a message, or one that a unit of work holds."""
    which = " AND unit IS NOT NULL" if in_unit else ""
    return store.has(f"SELECT 1 FROM message WHERE {_IN}{which} LIMIT 1", span)


def in_order(store: Store, span: Span) -> list[tuple[int, bytes]]:
    """Position and packed descriptor of all, in the order of delivery."""
    return store.execute(
        f"SELECT position, md FROM message WHERE {_IN} ORDER BY position", span
    ).fetchall()


def renumber(store: Store, position: int, new: int) -> None:
    """Move one to another position."""
    store.execute("UPDATE message SET position = ? WHERE position = ?", (new, position))
    store.execute("UPDATE body SET position = ? WHERE position = ?", (new, position))


def first_free(store: Store, span: Span) -> tuple[int, bytes, int | None] | None:
    """Position, packed descriptor and end of lifetime of the first that anybody may get."""
    row: tuple[int, bytes, int | None] | None = store.execute(
        f"SELECT position, md, expires_us FROM message WHERE {_IN} AND {_FREE} LIMIT 1", span
    ).fetchone()
    return row


def page(store: Store, span: Span, size: int) -> list[tuple[Any, ...]]:
    """The first messages of a span whole: position, md, put_us, expires_us, due_us, backouts,
    length, unit_act, body."""
    return store.execute(
        "SELECT position, md, put_us, expires_us, due_us, backouts, length, unit_act, body.data"
        f" FROM message JOIN body USING (position) WHERE {_IN} ORDER BY position LIMIT {size}",
        span,
    ).fetchall()


# -- numbers about a queue ------------------------------------------------------------------------


def longest(store: Store, span: Span) -> int | None:
    """The length of the longest, None where there is none."""
    return store.number_if_any(f"SELECT max(length) FROM message WHERE {_IN}", span)


def total_bytes(store: Store, span: Span) -> int:
    """The length of all together."""
    return store.number(f"SELECT coalesce(sum(length), 0) FROM message WHERE {_IN}", span)


def count_uncommitted(store: Store, span: Span) -> int:
    """How many a unit of work holds; staged ones are not counted before the commit."""
    return store.number(
        "SELECT count(*) FROM message INDEXED BY message_unit WHERE unit IS NOT NULL"
        f" AND {_IN} AND unit_act <> 'stage'",
        span,
    )


def first_put_us(store: Store, span: Span) -> int | None:
    """When the first of a span was put, None where there is none."""
    return store.number_if_any(f"SELECT put_us FROM message WHERE {_IN} LIMIT 1", span)


def count_of_priority(store: Store, span: Span, least: int, most: int) -> int:
    """How many have at least that priority; no further than *most*."""
    return store.number(
        f"SELECT count(*) FROM (SELECT 1 FROM message WHERE {_IN}"
        f" AND substr(md, {_PRIORITY_BYTE}, 1) >= ? LIMIT ?)",
        (*span, bytes((least,)), most),
    )


def any_expired(store: Store, now_us: int) -> bool:
    """Whether a lifetime on any queue is over."""
    sql = "SELECT 1 FROM message INDEXED BY message_expires WHERE expires_us <= ? LIMIT 1"
    return store.has(sql, (now_us,))


def count_expired(store: Store, now_us: int) -> dict[int, int]:
    """How many lifetimes are over on each queue that has any such message, by queue id."""
    sql = (
        f"SELECT position >> {QUEUE_SHIFT}, count(*) FROM message INDEXED BY message_expires"
        " WHERE expires_us <= ? AND unit IS NULL GROUP BY 1"
    )
    return dict(store.execute(sql, (now_us,)).fetchall())


def count_lifetimes(store: Store, span: Span, now_us: int, soon_us: int) -> Lifetimes:
    """The lifetimes on a queue; those that end until *soon_us* are `within_hour`."""
    row = store.execute(
        "SELECT coalesce(sum(expires_us <= :now), 0), coalesce(sum(expires_us > :now), 0),"
        " min(CASE WHEN expires_us > :now THEN expires_us END),"
        " coalesce(sum(expires_us > :now AND expires_us <= :soon), 0),"
        " min(CASE WHEN expires_us <= :now THEN expires_us END)"
        " FROM message INDEXED BY message_expires WHERE expires_us IS NOT NULL"
        " AND unit IS NULL AND position >= :first AND position < :last",
        {"now": now_us, "soon": soon_us, "first": span[0], "last": span[1]},
    ).fetchone()
    return Lifetimes(*row)


def count_due(
    store: Store, span: Span, now_us: int, overdue_us: int, minute_us: int, hour_us: int
) -> StagingLoad:
    """What is staged; the last three are the ends of `overdue`, `due_minute` and `due_hour`."""
    row = store.execute(
        "SELECT max(length), min(CASE WHEN due_us > :now THEN due_us END),"
        " coalesce(sum(due_us <= :overdue), 0),"
        " coalesce(sum(due_us > :now AND due_us <= :minute), 0),"
        " coalesce(sum(due_us > :now AND due_us <= :hour), 0),"
        " min(CASE WHEN due_us <= :now THEN due_us END)"
        " FROM message WHERE unit IS NULL AND position >= :first AND position < :last",
        {
            "now": now_us,
            "overdue": overdue_us,
            "minute": minute_us,
            "hour": hour_us,
            "first": span[0],
            "last": span[1],
        },
    ).fetchone()
    return StagingLoad(*row)


def count_backed_out(store: Store, span: Span, threshold: int, now_us: int) -> int:
    """How many a get would return that were backed out that often."""
    return store.number(
        f"SELECT count(*) FROM message WHERE unit IS NULL AND {_IN} AND backouts >= ?"
        " AND (expires_us IS NULL OR expires_us > ?)",
        (*span, threshold, now_us),
    )


def count_alive(store: Store, span: Span, now_us: int) -> int:
    """How many have a lifetime that is not over."""
    return store.number(
        f"SELECT count(*) FROM message WHERE {_IN} AND expires_us > ?", (*span, now_us)
    )


# -- units of work and locks ----------------------------------------------------------------------


def lock(store: Store, position: int, handle_id: int) -> bool:
    """Lock one for a handle; False where somebody else has it."""
    return store.has(
        "UPDATE message SET locked_by = ? WHERE position = ? AND unit IS NULL"
        " AND (locked_by IS NULL OR locked_by = ?) RETURNING position",
        (handle_id, position, handle_id),
    )


def lock_all(store: Store, locks: Iterable[tuple[int, int]]) -> None:
    """Lock rows that are free, each for a handle: position and number of the handle."""
    values = [(handle_id, position) for position, handle_id in locks]
    store.execute_all("UPDATE message SET locked_by = ? WHERE position = ?", values)


def give_all_to_unit(store: Store, positions: Iterable[int], unit: int, act: str) -> None:
    """Let a unit of work hold several."""
    store.execute_all(_GIVE, ((unit, act, position) for position in positions))


def count_died_with(store: Store, position: int, msg_id: bytes, most: int) -> None:
    """Count that a program ended which had got that message, unless its unit of work has it."""
    store.execute(
        "UPDATE message SET backouts = min(backouts + 1, ?)"
        " WHERE position = ? AND msg_id = ? AND unit IS NULL",
        (most, position, msg_id),
    )


def give_to_unit(store: Store, position: int, unit: int, act: str) -> None:
    """Let a unit of work hold one."""
    store.execute(_GIVE, (unit, act, position))


_GIVE: Final = "UPDATE message SET unit = ?, unit_act = ?, locked_by = NULL WHERE position = ?"


def acts_of_unit(store: Store, unit: int) -> list[tuple[int, str, int, int | None]]:
    """What a unit of work holds: queue, act, how many, the last end of a lifetime."""
    return store.execute(
        f"SELECT position >> {QUEUE_SHIFT}, unit_act, count(*), max(expires_us) FROM message"
        " WHERE unit = ? GROUP BY 1, 2",
        (unit,),
    ).fetchall()


def count_acts(store: Store, act: str, most: int) -> int:
    """How many messages units of work hold that were done in that way; no further than *most*."""
    return store.number(
        "SELECT count(*) FROM"
        " (SELECT 1 FROM message WHERE unit IS NOT NULL AND unit_act = ? LIMIT ?)",
        (act, most),
    )


def remove_acts(store: Store, unit: int, acts: set[str]) -> None:
    """Take out what a unit of work did in one of these ways; its queues have still to count it."""
    placeholders = ", ".join("?" for _ in acts)
    which = f"unit = ? AND unit_act IN ({placeholders})"
    values = (unit, *acts)
    store.execute(
        f"DELETE FROM body WHERE position IN (SELECT position FROM message WHERE {which})", values
    )
    store.execute(f"DELETE FROM message WHERE {which}", values)


def free_unit(store: Store, unit: int) -> None:
    """Let go of what a unit of work holds."""
    store.execute("UPDATE message SET unit = NULL, unit_act = NULL WHERE unit = ?", (unit,))


def back_out_unit(store: Store, unit: int, but: str, most: int) -> None:
    """Let go of what a unit of work holds, with one more in BackoutCount.

    Args:
        but: the act of those that are not counted.
    """
    store.execute(
        "UPDATE message SET unit = NULL, unit_act = NULL,"
        " backouts = min(backouts + (unit_act <> ?), ?) WHERE unit = ?",
        (but, most, unit),
    )


def delay_unit(store: Store, unit: int, act: str, until_us: int) -> None:
    """Let what a unit of work did in that way fall due no earlier than *until_us*."""
    store.execute(
        "UPDATE message SET event_us = max(event_us, ?) WHERE unit = ? AND unit_act = ?",
        (until_us, unit, act),
    )


def is_in_unit(store: Store, unit: int) -> bool:
    """Whether a unit of work holds anything."""
    return store.has("SELECT 1 FROM message WHERE unit = ? LIMIT 1", (unit,))


def batch(
    store: Store, span: Span, unit: int | None, size: int
) -> list[tuple[int, bytes, int | None, int, bytes]]:
    """Position, md, expires_us, backouts and body of the first that a unit holds, or nobody."""
    which, values = (_FREE, span) if unit is None else ("unit = ?", (*span, unit))
    return store.execute(
        "SELECT position, md, expires_us, backouts, data FROM message JOIN body USING (position)"
        f" WHERE {_IN} AND {which} ORDER BY position LIMIT {size}",
        values,
    ).fetchall()


# -- what falls due -------------------------------------------------------------------------------


def due(store: Store, until_us: int, most: int) -> list[tuple[int, int]]:
    """Position and time of the staged messages that fall due next, in order."""
    return store.execute(
        "SELECT position, event_us FROM message WHERE event_us IS NOT NULL AND event_us <= ?"
        f" AND unit IS NULL ORDER BY event_us, position LIMIT {most}",
        (until_us,),
    ).fetchall()


def staged(store: Store, position: int) -> tuple[bytes, int | None, int, bytes]:
    """Packed descriptor, end of lifetime, backouts and body of a staged message."""
    row: tuple[bytes, int | None, int, bytes] = store.execute(
        "SELECT md, expires_us, backouts, body.data FROM message JOIN body USING (position)"
        " WHERE position = ?",
        (position,),
    ).fetchone()
    return row


def write_event(store: Store, position: int, event_us: int | None) -> None:
    """Let a staged message fall due then; None never."""
    store.execute("UPDATE message SET event_us = ? WHERE position = ?", (event_us, position))


def skip_to(store: Store, position: int, event_us: int) -> int:
    """Let a staged message fall due then, or when its lifetime ends before; when that is."""
    return store.number(
        "UPDATE message SET event_us = min(?, coalesce(max(expires_us, event_us), ?))"
        " WHERE position = ? RETURNING event_us",
        (event_us, event_us, position),
    )


def is_event_due(store: Store, now_us: int) -> bool:
    """Whether a delivery, or a publication for another queue manager, is due."""
    (is_due,) = store.execute(
        "SELECT EXISTS (SELECT 1 FROM message WHERE event_us IS NOT NULL AND event_us <= :now"
        " AND unit IS NULL) OR EXISTS (SELECT 1 FROM outgoing WHERE event_us <= :now)",
        {"now": now_us},
    ).fetchone()
    return bool(is_due)


def first_expiry_us(store: Store) -> int | None:
    """The first end of a lifetime of a message that no unit of work holds."""
    return store.number_if_any(
        "SELECT expires_us FROM message INDEXED BY message_expires WHERE expires_us IS NOT NULL"
        " AND unit IS NULL ORDER BY expires_us LIMIT 1"
    )


def expired(store: Store, now_us: int, most: int) -> list[int]:
    """Positions of the first that have expired and that no unit of work holds."""
    return store.column(
        "SELECT position FROM message INDEXED BY message_expires WHERE expires_us IS NOT NULL"
        f" AND expires_us <= ? AND unit IS NULL ORDER BY expires_us, position LIMIT {most}",
        (now_us,),
    )
