"""`mqtriage watch`: options, help and examples; the work is in commands/msg/watch.py."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import NO_EXPIRY_EFFECTS, Connection, Output
from mqtriage.cli.frame.selection import body_form, note_expiry, read_selection
from mqtriage.cli.frame.verb import takes
from mqtriage.messages.selection_options import SelectionOptions
from mqtriage.model.options import REQUIRED, arguments, flag, text
from mqtriage.model.output_forms import JSON, NDJSON, PLAIN, TABLE
from mqtriage.mq.errors import ConnectionFailed, UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.commands.msg.watch import Known
    from mqtriage.messages.selection import Selection
    from mqtriage.mq.message import Message

_RETRY_S = 2.0


@takes(SelectionOptions, Connection, Output)
def watch(
    app: AppContext,
    selection: SelectionOptions,
    queues: tuple[str, ...] = arguments(
        help="Queues to watch.", default=REQUIRED, completes="queue"
    ),
    existing: bool = flag(help="First tell what is on the queue already."),
    interval: str = text(metavar="DURATION", help="How often to look.", default="500ms"),
    no_expiry_effects: bool = NO_EXPIRY_EFFECTS,
) -> None:
    """Tell each message as it arrives, one a line.

    Nothing is taken off the queue. On a queue with more than 500 messages one of a higher priority
    may arrive unseen, which is said. --limit N leaves after N messages; a lost connection is told
    on standard error and comes back by itself.

    Examples:
        mqtriage watch ORDERS.IN
        mqtriage watch ORDERS.BO DEAD.LETTER.QUEUE -o ndjson
        mqtriage watch ORDERS.IN --where "backout >= 1" --limit 1
    """
    from dataclasses import replace

    from mqtriage.commands.msg.watch import Known
    from mqtriage.model.units import parse_duration_ms

    interval_s = parse_duration_ms(interval, what="--interval", least_ms=10) / 1000
    if app.form not in {TABLE, PLAIN, NDJSON, JSON}:
        raise UsageError(f"-o {app.form}: what has no end is told as plain or ndjson")
    which = read_selection(app, selection)
    for queue in queues:
        note_expiry(app, queue, no_expiry_effects)
    limit, which = which.limit, replace(which, limit=None)
    known: dict[str, Known] = {queue: Known() for queue in queues} if existing else {}
    write = _writer(app)
    count = 0
    first = True
    while limit is None or count < limit:
        try:
            with app.open_backend(read_only=True, shows_messages=True) as backend:
                if not first:
                    app.say("connected again")
                first = False
                for queue, message in _arrivals(app, backend, queues, which, known, interval_s):
                    write(queue, message)
                    count += 1
                    if limit is not None and count >= limit:
                        return
        except ConnectionFailed as error:
            if first:
                raise
            app.tell(f"connection lost: {error.text}; trying again")
            time.sleep(_RETRY_S)


def _arrivals(
    app: AppContext,
    backend: Backend,
    queues: tuple[str, ...],
    which: Selection,
    known: dict[str, Known],
    interval_s: float,
) -> Iterator[tuple[str, Message]]:
    from mqtriage.commands.msg.watch import watch as arrivals

    def more() -> bool:
        time.sleep(interval_s)
        return True

    return arrivals(
        backend, queues, which, known, more=more, note=app.say, body=app.form in {JSON, NDJSON}
    )


def _writer(app: AppContext) -> Callable[[str, Message], None]:
    """How one message is written: a line for people, or an object for scripts."""
    from mqtriage.messages.records import message_record

    form = body_form(app)
    if app.form in {JSON, NDJSON}:
        from mqtriage.formatters.json_text import compact

        def write_object(queue: str, message: Message) -> None:
            _put(app, compact(_chosen(app, message_record(message, queue, form=form))))

        return write_object
    from mqtriage.formatters.watch_line import FIELDS, fitting, line

    fields = fitting(FIELDS, app.width) if app.terminals.stdout else list(FIELDS)

    def write_line(queue: str, message: Message) -> None:
        record = message_record(message, queue, detail=False)
        _put(app, line(record, fields, utc=app.output.utc is not False))

    return write_line


def _chosen(app: AppContext, record: Mapping[str, Any]) -> Mapping[str, Any]:
    keys = app.output.column_keys
    return {key: record.get(key) for key in keys} if keys else record


def _put(app: AppContext, text: str) -> None:
    app.stdout.write(text + "\n")
    app.stdout.flush()
