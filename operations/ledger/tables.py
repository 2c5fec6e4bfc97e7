"""The file that operations are written in before they are done: one SQLite file a home.

It is in write-ahead-log mode, so that several processes write at once and readers wait for nobody.
Every change is one short transaction; one on which a promise hangs is on disk when it returns
(synchronous=FULL). The file appears whole or not at all, 0600 in a folder 0700.

    operation   one row each: what was asked, of which queue manager, by whom, and how it ended;
                *changes* is NULL for an operation on messages, else `changes` keeps it
    planned     the messages of its plan: ids and digests, never message data
    unit        its units of work; *ended* is '' around the commit, then `units` says how;
                *archive_bytes* of its archive were written by then, with that digest
    taken       the messages of each unit: where they are archived, and what was put for them
    stayed      messages that were reached and not taken, and why
    archive     the files that units are archived in; *sha256* is that of the file as it was left
    requeue     how often a message was requeued (`requeue_counts`)

Indexes and the table requeue say nothing that the others do not: where they are missing or damaged
they are made anew (`rebuild`).

A unit that has not ended is in doubt: the process ended around its commit. Its messages are in the
archive; whether they left their queue only the queues can tell (`recovery.resume`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

from mqtriage.files import sqlite
from mqtriage.files.durable import sync_folder
from mqtriage.files.private import open_private, private_folder
from mqtriage.mq.errors import StorageError
from mqtriage.operations.ledger.rebuild import rebuild

Database: TypeAlias = sqlite3.Connection
FILE: Final = "ledger.sqlite"
_WAIT_S: Final = 60
"""For other writers, each of which is done in milliseconds."""
_CACHE_KIB: Final = 256
_SCHEMA: Final = """
CREATE TABLE operation (
    number INTEGER PRIMARY KEY,
    op TEXT NOT NULL UNIQUE,
    action TEXT NOT NULL,
    queue_manager TEXT NOT NULL,
    context TEXT NOT NULL,
    user TEXT NOT NULL,
    command TEXT NOT NULL,
    connection TEXT NOT NULL,
    undoes TEXT NOT NULL,
    plan TEXT NOT NULL,
    messages INTEGER,
    runs INTEGER NOT NULL DEFAULT 0,
    begun TEXT NOT NULL DEFAULT '',
    ended TEXT NOT NULL DEFAULT '',
    how TEXT NOT NULL DEFAULT '',
    reason INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '',
    changes INTEGER,
    done INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX undo ON operation (undoes) WHERE undoes <> '';
CREATE TABLE planned (
    operation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    msg_id BLOB NOT NULL,
    correl_id BLOB NOT NULL,
    put_date TEXT NOT NULL,
    put_time TEXT NOT NULL,
    length_bytes INTEGER NOT NULL,
    digest BLOB NOT NULL,
    report INTEGER NOT NULL,
    persistence INTEGER NOT NULL,
    expiry_tenths INTEGER NOT NULL,
    backout_count INTEGER NOT NULL,
    origin INTEGER,
    PRIMARY KEY (operation, number)
) WITHOUT ROWID;
CREATE TABLE archive (
    number INTEGER PRIMARY KEY,
    operation INTEGER NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT
);
CREATE INDEX archive_of ON archive (operation);
CREATE TABLE unit (
    operation INTEGER NOT NULL,
    unit INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    before INTEGER,
    archive INTEGER,
    messages INTEGER NOT NULL,
    least INTEGER NOT NULL,
    greatest INTEGER NOT NULL,
    ended TEXT NOT NULL DEFAULT '',
    archive_bytes INTEGER,
    archive_digest BLOB,
    PRIMARY KEY (operation, unit)
) WITHOUT ROWID;
CREATE TABLE taken (
    operation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    unit INTEGER NOT NULL,
    archived INTEGER NOT NULL,
    queue TEXT,
    msg_id BLOB,
    digest BLOB,
    parked INTEGER NOT NULL,
    PRIMARY KEY (operation, number, unit)
) WITHOUT ROWID;
CREATE TABLE stayed (
    operation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (operation, number)
) WITHOUT ROWID;
CREATE TABLE requeue (
    message INTEGER PRIMARY KEY,
    times INTEGER NOT NULL
);
"""


_SPACE: Final = "make room, then run mqtriage journal resume, or set MQTRIAGE_HOME"
COPY_HINT: Final = "restore the file from a copy, or move it away: archives do not need it"
FORM: Final = sqlite.FileForm(
    "journal",
    0x4D51544C,  # "MQTL"
    1,
    _SCHEMA,
    {
        "": _SPACE,
        "full": _SPACE,
        "not-opened": COPY_HINT,
        "foreign": COPY_HINT,
        "damaged": COPY_HINT,
    },
)
_ADDED: Final = {
    "archive": {"sha256": "TEXT"},
    "unit": {"archive_bytes": "INTEGER", "archive_digest": "BLOB"},
}
"""By table the columns that a journal of version 0.1.0 lacks; that version does not mind them."""
_NONE_YET: Final = "nothing was changed; set MQTRIAGE_HOME to a writable folder"


class Ledger:
    """A connection to the file.

    Raises:
        StorageError: By all its methods: the file cannot be read or written, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._mapped():
            self._database = sqlite.opened(path, wait_s=_WAIT_S)
        try:
            with self._mapped():
                self._database.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
                sqlite.recognise(self._database, FORM, f"journal {path}")
                _complete(self._database)
        except BaseException:
            self.close()
            raise

    @classmethod
    def open_or_create(cls, path: Path) -> Ledger:
        """The same; the file is made where there is none."""
        if not path.exists():
            form = FORM._replace(hints={"": _NONE_YET, "full": _NONE_YET})
            with sqlite.storage_errors(path, form, f"journal folder {path.parent}"):
                _make(path)
        return cls(path)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    def rows(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, one after the other."""
        with self._mapped():
            try:
                rows = self._database.execute(sql, values)
            except sqlite3.Error as error:
                if not (_is_damage(error) and rebuild(self.path, FORM)):
                    raise
                rows = self._database.execute(sql, values)
            yield from rows

    def row(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        """The first row of a query."""
        return next(self.rows(sql, *values), None)

    @contextmanager
    def change(self, step: str, *, durable: bool = True) -> Iterator[Database]:
        """One transaction: all of it is in the file afterwards, or nothing.

        Args:
            step: what is noted.
            durable: it is on disk then; else with the next change that is.
        """
        with self._mapped():
            self._database.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._commit(step)
            except BaseException:
                with suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                raise

    def _commit(self, step: str) -> None:
        """The moment at which *step* is noted; a test of kills stands around it."""
        del step
        self._database.execute("COMMIT")

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        with sqlite.storage_errors(self.path, FORM, f"journal {self.path}"):
            try:
                yield
            except sqlite.UNREADABLE as error:
                if not _is_damage(error):
                    raise
                what, hint = f"it is damaged ({error})", COPY_HINT
                if rebuild(self.path, FORM):
                    what = f"it was damaged ({error}), and was rebuilt from what is intact"
                    hint = "run it again; mqtriage journal verify"
                raise StorageError(
                    f"journal {self.path}: {what}", kind="damaged", hint=hint
                ) from error


def _make(path: Path) -> None:
    """Make an empty ledger beside its place, then give it its name: it is never seen half made."""
    private_folder(path.parent)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    os.close(open_private(fresh, os.O_RDWR | os.O_TRUNC))
    try:
        sqlite.make(fresh, FORM)
        with suppress(FileExistsError):  # another process has just made it
            os.link(fresh, path)
        sync_folder(path.parent)
    finally:
        fresh.unlink(missing_ok=True)


def _complete(database: Database) -> None:
    """Add the columns that the file of an earlier version lacks."""
    if not any(_lacking(database)):
        return
    database.execute("BEGIN IMMEDIATE")  # another process may be at it
    for table, column, kind in list(_lacking(database)):
        database.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
    database.execute("COMMIT")


def _lacking(database: Database) -> Iterator[tuple[str, str, str]]:
    for table, columns in _ADDED.items():
        there = {name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")}
        for column, kind in columns.items():
            if there and column not in there:  # a table that is gone is damage
                yield table, column, kind


def _is_damage(error: Exception) -> bool:
    return sqlite.is_damage(error) or "no such table" in str(error)
