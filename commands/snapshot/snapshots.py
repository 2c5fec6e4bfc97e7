"""`snapshot ls`, `snapshot diff`, `snapshot export`: snapshots that were taken."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from mqtriage.model.result import Document, Field, Listing, Record, Show
from mqtriage.mq.errors import UsageError
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.snapshots import reader
from mqtriage.pipeline.snapshots.files import FileForm, PartitionFiles
from mqtriage.pipeline.snapshots.problems import ProblemKind, Problems
from mqtriage.pipeline.snapshots.schema import MESSAGES, SNAPSHOTS, TABLES, ColumnType, Mode

LS_FIELDS: Final = (
    Field("snapshot_id", "SNAPSHOT_ID", Show.NAME, width=36),
    Field("queue_manager", "QMGR", Show.NAME, width=8),
    Field("snap_time", "SNAP_TIME", Show.TIME, 22),
    Field("mode", "MODE", width=11),
    Field("message_count", "MESSAGES", Show.NUMBER, 9),
    Field("message_rows", "ROWS", Show.NUMBER, 9, yields=2),
    Field("length_bytes", "BYTES", Show.BYTES, 11, yields=3),
    Field("queue_count", "QUEUES", Show.NUMBER, 6, yields=4),
    Field("body", "BODY", width=8, yields=5),
    Field("problem_count", "PROBLEMS", Show.NUMBER, 8, yields=1),
    Field("host_time", "HOST_TIME", Show.TIME, wide=True),
    Field("end_time", "END_TIME", Show.TIME, wide=True),
    Field("base_snapshot_id", "BASE", Show.NAME, wide=True),
    Field("backend", "BACKEND", wide=True),
    Field("digest", "DIGEST", wide=True),
    Field("digest_key_id", "DIGEST_KEY", wide=True),
    Field("expiry_effects", "BROWSED", Show.FLAG, wide=True),
    Field("queue_pattern", "PATTERN", wide=True),
    Field("schema_version", "SCHEMA", Show.NUMBER, wide=True),
    Field("tool_version", "MQTRIAGE", wide=True),
    Field("file", "FILE", wide=True),
)
DIFF_FIELDS: Final = (
    Field("change", "CHANGE", width=7),
    Field("object_type", "TYPE", width=8),
    Field("object", "OBJECT", Show.NAME, width=24),
    Field("msg_id", "MSGID", Show.ID, 48, yields=1),
    Field("attribute", "ATTRIBUTE", width=16),
    Field("from", "FROM", width=16),
    Field("to", "TO", width=16),
    Field("put_time", "PUT_TIME", Show.TIME, 22, yields=2),
    Field("length_bytes", "LENGTH", Show.BYTES, wide=True),
    Field("format", "FORMAT", wide=True),
    Field("backout_count", "BACKOUT", Show.NUMBER, wide=True),
    Field("original_msg_id", "ORIGINAL_MSGID", Show.ID, wide=True),
)
CHANGES: Final = ("came", "went", "changed")
_TIMES: Final = frozenset(
    column.name
    for table in TABLES.values()
    for column in table.columns
    if column.type is ColumnType.TIMESTAMP
)
_NOT_COMPARED: Final = frozenset(
    {
        "snapshot_id", "snap_time", "seen", "first_seen_time", "position", "message_key",
        "expiry_tenths", "qmgr", "snap_date",
    }
)  # fmt: skip
_BY_OPTION: Final = frozenset({"properties", "body_digest", "body_redacted", "data_base64"})
"""Columns that are compared only where both snapshots kept them."""
MANY_FILES: Final = 10_000
"""So many, and readers such as Spark spend their time on opening them."""
_LEEWAY_US: Final = 2_000_000
_OWN_MARKS: Final = frozenset({"ALTDATE", "ALTTIME"})


def ls(folder: Path, queue_manager: str | None, problems: Problems) -> Listing:
    """List the snapshots in *folder*, as they are read.

    Args:
        problems: takes what is wrong; complete after the last record.
    """
    listing = Listing("SnapshotList", LS_FIELDS, (), id_key="snapshot_id")

    def records() -> Iterator[Record]:
        number = 0
        for info in reader.snapshots(folder, problems, queue_manager=queue_manager):
            number += 1
            record = {key.key: _readable(key.key, info.row.get(key.key)) for key in LS_FIELDS}
            yield record | {"queue_manager": info.queue_manager, "file": info.file.shown}
        quiet = Problems()  # what is wrong with the files of `snapshots` is told already
        files, whole = 0, reader.stems(folder, SNAPSHOTS)
        for table in TABLES.values():
            reported = quiet if table is SNAPSHOTS else problems
            for file in reader.data_files(folder, table, reported):
                files += 1
                name = reader.named_after_snapshot(file)
                chosen = queue_manager in (None, file.queue_manager)
                if name is not None and chosen and name not in whole:
                    reported.add(ProblemKind.BROKEN_OFF, file.shown)
        _tell(listing, problems, snapshots=number, files=files)
        if files > MANY_FILES and files > number:
            listing.warnings.append(
                f"{files} files: mqtriage snapshot compact combines those of past days"
            )

    if not folder.is_dir():
        list(reader.partitions(folder, SNAPSHOTS, problems))
    listing.items = records()
    return listing


def diff(
    folder: Path, old: str, new: str, queue_manager: str | None, what: str, problems: Problems
) -> Listing:
    """List what came, went and changed from one snapshot to another.

    A changed message or definition is one record an attribute. Bodies and properties are compared
    where both snapshots kept them.

    Args:
        old, new: ids, starts of ids, ``latest``, ``latest~1``.
        what: ``all``, ``messages`` or ``definitions``.
    """
    index = reader.Index(folder, problems, queue_manager)
    chains = [index.chain_to(index.resolve(name), problems) for name in (old, new)]
    listing = Listing("SnapshotDiff", DIFF_FIELDS, ())

    def records() -> Iterator[Record]:
        counts = dict.fromkeys(CHANGES, 0)
        for record in _differences(folder, chains, what, problems):
            counts[record["change"]] += 1
            yield record
        _tell(listing, problems, **counts)

    listing.items = records()
    listing.summary["old"], listing.summary["new"] = (list(chain.order)[-1] for chain in chains)
    return listing


def _differences(
    folder: Path, chains: list[reader.SnapshotChain], what: str, problems: Problems
) -> Iterator[dict[str, Any]]:
    if what != "messages":
        yield from _changed_definitions(*(_definitions(folder, c, problems) for c in chains))
    if what != "definitions":
        yield from _changed_messages(
            reader.messages_at(folder, chains[0], problems),
            reader.messages_at(folder, chains[1], Problems()),
        )


def _tell(listing: Listing, problems: Problems, **summary: int) -> None:
    listing.summary.update(summary)
    listing.summary["problems"] = problems.summary()
    listing.warnings += problems.warnings()


def _readable(name: str, value: Any) -> Any:
    return rfc3339(value) if name in _TIMES and value is not None else value


# -- definitions ----------------------------------------------------------------------------------


def _definitions(
    folder: Path, chain: reader.SnapshotChain, problems: Problems
) -> dict[tuple[str, str], dict[str, Any]]:
    definitions = {}
    for label, row in reader.definitions_at(folder, chain, problems).items():
        try:
            attributes = json.loads(row["attributes"] or "{}")
        except ValueError:
            problems.add(ProblemKind.NOT_JSON, " ".join(label), "attributes")
            continue
        if label[0] == "QMGR":  # by its kind: two queue managers can be compared
            label = ("QMGR", "")
        definitions[label] = attributes
    return definitions


def _changed_definitions(
    old: dict[tuple[str, str], dict[str, Any]], new: dict[tuple[str, str], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    for label in sorted({*old, *new}):
        before, now = old.get(label), new.get(label)
        kind, name = label
        if before is None or now is None:
            yield _difference("came" if before is None else "went", kind, name)
            continue
        for keyword in sorted({*before, *now} - _OWN_MARKS):
            if before.get(keyword) != now.get(keyword):
                yield _difference(
                    "changed", kind, name, keyword, before.get(keyword), now.get(keyword)
                )


def _difference(
    change: str,
    kind: str,
    name: str,
    attribute: str | None = None,
    before: Any = None,
    now: Any = None,
) -> dict[str, Any]:
    record: dict[str, Any] = dict.fromkeys(field.key for field in DIFF_FIELDS)
    return record | {
        "change": change,
        "object_type": kind,
        "object": name or None,
        "attribute": attribute,
        "from": before,
        "to": now,
    }


# -- messages -------------------------------------------------------------------------------------


def _changed_messages(
    old: Iterator[reader.Row], new: Iterator[reader.Row]
) -> Iterator[dict[str, Any]]:
    """Go through both, sorted by message_key, at once."""
    before, now = next(old, None), next(new, None)
    while before is not None or now is not None:
        if now is None or (before is not None and before["message_key"] < now["message_key"]):
            assert before is not None
            yield _message("went", before)
            before = next(old, None)
        elif before is None or now["message_key"] < before["message_key"]:
            yield _message("came", now)
            now = next(new, None)
        else:
            for name in _changed_columns(before, now):
                yield _message("changed", now) | {
                    "attribute": name,
                    "from": _readable(name, before[name]),
                    "to": _readable(name, now[name]),
                }
            before, now = next(old, None), next(new, None)


def _changed_columns(before: reader.Row, now: reader.Row) -> Iterator[str]:
    for name in MESSAGES.names:
        one, other = before[name], now[name]
        if one == other or name in _NOT_COMPARED:
            continue
        if name in _BY_OPTION and (one is None or other is None):
            continue
        both = one is not None and other is not None
        if name == "expiry_time" and both and abs(one - other) <= _LEEWAY_US:
            continue
        yield name


def _message(change: str, row: reader.Row) -> dict[str, Any]:
    record = _difference(change, "MESSAGE", row["queue"])
    for name in ("msg_id", "length_bytes", "format", "backout_count", "original_msg_id"):
        record[name] = row[name]
    record["put_time"] = _readable("put_time", row["put_time"])
    return record


# -- export ---------------------------------------------------------------------------------------


def export(
    folder: Path,
    out: Path,
    form: FileForm,
    queue_manager: str | None,
    within: Callable[[int], bool],
    problems: Problems,
) -> Document:
    """Write the snapshots of *folder* anew: one file a table, queue manager and day.

    Many small files become few; what cannot be read, is there twice or was broken off is left out
    and counted.

    Args:
        within: whether a snapshot of that time, in microseconds, is wanted; what an incremental
            one goes on from comes with it.

    Raises:
        NotFound: No such folder.
        Refused: A file is there already.
        StorageError: A file cannot be written.
        UsageError: *out* is *folder*.
    """
    if out.resolve() == folder.resolve():
        raise UsageError(f"--out {out}: this is the folder to read from", hint="name another one")
    chosen: dict[str, set[str]] = {}
    others: set[str] = set()
    bases: dict[str, str | None] = {}
    for info in reader.snapshots(folder, problems, queue_manager=queue_manager):
        if info.mode is Mode.INCREMENTAL:
            bases[info.snapshot_id] = info.base
        if within(info.time_us):
            chosen.setdefault(info.queue_manager, set()).add(info.snapshot_id)
        else:
            others.add(info.snapshot_id)
    brought = sum(_bring_bases(ids, others, bases) for ids in chosen.values())
    counts = dict.fromkeys(TABLES, 0)
    files = 0
    for manager in chosen:
        for day in _days(folder, manager):
            files += _export_day(
                folder, out, form, (manager, day), chosen[manager], others, counts, problems
            )
    document = Document(
        "SnapshotExport",
        {
            "folder": str(out),
            "format": form,
            "snapshots": sum(len(ids) for ids in chosen.values()),
            "queue_managers": len(chosen),
            "files": files,
            "rows": counts,
            "problems": problems.summary(),
        },
    )
    document.warnings += problems.warnings()
    if brought:
        document.warnings.append(
            f"{brought} earlier snapshots too, because incremental ones are based on them"
        )
    return document


def _bring_bases(chosen: set[str], others: set[str], bases: dict[str, str | None]) -> int:
    """Choose what incremental snapshots go on from as well, back to a whole one; how many that is.

    Args:
        bases: of incremental snapshots.
    """
    before = len(chosen)
    for name in [*chosen]:
        base = bases.get(name)
        while base in others:
            others.remove(base)
            chosen.add(base)
            base = bases.get(base)
    return len(chosen) - before


def _days(folder: Path, manager: str) -> list[str]:
    quiet = Problems()
    days = {
        day
        for table in TABLES.values()
        for _, name, day in reader.partitions(folder, table, quiet)
        if name == manager
    }
    days |= {day for t in TABLES.values() for _, day in reader.compacted(folder, t, quiet)}
    return sorted(days)


def _export_day(
    folder: Path,
    out: Path,
    form: FileForm,
    partition: tuple[str, str],
    chosen: set[str],
    others: set[str],
    counts: dict[str, int],
    problems: Problems,
) -> int:
    def is_of_day(file: reader.DataFile) -> bool:
        return (file.queue_manager, file.day) == partition

    with closing(PartitionFiles(out, *partition, "all", form)) as files:
        for table in TABLES.values():
            # the table of snapshots was read before: what is wrong with it is told already
            reported = Problems() if table is SNAPSHOTS else problems
            met: set[str] = set()
            for file, row in reader.rows(folder, table.name, reported, is_of_day):
                name = row["snapshot_id"]
                if name in others or (table is SNAPSHOTS and name in met):
                    continue
                if name not in chosen:
                    reported.add(ProblemKind.BROKEN_OFF, file.shown, name)
                    continue
                met.add(name)
                files.add(table.name, [row[column] for column in table.names])
                counts[table.name] += 1
        return len(files.publish())
