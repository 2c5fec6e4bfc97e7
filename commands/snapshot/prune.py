"""`snapshot prune`: remove days of snapshots that nobody will look at, and what cut ones left."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from itertools import starmap
from pathlib import Path
from typing import Final, TypeAlias

from mqtriage.files.durable import sync_folder
from mqtriage.model.plan import Plan
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.mq.errors import StorageError
from mqtriage.pipeline.snapshots import reader
from mqtriage.pipeline.snapshots.compact import finish
from mqtriage.pipeline.snapshots.files import day_of
from mqtriage.pipeline.snapshots.known import remains_in
from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.pipeline.snapshots.schema import MANY, SNAPSHOTS, TABLES, Table, parse_file_name
from mqtriage.records import dataclass

OLD, CUT = "old", "cut"
AT_WORK_S: Final = 86_400
"""A snapshot that is being taken writes within a day; what is older and has no end was cut."""


Part: TypeAlias = tuple[str, str, str]
"""Queue manager or `MANY`, day or "", OLD or CUT."""


@dataclass(slots=True)
class Files:
    """What is to be removed of one queue manager and day.

    Attributes:
        first: files of the table `snapshots`, without which readers leave the rest alone.
    """

    first: list[Path] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)
    size_bytes: int = 0
    snapshots: int = 0

    def add(self, path: Path, *, first: bool, snapshots: int = 1) -> None:
        with suppress(FileNotFoundError):  # it was renamed: its snapshot is complete
            self.size_bytes += path.stat().st_size
            (self.first if first else self.others).append(path)
            self.snapshots += snapshots if first else 0


@dataclass(frozen=True, slots=True)
class PrunedDay:
    """What is removed of a queue manager and day; None where it is of many, or of no day."""

    queue_manager: str | None = column("QMGR", Show.NAME, 8)
    snap_date: str | None = column("DAY", Show.NAME, 10)
    state: str = column("STATE", width=8)
    snapshot_count: int = column("SNAPSHOTS", Show.NUMBER, 9)
    file_count: int = column("FILES", Show.NUMBER, 6)
    file_bytes: int = column("SIZE", Show.BYTES, 8)


def plan_prune(
    folder: Path, older_than_ms: int, queue_manager: str | None
) -> tuple[Plan, dict[Part, Files]]:
    """Which files would be removed: those of whole days, since an incremental snapshot needs those
    of its day, and of days that stay what was cut.

    Args:
        older_than_ms: how long ago a day must have ended, UTC by the clock of this machine, and
            what was cut must have been written; the latter at least a day.
    """
    since_s = time.time() - older_than_ms / 1000
    first_day = day_of(int(since_s * 1_000_000))
    untouched_s = min(since_s, time.time() - AT_WORK_S)
    parts: dict[Part, Files] = {}
    finish(folder)
    complete = reader.stems(folder, SNAPSHOTS)
    for table in TABLES.values():
        for place, manager, day in reader.partitions(folder, table, Problems()):
            if queue_manager in (None, manager):
                is_old = day < first_day
                files = parts.setdefault((manager, day, OLD if is_old else CUT), Files())
                for path in sorted(place.iterdir()):
                    file = reader.DataFile(path, manager, day, "")
                    if (is_old and _is_ours(path)) or _is_cut(file, complete, untouched_s):
                        files.add(path, first=table is SNAPSHOTS)
    old_files = [file for file in _compacted_files(folder) if file[1].day < first_day]
    for table, file in old_files if queue_manager is None else ():
        files = parts.setdefault((MANY, file.day, OLD), Files())
        is_first = table is SNAPSHOTS
        files.add(file.path, first=is_first, snapshots=is_first and reader.row_count(file.path))
    for path, manager in remains_in(folder):
        if queue_manager in (None, manager) and path.stat().st_mtime < untouched_s:
            parts.setdefault((manager, "", CUT), Files()).add(path, first=False)
    parts = {key: files for key, files in sorted(parts.items()) if files.first or files.others}
    records = list(starmap(_record, parts.items()))
    plan = Plan("prune", str(folder), count=sum(r.file_count for r in records), noun="file")
    plan.facts = {
        "bytes": sum(record.file_bytes for record in records),
        "snapshots": sum(record.snapshot_count for record in records),
    }
    plan.notes.append(
        "removed snapshots cannot be restored; diff and analyze can no longer read them"
    )
    if old_files and queue_manager is not None:
        plan.notes.append("compacted days also contain other queue managers, so they are kept")
    return plan, parts


def _compacted_files(folder: Path) -> Iterator[tuple[Table, reader.DataFile]]:
    for table in TABLES.values():
        for place, day in reader.compacted(folder, table, Problems()):
            for path in sorted(place.iterdir()):
                if _is_ours(path):
                    yield table, reader.DataFile(path, MANY, day, "parquet")


def _is_ours(path: Path) -> bool:
    """Whether the name is one that `snapshot take` or `snapshot export` gives, complete or not."""
    return parse_file_name(path.name.removeprefix(".")) is not None


def _is_cut(file: reader.DataFile, complete: set[str], untouched_s: float) -> bool:
    """Whether it is of a snapshot that was cut: not renamed, or no row of `snapshots` names it."""
    name = reader.named_after_snapshot(file)
    hidden = file.path.name.startswith(".") and _is_ours(file.path)
    with suppress(FileNotFoundError):
        return (hidden or (name is not None and name not in complete)) and (
            file.path.stat().st_mtime < untouched_s
        )
    return False


def _record(part: Part, files: Files) -> PrunedDay:
    manager, day, state = part
    snapshots = files.snapshots if state == OLD else 0
    count = len(files.first) + len(files.others)
    return PrunedDay(manager or None, day or None, state, snapshots, count, files.size_bytes)


def prune(parts: dict[Part, Files]) -> Listing:
    """Remove these files, a day after the other, and list what was removed.

    The rows of `snapshots` go first and on disk, so that no reader takes half a day for a whole.
    """

    def removed() -> Iterator[PrunedDay]:
        for part, files in parts.items():
            _remove(files.first)
            _remove(files.others)
            yield _record(part, files)

    return Listing("PrunedSnapshotList", columns_of(PrunedDay), map(keys_of, removed()))


def _remove(paths: list[Path]) -> None:
    try:
        for path in paths:
            path.unlink(missing_ok=True)
        for folder in {path.parent for path in paths}:
            sync_folder(folder)
            with suppress(OSError):  # there is another file in it
                folder.rmdir()
    except OSError as error:
        raise StorageError(f"snapshots {error.filename}: {error.strerror}") from error
