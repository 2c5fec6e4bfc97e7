"""The write-ahead journal: what an act is going to do is on disk before it is done.

All operations stand in one file, MQTRIAGE_HOME/journal/ledger.sqlite (`ledger` has its tables).
While a process is at an operation it holds the lock ID.lock beside it.
"""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any, Final

from mqtriage.files.failures import storage_errors
from mqtriage.files.locks import FileLock, is_locked
from mqtriage.model.ids import looks_like_id
from mqtriage.model.op_ids import new_op_id
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome
from mqtriage.mq.errors import MQTriageError, NotFound, Refused, StorageError, UsageError
from mqtriage.mq.times import rfc3339
from mqtriage.operations.ledger.plan_file import StoredPlan, plan_from, plan_record
from mqtriage.operations.ledger.tables import COPY_HINT, FILE, Database, Ledger
from mqtriage.operations.ledger.units import (
    BACKED_OUT,
    COMMITTED,
    DONE,
    LEFT,
    STOPPED,
    Initiator,
    LedgerUnit,
    Put,
    TakenMessage,
    WrittenPart,
)
from mqtriage.operations.selection.spool import planned_messages
from mqtriage.records import NamedTuple

_IS_OP: Final = "operation = (SELECT number FROM operation WHERE op = ?)"
_TABLES: Final = ("planned", "unit", "taken", "stayed", "archive")
_CHUNK: Final = 2_000
"""Planned messages of a transaction."""
_MOST_UNWRITTEN: Final = 200
"""Messages that stayed which may wait for the next change."""
_LEAST_TAIL: Final = 4
"""Characters of the end of an id: fewer are a slip of the hand."""


class OperationProgress(NamedTuple):
    """How far an operation came.

    Attributes:
        runs: how often work on it began: the act, and each resume of it.
        ended: time of its last end, "" where there is none.
        how: it ended; "" while it has not, or was cut off.
        units: number of its last unit of work.
    """

    runs: int = 0
    ended: str = ""
    how: str = ""
    units: int = 0


class JournalEntry:
    """An operation that is being carried out; made by `Journal.begin` or `Journal.reopen`.

    Attributes:
        op: its id.
        ledger: open for as long as the operation is carried out.
        unit: number of the last unit of work that was begun.
        ended: how the work ends: DONE, INTERRUPTED or STOPPED.
        error: what stopped it.
    """

    def __init__(self, op: str, number: int, plan: StoredPlan, ledger: Ledger, lock: FileLock):
        self.op = op
        self.plan = plan
        self.unit = 0
        self.ended = DONE
        self.error: MQTriageError | None = None
        self._number = number
        self.ledger = ledger
        self._lock = lock
        self._archive: int | None = None
        self._seals: dict[Path, str] = {}
        self._open = False
        self._stayed: list[tuple[Any, ...]] = []

    def stopped(self, error: MQTriageError) -> None:
        """The work ends by an error."""
        self.ended, self.error = STOPPED, error

    def run(self) -> None:
        """Note that work begins; what stayed before is tried anew."""
        with self.ledger.change("run") as database:
            database.execute("DELETE FROM stayed WHERE operation = ?", (self._number,))
            database.execute(
                "UPDATE operation SET runs = runs + 1, how = '', reason = 0, error = '',"
                " begun = CASE begun WHEN '' THEN ? ELSE begun END WHERE number = ?",
                (now_text(), self._number),
            )

    def archive(self, path: Path) -> None:
        """Name the file that the following units are archived in; it is not there yet."""
        with self.ledger.change("archive") as database:
            self._archive = database.execute(
                "INSERT INTO archive (operation, path) VALUES (?, ?)", (self._number, str(path))
            ).lastrowid

    def sealed(self, path: Path, digest: str) -> None:
        """Note with the end of the work what the file was when it was closed."""
        self._seals[path] = digest

    def unsealed(self, path: Path, digest: str) -> None:
        """Note that lines are added to a file which is still as it was noted, and only then."""
        with self.ledger.change("unseal") as database:
            database.execute(
                "UPDATE archive SET sha256 = NULL WHERE operation = ? AND path = ? AND sha256 = ?",
                (self._number, str(path), digest),
            )

    def intend(
        self,
        at_us: int,
        messages: list[TakenMessage],
        before: int | None = None,
        written: WrittenPart | None = None,
    ) -> None:
        """Put a unit of work on disk that is to be committed next; as in `LedgerUnit`."""
        self.unit += 1
        numbers = [taken.number for taken in messages]
        span = (len(numbers), min(numbers), max(numbers))
        with self.ledger.change("intent") as database:
            self._note_stayed(database)
            database.execute(
                "INSERT INTO unit (operation, unit, at_us, before, archive, messages, least,"
                " greatest, archive_bytes, archive_digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._number,
                    self.unit,
                    at_us,
                    before,
                    self._archive,
                    *span,
                    *(written or (None, None)),
                ),
            )
            database.executemany(
                "INSERT INTO taken VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (self._number, number, self.unit, archived, *(put or _NOTHING), parked)
                    for number, archived, put, parked in messages
                ),
            )
        self._open = True

    def committed(self) -> None:
        """Note that the unit became final; that it cannot be written undoes nothing."""
        self._open = False
        with suppress(StorageError):
            self._end_unit("mark", self.unit, COMMITTED)

    def backed_out(self) -> None:
        """Note that the unit, if it was noted at all, was undone."""
        if self._open:
            self._open = False
            with suppress(StorageError):
                self._end_unit("mark", self.unit, BACKED_OUT)

    def settled(self, unit: int, ended: str) -> None:
        """Note what was found out about a unit in doubt."""
        self._end_unit("settle", unit, ended)

    def stayed(self, number: int, item: ItemOutcome) -> None:
        """Note a message that was not taken, and why; it is written with the next change."""
        self._stayed.append((self._number, number, item.outcome.value, item.reason))
        if len(self._stayed) >= _MOST_UNWRITTEN:
            with suppress(StorageError), self.ledger.change("left", durable=False) as database:
                self._note_stayed(database)

    def end(self) -> None:
        """Note that the work ended, and how."""
        with suppress(StorageError), self.ledger.change("end") as database:
            self._note_stayed(database)
            database.executemany(
                "UPDATE archive SET sha256 = ? WHERE operation = ? AND path = ? AND sha256 IS NULL",
                ((digest, self._number, str(path)) for path, digest in self._seals.items()),
            )
            database.execute(
                "UPDATE operation SET ended = ?, how = ?, reason = ?, error = ? WHERE number = ?",
                (now_text(), self.ended, *error_columns(self.error), self._number),
            )

    def close(self) -> None:
        """Close the ledger, and let others have the operation."""
        self.ledger.close()
        self._lock.release()

    def _end_unit(self, step: str, unit: int, ended: str) -> None:
        with self.ledger.change(step, durable=False) as database:
            database.execute(
                "UPDATE unit SET ended = ? WHERE operation = ? AND unit = ?",
                (ended, self._number, unit),
            )

    def _note_stayed(self, database: Database) -> None:
        rows, self._stayed = self._stayed, []
        if rows:
            database.executemany("INSERT OR REPLACE INTO stayed VALUES (?, ?, ?, ?)", rows)


_NOTHING: Final = (None, None, None)


def error_columns(error: MQTriageError | None) -> tuple[int, str]:
    """Reason code and text as a row has them; 0 and "" for none."""
    return (0, "") if error is None else (getattr(error, "reason", 0) or 0, error.text)


class ChosenOperations(NamedTuple):
    """Which operations are listed or proven.

    Attributes:
        queue_manager: those at this one; None for all.
        since_ms: begun at this time or later, in milliseconds since 1970.
        limit: that many, the newest ones.
        messages: operations on messages alone, no other changes.
        until_ms: begun before this time, in milliseconds since 1970.
    """

    queue_manager: str | None = None
    since_ms: int | None = None
    limit: int | None = None
    messages: bool = False
    until_ms: int | None = None

    def condition(self) -> tuple[str, list[Any]]:
        """WHERE over the table operation, and its values with that of LIMIT."""
        values: list[Any] = [self.queue_manager or "", self.queue_manager or ""]
        since = "" if self.since_ms is None else new_op_id(self.since_ms, 0)
        until = "~" if self.until_ms is None else new_op_id(self.until_ms, 0)
        limit = -1 if self.limit is None else self.limit
        where = "WHERE (? = '' OR queue_manager = ?) AND op >= ? AND op < ?"
        return where + " AND changes IS NULL" * self.messages, [*values, since, until, limit]


class Journal:
    """All operations of a home.

    Attributes:
        path: the ledger; it may not be there yet.
    """

    def __init__(self, folder: Path, caller: Initiator | None = None) -> None:
        self.folder = folder
        self.path = folder / FILE
        self.caller = caller or Initiator()
        self._kept: Ledger | None = None

    def begin(self, plan: StoredPlan) -> JournalEntry:
        """Put a plan on disk as a new operation."""
        op, number, ledger, lock = self.enter(lambda ledger, op: self._insert(ledger, op, plan))
        return JournalEntry(op, number, plan, ledger, lock)

    def enter(self, insert: Callable[[Ledger, str], int]) -> tuple[str, int, Ledger, FileLock]:
        """A new id, the number that *insert* gives it, the ledger, and the lock on it."""
        now_ms = time.time_ns() // 1_000_000
        ledger = Ledger.open_or_create(self.path)
        lock: FileLock | None = None
        try:
            op = new_op_id(now_ms, int.from_bytes(os.urandom(10), "big"), self.last() or "")
            lock = self._lock(op)
            return op, insert(ledger, op), ledger, lock
        except BaseException as error:
            ledger.close()
            if lock is not None:
                lock.release()
            if isinstance(error, StorageError) and error.kind in ("", "full"):
                error.hint = "nothing was changed; make room, then try again"
            raise

    def _insert(self, ledger: Ledger, op: str, plan: StoredPlan) -> int:
        """Write the plan, some messages at a time: others must not wait for a million."""
        number = 0
        rows = zip(plan.messages, chain(plan.origin, repeat(None)), strict=False)
        numbered = enumerate(rows, 1)
        for done in range(0, len(plan.messages) + 1, _CHUNK):
            last = done + _CHUNK > len(plan.messages)
            with ledger.change("plan", durable=last) as database:
                if not number:
                    record = json.dumps(plan_record(plan), separators=(",", ":"))
                    number = database.execute(
                        "INSERT INTO operation (op, action, queue_manager, context, user, command,"
                        " connection, undoes, plan) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        (op, plan.request.action, plan.queue_manager, *self.caller, plan.undoes,
                         record),
                    ).lastrowid or 0  # fmt: skip
                database.executemany(
                    f"INSERT INTO planned VALUES (?, ?{', ?' * 11})",
                    (
                        (number, at, *message, origin)
                        for at, (message, origin) in islice(numbered, _CHUNK)
                    ),
                )
                if last:
                    database.execute(
                        "UPDATE operation SET messages = ? WHERE number = ?",
                        (len(plan.messages), number),
                    )
        return number

    def reopen(self, op: str, plan: StoredPlan, unit: int) -> JournalEntry:
        """Go on with an operation; refused while another process is at it."""
        lock = self._lock(op)
        try:
            ledger = Ledger(self.path)
            row = ledger.row("SELECT number FROM operation WHERE op = ?", op)
            entry = JournalEntry(op, row[0] if row else 0, plan, ledger, lock)
        except BaseException:
            lock.release()
            raise
        entry.unit = unit
        return entry

    def discard(self, op: str) -> None:
        """Forget an operation that has ended and took no message: no unit of work of it began."""
        if next(self.units(op), None) is None:
            self.remove(op)

    def remove(self, *ops: str) -> None:
        """Forget operations for good, all of them or none."""
        with Ledger(self.path) as ledger, ledger.change("remove") as database:
            for op in ops:
                for table in _TABLES:
                    database.execute(f"DELETE FROM {table} WHERE {_IS_OP}", (op,))
                database.execute("DELETE FROM operation WHERE op = ?", (op,))
        for op in ops:
            if self._lock_path(op).exists():
                with suppress(Refused, StorageError):  # a killed process left it there
                    self._lock(op).release()

    @contextmanager
    def held(self, op: str) -> Iterator[None]:
        """Keep others off an operation while it is taken back; refused while one is at it."""
        lock = self._lock(op)
        try:
            yield
        finally:
            lock.release()

    def is_carried_out(self, op: str) -> bool:
        """Whether a process is carrying out the operation."""
        return is_locked(self._lock_path(op))

    def is_at_work(self) -> bool:
        """Whether a process is carrying out any operation of this journal."""
        return any(is_locked(path) for path in self.folder.glob("*.lock"))

    def _lock_path(self, op: str) -> Path:
        return self.folder / f"{op}.lock"

    def _lock(self, op: str) -> FileLock:
        path = self._lock_path(op)
        busy = Refused(
            f"operation {op} is running in another process",
            hint="wait until it ends, or end it",
            object_name=op,
        )
        with storage_errors(f"journal {path}"):
            return FileLock(path, busy)

    # what there is ----------------------------------------------------------------------------

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Read by one connection meanwhile: many short queries are mostly opening and closing."""
        with self._ledger() as self._kept:
            try:
                yield
            finally:
                self._kept = None

    @contextmanager
    def _ledger(self) -> Iterator[Ledger | None]:
        """A connection to read by; None where there is no ledger yet."""
        if self._kept is not None or not self.path.exists():
            yield self._kept
            return
        with Ledger(self.path) as ledger:
            yield ledger

    def rows(self, sql: str, *values: Any) -> Generator[tuple[Any, ...], None, None]:
        """The rows of a query; none where there is no ledger yet."""
        with self._ledger() as ledger:
            if ledger is not None:
                yield from ledger.rows(sql, *values)

    def row(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        """The first row of a query."""
        with closing(self.rows(sql, *values)) as rows:
            return next(rows, None)

    def ops(self, chosen: ChosenOperations | None = None) -> list[str]:
        """The ids of the chosen operations, oldest first."""
        where, values = (chosen or ChosenOperations()).condition()
        ops = self.rows(f"SELECT op FROM operation {where} ORDER BY op DESC LIMIT ?", *values)
        return [op for (op,) in ops][::-1]

    def last(self, queue_manager: str | None = None, *, messages: bool = False) -> str | None:
        """The operation that was begun last, of all or at one queue manager."""
        return next(iter(self.ops(ChosenOperations(queue_manager, None, 1, messages))), None)

    def called(self, op: str) -> tuple[str, Initiator]:
        """The queue manager of an operation, and who asked for it."""
        sql = "SELECT queue_manager, context, user, command, connection FROM operation WHERE op = ?"
        queue_manager, *caller = self.row(sql, op) or ("", *Initiator())
        return queue_manager, Initiator(*caller)

    def find(
        self, op: str | None, queue_manager: str | None = None, *, messages: bool = False
    ) -> str:
        """The operation of that id, or of the only one that begins or ends so; None: the last one.

        A narrow table shows the end of an id.

        Args:
            queue_manager: which last one; None for the last of all.
            messages: an operation on messages is expected.

        Raises:
            NotFound: There is none.
            UsageError: Several are meant, or it is a change of another kind.
        """
        if op is None:
            last = self.last(queue_manager, messages=messages)
            if last is None:
                nothing = f"has no operation at {queue_manager}" if self.last() else "is empty"
                every = " -m '*'" if queue_manager else ""
                raise NotFound(f"the journal {nothing}", hint=f"mqtriage journal ls{every}")
            return last
        part = op.upper().lstrip("….*")
        sql = "SELECT op FROM operation WHERE op >= ?1 AND op < ?1 || '~'"
        ops = [name for (name,) in self.rows(sql, part)] if part else []
        if not ops and len(part) >= _LEAST_TAIL:
            sql = "SELECT op FROM operation WHERE substr(op, -length(?1)) = ?1"
            ops = [name for (name,) in self.rows(sql, part)]
        if not ops:
            of_a_message = f" --msgid {op}" if looks_like_id(op) else ""
            least = f": give at least the last {_LEAST_TAIL} characters of its id"
            raise NotFound(
                f"no operation {op[:40]}{least if len(part) < _LEAST_TAIL else ''}",
                hint=f"mqtriage journal ls{of_a_message}",
                object_name=op,
            )
        if len(ops) > 1:
            raise UsageError(
                f"{len(ops)} operations have ids with {op}",
                hint=f"give more characters, or the last {_LEAST_TAIL} or more of one, such as"
                f" {ops[-1][-8:]}",
            )
        if messages and not self.is_on_messages(ops[0]):
            (action,) = self.row("SELECT action FROM operation WHERE op = ?", ops[0]) or ("",)
            raise UsageError(
                f"operation {ops[0]} ({action}) is not an operation on planned messages",
                hint=f"mqtriage journal show {ops[0]}",
                object_name=ops[0],
            )
        return str(ops[0])

    def is_on_messages(self, op: str) -> bool:
        """Whether an operation has planned messages: a put or a change of definitions has none."""
        row = self.row("SELECT changes IS NULL FROM operation WHERE op = ?", op)
        return row is None or bool(row[0])

    def is_planned(self, op: str) -> bool:
        """Whether the whole plan of an operation is there; without it nothing was done."""
        row = self.row("SELECT messages IS NOT NULL FROM operation WHERE op = ?", op)
        return row is not None and bool(row[0])

    def head(self, op: str) -> StoredPlan:
        """What an operation is about, without its messages.

        Raises:
            StorageError: It cannot be read, or its plan was not finished: then nothing was done.
        """
        row = self.row("SELECT plan, messages FROM operation WHERE op = ?", op)
        if row is None or row[1] is None:
            raise StorageError(
                f"operation {op}: the end of its plan is missing because it was interrupted:"
                " nothing was done",
                hint="run the command again",
            )
        try:
            record = json.loads(row[0])
        except (TypeError, ValueError, RecursionError) as error:
            raise StorageError(
                f"operation {op}: its journal data is damaged", hint=COPY_HINT
            ) from error
        return plan_from(f"operation {op}", record)

    def plan(self, op: str) -> StoredPlan:
        """The whole plan of an operation; its messages do not stay in memory."""
        plan = self.head(op)
        sql = f"SELECT * FROM planned WHERE {_IS_OP} ORDER BY number"
        origin = array("Q")
        messages = planned_messages()
        for row in self.rows(sql, op):
            messages.append(PlannedMessage._make(row[2:12]))
            if row[12] is not None:
                origin.append(row[12])
        plan.messages, plan.origin = messages, origin
        return plan

    def units(self, op: str, *ended: str) -> Iterator[LedgerUnit]:
        """The units of work of an operation, in order, one at a time in memory.

        Args:
            ended: those alone that ended so; "" for those in doubt.
        """
        chosen = f"AND ended IN ({', '.join('?' * len(ended))})" if ended else ""
        units = (
            "SELECT unit.operation, unit, at_us, before, ended, path, messages, least, greatest,"
            " archive_bytes, archive_digest"
            " FROM unit LEFT JOIN archive ON archive.number = unit.archive"
            f" WHERE unit.{_IS_OP} {chosen} ORDER BY unit"
        )
        taken = (
            "SELECT number, archived, queue, msg_id, digest, parked FROM taken"
            " WHERE operation = ? AND number BETWEEN ? AND ? AND unit = ?"
        )
        with self._ledger() as ledger:
            if ledger is None:
                return
            for row in ledger.rows(units, op, *ended):
                number, unit, at_us, before, how, path, size, least, greatest, *written = row
                messages = [
                    TakenMessage(
                        at, archived, Put(*put) if put[0] is not None else None, bool(parked)
                    )
                    for at, archived, *put, parked in ledger.rows(
                        taken, number, least, greatest, unit
                    )
                ]
                archive = Path(path) if path else None
                part = WrittenPart(*written) if written[1] is not None else WrittenPart()
                yield LedgerUnit(unit, at_us, messages, before, how, archive, size, part)

    def fates(self, op: str) -> Iterator[tuple[int, str]]:
        """What became of the messages that were reached, by number: how their unit ended, or LEFT.

        In doubt says more than left, and comes after it.
        """
        yield from self.rows(
            f"SELECT number, '{LEFT}' FROM stayed WHERE {_IS_OP}"
            " UNION ALL SELECT number, ended FROM taken JOIN unit USING (operation, unit)"
            f" WHERE {_IS_OP} AND ended <> '{BACKED_OUT}'",
            op,
            op,
        )

    def progress(self, op: str) -> OperationProgress:
        """How far an operation came."""
        row = self.row(
            "SELECT runs, ended, how, (SELECT coalesce(max(unit), 0) FROM unit"
            " WHERE operation = number) FROM operation WHERE op = ?",
            op,
        )
        return OperationProgress() if row is None else OperationProgress(*row)

    def applied(self, plan: StoredPlan) -> str | None:
        """The last operation that carried out this plan file, or began to."""
        sql = (
            "SELECT op FROM operation WHERE queue_manager = ? AND messages IS NOT NULL"
            " AND json_extract(plan, '$.at') = ? AND json_extract(plan, '$.request.queue') = ?"
            " ORDER BY op DESC"
        )
        row = self.row(sql, plan.queue_manager, plan.at, plan.request.queue)
        return None if row is None else str(row[0])

    def undos(self, op: str) -> list[str]:
        """The operations that took this one back, or began to."""
        sql = "SELECT op FROM operation WHERE undoes = ? AND undoes <> '' ORDER BY op"
        return [back for (back,) in self.rows(sql, op)]

    def not_undone(self, action: str, queue_manager: str, limit: int) -> list[tuple[str, int]]:
        """The last operations of that action that took messages and were not undone.

        Returns:
            Id and how many messages were taken, the newest first.
        """
        sql = (
            "SELECT op, (SELECT count(*) FROM taken JOIN unit USING (operation, unit)"
            f" WHERE operation = o.number AND ended = '{COMMITTED}') AS took FROM operation o"
            " WHERE action = ? AND queue_manager = ? AND took > 0"
            " AND op NOT IN (SELECT undoes FROM operation) ORDER BY op DESC LIMIT ?"
        )
        return [(op, took) for op, took in self.rows(sql, action, queue_manager, limit)]

    def archives(self, op: str) -> list[Path]:
        """The files that an operation archived to, in order."""
        sql = f"SELECT path FROM archive WHERE {_IS_OP} ORDER BY number"
        return [Path(path) for (path,) in self.rows(sql, op)]

    def seals(self, op: str) -> dict[Path, str | None]:
        """SHA-256 of each of these files as the operation left it, None where it has not yet."""
        sql = f"SELECT path, sha256 FROM archive WHERE {_IS_OP} ORDER BY number"
        return {Path(path): digest for path, digest in self.rows(sql, op)}


def now_text() -> str:
    """The time of this machine; a queue manager's clock can be moved."""
    return rfc3339(time.time_ns() // 1000)
