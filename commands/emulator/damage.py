"""`mqtriage emulator ls --check` and `create --salvage`: a file that a disk damaged."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file import salvage as damaged
from mqtriage.emulator.core.file.home import existing_path
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables import depth_changes, state
from mqtriage.emulator.remove import remove
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.names import check_queue_manager_name
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True)
class FilePart:
    """A table of the file."""

    table: str = column("TABLE", Show.NAME, 16)
    rows: int = column("ROWS", Show.NUMBER, 8)
    state: str = column("STATE", Show.TEXT, 8)
    problem: str | None = column("PROBLEM", Show.TEXT, 60)


def check(folder: Path, name: str) -> Listing:
    """Each table of the file: rows that can be read, and whether it is whole.

    Raises:
        NotFound: There is no such queue manager.
        StorageError: Nothing of the file can be read.
    """
    path = existing_path(folder, check_queue_manager_name(name))
    return _listing(damaged.check(path), name)


def salvage(folder: Path, name: str, fresh: str) -> Listing:
    """Make *fresh* of what can be read of *name*, which stays as it is.

    Raises:
        NotFound: There is no *name*.
        UsageError: There is a *fresh* already.
        StorageError: Nothing can be read, or the new file cannot be made.
    """
    source = existing_path(folder, check_queue_manager_name(name))
    path = create(folder, check_queue_manager_name(fresh))
    try:
        with closing(Store(path)) as store, store.write(durable=True):
            parts = damaged.salvage(source, store)
            store.execute("UPDATE state SET name = ?", (fresh,))
            depth_changes.follow(store, state.attributes_and_switches(store)[0])
    except MQTriageError:
        remove(folder, fresh)
        raise
    return _listing(parts, fresh)


def _listing(parts: list[damaged.CheckedTable], name: str) -> Listing:
    summary = {"queue_manager": name, "damaged": sum(bool(part.problem) for part in parts)}
    items = [
        keys_of(FilePart(table, rows, "damaged" if problem else "whole", problem or None))
        for table, rows, problem in parts
    ]
    return Listing("EmulatorFileParts", columns_of(FilePart), items, summary, id_key="table")
