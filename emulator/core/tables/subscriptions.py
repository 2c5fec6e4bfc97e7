"""Table `subscription`: who gets the publications on which topics."""

from __future__ import annotations

from typing import Any

from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables.state import definitions_changed
from mqtriage.records import NamedTuple


class Subscription(NamedTuple):
    """One subscription.

    Attributes:
        id: 24 bytes; also the CorrelId of what is delivered.
        topic: topic string, with `+` for one level and `#` for any number of them.
        managed: the queue manager made that queue, and deletes it with the subscription.
        connection: number of the connection that a non-durable one ends with.
        proxy: the other queue manager it stands for, or "".
        user: whose authority it has, and who stands in the descriptor of what is delivered.
    """

    id: bytes
    name: str
    topic: str
    destination: str
    managed: bool
    durable: bool
    connection: int | None
    proxy: str
    user: str
    created_us: int


def insert(store: Store, subscription: Subscription) -> None:
    """Write a new one."""
    store.execute("INSERT INTO subscription VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", subscription)


def write(store: Store, subscription: Subscription) -> None:
    """Write one that exists with what can change: its destination and user."""
    store.execute(
        "UPDATE subscription SET destination = ?, user = ? WHERE id = ?",
        (subscription.destination, subscription.user, subscription.id),
    )
    definitions_changed(store)


def give(store: Store, number: bytes, connection_id: int) -> None:
    """Have it end with another connection."""
    store.execute("UPDATE subscription SET connection = ? WHERE id = ?", (connection_id, number))


def delete(store: Store, number: bytes) -> None:
    """Take one out."""
    store.execute("DELETE FROM subscription WHERE id = ?", (number,))


def every(store: Store) -> list[Subscription]:
    """Every subscription, by name."""
    return [_from_row(row) for row in store.execute("SELECT * FROM subscription ORDER BY name")]


def by_id(store: Store, number: bytes) -> Subscription | None:
    """The subscription of that id, while it exists."""
    row = store.execute("SELECT * FROM subscription WHERE id = ?", (number,)).fetchone()
    return None if row is None else _from_row(row)


def named(store: Store, name: str) -> Subscription | None:
    """The subscription of that name, if there is one."""
    row = store.execute("SELECT * FROM subscription WHERE name = ?", (name,)).fetchone()
    return None if row is None else _from_row(row)


def is_any_of(store: Store, connection_id: int | None) -> bool:
    """Whether any ends with a connection, or any with its connection."""
    which = "IS NOT NULL" if connection_id is None else "= ?"
    return store.has(
        f"SELECT 1 FROM subscription WHERE connection {which} LIMIT 1",
        () if connection_id is None else (connection_id,),
    )


def _from_row(row: tuple[Any, ...]) -> Subscription:
    subscription = Subscription(*row)
    return subscription._replace(
        managed=bool(subscription.managed), durable=bool(subscription.durable)
    )
