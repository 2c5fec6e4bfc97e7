"""What one run needs beyond its memory: SQLite files without a name, in TMPDIR, that end with it.

Items can be kept under a name too, for look-ups by the next run (`ScratchRecords`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mqtriage.mq.errors import StorageError
from mqtriage.records import NamedTuple

BYTES_HELD: Final = 1 << 22
"""Of pages in memory, before they go to a file."""
_FRESH: Final = 64
"""Items that wait to be written together."""
_PAGE_BYTES: Final = 4096
_ITEMS: Final = "CREATE TABLE item (data BLOB NOT NULL)"
_RECORD: Final = (
    "key BLOB NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (key, number)"
)


class Sorter:
    """Takes items of bytes, yields them in ascending order; memory does not grow with them.

    Raises:
        StorageError: There are too many for memory, and no room for a file.
    """

    def __init__(self, bytes_held: int = BYTES_HELD) -> None:
        self._bytes_held = bytes_held
        self._database = _opened("", bytes_held)
        self._database.execute(_ITEMS)
        self._database.execute("BEGIN")
        self._fresh: list[tuple[bytes]] = []

    def add(self, item: bytes) -> None:
        """Take one item."""
        self._fresh.append((item,))
        if len(self._fresh) == _FRESH:
            self._keep()

    def __iter__(self) -> Iterator[bytes]:
        return self._items("SELECT data FROM item ORDER BY data")

    def repeated(self) -> Iterator[bytes]:
        """The items that were added more than once, each one time."""
        return self._items("SELECT data FROM item GROUP BY data HAVING count(*) > 1")

    def _items(self, sql: str) -> Iterator[bytes]:
        self._keep()
        with _mapped():
            for (item,) in self._database.execute(sql):
                yield item

    def _keep(self) -> None:
        with _mapped():
            self._database.executemany("INSERT INTO item VALUES (?)", self._fresh)
        self._fresh.clear()

    def kept(self, head: str, key_bytes: int, path: Path | None) -> ScratchRecords:
        """The items as records, whose key is their first bytes; without a path for this run.

        Args:
            path: of an empty file, which is not synced.
        """
        self._keep()
        database, place = self._database, "saved" if path else "main"
        with _mapped():
            database.execute("COMMIT")
            if path:
                database.execute("ATTACH ? AS saved", (str(path),))
                database.execute("PRAGMA saved.journal_mode = OFF")
                database.execute("PRAGMA saved.synchronous = OFF")
                database.execute(f"PRAGMA saved.page_size = {_PAGE_BYTES}")
                database.execute(f"PRAGMA saved.cache_size = {-self._bytes_held >> 10}")
            database.execute("BEGIN")
            database.execute(f"CREATE TABLE {place}.head (text TEXT NOT NULL)")
            database.execute(f"CREATE TABLE {place}.record ({_RECORD}) WITHOUT ROWID")
            database.execute(f"INSERT INTO {place}.head VALUES (?)", (head,))
            database.execute(
                f"INSERT INTO {place}.record SELECT substr(data, 1, ?1),"
                " rowid - 1, substr(data, ?1 + 1) FROM item ORDER BY data",
                (key_bytes,),
            )
            database.execute("COMMIT")
            if path:
                database.execute("DETACH saved")
                database.execute("BEGIN")
                return ScratchRecords(_opened(f"{path.absolute().as_uri()}?immutable=1"))
            self._database = _opened("")
            return ScratchRecords(database)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


class ScratchRecord(NamedTuple):
    """*number* is less than the count of the records, and no other has it."""

    number: int
    key: bytes
    data: bytes


class ScratchRecords:
    """Records of bytes by key, several to a key; made by `Sorter.kept`, and read again by `open`.

    Attributes:
        head: text that was kept with them.

    Raises:
        StorageError: By all its methods: they cannot be read.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self.head = str(database.execute("SELECT text FROM head").fetchone()[0])
        self.count = int(database.execute("SELECT count(*) FROM record").fetchone()[0])

    @classmethod
    def open(cls, path: Path) -> ScratchRecords:
        """Those that were kept in that file.

        Raises:
            OSError: It is not there, was cut, or is none.
        """
        if path.stat().st_size % _PAGE_BYTES:
            raise OSError(f"{path}: it was cut")
        try:
            return cls(_opened(f"{path.absolute().as_uri()}?immutable=1"))
        except (sqlite3.Error, TypeError) as error:
            raise OSError(f"{path}: {error}") from error

    def at(self, key: bytes) -> list[ScratchRecord]:
        """The records with that key."""
        sql = "SELECT number, key, data FROM record WHERE key = ?"
        with _mapped():
            return [ScratchRecord(*row) for row in self._database.execute(sql, (key,))]

    def __iter__(self) -> Iterator[ScratchRecord]:
        sql = "SELECT number, key, data FROM record ORDER BY key, number"
        with _mapped():
            yield from map(ScratchRecord._make, self._database.execute(sql))

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


def _opened(name: str, bytes_held: int = BYTES_HELD) -> sqlite3.Connection:
    database = sqlite3.connect(name, isolation_level=None, uri=name.startswith("file:"))
    database.execute(f"PRAGMA cache_size = -{bytes_held >> 10}")
    database.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
    return database


@contextmanager
def _mapped() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(
            f"temporary file: {error}", hint="make room, or let TMPDIR name another folder"
        ) from error
