"""`mqtriage watch`: options, help and examples; the work is in commands/msg/watch.py."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Browsing, ConnectionOptions, Output
from mqtriage.cli.frame.repeat import Repetition, keep_connected, record_writer, refuse_form
from mqtriage.cli.frame.selection import body_form, note_expiry, read_selection
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.msg.watch import Known
from mqtriage.commands.msg.watch import watch as arrivals
from mqtriage.formatters.watch_line import FIELDS
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.messages.records import message_record
from mqtriage.model.options import REQUIRED, arguments, duration, flag
from mqtriage.model.output_forms import FOR_SCRIPTS, JSON


@takes(SelectionOptions, Browsing, ConnectionOptions, Output)
def watch(
    app: AppContext,
    selection: SelectionOptions,
    queues: tuple[str, ...] = arguments(
        help="Queues to watch.", default=REQUIRED, completes="queue"
    ),
    existing: bool = flag(help="First print what is on the queue already."),
    interval: int = duration(help="How often to look.", default="500ms", least_ms=10),
) -> None:
    """Print each message as it arrives, one per line.

    Nothing is taken off the queue. On a queue with more than 500 messages one of a higher priority
    may arrive unseen, which is said. --limit N leaves after N messages; a lost connection is
    reported on standard error and is made again.

    Examples:
        mqtriage watch ORDERS.IN
        mqtriage watch ORDERS.BO DEAD.LETTER.QUEUE -o ndjson
        mqtriage watch ORDERS.IN --where "backout >= 1" --limit 1
    """
    pace = Repetition(interval, None)
    refuse_form(app, JSON)
    which = read_selection(app, selection)
    note_expiry(app, queues)
    known: Known = {queue: set() for queue in queues} if existing else {}
    write = record_writer(app, FIELDS)
    with_body = app.output.form in FOR_SCRIPTS
    record_of = partial(message_record, form=body_form(app), detail=with_body)
    unlimited = replace(which, limit=None)
    count = 0

    def work(backend: Backend) -> None:
        nonlocal count
        for queue, message in arrivals(
            backend, queues, unlimited, known, more=pace.wait, note=app.run.say, body=with_body
        ):
            write(record_of(message, queue))
            count += 1
            if count == which.limit:
                return

    keep_connected(app, work, read_only=True, shows_messages=True)
