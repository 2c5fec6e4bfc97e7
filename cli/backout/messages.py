"""`mqtriage backout pending|browse|causes|requeue|purge|move`: poison messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.message_flow import carry_out_groups, remove, requeue_as, run_act
from mqtriage.cli.frame.options import Browsing, ConnectionOptions, Connections, Guards, Output
from mqtriage.cli.frame.recording import journal_of
from mqtriage.cli.frame.repeat import Repetition
from mqtriage.cli.frame.selection import (
    Copies,
    browse_selected,
    no_messages,
    note_expiry,
    read_selection,
    shows_detail,
)
from mqtriage.cli.frame.verb import takes
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import REQUIRED, argument, duration, flag, number, text
from mqtriage.model.output_forms import IDS, JSON, PLAIN, TABLE
from mqtriage.model.result import Listing, Record
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.errors import UsageError

_MOST_NAMED: Final = 5
BOQ = argument("BOQ", help="Name of the backout queue.", completes="queue")


@takes(Browsing, Connections, Output)
def pending(
    app: AppContext,
    pattern: str = argument(
        "[PATTERN]",
        help="Queues to browse. Default: all except SYSTEM.* To count without browsing: "
        "backout ls, expiry status.",
        default="*",
        completes="queue",
    ),
    min_backout: int | None = number(
        help="List messages with this BackoutCount or more, instead of BOTHRESH.", minimum=1
    ),
    interval: int | None = duration(
        metavar="2s", help="Print messages as they are rolled back.", least_ms=10
    ),
    existing: bool = flag(
        help="With --interval: first print messages that have already been rolled back."
    ),
    until: int | None = duration(
        "--for", metavar="10m", help="With --interval: stop after this time."
    ),
    limit: int | None = number(
        help="List only the first N. With --interval: stop after N lines.", minimum=1
    ),
) -> None:
    """Browse queues for messages near or over their threshold.

    These messages are still on the input queue, because the queue manager itself never moves a
    poison message. If BOTHRESH is 0, the command lists every message that was rolled back. It
    browses all matching queues that contain messages. This can discard expired messages on any of
    them, even on queues without poison messages. backout ls counts messages at BOTHRESH without
    browsing, if the queue manager is emulated.

    With --interval, it browses them repeatedly and prints one line for each message that is rolled
    back. RISE is the number of rollbacks since the last browse. STATE is near, poison (it has
    reached BOTHRESH), off (BOTHRESH is 0, so the message is redelivered endlessly) or gone. It
    reconnects automatically.

    Examples:
        mqtriage backout pending
        mqtriage backout pending 'ORDERS.*' --min-backout 2
        mqtriage backout pending 'ORDERS.*' --interval 2s
        mqtriage backout pending --interval 500ms --existing --for 1m -o ndjson
    """
    if interval is not None:
        if min_backout is not None:
            raise UsageError("--min-backout: not with --interval, which prints every rollback")
        _watch(app, pattern, Repetition(interval, until), limit, existing=existing)
        return
    if existing or until is not None:
        word = "--existing" if existing else "--for"
        raise UsageError(f"{word}: only with --interval", hint="for example --interval 2s")
    from mqtriage.commands.backout.messages import pending as list_pending

    note_expiry(app, pattern, "backout ls")
    detail = shows_detail(app)
    with app.reading(
        lambda backend: list_pending(
            backend, pattern, at_least=min_backout, detail=detail, must_read=True
        )
    ) as listing:
        app.output.emit(listing, limit=limit)
        if app.output.form in (TABLE, PLAIN):
            _name_next(app, listing.summary)


def _name_next(app: AppContext, summary: Mapping[str, Any]) -> None:
    """Say what moves the poison messages of each queue, and what gives a queue a threshold.

    Args:
        summary: of the listing: queues and how many messages, by state; of several queue managers
            by the name of each.
    """
    several = len(app.target.connections) > 1
    for state in ("poison", "off"):
        by_manager = summary[state].items() if several else [("", summary[state])]
        rows = [(name, count, at) for at, of in by_manager for name, count in of.items()]
        for name, count, at in rows[:_MOST_NAMED]:
            word, where = shell_word(name), f" -m {shell_word(at)}" if at else ""
            if state == "poison":
                app.run.say(
                    f"{name} has {count_text(count)} at BOTHRESH or above: mqtriage backout move "
                    f"{word}{where} -n shows where they would go"
                )
            else:
                app.run.say(
                    f"{name} has BOTHRESH(0), so they are redelivered again and again: mqtriage "
                    f"backout set {word} --threshold 3 --boq {shell_word(f'{name[:45]}.BO')} "
                    f"--create-boq{where} -n"
                )
        if more := len(rows[_MOST_NAMED:]):
            what = "at BOTHRESH or above" if state == "poison" else "and BOTHRESH(0)"
            app.run.say(f"{count_text(more, 'more queue')} with messages {what}")


def _watch(
    app: AppContext, pattern: str, pace: Repetition, limit: int | None, *, existing: bool
) -> None:
    """Print a line for each message that is rolled back."""
    from mqtriage.cli.frame.repeat import Arrivals, refuse_form, write_arrivals
    from mqtriage.commands.backout.watch import FIELDS, Watch

    refuse_form(app, JSON)
    note_expiry(app, pattern, "backout ls")

    def arrivals(one: AppContext) -> Arrivals:
        seen = Watch(existing=existing)

        def records(backend: Backend, more: Callable[[], bool]) -> Iterator[Record]:
            is_on = True
            while is_on:
                yield from seen.look(backend, pattern, one.run.warn)
                is_on = more()

        return records

    write_arrivals(app, arrivals, FIELDS, pace, limit)


@takes(SelectionOptions, Browsing, Connections, Output)
def browse(
    app: AppContext,
    selection: SelectionOptions,
    queue: str = BOQ,
    group: str | None = text(
        metavar="origin|FIELD,...",
        help="Print one line per origin, or count by fields: put_appl,user.",
        completes="field",
    ),
) -> None:
    """List the messages on a backout queue.

    ORIGIN is the queue whose BOQNAME names this queue. It is marked as sure if the message's JMS
    destination agrees, and as likely if the message has none and only one queue is possible.
    --group origin lists each queue whose BOQNAME names this queue, directly or through an alias,
    and each JMS destination that the messages were sent to, with the evidence. backout requeue --to
    origin moves the messages counted in SURE, or with --accept-likely those in MESSAGES.

    Examples:
        mqtriage backout browse ORDERS.BO
        mqtriage backout browse ORDERS.BO --older-than 1d -o json
        mqtriage backout browse ORDERS.BO --group origin
        mqtriage backout browse ORDERS.BO --group put_appl,user
    """
    if group is not None and "origin" in group.split(","):
        if group != "origin":
            raise UsageError(
                f"--group {group}: origin is not a field of messages, so it is given alone",
                hint="--group origin, or --group FIELD,... without it",
            )
        from mqtriage.commands.backout.origin import origins

        which = read_selection(app, selection)
        note_expiry(app, queue)
        app.emit_read(lambda backend: origins(backend, queue, which))
        return
    from mqtriage.commands.backout.messages import browse as browse_backout

    browse_selected(app, selection, queue, browse_backout, group=group)


EMIT = text(
    help="Print only conditions or rules (IBM's if possible).",
    choices=("where", "rules", "toml"),
)
_EMITTED: Final = {
    "where": "where", "rules": "rule", "toml": "rule_toml", "selectors": "selector",
}  # fmt: skip
"""What `--emit` names, and the key of a record that has it."""


@takes(SelectionOptions, Browsing, Connections, Output)
def causes(
    app: AppContext,
    selection: SelectionOptions,
    queue: str = argument(
        "BOQ|PATTERN", help="Backout queue, or a generic name.", completes="queue"
    ),
    against: str | None = text(help="Queue of healthy messages for comparison.", completes="queue"),
    top: int = number(help="Show at most N causes per queue.", default=10, minimum=1, maximum=1000),
    emit: str | None = text(
        help="Print only conditions, selection strings, or rules for dlq run (IBM's if possible).",
        choices=("where", "rules", "toml", "selectors"),
    ),
) -> None:
    """Show what poison messages have in common.

    Compares descriptors, headers, properties, and values inside JSON and XML bodies. If you paste
    WHAT_THEY_SHARE after --where, it selects exactly COUNT messages. If messages are in several
    rows, or in none, a note says how many. It also shows the command that lists those in none.
    Damaged messages are only in the row of their damage. A shared condition is not necessarily the
    cause. Use --against to omit conditions that are about as common among healthy messages. Rows
    below 5% are then left out if they may be chance, because too few healthy messages can be
    compared. Numbers in bodies are a row if they are below or above all healthy ones, such as
    body.amount < 0. Without --against, what only few share comes last, and messages that lack a
    property of the others in their row are in a row of their own. A selection applies only to the
    poison messages. With a generic name, on queues that are neither backout nor dead-letter
    queues, only rolled-back messages count. An MQRFH2 that a JMS client added when it moved a
    message is not reported as a cause. ALSO_SHARE lists anything else that all of them have in
    common, but that few other messages have. GIVEN_UP and RETRIED count earlier messages like these
    in this machine's journal and archives. GIVEN_UP messages were purged or parked; RETRIED
    messages were requeued and did not return. Each queue is browsed twice. --emit rules writes a
    runmqdlq table if its patterns can express every row, and TOML otherwise. dlq run accepts both,
    on a backout queue too.

    Examples:
        mqtriage backout causes ORDERS.BO --against ORDERS.IN
        mqtriage backout causes 'ORDERS.*' --younger-than 1d --top 3 --emit where
        mqtriage backout causes ORDERS.BO --against ORDERS.IN --emit toml > poison.toml
    """
    from mqtriage.commands.backout import causes

    key = emitted_key(emit)
    which = read_selection(app, selection)
    note_expiry(app, queue)
    with app.reading(
        lambda backend: causes.causes(
            backend, queue, which, against=against, top=top, journal=journal_of(app)
        )
    ) as listing:
        emit_causes(app, listing, key, no_messages(queue, which), f"{shell_word(queue)} ")
    has_messages = bool(listing.summary["message_count"])
    if has_messages and against is None and key is None and app.output.form in (TABLE, PLAIN):
        app.run.say(
            "--against QUEUE excludes conditions that healthy messages on that queue also meet,"
            " and finds what only the poison messages lack"
        )


def emitted_key(emit: str | None) -> str | None:
    """The only key to print; None to print the whole listing."""
    return None if emit is None else _EMITTED[emit]


def emit_causes(
    app: AppContext, listing: Listing, key: str | None, empty: str, rules_on: str
) -> None:
    """Write the causes, or only the rules and conditions of *key*.

    Args:
        rules_on: what rules are run on: ``ORDERS.BO ``, or "" for the dead-letter queue.
    """
    from mqtriage.commands.backout.causes import emitted

    if key is None:
        app.output.emit(listing, empty="")
        is_empty = listing.summary.get("message_count") == 0
        if app.output.form == TABLE and app.run.terminals.stdout and is_empty:
            app.run.say(empty)
        return
    texts = emitted(listing, key)
    if any("\n" in item["text"] for item in texts.items):  # rules in TOML
        app.output.stdout.writelines(f"{item['text']}\n\n" for item in texts.items)
        for warning in texts.warnings:
            app.run.warn(warning)
    else:
        app.output.options = replace(app.output.options, form=IDS)
        app.output.emit(texts)
    if key in ("rule", "rule_toml") and listing.summary["message_count"]:
        app.run.say(
            f"these rules leave the messages where they are: replace IGNORE by the action that you "
            f"want, then mqtriage dlq run {rules_on}-f FILE -n"
        )


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def requeue(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    *,
    queue: str = BOQ,
    to: str = text(
        metavar="QUEUE|origin",
        help="Queue to move the messages to; origin is the queue that each came from.",
        default=REQUIRED,
        completes="origin",
    ),
    accept_likely: bool = flag(
        help="With --to origin: also move messages if one BOQNAME is the only evidence."
    ),
    copies: Copies,
) -> None:
    """Move messages from a backout queue to another queue.

    The copies have BackoutCount 0 and keep ids, context and remaining lifetime. --headers strip
    removes the MQRFH2 that a JMS client added when it moved the message to the backout queue. --to
    origin moves each message to its original queue, if its JMS destination and a BOQNAME agree on
    that queue. If they disagree, the message stays. --accept-likely also moves a message without a
    destination if only one queue has this backout queue as its BOQNAME, or only one of several has
    other messages of its program. --set-prop changes properties in the usr folder of the MQRFH2,
    such as a count of attempts; journal undo restores the originals from the archive. To repair
    messages, edit the output of msg browse -o ndjson, and load it with msg load.

    Examples:
        mqtriage backout requeue ORDERS.BO --to ORDERS.IN --limit 10 --yes
        mqtriage backout requeue ORDERS.BO --to ORDERS.IN --where "format = 'MQSTR'" --dry-run
        mqtriage backout requeue ORDERS.BO --to origin --accept-likely --dry-run
    """
    if to == "origin":
        from mqtriage.commands.msg.requeue_each import plan_origins
        from mqtriage.operations.copies.request import ActRequest

        copy = copies.options(safety.reports, app.run.remark)
        request = ActRequest("requeue", queue, copy=copy)
        which = read_selection(app, selection, writes=True)
        plan = partial(plan_origins, likely=accept_likely)
        with app.target.open_backend() as backend:
            carry_out_groups(app, backend, safety, request, which, plan)
        return
    if accept_likely:
        raise UsageError("--accept-likely: only with --to origin")
    requeue_as("requeue", app, selection, safety, queue, to, copies)


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def purge(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str = argument("BOQ", help="Backout queue, or 'ORDERS.*'.", completes="queue"),
) -> None:
    """Remove messages from a backout queue.

    The messages are archived first. Without a selection, you must type the queue's name, or
    give it with --confirm. With a generic name, each queue has its own plan and confirmation;
    --confirm takes the generic name for all of them.

    Examples:
        mqtriage backout purge ORDERS.BO --older-than 30d --expect 412 --yes
    """
    remove(app, selection, safety, queue)


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def move(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str = argument(help="Queue to move messages from.", completes="queue"),
    min_backout: int | None = number(
        help="Move messages with N or more rollbacks, instead of BOTHRESH; 0 means any number.",
        minimum=0,
    ),
    interval: int | None = duration(
        metavar="30s", help="Repeat at this interval; needs --yes.", least_ms=10
    ),
    until: int | None = duration(
        "--for", metavar="10m", help="With --interval: stop after this time."
    ),
) -> None:
    """Move poison messages to the backout queue.

    Acts like a JMS client, but on queues that other programs read. Messages whose
    BackoutCount has reached BOTHRESH go to BOQNAME. If BOQNAME is blank, they go to the dead-letter
    queue, with an MQDLH whose Reason is 2362. They keep their ids, context and remaining lifetime.
    A message that cannot be put stays on the queue. Nothing is discarded. --min-backout 0 moves
    selected messages regardless of BackoutCount, but only to BOQNAME. With --interval, each pass
    that finds poison messages is a separate operation, and the command reconnects if the connection
    is lost.

    Examples:
        mqtriage backout move ORDERS.IN --yes
        mqtriage backout move ORDERS.IN --min-backout 5 --dry-run
        mqtriage backout move ORDERS.IN --min-backout 0 --msgid ID:414D51... --yes
        mqtriage backout move ORDERS.IN --interval 30s --for 8h --yes
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.commands.backout import move as poison_moves
    from mqtriage.operations.copies.request import ActRequest

    copy = Copies().options(safety.reports)
    which = read_selection(app, selection, writes=True)

    def once(backend: Backend, *, quietly: bool) -> None:
        threshold = poison_moves.threshold_of(backend, queue, min_backout)
        chosen = poison_moves.poison_only(which, threshold)
        if quietly and not poison_moves.finds(readonly(backend), queue, chosen):
            return
        request = poison_moves.move_of(backend, queue, copy, threshold)
        run_act(app, backend, safety, ActRequest("move", queue, *request), chosen)

    if interval is None:
        if until is not None:
            raise UsageError("--for: only with --interval")
        with app.target.open_backend() as backend:
            once(backend, quietly=False)
        return
    from mqtriage.cli.frame.repeat import keep_connected, refuse_form

    if not safety.yes or safety.dry_run or safety.plan or safety.expect is not None:
        raise UsageError(
            "--interval: it does not ask for confirmation, and each pass finds different messages",
            hint="give --yes, and neither --dry-run, --plan nor --expect",
        )
    pace = Repetition(interval, until)
    refuse_form(app, IDS)
    which = replace(which, lenient=True)  # a message that has the field may come yet

    def work(backend: Backend) -> None:
        once(backend, quietly=True)
        while not app.run.should_stop() and pace.wait():
            once(backend, quietly=True)

    keep_connected(app, work)
