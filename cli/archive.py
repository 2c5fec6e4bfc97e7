"""`mqtriage archive`: archives of messages; the work is in operations."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.inputs import named_archive, opened
from mqtriage.cli.frame.message_flow import load_file
from mqtriage.cli.frame.options import ConnectionOptions, Consent, Output, Safety
from mqtriage.cli.frame.selection import (
    BODY,
    GROUP,
    NTH,
    ArchivedSelection,
    CopiesAsTheyAre,
    body_form,
    read_selection,
)
from mqtriage.cli.frame.verb import takes
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import private_folder
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import (
    REQUIRED,
    argument,
    arguments,
    duration,
    flag,
    number,
    repeated,
    text,
)
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import Refused, UsageError

if TYPE_CHECKING:
    from mqtriage.messages.filters.selection import Selection
    from mqtriage.messages.stored_messages import Seal, Stored
    from mqtriage.model.result import Document, Listing
    from mqtriage.operations.archive.reading import Grouped
    from mqtriage.operations.archive.redaction import RedactionRequest

ARCHIVE = argument(
    "ARCHIVE", help="A file, or the name that archive ls shows.", completes="archive"
)
MAYBE_ARCHIVE = argument(
    "ARCHIVE",
    help="A file, or the name that archive ls shows. It can be anything that msg load reads.",
    default=None,
    completes="archive",
)


@takes(ArchivedSelection, Output)
def ls(
    app: AppContext,
    selection: ArchivedSelection,
    archive: str | None = MAYBE_ARCHIVE,
    msgid: str | None = text(
        metavar="ID", help="Show this message in full: 4 or more digits, HEX* or ID:HEX."
    ),
    since: str | None = text(
        metavar="2h|TIME",
        help="List only archives begun within this period, or since this time: yesterday.",
    ),
    until: str | None = text(metavar="2h|TIME", help="List only archives begun before this."),
    group: str | None = GROUP,
    limit: int | None = number(help="List or count only the first N.", minimum=1),
    nth: int | None = NTH,
    body: str | None = BODY,
) -> None:
    """List the archives, the messages in one, or show a message.

    STATE is whole or unfinished. In an unfinished archive, the closing line is missing, because the
    writer was stopped or is still running. AT is when it was begun, by the queue manager's clock,
    as is the time in its name; journal ls uses this machine's. --since and --until use AT, or the
    time of the file if the archive contains none. Archives are in the archive folder of
    MQTRIAGE_HOME. For a single archive, the summary counts messages that were removed from the
    queue, were backed out, or have no recorded outcome. Messages that the operation did not remove
    are not listed. Exits 3 if a message or line cannot be read, or is missing.

    It also lists the messages of the other files that msg load reads: the output of msg browse -o
    ndjson and of amqsbcg, the files of dmpmqmsg, and the folders of msg archive --each.

    With --msgid, it shows one message in full, or lists the messages if several MsgIds fit. The
    index makes this fast, no matter how large the archive is. Without ARCHIVE, it searches all
    archives in the folder, whichever queue manager they are from and which one is selected. It
    also accepts the MsgId that the sender of a delayed message got. journal ls --msgid lists what
    operations did to a message.

    Examples:
        mqtriage archive ls
        mqtriage archive ls --since 12h
        mqtriage archive ls orders.ndjson
        mqtriage archive ls orders.ndjson -o ids
        mqtriage archive ls orders.dump --where "format = 'MQSTR'" --limit 5
        mqtriage archive ls orders.dump --group put_appl
        mqtriage archive ls --msgid E5F60708
        mqtriage archive ls orders.ndjson --msgid 414D5120514D31202020202020202020A1B2C3D4E5F60708
    """
    if (archive is None or msgid is not None) and selection != ArchivedSelection():
        raise UsageError(
            "a selection is of the messages in one archive",
            hint="mqtriage archive ls ARCHIVE --where CONDITION",
        )
    if (archive is None or msgid is not None) and group is not None:
        raise UsageError(
            "--group counts the messages in one archive",
            hint=f"mqtriage archive ls ARCHIVE --group {shell_word(group)}",
        )
    if (archive is not None or msgid is not None) and (since or until):
        raise UsageError(
            f"{'--since' if since else '--until'}: only without ARCHIVE and --msgid",
            hint="mqtriage archive ls ARCHIVE --younger-than 2h selects messages by their age",
        )
    if msgid is not None:
        _show(app, msgid, archive, nth, body, limit)
        return
    if nth is not None or body is not None:
        raise UsageError(f"{'--body' if body else '--nth'}: only with --msgid, for one message")
    from mqtriage.cli.frame.selection import shows_detail
    from mqtriage.operations.archive.content import chosen_in
    from mqtriage.operations.archive.reading import ls as list_archives
    from mqtriage.operations.archive.reading import messages_in, messages_of

    if archive is None:
        folder = app.target.archive_folder()
        listing = list_archives(folder, _time(app, since, "--since"), _time(app, until, "--until"))
        app.output.emit(listing, limit=limit)
        return

    def warn(text: str) -> None:
        listing.warnings.append(text)  # so that JSON has it, too

    which = replace(read_selection(app, selection), warn=warn)
    chosen, watch = chosen_in(os.path.basename(archive), which, now_us())
    how: dict[str, Any] = {
        "detail": shows_detail(app),
        "chosen": chosen,
        "watch": watch,
        "skip": which.skip,
        "grouped": None if group is None else _grouped(group, limit),
    }
    with _archive_or_file(app, archive) as (path, stored, seal):
        if stored is None:
            listing = messages_of(path, seal, **how)
        else:
            listing = messages_in(path.name, stored, seal, **how)
        app.output.emit(listing, limit=limit if group is None else None)
    app.run.note_partly(seal.is_damaged)


def _grouped(group: str, limit: int | None) -> Grouped:
    """Counts messages by the fields that `--group` names, of the first *limit* messages."""
    from mqtriage.commands.msg.counts import groups_of, keys_of

    keys = keys_of(group, "--group")
    if any(key.field == "due_time" for key in keys):
        raise Refused("a file does not say when a staged message was due: group by put_time")
    return lambda messages: groups_of(islice(messages, limit), keys)


def _time(app: AppContext, given: str | None, what: str) -> int | None:
    """Where a period begins or ends."""
    from mqtriage.model.times import parse_since_us

    return None if given is None else parse_since_us(given, now_us(), what=what, say=app.run.remark)


@contextmanager
def _archive_or_file(
    app: AppContext, name: str
) -> Iterator[tuple[Path, Iterator[Stored] | None, Seal]]:
    """The archive, or what a file that is none holds of messages: see `msg load`."""
    from mqtriage.messages.stored_messages import Seal
    from mqtriage.operations.archive.files import is_archive

    seal = Seal()

    if name == "-" or os.path.isdir(name):
        path = Path(name)
    elif is_archive(path := named_archive(app, name)):
        yield path, None, seal
        return
    from mqtriage.operations.load.plan import read_stored  # of what an archive does not need

    with opened(app, str(path)) as file:
        yield path, read_stored(file, seal), seal


def _show(
    app: AppContext,
    msgid: str,
    archive: str | None,
    nth: int | None,
    body: str | None,
    limit: int | None,
) -> None:
    """Write one message in full, or a list where several MsgIds fit."""
    from mqtriage.model.ids import parse_id
    from mqtriage.operations.archive.files import archives_in
    from mqtriage.operations.archive.reading import show_message

    ident = parse_id(msgid, for_write=False, what="--msgid")
    app.run.say(ident.describe("message id"))
    how: dict[str, Any] = {"nth": nth, "form": body_form(app), "body": body}
    if archive is None:
        shown = show_message(archives_in(app.target.archive_folder()), ident, msgid, **how)
        _emit_found(app, shown, limit, app.target.chosen_names())
        return
    with _archive_or_file(app, archive) as (path, stored, _):
        _emit_found(app, show_message([path], ident, msgid, stored=stored, **how), limit, {})


def _emit_found(
    app: AppContext, shown: Document | Listing, limit: int | None, names: Mapping[str, str]
) -> None:
    """Write what was found; above it stands that it is a list, or of another queue manager."""
    from mqtriage.model.result import Listing

    if isinstance(shown, Listing):
        app.run.remark("several MsgIds fit; give more digits, or all 48, to show one message")
        app.output.emit(shown, limit=limit)
        return
    manager = shown.data["queue_manager"]
    if names and manager is not None and manager not in names:
        chosen = ", ".join(f"{name} ({by})" for name, by in names.items())
        app.run.remark(f"the message is from {manager}, not {chosen}; archive ls searches all")
    app.output.emit(shown)


@takes(Output)
def verify(
    app: AppContext,
    archives: tuple[str, ...] = arguments(
        "ARCHIVE...", help="Archives to verify. Default: all.", completes="archive"
    ),
) -> None:
    """Verify the integrity of archives.

    Checks every line, digest and index entry. STATE is whole, unfinished (no closing line),
    damaged, exposed (others can read it in the archive folder), or unused (according to the
    journal, the operation ended before anything was written). SHA256 (--wide) is the digest of
    the file, as sha256sum prints it. Exits 4 if an archive is unfinished, damaged or exposed. A
    copy elsewhere that others can read is a warning. Only archives can be verified; archive ls
    reads the other files that contain messages.

    Examples:
        mqtriage archive verify
        mqtriage archive verify orders.ndjson
    """
    from mqtriage.cli.frame.recording import journal_of
    from mqtriage.operations.archive.files import archives_in, refuse_other_files
    from mqtriage.operations.archive.verify import verify as verify_archives
    from mqtriage.operations.ledger import archive_prune

    folder = app.target.archive_folder()
    if archives:
        paths = [named_archive(app, archive) for archive in archives]
        refuse_other_files(paths)
    else:
        paths = archives_in(folder)
    unused = archive_prune.unused(journal_of(app), paths)
    listing = verify_archives(paths, unused, private=folder)
    app.output.emit(listing)
    app.run.note_findings(listing.summary["not_whole"])


OUT = text(
    help="File to create. Default: a file in the archive folder.", completes="file", reads="place"
)
COMPRESS = flag(help="Compress the archive. This is the default if --out ends in .gz.")


def new_path(app: AppContext, out: str | None, action: str, of: Path, *, compress: bool) -> Path:
    """Where a new archive made of *of* goes."""
    from mqtriage.operations.archive.writing import unused_path

    if out is None:
        stem = f"{of.name.partition('.ndjson')[0]}-{action}"
        folder = app.target.archive_folder()
        with storage_errors(f"archive folder {folder}"):
            private_folder(folder)
        return unused_path(folder, stem, ".ndjson.gz" if compress else ".ndjson")
    if compress and not out.endswith(".gz"):
        raise UsageError(
            f"--compress: {out} does not end in .gz", hint=f"--out {shell_word(f'{out}.gz')}"
        )
    return Path(out)


def now_us() -> int:
    """The time of this machine: an archive is read without a queue manager."""
    return time.time_ns() // 1_000


@takes(SelectionOptions, Output)
def copy(
    app: AppContext,
    selection: SelectionOptions,
    archives: tuple[str, ...] = arguments(
        "ARCHIVE...", help="Archives to copy.", default=REQUIRED, completes="archive"
    ),
    out: str | None = OUT,
    compress: bool = COMPRESS,
    key_file: str | None = text(
        help="Redact the copy, using the key in this file for the hashes.", completes="file"
    ),
    mask: tuple[str, ...] = repeated(
        metavar="PATH",
        help="Values in bodies, or prop.NAME, to replace with ***.",
        completes="file",
    ),
    hashed: tuple[str, ...] = repeated(
        "--hash",
        metavar="PATH",
        help="Values in bodies, or prop.NAME, to replace with hashes.",
        completes="file",
    ),
    no_bodies: bool = flag(help="Omit message data."),
    keep_bodies: bool = flag(help="Keep message data unchanged."),
) -> None:
    """Copy selected messages from archives, or redact them.

    From an operation's archive, it copies only the messages that the operation removed. Without a
    selection, it copies all of them, so you can also use it to compress or combine archives. Exits
    3 if messages of an archive are damaged or missing, and therefore not in the copy. Ages are
    measured against this machine's clock.

    With --key-file, MsgId, CorrelId, GroupId, user, accounting token and identity data are replaced
    by HMACs. Equal values stay equal, so you can still match them, even between archives with the
    same key. Examples of paths are $.card.number, $.items[*].iban, $..iban, /order/card, //card and
    //@id. A body that is neither JSON nor XML, or for which you give no path, is masked completely.
    A masked number or boolean in a property becomes 0, because the property keeps its type. A
    warning lists the body fields and properties that stay readable. If a path changes nothing, the
    exit code is 3.

    The key must be readable only by you, and should have 16 bytes or more:
    (umask 077; head -c 32 /dev/urandom > key) creates one.

    Examples:
        mqtriage archive copy purge-ORDERS.BO.ndjson --where "body.customer = 42"
        mqtriage archive copy a.ndjson b.ndjson --out both.ndjson.gz
        mqtriage archive copy orders.ndjson --key-file key --mask '$..iban' --hash '$.customer'
        mqtriage archive copy orders.ndjson --key-file key --mask //card --out safe.ndjson.gz
        mqtriage archive copy orders.ndjson --key-file key --no-bodies
    """
    if key_file is None and (mask or hashed or no_bodies or keep_bodies):
        raise UsageError(
            "a redacted copy needs --key-file, which contains the key for the hashes",
            hint="--key-file FILE; without it, the copy contains all the data in the archives",
        )
    which = read_selection(app, selection)
    paths = [named_archive(app, archive) for archive in archives]
    if key_file is None:
        from mqtriage.operations.archive.filter import filter_archives

        to = new_path(app, out, "copy", paths[0], compress=compress)
        document, left_out = filter_archives(paths, which, to, now_us())
        app.output.emit(document)
        app.run.note_empty(document.data["message_count"])
        app.run.note_partly(left_out.is_partial)
        return
    from mqtriage.operations.archive.redaction import read_chosen

    request = read_chosen(mask, hashed, no_bodies=no_bodies, keep_bodies=keep_bodies)
    to = new_path(app, out, "redacted", paths[0], compress=compress)
    _redact(app, paths, which, to, key_file, request)


def _redact(
    app: AppContext,
    paths: list[Path],
    which: Selection,
    to: Path,
    key_file: str,
    request: RedactionRequest,
) -> None:
    """Write the redacted copy, and say which wishes had no effect."""
    from mqtriage.commands.snapshot.take import digest_key
    from mqtriage.operations.archive.filter import redact_archives

    key = digest_key(Path(key_file), app.run.warn)
    document, chosen, left_out = redact_archives(paths, which, to, now_us(), key, request)
    without_effect = [sentence for one in chosen if (sentence := one.without_effect)]
    for sentence in without_effect:
        app.run.warn(sentence)
    for sentence in filter(None, (one.coverage for one in chosen)):
        app.run.remark(sentence)
    app.output.emit(document)
    if without_effect:
        app.run.say(
            f"{to} may still contain values that you meant to hide: correct the paths, or omit them"
        )
    app.run.note_partly(without_effect or left_out.is_partial)


@takes(SelectionOptions, Safety, ConnectionOptions, Output)
def restore(
    app: AppContext,
    selection: SelectionOptions,
    safety: Safety,
    *,
    archive: str = ARCHIVE,
    to: str | None = text(
        help="Queue to put the messages on. Default: the queue that they came from.",
        completes="queue",
    ),
    skip_damaged: bool = flag(help="Restore the undamaged part of a damaged file."),
    copies: CopiesAsTheyAre,
) -> None:
    """Put archived messages back on their queue.

    Messages keep their ids, context (including the put time) and remaining lifetime. A message that
    is already on the queue is skipped, so you can safely repeat a restore. Messages that the
    archived operation did not remove are skipped too.

    Examples:
        mqtriage archive restore purge-ORDERS.BO.ndjson --dry-run
        mqtriage archive restore purge-ORDERS.BO.ndjson --yes
        mqtriage archive restore orders.ndjson --where "priority > 5" --to ORDERS.RETRY --yes
    """
    from mqtriage.operations.archive.files import held
    from mqtriage.operations.load.restore import restore_request

    copy = copies.options(safety.reports, app.run.remark)
    which = read_selection(app, selection)
    path = named_archive(app, archive)
    with held([path]), opened(app, str(path)) as file, app.target.open_backend() as backend:
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
        load_file(app, backend, safety, request)


@takes(Consent, Output)
def prune(
    app: AppContext,
    consent: Consent,
    archives: tuple[str, ...] = arguments(
        "ARCHIVE...", help="Archives to remove. Default: all.", completes="archive"
    ),
    older_than: int | None = duration(metavar="30d", help="Remove only files older than this."),
    unfinished: bool = flag(help="Also remove unfinished archives."),
) -> None:
    """Remove archives permanently.

    An archive is as old as its file. The command keeps an archive without a closing line,
    unless its operation ended before it wrote anything. It also keeps an archive whose operation
    can be resumed (mqtriage journal ls), and files that are not archives. Once an archive is
    removed, you can neither restore it nor undo its operation.

    Examples:
        mqtriage archive prune --older-than 90d --dry-run
        mqtriage archive prune --older-than 90d --yes
    """
    from mqtriage.cli.frame.act_flow import agreed
    from mqtriage.cli.frame.recording import journal_of
    from mqtriage.operations.archive.files import refuse_other_files
    from mqtriage.operations.ledger import archive_prune

    if not archives and older_than is None:
        raise UsageError("which archives? name them, or give --older-than 90d")
    folder = app.target.archive_folder()
    paths = [named_archive(app, archive) for archive in archives]
    refuse_other_files(paths)
    old = archive_prune.old_archives(folder, paths, older_than)
    journal = journal_of(app)
    needed, empty = archive_prune.of_unfinished_acts(journal), archive_prune.unused(journal, old)
    plan, listing = archive_prune.plan_prune(folder, old, needed, empty, unfinished=unfinished)
    if agreed(app, plan, consent):
        app.output.emit(archive_prune.prune(listing))
