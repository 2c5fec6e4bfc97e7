"""`mqtriage archive filter|redact|restore`: messages out of archives, into new ones or back."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from mqtriage.cli.archive import Archive, named
from mqtriage.cli.frame import message_flow as journalled
from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Output, Safety, SelectionOptions
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError

Out = Annotated[
    str | None,
    typer.Option("--out", metavar="FILE", help="A new file. Default: one in the archive folder."),
]
Compress = Annotated[
    bool,
    typer.Option(
        "--compress", help="Compress it; so does an --out that ends in .gz.", show_default=False
    ),
]


def new_path(app: AppContext, out: str | None, action: str, of: Path, *, compress: bool) -> Path:
    """Where a new archive made of *of* goes.

    Raises:
        UsageError: The name says that it is not compressed.
    """
    from mqtriage.operations.archive import unused_path

    if out is None:
        stem = f"{of.name.partition('.ndjson')[0]}-{action}"
        return unused_path(app.archive_folder(), stem, ".ndjson.gz" if compress else ".ndjson")
    if compress and not out.endswith(".gz"):
        raise UsageError(f"--compress: {out} does not end in .gz", hint=f"--out {out}.gz")
    return Path(out)


def now_us() -> int:
    """The time of this machine: an archive is read without a queue manager."""
    return time.time_ns() // 1_000


@takes(SelectionOptions, Output)
def filter_messages(
    app: AppContext,
    selection: SelectionOptions,
    archives: Annotated[list[str], typer.Argument(metavar="ARCHIVE...", help="One or more.")],
    out: Out = None,
    compress: Compress = False,
) -> None:
    """Copy the chosen messages of archives to a new archive.

    Of an act's archive these are the messages that it took. Without a selection all of them: so
    archives are compressed, or made into one. Ages count to the time of this machine.

    Examples:
        mqtriage archive filter purge-ORDERS.BO.ndjson --where "body.customer = 42"
        mqtriage archive filter a.ndjson b.ndjson --out both.ndjson.gz
    """
    from mqtriage.operations.archive_filter import filter_archives

    which = choosing.chosen(app, selection)
    paths = [named(app, archive) for archive in archives]
    to = new_path(app, out, "filter", paths[0], compress=compress)
    document = filter_archives(paths, which, to, now_us())
    app.emit(document)
    if app.output.fail_empty and not document.data["count"]:
        from mqtriage.cli.frame.exit_codes import ExitCode

        app.note(ExitCode.NOTHING_MATCHED)


@takes(SelectionOptions, Output)
def redact(
    app: AppContext,
    selection: SelectionOptions,
    archives: Annotated[list[str], typer.Argument(metavar="ARCHIVE...", help="One or more.")],
    key_file: Annotated[
        str, typer.Option("--key-file", metavar="FILE", help="The key of the hashes.")
    ],
    mask: Annotated[
        list[str] | None,
        typer.Option("--mask", metavar="PATH", help="Values in bodies that become ***."),
    ] = None,
    hashed: Annotated[
        list[str] | None,
        typer.Option("--hash", metavar="PATH", help="Values in bodies that become hashes."),
    ] = None,
    mask_prop: Annotated[
        list[str] | None,
        typer.Option("--mask-prop", metavar="NAME", help="Message properties that become ***."),
    ] = None,
    hash_prop: Annotated[
        list[str] | None,
        typer.Option("--hash-prop", metavar="NAME", help="Message properties that become hashes."),
    ] = None,
    no_bodies: Annotated[
        bool, typer.Option("--no-bodies", help="Leave message data out.", show_default=False)
    ] = False,
    keep_bodies: Annotated[
        bool, typer.Option("--keep-bodies", help="Message data as it is.", show_default=False)
    ] = False,
    out: Out = None,
    compress: Compress = False,
) -> None:
    """Copy archives without ids, users and what paths name.

    MsgId, CorrelId, GroupId, user, accounting token and identity data become HMACs with the key, so
    that joins still work, also between archives. Paths are $.card.number, $.items[*].iban, $..iban,
    /order/card, //card or //@id. A body in which no path can be looked up is masked as a whole.

    Examples:
        mqtriage archive redact orders.ndjson --key-file key --mask '$..iban' --hash '$.customer'
        mqtriage archive redact orders.ndjson --key-file key --mask //card --out safe.ndjson.gz
        mqtriage archive redact orders.ndjson --key-file key --no-bodies
    """
    from mqtriage.commands.snapshot.take import digest_key
    from mqtriage.operations.archive_redact import redact_archives
    from mqtriage.operations.redaction import read_wanted

    named_some = bool(mask or hashed)
    if named_some + no_bodies + keep_bodies != 1:
        raise UsageError(
            "say what is to become of the bodies",
            hint="--mask and --hash with paths, --no-bodies, or --keep-bodies",
        )
    wanted = read_wanted(
        mask or (), hashed or (), mask_prop or (), hash_prop or (), bodies=not no_bodies
    )
    which = choosing.chosen(app, selection)
    paths = [named(app, archive) for archive in archives]
    to = new_path(app, out, "redact", paths[0], compress=compress)
    key = digest_key(Path(key_file), "--key-file")
    app.emit(redact_archives(paths, which, to, now_us(), key, wanted))


@takes(SelectionOptions, Safety, Connection, Output)
def restore(
    app: AppContext,
    selection: SelectionOptions,
    safety: Safety,
    archive: Archive,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="QUEUE", help="Default: the queue they were taken from."),
    ] = None,
    skip_damaged: Annotated[
        bool,
        typer.Option("--skip-damaged", help="The rest of a damaged file.", show_default=False),
    ] = False,
    *,
    copies: choosing.CopiesAsTheyAre,
) -> None:
    """Put archived messages back on their queue.

    Ids, context with the put time, and the lifetime that was left are as they were. A message
    that is on the queue already is left out, so a restore can be run again. Of an act's archive
    the messages that it did not take stay out.

    Examples:
        mqtriage archive restore purge-ORDERS.BO.ndjson --dry-run
        mqtriage archive restore purge-ORDERS.BO.ndjson --yes
        mqtriage archive restore orders.ndjson --where "priority > 5" --to ORDERS.RETRY --yes
    """
    from mqtriage.cli.msg_files import opened
    from mqtriage.operations.archive_files import held
    from mqtriage.operations.archive_restore import restore_request

    copy = copies.options(safety.reports)
    which = choosing.chosen(app, selection)
    path = named(app, archive)
    with held([path]), opened(app, str(path)) as file, app.open_backend() as backend:
        request = restore_request(
            path,
            file,
            which,
            copy,
            now_us(),
            queue_manager=backend.queue_manager,
            target=to,
            batch=safety.batch,
            skip_damaged=skip_damaged,
        )
        journalled.load(app, backend, safety, request)
