"""`mqtriage journal ls|show|undo|resume|verify|prune`: what was done, after the fact."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from heapq import merge
from itertools import chain, islice
from operator import itemgetter
from typing import IO, TYPE_CHECKING

from mqtriage.backends.registry import readonly, refuse_acts
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.message_flow import (
    act_on_messages,
    operation_of,
    refuse_unarchived,
)
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Consent, Output
from mqtriage.cli.frame.recording import journal_of
from mqtriage.cli.frame.verb import takes
from mqtriage.model.ids import looks_like_id
from mqtriage.model.options import argument, arguments, duration, flag, number, text
from mqtriage.model.output_forms import FOR_SCRIPTS, PLAIN, TABLE
from mqtriage.model.result import Listing, Record, Report
from mqtriage.model.shell_words import shell_line, shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.errors import NotFound, Refused, UsageError

if TYPE_CHECKING:
    from mqtriage.operations.ledger.changes import StoredChange
    from mqtriage.operations.ledger.journal import ChosenOperations, Journal

OP = argument(
    "ID",
    help="Operation id, its first characters, or its last 4 or more. Default: the last operation.",
    default=None,
    completes="operation",
)
RESUMED = argument(
    "ID",
    help="Operation id, its first characters, or its last 4 or more. Default: the interrupted one.",
    default=None,
    completes="operation",
)
OPS = arguments(
    "ID...",
    help="Operation ids, or words as for journal ls. Default: all.",
    completes="operation",
)
LIMIT = number(help="List only the newest N.", minimum=1)
SINCE = text(
    metavar="2h|TIME",
    help="Select only operations that started within this period, or since this time: yesterday.",
)
UNTIL = text(metavar="2h|TIME", help="Select only operations that started before this.")
_MOST_NAMED = 5
_NO_HISTORY = (
    "no operation on this message; puts and sweeps are recorded without MsgIds: mqtriage journal ls"
    " put QUEUE lists the puts, and mqtriage archive ls --msgid ID searches the archives; what"
    " applications get is not recorded: mqtriage queue status QUEUE --handles shows which ones read"
)


def _chosen(
    app: AppContext,
    limit: int | None,
    since: str | None,
    until: str | None = None,
    *,
    messages: bool = False,
) -> ChosenOperations:
    """The operations that `--limit`, `--since` and `--until` choose, of all queue managers."""
    from mqtriage.model.times import parse_since_us
    from mqtriage.operations.ledger.journal import ChosenOperations

    def began_ms(given: str | None, what: str) -> int | None:
        if given is None:
            return None
        now_us = time.time_ns() // 1_000
        return parse_since_us(given, now_us, what=what, say=app.run.remark) // 1_000

    first_ms, end_ms = began_ms(since, "--since"), began_ms(until, "--until")
    return ChosenOperations(None, first_ms, limit, messages, end_ms)


def _searched(names: Mapping[str, str], since: str | None = None, until: str | None = None) -> str:
    """`` on DEMO (MQTRIAGE_QMGR) with --since 2h``: which operations are chosen, and by what."""
    whose = f" on {', '.join(names)} ({', '.join(dict.fromkeys(names.values()))})" if names else ""
    period = {"--since": since, "--until": until}
    words = [f"{option} {shell_word(text)}" for option, text in period.items() if text]
    return f"{whose}{' with ' if words else ''}{' '.join(words)}"


def _emit_chosen(
    app: AppContext,
    listing: Listing,
    names: Mapping[str, str],
    searched: str,
    words: tuple[str, ...] = (),
    nothing: str = "",
) -> None:
    """Write a listing of operations; where it is empty, say which ones were chosen.

    Args:
        searched: the queue managers and the period, as `_searched` has them.
        nothing: what is said then of a listing that nobody chose words for.
    """
    items = iter(listing.items)
    first = list(islice(items, 1))
    empty = nothing or "nothing to list"
    if searched and not first:
        empty = ""
        none = nothing or ("no such operation" if words else "no operation")
        every = "; -m '*' selects all queue managers" if names else ""
        app.run.say(f"{none}{searched}{every}")
    if not first:
        app.run.say(f"searched the journal in {journal_of(app).folder}")
    if not first and (ids := list(filter(looks_like_id, words))):
        app.run.say(f"for operations on a message: mqtriage journal ls --msgid {ids[0]}")
    elif not first and words:
        app.run.say(
            "each word must match an action, queue, user, state or ticket;"
            " quote two: 'nothing done'"
        )
    app.output.emit(replace(listing, items=chain(first, items)), empty=empty)


def _waiting(app: AppContext, journal: Journal) -> str | None:
    """The one operation that waits to be resumed, None where there is none."""
    from mqtriage.operations.ledger.entries import waiting

    entries = waiting(journal, app.target.settings.text("qmgr"))
    if len(entries) > 1:
        listed = [
            f"{entry.op} ({entry.action} {entry.queue or ''} at {entry.queue_manager},"
            f" {entry.done} of {entry.planned} done)"
            for entry in entries[:_MOST_NAMED]
        ]
        others = len(entries) - len(listed)
        more = f" and {others} more" if others else ""
        raise UsageError(
            f"{len(entries)} operations can be resumed: {', '.join(listed)}{more}",
            hint="name one; mqtriage journal prune ID --unfinished removes one permanently",
        )
    return entries[0].op if entries else None


@takes(Connections, Output)
def ls(
    app: AppContext,
    words: tuple[str, ...] = arguments(
        "WORD...",
        help="Action, queue, user, state or ticket, such as purge, CHG4711.",
        default=(),
    ),
    limit: int | None = LIMIT,
    since: str | None = SINCE,
    until: str | None = UNTIL,
    msgid: str | None = text(
        metavar="ID",
        help="List what operations did to this message: 4 or more digits, or ID:HEX.",
    ),
) -> None:
    """List changes and who made them, newest first.

    With several words, it lists operations that match each of them by action, queue, target,
    changed object, user, state or ticket. Lists operations on messages, changes to definitions
    (queue, backout set, delay define, apply, mqsc), puts and sweeps. If -m, MQTRIAGE_QMGR or a
    context chooses a queue manager, it lists only operations on it; -m '*' lists all. --wide and -o
    json add the command line and the error. DONE includes the PARKED messages. The journal never
    contains passwords or message data.

    STATE is done, interrupted (by a signal), stopped (by an error), cut (the process ended, or is
    still running) or nothing done. You can resume an operation on messages that is not finished.
    STATE is undone if journal undo reversed everything, and partly undone if some of it remains. An
    undo is superseded if it was interrupted and a later one completed it. Other changes can also
    have the state failed or partly done. ERROR shows why.

    With --msgid, it lists the history of one message: each operation that planned to move or remove
    it, and what became of it. BEGAN is always from this machine's clock; QMGR_TIME, which --wide
    shows, is from the queue manager's. If several MsgIds fit, it lists the history of each. It also
    accepts the MsgId that the sender of a delayed message got, and follows copies with a new MsgId.
    archive ls --msgid shows the message itself. Puts and sweeps are recorded without MsgIds, so
    --msgid does not find them. journal ls put QUEUE lists the puts.

    Examples:
        mqtriage journal ls -m QM1 --since 2h
        mqtriage journal ls purge 'ORDERS.*'
        mqtriage journal ls --msgid E5F60708
        mqtriage journal ls --since 2026-11-28 --until 2026-11-29
        mqtriage journal ls -o ids
    """
    from mqtriage.operations.ledger.entries import ls as list_entries

    for word in words:
        if looks_like_id(word) and not word.isalnum():  # no name of a queue or user
            raise UsageError(
                f"{word}: the end of a MsgId, not an action, queue, user, state or ticket",
                hint=f"mqtriage journal ls --msgid {shell_word(word)}",
            )
    journal, chosen = journal_of(app), _chosen(app, None if words else limit, since, until)
    names = app.target.chosen_names()
    searched = _searched(names, since, until)
    of_each = [chosen._replace(queue_manager=name) for name in names] or [chosen]
    if msgid is not None:
        listings = _histories(app, journal, msgid, of_each)
    else:
        several = len(names) != 1
        listings = [list_entries(journal, one, several=several) for one in of_each]
        _say_without(app, listings, list(names), _searched({}, since, until))
    named = islice(_with_words(journal, listings, words), limit)
    if msgid is not None:
        history = list(named)
        if not history:
            app.run.say(_NO_HISTORY)
            if searched:
                every = "; -m '*' selects all queue managers" if names else ""
                app.run.say(f"searched only operations{searched}{every}")
        app.output.emit(replace(listings[0], items=history), empty="")
        return
    _emit_chosen(app, replace(listings[0], items=named), names, searched, words)


def _say_without(app: AppContext, listings: list[Listing], names: list[str], period: str) -> None:
    """Name those of several queue managers that have no operation, where others have one."""
    without = []
    for name, listing in zip(names, listings, strict=False):
        rows = iter(listing.items)
        first = list(islice(rows, 1))
        listing.items = chain(first, rows)
        if not first:
            without.append(name)
    if 0 < len(without) < len(names):
        app.run.say(f"no operation on {', '.join(without)}{period}")


def _histories(
    app: AppContext, journal: Journal, msgid: str, of_each: list[ChosenOperations]
) -> list[Listing]:
    """What operations did to one message, at each queue manager."""
    from mqtriage.model.ids import parse_id
    from mqtriage.operations.ledger.message_history import matching_ids, message_history

    ident = parse_id(msgid, for_write=False, what="--msgid")
    app.run.say(ident.describe("message id"))
    histories = [message_history(journal, ident, one._replace(limit=None)) for one in of_each]
    of_each_rows = [list(history.items) for history in histories]
    if (several := len(matching_ids(chain(*of_each_rows), ident))) > 1:
        app.run.remark(f"{several} MsgIds fit; give more digits, or all 48, for one message")
    return [replace(histories[0], items=rows) for rows in of_each_rows]


def _with_words(
    journal: Journal, listings: list[Listing], words: tuple[str, ...]
) -> Iterator[Record]:
    """The rows of all listings that have each of the words, the newest operation first."""
    from mqtriage.operations.ledger.entries import changed_names, has_word

    for row in merge(*(one.items for one in listings), key=itemgetter("op"), reverse=True):
        names = changed_names(journal, row["op"]) if words else []
        if all(has_word(row, word, names) for word in words):
            yield row


@takes(ConnectionOptions, Output)
def show(
    app: AppContext,
    op: str | None = OP,
    messages: bool = flag(help="List the operation's messages."),
) -> None:
    """Show an operation: what was requested, and what happened.

    Shows ids and digests of the messages, but never their data. For a change to definitions, it
    shows the commands, the old and new values, and the reverse script. -o mqsc prints only that
    script. Times are from this machine's clock. Names of archives, and times in them, are from
    the queue manager's clock.

    Examples:
        mqtriage journal show
        mqtriage journal show 01KAJ7 -o mqsc > back.mqsc
        mqtriage journal show 01KAJ7 --messages -o ndjson
    """
    from mqtriage.operations.ledger import entries as journal_entries

    journal = journal_of(app)
    on_messages = messages and op is None  # the last one that has any
    entry = journal.find(op, app.target.settings.text("qmgr"), messages=on_messages)
    if messages:
        empty = "nothing to list"
        if not journal.is_on_messages(entry):
            empty, action = "", journal_entries.entry_record(journal, entry).action
            app.run.say(
                f"operation {entry} ({action}) has no planned messages;"
                f" mqtriage journal show {entry} shows what it did"
            )
        app.output.emit(journal_entries.messages(journal, entry), empty=empty)
        return
    shown = journal_entries.show(journal, entry)
    app.output.emit(shown)
    if shown.data["archives"] and app.output.form == TABLE and app.run.terminals.stdout:
        app.run.say(f"mqtriage journal verify {entry} proves it, with the SHA-256 of the archives")


@takes(Consent, ConnectionOptions, Output)
def undo(
    app: AppContext,
    consent: Consent,
    op: str | None = OP,
    allow_reports: bool = flag(
        help="Continue even if getting a copy sends a report to its sender."
    ),
    batch: int | None = number(help="Messages per unit of work.", minimum=1),
    rate: str | None = text(
        metavar="N/s", help="Process at most this many messages per second: 20/s, 600/m."
    ),
    expiry: str = text(
        help="Lifetime: what would be left now, or what was left when they were removed.",
        default="remaining",
        show_default=False,
        choices=("remaining", "original"),
    ),
    unknown: bool = flag(
        help='Also put back messages that are reported as "gone, outcome unknown".'
    ),
) -> None:
    """Undo an operation as far as possible.

    Puts purged messages back from the archive with MsgId, CorrelId and context, and moves messages
    back if they are still on the target. It does not put a message back if it is already on the
    queue. It lists every message that it cannot restore. An undo is an operation like any other: it
    asks for confirmation, writes an archive, and can be resumed. It uses the operation's connection
    unless you give connection options. If -m, MQTRIAGE_QMGR or a context chooses a queue manager,
    the default is the last operation on it. For a change to definitions, it plans, rehearses and
    runs the reverse script, as apply does. It refuses to run if the objects have changed since. You
    cannot undo a put, a sweep, a CLEAR, or the deletion of a queue together with its messages.

    Examples:
        mqtriage journal undo --dry-run
        mqtriage journal undo 01KAJ7 --yes
        mqtriage journal undo --expiry original --yes
    """
    from mqtriage.model.units import parse_rate
    from mqtriage.operations.ledger.changes import read_change
    from mqtriage.operations.recovery import undo as journal_undo

    journal = journal_of(app)
    is_last = op is None
    op = operation_of(app, journal, op)
    change = read_change(journal, op)
    if change is not None:
        if unknown or batch or rate or allow_reports or expiry == "original":
            raise UsageError(
                f"operation {op} did not remove any messages, so this option does not apply"
            )
        _undo_change(app, journal, op, consent, change, is_last=is_last)
        return
    with app.target.open_backend() as backend:
        refuse_acts(backend, f"undo {op}")
        what = journal_undo.plan_undo(
            readonly(backend),
            journal,
            op,
            archive=app.target.archive_folder(),
            as_taken=expiry == "original",
            unknown=unknown,
            allow_reports=allow_reports,
            batch=batch,
            rate_per_s=None if rate is None else parse_rate(rate, what="--rate"),
        )
        what.plan.is_released = True
        if any(part.queue for part in what.stored.parts):  # it takes messages off
            app.target.writable_archive_folder()
        act_on_messages(
            app, what.plan, consent, lambda context: journal_undo.undo(backend, what, context)
        )
        app.run.note_partly(what.stay and (consent.dry_run or not what.plan.count))


def _undo_change(
    app: AppContext,
    journal: Journal,
    op: str,
    consent: Consent,
    change: StoredChange,
    *,
    is_last: bool,
) -> None:
    """Run the reverse script; where the last change cannot be undone, name the last that can be."""
    from mqtriage.cli.frame.definition_flow import apply_plan
    from mqtriage.operations.recovery.changes import plan_undo_change, refuse_final
    from mqtriage.operations.recovery.undo import hint_of_undoable

    try:
        refuse_final(op, change)
    except Refused as error:
        if not is_last:
            raise
        real = app.target.backend_kind != "emulator"
        queue_manager, _ = journal.called(op)
        hint = hint_of_undoable(journal, queue_manager, error.hint, {change.name}, real=real)
        raise Refused(error.text, hint=hint, object_name=op) from None
    with app.target.open_backend() as backend:
        planned = plan_undo_change(readonly(backend), op, change)
        apply_plan(app, backend, planned, consent, undoes=op, act_name=change.action)


@takes(Consent, ConnectionOptions, Output)
def resume(
    app: AppContext,
    consent: Consent,
    op: str | None = RESUMED,
    file: str | None = text(
        help="For a load: the file that now contains its messages.", completes="file"
    ),
    rate: str | None = text(
        metavar="N/s", help="New maximum rate at which to process messages, such as 20/s or 600/m."
    ),
) -> None:
    """Resume an interrupted operation.

    Use it after a crash, a lost connection or Ctrl-C. Without an ID, it resumes the interrupted
    operation, even if other operations followed. If -m, MQTRIAGE_QMGR or a context chooses a queue
    manager, only operations on it count. If several were interrupted, specify one of them. Exits 9
    if there is nothing to resume. It refuses to resume an operation that was undone or partly
    undone.

    The source queue is authoritative: resume processes the messages that are still on it as
    planned, and puts nothing from the archive. A message that is no longer there counts as done if
    the journal or the target proves it. Otherwise, it is "gone, outcome unknown" (exit 3). A load
    continues from the same file and puts nothing twice. For a load from standard input, give the
    data again with --file. Resume uses the operation's connection, unless you give other options.
    For apply, and for an undo of definitions, the journal records each command as soon as it is
    done. Resume reports how many commands are done, checks on the queue manager whether the current
    one ran, and runs the rest.

    Examples:
        mqtriage journal resume --yes
        mqtriage journal resume 01KAJ7 --dry-run
        mqtriage journal resume --rate 20/s --yes
    """
    from mqtriage.operations.ledger.changes import read_change

    journal = journal_of(app)
    if op is None and (op := _waiting(app, journal)) is None:
        _say_nothing_waits(app, journal)
        return
    op = operation_of(app, journal, op)
    change = read_change(journal, op)
    if change is not None and (rest := _rest_of_put(journal, op)) is not None:
        show = f"mqtriage journal show {op} shows the command"
        raise UsageError(f"operation {op} (put): {rest}", hint=show, object_name=op)
    if change is None:
        _resume_messages(app, journal, op, consent, file, rate)
    elif file is not None:
        raise UsageError(f"--file {file}: operation {op} is not a load")
    else:
        _resume_change(app, journal, op, consent, change)


def _say_nothing_waits(app: AppContext, journal: Journal) -> None:
    names = app.target.chosen_names()
    app.run.say(f"nothing to resume: no operation{_searched(names)} was interrupted")
    last = journal.last(next(iter(names), None))
    if last is not None and not journal.is_planned(last):
        app.run.say(f"operation {last} was interrupted during planning: run its command again")
    elif last is not None and (rest := _rest_of_put(journal, last)) is not None:
        app.run.say(f"operation {last} (put): {rest}")
        if others := _other_puts(journal, last):
            app.run.say(others)
    if app.output.form in FOR_SCRIPTS:
        app.output.emit(Report("ResumeReport", "resume", "", changed=False))
    app.run.note(ExitCode.NOTHING_MATCHED)


def _rest_of_put(journal: Journal, op: str) -> str | None:
    """What to do about the messages that a put did not send; None where there are none."""
    from mqtriage.commands.msg.put import not_sent
    from mqtriage.operations.ledger.entries import entry_record

    entry = entry_record(journal, op)
    if entry.action != "put":
        return None
    if entry.in_doubt:
        queue = shell_word(entry.queue or "")
        return (
            f"{count_text(entry.in_doubt)} may or may not be on {queue}: check before you run the"
            " command again; journal resume does not put messages"
        )
    if not entry.left or entry.planned is None:
        return None
    several = (entry.command or "").count(" --file") > 1
    return not_sent(entry.left, entry.planned, whole=several)


def _other_puts(journal: Journal, op: str) -> str:
    """What lists the puts on that queue that left messages unsent; "" where it is the only one."""
    from mqtriage.operations.ledger.entries import entry_record
    from mqtriage.operations.ledger.entries import ls as list_entries
    from mqtriage.operations.ledger.journal import ChosenOperations

    entry = entry_record(journal, op)
    words = ("put", entry.queue or "")
    listing = list_entries(journal, ChosenOperations(entry.queue_manager))
    named = _with_words(journal, [listing], words)
    rows = [row for row in named if row["action"] == "put" and row["left"]]
    if len(rows) < 2:
        return ""
    states = {row["state"] for row in rows}
    words = (*words, *states) if len(states) == 1 else words
    command = " ".join(map(shell_word, ("journal", "ls", *words, "-m", entry.queue_manager)))
    unsent = count_text(sum(row["left"] for row in rows))
    return f"{len(rows)} puts on {entry.queue} left {unsent} not sent: mqtriage {command}"


def _resume_change(
    app: AppContext, journal: Journal, op: str, consent: Consent, change: StoredChange
) -> None:
    """Run the commands of a change that did not run."""
    from mqtriage.cli.frame.definition_flow import apply_plan
    from mqtriage.operations.recovery.changes import plan_resume_change, settle_change

    with app.target.open_backend() as backend:
        planned = plan_resume_change(readonly(backend), journal, op, change)
        if apply_plan(app, backend, planned, consent, resumes=op):
            settle_change(backend, journal, op, change)
            app.run.say(f"operation {op}: all {change.count} commands have been run")


def _resume_messages(
    app: AppContext, journal: Journal, op: str, consent: Consent, file: str | None, rate: str | None
) -> None:
    """Act on the messages that are still where they were."""
    from mqtriage.cli.frame.inputs import opened
    from mqtriage.model.units import parse_rate
    from mqtriage.operations.recovery import resume as journal_resume

    with app.target.open_backend() as backend:
        refuse_acts(backend, f"resume {op}")
        rate_per_s = None if rate is None else parse_rate(rate, what="--rate")
        what = journal_resume.plan_resume(readonly(backend), journal, op, rate_per_s)
        refuse_unarchived(app, what.known.plan.request)
        journal_resume.refuse_file(what, file)
        if what.plan.count and what.known.plan.request.archive is not None:
            what.archive_in(app.target.writable_archive_folder())

        def read() -> AbstractContextManager[IO[bytes]]:
            return opened(app, journal_resume.file_of(what, file))

        what.plan.is_released = True
        act_on_messages(
            app,
            what.plan,
            consent,
            lambda context: journal_resume.resume(backend, journal, what, context, read),
        )
        if not consent.dry_run and journal_resume.finish(journal, what):
            app.run.say(f"operation {what.known.op} is done: only its last entry was missing")


@takes(Connections, Output)
def verify(
    app: AppContext,
    ops: tuple[str, ...] = OPS,
    limit: int | None = LIMIT,
    since: str | None = SINCE,
    until: str | None = UNTIL,
) -> None:
    """Prove that nothing was lost: gets = puts + archived.

    Checks the MsgId and digest of each message against the plan, the log and the archive, and each
    archive against the digests that the journal recorded when it was written. For a load or a copy,
    it checks each put against the plan. Exits 4 if an operation is not proven. For a put or a
    change to definitions, the verdict is "no messages": it has no planned messages to prove. For a
    sweep, it is "not provable": expired messages leave no record.
    A change that cleared a queue, or deleted it with its messages, is not proven, because no
    archive contains them.
    ARCHIVED does not include messages that were put: PUT_AND_ARCHIVED counts those of them that are
    in the archive too. An operation stays proven after an undo: STATE is then undone or partly
    undone. With one ID, it prints the evidence for an auditor: who did what, when and
    by which command, the counts, and the SHA-256 of each archive, all verified now. In JSON, the
    answer is a list (`items`), even with one ID.

    Examples:
        mqtriage journal verify
        mqtriage journal verify 01KAJ7
        mqtriage journal verify 01KAJ7 -o json | jq -r '.items[].verdict'
        mqtriage journal verify purge --since 12h -o json
        mqtriage journal verify --since 2026-11-01 --until 2026-12-01
    """
    from mqtriage.mq.times import rfc3339
    from mqtriage.operations.ledger.entries import entry_record
    from mqtriage.operations.ledger.verify import evidence, to_prove
    from mqtriage.operations.ledger.verify import verify as verify_entries

    journal = journal_of(app)
    chosen = _chosen(app, limit, since, until, messages=True)
    names = app.target.chosen_names()
    of_each = [chosen._replace(queue_manager=name) for name in names] or [chosen]
    searched = _searched(names, since, until)
    named = _named(journal, ops, of_each, searched)
    names = {} if named else names
    if len(names) > 1:
        several = (to_prove(journal, one) for one in of_each)
        every = sorted(chain.from_iterable(several))  # an id begins with its time
        ops_to_prove = every if limit is None else every[-limit:]
    else:
        ops_to_prove = named or to_prove(journal, of_each[0])
    listing = verify_entries(journal, ops_to_prove, several=len(names) != 1)
    output = app.output.options
    as_listing = output.columns or output.sort or output.wide
    if len(named) == 1 and app.output.form in (TABLE, PLAIN) and not as_listing:
        (record,) = listing.items
        done = entry_record(journal, record["op"]).done
        app.output.emit(evidence(record, rfc3339(time.time_ns() // 1_000), done))
    else:
        _emit_chosen(app, listing, names, searched, nothing="no operation to verify")
    if not named and len(names) < 2:
        _count_unverified(app, journal, of_each[0])
    app.run.note_findings(listing.summary["not_proven"])


def _named(
    journal: Journal, words: tuple[str, ...], of_each: list[ChosenOperations], searched: str
) -> list[str]:
    """The operations with these ids; where one is no id, those that `ls` lists for the words."""
    from mqtriage.operations.ledger.entries import ls as list_entries
    from mqtriage.operations.ledger.verify import to_prove

    try:
        return [journal.find(op) for op in words]
    except NotFound as error:
        every = [one._replace(limit=None, messages=False) for one in of_each]
        proven = set(chain.from_iterable(to_prove(journal, one) for one in every))
        rows = _with_words(journal, [list_entries(journal, one) for one in every], words)
        named = (str(row["op"]) for row in rows if row["op"] in proven)
        ops = list(islice(named, of_each[0].limit))
        if not ops and searched:
            line = shell_line(["mqtriage", "journal", "ls", *words, "-m", "*"])
            hint = error.hint if any(map(looks_like_id, words)) else f"{line} lists all of them"
            raise NotFound(f"no operation {' '.join(words)}{searched}", hint=hint) from error
        if not ops:
            raise
        return ops[::-1]


def _count_unverified(app: AppContext, journal: Journal, chosen: ChosenOperations) -> None:
    """Say how many operations have nothing to prove, back to the first that is listed."""
    from mqtriage.operations.ledger.entries import entry_record
    from mqtriage.operations.ledger.verify import last_sweep, to_prove

    listed = to_prove(journal, chosen)
    first = listed[0] if listed and chosen.limit else ""  # an id begins with its time
    every = journal.ops(chosen._replace(messages=False, limit=None))
    others = sum(op >= first for op in every) - len(listed)
    if others:
        counted = count_text(others, "operation")
        last = ""
        if chosen.limit and (newest := max(every)) not in listed[-1:]:
            entry = entry_record(journal, newest)
            last = f"; the last one is {entry.action} {entry.queue or ''}".rstrip()
            last += f" at {entry.queue_manager}"
        if (swept := last_sweep(journal, chosen)) and swept >= first:
            last += (
                f"; by how much the last sweep lowered CURDEPTH: mqtriage journal verify {swept}"
            )
        app.run.say(f"not listed: {counted} without planned messages (changes, puts, sweeps){last}")


@takes(Consent, Output)
def prune(
    app: AppContext,
    consent: Consent,
    ops: tuple[str, ...] = arguments(
        "ID...",
        help="Operation ids. Default: those selected by --older-than.",
        completes="operation",
    ),
    older_than: int | None = duration(
        metavar="30d", help="Remove only operations that started longer ago than this."
    ),
    unfinished: bool = flag(help="Also remove operations that can be resumed."),
) -> None:
    """Remove operations from the journal permanently.

    You can no longer undo, resume or prove the removed operations, and their requeues no longer
    count towards --max-requeues. The archives stay; archive prune removes them.

    Examples:
        mqtriage journal prune --older-than 90d --dry-run
        mqtriage journal prune --older-than 90d --yes
    """
    from mqtriage.cli.frame.act_flow import agreed
    from mqtriage.operations.ledger import entries as journal_entries

    if not ops and older_than is None:
        raise UsageError("which operations? name them, or give --older-than 90d")
    journal = journal_of(app)
    named = [journal.find(op) for op in ops]
    plan, gone, stay = journal_entries.plan_prune(journal, named, older_than, unfinished=unfinished)
    if agreed(app, plan, consent):
        app.output.emit(journal_entries.prune(journal, gone, stay))
