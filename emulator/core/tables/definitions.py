"""Table `definition`: what is kept as text by kind and name.

Topics, channels and the like, and what the emulator itself remembers: channels between queue
managers, the ends of subscriptions, statistics.
"""

from __future__ import annotations

import json

from mqtriage.emulator.core.file.store import Store

TRANSIT = "TRANSIT"
"""Kind of the channels to other queue managers (`shared.transit`), by transmission queue."""
SUBSCRIPTION_END = "SUBEXPIRY"
"""Kind of the ends of subscriptions: name is the id in hexadecimal digits, then the moment."""


def read(store: Store, kind: str, name: str) -> str | None:
    """The text of one, None where there is none."""
    row = store.execute(
        "SELECT attributes FROM definition WHERE kind = ? AND name = ?", (kind, name)
    ).fetchone()
    return None if row is None else str(row[0])


def of_kind(store: Store, kind: str) -> list[tuple[str, str]]:
    """Name and text of all of one kind, by name."""
    return store.execute(
        "SELECT name, attributes FROM definition WHERE kind = ? ORDER BY name", (kind,)
    ).fetchall()


def values_of_kind(store: Store, kind: str) -> dict[str, dict[str, int | str]]:
    """Attributes of all of one kind that are kept as JSON, by name in order."""
    return {name: json.loads(text) for name, text in of_kind(store, kind)}


def of_other_kinds(store: Store, kinds: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Kind, name and text of all that are of none of these kinds."""
    placeholders = ", ".join("?" for _ in kinds)
    return store.execute(
        f"SELECT kind, name, attributes FROM definition WHERE kind NOT IN ({placeholders})"
        " ORDER BY kind, name",
        kinds,
    ).fetchall()


def write(store: Store, kind: str, name: str, text: str) -> None:
    """Write one, replacing what is there."""
    store.execute("INSERT OR REPLACE INTO definition VALUES (?, ?, ?)", (kind, name, text))


def delete(store: Store, kind: str, name: str) -> None:
    """Take one out."""
    store.execute("DELETE FROM definition WHERE kind = ? AND name = ?", (kind, name))


def delete_kind(store: Store, kind: str) -> None:
    """Take out all of one kind."""
    store.execute("DELETE FROM definition WHERE kind = ?", (kind,))


def delete_all(store: Store) -> None:
    """Leave none."""
    store.execute("DELETE FROM definition")


def next_subscription_end_us(store: Store) -> int | None:
    """The earliest end of a subscription."""
    return store.number_if_any(
        "SELECT min(CAST(attributes AS INTEGER)) FROM definition WHERE kind = ?",
        (SUBSCRIPTION_END,),
    )
