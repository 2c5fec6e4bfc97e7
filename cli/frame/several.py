"""One listing of several queue managers, each row with its queue manager.

They are asked one after the other; one that cannot be asked is said and left out (exit 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.console import CommandRun
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.target import Target
from mqtriage.formatters.document import show_of
from mqtriage.model.result import Field, Listing, Record, Report, Result, Rows, Show
from mqtriage.mq.errors import MQTriageError, UsageError

_COLUMNS: Final = 8
"""Of a document that are shown without --wide."""
QUEUE_MANAGER: Final = Field("queue_manager", "QMGR", Show.NAME, 12)


def listing_of_each(
    run: CommandRun,
    target: Target,
    read: Callable[[Backend], Result],
    *,
    shows_messages: bool = False,
) -> Listing:
    """What *read* makes of each queue manager of the command, one after the other.

    Raises:
        UsageError: It makes a report.
        MQTriageError: None of them could be asked.
    """
    parts = _parts(run, target, read, shows_messages=shows_messages)
    first = next(parts)
    fields = (QUEUE_MANAGER, *(f for f in first[1].fields if f.key != QUEUE_MANAGER.key))
    listing = Listing(first[1].kind, fields, (), id_key=first[1].id_key)
    listing.items = _records(run, chain((first,), parts), listing)
    return listing


def _parts(
    run: CommandRun, target: Target, read: Callable[[Backend], Result], *, shows_messages: bool
) -> Iterator[tuple[str, Listing]]:
    """What each queue manager answers; it is connected until the next one is asked for."""
    failures: list[tuple[str, MQTriageError]] = []
    asked = False
    for connection in target.connections:
        name = connection.qmgr or connection.context or ""
        try:
            with (
                target.only(connection),
                target.open_backend(read_only=True, shows_messages=shows_messages) as backend,
            ):
                listing = _as_listing(read(backend))
                asked = True
                yield backend.queue_manager, listing
        except UsageError:
            raise
        except MQTriageError as error:
            failures.append((name, error))
    for name, failure in failures if asked else failures[:-1]:
        run.warn(f"{name}: {failure}")
        run.note(ExitCode.PARTLY_DONE)
    if not asked:
        raise failures[-1][1]


def _as_listing(result: Result) -> Listing:
    """A document as a row; what is in parts of its own is in JSON alone.

    Raises:
        UsageError: It is a report.
    """
    if isinstance(result, Listing):
        return result
    if isinstance(result, Report):
        raise UsageError("this is done at one queue manager after the other")
    fields = tuple(
        Field(key, key.upper(), _show(key, value), wide=number >= _COLUMNS)
        for number, (key, value) in enumerate(result.data.items())
        if not isinstance(value, list | dict | Rows)
    )
    warnings = result.warnings
    return Listing(f"{result.kind}List", fields, [result.data], {}, warnings, fields[0].key)


def _show(key: str, value: object) -> Show:
    show = show_of(key)
    if show is Show.TEXT and isinstance(value, int):
        return Show.FLAG if isinstance(value, bool) else Show.NUMBER
    return show


def _records(
    run: CommandRun, parts: Iterator[tuple[str, Listing]], listing: Listing
) -> Iterator[Record]:
    for name, part in parts:
        try:
            for record in part.items:
                yield {QUEUE_MANAGER.key: name, **record}
        except UsageError:
            raise
        except MQTriageError as error:
            run.warn(f"{name}: {error}; its rows end here")
            run.note(ExitCode.PARTLY_DONE)
        listing.warnings += [f"{name}: {warning}" for warning in part.warnings]
        for key, value in part.summary.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                listing.summary[key] = listing.summary.get(key, 0) + value
            else:
                listing.summary.setdefault(key, {})[name] = value
