"""`mqtriage expiry reports|revive`: what expired for good."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqtriage.cli.frame import message_flow as journalled
from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Guards, Output, SelectionOptions
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.messages.selection import Selection
    from mqtriage.operations.copies import CopyOptions

MaybeQueue = Annotated[
    str | None, typer.Argument(metavar="QUEUE", help="Queue that the reports went to.")
]


@takes(SelectionOptions, Connection, Output)
def reports(
    app: AppContext,
    selection: SelectionOptions,
    queue: MaybeQueue = None,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """List expiration reports and what each tells of its message.

    DATA is none, 100 bytes or full; expiry revive needs full. Without QUEUE every local queue is
    looked at, but for those of the system.

    Examples:
        mqtriage expiry reports ORDERS.REPLY
        mqtriage expiry reports ORDERS.REPLY --younger-than 1h -o json
    """
    from mqtriage.operations.expired_reports import queues_with_messages
    from mqtriage.operations.expired_reports import reports as list_reports

    which = choosing.chosen(app, selection)
    choosing.read_note(app, queue or "a queue", no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        queues = [queue] if queue is not None else queues_with_messages(backend)
        if queue is None and (which.skip or which.limit is not None):
            raise UsageError("--skip, --limit and --range need one QUEUE")
        listing = list_reports(
            backend,
            queues,
            choosing.unlimited_if_sorted(app, which),
            detail=choosing.wants_detail(app),
        )
        choosing.emit(app, listing, which)


@takes(SelectionOptions, Guards, Connection, Output)
def revive(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    to: Annotated[str, typer.Option("--to", metavar="QUEUE", help="Queue that gets them.")],
    queue: MaybeQueue = None,
    archive: Annotated[
        str | None,
        typer.Option("--from", metavar="ARCHIVE", help="Archive or snapshot:REF, no reports."),
    ] = None,
    expiry: Annotated[
        str,
        typer.Option("--expiry", metavar="1h|unlimited", help="Their new lifetime, from now."),
    ] = "unlimited",
) -> None:
    """Make messages that have expired again.

    No get returns an expired message. It is rebuilt from the expiration report with full data that
    its sender asked for: the report is taken and the original put, in one unit of work. Or from an
    archive, or a snapshot with message data: of those the ones whose lifetime is over by now, and
    that are not on the queue.

    Examples:
        mqtriage expiry revive ORDERS.REPLY --to ORDERS.IN --dry-run
        mqtriage expiry revive ORDERS.REPLY --to ORDERS.IN --expiry 1h --yes
        mqtriage expiry revive --from orders.ndjson.gz --to ORDERS.IN --yes
        mqtriage expiry revive --from snapshot:latest --to ORDERS.IN --dry-run
    """
    from mqtriage.operations.copies import read_copy_options

    if (queue is None) == (archive is None):
        raise UsageError(
            "give QUEUE with expiration reports, or --from ARCHIVE",
            hint="an expired message on a queue cannot be got: expiry reports lists what is told",
        )
    if expiry.lower() == "keep":
        raise UsageError("--expiry keep: nothing is left of it", hint="--expiry 1h, or unlimited")
    copy = read_copy_options(expiry=expiry, reports=safety.reports)
    which = choosing.chosen(app, selection, writes=True)
    if archive is not None:
        _from_archive(app, safety, archive, to, copy, which)
    elif queue is not None:
        _from_reports(app, safety, queue, to, replace(copy, strip="report"), which)


def _from_reports(
    app: AppContext, safety: Guards, queue: str, to: str, copy: CopyOptions, which: Selection
) -> None:
    from mqtriage.backends.registry import readonly
    from mqtriage.operations.expired_reports import ACTION, plan_revive
    from mqtriage.operations.plan import ActRequest
    from mqtriage.operations.selection import refuse_expiry_effects

    refuse_expiry_effects(queue, safety.no_expiry_effects)
    request = journalled.guarded(app, safety, ActRequest(ACTION, queue, to, copy))
    with app.open_backend() as backend:
        plan = plan_revive(readonly(backend), request, which)
        journalled.run(app, backend, safety, request, plan)


def _from_archive(
    app: AppContext, safety: Guards, archive: str, to: str, copy: CopyOptions, which: Selection
) -> None:
    from tempfile import TemporaryDirectory

    from mqtriage.cli.archive import named
    from mqtriage.cli.msg_files import opened
    from mqtriage.operations.archive_restore import revive_request

    word, _, reference = archive.partition(":")
    with ExitStack() as stack:
        backend = stack.enter_context(app.open_backend())
        if word == "snapshot":
            folder = stack.enter_context(TemporaryDirectory())
            path = _of_snapshot(app, backend, reference, Path(folder))
        else:
            path = named(app, archive)
        file = stack.enter_context(opened(app, str(path)))
        request = revive_request(
            path,
            file,
            which,
            copy,
            backend.now_us(),
            target=to,
            batch=safety.batch,
            all_expired=word == "snapshot",
        )
        journalled.load(app, backend, safety, request)


def _of_snapshot(app: AppContext, backend: Backend, reference: str, folder: Path) -> Path:
    """What has expired of a snapshot, as an archive in a folder that goes away."""
    from mqtriage.cli.snapshot import folder_of
    from mqtriage.pipeline.snapshots.expired import write_expired

    path = folder / "snapshot.ndjson"
    name = write_expired(
        folder_of(app, None), reference, backend.queue_manager, backend.now_us(), path
    )
    app.say(f"from snapshot {name}")
    return path
