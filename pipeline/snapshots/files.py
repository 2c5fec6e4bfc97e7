"""Files of snapshots that are being written: NDJSON or Parquet, complete before they have a name.

A file is written beside its place under a name that begins with a dot, and renamed when all files
of its snapshots are complete; the table `snapshots` comes last. Readers leave names with a dot
alone, so they see a snapshot whole, or rows that no line of `snapshots` speaks for.

Files are 0600 in folders 0700, whatever the umask.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Final, Literal, TypeAlias

from mqtriage.files.durable import flush_to_disk, sync_folder
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import open_private, private_folder
from mqtriage.model.installing import install_command
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.times import DAY_US, rfc3339
from mqtriage.pipeline.snapshots.rows import Row
from mqtriage.pipeline.snapshots.schema import (
    FORMATS,
    SCHEMA,
    TABLES,
    ColumnType,
    Table,
    file_name,
    partition_of,
)

FileForm: TypeAlias = Literal["parquet", "ndjson"]

ROWS_HELD: Final = 16_384
"""Rows of a Parquet file that are held in memory before they are written: a row group."""
BYTES_HELD: Final = 32 << 20
"""Message data of rows that are held, in characters, before they are written all the same."""
_LAST: Final = "snapshots"
_ELSEWHERE: Final = "name another folder"

_compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode


def form_of(asked: str) -> FileForm:
    """The format of files: *asked*, or with ``auto`` Parquet where pyarrow is installed."""
    installed = find_spec("pyarrow") is not None
    if asked == "auto":
        return "parquet" if installed else "ndjson"
    if asked == "ndjson":
        return "ndjson"
    if asked != "parquet":
        raise UsageError(f"--format {asked[:40]}: parquet, ndjson or auto is expected")
    if not installed:
        raise UsageError(
            "--format parquet: pyarrow is not installed",
            hint=f"{install_command('parquet')}, or --format ndjson",
        )
    return "parquet"


def day_of(time_us: int) -> str:
    """``2026-01-31``, the UTC day."""
    return rfc3339(time_us // DAY_US * DAY_US)[:10]


class NdjsonFile:
    """One JSON object a line; columns that are null are left out."""

    def __init__(self, table: Table, out: IO[bytes]) -> None:
        self.rows = 0
        self._out = out
        self._names = table.names
        self._times = frozenset(
            column.name for column in table.columns if column.type is ColumnType.TIMESTAMP
        )

    def add(self, row: Row) -> None:
        times = self._times
        record = {
            name: rfc3339(value) if name in times else value
            for name, value in zip(self._names, row, strict=True)
            if value is not None
        }
        self._out.write(_compact(record).encode("ascii") + b"\n")
        self.rows += 1

    def finish(self) -> None:
        """Write what is left; the file is complete then, and still open."""
        self._out.flush()

    def abandon(self) -> None:
        """Write nothing more."""


class ParquetFile:
    """Rows in groups, compressed with zstd."""

    def __init__(self, table: Table, out: IO[bytes]) -> None:
        import pyarrow
        import pyarrow.parquet

        self.rows = 0
        self._held: list[Row] = []
        self._characters = 0
        self._arrow = pyarrow
        self._schema = arrow_schema(table)
        self._writer = pyarrow.parquet.ParquetWriter(out, self._schema, compression="zstd")

    def add(self, row: Row) -> None:
        self._held.append(row)
        self.rows += 1
        if isinstance(row[-1], str):  # message data, where any is kept, comes last
            self._characters += len(row[-1])
        if len(self._held) >= ROWS_HELD or self._characters >= BYTES_HELD:
            self._flush()

    def _flush(self) -> None:
        columns = zip(*self._held, strict=True)
        arrays = [
            self._arrow.array(values, type=field.type)
            for values, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_batch(self._arrow.record_batch(arrays, schema=self._schema))
        self._held.clear()
        self._characters = 0

    def finish(self) -> None:
        if self._held:
            self._flush()
        self._writer.close()

    def abandon(self) -> None:
        self._held.clear()
        self._writer.is_open = False  # else it writes its end when it is thrown away


TableFile: TypeAlias = NdjsonFile | ParquetFile
"""One file of one table."""


def arrow_schema(table: Table) -> Any:
    """The columns of *table* as pyarrow has them; every one may be null in the file."""
    import pyarrow

    types = {
        ColumnType.STRING: pyarrow.string(),
        ColumnType.INT: pyarrow.int32(),
        ColumnType.LONG: pyarrow.int64(),
        ColumnType.BOOLEAN: pyarrow.bool_(),
        ColumnType.TIMESTAMP: pyarrow.timestamp("us", tz="UTC"),
        ColumnType.DATE: pyarrow.date32(),
    }
    columns = [pyarrow.field(column.name, types[column.type]) for column in table.columns]
    return pyarrow.schema(columns, metadata={"mqtriage.schema": SCHEMA})


class PartitionFiles:
    """The files of one queue manager and day, one a table, made when the first row comes.

    Args:
        stem: name of the files without version and ending; the same in all tables.
        durable: wait for the disk before a file gets its name.
    """

    def __init__(
        self,
        folder: Path,
        queue_manager: str,
        day: str,
        stem: str,
        form: FileForm,
        *,
        durable: bool = True,
    ) -> None:
        self.folder = folder
        self._errors = partial(storage_errors, f"snapshot folder {folder}", _ELSEWHERE)
        self._partition = partition_of(queue_manager, day)
        self._stem = stem
        self._form: FileForm = form
        self._durable = durable
        self._open: dict[str, tuple[TableFile, IO[bytes], Path]] = {}

    def add(self, table: str, row: Row) -> None:
        """Write one row."""
        if table not in self._open:
            self._open[table] = self._begin(TABLES[table])
        with self._errors():
            self._open[table][0].add(row)

    def rows(self, table: str) -> int:
        """How many rows of *table* were added."""
        return self._open[table][0].rows if table in self._open else 0

    def _begin(self, table: Table) -> tuple[TableFile, IO[bytes], Path]:
        place = self.folder / table.name / self._partition
        path = place / file_name(self._stem, self._form)
        with self._errors():
            private_folder(place)
            for form in FORMATS:
                there = place / file_name(self._stem, form)
                if there.exists():
                    raise Refused(f"{there} already exists", hint="name another folder")
            out = new_file(_hidden(path))
        try:
            file: TableFile = (
                ParquetFile(table, out) if self._form == "parquet" else NdjsonFile(table, out)
            )
        except BaseException:
            out.close()
            raise
        return file, out, path

    def publish(self) -> list[Path]:
        """Complete all files, then give them their names, `snapshots` last; returns the paths.

        Raises:
            StorageError: A file cannot be written; none of `snapshots` is there then.
        """
        with self._errors():
            for file, out, _ in self._open.values():
                file.finish()
                if self._durable:
                    flush_to_disk(out)
                out.close()
            paths = [path for _, _, path in self._open.values()]
            for path in sorted(paths, key=self._is_last):
                if self._durable and self._is_last(path):
                    _sync({other.parent for other in paths})
                os.rename(_hidden(path), path)
            if self._durable:
                _sync({path.parent for path in paths})
        self._open.clear()
        return paths

    def _is_last(self, path: Path) -> bool:
        return path.parent == self.folder / _LAST / self._partition

    def close(self) -> None:
        """Take away what was written and has no name yet."""
        for file, out, path in self._open.values():
            file.abandon()
            with suppress(OSError):
                out.close()
            with suppress(OSError):
                _hidden(path).unlink()
        self._open.clear()


def _hidden(path: Path) -> Path:
    """The name of a file while it is written."""
    return path.with_name(f".{path.name}")


def _sync(folders: set[Path]) -> None:
    for folder in folders:
        sync_folder(folder)


def new_file(path: Path) -> IO[bytes]:
    """An empty file that its owner alone can read, to be written."""
    descriptor = open_private(path, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW)
    return os.fdopen(descriptor, "wb", buffering=1 << 16)


def opened_parquet(path: Path) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path)
