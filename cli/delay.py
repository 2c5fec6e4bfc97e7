"""`mqtriage delay`: delayed messages and the staging queue; the work is in commands/delay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.message_flow import run_act
from mqtriage.cli.frame.options import (
    Browsing,
    ConnectionOptions,
    Connections,
    Consent,
    Guards,
    Output,
)
from mqtriage.cli.frame.recording import journal_of
from mqtriage.cli.frame.selection import (
    ASSUME_DDH,
    Copies,
    browse_selected,
    note_expiry,
    read_selection,
)
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.delay.load_options import LoadOptions
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import duration, flag, number, text
from mqtriage.model.output_forms import PLAIN, TABLE
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text, duration_text
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.commands.delay.status import Filling
    from mqtriage.commands.msg.messages import ListingView
    from mqtriage.definitions.change import Change
    from mqtriage.messages.filters.selection import Selection
    from mqtriage.model.client_settings import Showing
    from mqtriage.model.result import Listing, Record
    from mqtriage.operations.copies.request import ActRequest, Restage

_MOST_NAMED: Final = 3


@takes(Consent, ConnectionOptions, Output)
def define(
    app: AppContext,
    safety: Consent,
    *,
    maxdepth: int | None = number(help="MAXDEPTH, in messages.", minimum=None),
    maxmsgl: int | None = text(metavar="SIZE", help="MAXMSGL: 4194304, 4MiB, 4MB.", reads="size"),
    load: LoadOptions,
    platform: str | None = text(
        help="Platform for the definition. Default: the queue manager's platform.",
        choices=("dist", "zos"),
    ),
    stgclass: str | None = text(metavar="NAME", help="Storage class (z/OS only)."),
    shrink: bool = flag(help="Allow MAXDEPTH to be reduced."),
    from_analysis: str | None = text(
        help="Use both values in FILE, the output of analyze delay -o json.", completes="file"
    ),
    mqsc: bool = flag(help="Print the MQSC without running it."),
) -> None:
    """Define the staging queue, or resize it for its load.

    Resizes an existing staging queue with ALTER. A queue manager on a distributed platform already
    has SYSTEM.DDELAY.LOCAL.QUEUE. If the queue does not exist, the command defines it with
    MSGDLVSQ(FIFO) and, on z/OS, INDXTYPE(NONE). Unless you give them, MAXDEPTH is rate x longest
    delay x subscribers plus headroom, and MAXMSGL is the longest message plus room for the delay
    header. With --from-analysis, both come from snapshots. -n shows each calculation, and compares
    the disk space with MAXFSIZE. If you run the command again, it reports "unchanged". MAXDEPTH is
    reduced only with --shrink, except from 999999999: new queue managers have this value.

    Examples:
        mqtriage delay define --maxdepth 200000 --maxmsgl 4MB -n
        mqtriage delay define --rate 20/s --max-delay 2h --largest-message 64KiB --yes
        mqtriage delay define --from-analysis load.json -n
        mqtriage delay define --platform zos --stgclass DDLY --maxdepth 200000 --mqsc
    """
    from mqtriage.cli.frame.definition_flow import change_definition
    from mqtriage.commands.delay import sizing as staging

    sizes = staging.read_load(
        load,
        maxdepth=maxdepth,
        maxmsgl_bytes=maxmsgl,
        platform=platform,
        stgclass=stgclass,
        shrink=shrink,
    )

    def plan(reader: Backend) -> Change:
        load = sizes
        if from_analysis is not None:
            load = staging.with_measured(load, from_analysis, reader.queue_manager)
        return staging.plan_define(reader, load, only_print=mqsc)

    change_definition(app, safety, plan, mqsc=staging.mqsc_of if mqsc else None)


@takes(Connections, Output)
def status(app: AppContext) -> None:
    """Show the depth of the staging queue, and overdue messages.

    No messages are browsed. OVERDUE counts messages whose delay ended more than five seconds ago.
    If no messages are delivered, PROCESSOR shows why. ROOM is how many more messages fit. mqtriage
    delay forecast browses: it estimates when the queue is full, and PROBLEM shows why a target does
    not get its messages. mqtriage top delay shows the same information as this command live.

    Examples:
        mqtriage delay status
        mqtriage delay status -o json
    """
    from mqtriage.commands.delay.status import status as staging_status

    hints: list[str] = []

    def read(backend: Backend) -> Listing:
        from mqtriage.commands.delay.forecast import nearly_full

        listing = staging_status(backend)
        if (full := nearly_full(backend, several=len(app.target.connections) > 1)) is not None:
            hints.append(full.look)
        return listing

    app.emit_read(read)
    _say_hints(app, hints)


@takes(SelectionOptions, Browsing, Connections, Output)
def browse(
    app: AppContext,
    selection: SelectionOptions,
    by: str = text(
        help="Sort order. Default: put.",
        default="put",
        show_default=False,
        choices=("put", "due", "target"),
    ),
    group: str | None = text(
        metavar="target|FIELD,...",
        help="Print one line per target, or count by fields: put_appl,user.",
        completes="field",
    ),
    assume_ddh: str | None = ASSUME_DDH,
) -> None:
    """List the messages that are waiting to be delivered.

    A staged message has its own MsgId, and its CorrelId is the MsgId that its sender got. --msgid
    and --correlid find it by either of these, or by the CorrelId that its sender set, which is
    sender_correl_id in --where. The delay header is undocumented. On a real queue manager, delay
    and due time come from the MQRFH2 that a JMS client sends (DDH_TIME_BASIS is sender). If five
    such messages with different delays agree, mqtriage interprets the time in every header in the
    same way.

    Examples:
        mqtriage delay browse --by due --limit 20
        mqtriage delay browse --group put_appl,user
        mqtriage delay browse --overdue -o json
        mqtriage delay browse --correlid ID:414D5120514D31202020202020202020A1B2C3D4E5F60708
    """
    from mqtriage.commands.delay import messages as delay_messages

    assume = bool(assume_ddh)

    def read(backend: Backend, _: str, selected: Selection, view: ListingView) -> Listing:
        if group == "target":
            return delay_messages.group_by_target(backend, selected, assume_due=assume)
        return delay_messages.browse(backend, selected, by=by, view=view, assume_due=assume)

    shows: Showing = "" if group == "target" or by != "put" else "rfh2"
    fields = None if group == "target" else group
    browse_selected(app, selection, STAGING_QUEUE, read, shows_messages=shows, group=fields)


_TAKEN_BY_COLUMNS = 60
_LEAST = 10


EXPERIMENTAL = flag(help="On a real queue manager, rely on an assumed delay header layout.")


@takes(Browsing, Connections, Output)
def forecast(
    app: AppContext,
    bucket: int = duration(
        metavar="1m|1h", help="Period that each record covers.", default="1h", least_ms=1000
    ),
    horizon: int = duration(
        metavar="24h", help="Length of the forecast.", default="24h", least_ms=1000
    ),
    target: str | None = text(
        "--target", "--dest", help="Include only messages for this queue.", completes="queue"
    ),
    heat: bool = flag(help="Draw a text chart instead, with a line for each target."),
    out: str | None = text(
        metavar="FILE", help="Also write a chart to this .svg file.", completes="file"
    ),
    assume_ddh: str | None = ASSUME_DDH,
) -> None:
    """Show when and where messages are due, and whether they fit.

    BUCKET is when a period begins: whole hours of UTC, so the first one has already begun. If the
    staging queue is full, a warning says when it has room again. Otherwise a note says how many
    more messages fit, and when it is full at the average rate of the last puts, up to now. If the
    puts have stopped, it says for how long. If it will not be full, the note says how many are
    staged at most: rate x longest delay, as in delay define. If the queue is nearly full, a note
    has commands that size it; their --rate is the average from the first to the last put of the
    staged messages. DOOMED messages expire before they are due. The target will not accept REFUSED
    messages: it will be full, its MAXMSGL is too small, it has PUT(DISABLED), or it does not exist.
    TARGET_DEPTH assumes that no program reads the target. DELIVERED_BYTES does not include the
    delay headers, as STAGED_BYTES of delay browse --group target does. On a real queue manager, due
    times come from messages that JMS clients sent. If there are none, the command refuses to run
    without --assume-ddh due.

    Examples:
        mqtriage delay forecast
        mqtriage delay forecast --bucket 1m --horizon 2h --target ORDERS.IN -o json
        mqtriage delay forecast --heat --horizon 7d
        mqtriage delay forecast --bucket 1m --out forecast.svg
    """
    from mqtriage.commands.delay import forecast as forecasting

    picture = None if out is None else Path(out)
    if picture is not None:
        from mqtriage.formatters.charts.forecast_plot import check_file

        if heat:
            raise UsageError("--out and --heat: give one of them")
        check_file(picture)
    if picture is not None and len(app.target.connections) > 1:
        raise UsageError("--out draws only one queue manager")
    note_expiry(app, STAGING_QUEUE)
    hints: list[str] = []
    full: list[forecasting.NearlyFull] = []
    fillings: dict[str, Filling] = {}
    later: dict[str, Counter[str]] = {}

    def listing_of(backend: Backend) -> Listing:
        several = len(app.target.connections) > 1
        listing = forecasting.forecast(
            backend,
            heat=heat,
            bucket_ms=bucket,
            horizon_ms=horizon,
            target=target,
            assume_due=bool(assume_ddh),
            fillings=fillings,
            later=later.setdefault(backend.queue_manager if several else "", Counter()),
        )
        if (queue := forecasting.nearly_full(backend, several=several)) is not None:
            full.append(queue)
        return listing

    with app.reading(listing_of) as listing:
        if picture is not None:
            _draw(app, listing, bucket, picture)
        if heat:
            app.output.emit(_with_lines(listing, app.output.width))
            return
        needs: dict[tuple[str, str], forecasting.TargetNeed] = {}
        app.output.emit(
            replace(listing, items=forecasting.noting_needs(listing.items, needs, later))
        )
    load = forecasting.StagedLoad()
    if len(app.target.connections) == 1:
        silent_ms = max((filling.silent_ms for filling in fillings.values()), default=0)
        longer = next((filling.longer for filling in fillings.values()), None)
        load = forecasting.StagedLoad(
            listing.summary["message_count"] or 0,
            listing.summary["put_span_ms"] or 0,
            listing.summary["longest_delay_ms"],
            silent_ms,
            longer,
        )
    if (listing.summary["message_count"] or 0) > (listing.summary["later"] or 0):
        period = duration_text(bucket)
        hints.append(f"BUCKET is the start of a period of {period}, and can be in the past")
    hints += [_filling_text(*filling) for filling in fillings.items() if filling[1].room]
    # the size of the queue depends on the messages for all targets
    hints += [queue.advice(load) if target is None else queue.look for queue in full]
    for (at, queue), need in needs.items():
        where = f" -m {shell_word(at)}" if at else ""
        command = f"mqtriage queue set {shell_word(queue)} {need.attributes}{where} -n"
        command += f", with the {need.later} due after this forecast" * bool(need.later)
        hints.append(
            f"{queue} will be full: {command}, or read it"
            if need.maxmsgl_bytes is None
            else f"{queue} has a MAXMSGL that is too small: {command}"
        )
    _say_hints(app, hints)


def _filling_text(queue_manager: str, filling: Filling) -> str:
    return f"{STAGING_QUEUE} at {queue_manager}: {filling.text}"


def _say_hints(app: AppContext, hints: Sequence[str]) -> None:
    """Say to people what to do next."""
    for hint in hints if app.output.form in (TABLE, PLAIN) else ():
        app.run.say(hint)


def _draw(app: AppContext, listing: Listing, bucket_ms: int, path: Path) -> None:
    from mqtriage.formatters.charts.forecast_plot import MOST_TARGETS, by_target, draw

    records = list(listing.items)
    listing.items = records
    title = f"{app.target.queue_manager}: messages by due time"
    shown = draw(records, bucket_ms, title, path)
    omitted = len(by_target(records)) - shown
    app.run.say(
        f"drawn to {path}"
        + (f"; {omitted} targets beyond {MOST_TARGETS} left out" if omitted else "")
    )


def _with_lines(listing: Listing, width: int) -> Listing:
    """The listing with the line of each record drawn to fit."""
    from mqtriage.formatters.charts.heat import heat_line

    room = max(_LEAST, width - _TAKEN_BY_COLUMNS)

    def records() -> Iterator[Record]:
        for record in listing.items:
            yield {**record, "heat": heat_line(record["counts"], room)}

    # the summary and the warnings stay the same objects: they are filled in while it is read
    return replace(listing, items=records())


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def cancel(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    to: str | None = text(
        help="Move the messages to this queue instead of removing them.", completes="queue"
    ),
    headers: str = text(
        help="With --to: keep the delay header, or strip it to restore the message that the "
        "sender put.",
        default="keep",
        show_default=False,
        choices=("keep", "strip"),
    ),
    assume_ddh: str | None = ASSUME_DDH,
    experimental: bool = EXPERIMENTAL,
) -> None:
    """Remove delayed messages before they are delivered.

    IBM documents removal by correlation id. Without --to, a message is archived and removed. With
    --to, it is moved to that queue unchanged, including its delay header. --headers strip restores
    the original message. On a real queue manager, this needs --experimental, because the delay
    header is undocumented.

    Examples:
        mqtriage delay cancel --correlid ID:414D51... --to OPS.PARKED --yes
        mqtriage delay cancel --where "target = 'ORDERS.IN'" --dry-run
    """
    from mqtriage.operations.copies.request import ActRequest

    if headers == "strip" and to is None:
        raise UsageError("--headers strip restores the message for another queue: add --to")
    copy = Copies().options(safety.reports)
    which = read_selection(app, selection, writes=True, purges=to is None, safety=safety)
    request = ActRequest("cancel", STAGING_QUEUE, to, copy)
    rebuilds = "cancel --headers strip" if headers == "strip" else ""
    with app.target.open_backend() as backend:
        _run(app, backend, safety, request, which, assume_ddh, experimental, rebuilds)


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def release(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    assume_ddh: str | None = ASSUME_DDH,
    experimental: bool = EXPERIMENTAL,
) -> None:
    """Deliver delayed messages now.

    Rebuilds the original message from the delay header, with its ids, context and remaining
    lifetime. IBM MQ's delay header is undocumented. On a real queue manager, this therefore needs
    --experimental, and the plan shows the layout that it assumes.

    Examples:
        mqtriage delay release --correlid ID:414D51... --yes
        mqtriage delay release --dest ORDERS.IN --limit 10 --dry-run
    """
    from mqtriage.operations.copies.request import NOW

    request = _put_again("release", safety, NOW)
    which = read_selection(app, selection, writes=True)
    with app.target.open_backend() as backend:
        _run(app, backend, safety, request, which, assume_ddh, experimental, "release")


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def reschedule(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    delay: str | None = text(metavar="30m", help="New delay, starting now."),
    at: str | None = text(
        metavar="TIME", help="New due time: 18:00 (local), 2026-01-31T10:00:00Z or now+2h."
    ),
    shift: str | None = text(
        metavar="+1h|-10m", help="Move the due time by this much: +1h is later, -1h is earlier."
    ),
    assume_ddh: str | None = ASSUME_DDH,
    experimental: bool = EXPERIMENTAL,
) -> None:
    """Give delayed messages a different due time.

    Stages each message again and removes the old one, in one unit of work. A message that would
    expire before its new due time does not change. The MQI has no delivery delay. On a real queue
    manager, this needs --experimental, which puts the staged message back with a different time in
    its header.

    Examples:
        mqtriage delay reschedule --dest ORDERS.IN --delay 30m --yes
        mqtriage delay reschedule --correlid ID:414D51... --shift +1h --dry-run
    """
    from mqtriage.operations.copies.staged import read_when

    which = read_selection(app, selection, writes=True)
    with app.target.open_backend() as backend:
        when = read_when(backend.now_us(), delay, at, shift, app.run.remark)
        request = _put_again("reschedule", safety, when)
        _run(app, backend, safety, request, which, assume_ddh, experimental, "reschedule")


def _put_again(action: str, safety: Guards, when: Restage) -> ActRequest:
    from mqtriage.operations.copies.request import ActRequest

    copy = Copies().options(safety.reports)
    return ActRequest(action, STAGING_QUEUE, copy=copy, to=when)


def _run(
    app: AppContext,
    backend: Backend,
    safety: Guards,
    request: ActRequest,
    selection: Selection,
    assume_ddh: str | None,
    experimental: bool,
    rebuilds: str,
) -> None:
    """Act on staged messages; *rebuilds* says for what the original is needed, "" for nothing."""
    from mqtriage.backends.registry import refuse_acts
    from mqtriage.operations.copies.staged import how_rebuilt, refuse_assumed_due

    refuse_acts(backend, f"{request.action} {request.queue}")
    assume = bool(assume_ddh)
    refuse_assumed_due(backend, selection, assume=assume, experimental=experimental)
    if rebuilds:
        how = how_rebuilt(
            backend, f"delay {rebuilds}", experimental=experimental, archived=not safety.no_backup
        )
        request = replace(request, copy=replace(request.copy, strip=how))
    notes = partial(_cancelled_notes, app)
    run_act(app, backend, safety, request, selection, assume_due=assume, if_nothing=notes)


def _cancelled_notes(app: AppContext) -> list[str]:
    """Where delayed messages are that are not on the staging queue, since they were cancelled."""
    journal = journal_of(app)
    notes = []
    with journal.kept_open():
        for op, count in journal.not_undone("cancel", app.target.queue_manager, _MOST_NAMED):
            target = journal.head(op).request.target
            where = (
                f"moved {count_text(count)} to {target}"
                if target
                else f"removed {count_text(count)}"
            )
            meant, it = ("that one", "it") if count == 1 else ("one of them", "them")
            notes.append(
                f"an earlier delay cancel {where}; if you meant {meant}, mqtriage journal undo {op}"
                f" puts {it} back"
            )
    return notes
