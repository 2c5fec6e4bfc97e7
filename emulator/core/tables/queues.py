"""Table `queue`: definitions of queues, each with its row in `counter`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables.state import definitions_changed

Attributes = Mapping[str, int | str]
Row = tuple[int, str, str, str]
"""Id, name, kind, attributes as JSON."""


def insert(store: Store, queues: Iterable[tuple[str, str, Attributes]]) -> None:
    """Write new definitions: kind, name and attributes of each."""
    rows = [(kind, name, json.dumps(attributes)) for kind, name, attributes in queues]
    store.execute_all("INSERT INTO queue (kind, name, attributes) VALUES (?, ?, ?)", rows)
    counted = "INSERT INTO counter (queue) SELECT id FROM queue WHERE name = ?"
    store.execute_all(counted, [(name,) for _, name, _ in rows])
    definitions_changed(store)


def every(store: Store) -> list[Row]:
    """Every definition."""
    return store.execute("SELECT id, name, kind, attributes FROM queue").fetchall()


def read(store: Store, queue_id: int) -> Row | None:
    """One definition, None when it is gone."""
    row: Row | None = store.execute(
        "SELECT id, name, kind, attributes FROM queue WHERE id = ?", (queue_id,)
    ).fetchone()
    return row


def names_in(path: Path) -> list[str]:
    """Names of the queues in the file at *path*, sorted and read in the cheapest way.

    For what must answer while somebody presses a key: no connection is made, and what should have
    happened since the last touch (delays, expiry) does not happen.

    Raises:
        StorageError: It cannot be read.
    """
    with closing(Store(path, busy_s=0.1)) as store:
        return store.column("SELECT name FROM queue ORDER BY name")


def write(store: Store, queue_id: int, attributes: Attributes) -> None:
    """Write the attributes of a definition."""
    store.execute(
        "UPDATE queue SET attributes = ? WHERE id = ?", (json.dumps(attributes), queue_id)
    )
    definitions_changed(store)


def delete(store: Store, queue_id: int) -> None:
    """Take a definition out; its messages are gone already."""
    store.execute("DELETE FROM counter WHERE queue = ?", (queue_id,))
    store.execute("DELETE FROM queue WHERE id = ?", (queue_id,))
    definitions_changed(store)


def delete_all(store: Store) -> None:
    """Leave none."""
    store.execute("DELETE FROM queue")
    store.execute("DELETE FROM counter")


# -- dynamic queues -------------------------------------------------------------------------------


def write_owner(store: Store, queue_id: int, handle_id: int) -> None:
    """Note which handle made a dynamic queue: a temporary one ends with it."""
    store.execute("UPDATE queue SET dynamic = ? WHERE id = ?", (handle_id, queue_id))


def owner(store: Store, queue_id: int) -> int | None:
    """The handle that made a dynamic queue."""
    row = store.execute("SELECT dynamic FROM queue WHERE id = ?", (queue_id,)).fetchone()
    return None if row is None else row[0]


def owned(store: Store, connection_id: int | None) -> list[int]:
    """Ids of the queues that handles of a connection made, or of any."""
    which = "" if connection_id is None else "WHERE connection = ?"
    return store.column(
        f"SELECT id FROM queue WHERE dynamic IN (SELECT id FROM handle {which})",
        () if connection_id is None else (connection_id,),
    )
