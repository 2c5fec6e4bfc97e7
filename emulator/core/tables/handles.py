"""Tables `connection` and `handle`: programs that are there, and what they have open."""

from __future__ import annotations

from mqtriage.emulator.core.file.store import Store
from mqtriage.records import NamedTuple


class ShownProgram(NamedTuple):
    """A program as DISPLAY CONN and CHSTATUS show it.

    Attributes:
        came: how it came (`channels.Came`), as text.
        lock_name: of its lock file, which has when its unit of work began.
    """

    number: int
    application: str
    user: str
    connected_us: int
    came: str
    in_unit: bool
    lock_name: str


def insert_connection(
    store: Store, lock_name: str, application: str, user: str, now_us: int, came: str = ""
) -> int:
    """Enter a program; its number."""
    return store.number(
        "INSERT INTO connection (lock_name, application, user, connected_us, instance)"
        " VALUES (?, ?, ?, ?, ?) RETURNING id",
        (lock_name, application, user, now_us, came),
    )


def connections(store: Store) -> list[tuple[int, str]]:
    """Number and name of the lock file of each program."""
    return store.execute("SELECT id, lock_name FROM connection").fetchall()


def count_connections(store: Store) -> int:
    """How many programs are there."""
    return store.number("SELECT count(*) FROM connection")


def last_connection(store: Store) -> int:
    """The highest number of a program that is there, 0 for none."""
    return store.number("SELECT coalesce(max(id), 0) FROM connection")


def shown_connections(store: Store) -> list[ShownProgram]:
    """Each program, in the order in which they came."""
    rows = store.execute(
        "SELECT c.id, c.application, c.user, c.connected_us, c.instance,"
        " EXISTS (SELECT 1 FROM message m WHERE m.unit = c.id), c.lock_name"
        " FROM connection c ORDER BY c.id"
    )
    return [ShownProgram(*columns) for columns in rows]


def delete_connection(store: Store, connection_id: int) -> None:
    """Take a program out with its handles and the locks that they hold."""
    store.execute(
        "UPDATE message SET locked_by = NULL WHERE locked_by IN"
        " (SELECT id FROM handle WHERE connection = ?)",
        (connection_id,),
    )
    store.execute("DELETE FROM handle WHERE connection = ?", (connection_id,))
    store.execute("DELETE FROM connection WHERE id = ?", (connection_id,))


def delete_all(store: Store) -> None:
    """Take all programs out with their handles and locks."""
    store.execute("DELETE FROM handle")
    store.execute("DELETE FROM connection")
    store.execute("UPDATE message SET locked_by = NULL WHERE locked_by IS NOT NULL")


# -- handles --------------------------------------------------------------------------------------


def insert(store: Store, connection_id: int, queue_id: int, options: int) -> int:
    """Enter an open queue; the number of the handle."""
    return store.number(
        "INSERT INTO handle (connection, queue, options) VALUES (?, ?, ?) RETURNING id",
        (connection_id, queue_id, options),
    )


def delete(store: Store, handle_id: int) -> None:
    """Take an open queue out, and free what it has locked."""
    store.execute("DELETE FROM handle WHERE id = ?", (handle_id,))
    unlock(store, handle_id)


def options_of(store: Store, queue_id: int) -> list[int]:
    """MQOO_* options of each handle to a queue."""
    return store.column("SELECT options FROM handle WHERE queue = ?", (queue_id,))


def shown(store: Store, queue_id: int) -> list[tuple[int, str, str, str, int]]:
    """Options of each handle to a queue, with application, user, how that came, and its unit.

    The unit of work is the number of the connection, or 0 where it has none.
    """
    return store.execute(
        "SELECT h.options, c.application, c.user, c.instance,"
        " CASE WHEN EXISTS (SELECT 1 FROM message m WHERE m.unit = c.id) THEN c.id ELSE 0 END"
        " FROM handle h JOIN connection c ON c.id = h.connection WHERE h.queue = ? ORDER BY h.id",
        (queue_id,),
    ).fetchall()


def of_connections(store: Store) -> list[tuple[int, int, str]]:
    """Connection, options and queue's name of each handle, in the order of opening."""
    return store.execute(
        "SELECT h.connection, h.options, q.name FROM handle h JOIN queue q ON q.id = h.queue"
        " ORDER BY h.connection, h.id"
    ).fetchall()


def is_open(store: Store, queue_id: int, any_of: int = -1) -> bool:
    """Whether somebody has a queue open, with any of these MQOO_* options."""
    return store.has(
        "SELECT 1 FROM handle WHERE queue = ? AND options & ? LIMIT 1", (queue_id, any_of)
    )


def last_to(store: Store, queue_id: int) -> int | None:
    """The number of the handle that was opened last, None where the queue is not open."""
    return store.number_if_any("SELECT max(id) FROM handle WHERE queue = ?", (queue_id,))


def unlock(store: Store, handle_id: int) -> None:
    """Free what a handle has locked by browsing."""
    store.execute("UPDATE message SET locked_by = NULL WHERE locked_by = ?", (handle_id,))
