"""`mqtriage dlq browse|causes|requeue|purge`: dead-lettered messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from mqtriage.cli.backout.messages import (
    EMIT,
    emit_causes,
    emitted_key,
)
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.message_flow import carry_out_groups, remove, run_act
from mqtriage.cli.frame.options import Browsing, ConnectionOptions, Connections, Guards, Output
from mqtriage.cli.frame.selection import (
    GROUP,
    CopiesOfDeadLetters,
    browse_selected,
    no_messages,
    note_expiry,
    read_selection,
)
from mqtriage.cli.frame.verb import takes
from mqtriage.messages.filters.expression import Like
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import argument, number, text
from mqtriage.model.output_forms import PLAIN, TABLE
from mqtriage.model.result import Record
from mqtriage.model.shell_words import shell_word

QUEUE = argument(
    "[QUEUE]",
    help="Dead-letter queue. Default: the queue manager's DEADQ.",
    default=None,
    completes="queue",
)

_MOST_NAMED = 5

_OF_MQMD = {
    "put_appl": "mqmd_put_appl",
    "format": "mqmd_format",
    "older_than": "mqmd_put_time",
    "younger_than": "mqmd_put_time",
}


@takes(SelectionOptions, Browsing, Connections, Output)
def browse(
    app: AppContext,
    selection: SelectionOptions,
    queue: str | None = QUEUE,
    group: str | None = GROUP,
) -> None:
    """List dead-lettered messages with their reasons.

    Reason, destination, program, time and format come from the dead-letter header. PUT_APPL is the
    program that put the message on this queue, for example a channel. MQMD_PUT_APPL is the program
    that sent it; --columns mqmd_put_appl,user,mqmd_put_time shows who sent it, and when. Conditions
    such as --older-than, --md-format and put_appl also use the header. To use the descriptor
    instead, name mqmd_put_appl, mqmd_format or mqmd_put_time. The header is not part of the body;
    in JSON, it is in headers.

    Examples:
        mqtriage dlq browse --reason MQRC_Q_FULL
        mqtriage dlq browse --dest ORDERS.IN -o ndjson
        mqtriage dlq browse --where "mqmd_put_appl like 'com.example.%'"
        mqtriage dlq browse --group dest,user
    """
    from mqtriage.commands.dlq.messages import browse as browse_dead

    fields = dict.fromkeys(name for key, name in _OF_MQMD.items() if getattr(selection, key))
    by_mqmd = None
    if fields and not selection.ids_from:  # standard input is read once
        by_mqmd = read_selection(app, selection), " and ".join(fields)
    read = partial(browse_dead, by_descriptor=by_mqmd)
    browse_selected(app, selection, queue, read, dead_letters=True, group=group)


@takes(SelectionOptions, Browsing, Connections, Output)
def causes(
    app: AppContext,
    selection: SelectionOptions,
    queue: str | None = QUEUE,
    top: int = number(help="Show at most N causes per queue.", minimum=1, maximum=1000, default=20),
    emit: str | None = EMIT,
) -> None:
    """Group dead-lettered messages by reason and destination.

    PUT_APPL is the program that put the message on this queue, for example a channel, and FIRST and
    LAST are when it did so. dlq browse --group mqmd_put_appl groups by the program that sent the
    message. Temporary queues, whose names end in 8 to 16 hexadecimal digits, form one group
    (AMQ.*). HINT suggests what to check first. A note names the groups whose destination exists and
    accepts all their messages, and shows the dlq requeue command for the first. ALSO_SHARE lists
    anything else that all of these messages have in common, unless all other messages have it too.
    Each group includes a --where condition that selects exactly its messages, and a rule. A
    selection string cannot refer to the MQDLH.

    Examples:
        mqtriage dlq causes
        mqtriage dlq causes --younger-than 1d --body-path '$.order.id'
        mqtriage dlq causes --emit where
        mqtriage dlq causes --emit toml > dlq.toml
    """
    from mqtriage.commands.dlq.causes import DeadLetterCause, causes

    key = emitted_key(emit)
    on = f"{shell_word(queue)} " if queue else ""
    which = read_selection(app, selection, dead_letters=True)
    note_expiry(app, queue, unnamed="the dead-letter queue")
    reasons: list[str] = []
    going: list[DeadLetterCause] = []
    read = partial(causes, queue=queue, selection=which, top=top, going_back=going.append)
    with app.reading(read) as listing:
        listing.items = _noting_reasons(listing.items, reasons)
        emit_causes(app, listing, key, no_messages(queue, which), on)
        if "HINT" in listing.left_out and reasons:
            app.run.say(f"mqtriage rc {reasons[0]} explains a reason, and says what to do")
    is_shown = key is None and app.output.form in (TABLE, PLAIN)
    # the command would take what a selection string, --skip or --limit leaves out, and would refuse
    # the end of an id
    can_be_typed = which.is_condition and not any(isinstance(t, Like) for t in which.id_tests)
    if is_shown and going and can_be_typed and len(app.target.connections) == 1:
        first, where = going[0], shell_word(going[0].where)
        messages, they = ("message", "it") if first.message_count == 1 else ("messages", "they")
        which_go = f"the {messages} of cause {first.cause} can go back:"
        if len(going) > 1:
            numbers = _numbered([one.cause for one in going])
            which_go = f"the messages of causes {numbers} can go back; for cause {first.cause},"
        app.run.say(
            f"{which_go} mqtriage dlq requeue {on}--where {where} -n shows where {they} would go"
        )


def _numbered(causes: list[int]) -> str:
    """``1 and 2``; of many ``1, 2, 3, 4, 5 and 4 more``."""
    named = [str(cause) for cause in causes[:_MOST_NAMED]]
    last = f"{len(causes) - _MOST_NAMED} more" if len(causes) > _MOST_NAMED else named.pop()
    return f"{', '.join(named)} and {last}"


def _noting_reasons(records: Iterable[Record], reasons: list[str]) -> Iterator[Record]:
    """The records as they are; the names of their reasons are added to *reasons*."""
    for record in records:
        if record["reason_name"]:
            reasons.append(record["reason_name"])
        yield record


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def requeue(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    *,
    queue: str | None = QUEUE,
    to: str | None = text(help="Move all messages to this queue instead.", completes="queue"),
    copies: CopiesOfDeadLetters,
) -> None:
    """Move dead-lettered messages to their destinations.

    The destination is in the dead-letter header. The command removes the header, and restores
    Format, CCSID and Encoding from it. A message stays if it does not have that header, or if its
    destination does not exist on this queue manager. --set-prop changes properties in the usr
    folder of the MQRFH2; journal undo restores the originals from the archive.

    Examples:
        mqtriage dlq requeue --reason MQRC_Q_FULL --dry-run
        mqtriage dlq requeue --dest ORDERS.IN --limit 10 --rate 20/s --yes
        mqtriage dlq requeue --to ORDERS.RETRY --yes
    """
    from mqtriage.commands.msg.requeue_each import plan_dead_letters
    from mqtriage.operations.copies.request import ActRequest
    from mqtriage.operations.rules.origin import dead_letter_queue

    if to == "origin":  # as `backout requeue` has it: where the dead-letter header says
        to = None
    copy = copies.options(safety.reports, app.run.remark)
    which = read_selection(app, selection, writes=True, dead_letters=True)
    with app.target.open_backend() as backend:
        name = queue or dead_letter_queue(backend)
        request = ActRequest("requeue", name, to, copy)
        if to is not None:
            run_act(app, backend, safety, request, which, requeues=True)
        else:
            carry_out_groups(app, backend, safety, request, which, plan_dead_letters)


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def purge(
    app: AppContext, selection: SelectionOptions, safety: Guards, queue: str | None = QUEUE
) -> None:
    """Remove dead-lettered messages after archiving them.

    Without a selection, you must type the queue's name, or give it with --confirm.

    Examples:
        mqtriage dlq purge --older-than 30d --expect 412 --yes
    """
    from mqtriage.operations.rules.origin import dead_letter_queue

    if queue is None:
        with app.target.open_backend(read_only=True) as backend:
            queue = dead_letter_queue(backend)
    remove(app, selection, safety, queue, dead_letters=True)
