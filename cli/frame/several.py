"""One listing of several queue managers, each row with its queue manager; or an answer of each.

They are asked side by side, `_AT_ONCE` at a time, each on a thread and a connection of its own;
their rows come in the order in which the queue managers were named. One that cannot be asked is
said and left out (exit 3).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain
from queue import Full, Queue
from threading import Event, Thread
from typing import Any, Final, Protocol, TypeVar

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.commands_in_results import (
    name_in_error,
    name_in_record,
    name_in_result,
)
from mqtriage.cli.frame.console import CommandRun
from mqtriage.cli.frame.options import ConnectionOptions, Output
from mqtriage.cli.frame.output import ResultOutput
from mqtriage.cli.frame.target import Target
from mqtriage.formatters.document import show_of
from mqtriage.formatters.forms.rows import blocks
from mqtriage.model.client_settings import Showing
from mqtriage.model.output_forms import PLAIN, TABLE
from mqtriage.model.result import Document, Field, Listing, Record, Report, Result, Rows, Show
from mqtriage.model.units import first_of
from mqtriage.mq.errors import MQTriageError, NotFound, UsageError
from mqtriage.records import NamedTuple

_COLUMNS: Final = 8
"""Of a document that are shown without --wide."""
_AT_ONCE: Final = 8
_BLOCK: Final = 100
"""Records that are handed over at a time; each queue manager has a few blocks of them ready."""
_NAP_S: Final = 0.2
_MOST_NAMED: Final = 10
QUEUE_MANAGER: Final = Field("queue_manager", "QMGR", Show.NAME, 12)

Read = Callable[[Backend], Result]
T = TypeVar("T")
Feed = Callable[[Any], Iterator[Any]]
"""What is asked of the run of a command at one queue manager; parts come as they are ready."""


class RunningCommand(Protocol):
    """The run of a command, `AppContext`, as far as another one beside it is made of it."""

    run: CommandRun
    target: Target
    output: ResultOutput

    def another(self) -> RunningCommand: ...

    def bind(self, connection: ConnectionOptions | None, output: Output | None) -> None: ...


def listing_of_each(
    app: RunningCommand, read: Read, *, shows_messages: Showing = "", at_once: int = _AT_ONCE
) -> Listing:
    """What *read* returns for each queue manager of the command.

    Args:
        at_once: how many are asked side by side.

    Raises:
        UsageError: It makes a report.
        MQTriageError: None of them could be asked.
    """

    def feed(own: RunningCommand) -> Iterator[Any]:
        with own.target.open_backend(read_only=True, shows_messages=shows_messages) as backend:
            listing = _as_listing(read(backend))
            yield listing
            yield from blocks(listing.items, _BLOCK)

    parts = _listings(app, feed, at_once)
    first = next(parts)
    fields = (QUEUE_MANAGER, *(f for f in first[1].fields if f.key != QUEUE_MANAGER.key))
    listing = Listing(first[1].kind, fields, (), id_key=first[1].id_key, hidden=first[1].hidden)
    listing.items = _records(app.run, chain((first,), parts), listing)
    return listing


def answers_of_each(
    app: RunningCommand, ask: Callable[[Any], T], *, at_once: int = _AT_ONCE
) -> Iterator[T]:
    """What *ask* returns for the run of the command at each queue manager, in their order.

    Args:
        at_once: how many are asked side by side: all of them, where an answer has no end.

    Raises:
        MQTriageError: None of them could be asked.
    """

    def feed(own: RunningCommand) -> Iterator[T]:
        yield ask(own)

    yield from (answer for _, answer in _parts(app, feed, at_once))


def emit_found(app: RunningCommand, find: Callable[[Any], Document]) -> None:
    """Write what *find* returns at each queue manager that has it, and name the others.

    People see each in full, below its queue manager; scripts get one list, as of every command.

    Args:
        find: raises NotFound where the queue manager does not have it.

    Raises:
        NotFound: None of them has it.
        MQTriageError: None of them could be asked.
    """

    def ask(own: Any) -> tuple[str, Document | NotFound]:
        try:
            document = find(own)
        except NotFound as error:
            if not own.target.queue_manager:  # it was not opened
                raise
            return own.target.queue_manager, error
        name_in_result(document, own.run.in_commands)
        return own.target.queue_manager, document

    shown: list[tuple[str, Document]] = []
    without: list[tuple[str, NotFound]] = []
    for name, answer in answers_of_each(app, ask):
        if isinstance(answer, NotFound):
            without.append((name, answer))
        else:
            shown.append((name, answer))
    texts = _texts_with_names(without)
    if not shown:
        hints = [error.hint for _, error in without if error.hint]
        raise NotFound("; ".join(texts), hint=next(iter(hints), None))
    for text in texts:
        app.run.say(text)
    if app.output.form not in (TABLE, PLAIN):
        app.output.emit(_listed(shown))
        return
    for number, (name, document) in enumerate(shown):
        if number:
            app.output.stdout.write("\n")
        document.data = {QUEUE_MANAGER.key: name, **document.data}
        app.output.emit(document, again=len(shown) > 1)


def _listed(shown: list[tuple[str, Document]]) -> Listing:
    """The documents as rows, each with its queue manager; JSON has all parts of them."""
    listing = _as_listing(shown[0][1])
    fields = (QUEUE_MANAGER, *(f for f in listing.fields if f.key != QUEUE_MANAGER.key))
    rows = [{QUEUE_MANAGER.key: name, **document.data} for name, document in shown]
    warnings = [f"{name}: {text}" for name, document in shown for text in document.warnings]
    return replace(listing, fields=fields, items=rows, warnings=warnings)


def _texts_with_names(failures: list[tuple[str, NotFound]]) -> list[str]:
    """Each reason once, with the queue managers that it is of."""
    names: dict[str, list[str]] = {}
    for name, error in failures:
        names.setdefault(error.text, []).append(name)
    return [f"{', '.join(first_of(of, _MOST_NAMED))}: {text}" for text, of in names.items()]


class _End(NamedTuple):
    """There is no more; *error* is why, where it is no end as it should be."""

    error: BaseException | None


class _Asked:
    """One queue manager, asked on a thread of its own."""

    def __init__(self, app: RunningCommand, connection: ConnectionOptions, stop: Event) -> None:
        self.app = app.another()
        self.connection = connection
        self._stop = stop
        self._ready: Queue[Any] = Queue(4)
        self._options = replace(app.output.options, no_input=True)
        self._before = app

    @property
    def name(self) -> str:
        return self._before.target.name_of(self.connection)

    def start(self, feed: Feed) -> None:
        """Begin; a password is asked for here, one after the other."""
        own, before = self.app, self._before
        try:
            own.bind(self.connection, before.output.options)
            own.run.in_commands = _completing(before.run, own.target)
            own.target.browses = before.target.browses
            own.target.held_notes = []
            own.target.no_expiry_effects = before.target.no_expiry_effects
            backend = own.target.settings.text("backend")
            if backend == "mq":
                own.target.client_settings()
            elif backend == "rest":
                own.target.rest_settings()
        except Exception as error:
            self._ready.put(_End(error))
            return
        own.output.options = self._options
        Thread(target=self._work, args=(feed,), daemon=True).start()

    def _work(self, feed: Feed) -> None:
        try:
            for part in feed(self.app):
                self._hand(part)
        except BaseException as error:
            self._hand(_End(error))
            return
        self._hand(_End(None))

    def _hand(self, part: object) -> None:
        while not self._stop.is_set():
            try:
                self._ready.put(part, timeout=_NAP_S)
            except Full:
                continue
            return

    def say_notes(self) -> None:
        """Say what its browse discarded, once."""
        notes, self.app.target.held_notes = self.app.target.held_notes, []
        for note in notes or ():
            self.app.run.remark_once(note)

    def next_part(self) -> Any:
        """What comes next.

        Raises:
            MQTriageError: The queue manager could not be asked, or no further.
        """
        part = self._ready.get()
        if isinstance(part, _End) and part.error is not None:
            raise part.error
        return part

    def records(self) -> Generator[Record, None, None]:
        """The records, as they come."""
        while not isinstance(part := self.next_part(), _End):
            yield from part


def _listings(app: RunningCommand, feed: Feed, at_once: int) -> Iterator[tuple[Target, Listing]]:
    """The listing of each queue manager, whose records come behind it."""
    for one, listing in _parts(app, feed, at_once):
        with closing(one.records()) as records:
            yield one.app.target, replace(listing, items=records)


def _parts(
    app: RunningCommand, feed: Feed, at_once: int = _AT_ONCE
) -> Iterator[tuple[_Asked, Any]]:
    """The first that each queue manager answers, in the order of their names."""
    stop = Event()
    asked = [_Asked(app, connection, stop) for connection in app.target.connections]
    app.run.asked = len(asked)
    failures: list[tuple[str, MQTriageError]] = []
    answered = False
    try:
        for one in asked[:at_once]:
            one.start(feed)
        for number, one in enumerate(asked):
            try:
                first = one.next_part()
            except UsageError:
                raise
            except MQTriageError as error:
                name_in_error(error, one.app.run.in_commands)
                failures.append((one.name, error))
            else:
                target = one.app.target
                if not answered:
                    app.target.now_us = target.now_us
                    app.run.take_over(one.app.run)
                answered = True
                yield one, first
                one.say_notes()
            if number + at_once < len(asked):
                asked[number + at_once].start(feed)
    finally:
        stop.set()
        for one in asked:
            one.say_notes()
    for name, failure in failures if answered else failures[:-1]:
        app.run.fail_partly(name, failure)
    if not answered:
        raise failures[-1][1]


def _as_listing(result: Result) -> Listing:
    """A document as a row; what has parts of its own is only in JSON."""
    if isinstance(result, Listing):
        return result
    if isinstance(result, Report):
        raise UsageError("do this for one queue manager at a time")
    data = result.data
    if isinstance(attributes := data.get("attributes"), dict):  # those are what it is about
        data = {**data, **attributes}
    keys = [key for key, value in data.items() if not isinstance(value, list | dict | Rows)]
    shown = [keys[0], *(key for key in result.first if key in keys)]
    shown = shown if result.first else keys[:_COLUMNS]
    fields = tuple(
        # the name stays however narrow it is, and so does what is asked for most
        Field(key, key.upper(), _show(key, data[key]), 0, key not in shown, max(number, 0))
        for number, key in enumerate(dict.fromkeys((*shown, *keys)), -1)
    )
    hidden = len(fields) - len(shown)
    return Listing(
        f"{result.kind}List", fields, [data], {}, result.warnings, fields[0].key, hidden=hidden
    )


def _show(key: str, value: object) -> Show:
    show = show_of(key)
    if show is Show.TEXT and isinstance(value, int):
        return Show.FLAG if isinstance(value, bool) else Show.NUMBER
    return show


def is_count(key: str, *values: object) -> bool:
    """Whether it is a number of things, which can be added up; not a limit or a share."""
    is_number = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    return is_number and not key.endswith("maxdepth")


def _completing(run: CommandRun, target: Target) -> Callable[[str], str]:
    """What names the queue manager of *target* in the commands of a text."""
    words = target.named_words()
    return lambda text: run.with_words(text, words)


def _records(
    run: CommandRun, parts: Iterator[tuple[Target, Listing]], listing: Listing
) -> Iterator[Record]:
    for target, part in parts:
        name = target.queue_manager
        complete = _completing(run, target)
        try:
            for record in part.items:
                yield {QUEUE_MANAGER.key: name, **name_in_record(record, complete)}
        except UsageError:
            raise
        except MQTriageError as error:
            name_in_error(error, complete)
            error.text += "; its output ends here"
            run.fail_partly(name, error)
        listing.warnings += [f"{name}: {complete(text)}" for text in part.warnings]
        for key, value in part.summary.items():
            if key.endswith("_ms"):  # durations are not added up
                longest = (
                    number for number in (listing.summary.get(key), value) if number is not None
                )
                listing.summary[key] = max(longest, default=None)
            elif value is None:  # nothing of the kind here: what the others have stays
                listing.summary.setdefault(key, None)
            elif is_count(key, value):
                listing.summary[key] = (listing.summary.get(key) or 0) + value
            else:
                listing.summary[key] = (listing.summary.get(key) or {}) | {name: value}
    listing.warnings += run.failures
