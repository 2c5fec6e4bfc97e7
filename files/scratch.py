"""What one run needs beyond its memory: SQLite files without a name, in TMPDIR, that end with it.

Rows can be kept under a name too, for look-ups by the next run (`KeptRows`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from mqtriage.files.durable import put_in_place
from mqtriage.files.private import open_private, private_folder
from mqtriage.files.sqlite import opened
from mqtriage.mq.errors import StorageError

BYTES_HELD: Final = 1 << 22
"""Of pages in memory, before they go to a file."""
_FRESH: Final = 64
"""Rows that wait to be written together."""
_PAGE_BYTES: Final = 4096
_LAST: Final = b"\xff" * 64
"""Behind a prefix: no key is longer."""


class ScratchRows:
    """Takes rows whose first value is their key; memory does not grow with them.

    Args:
        columns: names of what follows the key.

    Raises:
        StorageError: There are too many for memory, and no room for a file.
    """

    def __init__(self, columns: Sequence[str] = (), bytes_held: int = BYTES_HELD) -> None:
        self._bytes_held = bytes_held
        self._columns = ", ".join(("key", *columns))
        self._places = ", ".join("?" * (1 + len(columns)))
        self._fresh: list[Sequence[Any]] = []
        self._count = 0
        self._database = _opened("", bytes_held)
        self._database.execute(f"CREATE TABLE item ({self._columns})")
        self._database.execute("BEGIN")

    def add(self, row: Sequence[Any]) -> None:
        """Take one row."""
        self._fresh.append(row)
        if len(self._fresh) == _FRESH:
            self._keep()

    def _keep(self) -> None:
        with _mapped():
            self._database.executemany(f"INSERT INTO item VALUES ({self._places})", self._fresh)
        self._count += len(self._fresh)
        self._fresh.clear()

    def select(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """What a query of the table `item` gives."""
        self._keep()
        with _mapped():
            yield from self._database.execute(sql)

    def kept(self, head: str, path: Path | None) -> KeptRows:
        """The rows, to be looked up; without a path for this run.

        Args:
            head: text that is kept with them.
            path: is on disk when this returns, whole; what stood there is gone.

        Raises:
            OSError: It cannot be written.
        """
        self._keep()
        if path is None:
            database, self._database = self._database, _opened("")
            self._write(database, "main", head)
            return KeptRows(database)
        private_folder(path.parent)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        os.close(open_private(beside, os.O_WRONLY | os.O_TRUNC))
        try:
            with _mapped():
                self._database.execute("COMMIT")
                self._database.execute("ATTACH ? AS saved", (str(beside),))
                for setting in (
                    *("journal_mode = OFF", "synchronous = OFF", f"page_size = {_PAGE_BYTES}"),
                    f"cache_size = {-self._bytes_held >> 10}",
                ):
                    self._database.execute(f"PRAGMA saved.{setting}")
                self._database.execute("BEGIN")
            self._write(self._database, "saved", head)
            with _mapped():
                self._database.execute("DETACH saved")
                self._database.execute("BEGIN")
            put_in_place(beside, path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        return KeptRows.open(path)

    def _write(self, database: sqlite3.Connection, place: str, head: str) -> None:
        with _mapped():
            database.execute(f"CREATE TABLE {place}.head (text, count)")
            database.execute(f"INSERT INTO {place}.head VALUES (?, ?)", (head, self._count))
            database.execute(
                f"CREATE TABLE {place}.kept (number, {self._columns}, PRIMARY KEY (key, number))"
                " WITHOUT ROWID"
            )
            database.execute(
                f"INSERT INTO {place}.kept SELECT rowid - 1, * FROM item ORDER BY key, rowid"
            )
            database.execute("COMMIT")

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


class Sorter:
    """Takes items of bytes, yields them in ascending order; memory does not grow with them.

    Raises:
        StorageError: There are too many for memory, and no room for a file.
    """

    def __init__(self, bytes_held: int = BYTES_HELD) -> None:
        self._rows = ScratchRows(bytes_held=bytes_held)
        self.close = self._rows.close

    def add(self, item: bytes) -> None:
        """Take one item."""
        self._rows.add((item,))

    def __iter__(self) -> Iterator[bytes]:
        return self._items("SELECT key FROM item ORDER BY key")

    def repeated(self) -> Iterator[bytes]:
        """The items that were added more than once, each one time."""
        return self._items("SELECT key FROM item GROUP BY key HAVING count(*) > 1")

    def _items(self, sql: str) -> Iterator[bytes]:
        return (item for (item,) in self._rows.select(sql))


class KeptRows:
    """Rows by key, several to a key; made by `ScratchRows.kept`, and read again by `open`.

    Each row comes with a number less than their count, which no other has, before its key.

    Attributes:
        head: text that was kept with them.
        count: of the rows.

    Raises:
        StorageError: By all its methods: they cannot be read.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        text, count = database.execute("SELECT text, count FROM head").fetchone()
        self.head, self.count = str(text), int(count)

    @classmethod
    def open(cls, path: Path) -> KeptRows:
        """Those that were kept in that file.

        Raises:
            OSError: It is not there, was cut, or is none.
        """
        if path.stat().st_size % _PAGE_BYTES:
            raise OSError(f"{path}: it was truncated")
        try:
            return cls(opened(path, "ro&immutable=1"))
        except (sqlite3.Error, TypeError, ValueError) as error:
            raise OSError(f"{path}: {error}") from error

    def at(self, key: bytes) -> list[tuple[Any, ...]]:
        """The rows with that key."""
        return self._rows("WHERE key = ?", key)

    def beginning(self, prefix: bytes) -> list[tuple[Any, ...]]:
        """The rows whose key begins so."""
        return self._rows("WHERE key BETWEEN ? AND ?", prefix, prefix + _LAST)

    def _rows(self, where: str, *values: object) -> list[tuple[Any, ...]]:
        with _mapped():
            return self._database.execute(f"SELECT * FROM kept {where}", values).fetchall()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        with _mapped():
            yield from self._database.execute("SELECT * FROM kept ORDER BY key, number")

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


def _opened(name: str, bytes_held: int = BYTES_HELD) -> sqlite3.Connection:
    database = sqlite3.connect(name, isolation_level=None)
    database.execute(f"PRAGMA cache_size = -{bytes_held >> 10}")
    database.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
    return database


@contextmanager
def _mapped() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(
            f"temporary file: {error}", hint="make room, or set TMPDIR to another folder"
        ) from error
