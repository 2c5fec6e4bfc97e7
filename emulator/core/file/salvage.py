"""A file of a queue manager that a disk damaged: what of it is whole, and what can be read.

SQLite stops at the first page that it cannot read. So rows are read from both ends of a table, and
those between by the numbers that its indexes and the tables beside it know.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from mqtriage.emulator.core.file.store import QUEUE_SHIFT, Store
from mqtriage.files.sqlite import UNREADABLE, opened
from mqtriage.mq import cmqc
from mqtriage.mq.errors import StorageError
from mqtriage.records import NamedTuple

_KNOWN: Final = {
    "message": (
        "SELECT position FROM message INDEXED BY message_msg_id",
        "SELECT position FROM body",
        "SELECT position FROM body ORDER BY position DESC",
    ),
    "body": (
        "SELECT position FROM message INDEXED BY message_msg_id",
        "SELECT position FROM message",
        "SELECT position FROM message ORDER BY position DESC",
    ),
}
"""Where else the numbers of the rows of a table stand."""
_REMOVE: Final = "restore a copy, or remove it: mqtriage emulator rm"
_TREE: Final = re.compile(r"Tree (\d+)")


class CheckedTable(NamedTuple):
    """A table of the file.

    Attributes:
        problem: "" where it is whole with its indexes.
    """

    table: str
    rows: int
    problem: str


def check(path: Path) -> list[CheckedTable]:
    """Each table: whether its rows and indexes can be read and agree.

    Raises:
        StorageError: Not even its list of tables can be read.
    """
    with closing(_readable(path)) as database:
        return [
            CheckedTable(table, sum(1 for _ in _rows(database, table)), _problem(database, table))
            for table in _tables(database)
        ]


def _problem(database: sqlite3.Connection, table: str) -> str:
    try:
        lines = [str(line) for (line,) in database.execute(f"PRAGMA integrity_check({table})")]
    except UNREADABLE as error:
        return str(error)
    if lines == ["ok"]:
        return ""
    roots = dict(database.execute("SELECT rootpage, name FROM sqlite_master"))
    first = _TREE.sub(lambda tree: str(roots.get(int(tree[1]), tree[0])), " ".join(lines))
    return first.replace("*** in database main *** ", "")[:200]


def salvage(path: Path, fresh: Store) -> list[CheckedTable]:
    """Copy all rows that can be read into the file of a new queue manager, in a transaction of it.

    What the new one came with stays where nothing of a table can be read. Messages of a queue whose
    definition is lost are on SALVAGED.number; units of work of programs end with a backout.

    Returns:
        Each table, with how many rows were copied.

    Raises:
        StorageError: Not even its list of tables can be read.
    """
    with closing(_readable(path)) as database:
        parts = []
        for table in _tables(database):
            count = 0
            for row in _rows(database, table):
                if not count:
                    fresh.execute(f"DELETE FROM {table}")
                places = ", ".join("?" * len(row))
                fresh.execute(f"INSERT OR IGNORE INTO {table} VALUES ({places})", row)
                count += 1
            parts.append(CheckedTable(table, count, _problem(database, table)))
    _make_whole(fresh)
    return parts


def _make_whole(fresh: Store) -> None:
    """Let the tables agree where rows of one are lost."""
    for sql in (
        "DELETE FROM message WHERE position NOT IN (SELECT position FROM body)",
        "DELETE FROM body WHERE position NOT IN (SELECT position FROM message)",
        "INSERT INTO queue SELECT DISTINCT position >> ?1, 'SALVAGED.' || (position >> ?1),"
        " 'QLOCAL', (SELECT attributes FROM queue WHERE name = 'SYSTEM.DEFAULT.LOCAL.QUEUE'), NULL"
        " FROM message WHERE position >> ?1 NOT IN (SELECT id FROM queue)",
        "INSERT OR IGNORE INTO counter (queue) SELECT id FROM queue",
        "UPDATE counter SET"
        " depth = (SELECT count(*) FROM message WHERE position >> ?1 = queue"
        " AND unit_act IS NOT 'stage'),"
        " arrivals = max(arrivals, (SELECT coalesce(max(position & 0xFFFFFFFFFF), -1) + 1"
        " FROM message WHERE position >> ?1 = queue))",
        "INSERT OR IGNORE INTO connection SELECT DISTINCT unit, 'salvaged.' || unit, '', '', 0, ''"
        " FROM message WHERE unit > 0",
        "UPDATE message SET locked_by = NULL",
    ):
        fresh.execute(sql, (QUEUE_SHIFT,) if "?1" in sql else ())


def _rows(database: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows that can be read and make sense, each once."""
    columns = database.execute(f"PRAGMA table_info({table})").fetchall()
    names = [column[1] for column in columns]
    keys = [column[1] for column in columns if column[5]]
    at = [names.index(key) for key in keys]
    seen: set[tuple[Any, ...]] = set()
    for order in ("", " DESC"):
        by = ", ".join(key + order for key in keys)
        with suppress(*UNREADABLE):
            for row in database.execute(f"SELECT * FROM {table} NOT INDEXED ORDER BY {by}"):
                key = tuple(row[place] for place in at)
                if key not in seen:
                    seen.add(key)
                    if _makes_sense(names, row):
                        yield row
            return
    for sql in _KNOWN.get(table, ()):
        with suppress(*UNREADABLE):
            for key in database.execute(sql):
                if key not in seen:
                    seen.add(key)
                    rows = _row(database, table, key[0])
                    yield from (row for row in rows if _makes_sense(names, row))


def _row(database: sqlite3.Connection, table: str, position: int) -> list[tuple[Any, ...]]:
    sql = f"SELECT * FROM {table} NOT INDEXED WHERE position = ?"
    try:
        return database.execute(sql, (position,)).fetchall()
    except UNREADABLE:
        return []


def _makes_sense(names: list[str], row: tuple[Any, ...]) -> bool:
    """Whether what is packed in columns can be taken apart."""
    for name, value in zip(names, row, strict=True):
        if isinstance(value, str) and "\N{REPLACEMENT CHARACTER}" in value:
            return False
        if name in ("attributes", "switches"):
            try:
                if not isinstance(json.loads(value), dict):
                    return False
            except (TypeError, ValueError):
                return False
        if name == "md" and not (isinstance(value, bytes) and len(value) == cmqc.MQMD_LENGTH_2):
            return False
    return True


def _tables(database: sqlite3.Connection) -> list[str]:
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    sql += " AND name <> 'depth_change'"  # it is empty between two transactions
    return [name for (name,) in database.execute(sql)]


def _readable(path: Path) -> sqlite3.Connection:
    """The file, for reading, if it is one of ours.

    Raises:
        StorageError: It is not, or not even its list of tables can be read.
    """
    database = opened(path, "ro")
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    try:
        if not _tables(database):
            raise StorageError(
                f"{path}: it is empty: nothing can be recovered from it", hint=_REMOVE
            )
        return database
    except UNREADABLE as error:
        database.close()
        raise StorageError(
            f"{path}: its list of tables is damaged ({error}): nothing can be recovered from it",
            hint=_REMOVE,
        ) from error
    except StorageError:
        database.close()
        raise
