"""`mqtriage snapshot`: options, help and examples; the work is in commands/snapshot."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import (
    FORMAT,
    Browsing,
    ConnectionOptions,
    Connections,
    Consent,
    Output,
)
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import REQUIRED, argument, arguments, duration, flag, text
from mqtriage.model.output_forms import IDS, MQSC
from mqtriage.mq.errors import UsageError
from mqtriage.pipeline.snapshots.files import form_of
from mqtriage.pipeline.snapshots.problems import Problems

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.model.result import Document, Record

FOLDER = text(
    metavar="DIR",
    help="Folder that contains the snapshots. Default: snapshots under MQTRIAGE_HOME.",
    completes="file",
    reads="place",
)


@takes(Browsing, Connections, Output)
def take(
    app: AppContext,
    patterns: tuple[str, ...] = arguments(
        "[PATTERN]...",
        help="Queues to browse and save. Default: all except SYSTEM.*, plus the staging "
        "queue and the dead-letter queue.",
        completes="queue",
    ),
    folder: str | None = FOLDER,
    file_format: str = FORMAT,
    body: str = text(
        help="Message data to keep.",
        default="none",
        choices=("none", "digest", "redacted", "full"),
    ),
    key_file: str | None = text(
        help="Use HMACs with the key in FILE as digests, so that nobody can guess bodies.",
        completes="file",
    ),
    properties: bool = flag(help="Keep message properties."),
    incremental: bool = flag(
        help="Write only changes since the last snapshot of this queue manager."
    ),
) -> None:
    """Save a queue manager's messages and definitions.

    Saves the descriptor and headers of each message, and the status and definition of each queue.
    It saves bodies only with --body. With --no-expiry-effects, it browses nothing, and saves only
    definitions and counts. Readers never see an incomplete file. mqtriage analyze reads folders of
    snapshots.

    Examples:
        mqtriage snapshot take -m QM1,QM2
        mqtriage snapshot take --incremental --folder /var/mq/snapshots
        mqtriage snapshot take 'ORDERS.*' --body digest --key-file key.txt
    """
    from mqtriage.commands.snapshot import take as snapshot_take
    from mqtriage.mq.names import check_generic_name
    from mqtriage.pipeline.snapshots.schema import BodyPart

    for pattern in patterns:
        check_generic_name(pattern)
    if key_file is not None and body == "none":
        raise UsageError("--key-file: without --body there are no digests")
    if app.target.no_expiry_effects and (patterns or body != "none"):
        raise UsageError(
            "--no-expiry-effects: no messages are read, so you cannot select queues or bodies"
        )
    app.output.refuse_forms(IDS, MQSC)
    request = snapshot_take.TakeRequest(
        folder=app.target.snapshot_folder(folder),
        form=form_of(file_format),
        patterns=tuple(patterns),
        body=BodyPart(body),
        digest_key=snapshot_take.digest_key(Path(key_file), app.run.warn) if key_file else None,
        properties=properties,
        incremental=incremental,
        browse=not app.target.no_expiry_effects,
    )
    app.target.browses = ("*",) if request.browse else ()
    problems: list[object] = []

    def taken(backend: Backend) -> Document:
        document = snapshot_take.take(backend, request, time.time_ns() // 1000, app.run.say)
        problems.append(document.data["problems"])
        return document

    app.emit_read(taken)
    app.run.note_partly(any(problems))


@takes(Connections, Output)
def ls(app: AppContext, folder: str | None = FOLDER) -> None:
    """List the snapshots.

    With -m, it lists only those of these queue managers. It reports the number of unreadable,
    duplicate and incomplete files on standard error. Exit code 3 means that something could not be
    read, not that a snapshot was interrupted.

    Examples:
        mqtriage snapshot ls
        mqtriage snapshot ls -m QM1 --folder /var/mq/snapshots -o json
    """
    from mqtriage.commands.snapshot.snapshots import ls as list_snapshots

    problems = Problems()
    names = [one.qmgr for one in app.target.connections if one.qmgr]
    listed: set[str] = set()

    def noted(items: Iterable[Record]) -> Iterator[Record]:
        for row in items:
            listed.add(row["queue_manager"])
            yield row

    only = names[0] if len(names) == 1 else None
    listing = list_snapshots(app.target.snapshot_folder(folder), only, problems)
    if len(names) > 1:
        listing.items = (row for row in listing.items if row["queue_manager"] in names)
    listing.items = noted(listing.items)
    app.output.emit(listing)
    if absent := [name for name in names if name not in listed]:
        app.run.say(f"no snapshot of {', '.join(absent)} in {app.target.snapshot_folder(folder)}")
    app.run.note_partly(problems.lost_of_whole_snapshots)


@takes(Output)
def compact(app: AppContext, folder: str | None = FOLDER) -> None:
    """Merge the small files of past days into a few large ones.

    For each UTC day that ended at least a day ago, merges the Parquet files of each table into
    files of up to 128 MB. Each new file contains many queue managers. You can read and take
    snapshots at the same time. If compact is interrupted, the next run finishes it. It does not
    change files that are damaged or not Parquet. The first full snapshot of a day stays full. The
    others become incremental: they keep only rows that are new, changed or gone.

    Examples:
        mqtriage snapshot compact
        mqtriage snapshot compact --folder /var/mq/snapshots -o json
    """
    from mqtriage.commands.snapshot.compact import compact as put_together

    problems = Problems()
    app.output.emit(put_together(app.target.snapshot_folder(folder), problems))
    app.run.note_partly(problems.lost_of_whole_snapshots)


@takes(Consent, ConnectionOptions, Output)
def prune(
    app: AppContext,
    consent: Consent,
    older_than: int | None = duration(
        metavar="30d", help="Remove only days that ended longer ago than this."
    ),
    folder: str | None = FOLDER,
) -> None:
    """Remove old snapshots and leftovers from interrupted ones.

    Removes whole days (UTC), because an incremental snapshot needs the others from the same day. It
    removes leftovers of an interrupted snapshot at the same age, but never on the same day. With
    -m, it removes only those of one queue manager.

    Examples:
        mqtriage snapshot prune --older-than 90d --dry-run
        mqtriage snapshot prune --older-than 90d -m QM1 --yes
    """
    from mqtriage.cli.frame.act_flow import agreed
    from mqtriage.commands.snapshot.prune import plan_prune
    from mqtriage.commands.snapshot.prune import prune as remove

    if older_than is None:
        raise UsageError("which snapshots? give --older-than 90d")
    where = app.target.snapshot_folder(folder)
    plan, parts = plan_prune(where, older_than, app.target.connection.qmgr)
    if agreed(app, plan, consent):
        app.output.emit(remove(parts))


@takes(ConnectionOptions, Output)
def diff(
    app: AppContext,
    old: str = argument(
        "OLD",
        help="Snapshot: its id or the first characters of its id, first, or latest~1.",
        completes="snapshot",
    ),
    new: str = argument(
        "NEW",
        help="Snapshot to compare it with. Default: latest.",
        default="latest",
        completes="snapshot",
    ),
    only: str = text(
        help="Compare only messages or only definitions.",
        default="all",
        show_default=False,
        choices=("messages", "definitions"),
    ),
    folder: str | None = FOLDER,
) -> None:
    """Show what changed between two snapshots.

    Compares messages by queue, MsgId, CorrelId and put time, and each attribute of definitions. A
    remaining lifetime that has only decreased is not a difference. Exits 4 if there is a
    difference, and 3 if anything could not be read.

    Examples:
        mqtriage snapshot diff latest~1 latest -m QM1
        mqtriage snapshot diff 20260131T1000 20260131T1010 --only definitions -o json
    """
    from mqtriage.commands.snapshot.snapshots import CHANGES
    from mqtriage.commands.snapshot.snapshots import diff as difference

    problems = Problems()
    where = app.target.snapshot_folder(folder)
    listing = difference(where, old, new, app.target.connection.qmgr, only, problems)
    app.output.emit(listing)
    app.run.note_findings(any(listing.summary[change] for change in CHANGES))
    app.run.note_partly(problems.lost)


@takes(ConnectionOptions, Output)
def export(
    app: AppContext,
    out: str = text(
        metavar="DIR",
        help="Folder for the new files.",
        default=REQUIRED,
        completes="file",
        reads="place",
    ),
    folder: str | None = FOLDER,
    file_format: str = FORMAT,
    since: str | None = text(
        metavar="7d|TIME", help="Use only snapshots taken at or after this time."
    ),
    until: str | None = text(metavar="7d|TIME", help="Use only snapshots taken before this time."),
) -> None:
    """Write snapshots to another folder, as Parquet or NDJSON.

    Writes one file per table, queue manager and day, instead of many small files. It omits
    unreadable, duplicate and interrupted snapshots, and reports their number. With an incremental
    snapshot, it also exports those that it is based on, back to the full snapshot of that day.

    Examples:
        mqtriage snapshot export --out /tmp/month --format parquet
        mqtriage snapshot export --out /tmp/text --format ndjson -m QM1 --since 2026-01-01T00:00:00Z
    """
    from mqtriage.commands.snapshot.snapshots import export as write_anew
    from mqtriage.model.times import parse_since_us
    from mqtriage.mq.times import GREATEST_US

    now_us = time.time_ns() // 1000
    start = parse_since_us(since, now_us, say=app.run.remark) if since else 0
    end = (
        parse_since_us(until, now_us, what="--until", say=app.run.remark) if until else GREATEST_US
    )
    app.output.refuse_forms(IDS, MQSC)
    problems = Problems()
    app.output.emit(
        write_anew(
            app.target.snapshot_folder(folder),
            Path(out),
            form_of(file_format),
            app.target.connection.qmgr,
            lambda time_us: start <= time_us < end,
            problems,
        )
    )
    app.run.note_partly(problems.lost)
