"""The file of an emulated queue manager: schema, connections to it, transactions.

One file holds one queue manager, in write-ahead-log mode so that readers never wait for a writer.
Nobody keeps a transaction open between two MQI calls, but for whoever holds work back
(`write_behind`) and ends that as soon as somebody wants to look (`gate`); a unit of work is rows
that carry its number (`message.unit`).

Layout decisions:

* `message.position` is the rowid, so the rows of a queue stand together on disk in the order of
  delivery, and the first message is one seek away without an index:

      bits 44..62  queue id
      bits 40..43  9 - priority, 0 on a FIFO queue
      bits  0..39  arrival

* The descriptor is kept packed (364 bytes); what SQL has to look for stands in columns beside it.
  CorrelId and GroupId columns are NULL when all zero, so their partial indexes stay empty for the
  many messages that have none. Bytes 349 to 352 of the descriptor are MsgSeqNumber.
* Bodies stand in a table of their own, so that looking through descriptors does not read them.
* `counter` holds what every put changes (arrival number, CURDEPTH), one small page for all queues.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Generic, Protocol, TypeVar

from mqtriage.emulator.core.file.gate import Gate, Passage
from mqtriage.files import sqlite
from mqtriage.files.durable import sync
from mqtriage.files.private import create_private
from mqtriage.mq.errors import StorageError
from mqtriage.records import dataclass

T = TypeVar("T")

QUEUE_SHIFT: Final = 44
PRIORITY_SHIFT: Final = 40

_SCHEMA: Final = """
CREATE TABLE branch (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    xid BLOB NOT NULL UNIQUE,
    connection INTEGER
);
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    platform TEXT NOT NULL,
    version TEXT NOT NULL,
    created_us INTEGER NOT NULL,
    id_seed INTEGER NOT NULL,
    running INTEGER NOT NULL,
    run INTEGER NOT NULL,
    frozen_us INTEGER,
    offset_us INTEGER NOT NULL,
    reached_us INTEGER NOT NULL,
    next_event_us INTEGER,
    next_id INTEGER NOT NULL,
    definitions INTEGER NOT NULL,
    processor TEXT NOT NULL,
    attributes TEXT NOT NULL,
    switches TEXT NOT NULL
);
CREATE TABLE queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    attributes TEXT NOT NULL,
    dynamic INTEGER
);
CREATE TABLE counter (
    queue INTEGER PRIMARY KEY,
    depth INTEGER NOT NULL DEFAULT 0,
    arrivals INTEGER NOT NULL DEFAULT 0,
    put_us INTEGER,
    get_us INTEGER,
    trigger_us INTEGER,
    high INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE message (
    position INTEGER PRIMARY KEY,
    md BLOB NOT NULL,
    msg_id BLOB NOT NULL,
    correl_id BLOB,
    group_id BLOB,
    put_us INTEGER NOT NULL,
    expires_us INTEGER,
    due_us INTEGER,
    event_us INTEGER,
    backouts INTEGER NOT NULL,
    length INTEGER NOT NULL,
    persistent INTEGER NOT NULL,
    unit INTEGER,
    unit_act TEXT,
    locked_by INTEGER
);
CREATE TABLE body (position INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE INDEX message_msg_id ON message (msg_id);
CREATE INDEX message_correl_id ON message (correl_id) WHERE correl_id IS NOT NULL;
CREATE INDEX message_group_id ON message (group_id, substr(md, 349, 4)) WHERE group_id IS NOT NULL;
CREATE INDEX message_expires ON message (expires_us) WHERE expires_us IS NOT NULL;
CREATE INDEX message_event ON message (event_us) WHERE event_us IS NOT NULL;
CREATE INDEX message_unit ON message (unit) WHERE unit IS NOT NULL;
CREATE INDEX message_locked ON message (locked_by) WHERE locked_by IS NOT NULL;
CREATE TABLE connection (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    lock_name TEXT NOT NULL,
    application TEXT NOT NULL,
    user TEXT NOT NULL,
    connected_us INTEGER NOT NULL,
    instance TEXT NOT NULL DEFAULT ''
);
CREATE TABLE handle (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    connection INTEGER NOT NULL,
    queue INTEGER NOT NULL,
    options INTEGER NOT NULL
);
CREATE INDEX handle_queue ON handle (queue);
CREATE TABLE definition (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    attributes TEXT NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;
CREATE TABLE authority (
    type TEXT NOT NULL,
    profile TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity TEXT NOT NULL,
    authorities TEXT NOT NULL,
    PRIMARY KEY (type, profile, entity_type, entity)
) WITHOUT ROWID;
CREATE TABLE call (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_us INTEGER NOT NULL,
    user TEXT NOT NULL,
    application TEXT NOT NULL,
    verb TEXT NOT NULL,
    object TEXT NOT NULL,
    options INTEGER NOT NULL,
    detail TEXT NOT NULL
);
CREATE TABLE subscription (
    id BLOB PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    topic TEXT NOT NULL,
    destination TEXT NOT NULL,
    managed INTEGER NOT NULL,
    durable INTEGER NOT NULL,
    connection INTEGER,
    proxy TEXT NOT NULL,
    user TEXT NOT NULL,
    created_us INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE retained (
    topic TEXT PRIMARY KEY,
    md BLOB NOT NULL,
    body BLOB NOT NULL,
    expires_us INTEGER
) WITHOUT ROWID;
CREATE TABLE outgoing (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    queue_manager TEXT NOT NULL,
    topic TEXT NOT NULL,
    md BLOB NOT NULL,
    body BLOB NOT NULL,
    expires_us INTEGER,
    event_us INTEGER NOT NULL
);
CREATE TABLE received (
    queue_manager TEXT NOT NULL,
    key BLOB NOT NULL,
    PRIMARY KEY (queue_manager, key)
) WITHOUT ROWID;
"""

_SALVAGE: Final = (
    "restore a copy; mqtriage emulator ls QM --check shows what is intact, "
    "and mqtriage emulator create NEW --salvage QM recovers it"
)
FORM: Final = sqlite.FileForm(
    "queue manager file",
    0x4D515452,  # "MQTR"
    1,
    _SCHEMA,
    {
        "not-opened": "mqtriage emulator ls lists the existing queue managers",
        "foreign": _SALVAGE,
        "damaged": _SALVAGE,
    },
)
SENSELESS: Final = (sqlite3.Error, ValueError, TypeError, KeyError, AttributeError)
"""What reading rows raises whose content was damaged."""
_NORMAL: Final = "PRAGMA synchronous = NORMAL"


class Ended(Protocol):
    """Whose transaction it is: a `Store`, or a queue manager over one."""

    path: Path

    def commit(self) -> None: ...

    def rollback(self) -> None: ...


@dataclass(slots=True, eq=False)
class Transaction(Generic[T]):
    """A transaction that has begun, as a context manager that hands out a value."""

    _owner: Ended
    _value: T

    def __enter__(self) -> T:
        return self._value

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._owner.commit()
            return
        self._owner.rollback()
        if isinstance(error, sqlite3.Error):
            raise sqlite.storage_error(self._owner.path, error, FORM) from error


class Store:
    """One process's connection to the file of a queue manager.

    Attributes:
        writable: False where the file is marked read-only; every write then fails with
            `StorageError`, and reads show the state of the last touch.
        got_from: the queues that messages were got from in this transaction.
        gate: passed before the file is looked at; None where nothing can be held back.
        lasting: whether durable commits wait for the disk; False for a file that is thrown away.
        promised: how many durable commits were left to `sync`.
    """

    def __init__(self, path: Path, *, busy_s: float = 20.0, alone: bool = False) -> None:
        """Open the file.

        Args:
            busy_s: how long another process is waited for.
            alone: nobody else knows of the file yet.
        """
        self.path = path
        self.writable = _is_writable(path)
        self.lasting = True
        self.commits = self.promised = self._synced = 0
        self.got_from: set[int] = set()
        self._durable = self._is_promise = False
        self._log: int | None = None
        self._syncing = threading.Lock()
        self._busy_s = busy_s
        with sqlite.storage_errors(path, FORM):
            self._db = self._connect()
        self.gate: Passage | None = None
        if self.writable and not alone:  # else there is no server that could hold work back
            self.gate = Gate(path, busy_s)

    def execute(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> sqlite3.Cursor:
        """Run one statement; failures of the file are told as `StorageError`."""
        if self.gate is not None and not self._db.in_transaction:
            self.gate.enter()
            self.gate.leave()
        try:
            return self._run(sql, values)
        except sqlite.UNREADABLE as error:
            raise sqlite.storage_error(self.path, error, FORM) from error

    def number(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> int:
        """The one number that a statement gives."""
        return int(self.execute(sql, values).fetchone()[0])

    def number_if_any(self, sql: str, values: Sequence[Any] = ()) -> int | None:
        """The same; None where it gives NULL, or no row."""
        row = self.execute(sql, values).fetchone()
        return None if row is None or row[0] is None else int(row[0])

    def has(self, sql: str, values: Sequence[Any] = ()) -> bool:
        """Whether a statement gives a row."""
        return self.execute(sql, values).fetchone() is not None

    def column(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """The values of a statement that gives one a row."""
        return [value for (value,) in self.execute(sql, values).fetchall()]

    @staticmethod
    def create(path: Path) -> None:
        """Make the file with its empty tables, readable by its owner alone.

        Raises:
            StorageError: If it exists or cannot be written.
        """
        with sqlite.storage_errors(path, FORM):
            os.close(create_private(path))
            sqlite.make(path, FORM)

    def _run(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(sql, values)
        except sqlite3.OperationalError as error:
            if not sqlite.is_busy(error):
                raise
        return sqlite.execute_when_free(self._db, sql, values, self._busy_s)

    def _connect(self) -> sqlite3.Connection:
        mode = "rw"
        if not self.writable:
            # Without write permission a log that others hold cannot be joined: then there is none.
            mode = "ro" if _wal(self.path).exists() else "ro&immutable=1"
        db = sqlite.opened(self.path, mode, wait_s=self._busy_s)
        if self.writable:
            db.execute(_NORMAL)
            db.execute("PRAGMA wal_autocheckpoint = 4000")
        db.execute("PRAGMA cache_size = -4096")
        sqlite.recognise(db, FORM, self.path)
        db.execute("PRAGMA busy_timeout = 0")  # from here on `_run` waits
        return db

    def begin(self, *, durable: bool = False) -> None:
        """Start one short transaction that writes; `commit` or `rollback` must follow at once.

        Args:
            durable: whether the commit waits for the disk. A commit of persistent messages
                does; one of nonpersistent messages survives a crash of the program, not one of
                the machine.
        """
        if not self.writable:
            raise StorageError(
                f"{self.path}: the file is read-only",
                hint="make it writable (chmod u+w), or use commands that only read",
            )
        if self.gate is None:
            self.begin_inside_gate(durable=durable)
            return
        self.gate.enter()
        try:
            self.begin_inside_gate(durable=durable)
        finally:
            self.gate.leave()

    def begin_inside_gate(self, *, durable: bool = False) -> None:
        """Start a transaction that spans several calls, for whoever has shut the gate."""
        durable = durable and self.lasting
        self._is_promise = durable and self._log is not None
        durable = durable and not self._is_promise
        try:
            if durable is not self._durable:
                self._run("PRAGMA synchronous = FULL" if durable else _NORMAL)
                self._durable = durable
            self._run("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise sqlite.storage_error(self.path, error, FORM) from error

    @property
    def changes(self) -> int:
        """How many rows this connection has changed."""
        return self._db.total_changes

    def next_row(self, cursor: sqlite3.Cursor) -> tuple[Any, ...] | None:
        """The next row of what was executed, None at the end.

        Raises:
            StorageError: It cannot be read.
        """
        try:
            row: tuple[Any, ...] | None = cursor.fetchone()
        except sqlite3.Error as error:
            raise sqlite.storage_error(self.path, error, FORM) from error
        return row

    def execute_all(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement with the values of each row, inside a transaction."""
        with sqlite.storage_errors(self.path, FORM):
            self._db.executemany(sql, rows)

    def commit(self) -> None:
        """End the transaction; what it wrote is there for everybody."""
        try:
            self.execute("COMMIT")
            self.commits += 1
            self.promised += self._is_promise
            self._is_promise = False
            self.got_from.clear()
        except StorageError:
            self.rollback()
            raise

    @property
    def in_transaction(self) -> bool:
        return self._db.in_transaction

    def rollback(self) -> None:
        """End the transaction as if it had not been."""
        self.got_from.clear()
        if self._db.in_transaction:
            self.execute("ROLLBACK")

    def write(self, *, durable: bool = False) -> Transaction[None]:
        """The same as a `with` block: committed when it ends, undone when it raises."""
        self.begin(durable=durable)
        return Transaction(self, None)

    def read(self) -> Transaction[None]:
        """A `with` block that sees one state of the file."""
        if self.gate is not None:
            self.gate.enter()
            self.gate.leave()
        self.execute("BEGIN")
        return Transaction(self, None)

    def leave_log_to_others(self) -> None:
        """Let the log grow: somebody calls `fold_log` beside the calls of this connection.

        Folding it waits for the disk, which a program that puts nonpersistent messages need not.
        """
        self.execute("PRAGMA wal_autocheckpoint = 40000")  # all the same, 160 MB are enough

    def sync_later(self) -> None:
        """From now on leave the wait of durable commits for the disk to `sync`.

        So one wait does for the commits of several calls; none of them may be answered before it.
        What a commit has written stands in the log, in the order of the commits: SQLite itself
        waits for nothing but that file.
        """
        with sqlite.storage_errors(self.path, FORM):
            self._log = os.open(_wal(self.path), os.O_RDONLY | os.O_CLOEXEC)

    def sync(self, promised: int) -> None:
        """Wait until the disk has so many of the commits that were left to this; from any thread.

        Raises:
            OSError: It does not take them.
        """
        if self._synced >= promised:
            return
        with self._syncing:
            if self._synced < promised and self._log is not None:
                through = self.promised
                sync(self._log, data_only=True)
                self._synced = through

    def fold_log(self) -> bool:
        """Write what the log holds into the file proper; whether nothing came in meanwhile."""
        with sqlite.storage_errors(self.path, FORM):
            _, frames, folded = self._run("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        return bool(frames == folded)

    def data_version(self) -> int:
        """A number that changes when another connection has changed the file: a cheap look."""
        with sqlite.storage_errors(self.path, FORM):
            row = self._run("PRAGMA data_version").fetchone()
        return int(row[0])

    def watch_queues(self) -> None:
        """Note from now on which definitions of queues this connection changes.

        For programs that change many: what others change is not noted. Outside a transaction.
        """
        self.execute("CREATE TEMP TABLE touched (id INTEGER PRIMARY KEY)")
        for event, row in (("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")):
            self.execute(
                f"CREATE TEMP TRIGGER touched_by_{event} AFTER {event} ON main.queue"
                f" BEGIN INSERT OR IGNORE INTO touched VALUES ({row}.id); END"
            )

    def touched_queues(self) -> list[int]:
        """Ids of the definitions that were changed since this was last asked."""
        ids = [int(row[0]) for row in self.execute("SELECT id FROM touched")]
        if ids:
            self.execute("DELETE FROM touched")
        return ids

    def close(self) -> None:
        """Let go of the file; closing the last connection folds the log into it."""
        with sqlite.storage_errors(self.path, FORM):
            self._db.close()
        with self._syncing:
            if self._log is not None:
                os.close(self._log)
                self._log = None
        self._leave_gate()

    def use_as_scratch(self) -> None:
        """Wait neither for the disk nor at the gate: nobody else knows of the file, or will."""
        self.lasting = False
        self._leave_gate()

    def _leave_gate(self) -> None:
        if self.gate is not None:
            self.gate.close()
            self.gate = None


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _is_writable(path: Path) -> bool:
    """Go by the permission bits too: for root every file is writable, also one marked read-only."""
    try:
        return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)
    except FileNotFoundError:
        return True


def damaged(path: Path, error: Exception) -> StorageError:
    """What was read of the file makes no sense."""
    if isinstance(error, sqlite3.Error):
        return sqlite.storage_error(path, error, FORM)
    return StorageError(f"{path}: the file is damaged", kind="damaged", hint=_SALVAGE)
