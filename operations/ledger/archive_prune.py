"""`archive prune`: remove archives that nobody will want to put back."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from mqtriage.files.durable import sync_folder
from mqtriage.files.failures import storage_errors
from mqtriage.model.plan import Plan
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.errors import StorageError
from mqtriage.operations.archive.files import archives_in, lines_of, may_be_archive
from mqtriage.operations.archive.index import index_path
from mqtriage.operations.archive.reading import WHOLE, archive_record
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.units import BACKED_OUT, DONE

FIELDS: Final = (
    Field("archive", "ARCHIVE", Show.NAME, 40),
    Field("age_ms", "AGE", Show.AGE_MS, 8),
    Field("message_count", "MESSAGES", Show.NUMBER, 8),
    Field("file_bytes", "SIZE", Show.BYTES, 8),
    Field("state", "STATE", Show.TEXT, 10),
    Field("path", "PATH", Show.TEXT, wide=True),
)
_KINDS: Final = re.compile(rb'"kind":\s*"(?:Message|Commit|Backout|End)"')
"""Kinds of lines after the first one: messages, and what became of them."""


def old_archives(folder: Path, named: Sequence[Path], older_than_ms: int | None) -> list[Path]:
    """The archives to remove: those of *named*, or of *folder*, that are old enough.

    The age is that of the file by the clock of this machine, not of its queue manager.
    """
    limit = None if older_than_ms is None else time.time() - older_than_ms / 1000
    chosen = list(named) or archives_in(folder)
    return [path for path in chosen if limit is None or path.stat().st_mtime < limit]


def of_unfinished_acts(journal: Journal) -> set[Path]:
    """Archives of operations that are at work, or can be resumed."""
    sql = "SELECT path FROM archive JOIN operation ON operation.number = operation WHERE how <> ?"
    return {Path(path).resolve() for (path,) in journal.rows(sql, DONE)}


def unused(journal: Journal, archives: Iterable[Path]) -> set[Path]:
    """The archives of acts that were cut before anything was written to them.

    The journal must name exactly this file, and no unit of it that may have become final: a copy
    of an archive, whole or cut, is somebody's own. And whatever the journal says, a file that
    holds messages is never among them.
    """
    sql = (
        "SELECT path FROM archive LEFT JOIN unit ON unit.archive = archive.number AND ended <> ?"
        " GROUP BY path HAVING count(unit.archive) = 0"
    )
    if journal.is_at_work():  # what is at work may write to its archive any moment
        return set()
    named = {Path(path).resolve() for (path,) in journal.rows(sql, BACKED_OUT)}
    return {path for path in archives if path.resolve() in named and _holds_nothing(path)}


def _holds_nothing(path: Path) -> bool:
    """Whether an archive can be read, and is at most its first line or what a crash made of it."""
    try:
        return not any(_KINDS.search(line.data) for line in lines_of(path))
    except (OSError, StorageError):
        return False


def plan_prune(
    folder: Path,
    archives: Sequence[Path],
    needed: Collection[Path],
    unused: Collection[Path],
    *,
    unfinished: bool,
) -> tuple[Plan, Listing]:
    """What would be removed; what is not whole, or *needed*, stays unless *unfinished*.

    Its act may still be at work, or wait to be resumed. What is *unused* goes. What is not an
    archive stays.
    """
    records = [_record(path) for path in archives if may_be_archive(path)]
    others = len(archives) - len(records)
    gone = [
        record
        for record in records
        if unfinished
        or Path(record["path"]) in unused
        or (record["state"] == WHOLE and Path(record["path"]).resolve() not in needed)
    ]
    stay = len(records) - len(gone)
    plan = Plan("prune", str(folder), count=len(gone), noun="archive")
    plan.facts = {
        "bytes": sum(record["file_bytes"] or 0 for record in gone),
        "messages": sum(record["message_count"] or 0 for record in gone),
        "archives": [record["archive"] for record in gone[:10]],
    }
    plan.notes.append("removed archives cannot be restored, and their operations cannot be undone")
    if len(gone) > 10:
        plan.notes.append(f"archives: the first 10 of {len(gone)}")
    if stay:
        plan.notes.append(
            f"{stay} kept: unfinished, or can still be resumed;"
            f" --unfinished removes {'it' if stay == 1 else 'them'} too"
        )
    if others:
        plan.notes.append(f"{others} kept: not an mqtriage archive")
    listed = {"left": stay + others}
    return plan, Listing("PrunedArchiveList", FIELDS, gone, listed, id_key="archive")


def prune(listing: Listing) -> Listing:
    """Remove what is listed, and list what was removed; a power cut brings none of it back."""

    def removed() -> Iterator[dict[str, Any]]:
        folders = set()
        for record in list(listing.items):
            path = Path(record["path"])
            with storage_errors(f"archive {path}"):
                index_path(path).unlink(missing_ok=True)
                path.unlink(missing_ok=True)
            folders.add(path.parent)
            yield dict(record)
        for folder in folders:
            with storage_errors(f"archives {folder}"):
                sync_folder(folder)

    return Listing(listing.kind, listing.fields, removed(), listing.summary, id_key="archive")


def _record(path: Path) -> dict[str, Any]:
    record = archive_record(path)
    age_ms = int((time.time() - path.stat().st_mtime) * 1000)
    keys = ("archive", "message_count", "file_bytes", "state", "path")
    return {"age_ms": age_ms} | {key: getattr(record, key) for key in keys}
