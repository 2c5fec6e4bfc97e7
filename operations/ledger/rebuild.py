"""What of a ledger says nothing that the rest does not, made anew: indexes, and the requeue counts.

A page of those that is damaged, or a table that is missing, must not stop an act or its resume.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias

from mqtriage.files import sqlite
from mqtriage.operations.ledger.units import COMMITTED

Key: TypeAlias = tuple[bytes, bytes]
"""MsgId, and SHA-256 of the data."""

_DERIVED: Final = "requeue"
_WAIT_S: Final = 60
TAKEN: Final = """operation JOIN unit ON unit.operation = operation.number
JOIN taken ON taken.operation = unit.operation AND taken.unit = unit.unit
    AND taken.number BETWEEN least AND greatest
JOIN planned ON planned.operation = taken.operation AND planned.number = taken.number"""
"""Every message of a unit of work, as it was planned and as it was taken."""
_MOVES: Final = f"""
WITH undone AS MATERIALIZED (
    SELECT undoes AS op, origin AS number FROM {TAKEN}
    WHERE unit.ended = :ended AND undoes != '' AND origin IS NOT NULL
)
SELECT planned.msg_id, planned.digest, taken.msg_id, taken.digest FROM {TAKEN}
WHERE unit.ended = :ended AND json_extract(plan, '$.request.max_requeues') IS NOT NULL
    AND queue IS NOT NULL AND NOT parked
    AND (operation.op, taken.number) NOT IN (SELECT op, number FROM undone)
ORDER BY op, unit.unit, taken.number
"""


def rebuild(path: Path, form: sqlite.FileForm) -> bool:
    """Write a damaged ledger anew, in one transaction; False where what it alone knows is damaged.

    Others may have it open: they wait, and see the old or the new one. A ledger of another version
    stays as it is.
    """
    tables = [name for name in re.findall(r"CREATE TABLE (\w+)", form.schema) if name != _DERIVED]
    try:
        with closing(sqlite.opened(path, wait_s=_WAIT_S)) as database:
            if database.execute("PRAGMA user_version").fetchone()[0] != form.version:
                return False
            database.execute("PRAGMA writable_schema = ON")
            database.execute("BEGIN IMMEDIATE")
            for table in tables:
                rows = f"SELECT * FROM main.{table} NOT INDEXED"
                database.execute(f"CREATE TEMP TABLE kept_{table} AS {rows}")
            # not DROP TABLE, which would read the pages that are damaged
            database.execute("DELETE FROM main.sqlite_master")
            database.execute("PRAGMA writable_schema = RESET")
            for sql in form.schema.split(";"):
                database.execute(sql)
            for table in tables:
                database.execute(f"INSERT INTO main.{table} SELECT * FROM kept_{table}")
            recount(database)
            database.execute("COMMIT")
            database.execute("VACUUM")
    except sqlite3.Error:
        return False
    return True


def recount(database: sqlite3.Connection) -> None:
    """Count anew what the operations of the journal say, inside a transaction."""
    database.execute("DELETE FROM requeue")
    moves = database.execute(_MOVES, {"ended": COMMITTED})
    count_moves(database, ([keys[:2], keys[2:]] for keys in moves))


def count_moves(
    database: sqlite3.Connection, moves: Iterable[Sequence[Key]], change: int = 1
) -> None:
    """Count one requeue of each message: its own key, and that of its copy.

    Args:
        change: -1 where the requeue was undone.
    """
    for keys in moves:
        numbers = {number_of(key) for key in set(keys)}
        times = [
            database.execute("SELECT times FROM requeue WHERE message = ?", (number,)).fetchone()
            for number in numbers
        ]
        count = change + max(row[0] if row else 0 for row in times)
        database.executemany(
            "INSERT OR REPLACE INTO requeue VALUES (?, ?)",
            ((number, max(0, count)) for number in numbers),
        )


def number_of(key: Key) -> int:
    """64 bits for a message."""
    return int.from_bytes(sha256(key[0] + key[1]).digest()[:8], "big", signed=True)
