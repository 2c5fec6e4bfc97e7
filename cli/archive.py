"""`mqtriage archive ls|show|verify|prune`: what archives there are, and what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Consent, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

Archive = Annotated[
    str, typer.Argument(metavar="ARCHIVE", help="A file, or the name that archive ls shows.")
]
MaybeArchive = Annotated[
    str | None,
    typer.Argument(metavar="ARCHIVE", help="A file, or the name that archive ls shows."),
]


def named(app: AppContext, archive: str) -> Path:
    """The archive that is meant.

    Raises:
        NotFound: There is none.
    """
    from mqtriage.operations.archive_files import find_archive

    return find_archive(app.archive_folder, archive)


@takes(Output)
def ls(app: AppContext, archive: MaybeArchive = None) -> None:
    """List the archives, or the messages of one.

    STATE is whole, or unfinished where the last line is missing: its writer was stopped, or is
    still at work. Archives stand in the folder archive of MQTRIAGE_HOME.

    Examples:
        mqtriage archive ls
        mqtriage archive ls orders.ndjson
        mqtriage archive ls orders.ndjson -o ids
    """
    from mqtriage.cli.frame.selection import wants_detail
    from mqtriage.operations.archive_reading import ls as list_archives
    from mqtriage.operations.archive_reading import messages_of

    if archive is None:
        app.emit(list_archives(app.archive_folder()))
    else:
        path = named(app, archive)
        app.emit(messages_of(path, detail=wants_detail(app)))


@takes(Output)
def show(
    app: AppContext,
    archive: MaybeArchive = None,
    msgid: Annotated[
        str | None, typer.Option("--msgid", metavar="ID", help="48 hex digits, ID:HEX or HEX*.")
    ] = None,
    nth: Annotated[
        int, typer.Option("--nth", metavar="N", min=1, help="Of several with one id.")
    ] = 1,
    body: Annotated[
        str | None,
        typer.Option("--body", metavar="text|json|xml|hex|ebcdic", help="How to show the body."),
    ] = None,
) -> None:
    """Show what an archive holds, or one of its messages.

    A message is found by the index, at once however large the archive is. Without ARCHIVE every
    archive of the folder is looked through.

    Examples:
        mqtriage archive show orders.ndjson
        mqtriage archive show orders.ndjson --msgid 414D5120514D31202020202020202020A1B2C3D4E5F60708
        mqtriage archive show --msgid 'ID:414D51*'
    """
    from mqtriage.operations import archive_reading
    from mqtriage.operations.archive_files import archives_in

    if msgid is None:
        if archive is None:
            raise UsageError("which archive?", hint="mqtriage archive ls shows those there are")
        app.emit(archive_reading.show(named(app, archive)))
        return
    from mqtriage.model.ids import parse_id

    form = None
    if body is not None:
        from mqtriage.messages.body_forms import check_form

        form = check_form(body)
    ident = parse_id(msgid, for_write=False, what="--msgid")
    app.say(ident.describe("message id"))
    archives = archives_in(app.archive_folder()) if archive is None else [named(app, archive)]
    told = "auto" if app.output.hex is None else "hex" if app.output.hex else "text"
    app.emit(
        archive_reading.show_message(archives, ident.value, msgid, nth=nth, form=told, body=form)
    )


@takes(Output)
def verify(
    app: AppContext,
    archives: Annotated[
        list[str] | None, typer.Argument(metavar="ARCHIVE...", help="Default: all of them.")
    ] = None,
) -> None:
    """Check that archives are what their writers left.

    Every line and digest is looked at, and every entry of the index. STATE is whole, unfinished
    (no last line) or damaged. Exit 4 when one is not whole.

    Examples:
        mqtriage archive verify
        mqtriage archive verify orders.ndjson
    """
    from mqtriage.cli.frame.exit_codes import ExitCode
    from mqtriage.operations.archive_files import archives_in
    from mqtriage.operations.archive_verify import verify as verify_archives

    if archives:
        paths = [named(app, archive) for archive in archives]
    else:
        paths = archives_in(app.archive_folder())
    listing = verify_archives(paths)
    app.emit(listing)
    if listing.summary["not_whole"]:
        app.note(ExitCode.FINDINGS)


@takes(Consent, Output)
def prune(
    app: AppContext,
    consent: Consent,
    archives: Annotated[
        list[str] | None, typer.Argument(metavar="ARCHIVE...", help="Default: all of them.")
    ] = None,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="30d", help="Files older than that.")
    ] = None,
    unfinished: Annotated[
        bool,
        typer.Option("--unfinished", help="Those without a last line too.", show_default=False),
    ] = False,
) -> None:
    """Remove archives for good.

    Age is that of the file. An archive stays that has no last line, or whose act can be resumed
    (mqtriage journal ls). What is removed cannot be restored, nor its act undone.

    Examples:
        mqtriage archive prune --older-than 90d --dry-run
        mqtriage archive prune --older-than 90d --yes
    """
    from mqtriage.cli.frame.act_flow import agreed
    from mqtriage.cli.frame.message_flow import journal_of
    from mqtriage.model.units import parse_duration_ms
    from mqtriage.operations.archive_prune import of_unfinished_acts, old_archives, plan_prune
    from mqtriage.operations.archive_prune import prune as remove

    if not archives and older_than is None:
        raise UsageError("which archives? name them, or give --older-than 90d")
    folder = app.archive_folder()
    paths = [named(app, archive) for archive in archives or ()]
    age_ms = None if older_than is None else parse_duration_ms(older_than, what="--older-than")
    old = old_archives(folder, paths, age_ms)
    needed = of_unfinished_acts(journal_of(app))
    plan, listing = plan_prune(folder, old, needed, unfinished=unfinished)
    if agreed(app, plan, consent):
        app.emit(remove(listing))
