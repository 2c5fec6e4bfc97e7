"""`archive prune`: remove archives that nobody will want to put back."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from mqtriage.model.plan import Plan
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.errors import StorageError
from mqtriage.operations.archive.files import archives_in
from mqtriage.operations.archive.index import index_path
from mqtriage.operations.archive.reading import WHOLE, archive_record
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.units import DONE

FIELDS: Final = (
    Field("archive", "ARCHIVE", Show.NAME, 40),
    Field("age_ms", "AGE", Show.AGE_MS, 8),
    Field("messages", "MESSAGES", Show.NUMBER, 8),
    Field("file_bytes", "SIZE", Show.BYTES, 8),
    Field("state", "STATE", Show.TEXT, 10),
    Field("path", "PATH", Show.TEXT, wide=True),
)


def old_archives(folder: Path, named: Sequence[Path], older_than_ms: int | None) -> list[Path]:
    """The archives to remove: those of *named*, or of *folder*, that are old enough.

    The age is that of the file by the clock of this machine, not of its queue manager.
    """
    limit = None if older_than_ms is None else time.time() - older_than_ms / 1000
    chosen = list(named) or archives_in(folder)
    return [path for path in chosen if limit is None or path.stat().st_mtime < limit]


def of_unfinished_acts(journal: Journal) -> set[Path]:
    """Archives of operations that are at work, or can be resumed.

    Raises:
        StorageError: The journal cannot be read.
    """
    sql = "SELECT path FROM archive JOIN operation ON operation.number = operation WHERE how <> ?"
    return {Path(path).resolve() for (path,) in journal.rows(sql, DONE)}


def plan_prune(
    folder: Path, archives: Sequence[Path], needed: Collection[Path], *, unfinished: bool
) -> tuple[Plan, Listing]:
    """What would be removed; what is not whole, or *needed*, stays unless *unfinished*.

    Its act may still be at work, or wait to be resumed.
    """
    records = [_record(path) for path in archives]
    gone = [
        record
        for record in records
        if unfinished or (record["state"] == WHOLE and Path(record["path"]).resolve() not in needed)
    ]
    stay = len(records) - len(gone)
    plan = Plan("prune", str(folder), count=len(gone), noun="archive")
    plan.facts = {
        "bytes": sum(record["file_bytes"] or 0 for record in gone),
        "messages": sum(record["messages"] or 0 for record in gone),
        "archives": [record["archive"] for record in gone[:10]],
    }
    plan.notes.append("what is removed cannot be restored, nor its acts undone")
    if stay:
        plan.notes.append(
            f"{stay} stay: not whole, or their act can be resumed; --unfinished removes them too"
        )
    return plan, Listing("PrunedArchiveList", FIELDS, gone, {"left": stay}, id_key="archive")


def prune(listing: Listing) -> Listing:
    """Remove what is listed, and list what was removed."""

    def removed() -> Iterator[dict[str, Any]]:
        for record in list(listing.items):
            path = Path(record["path"])
            try:
                index_path(path).unlink(missing_ok=True)
                path.unlink(missing_ok=True)
            except OSError as error:
                raise StorageError(f"archive {path}: {error.strerror}") from error
            yield dict(record)

    return Listing(listing.kind, listing.fields, removed(), listing.summary, id_key="archive")


def _record(path: Path) -> dict[str, Any]:
    record = archive_record(path)
    age_ms = int((time.time() - path.stat().st_mtime) * 1000)
    keys = ("archive", "messages", "file_bytes", "state", "path")
    return {"age_ms": age_ms} | {key: record[key] for key in keys}
