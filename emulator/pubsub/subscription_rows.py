"""Subscriptions as they stand in the file: the record of each, and what else was said about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from mqtriage.emulator.core.clock import date_and_time
from mqtriage.emulator.core.manager import Manager
from mqtriage.mq import codes
from mqtriage.mq.attributes.catalogue import defaults
from mqtriage.mq.errors import mqi_error

Kept = Mapping[str, int | str]

UNSEEN: Final = frozenset({"GROUPSUB"})
"""What is kept of a subscription and has no MQSC attribute."""


class Subscription(NamedTuple):
    """One subscription.

    Attributes:
        id: 24 bytes; also the CorrelId of what is delivered.
        topic: topic string, with `+` for one level and `#` for any number of them.
        destination: queue that publications go to.
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


def insert(manager: Manager, found: Subscription) -> None:
    """Write a new one; inside a transaction."""
    manager.store.execute("INSERT INTO subscription VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", found)


def replace(manager: Manager, found: Subscription) -> None:
    """Write one that exists with what can change: its destination and user; in a transaction."""
    manager.store.execute(
        "UPDATE subscription SET destination = ?, user = ? WHERE id = ?",
        (found.destination, found.user, found.id),
    )
    manager.store.execute("UPDATE state SET definitions = definitions + 1")


def remove(manager: Manager, found: Subscription) -> None:
    """Take one out with all that is kept of it; inside a transaction."""
    execute = manager.store.execute
    execute("DELETE FROM subscription WHERE id = ?", (found.id,))
    kinds = "kind IN ('SUB', 'SUBEXPIRY')"
    execute(f"DELETE FROM definition WHERE {kinds} AND name = ?", (found.id.hex(),))
    manager.refresh()


def subscriptions(manager: Manager) -> list[Subscription]:
    """Every subscription, by name."""
    rows = manager.store.execute("SELECT * FROM subscription ORDER BY name")
    return [_from_row(row) for row in rows]


def by_id(manager: Manager, number: bytes) -> Subscription | None:
    """The subscription of that id, while it exists."""
    row = manager.store.execute("SELECT * FROM subscription WHERE id = ?", (number,)).fetchone()
    return None if row is None else _from_row(row)


def named(manager: Manager, name: str) -> Subscription | None:
    """The subscription of that name, if there is one."""
    row = manager.store.execute("SELECT * FROM subscription WHERE name = ?", (name,)).fetchone()
    return None if row is None else _from_row(row)


def needed(manager: Manager, name: str, doing: str) -> Subscription:
    """The subscription of that name.

    Raises:
        MQIError: 2428.
    """
    found = named(manager, name)
    if found is None:
        raise mqi_error(codes.MQRC_NO_SUBSCRIPTION, doing, object_name=name)
    return found


def _from_row(
    row: tuple[bytes, str, str, str, int, int, int | None, str, str, int],
) -> Subscription:
    number, name, topic, destination, managed, durable, connection, proxy, user, created = row
    return Subscription(
        number, name, topic, destination, bool(managed), bool(durable), connection, proxy, user,
        created,
    )  # fmt: skip


# -- what else there is to one --------------------------------------------------------------------


def all_kept(manager: Manager) -> dict[str, dict[str, int | str]]:
    """What is kept of each besides the record, by its id in hexadecimal digits."""
    return manager.derived("subscription attributes", _load_kept)


def _load_kept(manager: Manager) -> dict[str, dict[str, int | str]]:
    rows = manager.store.execute("SELECT name, attributes FROM definition WHERE kind = 'SUB'")
    return {name: json.loads(text) for name, text in rows}


def kept(manager: Manager, found: Subscription) -> Kept:
    """What is kept of one: MQSC attributes by their keywords, and `UNSEEN`."""
    return all_kept(manager).get(found.id.hex(), {})


def keep(manager: Manager, found: Subscription, attributes: Kept) -> None:
    """Write down what is kept of one; inside a transaction."""
    row = ("SUB", found.id.hex(), json.dumps(dict(attributes)))
    manager.store.execute("INSERT OR REPLACE INTO definition VALUES (?, ?, ?)", row)
    manager.store.execute("UPDATE state SET definitions = definitions + 1")


def shown_attributes(manager: Manager, found: Subscription) -> dict[str, int | str]:
    """What DISPLAY SUB shows, name and SUBID first."""
    date, time = date_and_time(found.created_us)
    said = {key: value for key, value in kept(manager, found).items() if key not in UNSEEN}
    return {
        "SUBID": found.id.hex().upper(),
        "SUB": found.name,
        **defaults("SUB", "zos" if manager.is_zos else "dist"),
        "SUBUSER": found.user,
        **said,
        "CRDATE": date,
        "CRTIME": time,
        "DEST": found.destination,
        "DESTCLAS": "MANAGED" if found.managed else "PROVIDED",
        "DURABLE": "YES" if found.durable else "NO",
        "TOPICSTR": found.topic,
    }
