"""Table `authority`: what users and groups may do with objects."""

from __future__ import annotations

from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables.state import definitions_changed
from mqtriage.records import NamedTuple


class AuthRecord(NamedTuple):
    """One authority record, as DISPLAY AUTHREC shows it.

    Attributes:
        type: OBJTYPE: "QUEUE", "QMGR", "TOPIC" ...
        profile: a name or a generic one; "SELF" for the queue manager itself.
        entity_type: "PRINCIPAL" or "GROUP".
        authorities: AUTHLIST, in alphabetical order; empty for NONE.
    """

    type: str
    profile: str
    entity_type: str
    entity: str
    authorities: tuple[str, ...]


def every(store: Store) -> list[AuthRecord]:
    """Every record, by type, profile and entity."""
    rows = store.execute("SELECT type, profile, entity_type, entity, authorities FROM authority")
    return [
        AuthRecord(type_, profile, entity_type, entity, tuple(words.split()))
        for type_, profile, entity_type, entity, words in rows
    ]


def count(store: Store) -> int:
    """How many records there are."""
    return store.number("SELECT count(*) FROM authority")


def read(store: Store, key: tuple[str, str, str, str]) -> frozenset[str]:
    """The words of a record, by type, profile, entity type and entity."""
    row = store.execute(
        "SELECT authorities FROM authority WHERE type = ? AND profile = ?"
        " AND entity_type = ? AND entity = ?",
        key,
    ).fetchone()
    return frozenset(row[0].split()) if row else frozenset()


def write(store: Store, record: AuthRecord) -> None:
    """Write a record, replacing what is there."""
    store.execute(
        "INSERT OR REPLACE INTO authority VALUES (?, ?, ?, ?, ?)",
        (*record[:4], " ".join(record.authorities)),
    )
    definitions_changed(store)


def delete(store: Store, key: tuple[str, str, str, str]) -> bool:
    """Take a record out; whether there was one."""
    gone = store.execute(
        "DELETE FROM authority WHERE type = ? AND profile = ? AND entity_type = ? AND entity = ?",
        key,
    ).rowcount
    definitions_changed(store)
    return bool(gone)
