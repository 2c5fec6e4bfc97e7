"""`mqtriage backout watch`: options and help; the work is in commands/backout/watch.py."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import ConnectionFailed, UsageError

if TYPE_CHECKING:
    from mqtriage.model.result import Record

_RETRY_S = 2.0


@takes(Connection, Output)
def watch(
    app: AppContext,
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="Name or generic name; * leaves SYSTEM.* out.")
    ] = "*",
    existing: Annotated[
        bool, typer.Option("--existing", help="First tell what was rolled back already.")
    ] = False,
    interval: Annotated[
        str, typer.Option("--interval", metavar="DURATION", help="How often to look.")
    ] = "2s",
    duration: Annotated[
        str | None, typer.Option("--for", metavar="DURATION", help="Leave after this time.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Leave after N lines.")
    ] = None,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Tell each message that is rolled back, one a line.

    RISE is how often since the last look. STATE is near, poison (BOTHRESH is reached), off
    (BOTHRESH is 0: such a message goes round for ever) or gone. Nothing is taken off a queue; every
    look browses the queues of PATTERN that have messages. A lost connection comes back by itself.

    Examples:
        mqtriage backout watch 'ORDERS.*'
        mqtriage backout watch ORDERS.IN --interval 500ms -o ndjson
        mqtriage backout watch --existing --for 1m
    """
    from mqtriage.commands.backout.watch import Watch
    from mqtriage.model.units import parse_duration_ms

    interval_s = parse_duration_ms(interval, what="--interval", least_ms=10) / 1000
    ends = None
    if duration is not None:
        ends = time.monotonic() + parse_duration_ms(duration, what="--for") / 1000
    if app.form not in {"table", "plain", "ndjson", "json"}:
        raise UsageError(f"-o {app.form}: what has no end is told as plain or ndjson")
    choosing.read_note(app, pattern, no_expiry_effects)
    seen = Watch(existing=existing)
    write = _counting(_writer(app), limit)
    connected = False
    while True:
        try:
            with app.open_backend(read_only=True) as backend:
                if connected:
                    app.say("connected again")
                connected = True
                while True:
                    for record in seen.look(backend, pattern, app.warn):
                        if write(record):
                            return
                    if ends is not None and time.monotonic() + interval_s > ends:
                        return
                    time.sleep(interval_s)
        except ConnectionFailed as error:
            if not connected:
                raise
            app.tell(f"connection lost: {error.text}; trying again")
            time.sleep(_RETRY_S)


def _counting(write: Callable[[Record], None], limit: int | None) -> Callable[[Record], bool]:
    """Write a record, and say whether it was the last one wanted."""
    count = 0

    def counted(record: Record) -> bool:
        nonlocal count
        write(record)
        count += 1
        return limit is not None and count >= limit

    return counted


def _writer(app: AppContext) -> Callable[[Record], None]:
    """How one event is written: a line for people, or an object for scripts."""
    if app.form in {"json", "ndjson"}:
        from mqtriage.formatters.json_text import compact

        def write_object(record: Record) -> None:
            keys = app.output.column_keys
            _put(app, compact({key: record.get(key) for key in keys} if keys else record))

        return write_object
    from mqtriage.commands.backout.watch import FIELDS
    from mqtriage.formatters.forms.rows import chosen_fields
    from mqtriage.formatters.watch_line import fitting, line

    chosen = chosen_fields(FIELDS, app.output.column_keys, wide=app.output.wide)
    fields = fitting(chosen, app.width) if app.terminals.stdout else list(chosen)

    def write_line(record: Record) -> None:
        _put(app, line(record, fields, utc=app.output.utc is not False))

    return write_line


def _put(app: AppContext, text: str) -> None:
    app.stdout.write(text + "\n")
    app.stdout.flush()
