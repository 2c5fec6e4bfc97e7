"""Table `branch`: parts of global transactions that this queue manager has.

One that is prepared has no connection: it outlives the program that made it, and this run.
"""

from __future__ import annotations

from mqtriage.emulator.core.file.store import Store
from mqtriage.records import NamedTuple


class Branch(NamedTuple):
    """One branch.

    Attributes:
        number: what its messages carry as their unit of work, but for the sign.
        connection: number of the connection that it ends with; None once it is prepared.
    """

    number: int
    xid: bytes
    connection: int | None

    @property
    def is_prepared(self) -> bool:
        return self.connection is None


def insert(store: Store, xid: bytes, connection: int) -> int:
    """Enter one; its number."""
    return store.number(
        "INSERT INTO branch (xid, connection) VALUES (?, ?) RETURNING number", (xid, connection)
    )


def of_xid(store: Store, xid: bytes) -> Branch | None:
    """The branch of that name; None where there is none."""
    row = store.execute(
        "SELECT number, xid, connection FROM branch WHERE xid = ?", (xid,)
    ).fetchone()
    return None if row is None else Branch(*row)


def prepared(store: Store) -> list[Branch]:
    """Those in doubt, oldest first."""
    rows = store.execute("SELECT number, xid FROM branch WHERE connection IS NULL ORDER BY number")
    return [Branch(number, xid, None) for number, xid in rows.fetchall()]


def of_connection(store: Store, connection: int) -> list[int]:
    """Numbers of those that end with a connection."""
    return store.column("SELECT number FROM branch WHERE connection = ?", (connection,))


def write_connection(store: Store, number: int, connection: int | None) -> None:
    """Let a branch end with that connection; with None, prepare it."""
    store.execute("UPDATE branch SET connection = ? WHERE number = ?", (connection, number))


def delete(store: Store, number: int) -> None:
    """Take one out."""
    store.execute("DELETE FROM branch WHERE number = ?", (number,))
