"""SQLite files: opened, made, recognised and waited for; a failure is known by its code.

Every file of ours that is one is opened here: those of queue managers, the journal, scratch files.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from mqtriage.files.failures import kind_of_errno
from mqtriage.mq.errors import StorageError, StorageKind
from mqtriage.records import NamedTuple

UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file raises: the schema that SQLite quotes may be no text any more."""
_FIRST_PAUSE_S: Final = 0.001
_LONGEST_PAUSE_S: Final = 0.02
_WRITTEN_BYTES: Final = 1 << 16
_KINDS: Final[dict[int, StorageKind]] = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_CANTOPEN: "not-opened",
    sqlite3.SQLITE_NOTADB: "foreign",
    sqlite3.SQLITE_CORRUPT: "damaged",
}
_TEXTS: Final[dict[StorageKind, str]] = {
    "full": "no space left on the disk",
    "locked": "another program has kept the file locked",
    "read-only": "the file is read-only",
    "not-opened": "cannot be opened",
    "foreign": "not a {name}, or damaged",
    "damaged": "the file is damaged",
}
_HINTS: Final[dict[StorageKind, str]] = {
    "full": "make room, then try again",
    "locked": "end that program, or try again",
    "read-only": "make it writable (chmod u+w), or use commands that only read",
    "many-files": "end other programs, or raise the limit (ulimit -n)",
    "no-locks": "set MQTRIAGE_HOME to a folder of a file system that has locks",
}
"""What to try next, where the form of the file names nothing else."""
_WITHOUT_ERRNO: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)


class FileForm(NamedTuple):
    """What files of one sort are.

    Attributes:
        name: for people: "journal".
        schema: CREATE statements, each ended by a semicolon.
        hints: what to try next, by the kind of a failure; "" is for those that nothing is said of.
    """

    name: str
    application_id: int
    version: int
    schema: str
    hints: Mapping[StorageKind, str]


def opened(path: Path, mode: str = "rw", *, wait_s: float = 0.0) -> sqlite3.Connection:
    """The file, for any thread, without transactions of its own.

    Args:
        mode: "rw", "ro", or "ro&immutable=1" where nobody writes it.
        wait_s: how long other processes are waited for.
    """
    from urllib.parse import quote

    database = sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        timeout=wait_s,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        uri=True,
    )
    if hasattr(
        fcntl, "F_FULLFSYNC"
    ):  # macOS: commits are on disk then (SQLite, "PRAGMA fullfsync")
        database.execute("PRAGMA fullfsync = ON")
        database.execute("PRAGMA checkpoint_fullfsync = ON")
    return database


def make(path: Path, form: FileForm) -> None:
    """Write the tables of *form* into an empty file, in one transaction."""
    with closing(opened(path)) as database:
        database.executescript(
            f"BEGIN; PRAGMA application_id = {form.application_id};"
            f"PRAGMA user_version = {form.version}; {form.schema} COMMIT;"
        )
        # last: what stands in a log alone is lost without a word where closing cannot copy it
        database.execute("PRAGMA journal_mode = WAL")


def recognise(database: sqlite3.Connection, form: FileForm, where: object) -> None:
    """Check that a file is one of *form*."""
    (application_id,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if not database.execute("PRAGMA page_count").fetchone()[0]:
        raise StorageError(
            f"{where}: it is damaged (empty)", kind="damaged", hint=form.hints.get("not-opened")
        )
    if application_id != form.application_id:
        text = f"{where}: not an mqtriage {form.name}"
        raise StorageError(text, kind="foreign", hint=form.hints.get("not-opened"))
    if version != form.version:
        raise StorageError(
            f"{where}: written by a newer mqtriage (schema {version}, but this version supports"
            f" {form.version})",
            hint="upgrade mqtriage, or set MQTRIAGE_HOME to another folder",
        )


def is_busy(error: sqlite3.OperationalError) -> bool:
    """Whether another process has the lock that a statement wants; nothing of it has happened."""
    return error.sqlite_errorcode in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY}


def execute_when_free(
    database: sqlite3.Connection,
    sql: str,
    values: Sequence[Any] | Mapping[str, Any],
    wait_s: float,
) -> sqlite3.Cursor:
    """Wait for other processes: who has waited longest asks most often, and so is soon next.

    SQLite itself asks the more rarely the longer it has waited, every tenth of a second in the
    end: of many writers some waited in vain for as long as they would. A queue of waiters, who
    are let in one by one, halves what all of them together get done.
    """
    begun = now = time.monotonic()
    pause_s = _FIRST_PAUSE_S
    while True:
        pause_s = min(pause_s, _LONGEST_PAUSE_S / (1 + 4 * (now - begun)))
        time.sleep(pause_s)
        pause_s *= 2
        try:
            return database.execute(sql, values)
        except sqlite3.OperationalError as error:
            now = time.monotonic()
            if not is_busy(error) or now - begun > wait_s:
                raise


def is_damage(error: Exception) -> bool:
    """Whether a failure means that the content of the file is not what was written."""
    return _KINDS.get(_code(error)) in ("foreign", "damaged")


def _code(error: Exception) -> int:
    """The primary result code; only text that is not UTF-8 comes without one."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF


def storage_error(path: Path, error: Exception, form: FileForm, where: str = "") -> StorageError:
    """One sentence for the user from a failure of a file of *form*.

    Args:
        where: how the file is called, where that is not its path.
    """
    code = _code(error)
    kind = _KINDS.get(code, "")
    text = _TEXTS.get(kind, str(error)).format(name=form.name)
    if code in _WITHOUT_ERRNO and (refused := _refusal(path.parent)) is not None:
        kind, text = kind_of_errno(refused.errno), str(refused.strerror)
    return StorageError(f"{where or path}: {text}", kind=kind, hint=_hint(form, kind))


def _hint(form: FileForm, kind: StorageKind) -> str | None:
    return form.hints.get(kind) or _HINTS.get(kind) or form.hints.get("")


def _refusal(folder: Path) -> OSError | None:
    """What the system refuses a file in *folder*: SQLite keeps the number of its error back."""
    from tempfile import TemporaryFile

    try:
        with TemporaryFile(dir=folder, buffering=0) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.write(bytes(_WRITTEN_BYTES))
            os.fsync(file.fileno())
    except OSError as error:
        return error if kind_of_errno(error.errno) else None
    return None


@contextmanager
def storage_errors(path: Path, form: FileForm, where: str = "") -> Iterator[None]:
    """Tell of failures of a file in the block as `storage_error` does, and of the system's."""
    try:
        yield
    except UNREADABLE as error:
        raise storage_error(path, error, form, where) from error
    except OSError as error:
        kind = kind_of_errno(error.errno)
        text, hint = f"{where or path}: {error.strerror}", _hint(form, kind)
        raise StorageError(text, kind=kind, hint=hint) from error
