"""`mqtriage watch`: options, help and examples; the work is in commands/msg/watch.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from mqtriage.backends.port import Backend
from mqtriage.backends.registry import refuse_cursor
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Browsing, Connections, Output
from mqtriage.cli.frame.repeat import Arrivals, Repetition, refuse_form, write_arrivals
from mqtriage.cli.frame.selection import body_form, note_expiry, read_selection, shows_detail
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.msg.watch import Known
from mqtriage.commands.msg.watch import watch as new_messages
from mqtriage.formatters.watch_line import FIELDS
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.messages.records import message_record, with_rest
from mqtriage.model.options import REQUIRED, arguments, duration, flag
from mqtriage.model.output_forms import JSON
from mqtriage.model.result import Record
from mqtriage.model.shell_words import shell_word


@takes(SelectionOptions, Browsing, Connections, Output)
def watch(
    app: AppContext,
    selection: SelectionOptions,
    queues: tuple[str, ...] = arguments(
        help="Queues to watch.", default=REQUIRED, completes="queue"
    ),
    existing: bool = flag(help="First print the messages that are already on the queue."),
    interval: int = duration(help="Time between browses.", default="500ms", least_ms=10),
) -> None:
    """Print each message as it arrives, one per line.

    The messages stay on the queue. On a queue with more than 500 messages, the command can miss a
    message with a higher priority; if it does, it reports this. --limit N stops after N messages.
    If the connection is lost, the command reports it on standard error and reconnects. With several
    queue managers, each line names its queue manager. A message that is rolled back does not arrive
    again: backout pending QUEUE --interval 1s prints rollbacks.

    Examples:
        mqtriage watch ORDERS.IN
        mqtriage watch ORDERS.BO DEAD.LETTER.QUEUE -m 'PROD*' -o ndjson
        mqtriage watch ORDERS.IN --where "priority >= 7" --limit 1
    """
    pace = Repetition(interval, None)
    refuse_form(app, JSON)
    which = read_selection(app, selection)
    note_expiry(app, queues)
    if "backout" in which.fields_used:
        again = f"mqtriage backout pending {shell_word(queues[0])} --interval 1s"
        app.run.say(f"a rollback is not an arrival; to print each rollback: {again}")
    hex_asked, with_body = app.output.options.hex, shows_detail(app)
    fields = with_rest(FIELDS)
    if hex_asked is not None:
        key = "body_hex" if hex_asked else "body"
        fields = tuple(
            one._replace(wide=False, width=20) if one.key == key else one for one in fields
        )
    record_of = partial(message_record, form=body_form(app), detail=with_body)
    unlimited = replace(which, limit=None)

    def arrivals(one: AppContext) -> Arrivals:
        known: Known = {queue: set() for queue in queues} if existing else {}

        def records(backend: Backend, more: Callable[[], bool]) -> Iterator[Record]:
            refuse_cursor(backend, f"watch {queues[0]}")
            for queue, message in new_messages(
                backend, queues, unlimited, known, more=more, note=one.run.say, body=with_body
            ):
                yield record_of(message, queue)

        return records

    write_arrivals(app, arrivals, fields, pace, which.limit, shows_messages="as asked")
