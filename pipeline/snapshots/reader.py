"""Rows of snapshots out of their files, without Spark; what cannot be read is counted and passed.

    snapshots(folder, problems)             the snapshots that there are
    rows(folder, table, problems)           every row of a table, in the order of the files
    messages_at(folder, chain, problems)    the messages that were there at one snapshot
    message_of(row)                         the message itself, where its data was kept

A row is a dict of all columns of its table and the two partition columns; times are whole
microseconds since 1970 UTC.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from mqtriage.files.locks import sharing
from mqtriage.files.scratch import Sorter
from mqtriage.model.installing import install_command
from mqtriage.model.times import parse_time
from mqtriage.model.units import first_of
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQTriageError, NotFound
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_date_and_time, rfc3339
from mqtriage.pipeline.snapshots.files import arrow_schema, day_of, opened_parquet
from mqtriage.pipeline.snapshots.problems import ProblemKind, Problems
from mqtriage.pipeline.snapshots.schema import (
    COMPACTED,
    DEFINITIONS,
    MANY,
    MESSAGES,
    QMGR,
    SNAPSHOTS,
    TABLES,
    VERSION,
    ColumnType,
    Mode,
    Seen,
    Table,
    is_day,
    parse_file_name,
    unescaped,
)

Row: TypeAlias = dict[str, Any]

CLOCKS_APART_US: Final = 60_000_000
"""How far the clocks of a queue manager and of its host may be apart before it is told."""
_BATCH: Final = 4096
_SNAPSHOT_ID: Final = re.compile(r"[0-9]{8}T[0-9]{12}Z-")


class DataFile(NamedTuple):
    """A file of a table, by the names of its folders.

    Attributes:
        queue_manager: `MANY` where the file has rows of several, each with its name.
    """

    path: Path
    queue_manager: str
    day: str
    form: str

    @property
    def shown(self) -> str:
        """The path from the table's folder on."""
        return str(Path(*self.path.parts[-4:]))


def stems(folder: Path, table: Table) -> set[str]:
    """How the files of *table* are called without version and ending, whether they can be read."""
    names = set()
    for place, _, _ in partitions(folder, table, Problems()):
        with suppress(OSError):
            parsed = map(parse_file_name, os.listdir(place))
            names |= {name.stem for name in parsed if name is not None}
    return names


def named_after_snapshot(file: DataFile) -> str | None:
    """The one snapshot that the file is of, by its name; None where the name tells none."""
    parsed = parse_file_name(file.path.name)
    return parsed.stem if parsed is not None and _SNAPSHOT_ID.match(parsed.stem) else None


Keep: TypeAlias = Callable[[DataFile], bool]


def _all(_: DataFile) -> bool:
    return True


def partitions(folder: Path, table: Table, problems: Problems) -> Iterator[tuple[Path, str, str]]:
    """Folders of *table* with queue manager and day, sorted."""
    if not folder.is_dir():
        raise NotFound(
            f"snapshot folder {folder}: there is none",
            hint="mqtriage snapshot take creates one; --folder names another",
        )
    for manager in _folders(folder / table.name, "qmgr=", problems):
        name = unescaped(manager.name.removeprefix("qmgr="))
        for place, day in _days(manager, problems):
            yield place, name, day


def compacted(folder: Path, table: Table, problems: Problems) -> Iterator[tuple[Path, str]]:
    """Folders of *table* in which `snapshot compact` put days of many queue managers, sorted."""
    return _days(folder / COMPACTED / table.name, problems)


def _days(folder: Path, problems: Problems) -> Iterator[tuple[Path, str]]:
    for place in _folders(folder, "snap_date=", problems):
        day = place.name.removeprefix("snap_date=")
        if is_day(day):
            yield place, day
        else:
            problems.add(ProblemKind.MISPLACED, str(Path(*place.parts[-3:])))


def _folders(folder: Path, prefix: str, problems: Problems) -> list[Path]:
    """The folders in *folder* whose names begin with *prefix*, sorted; what else is there counts.

    A table may be missing: no snapshot had a row for it.
    """
    folders = []
    try:
        with os.scandir(folder) as there:
            for entry in there:
                if entry.name.startswith(prefix) and entry.is_dir():
                    folders.append(entry.name)
                elif entry.name.startswith((".", "_")):
                    continue  # left alone by Spark as well
                elif entry.is_dir() or parse_file_name(entry.name) is not None:
                    problems.add(ProblemKind.MISPLACED, str(Path(folder.name, entry.name)))
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.add(ProblemKind.UNREADABLE, str(folder), error.strerror or "")
    return [folder / name for name in sorted(folders)]


def data_files(
    folder: Path, table: Table, problems: Problems, keep: Keep = _all
) -> Iterator[DataFile]:
    """The files of *table* that this version can read: the compacted ones by day, which are all
    given, then those of one queue manager by its name, day and their own.
    """
    for place, day in compacted(folder, table, problems):
        yield from files_in(place, MANY, day, problems)
    for place, manager, day in partitions(folder, table, problems):
        yield from files_in(place, manager, day, problems, keep)


def files_in(
    place: Path, manager: str, day: str, problems: Problems, keep: Keep = _all
) -> Iterator[DataFile]:
    """The files of one folder that this version can read, by name."""
    try:
        names = sorted(os.listdir(place))
    except OSError as error:
        problems.add(ProblemKind.UNREADABLE, str(place), error.strerror or "")
        return
    if not names:
        problems.add(ProblemKind.EMPTY, str(Path(*place.parts[-3:])))
    for name in names:
        file = DataFile(place / name, manager, day, "")
        if name.startswith(".") and parse_file_name(name[1:]) is not None:
            problems.add(ProblemKind.UNFINISHED, file.shown)
        parsed = parse_file_name(name)
        if parsed is None:
            continue
        file = file._replace(form=parsed.form)
        if not keep(file):
            continue
        if parsed.version is None:
            problems.add(ProblemKind.NO_VERSION, file.shown)
        elif parsed.version > VERSION:
            text = f"version {parsed.version}, but this version supports {VERSION}"
            problems.add(ProblemKind.NEWER_SCHEMA, file.shown, text)
        elif parsed.version < VERSION:
            problems.add(ProblemKind.OLDER_SCHEMA, file.shown, f"version {parsed.version}")
        else:
            yield file


def rows(
    folder: Path, table: str, problems: Problems, keep: Keep = _all
) -> Iterator[tuple[DataFile, Row]]:
    """Every good row of *table*; those of one snapshot in a second file are duplicates."""
    known = TABLES[table]
    home: dict[str, Path] = {}
    with sharing(folder):
        for file in data_files(folder, known, problems, keep):
            for own, row in _rows_in(file, known, problems, keep):
                first = home.setdefault(row["snapshot_id"], file.path)
                if first != file.path:
                    text = f"snapshot {row['snapshot_id']} is in {first.name} too"
                    problems.add(ProblemKind.DUPLICATE, file.shown, text)
                    continue
                if day_of(row["snap_time"]) != file.day:
                    problems.add(ProblemKind.WRONG_DAY, file.shown, rfc3339(row["snap_time"]))
                row["qmgr"], row["snap_date"] = own.queue_manager, file.day
                yield own, row


def _rows_in(
    file: DataFile, table: Table, problems: Problems, keep: Keep
) -> Iterator[tuple[DataFile, Row]]:
    """The good rows of a file, each with the file as if it were of the row's queue manager."""
    if file.queue_manager != MANY:
        read = _parquet_rows if file.form == "parquet" else _ndjson_rows
        yield from ((file, row) for row in read(file, table, problems))
        return
    own, is_kept = file, False
    for row in _parquet_rows(file, of_many(table), problems, keep):
        if own is file or row["qmgr"] != own.queue_manager:
            own = file._replace(queue_manager=row["qmgr"])
            is_kept = keep(own)
        if is_kept:
            yield own, row


def of_many(table: Table) -> Table:
    """The table as it is in files of many queue managers: each row has the name of its own."""
    return table._replace(columns=(*table.columns, QMGR))


# -- NDJSON ---------------------------------------------------------------------------------------


def _ndjson_rows(file: DataFile, table: Table, problems: Problems) -> Iterator[Row]:
    try:
        with open(file.path, "rb") as lines:
            for number, line in enumerate(lines, 1):
                where = f"{file.shown}:{number}"
                row = _ndjson_row(line, table, where, problems)
                if row is not None:
                    yield row
    except OSError as error:
        problems.add(ProblemKind.UNREADABLE, file.shown, error.strerror or "")


def _ndjson_row(line: bytes, table: Table, where: str, problems: Problems) -> Row | None:
    if not line.strip():
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        cut = not line.endswith(b"\n")
        problems.add(ProblemKind.TRUNCATED if cut else ProblemKind.NOT_JSON, where)
        return None
    if not isinstance(record, dict):
        problems.add(ProblemKind.NOT_JSON, where)
        return None
    row: Row = {}
    for column in table.columns:
        value = record.get(column.name)
        if value is None and column.required:
            problems.add(ProblemKind.MISSING_VALUE, where, column.name)
            return None
        try:
            row[column.name] = None if value is None else _read(column.type, value)
        except (MQTriageError, ValueError, TypeError):
            problems.add(ProblemKind.WRONG_TYPE, where, column.name)
            return None
    return row


_IN_JSON: Final[dict[ColumnType, Any]] = {
    ColumnType.INT: int,
    ColumnType.LONG: int,
    ColumnType.BOOLEAN: bool,
}
"""What JSON has for the values of a column; for all others text."""


def _read(kind: ColumnType, value: Any) -> Any:
    """A value of JSON as rows have it.

    Raises:
        MQTriageError, TypeError, ValueError: A column of that type has no such value.
    """
    if type(value) is not _IN_JSON.get(kind, str):
        raise TypeError
    if kind is ColumnType.TIMESTAMP:
        value = parse_time(value)
        if not isinstance(value, int):  # "now" is no time of a file
            raise TypeError
    greatest = 1 << (31 if kind is ColumnType.INT else 63)
    if isinstance(value, int) and not -greatest <= value < greatest:
        raise TypeError
    return value


# -- Parquet --------------------------------------------------------------------------------------


def _parquet_rows(
    file: DataFile, table: Table, problems: Problems, keep: Keep = _all
) -> Iterator[Row]:
    try:
        import pyarrow
    except ImportError:
        needed = f"needs pyarrow: {install_command('parquet')}"
        problems.add(ProblemKind.UNREADABLE, file.shown, needed)
        return
    try:
        with opened_parquet(file.path) as opened:
            expected = arrow_schema(table)
            groups = [n for n in range(opened.num_row_groups) if _holds(opened, n, file, keep)]
            for batch in opened.iter_batches(batch_size=_BATCH, row_groups=groups):
                yield from _batch_rows(batch, expected, table, file, problems)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        cut = "magic bytes" in str(error) or "file size" in str(error)
        kind = ProblemKind.TRUNCATED if cut else ProblemKind.UNREADABLE
        problems.add(kind, file.shown, str(error).partition("\n")[0][:120])


def _holds(opened: Any, group: int, file: DataFile, keep: Keep) -> bool:
    """Whether a row group can have rows of a queue manager that *keep* is for."""
    if keep is _all or QMGR.name not in opened.schema_arrow.names:
        return True
    names = opened.read_row_group(group, columns=[QMGR.name]).column(0).unique().to_pylist()
    return any(name is None or keep(file._replace(queue_manager=name)) for name in names)


def _batch_rows(
    batch: Any, expected: Any, table: Table, file: DataFile, problems: Problems
) -> Iterator[Row]:
    import pyarrow

    there = set(batch.schema.names)
    columns: dict[str, list[Any]] = {}
    for column in table.columns:
        if column.name not in there:
            columns[column.name] = [None] * batch.num_rows
            continue
        values = batch.column(column.name)
        kind = expected.field(column.name).type
        try:
            if values.type != kind:
                if _is_text(values.type) != _is_text(kind):  # a cast would guess
                    raise pyarrow.ArrowInvalid(column.name)
                values = values.cast(kind)
            if column.type is ColumnType.TIMESTAMP:
                values = values.cast(pyarrow.int64())
        except pyarrow.ArrowException:
            text = f"{column.name} is {values.type}, {kind} is expected"
            problems.add(ProblemKind.WRONG_TYPE, file.shown, text, count=batch.num_rows)
            return
        columns[column.name] = values.to_pylist()
    required = [column.name for column in table.columns if column.required]
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        missing = next((name for name in required if row[name] is None), None)
        if missing is not None:
            problems.add(ProblemKind.MISSING_VALUE, file.shown, missing)
            continue
        yield row


def _is_text(kind: Any) -> bool:
    import pyarrow

    return bool(pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind))


def row_count(path: Path) -> int:
    """How many rows a Parquet file has; 0 where that cannot be read."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return 0
    try:
        return int(pyarrow.parquet.read_metadata(path).num_rows)
    except (pyarrow.ArrowException, OSError):
        return 0


# -- snapshots ------------------------------------------------------------------------------------


class SnapshotInfo(NamedTuple):
    """A row of `snapshots`, as far as reading needs it, with the file it is in."""

    snapshot_id: str
    time_us: int
    queue_manager: str
    mode: Mode
    base: str | None
    row: Row
    file: DataFile


def snapshots(
    folder: Path, problems: Problems, *, queue_manager: str | None = None
) -> Iterator[SnapshotInfo]:
    """The snapshots in *folder*, by queue manager and then as their files are called: by time.

    Clocks that went back, and those of queue manager and host that are far apart, are counted; on
    the emulator, whose clock is moved on purpose, only the first.
    """
    met: set[str] = set()
    last: dict[str, SnapshotInfo] = {}

    def keep(file: DataFile) -> bool:
        return queue_manager is None or file.queue_manager == queue_manager

    for file, row in rows(folder, SNAPSHOTS.name, problems, keep):
        name, where = row["snapshot_id"], file.shown
        if name in met:
            problems.add(ProblemKind.DUPLICATE, where, f"snapshot {name}")
            continue
        met.add(name)
        try:
            mode = Mode(row["mode"])
        except ValueError:
            problems.add(ProblemKind.WRONG_TYPE, where, f"mode {row['mode'][:40]!r}")
            continue
        info = SnapshotInfo(
            name, row["snap_time"], file.queue_manager, mode, row["base_snapshot_id"], row, file
        )
        _check_clocks(info, last.get(file.queue_manager), problems)
        last[file.queue_manager] = info
        yield info


def _check_clocks(info: SnapshotInfo, before: SnapshotInfo | None, problems: Problems) -> None:
    where, host = info.file.shown, info.row["host_time"]
    if info.row["backend"] == "mq" and host is not None:
        apart = info.time_us - host
        if abs(apart) > CLOCKS_APART_US:
            text = f"the queue manager is {apart // 1_000_000:+d} s from its host"
            problems.add(ProblemKind.CLOCKS_DIFFER, where, text)
    end = info.row["end_time"]
    if end is not None and end < info.time_us:
        problems.add(ProblemKind.OUT_OF_ORDER, where, "it ended before it began")
    earlier = before.row["host_time"] if before is not None else None
    if before is None or host is None or earlier is None:
        return
    # files come by snap_time: where the host's clock runs against it, one of the two went back
    if host < earlier and info.time_us > before.time_us:
        problems.add(ProblemKind.OUT_OF_ORDER, where, f"taken before {before.snapshot_id}")


class SnapshotChain(NamedTuple):
    """The snapshots that together say what was there at the last of them.

    Attributes:
        order: id to its place; the first is a full one.
        days: from and to which day their rows lie.
    """

    queue_manager: str
    order: Mapping[str, int]
    days: tuple[str, str]

    def holds(self, file: DataFile) -> bool:
        """Whether the file can have rows of them."""
        return file.queue_manager == self.queue_manager and (
            self.days[0] <= file.day <= self.days[1]
        )


class _Entry(NamedTuple):
    """What `Index` keeps of a snapshot; there may be very many."""

    time_us: int
    snapshot_id: str
    queue_manager: str
    mode: Mode
    base: str | None
    day: str


class Index:
    """The snapshots of a folder by their ids, read once.

    Args:
        queue_manager: those of one alone.
    """

    def __init__(self, folder: Path, problems: Problems, queue_manager: str | None = None) -> None:
        self._folder = folder
        self._entries = {
            info.snapshot_id: _Entry(
                info.time_us, info.snapshot_id, info.queue_manager, info.mode, info.base,
                info.file.day,
            )
            for info in snapshots(folder, problems, queue_manager=queue_manager)
        }  # fmt: skip

    def resolve(self, reference: str, *, by_id: bool = False) -> str:
        """The id that *reference* names: an id, the start of one, latest, latest~2, first.

        Args:
            by_id: where there are several queue managers an id says which, not ``-m``.
        """
        word, _, back = reference.partition("~")
        if word in ("latest", "first") and (not back or back.isdecimal()):
            chosen = self._by_age(
                reference, int(back or 0), newest_first=word == "latest", by_id=by_id
            )
        else:
            chosen = [name for name in self._entries if name.startswith(reference)]
        if len(chosen) == 1:
            return chosen[0]
        text = f"{len(chosen)} snapshots begin with this" if chosen else "no such snapshot"
        raise NotFound(f"{reference[:80]}: {text} in {self._folder}", hint="mqtriage snapshot ls")

    def _by_age(self, reference: str, number: int, *, newest_first: bool, by_id: bool) -> list[str]:
        managers = {entry.queue_manager for entry in self._entries.values()}
        if len(managers) > 1:
            raise NotFound(
                f"{reference}: {self._folder} has snapshots of {len(managers)} queue managers",
                hint=self._ids_of_each() if by_id else "choose one with -m",
            )
        ordered = sorted(self._entries.values(), reverse=newest_first)
        return [entry.snapshot_id for entry in ordered[number : number + 1]]

    def _ids_of_each(self) -> str:
        newest = {entry.queue_manager: entry for entry in sorted(self._entries.values())}
        ids = [f"{entry.snapshot_id} ({name})" for name, entry in sorted(newest.items())]
        return f"give an id; the latest are {', '.join(first_of(ids, 3))}"

    def chain_to(self, snapshot_id: str, problems: Problems) -> SnapshotChain:
        """The snapshots from the last full one on to *snapshot_id*."""
        entry = self._entries.get(snapshot_id)
        if entry is None:
            raise NotFound(
                f"{snapshot_id}: no such snapshot in {self._folder}", hint="mqtriage snapshot ls"
            )
        chain = [entry]
        while entry.mode is Mode.INCREMENTAL:
            before = self._entries.get(entry.base or "")
            if before is None or len(chain) > len(self._entries):
                problems.add(ProblemKind.NO_BASE, entry.snapshot_id, f"{entry.base}")
                break
            entry = before
            chain.append(entry)
        order = {link.snapshot_id: place for place, link in enumerate(reversed(chain))}
        return SnapshotChain(entry.queue_manager, order, (chain[-1].day, chain[0].day))


def messages_at(folder: Path, chain: SnapshotChain, problems: Problems) -> Iterator[Row]:
    """The messages that were there at the last snapshot of *chain*, sorted by message_key.

    Memory does not grow with their number. The columns of a message that did not change since are
    those of the snapshot that wrote it.
    """
    with closing(Sorter()) as sorter:
        for _, row in rows(folder, MESSAGES.name, problems, chain.holds):
            place = chain.order.get(row["snapshot_id"])
            if place is not None:
                sorter.add(f"{row['message_key']}{place:08x}{json.dumps(row)}".encode())
        for _, items in groupby(sorter, key=lambda item: item[:32]):
            together = list(items)
            last = together[-1][32:40]
            met: set[bytes] = set()
            for item in together:
                if item[32:40] != last:
                    continue
                row = json.loads(item[40:])
                if item in met:
                    problems.add(ProblemKind.DUPLICATE, row["queue"], f"row of {row['msg_id']}")
                elif row["seen"] != Seen.GONE:
                    yield row
                met.add(item)


def definitions_at(
    folder: Path, chain: SnapshotChain, problems: Problems
) -> dict[tuple[str, str], Row]:
    """The definitions at the last snapshot of *chain*, by kind and name."""
    definitions: dict[tuple[str, str], tuple[int, Row]] = {}
    for _, row in rows(folder, DEFINITIONS.name, problems, chain.holds):
        place = chain.order.get(row["snapshot_id"])
        label = (row["kind"], row["name"])
        if place is not None and (label not in definitions or definitions[label][0] <= place):
            definitions[label] = (place, row)
    return {label: row for label, (_, row) in definitions.items() if row["seen"] != Seen.GONE}


def message_of(row: Mapping[str, Any]) -> Message | None:
    """The message of a row, byte for byte; None where its data was not kept (`--body full`).

    Raises:
        ValueError: data_base64 is none, or of another length.
    """
    if row["data_base64"] is None:
        return None
    body = b64decode(row["data_base64"], validate=True)
    if len(body) != row["length_bytes"]:
        msg = f"message data of {len(body)} bytes, {row['length_bytes']} were there"
        raise ValueError(msg)
    values = dict(row)
    for name in ("msg_id", "correl_id", "group_id", "accounting_token"):
        values[name] = bytes.fromhex(row[name])
    stamp = row["put_stamp"] or ""
    put = row["put_time"]
    times = put_date_and_time(put) if put is not None else (stamp[:8], stamp[8:])
    values["put_date"], values["put_time"] = times
    md = MQMD(**{name: values[name] for name in MQMD._fields})
    return Message(md, body, row["length_bytes"])
