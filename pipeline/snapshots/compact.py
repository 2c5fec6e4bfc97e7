"""Days that ended, rewritten into few large files; nothing is lost, whoever reads, writes or kills.

    FOLDER/compacted/<table>/snap_date=<day>/all-0001.v1.parquet

A queue manager's day is moved as a whole or stays: every snapshot complete, every file Parquet of
this schema. The new files are complete and on disk in `.compacting` before `.compacting/switch`
says which they are and what they replace. From then on the switch is carried out, by this run or
by the next: the new files get their places, then what they replace goes. Readers that lock the
folder (`files.locks.sharing`) see it before or after; for those that do not, a snapshot that is
there twice counts once.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from mqtriage.files.durable import flush_to_disk, put_in_place, sync_folder
from mqtriage.files.failures import storage_errors
from mqtriage.files.locks import FileLock, replacing
from mqtriage.files.private import private_folder
from mqtriage.model.result import Show, column
from mqtriage.mq.errors import Refused, StorageError
from mqtriage.pipeline.snapshots.files import (
    arrow_schema,
    new_file,
    opened_parquet,
)
from mqtriage.pipeline.snapshots.problems import ProblemKind, Problems
from mqtriage.pipeline.snapshots.reader import (
    DataFile,
    compacted,
    files_in,
    of_many,
    partitions,
)
from mqtriage.pipeline.snapshots.schema import (
    COMPACTED,
    MANY,
    QMGR,
    SNAPSHOTS,
    TABLES,
    Table,
    file_name,
    parse_file_name,
    unescaped,
)
from mqtriage.pipeline.snapshots.thin import Thinned, thin

FILE_BYTES: Final = 128 << 20
"""A file ends with the first file of a snapshot that makes it as long as this."""
ROWS_HELD: Final = 1 << 17
BYTES_HELD: Final = 32 << 20
"""Rows, and bytes of them in memory, that make a row group."""
_BESIDE: Final = ".compacting"
_SWITCH: Final = "switch"
"""Lines of JSON: files that are replaced, a null, files that replace them; from the folder on."""
_LOCK: Final = ".compact.lock"
_NOTHING_LOST: Final = "the existing files are unchanged"
_TABLES: Final = (SNAPSHOTS, *(table for table in TABLES.values() if table is not SNAPSHOTS))
"""`snapshots` first: the other rows of a snapshot that is listed there are in place."""


@dataclass(slots=True)
class Compacted:
    """What came of a day.

    Attributes:
        row_count: in the new files.
        unchanged_row_count: what was left out, of whole snapshots that go on from another.
    """

    snap_date: str = column("DAY", Show.NAME, 10)
    queue_manager_count: int = column("QMGRS", Show.NUMBER, 6, default=0)
    row_count: int = column("ROWS", Show.NUMBER, 10, default=0)
    unchanged_row_count: int = column("LEFT OUT", Show.NUMBER, 10, default=0)
    replaced_file_count: int = column("REPLACED", Show.NUMBER, 8, default=0)
    replaced_bytes: int = column("THEIR SIZE", Show.BYTES, 10, default=0)
    file_count: int = column("FILES", Show.NUMBER, 6, default=0)
    file_bytes: int = column("SIZE", Show.BYTES, 8, default=0)


class _Damaged(Exception):
    """A file of a queue manager's day broke while it was copied."""

    def __init__(self, manager: str, file: DataFile, text: str) -> None:
        self.manager, self.file, self.text = manager, file, text


@contextmanager
def at_work(folder: Path) -> Iterator[None]:
    """Nobody else compacts *folder* meanwhile; what a run left that was cut is carried out first.

    Raises:
        Refused: Somebody does.
    """
    next(partitions(folder, SNAPSHOTS, Problems()), None)
    busy = Refused(f"{folder}: another process is compacting it", hint="wait until that has ended")
    with storage_errors(f"snapshot folder {folder}", _NOTHING_LOST):
        lock = FileLock(folder / _LOCK, busy)
    try:
        with storage_errors(f"snapshot folder {folder}", _NOTHING_LOST):
            _switch(folder)
        yield
    finally:
        lock.release()


def finish(folder: Path) -> None:
    """Carry out what a run left that was cut, where there is such.

    Raises:
        Refused: It is at work.
        StorageError: A file cannot be moved or removed.
    """
    if (folder / _BESIDE).exists():
        with at_work(folder):
            pass


def days(folder: Path, before: str, problems: Problems) -> list[str]:
    """The days earlier than *before* that any queue manager has files of its own of."""
    there = {day for table in _TABLES for _, _, day in partitions(folder, table, problems)}
    return sorted(day for day in there if day < before)


def compact(folder: Path, day: str, problems: Problems) -> Compacted | None:
    """Compact one day; None where nothing is gained, or nothing can be moved."""
    broken: dict[str, _Damaged] = {}
    with storage_errors(f"snapshot folder {folder}", _NOTHING_LOST):
        while _has_several_files(folder, day):
            stays = Problems()
            try:
                compacted = _rewritten(folder, day, stays, broken)
            except _Damaged as damaged:  # some of its rows are copied already: once more without
                broken[damaged.manager] = damaged
                continue
            problems.include(stays)
            _switch(folder)
            return compacted
    return None


def _rewritten(
    folder: Path, day: str, problems: Problems, broken: dict[str, _Damaged]
) -> Compacted | None:
    """Write the new files of a day, and what is to be done then."""
    new = _Day(folder, day)
    try:
        for part in _parts(folder, day, problems, broken):
            new.add(part)
        if new.compacted.row_count:
            new.finish()
    finally:
        new.close()
    return new.compacted if new.compacted.row_count else None


# -- what can be moved ----------------------------------------------------------------------------


class _Part(NamedTuple):
    """The files of a queue manager's day by table.

    Attributes:
        manager: the name of its folders.
        is_whole_day: none of it was compacted before.
    """

    manager: str
    files: dict[str, list[DataFile]]
    is_whole_day: bool


def _has_several_files(folder: Path, day: str) -> bool:
    """Whether any table has more than one file of that day."""
    for table in _TABLES:
        count = 0
        for place in _places(folder, table, day):
            names = os.listdir(place) if place.is_dir() else ()
            count += sum(parse_file_name(name) is not None for name in names)
            if count > 1:
                return True
    return False


def _places(folder: Path, table: Table, day: str) -> Iterator[Path]:
    with suppress(FileNotFoundError):
        for name in sorted(os.listdir(folder / table.name)):
            if name.startswith("qmgr="):
                yield folder / table.name / name / f"snap_date={day}"


def _parts(
    folder: Path, day: str, problems: Problems, broken: dict[str, _Damaged]
) -> Iterator[_Part]:
    """What can be moved, by queue manager; what cannot is counted."""
    there = _snapshots_moved(folder, day)
    begun = {manager for manager, _ in there}
    names = {place.parent.name for table in _TABLES for place in _places(folder, table, day)}
    for manager in sorted(names):
        damaged = broken.get(manager)
        if damaged is not None:
            problems.add(ProblemKind.UNREADABLE, damaged.file.shown, damaged.text)
            continue
        own = Problems()
        name = unescaped(manager.removeprefix("qmgr="))
        files = _files(folder, Path(manager, f"snap_date={day}"), name, own)
        part = _Part(manager, files, name not in begun)
        if any(part.files.values()) and not own.lost and _is_movable(part, there, own):
            yield part
        problems.include(own)


def _files(
    folder: Path, partition: Path, name: str, problems: Problems
) -> dict[str, list[DataFile]]:
    """The files of a queue manager's day by table."""
    files = {}
    day = partition.name.removeprefix("snap_date=")
    for table in _TABLES:
        place = folder / table.name / partition
        files[table.name] = list(files_in(place, name, day, problems)) if place.is_dir() else []
    return files


def _snapshots_moved(folder: Path, day: str) -> set[tuple[str, str]]:
    """Queue manager and id of the snapshots that are in compacted files of that day."""
    import pyarrow

    moved: set[tuple[str, str]] = set()
    for place, date in compacted(folder, SNAPSHOTS, Problems()):
        for file in files_in(place, MANY, day, Problems()) if date == day else ():
            try:
                with opened_parquet(file.path) as opened:
                    rows = opened.read(columns=[QMGR.name, "snapshot_id"])
            except pyarrow.ArrowException as error:
                raise StorageError(f"{file.path}: {str(error).partition(chr(10))[0]}") from error
            names = (rows.column(name).to_pylist() for name in (QMGR.name, "snapshot_id"))
            moved.update(zip(*names, strict=True))
    return moved


def _is_movable(part: _Part, there: set[tuple[str, str]], problems: Problems) -> bool:
    """Whether all rows are of complete snapshots, each in one file of a table; else says why."""
    whole: set[Any] = set()
    for table in _TABLES:
        met: set[Any] = set()
        for file in part.files[table.name]:
            ids = _snapshot_ids(file, table, problems)
            if ids is None:
                return False
            if ids & met or any((file.queue_manager, name) in there for name in ids):
                problems.add(ProblemKind.DUPLICATE, file.shown, min(map(str, ids)))
                return False
            if table is SNAPSHOTS:
                whole |= ids - {None}
            if ids - whole:
                problems.add(ProblemKind.BROKEN_OFF, file.shown)
                return False
            met |= ids
    return True


def _snapshot_ids(file: DataFile, table: Table, problems: Problems) -> set[Any] | None:
    """The snapshots that a file has rows of; None where it cannot be moved, which is told."""
    import pyarrow

    if file.form != "parquet":
        problems.add(ProblemKind.NOT_PARQUET, file.shown)
        return None
    try:
        with opened_parquet(file.path) as opened:
            if not _fits(opened.schema_arrow, table):
                problems.add(ProblemKind.WRONG_TYPE, file.shown, "columns of another schema")
                return None
            return {
                name
                for batch in opened.iter_batches(columns=["snapshot_id"])
                for name in batch.column(0).unique().to_pylist()
            }
    except (pyarrow.ArrowException, OSError) as error:
        problems.add(ProblemKind.UNREADABLE, file.shown, str(error).partition("\n")[0][:120])
        return None


def _fits(schema: Any, table: Table) -> bool:
    """Whether all columns are those of the schema; some may be missing, which is null."""
    known = {column.name: column.type for column in arrow_schema(table)}
    return "snapshot_id" in schema.names and all(
        known.get(column.name) == column.type for column in schema
    )


# -- the new files --------------------------------------------------------------------------------


class _Day:
    """The new files of a day, and the list of what they replace, beside their places."""

    def __init__(self, folder: Path, day: str) -> None:
        self.compacted = Compacted(day)
        self._folder = folder
        beside = private_folder(folder / _BESIDE)
        self._list = beside / f"{_SWITCH}.new"
        self._out = new_file(self._list)
        self._tables = {
            table.name: _TableFiles(folder, Path(table.name, f"snap_date={day}"), table)
            for table in _TABLES
        }

    def add(self, part: _Part) -> None:
        """Copy the rows of a queue manager.

        Raises:
            _Damaged: A file of it cannot be read to its end.
        """
        compacted = self.compacted
        compacted.queue_manager_count += 1
        thinned = _thinned(part, compacted.snap_date)
        for name, files in part.files.items():
            table = self._tables[name]
            for file in files:
                for number, rows in enumerate(_row_groups(file, part.manager)):
                    kept = thinned.remaining(file.path, number, rows)
                    table.add(kept, file.queue_manager)
                    compacted.row_count += kept.num_rows
                    compacted.unchanged_row_count += rows.num_rows - kept.num_rows
                table.file_ends()
                compacted.replaced_file_count += 1
                compacted.replaced_bytes += file.path.stat().st_size
                self._out.write(_line(str(file.path.relative_to(self._folder))))

    def finish(self) -> None:
        """Put everything on disk; what is still to be done is in the folder then."""
        self._out.write(_line(None))
        for table in self._tables.values():
            for path in table.finish():
                self.compacted.file_count += 1
                self.compacted.file_bytes += (self._folder / _BESIDE / path).stat().st_size
                self._out.write(_line(str(path)))
        self._out.close()
        put_in_place(self._list, self._list.with_name(_SWITCH))

    def close(self) -> None:
        """Let go of what was not finished."""
        self._out.close()
        for table in self._tables.values():
            table.abandon()


def _thinned(part: _Part, day: str) -> Thinned:
    """What of its rows may go; nothing where a file breaks, which copying it will find."""
    import pyarrow

    with suppress(pyarrow.ArrowException, OSError):
        if part.is_whole_day:
            return thin(part.files, day)
    return Thinned()


def _row_groups(file: DataFile, manager: str) -> Iterator[Any]:
    import pyarrow

    try:
        with opened_parquet(file.path) as opened:
            for number in range(opened.num_row_groups):
                yield opened.read_row_group(number)
    except (pyarrow.ArrowException, OSError) as error:
        raise _Damaged(manager, file, str(error).partition("\n")[0][:120]) from error


class _TableFiles:
    """The new files of one table and day, one after the other.

    Args:
        place: of the files, from the folder of compacted ones on.
    """

    def __init__(self, folder: Path, place: Path, table: Table) -> None:
        self._beside, self._compacted = folder / _BESIDE, folder / COMPACTED
        self._place = place
        self._schema = arrow_schema(of_many(table))
        self._held: list[Any] = []
        self._held_rows = self._held_bytes = 0
        self._writer: Any = None
        self._out: IO[bytes] | None = None
        self._paths: list[Path] = []

    def add(self, rows: Any, manager: str) -> None:
        """Add rows of one queue manager."""
        import pyarrow

        columns = [
            rows.column(field.name)
            if field.name in rows.schema.names
            else pyarrow.nulls(rows.num_rows, field.type)
            for field in self._schema
            if field.name != QMGR.name
        ]
        columns.append(pyarrow.repeat(pyarrow.scalar(manager), rows.num_rows))
        self._held.append(pyarrow.Table.from_arrays(columns, schema=self._schema))
        self._held_rows += rows.num_rows
        self._held_bytes += self._held[-1].nbytes
        if self._held_rows >= ROWS_HELD or self._held_bytes >= BYTES_HELD:
            self._flush()

    def _flush(self) -> None:
        import pyarrow
        import pyarrow.parquet

        if not self._held_rows:
            return
        if self._writer is None:
            path = self._next()
            self._paths.append(path)
            self._out = new_file(self._beside / path)
            self._writer = pyarrow.parquet.ParquetWriter(
                self._out, self._schema, compression="zstd"
            )
        self._writer.write_table(pyarrow.concat_tables(self._held).combine_chunks())
        self._held.clear()
        self._held_rows = self._held_bytes = 0

    def _next(self) -> Path:
        """The name of another file, from the folder of compacted ones on."""
        private_folder(self._beside / self._place)
        number = 1
        while True:
            path = self._place / file_name(f"all-{number:04d}", "parquet")
            if path not in self._paths and not (self._compacted / path).exists():
                return path
            number += 1

    def file_ends(self) -> None:
        """A snapshot does not go on in a second file: only here a new one can begin."""
        if self._out is not None and self._out.tell() >= FILE_BYTES:
            self._close()

    def _close(self) -> None:
        self._flush()
        if self._out is not None:
            self._writer.close()
            flush_to_disk(self._out)
            self._out.close()
            self._writer = self._out = None

    def finish(self) -> list[Path]:
        """Complete the files; returns them from the folder of compacted ones on."""
        self._close()
        if self._paths:
            sync_folder(self._beside / self._place)
        return self._paths

    def abandon(self) -> None:
        """Write nothing more."""
        if self._out is not None:
            self._writer.is_open = False  # else it writes its end when it is thrown away
            self._out.close()


# -- the switch -----------------------------------------------------------------------------------


def _switch(folder: Path) -> None:
    """Carry out what is to be done, whatever of it was done before; then nothing is left beside."""
    beside = folder / _BESIDE
    path = beside / _SWITCH
    if path.exists():
        with replacing(folder):
            new = list(_listed(path, new=True))
            for name in new:
                place = private_folder((folder / COMPACTED / name).parent)
                with suppress(FileNotFoundError):  # it is there
                    os.rename(beside / name, folder / COMPACTED / name)
                sync_folder(place)
            if all((folder / COMPACTED / name).exists() for name in new):
                for is_last in (False, True):  # a snapshot is told of while any of it is there
                    names = _listed(path, new=False)
                    _remove(folder / name for name in names if _is_of_snapshots(name) is is_last)
            elif all((folder / name).exists() for name in _listed(path, new=False)):
                _remove(folder / COMPACTED / name for name in new)  # a power cut took the others
            path.unlink()
            sync_folder(beside)
    if beside.exists():
        shutil.rmtree(beside)


def _is_of_snapshots(name: str) -> bool:
    return name.startswith(f"{SNAPSHOTS.name}/")


def _listed(path: Path, *, new: bool) -> Iterator[str]:
    with open(path, "rb") as lines:
        is_new = False
        for line in lines:
            name = json.loads(line)
            if name is None:
                is_new = True
            elif is_new is new:
                yield name


def _remove(paths: Iterator[Path]) -> None:
    """Remove files, and the folders that are empty then; on disk when this returns."""
    last = None
    for path in paths:
        path.unlink(missing_ok=True)
        if last is not None and last != path.parent:
            _leave(last)
        last = path.parent
    if last is not None:
        _leave(last)


def _leave(place: Path) -> None:
    with suppress(FileNotFoundError):
        sync_folder(place)
    with suppress(OSError):  # there is another file in it, or it went before
        place.rmdir()


def _line(name: str | None) -> bytes:
    return json.dumps(name).encode("ascii") + b"\n"
