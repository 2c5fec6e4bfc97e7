"""The write-ahead journal: what an act is going to do is on disk before it is done.

Each operation has a folder of its own in MQTRIAGE_HOME/journal, named by its id, 0700, files 0600:

    plan.ndjson   request, queues and the marks of each message (`plan_file`)
    log.ndjson    what came of it, one line after the other

Lines of the log:

    {"kind": "Run", "at": ...}                                the act, or a resume of it, begins
    {"kind": "Archive", "path": ...}                          where the next units are archived
    {"kind": "Unit", "unit": 1, "at_us": ..., "messages": [{"number": 1, "archived": 1,
     "put": {...}}, ...], "before": 0}                        on disk before the unit is committed;
                                                              *before* where nothing is taken
    {"kind": "Commit", "unit": 1}                             or "Backout"
    {"kind": "Left", "number": 7, "outcome": "skipped", "reason": "gone"}
    {"kind": "Settled", "unit": 2, "as": "committed"}         what a resume found; or
                                                              "backed out" or "unknown"
    {"kind": "End", "at": ..., "ended": "done"}               or "interrupted", "stopped"

A unit without a line of its own end is in doubt: the process ended around its commit. Its messages
are in the archive; whether they left their queue only the queues can tell (`journal_resume`).
Message data is never in here.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from mqtriage.emulator.core.home import private_folder
from mqtriage.model.op_ids import is_op_id, new_op_id
from mqtriage.model.result import ItemOutcome
from mqtriage.mq.errors import NotFound, Refused, StorageError, UsageError
from mqtriage.mq.times import rfc3339
from mqtriage.operations.journal_lines import (
    COMMITTED,
    DONE,
    Line,
    Settled,
    Taken,
    Unit,
    parsed_line,
    taken_record,
)
from mqtriage.operations.plan_file import StoredPlan, write_plan

PLAN: Final = "plan.ndjson"
LOG: Final = "log.ndjson"

_compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode


class Entry:
    """An operation that is being carried out; made by `Journal.begin` or `Journal.reopen`.

    Attributes:
        op: its id.
        unit: number of the last unit of work that was begun.
        ended: how the work ends: DONE, INTERRUPTED or STOPPED.
    """

    def __init__(self, op: str, folder: Path, plan: StoredPlan, unit: int = 0) -> None:
        self.op = op
        self.folder = folder
        self.plan = plan
        self.unit = unit
        self.ended = DONE
        self._open = False
        self._descriptor = _opened_log(folder, op)

    def run(self) -> None:
        """Note that work begins.

        Raises:
            StorageError: As all that write.
        """
        self._write({"kind": "Run", "at": _now()})
        self._sync()

    def archive(self, path: Path) -> None:
        """Name the file that the following units are archived in."""
        self._write({"kind": "Archive", "path": str(path)})

    def intend(self, at_us: int, messages: list[Taken], before: int | None = None) -> None:
        """Put a unit of work on disk that is to be committed next; *before* as in `Unit`."""
        self.unit += 1
        record: dict[str, Any] = {
            "kind": "Unit",
            "unit": self.unit,
            "at_us": at_us,
            "messages": [taken_record(each) for each in messages],
        }
        if before is not None:
            record["before"] = before
        self._write(record)
        self._sync()
        self._open = True

    def committed(self) -> None:
        """Note that the unit became final; that it cannot be written undoes nothing."""
        self._end_unit("Commit")

    def backed_out(self) -> None:
        """Note that the unit, if it was noted at all, was undone."""
        if self._open:
            self._end_unit("Backout")

    def settled(self, unit: int, ended: str) -> None:
        """Note what was found out about a unit in doubt."""
        self._write({"kind": "Settled", "unit": unit, "as": ended})

    def left(self, number: int, item: ItemOutcome) -> None:
        """Note a message that was not taken, and why."""
        with suppress(StorageError):
            self._write(
                {
                    "kind": "Left",
                    "number": number,
                    "outcome": item.outcome.value,
                    "reason": item.reason,
                }
            )

    def end(self) -> None:
        """Note that the work ended, and how."""
        with suppress(StorageError):
            self._write({"kind": "End", "at": _now(), "ended": self.ended})
            self._sync()

    def close(self) -> None:
        """Close the log, and let others have the operation."""
        os.close(self._descriptor)

    def _end_unit(self, kind: str) -> None:
        self._open = False
        with suppress(StorageError):
            self._write({"kind": kind, "unit": self.unit})

    def _write(self, record: dict[str, Any]) -> None:
        data = memoryview((_compact(record) + "\n").encode("ascii"))
        start = os.lseek(self._descriptor, 0, os.SEEK_END)
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._descriptor, start)
            raise self._failed(error) from error

    def _sync(self) -> None:
        try:
            os.fdatasync(self._descriptor)
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> StorageError:
        return StorageError(
            f"journal {self.folder / LOG}: {error.strerror}",
            hint=f"make room, then mqtriage journal resume {self.op}",
        )


class Journal:
    """The folder of all operations."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self, plan: StoredPlan, *, now_ms: int | None = None) -> Entry:
        """Put a plan on disk as a new operation.

        Raises:
            StorageError: It cannot be written; nothing was changed.
        """
        now = time.time_ns() // 1_000_000 if now_ms is None else now_ms
        try:
            private_folder(self.folder)
            while True:
                op = new_op_id(now, int.from_bytes(os.urandom(10), "big"), self.last() or "")
                folder = self.folder / op
                try:
                    folder.mkdir(mode=0o700)
                    break
                except FileExistsError:
                    continue
            write_plan(folder / PLAN, plan)
            entry = Entry(op, folder, plan)
            _sync_folder(folder)
            _sync_folder(self.folder)
        except OSError as error:
            raise StorageError(
                f"journal folder {self.folder}: {error.strerror}",
                hint="nothing was changed; set MQTRIAGE_HOME to a folder that can be written",
            ) from error
        return entry

    def reopen(self, op: str, plan: StoredPlan, unit: int) -> Entry:
        """Go on with an operation.

        Raises:
            Refused: Another process is at it.
        """
        return Entry(op, self.folder / op, plan, unit)

    def discard(self, op: str) -> None:
        """Forget an operation that has ended and took no message: no unit of work of it began.

        Raises:
            StorageError: Its folder cannot be removed.
        """
        if any(isinstance(line, Unit) for line in self.log(op)):
            return
        try:
            shutil.rmtree(self.folder / op)
        except OSError as error:
            raise StorageError(f"journal {self.folder / op}: {error.strerror}") from error

    @contextmanager
    def held(self, op: str) -> Iterator[None]:
        """Keep every other process off an operation, for as long as it is taken back.

        Raises:
            Refused: Another process is at it.
        """
        descriptor = _opened_log(self.folder / op, op)
        try:
            yield
        finally:
            os.close(descriptor)

    def ops(self) -> list[str]:
        """The ids of all operations, oldest first."""
        if not self.folder.is_dir():
            return []
        return sorted(path.name for path in self.folder.iterdir() if is_op_id(path.name))

    def last(self) -> str | None:
        """The operation that was begun last."""
        return max(self.ops(), default=None)

    def find(self, op: str | None) -> str:
        """The operation of that id, or of the only one that begins so; the last one for None.

        Raises:
            NotFound: There is none.
            UsageError: Several begin so.
        """
        ops = self.ops()
        if op is None:
            if not ops:
                raise NotFound("the journal is empty", hint="mqtriage journal ls")
            return ops[-1]
        found = [each for each in ops if each.startswith(op.upper())] if op else []
        if not found:
            raise NotFound(f"no operation {op[:40]}", hint="mqtriage journal ls", object_name=op)
        if len(found) > 1 and op.upper() not in found:
            raise UsageError(
                f"{len(found)} operations begin with {op}", hint="give all 26 characters"
            )
        return op.upper() if op.upper() in found else found[0]

    def log(self, op: str) -> Iterator[Line]:
        """The lines of an operation's log; what a crash cut off at its end is left out.

        Raises:
            StorageError: It cannot be read.
        """
        path = self.folder / op / LOG
        try:
            with open(path, "rb") as lines:
                for number, text in enumerate(lines, 1):
                    if text.endswith(b"\n"):
                        yield parsed_line(path, number, text)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError(f"journal {path}: {error.strerror}") from error


def _opened_log(folder: Path, op: str) -> int:
    """The log, locked, without the line that a crash cut off."""
    try:
        descriptor = os.open(
            folder / LOG, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
        os.fchmod(descriptor, 0o600)
    except OSError as error:
        raise StorageError(f"journal {folder / LOG}: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise Refused(
            f"operation {op} is being carried out by another process",
            hint="wait until it has ended, or end it",
            object_name=op,
        ) from error
    end = size = os.lseek(descriptor, 0, os.SEEK_END)
    while end and os.pread(descriptor, 1, end - 1) != b"\n":
        end -= 1
    if end != size:
        os.ftruncate(descriptor, end)
    return descriptor


def _now() -> str:
    """The time of this machine; a queue manager's clock can be moved."""
    return rfc3339(time.time_ns() // 1000)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def committed_units(journal: Journal, op: str) -> Iterator[Unit]:
    """The units of an operation that became final, in order; one is held in memory at a time."""
    waiting: dict[int, Unit] = {}  # one, but for those in doubt that a resume settles later
    for line in journal.log(op):
        if isinstance(line, Unit):
            waiting[line.unit] = line
        elif isinstance(line, Settled):
            unit = waiting.pop(line.unit, None)
            if unit is not None and line.ended == COMMITTED:
                yield unit
