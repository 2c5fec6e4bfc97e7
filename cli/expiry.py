"""`mqtriage expiry`: messages that expire, or have expired and still count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.message_flow import carry_out_plan, guarded, load_file, run_act
from mqtriage.cli.frame.options import (
    Browsing,
    ConnectionOptions,
    Connections,
    Guards,
    Output,
    Safety,
    connection_words,
)
from mqtriage.cli.frame.recording import leading_to_history
from mqtriage.cli.frame.selection import (
    GROUP,
    MSG_ID,
    SYSTEM,
    Copies,
    browse_selected,
    message_id,
    note_expiry,
    read_selection,
    shows_detail,
    unlimited_if_sorted,
)
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.context.settings import because_protected
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import REQUIRED, argument, flag, text
from mqtriage.model.output_forms import PLAIN, TABLE
from mqtriage.model.shell_words import shell_line, shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.errors import Refused, UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.messages.filters.selection import Selection
    from mqtriage.model.result import Document, Listing, Record, Report
    from mqtriage.operations.copies.copy import CopyOptions


NAME = argument(help="Local queue or alias (case-sensitive).", completes="queue")
QUEUE = argument(help="Name of the queue.", completes="queue")


@takes(Connections, Output)
def status(
    app: AppContext,
    pattern: str = argument(
        "PATTERN", help="Name or generic name: 'ORDERS.*'.", default="*", completes="queue"
    ),
    scan: bool = flag(help="Count by browsing, which discards expired messages."),
    problems: bool = flag(help="List only queues with expired messages."),
    system: bool = SYSTEM,
) -> None:
    """Show how many messages on each queue will expire.

    CURDEPTH is VISIBLE + UNCOMMITTED + EXPIRED, because an expired message counts until
    a get or browse reaches it. Without --scan, no messages are browsed. A real queue manager then
    does not report EXPIRED, and --problems lists every queue that contains messages.

    Examples:
        mqtriage expiry status 'ORDERS.*'
        mqtriage expiry status --problems
        mqtriage expiry status PAYMENTS.REPLY --scan
    """
    from mqtriage.commands.expiry.queues import status as expiry_status

    def counted(backend: Backend) -> Listing:
        return expiry_status(backend, pattern, scan=scan, system=system, problems=problems)

    is_shown = app.output.form in (TABLE, PLAIN)
    with app.reading(counted) as listing:
        expired: list[Record] = []
        listing.items = _noting_expired(listing.items, expired)
        app.output.emit(listing, empty="no expired messages" if problems else "nothing to list")
        number = listing.summary.get("not_listed", 0)
        if number and is_shown:
            app.run.say(f"not listed: {count_text(number, 'queue')} without expired messages")
    streams = app.run.terminals
    if expired and is_shown and not scan and streams.stdout and streams.stderr:
        most = max(expired, key=itemgetter("expired"))
        manager = most.get("queue_manager")
        where = ["-m", manager] if manager else connection_words(app.target.connection)
        app.run.say(
            f"next: mqtriage {shell_line(['expiry', 'sweep', most['queue'], *where, '-n'])}"
        )


def _noting_expired(items: Iterable[Record], expired: list[Record]) -> Iterator[Record]:
    """The queues of a listing; those that have expired messages are added to *expired*."""
    for item in items:
        if item["expired"]:
            expired.append(item)
        yield item


@takes(SelectionOptions, Browsing, Connections, Output)
def browse(
    app: AppContext, selection: SelectionOptions, queue: str = QUEUE, group: str | None = GROUP
) -> None:
    """List messages and lifetimes; expired ones are discarded.

    It never lists expired messages: a browse makes the queue manager discard them, and send their
    reports. expiry status counts them without browsing. REPORT shows whether the message requests
    an expiration report, and how much of the message the report would contain.

    Examples:
        mqtriage expiry browse ORDERS.REPLY --expires-within 10m
        mqtriage expiry browse ORDERS.REPLY --sort expiry_tenths --limit 20
    """
    from mqtriage.commands.expiry.messages import browse as browse_lifetimes

    browse_selected(app, selection, queue, browse_lifetimes, group=group)


@takes(Browsing, Connections, Output)
def explain(app: AppContext, name: str = NAME, msgid: str | None = MSG_ID) -> None:
    """Explain what discards a queue's expired messages, and when.

    Explains what a browse would do now, in which order messages are discarded, what CAPEXPRY and
    reports do, and why you cannot requeue an expired message. Without --msgid, no messages are
    browsed.

    Examples:
        mqtriage expiry explain ORDERS.REPLY
        mqtriage expiry explain ORDERS.REPLY --msgid E5F60708 -o json
    """
    from mqtriage.commands.expiry.explain import explain

    def explained(backend: Backend) -> Document:
        with leading_to_history(app, backend, msgid):
            return explain(backend, name, message_id(app, backend, name, msgid))

    app.emit_read(explained)


@takes(Safety, ConnectionOptions, Output)
def sweep(
    app: AppContext,
    safety: Safety,
    queue: str = argument(help="Queue to browse.", completes="queue"),
) -> None:
    """Make the queue manager discard expired messages.

    Browses the whole queue. Expired messages can be neither seen nor archived, so the plan shows
    only CURDEPTH, and you cannot undo a sweep. With --expect N, the command refuses to run if more
    than N messages could be discarded: nobody knows exactly how many. The queue manager sends any
    expiration reports that the messages request, and expiry reports lists them.

    Examples:
        mqtriage expiry sweep ORDERS.REPLY -n
        mqtriage expiry sweep ORDERS.REPLY --expect 500 --yes
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.frame.act_flow import Nothing, Refuse, act, decide, refused
    from mqtriage.cli.frame.recording import as_change
    from mqtriage.commands.expiry import queues as expiry_queues

    if safety.no_expiry_effects:
        raise Refused(
            "expiry sweep browses, which --no-expiry-effects refuses",
            hint=f"mqtriage expiry status {shell_word(queue)} counts without browsing",
        )
    app.target.notes_discards = False
    with app.target.open_backend() as backend:
        reader = readonly(backend)
        at_most = safety.expect
        plan = expiry_queues.plan_sweep(reader, queue, expect_max=at_most)
        safety = replace(safety, expect=None)  # how many it will be, nobody knows
        if isinstance(decide(plan, safety, is_tty=app.run.interactive), Nothing):
            app.output.emit(expiry_queues.swept_nothing(plan))
            app.run.note_empty(0)
            return
        protected = app.target.protected_by()
        if at_most is None and not safety.dry_run and protected:
            where = app.target.queue_manager
            at_most = plan.facts["discards_at_most"]
            words = (f"--confirm {shell_word(where)}", f"--expect {at_most}")
            text = (
                f"sweep {plan.queue} at {where} needs {' and '.join(words)},"
                f" {because_protected(where, protected)}"
            )
            raise refused(app, Refuse(text, "check with --dry-run first", words), plan)

        def work() -> Report:
            report = expiry_queues.sweep(reader, plan, app.run.should_stop)
            app.run.note_empty(report.done)
            return report

        act(app, plan, safety, work, record=as_change(app, backend))
        if safety.dry_run:
            app.run.note_empty(plan.facts["discards_at_most"])


_NO_LONGER: Final = "messages that never expire, or already have a longer lifetime, are skipped"


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def extend(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str = QUEUE,
    expiry: int | None = text(
        metavar="1h|unlimited", help="New lifetime, starting now.", reads="expiry"
    ),
) -> None:
    """Give messages a longer lifetime.

    Expiry cannot be changed in place. The command puts each message back and removes the original,
    in one unit of work, so the message moves to the end of the queue. It skips messages that
    already have a longer lifetime or never expire.

    Examples:
        mqtriage expiry extend ORDERS.REPLY --expires-within 10m --expiry 1h --yes
        mqtriage expiry extend ORDERS.REPLY --expiry unlimited --dry-run
    """
    from mqtriage.operations.copies.lifetimes import with_less_than
    from mqtriage.operations.copies.request import ActRequest, ExtendLifetime

    if expiry is None:
        raise UsageError("--expiry is needed", hint="for example --expiry 1h, or unlimited")
    copy = replace(Copies().options(safety.reports), expiry_tenths=expiry)
    which = with_less_than(read_selection(app, selection, writes=True), expiry)
    request = ActRequest("extend", queue, queue, copy, to=ExtendLifetime())
    with app.target.open_backend() as backend:
        run_act(app, backend, safety, request, which, if_nothing=lambda: [_NO_LONGER])


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def purge(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str = QUEUE,
) -> None:
    """Archive and remove messages that expire soon or never.

    Removes messages that expire soon (--expires-within), or old ones that never expire
    (only --older-than). If an expiring message requests a report, it is sent in the same unit of
    work, or the message stays. Use expiry sweep for expired messages: the browse for the plan
    discards them, with -n too, and they are neither listed nor archived.

    Examples:
        mqtriage expiry purge ORDERS.REPLY --expires-within 10m --yes
        mqtriage expiry purge ORDERS.REPLY --older-than 30d --yes
    """
    from mqtriage.operations.copies import lifetimes as lifetime_acts
    from mqtriage.operations.copies.request import ActRequest, Expire

    if not selection.expires_within and not selection.older_than:
        raise UsageError("give --expires-within, or --older-than for what never expires")
    if safety.reports is not None:
        raise UsageError("--reports: a purge does not make copies")
    which = read_selection(app, selection, writes=True, purges=True, safety=safety)
    note = ""
    if not selection.expires_within:
        which = lifetime_acts.unlimited(which)
        note = (
            "only messages that never expire are selected;"
            f" mqtriage expiry sweep {shell_word(queue)} discards expired ones"
        )
    request = ActRequest("purge", queue, to=Expire())
    with app.target.open_backend() as backend:
        run_act(app, backend, safety, request, which, note=note)


MAYBE_QUEUE = argument(help="Queue that the reports were sent to.", default=None, completes="queue")
QUEUE_OR_ALL = argument(
    help="Reply-to queue. Default: browse all except SYSTEM.*", default=None, completes="queue"
)


@takes(SelectionOptions, Browsing, Connections, Output)
def reports(app: AppContext, selection: SelectionOptions, queue: str | None = QUEUE_OR_ALL) -> None:
    """List expiration reports, and how much data each contains.

    DATA is none, 100 bytes or full. expiry revive needs full. An MQDLH or MQXQH in front of a
    report is not counted as data. Without QUEUE, the command browses all local queues except
    SYSTEM queues. This can discard expired messages on any of them.

    Examples:
        mqtriage expiry reports ORDERS.REPLY
        mqtriage expiry reports ORDERS.REPLY --younger-than 1h -o json
    """
    from mqtriage.commands.expiry.reports import queues_with_messages
    from mqtriage.commands.expiry.reports import reports as list_reports

    which = read_selection(app, selection)
    note_expiry(app, queue)

    def listing_of(backend: Backend) -> Listing:
        queues = [queue] if queue is not None else queues_with_messages(backend)
        return list_reports(
            backend, queues, unlimited_if_sorted(app, which), detail=shows_detail(app)
        )

    limit = which.limit if app.output.options.sort is not None else None
    app.emit_read(listing_of, limit=limit)


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def revive(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    to: str = text(help="Queue to put the messages on.", default=REQUIRED, completes="queue"),
    queue: str | None = MAYBE_QUEUE,
    archive: str | None = text(
        "--from", metavar="ARCHIVE", help="Use this archive or snapshot:REF instead of reports."
    ),
    expiry: str = text(
        metavar="1h|unlimited", help="New lifetime, starting now.", default="unlimited"
    ),
) -> None:
    """Recreate expired messages from their reports.

    A program cannot get an expired message. This command recreates the message from an expiration
    report with full data: it gets the report and puts the original in one unit of work. It can also
    use an archive, or a snapshot with message data, if the lifetime has ended and the message is
    not on the queue.

    Examples:
        mqtriage expiry revive ORDERS.REPLY --to ORDERS.IN --dry-run
        mqtriage expiry revive ORDERS.REPLY --to ORDERS.IN --expiry 1h --yes
        mqtriage expiry revive --from orders.ndjson.gz --to ORDERS.IN --yes
        mqtriage expiry revive --from snapshot:latest --to ORDERS.IN --dry-run
    """
    if (queue is None) == (archive is None):
        raise UsageError(
            "give QUEUE with expiration reports, or --from ARCHIVE",
            hint="no program can get an expired message; expiry reports lists the reports",
        )
    if expiry.lower() == "keep":
        raise UsageError(
            "--expiry keep: the lifetime has already ended", hint="--expiry 1h, or unlimited"
        )
    copy = Copies(expiry=expiry).options(safety.reports)
    which = read_selection(app, selection, writes=True)
    if archive is not None:
        _from_archive(app, safety, archive, to, copy, which)
    elif queue is not None:
        from mqtriage.backends.registry import readonly
        from mqtriage.commands.expiry.reports import ACTION, plan_revive
        from mqtriage.operations.copies.request import ActRequest
        from mqtriage.operations.selection.selected import refuse_expiry_effects

        refuse_expiry_effects(queue, safety.no_expiry_effects)
        request = ActRequest(ACTION, queue, to, replace(copy, strip="report"))
        with app.target.open_backend() as backend:
            request = guarded(app, backend, safety, request)
            plan = plan_revive(readonly(backend), request, which)
            carry_out_plan(app, backend, safety, request, plan)


def _from_archive(
    app: AppContext, safety: Guards, archive: str, to: str, copy: CopyOptions, which: Selection
) -> None:
    from tempfile import TemporaryDirectory

    from mqtriage.cli.frame.inputs import named_archive, opened
    from mqtriage.operations.load.restore import revive_request
    from mqtriage.pipeline.snapshots.expired import write_expired

    word, _, reference = archive.partition(":")
    with ExitStack() as stack:
        backend = stack.enter_context(app.target.open_backend())
        if word == "snapshot":
            folder = stack.enter_context(TemporaryDirectory())
            path = Path(folder, "snapshot.ndjson")
            name = write_expired(
                app.target.snapshot_folder(),
                reference,
                backend.queue_manager,
                backend.now_us(),
                path,
            )
            app.run.say(f"from snapshot {name}")
        else:
            path = named_archive(app, archive)
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
        load_file(app, backend, safety, request)
